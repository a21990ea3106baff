"""Stepwise searches: forward, which adds the best feature while it is significant, and backward, which removes."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import ClassVar

from sklearn.base import BaseEstimator

from infosift.data.groups import FeatureUnit
from infosift.results.steps import Step
from infosift.search.base import Decisions, Method, Phase, Problem, Tests, Units, units_of, without
from infosift.search.pruning import Removals, Replacements


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

    Examples
    --------
    >>> from infosift import Forward, MutualInfoSelector
    >>> MutualInfoSelector(search=Forward()).search
    Forward()
    """

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield each decision as soon as it is made; steps that were decided earlier are not tested again."""
        added = yield from additions(problem, tests, decided)
        yield from revisions(problem, tests, added)


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
        for number in itertools.count():
            size = len(problem.kept) + len(members)
            if not members or size <= settings.min_features:
                return
            # In an order that does not depend on the columns': regressions truncate and add up in it.
            subset = [*problem.kept, *sorted(members, key=problem.table.digest)]
            stream = Phase.SEARCH.stream(number)
            step = decided[number] if number < len(decided) else tests.remove(subset, members, stream)
            if not step.accepted and settings.max_features is not None and size > settings.max_features:
                step = replace(step, accepted=True)
            yield step
            if not step.accepted:
                return
            members = without(members, units_of(problem.table, step))


def additions(
    problem: Problem, tests: Tests, decided: Sequence[Step] = ()
) -> Generator[Step, None, list[list[FeatureUnit]]]:
    """Yield steps until one is rejected or no slot is left; return the units that each step added."""
    settings = problem.settings
    added: list[list[FeatureUnit]] = []
    for number in itertools.count():
        selected = [unit for units in added for unit in units]
        if (slots := slots_left(problem, selected)) <= 0:
            break
        subset, remaining = [*problem.kept, *selected], without(problem.candidates, selected)
        stream = Phase.SEARCH.stream(number)
        step = decided[number] if number < len(decided) else tests.add(subset, remaining, stream, slots)
        if not step.accepted and len(subset) < settings.min_features:
            # One at a time: a pair that does not pass could be one too many.
            single = step if len(units_of(problem.table, step)) == 1 else tests.add(subset, remaining, stream, 1)
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
    selected = [unit for units in added for unit in units]
    pairs = [(units[0], units[1]) for units in added if len(units) == 2]
    partners = dict(pairs) | {second: first for first, second in pairs}
    selected = yield from Replacements(problem, tests).of(selected)
    yield from Removals(problem, tests, selected, partners)
