"""A backward search: starts from all features and removes the least needed while the test says that it can go."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from sklearn.base import BaseEstimator

from infosift.results.steps import Step
from infosift.search.base import Decisions, Method, Problem, Tests
from infosift.search.forward import error_rate_of_steps, units_of


class Backward(BaseEstimator):  # type: ignore[misc]
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
    is_conditional: ClassVar[bool] = True

    def check(self) -> None:
        """Refuse nothing: there are no parameters."""

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return error_rate_of_steps(method)

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield a step for each removal, and the one that finds that all others are needed."""
        members, settings = problem.candidates, problem.settings
        for number in itertools.count():
            size = len(problem.kept) + len(members)
            if not members or size <= settings.min_features:
                return
            # In an order that does not depend on the columns': regressions cut and add up in it.
            subset = [*problem.kept, *sorted(members, key=problem.table.digest)]
            step = decided[number] if number < len(decided) else tests.remove(subset, members, number)
            if not step.accepted and settings.max_features is not None and size > settings.max_features:
                step = replace(step, accepted=True)
            yield step
            if not step.accepted:
                return
            gone = units_of(problem.table, step)
            members = [unit for unit in members if unit not in gone]
