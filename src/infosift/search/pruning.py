"""The end of a forward search: one feature replaces two that are nearly alike, then those that add nothing go."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import impute
from infosift.engines.base import joined_columns
from infosift.results.steps import Removal, Replacement
from infosift.search.base import Problem, Tests

# Features with a rank correlation of at least this may replace each other.
_ALIKE = 0.9
_MOST_SUBSTITUTES = 5
_VALUES_AT_ONCE = 1_000_000
# Tests draw from streams beyond those of the search and of removals.
_FIRST_STREAM = 2_000_000
# Tests draw from streams beyond those of the search.
_FIRST_STEP = 1_000_000


class Replacements:
    """Looks for a feature that is as informative as two selected ones which are nearly the same."""

    def __init__(self, problem: Problem, tests: Tests) -> None:
        self._problem, self._tests, self._table = problem, tests, problem.table
        categorical = self._table.categorical
        self._numbers = [
            unit for unit in self._table.units if len(unit.columns) == 1 and unit.columns[0] not in categorical
        ]
        self._n_tests = 0

    def of(self, selected: list[FeatureUnit]) -> Generator[Replacement, None, list[FeatureUnit]]:
        """Yield each replacement as soon as it is decided; return what is selected after them."""
        while (found := self._next(selected)) is not None:
            selected, replacement = found
            yield replacement
        return selected

    def _next(self, selected: list[FeatureUnit]) -> tuple[list[FeatureUnit], Replacement] | None:
        numbers = [unit for unit in selected if unit in self._numbers]
        n_left = len(self._problem.kept) + len(selected) - 1
        if len(numbers) < 2 or n_left < self._problem.settings.min_features:
            return None
        likeness = dict(zip(numbers, self._likeness(numbers), strict=True))
        for pair in combinations(numbers, 2):
            if likeness[pair[0]][self._numbers.index(pair[1])] < _ALIKE:
                continue
            rest = [unit for unit in selected if unit not in pair]
            stand_in = self._stand_in(pair, rest, np.minimum(likeness[pair[0]], likeness[pair[1]]))
            if stand_in is None or self._unexplained([*rest, stand_in]) > self._unexplained(selected):
                continue
            alpha = self._problem.settings.alpha
            if self._p_value([*rest, stand_in], list(pair)) <= alpha:
                continue
            p_value = self._p_value(rest, [stand_in], fine=True)
            if p_value <= alpha:
                after = [stand_in if unit == pair[0] else unit for unit in selected if unit != pair[1]]
                return after, Replacement(stand_in.name, (pair[0].name, pair[1].name), p_value)
        return None

    def _unexplained(self, units: list[FeatureUnit]) -> float:
        return self._tests.unexplained([*self._problem.kept, *units])

    def _likeness(self, units: list[FeatureUnit]) -> FloatArray:
        """Return the absolute rank correlation of some units with every feature of numbers (units x features)."""
        table, engine = self._table, self._tests.engine
        own = _standard(rankdata(impute(table.columns[[unit.columns[0] for unit in units]]), axis=1))
        others = [other.columns[0] for other in self._numbers]
        spread = engine.spread(table.columns)
        runs = spread.runs(others, max(1, _VALUES_AT_ONCE // table.n_rows))
        found = engine.each(_correlations, [spread.pieces(others[run]) for run in runs], own)
        return np.round(np.concatenate(list(found), axis=1), DIGITS)

    def _stand_in(
        self, pair: tuple[FeatureUnit, FeatureUnit], rest: list[FeatureUnit], likeness: FloatArray
    ) -> FeatureUnit | None:
        taken = (*pair, *rest, *self._problem.kept)
        others = [
            (float(likeness[i]), self._table.digest(unit), unit)
            for i, unit in enumerate(self._numbers)
            if likeness[i] >= _ALIKE and unit not in taken
        ]
        likest = [
            unit for _, _, unit in sorted(others, key=lambda other: other[:2], reverse=True)[:_MOST_SUBSTITUTES]
        ]
        return min(likest, key=lambda unit: self._unexplained([*rest, unit]), default=None)

    def _p_value(self, given: list[FeatureUnit], asked: list[FeatureUnit], *, fine: bool = False) -> float:
        number, self._n_tests = _FIRST_STREAM + self._n_tests, self._n_tests + 1
        return self._tests.p_value([*self._problem.kept, *given], asked, number, fine=fine)


def _correlations(pieces: tuple[tuple[FloatArray, IntArray], ...], own: FloatArray) -> FloatArray:
    """Return the absolute correlation of the ranks of some columns with standard ranks (ranks x columns)."""
    return np.abs(own @ _standard(rankdata(impute(joined_columns(pieces)), axis=1)).T)


def _standard(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))


class Removals:
    """Removes units one by one, and asks about the rest anew each time.

    A forward search may select a poor feature early, and later others that carry its information and more. Beside
    many others even the best feature may add nothing that can be seen, so the order matters: of several that add
    nothing, the one goes without which the others leave least unexplained.

    ``partners`` says which units were selected as a pair. Of such a pair neither may add anything without the
    other: they stay where they do together.
    """

    def __init__(
        self,
        problem: Problem,
        tests: Tests,
        selected: Sequence[FeatureUnit],
        partners: Mapping[FeatureUnit, FeatureUnit],
    ) -> None:
        self._problem, self._tests = problem, tests
        self._selected, self._partners = tuple(selected), partners

    def __iter__(self) -> Iterator[Removal]:
        """Yield each removal as soon as it is decided."""
        left = list(self._selected)
        while (found := self._next(left)) is not None:
            units, p_value = found
            left = [unit for unit in left if unit not in units]
            names = self._problem.table.names
            yield Removal(tuple(names[i] for unit in units for i in unit.columns), p_value)

    def _next(self, left: list[FeatureUnit]) -> tuple[list[FeatureUnit], float] | None:
        """Return the first unit that adds nothing, with its partner where neither does; None at the end."""
        if len(left) < 2 or not self._may_go(1, left):
            return None
        for unit in sorted(left, key=lambda unit: self._need_of(unit, left)):
            p_value = self._p_value([unit], left)
            if self._adds(p_value):
                continue
            partner = self._partners.get(unit)
            others = [other for other in left if other != unit]
            if partner not in left or self._adds(self._p_value([partner], others)):
                return [unit], p_value
            p_of_both = self._p_value([unit, partner], left)
            if not self._adds(p_of_both) and self._may_go(2, left):
                return [unit, partner], p_of_both
        return None

    def _may_go(self, number: int, left: list[FeatureUnit]) -> bool:
        return len(self._problem.kept) + len(left) - number >= self._problem.settings.min_features

    def _need_of(self, unit: FeatureUnit, left: list[FeatureUnit]) -> tuple[float, int]:
        others = [*self._problem.kept, *(other for other in left if other != unit)]
        return round(self._tests.unexplained(others), DIGITS), -self._selected.index(unit)

    def _p_value(self, units: list[FeatureUnit], left: list[FeatureUnit]) -> float:
        """Return the p-value of units together, conditional on the others that are left."""
        number = _FIRST_STEP + self._selected.index(units[0]) + len(self._selected) * (len(units) - 1)
        return self._tests.drop([*self._problem.kept, *left], units, number)

    def _adds(self, p_value: float) -> bool:
        return p_value <= self._problem.settings.alpha
