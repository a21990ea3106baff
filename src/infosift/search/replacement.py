"""One feature in place of two: mends a search that selected two poor copies before it could know a better one."""

from __future__ import annotations

from collections.abc import Generator
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import impute
from infosift.engines.base import joined_columns
from infosift.results.steps import Replacement
from infosift.search.base import Problem, Tests

# Features with a rank correlation of at least this may replace each other.
_ALIKE = 0.9
_MOST_SUBSTITUTES = 5
_VALUES_AT_ONCE = 1_000_000
# Tests draw from streams beyond those of the search and of removals.
_FIRST_STEP = 2_000_000


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
        number, self._n_tests = _FIRST_STEP + self._n_tests, self._n_tests + 1
        return self._tests.p_value([*self._problem.kept, *given], asked, number, fine=fine)


def _correlations(pieces: tuple[tuple[FloatArray, IntArray], ...], own: FloatArray) -> FloatArray:
    """Return the absolute correlation of the ranks of some columns with standard ranks (ranks x columns)."""
    return np.abs(own @ _standard(rankdata(impute(joined_columns(pieces)), axis=1)).T)


def _standard(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))
