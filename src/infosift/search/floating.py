"""A floating search: after a forward search, removes and adds again while the subset gets better."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from sklearn.base import BaseEstimator

from infosift.data.feature_groups import Unit
from infosift.errors import require_count
from infosift.results.steps import Step
from infosift.search.base import Decisions, Method, Problem, Tests
from infosift.search.forward import additions, error_rate_of_steps, most_left_out, revisions, units_of

# Cycles draw from streams beyond those of the forward search and its revisions.
_FIRST_STEP = 3_000_000
_DIGITS = 9


class Floating(BaseEstimator):  # type: ignore[misc]
    """A forward search that goes on in cycles: the least missed features are removed, then the best ones added.

    A cycle stays where the subset at its end is no smaller, and leaves less of the target unexplained than any
    subset of its size before; the first that does not ends the search. So it never ends with a subset worse than
    that of a forward search of the same size (after Pudil, Novovičová and Kittler 1994). Additions are tested.

    Parameters
    ----------
    add : int, default=1
        Most features to add in a cycle.
    remove : int, default=1
        Features to remove in a cycle.

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

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return error_rate_of_steps(method)

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield the steps of the forward search, then those of each cycle that stays."""
        added = yield from additions(problem, tests, decided)
        known = _BestKnown(problem, tests)
        for size in range(len(added) + 1):
            known.add(_flat(added[:size]))
        selected = _flat(added)
        for cycle in itertools.count():
            steps, after = self._cycle(problem, tests, selected, cycle)
            if len(after) < len(selected) or not known.is_beaten_by(after):
                break
            yield from steps
            known.add(after)
            selected = after
        together = [units for units in added if set(units) <= set(selected)]
        alone = [[unit] for unit in selected if unit not in _flat(together)]
        yield from revisions(problem, tests, [*together, *alone])

    def _cycle(
        self, problem: Problem, tests: Tests, selected: Sequence[Unit], cycle: int
    ) -> tuple[list[Step], list[Unit]]:
        """Return the steps of a cycle, and what is selected after it."""
        numbers = itertools.count(_FIRST_STEP + cycle * (int(self.add) + int(self.remove)))
        steps, left = [], list(selected)
        for _ in range(min(int(self.remove), len(left))):
            least = _least_missed(problem, tests, left)
            step = tests.remove([*problem.kept, *left], [least], next(numbers))
            steps.append(replace(step, accepted=True))
            left.remove(least)
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


def _flat(added: Sequence[Sequence[Unit]]) -> list[Unit]:
    return [unit for units in added for unit in units]


def _least_missed(problem: Problem, tests: Tests, members: Sequence[Unit]) -> Unit:
    """Return the member without which the others leave least unexplained."""

    def need(unit: Unit) -> tuple[float, bytes]:
        others = [*problem.kept, *(other for other in members if other != unit)]
        return round(tests.unexplained(others), _DIGITS), problem.table.digest(unit)

    return min(members, key=need)


class _BestKnown:
    """How much the best subset of each size that was seen leaves unexplained."""

    def __init__(self, problem: Problem, tests: Tests) -> None:
        self._problem, self._tests = problem, tests
        self._least: dict[int, float] = {}

    def add(self, selected: Sequence[Unit]) -> None:
        """Take a subset into account."""
        self._least[len(selected)] = min(self._least.get(len(selected), math.inf), self._unexplained(selected))

    def is_beaten_by(self, selected: Sequence[Unit]) -> bool:
        """Tell whether a subset is better than all of its size."""
        return self._unexplained(selected) < self._least.get(len(selected), math.inf)

    def _unexplained(self, selected: Sequence[Unit]) -> float:
        return round(self._tests.unexplained([*self._problem.kept, *selected]), _DIGITS)
