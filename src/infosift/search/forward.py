"""A forward search: adds the best candidate while the test says that it adds, then looks at the whole again."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence

from infosift.data.feature_groups import Unit
from infosift.data.table import Table
from infosift.results.steps import Step
from infosift.search.backward import Removals
from infosift.search.base import Decisions, Problem, Tests
from infosift.search.replacement import Replacements


def forward(problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
    """Yield each decision as soon as it is made, steps that were decided earlier first."""
    added = yield from additions(problem, tests, decided)
    if not tests.revises:
        return
    selected = [unit for units in added for unit in units]
    pairs = [(units[0], units[1]) for units in added if len(units) == 2]
    partners = dict(pairs) | {second: first for first, second in pairs}
    selected = yield from Replacements(problem, tests).of(selected)
    yield from Removals(problem, tests, selected, partners)


def additions(
    problem: Problem, tests: Tests, decided: Sequence[Step] = ()
) -> Generator[Step, None, list[list[Unit]]]:
    """Yield steps until one is rejected or no candidate is left; return the units that each step added."""
    remaining, most = problem.candidates, problem.settings.max_features
    least_left = 0 if most is None else max(0, len(remaining) - (most - len(problem.kept)))
    added: list[list[Unit]] = []
    for number in itertools.count():
        if len(remaining) <= least_left:
            break
        subset = [*problem.kept, *(unit for units in added for unit in units)]
        room = len(remaining) - least_left
        step = decided[number] if number < len(decided) else tests.add(subset, remaining, number, room)
        yield step
        if not step.accepted:
            break
        added.append(_units_of(problem.table, step))
        remaining = [unit for unit in remaining if unit not in added[-1]]
    return added


def _units_of(table: Table, step: Step) -> list[Unit]:
    """Return what a step added; of a pair, in an order that does not depend on the columns'."""
    return [unit for unit in sorted(table.units, key=table.digest) if set(unit.columns) <= set(step.columns)]
