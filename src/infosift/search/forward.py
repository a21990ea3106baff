"""A forward search: adds the best candidate while the test says that it adds, then looks at the whole again."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import ClassVar

from sklearn.base import BaseEstimator

from infosift.data.groups import FeatureUnit
from infosift.data.table import Table
from infosift.results.steps import Step
from infosift.search.base import Decisions, Method, Problem, Tests
from infosift.search.pruning import Removals, Replacements


class Forward(BaseEstimator):  # type: ignore[misc]
    """Add the best feature while the test says that it adds: the search of the paper, and the default.

    With the calibrated method, features that others replace are removed at the end.

    Examples
    --------
    >>> from infosift import Forward, MutualInfoSelector
    >>> MutualInfoSelector(search=Forward()).search
    Forward()
    """

    starts_full: ClassVar[bool] = False
    is_conditional: ClassVar[bool] = True

    def check(self) -> None:
        """Refuse nothing: there are no parameters."""

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return error_rate_of_steps(method)

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield each decision as soon as it is made, steps that were decided earlier first."""
        added = yield from additions(problem, tests, decided)
        yield from revisions(problem, tests, added)


def error_rate_of_steps(method: Method) -> str:
    """Return what alpha bounds where a step tests the best of all candidates."""
    return "family-wise error" if method.adjusted else ""


def additions(
    problem: Problem, tests: Tests, decided: Sequence[Step] = ()
) -> Generator[Step, None, list[list[FeatureUnit]]]:
    """Yield steps until one is rejected or no candidate is left; return the units that each step added."""
    remaining, settings = problem.candidates, problem.settings
    least_left = most_left_out(problem)
    added: list[list[FeatureUnit]] = []
    for number in itertools.count():
        if len(remaining) <= least_left:
            break
        subset = [*problem.kept, *(unit for units in added for unit in units)]
        room = len(remaining) - least_left
        step = decided[number] if number < len(decided) else tests.add(subset, remaining, number, room)
        if not step.accepted and len(subset) < settings.min_features:
            # One at a time: a pair that does not pass could be one too many.
            single = step if len(units_of(problem.table, step)) == 1 else tests.add(subset, remaining, number, 1)
            step = replace(single, accepted=True)
        yield step
        if not step.accepted:
            break
        added.append(units_of(problem.table, step))
        is_past_the_test = not step.significant and len(subset) < settings.min_features
        if is_past_the_test and len(subset) + len(added[-1]) >= settings.min_features:
            break
        remaining = [unit for unit in remaining if unit not in added[-1]]
    return added


def most_left_out(problem: Problem) -> int:
    """Return how many candidates must be left where ``max_features`` is reached."""
    most = problem.settings.max_features
    return 0 if most is None else max(0, len(problem.candidates) - (most - len(problem.kept)))


def units_of(table: Table, step: Step) -> list[FeatureUnit]:
    """Return what a step is about; of a pair, in an order that does not depend on the columns'."""
    columns = set(step.columns)
    return sorted((unit for unit in table.units if columns.issuperset(unit.columns)), key=table.digest)


def revisions(problem: Problem, tests: Tests, added: Sequence[Sequence[FeatureUnit]]) -> Decisions:
    """Yield what is replaced and removed at the end, where the method asks again about what was added."""
    if not tests.revises:
        return
    selected = [unit for units in added for unit in units]
    pairs = [(units[0], units[1]) for units in added if len(units) == 2]
    partners = dict(pairs) | {second: first for first, second in pairs}
    selected = yield from Replacements(problem, tests).of(selected)
    yield from Removals(problem, tests, selected, partners)
