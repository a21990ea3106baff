"""Stepwise searches: forward adds the best feature while it is significant, backward removes, floating does both.

At the end of a forward search one feature replaces two that are nearly alike, then those that add nothing go.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import impute
from infosift.engines.base import join_columns
from infosift.errors import InputError, require_choice, require_count
from infosift.results.steps import Removal, Replacement, Step
from infosift.search.base import Decisions, Method, Phase, Problem, Tests, Units, units_of, without

# Features with a rank correlation of at least this may replace each other.
_ALIKE = 0.9
# Of the features that could replace a pair, the residual variance of the target is computed for the most similar.
_MOST_SUBSTITUTES = 5
_VALUES_AT_ONCE = 1_000_000
# Features are compared by their ranks in so many of very many rows.
_MOST_ROWS = 20_000


class StepwiseSearch(BaseEstimator):  # type: ignore[misc]
    """Base of the searches whose steps test the best of all candidates conditional on those selected."""

    starts_full: ClassVar[bool] = False
    is_conditional: ClassVar[bool] = True

    def check(self) -> None:
        """Refuse nothing: there are no parameters."""

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds: the family-wise error of a step, where p-values are adjusted."""
        return "family-wise error" if method.adjusted else ""


class Forward(StepwiseSearch):
    """Add the best feature while the test says that it adds: the search of the paper, and the default.

    With the calibrated method, features that others replace are removed at the end.

    Parameters
    ----------
    control : {"fwer", "fdr"}, default="fwer"
        What alpha bounds: the family-wise error of each step, or the false discovery rate along the path, at which
        more features are selected. A step that does not pass then hides none behind it that do (ForwardStop;
        G'Sell and others 2016).

    Examples
    --------
    >>> from infosift import Forward, MutualInfoSelector
    >>> MutualInfoSelector(alpha=0.1, search=Forward(control="fdr")).search
    Forward(control='fdr')
    """

    def __init__(self, *, control: str = "fwer") -> None:
        self.control = control

    def check(self) -> None:
        """Refuse a control that there is none of."""
        require_choice("control", self.control, ("fwer", "fdr"))

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds, where p-values are adjusted for the number of candidates."""
        return "false discovery rate" if self._bounds_rate(method) else super().error_rate(method)

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield each decision as soon as it is made; steps that were decided earlier are not tested again."""
        if self._bounds_rate(problem.method):
            from infosift.search.forward_stop import ForwardStop

            path = ForwardStop(problem, tests, decided)
            added = yield from additions(problem, path.add, decided[: path.n_known])
        else:
            added = yield from additions(problem, tests.add, decided)
        yield from revisions(problem, tests, added)

    def _bounds_rate(self, method: Method) -> bool:
        if self.control == "fdr" and not method.adjusted:
            raise InputError(
                "The false discovery rate needs p-values that are adjusted for the number of candidates: choose "
                'method="calibrated", or leave control out.'
            )
        return self.control == "fdr"


class Backward(StepwiseSearch):
    """Start from all features, and remove the least needed while the test says that it adds nothing to the rest.

    It sees what a forward search may miss: features that matter only together, whatever their number. It needs
    many more rows than features, since each is tested conditional on all others.

    Examples
    --------
    >>> from infosift import Backward, MutualInfoSelector
    >>> MutualInfoSelector(search=Backward()).search
    Backward()
    """

    starts_full: ClassVar[bool] = True

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield a step for each removal, and the one in which all features left are significant."""
        members, settings = problem.candidates, problem.settings
        n_tested = len(members)  # the features left are the best of all of these, however few they are
        for number in itertools.count():
            size = len(problem.kept) + len(members)
            if not members or size <= settings.min_features:
                return
            # In an order that does not depend on the columns': regressions truncate and add up in it.
            subset = [*problem.kept, *sorted(members, key=problem.table.digest)]
            stream = Phase.SEARCH.stream(number)
            step = decided[number] if number < len(decided) else tests.remove(subset, members, stream, n_tested)
            if not step.accepted and settings.max_features is not None and size > settings.max_features:
                step = replace(step, accepted=True)
            yield step
            if not step.accepted:
                return
            members = without(members, units_of(problem.table, step))


class Floating(StepwiseSearch):
    """A forward search that goes on in cycles: the least missed features are removed, then the best ones added.

    Additions are tested, so that what was removed comes back where it is significant. A cycle stays where the
    subset at its end has a smaller residual variance of the target than any of its size before; where none does,
    whichever feature it begins with, the search ends. So it never ends with a subset worse than that of a forward
    search of the same size (after Pudil, Novovičová and Kittler 1994).

    Parameters
    ----------
    add : int, default=1
        Most features to add in a cycle.
    remove : int, default=1
        Features to remove in a cycle, at most as many as are added.

    Examples
    --------
    >>> from infosift import Floating, MutualInfoSelector
    >>> MutualInfoSelector(search=Floating(add=2)).search
    Floating(add=2)
    """

    def __init__(self, *, add: int = 1, remove: int = 1) -> None:
        self.add = add
        self.remove = remove

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        require_count("add", self.add, least=1)
        require_count("remove", self.remove, least=1)
        if self.remove > self.add:
            raise InputError(f"remove={self.remove} is more than add={self.add}: change one of them.")

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield the steps of the forward search, then those of each cycle that stays."""
        added = yield from additions(problem, tests.add, decided)
        cycles = _Cycles(problem, tests, int(self.add), int(self.remove))
        for size in range(len(added) + 1):
            cycles.note(_flat(added[:size]))
        selected = _flat(added)
        while (better := cycles.first_better(selected)) is not None:
            steps, selected = better
            yield from steps
            cycles.note(selected)
        together = [units for units in added if set(units) <= set(selected)]
        single = [[unit] for unit in without(selected, _flat(together))]
        yield from revisions(problem, tests, [*together, *single])


