"""A floating search: after a forward search, removes and adds again while the subset gets better."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from infosift.arrays import DIGITS
from infosift.data.groups import FeatureUnit
from infosift.errors import InputError, require_count
from infosift.results.steps import Step
from infosift.search.base import Decisions, Phase, Problem, Tests, Units, units_of, without
from infosift.search.stepwise import StepwiseSearch, additions, revisions, slots_left


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
        added = yield from additions(problem, tests, decided)
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
    return [unit for units in added for unit in units]
