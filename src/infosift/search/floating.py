"""A floating search: after a forward search, removes and adds again while the subset gets better."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from sklearn.base import BaseEstimator

from infosift.arrays import DIGITS
from infosift.data.groups import FeatureUnit
from infosift.errors import InputError, require_count
from infosift.results.steps import Step
from infosift.search.base import Decisions, Method, Problem, Tests
from infosift.search.forward import additions, error_rate_of_steps, most_left_out, revisions, units_of

# Cycles draw from streams beyond those of the forward search and its revisions.
_FIRST_STEP = 3_000_000


class Floating(BaseEstimator):  # type: ignore[misc]
    """A forward search that goes on in cycles: the least missed features are removed, then the best ones added.

    Additions are tested, so that what was removed comes back where it is significant. A cycle stays where the
    subset at its end leaves less of the target unexplained than any of its size before; where none does, whichever
    feature it begins with, the search ends. So it never ends with a subset worse than that of a forward search of
    the same size (after Pudil, Novovičová and Kittler 1994).

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

    starts_full: ClassVar[bool] = False
    is_conditional: ClassVar[bool] = True

    def __init__(self, *, add: int = 1, remove: int = 1) -> None:
        self.add = add
        self.remove = remove

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        require_count("add", self.add, least=1)
        require_count("remove", self.remove, least=1)
        if self.remove > self.add:
            raise InputError(f"remove={self.remove} is more than add={self.add}: change one of them.")

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return error_rate_of_steps(method)

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield the steps of the forward search, then those of each cycle that stays."""
        added = yield from additions(problem, tests, decided)
        known = _BestKnown(problem, tests)
        for size in range(len(added) + 1):
            known.add(_flat(added[:size]))
        selected, numbers = _flat(added), itertools.count(_FIRST_STEP)
        while (found := self._better(problem, tests, selected, known, numbers)) is not None:
            steps, selected = found
            yield from steps
            known.add(selected)
        together = [units for units in added if set(units) <= set(selected)]
        alone = [[unit] for unit in selected if unit not in _flat(together)]
        yield from revisions(problem, tests, [*together, *alone])

    def _better(
        self,
        problem: Problem,
        tests: Tests,
        selected: list[FeatureUnit],
        known: _BestKnown,
        numbers: Iterator[int],
    ) -> tuple[list[Step], list[FeatureUnit]] | None:
        """Return the steps of the first cycle that ends better, and what is selected after it; None if none does.

        Cycles begin with each of the selected features, the least missed first.
        """
        for first in sorted(selected, key=lambda unit: _need_of(problem, tests, selected, unit)):
            steps, after = self._cycle(problem, tests, selected, first, numbers)
            enough = len(problem.kept) + len(after) >= problem.settings.min_features
            if enough and known.is_beaten_by(after):
                return steps, after
        return None

    def _cycle(
        self,
        problem: Problem,
        tests: Tests,
        selected: list[FeatureUnit],
        first: FeatureUnit,
        numbers: Iterator[int],
    ) -> tuple[list[Step], list[FeatureUnit]]:
        """Return the steps of a cycle that begins with a feature, and what is selected after it."""
        steps, left, least = [], list(selected), first
        for _ in range(min(int(self.remove), len(left))):
            step = tests.remove([*problem.kept, *left], [least], next(numbers))
            steps.append(replace(step, accepted=True))
            left.remove(least)
            least = min(left, key=lambda unit: _need_of(problem, tests, left, unit), default=first)
        for _ in range(int(self.add)):
            remaining = [unit for unit in problem.candidates if unit not in left]
            room = len(remaining) - most_left_out(problem)
            if room <= 0:
                break
            step = tests.add([*problem.kept, *left], remaining, next(numbers), room)
            if not step.accepted:
                break
            steps.append(step)
            left += units_of(problem.table, step)
        return steps, left


def _flat(added: Sequence[Sequence[FeatureUnit]]) -> list[FeatureUnit]:
    return [unit for units in added for unit in units]


def _need_of(
    problem: Problem, tests: Tests, members: Sequence[FeatureUnit], unit: FeatureUnit
) -> tuple[float, bytes]:
    """Return how much the others leave unexplained without a unit; of equal ones the digest decides."""
    others = [*problem.kept, *(other for other in members if other != unit)]
    return round(tests.unexplained(others), DIGITS), problem.table.digest(unit)


class _BestKnown:
    """How much the best subset of each size that was seen leaves unexplained."""

    def __init__(self, problem: Problem, tests: Tests) -> None:
        self._problem, self._tests = problem, tests
        self._least: dict[int, float] = {}

    def add(self, selected: Sequence[FeatureUnit]) -> None:
        """Take a subset into account."""
        self._least[len(selected)] = min(self._least.get(len(selected), math.inf), self._unexplained(selected))

    def is_beaten_by(self, selected: Sequence[FeatureUnit]) -> bool:
        """Tell whether a subset is better than all of its size."""
        return self._unexplained(selected) < self._least.get(len(selected), math.inf)

    def _unexplained(self, selected: Sequence[FeatureUnit]) -> float:
        return round(self._tests.unexplained([*self._problem.kept, *selected]), DIGITS)