class _Cycles:
    """Cycles of removals and additions, and the smallest residual variance of subsets of each size so far."""

    def __init__(self, problem: Problem, tests: Tests, n_add: int, n_remove: int) -> None:
        self._problem, self._tests, self._n_add, self._n_remove = problem, tests, n_add, n_remove
        self._smallest: dict[int, float] = {}
        self._streams: Iterator[int] = itertools.count(Phase.FLOATING.stream(0))

    def note(self, selected: Units) -> None:
        """Take the residual variance of a subset into account."""
        size = len(selected)
        self._smallest[size] = min(self._smallest.get(size, math.inf), self._residual_variance(selected))

    def first_better(self, selected: list[FeatureUnit]) -> tuple[list[Step], list[FeatureUnit]] | None:
        """Return the steps of the first cycle that ends better, and the subset after it; None if none does.

        Cycles begin with each of the selected features, the least needed first.
        """
        for first in sorted(selected, key=lambda unit: self._need(unit, selected)):
            steps, after = self._cycle(selected, first)
            is_enough = len(self._problem.kept) + len(after) >= self._problem.settings.min_features
            if is_enough and self._residual_variance(after) < self._smallest.get(len(after), math.inf):
                return steps, after
        return None

    def _cycle(self, selected: list[FeatureUnit], first: FeatureUnit) -> tuple[list[Step], list[FeatureUnit]]:
        """Return the steps of a cycle that begins with the removal of a feature, and the subset after it."""
        problem, tests = self._problem, self._tests
        steps, left, least = [], list(selected), first
        for _ in range(min(self._n_remove, len(left))):
            step = tests.remove([*problem.kept, *left], [least], next(self._streams))
            steps.append(replace(step, accepted=True))
            left.remove(least)
            least = min(left, key=lambda unit: self._need(unit, left), default=first)
        for _ in range(self._n_add):
            if (slots := slots_left(problem, left)) <= 0:
                break
            remaining = without(problem.candidates, left)
            step = tests.add([*problem.kept, *left], remaining, next(self._streams), slots)
            if not step.accepted:
                break
            steps.append(step)
            left += units_of(problem.table, step)
        return steps, left

    def _need(self, unit: FeatureUnit, members: Units) -> tuple[float, bytes]:
        """Return the residual variance without a unit; of equal ones the digest decides."""
        return self._residual_variance(without(members, [unit])), self._problem.table.digest(unit)

    def _residual_variance(self, selected: Units) -> float:
        return round(self._tests.residual_variance([*self._problem.kept, *selected]), DIGITS)


def _flat(added: Sequence[Units]) -> list[FeatureUnit]:
    return list(itertools.chain.from_iterable(added))


