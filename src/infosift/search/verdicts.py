"""A verdict for every feature that could be selected: selected, redundant, irrelevant or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infosift.criteria.base import Value
from infosift.data.gaps import whole_rows_of
from infosift.engines.base import Engine, Question
from infosift.results.steps import Removal, Replacement, Step, Verdict
from infosift.search.base import Problem
from infosift.significance.detectable import smallest_detectable_correlation
from infosift.significance.permutation import interval_of_p


def verdicts(
    problem: Problem,
    values: tuple[Value, ...],
    engine: Engine,
    steps: Sequence[Step],
    replacements: Sequence[Replacement],
    removals: Sequence[Removal],
) -> tuple[Verdict, ...]:
    """Return what was found about each feature; nothing where candidates have no p-values of their own."""
    if not steps or not len(steps[0].candidate_p_values):
        return ()
    names, alpha = problem.table.names, problem.settings.alpha
    tested = _tests_passed(problem, steps, replacements)
    gone = [name for removal in removals for name in removal.features]
    gone += [name for replacement in replacements for name in replacement.replaced]
    dropped = {names.index(name) for name in gone}
    selected = [i for i in tested if i not in dropped]
    # Where the search stopped at max_features, the others were not tested conditional on those selected.
    all_tested = not steps[-1].accepted
    said: dict[int, Verdict] = {}
    for i, alone in _tests_alone(problem, steps[0]).items():
        verdict = "selected"
        related: tuple[str, ...] = ()
        if i not in selected:
            informative = i in dropped or alone.p_value <= alpha
            if informative and (all_tested or i in dropped):
                related = _carriers_of(i, selected, problem, values, engine)
            may_pass = informative or _may_be_significant(alone.p_value, steps[0].candidate_permutations, alpha)
            verdict = "redundant" if related else "undecided" if may_pass else "irrelevant"
        said[i] = tested.get(i, alone).verdict(names[i], verdict, related)
    return tuple(said[i] for i in sorted(said))


def detectable_correlation(problem: Problem, n_rows: int, steps: Sequence[Step]) -> float | None:
    """Return the smallest rank correlation that the first step finds in eight of ten tables like this one.

    None where nothing is adjusted for, and with row groups: how much a group tells depends on its rows' likeness.
    """
    if not steps or problem.table.row_groups is not None:
        return None
    level = problem.settings.alpha * problem.method.alpha_shares[0][1]
    return smallest_detectable_correlation(steps[0].candidate_null, n_rows, level)


@dataclass(frozen=True)
class _Test:
    """The test that a verdict rests on."""

    p_value: float
    unadjusted: float | None
    n_candidates: int
    given: tuple[str, ...]

    def verdict(self, name: str, verdict: str, related: tuple[str, ...]) -> Verdict:
        return Verdict(name, verdict, self.p_value, related, self.unadjusted, self.n_candidates, self.given)


def _tests_alone(problem: Problem, first: Step) -> dict[int, _Test]:
    """Return the test of each column in the first step; those of a group share theirs."""
    units = {unit.columns[0]: unit for unit in problem.table.units}
    both = zip(first.candidate_p_values.tolist(), first.candidate_unadjusted_p_values.tolist(), strict=True)
    count, given = len(first.candidates), problem.settings.keep
    return {
        i: _Test(p_value, unadjusted, count, given)
        for column, (p_value, unadjusted) in zip(first.candidates, both, strict=True)
        for i in units[column].columns
    }


def _tests_passed(
    problem: Problem, steps: Sequence[Step], replacements: Sequence[Replacement]
) -> dict[int, _Test]:
    """Return the test by which each column was selected, if only for a time."""
    names = problem.table.names
    passed: dict[int, _Test] = {}
    selected = list(problem.settings.keep)
    for step in (step for step in steps if step.accepted):
        test = _Test(step.p_value, step.unadjusted_p_value, len(step.candidates), tuple(selected))
        passed |= dict.fromkeys(step.columns, test)
        selected += [names[i] for i in step.columns]
    for replacement in replacements:
        selected = [name for name in selected if name not in replacement.replaced]
        p_value = replacement.p_value
        passed[names.index(replacement.feature)] = _Test(p_value, p_value, 1, tuple(selected))
        selected.append(replacement.feature)
    return passed


def _may_be_significant(p_value: float, n_permutations: int, alpha: float) -> bool:
    """Tell whether the p-value that all permutations would give may be as small as alpha."""
    return interval_of_p(round(p_value * (1 + n_permutations)) - 1, n_permutations)[0] <= alpha


def _carriers_of(
    column: int, selected: list[int], problem: Problem, values: tuple[Value, ...], engine: Engine
) -> tuple[str, ...]:
    """Return the selected features that are informative about a feature: the best, and others half as good."""
    if not selected:
        return ()
    columns = problem.table.columns
    known = whole_rows_of(columns[[column]])
    question = Question(columns, columns[:0], columns[[column]], selected, known)
    scores = problem.criterion.score([question], values, engine)[0].mean(axis=1)
    order = np.argsort(-scores, kind="stable")
    carriers = [i for i in order if scores[i] >= scores[order[0]] / 2 > 0]
    return tuple(problem.table.names[selected[i]] for i in carriers)
