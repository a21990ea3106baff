"""A verdict for every feature that could be selected: selected, redundant, irrelevant or undecided."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.engines.base import Engine, Question
from infosift.results.steps import Removal, Replacement, Step, Verdict
from infosift.search.base import Problem
from infosift.significance.permutation import interval_of_p


def verdicts(
    problem: Problem,
    values: tuple[int, ...],
    engine: Engine,
    steps: Sequence[Step],
    replacements: Sequence[Replacement],
    removals: Sequence[Removal],
) -> tuple[Verdict, ...]:
    """Return what was found about each feature; nothing where candidates have no p-values of their own."""
    if not steps or not len(steps[0].candidate_p_values):
        return ()
    names = problem.table.names
    selected, dropped = _selected_and_dropped(names, steps, replacements, removals)
    units = {unit.columns[0]: unit for unit in problem.table.units}
    # Where the search stopped at max_features, the others were not tested conditional on those selected.
    all_tested = not steps[-1].accepted
    said: dict[int, Verdict] = {}
    for first, p_alone in zip(steps[0].candidates, steps[0].candidate_p_values.tolist(), strict=True):
        may_pass = _may_be_significant(p_alone, steps[0].candidate_permutations, problem.settings.alpha)
        for i in units[first].columns:
            if i in selected:
                said[i] = Verdict(names[i], "selected", selected[i])
                continue
            informative = i in dropped or p_alone <= problem.settings.alpha
            related: tuple[str, ...] = ()
            if informative and (all_tested or i in dropped):
                related = _carriers_of(i, list(selected), problem, values, engine)
            verdict = "redundant" if related else "undecided" if informative or may_pass else "irrelevant"
            said[i] = Verdict(names[i], verdict, p_alone, related)
    return tuple(said[i] for i in sorted(said))


def _selected_and_dropped(
    names: tuple[str, ...],
    steps: Sequence[Step],
    replacements: Sequence[Replacement],
    removals: Sequence[Removal],
) -> tuple[dict[int, float], set[int]]:
    """Return the selected features with their p-values, and those that were selected once and no longer are."""
    p_values = {i: step.p_value for step in steps if step.accepted for i in step.columns}
    p_values |= {names.index(replacement.feature): replacement.p_value for replacement in replacements}
    gone = [name for removal in removals for name in removal.features]
    gone += [name for replacement in replacements for name in replacement.replaced]
    dropped = {names.index(name) for name in gone}
    return {i: p_value for i, p_value in p_values.items() if i not in dropped}, dropped


def _may_be_significant(p_value: float, n_permutations: int, alpha: float) -> bool:
    """Tell whether the p-value that all permutations would give may be as small as alpha."""
    return interval_of_p(round(p_value * (1 + n_permutations)) - 1, n_permutations)[0] <= alpha


def _carriers_of(
    column: int, selected: list[int], problem: Problem, values: tuple[int, ...], engine: Engine
) -> tuple[str, ...]:
    """Return the selected features that are informative about a feature: the best, and others half as good."""
    if not selected:
        return ()
    columns = problem.table.columns
    question = Question(columns, columns[:0], columns[[column]], selected)
    scores = problem.criterion.score([question], values, engine)[0].mean(axis=1)
    order = np.argsort(-scores, kind="stable")
    carriers = [i for i in order if scores[i] >= scores[order[0]] / 2 > 0]
    return tuple(problem.table.names[selected[i]] for i in carriers)