def additions(
    problem: Problem, add: Callable[[Units, Units, int, int], Step], decided: Sequence[Step] = ()
) -> Generator[Step, None, list[list[FeatureUnit]]]:
    """Yield steps until one is rejected or no slot is left; return the units that each step added."""
    settings = problem.settings
    added: list[list[FeatureUnit]] = []
    for number in itertools.count():
        selected = _flat(added)
        if (slots := slots_left(problem, selected)) <= 0:
            break
        subset, remaining = [*problem.kept, *selected], without(problem.candidates, selected)
        stream = Phase.SEARCH.stream(number)
        step = decided[number] if number < len(decided) else add(subset, remaining, stream, slots)
        if not step.accepted and len(subset) < settings.min_features:
            # One at a time: a pair that does not pass could be one too many.
            single = step if len(units_of(problem.table, step)) == 1 else add(subset, remaining, stream, 1)
            step = replace(single, accepted=True)
        yield step
        if not step.accepted:
            break
        added.append(units_of(problem.table, step))
        is_forced = not step.significant and len(subset) < settings.min_features
        if is_forced and len(subset) + len(added[-1]) >= settings.min_features:
            break
    return added


def slots_left(problem: Problem, selected: Units) -> int:
    """Return how many more units may be selected: candidates that are left, as far as ``max_features`` allows."""
    most = problem.settings.max_features
    capacity = len(problem.candidates) if most is None else most - len(problem.kept)
    return min(capacity, len(problem.candidates)) - len(selected)


def revisions(problem: Problem, tests: Tests, added: Sequence[Units]) -> Decisions:
    """Yield what is replaced and removed at the end, where the method tests again what was added."""
    if not tests.revises:
        return
    selected = _flat(added)
    pairs = [(units[0], units[1]) for units in added if len(units) == 2]
    partners = dict(pairs) | {second: first for first, second in pairs}
    selected = yield from Replacements(problem, tests).of(selected)
    yield from Removals(problem, tests, selected, partners)


class Replacements:
    """Replacements of two selected features that are nearly alike by one that is as informative as both.

    A forward search may select two noisy versions of a feature before that feature itself, since the best of many
    candidates is partly chance.
    """

    def __init__(self, problem: Problem, tests: Tests) -> None:
        self._problem, self._tests, self._table = problem, tests, problem.table
        is_categorical = self._table.is_categorical
        self._numeric = [
            unit for unit in self._table.units if len(unit.columns) == 1 and not is_categorical[unit.columns[0]]
        ]
        self._streams = itertools.count(Phase.REPLACEMENT.stream(0))

    def of(self, selected: list[FeatureUnit]) -> Generator[Replacement, None, list[FeatureUnit]]:
        """Yield each replacement as soon as it is decided; return what is selected after them."""
        while (replaced := self._next(selected)) is not None:
            selected, replacement = replaced
            yield replacement
        return selected

    def _next(self, selected: list[FeatureUnit]) -> tuple[list[FeatureUnit], Replacement] | None:
        numeric = [unit for unit in selected if unit in self._numeric]
        n_left = len(self._problem.kept) + len(selected) - 1
        if len(numeric) < 2 or n_left < self._problem.settings.min_features:
            return None
        correlations = dict(zip(numeric, self._rank_correlations(numeric), strict=True))
        alpha = self._problem.settings.alpha
        for one, other in itertools.combinations(numeric, 2):
            if correlations[one][self._numeric.index(other)] < _ALIKE:
                continue
            rest = without(selected, [one, other])
            substitute = self._substitute([one, other], rest, np.minimum(correlations[one], correlations[other]))
            if substitute is None:
                continue
            replaced = [*rest, substitute]
            # The substitute must explain as much, make the two superfluous, and be significant itself.
            if self._residual_variance(replaced) > self._residual_variance(selected):
                continue
            if self._p_value(replaced, [one, other]) <= alpha:
                continue
            p_value = self._p_value(rest, [substitute], precise=True)
            if p_value <= alpha:
                after = [substitute if unit == one else unit for unit in selected if unit != other]
                return after, Replacement(substitute.name, (one.name, other.name), p_value)
        return None

    def _substitute(
        self, pair: list[FeatureUnit], rest: list[FeatureUnit], correlations: FloatArray
    ) -> FeatureUnit | None:
        """Return the feature similar to both of a pair that explains most with the rest, if there is one."""
        taken = (*pair, *rest, *self._problem.kept)
        similar = [
            (float(correlation), self._table.digest(unit), unit)
            for unit, correlation in zip(self._numeric, correlations, strict=True)
            if correlation >= _ALIKE and unit not in taken
        ]
        most_similar = sorted(similar, key=lambda ranked: ranked[:2], reverse=True)[:_MOST_SUBSTITUTES]
        units = [unit for _, _, unit in most_similar]
        return min(units, key=lambda unit: self._residual_variance([*rest, unit]), default=None)

    def _rank_correlations(self, units: list[FeatureUnit]) -> FloatArray:
        """Return the absolute rank correlation of units with every numeric feature (units x features)."""
        table, engine = self._table, self._tests.engine
        rows = np.linspace(0, table.n_rows - 1, min(table.n_rows, _MOST_ROWS)).astype(np.int64)
        own = _standard_ranks(table.columns[[unit.columns[0] for unit in units]], rows)
        others = [other.columns[0] for other in self._numeric]
        located = engine.distribute(table.columns)
        runs = located.runs(others, max(1, _VALUES_AT_ONCE // table.n_rows))
        blocks = engine.map(_correlations, [located.locate(others[run]) for run in runs], own, rows)
        return np.round(np.concatenate(list(blocks), axis=1), DIGITS)

    def _residual_variance(self, units: list[FeatureUnit]) -> float:
        return self._tests.residual_variance([*self._problem.kept, *units])

    def _p_value(self, given: list[FeatureUnit], tested: list[FeatureUnit], *, precise: bool = False) -> float:
        subset = [*self._problem.kept, *given]
        return self._tests.p_value(subset, tested, next(self._streams), precise=precise)


def _correlations(pieces: tuple[tuple[FloatArray, IntArray], ...], own: FloatArray, rows: IntArray) -> FloatArray:
    """Return the absolute correlation of the ranks of columns with standardised ranks (ranks x columns)."""
    return np.abs(own @ _standard_ranks(join_columns(pieces), rows).T)


def _standard_ranks(columns: FloatArray, rows: IntArray) -> FloatArray:
    """Return ranks of columns (columns x rows) in some rows, centred and of length one; zero if all are equal."""
    ranks = rankdata(impute(columns)[:, rows], axis=1)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    return np.asarray(centred / np.where(length > 0, length, 1.0))


class Removals:
    """Removals of selected features that add nothing to the others, one by one; the rest is tested anew each time.

    A forward search may select a poor feature early, and later others that carry its information and more. Given
    many others even the best feature may add nothing detectable, so the order matters: of several that add
    nothing, the one goes without which the others leave the smallest residual variance.

    ``partners`` maps units that were selected as a pair to each other. Of such a pair neither may add anything
    without the other: they stay where they do together.
    """

    def __init__(
        self, problem: Problem, tests: Tests, selected: Units, partners: Mapping[FeatureUnit, FeatureUnit]
    ) -> None:
        self._problem, self._tests = problem, tests
        self._selected, self._partners = tuple(selected), partners

    def __iter__(self) -> Iterator[Removal]:
        """Yield each removal as soon as it is decided."""
        left = list(self._selected)
        while (removed := self._next(left)) is not None:
            units, p_value = removed
            left = without(left, units)
            names = self._problem.table.names
            yield Removal(tuple(names[i] for unit in units for i in unit.columns), p_value)

    def _next(self, left: list[FeatureUnit]) -> tuple[list[FeatureUnit], float] | None:
        """Return the first unit that adds nothing, with its partner where neither does; None at the end."""
        if len(left) < 2 or not self._may_remove(1, left):
            return None
        for unit in sorted(left, key=lambda unit: self._need(unit, left)):
            p_value = self._p_value([unit], left)
            if self._adds(p_value):
                continue
            partner = self._partners.get(unit)
            if partner not in left or self._adds(self._p_value([partner], without(left, [unit]))):
                return [unit], p_value
            p_of_both = self._p_value([unit, partner], left)
            if not self._adds(p_of_both) and self._may_remove(2, left):
                return [unit, partner], p_of_both
        return None

    def _may_remove(self, number: int, left: list[FeatureUnit]) -> bool:
        return len(self._problem.kept) + len(left) - number >= self._problem.settings.min_features

    def _need(self, unit: FeatureUnit, left: list[FeatureUnit]) -> tuple[float, int]:
        """Return the residual variance without a unit; of equal ones the one selected last is needed least."""
        others = [*self._problem.kept, *without(left, [unit])]
        return round(self._tests.residual_variance(others), DIGITS), -self._selected.index(unit)

    def _p_value(self, units: list[FeatureUnit], left: list[FeatureUnit]) -> float:
        """Return the p-value of units together, conditional on the others that are left."""
        number = self._selected.index(units[0]) + len(self._selected) * (len(units) - 1)
        return self._tests.drop([*self._problem.kept, *left], units, Phase.REMOVAL.stream(number))

    def _adds(self, p_value: float) -> bool:
        return p_value <= self._problem.settings.alpha
