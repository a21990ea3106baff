"""Verdicts on all features, the information of each alone, and how much of the target is explained."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.stats import norm

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Value
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.prepare import complete_rows
from infosift.data.targets import TargetKind
from infosift.engines.base import Engine, Question, ThreadEngine, join_columns
from infosift.inference.diagnostics import corrected_for_selection, critical_value, smallest_detectable_correlation
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.permutation import interval_of_p
from infosift.results import Explained, Selection, Step, Verdict
from infosift.search.base import Phase, Problem, Tests, columns_of

_COLUMNS_AT_ONCE = 16
# Of a longer table, so many rows are enough to estimate the information of all selected features.
_MOST_ROWS = 4_000
# The critical value of a feature that was not selected but kept: it may have any effect.
_UNSELECTED = -10.0
# A verdict that is not decided yet.
_UNJUDGED = "undecided"


def verdicts(problem: Problem, tests: Tests, selection: Selection) -> tuple[Verdict, ...]:
    """Judge each feature: selected, redundant, not shown or undecided; none where candidates have no p-values.

    A verdict rests on the test by which the feature was selected, or else on that of the feature alone.
    """
    first = _marginal_step(problem, tests, selection.steps)
    if first is None or not len(first.candidate_p_values):
        return ()
    names, alpha, search = problem.table.names, problem.settings.alpha, problem.search
    selected = [i for i in selection.indices if names[i] not in problem.settings.keep]
    marginal = _tests_of_candidates(problem, first, lambda unit: problem.settings.keep)
    tested = _tests_of_members(problem, selection) if search.starts_full else _tests_passed(problem, selection)
    dropped = set() if search.starts_full else {i for i in tested if i not in selected}
    informative = {
        i for i, alone in marginal.items() if i not in selected and (i in dropped or alone.p_value <= alpha)
    }
    # Where the search stopped at max_features, the others were not tested conditional on those selected.
    all_tested = search.starts_full or len(selection.accepted) < len(selection.steps)
    settled = [i for i in sorted(informative) if all_tested or i in dropped] if search.is_conditional else []
    carriers = _carriers(settled, selected, problem, tests)
    judged = []
    for i, alone in sorted(marginal.items()):
        may_pass = i in informative or _may_be_significant(alone.p_value, first.candidate_permutations, alpha)
        left_out = "redundant" if carriers.get(i) else "undecided" if may_pass else "not shown"
        verdict = "selected" if i in selected else left_out
        judged.append(replace(tested.get(i, alone), verdict=verdict, redundant_with=carriers.get(i, ())))
    return tuple(judged)


def _marginal_step(problem: Problem, tests: Tests, steps: Sequence[Step]) -> Step | None:
    """Return the step that tested each candidate conditional on no more than the features kept."""
    if problem.search.starts_full:
        candidates = problem.candidates if problem.method.adjusted else []
        return tests.add(problem.kept, candidates, Phase.MARGINAL.stream(0), 1) if candidates else None
    return steps[0] if steps else None


def detectable_correlation(problem: Problem, n_rows: int, steps: Sequence[Step]) -> float | None:
    """Return the smallest rank correlation that the first step detects in eight of ten tables like this one.

    None where p-values are not adjusted, and where rows depend on each other, as with row groups and in series:
    rows that are alike are worth fewer independent ones, as are censored times.
    """
    has_dependent_rows = problem.table.row_groups is not None or not problem.method.shuffles_rows
    if not steps or has_dependent_rows or problem.table.target.is_censored:
        return None
    level = problem.settings.alpha * problem.method.alpha_shares[0][1]
    return smallest_detectable_correlation(steps[0].candidate_null, n_rows, level)


def _tests_of_candidates(
    problem: Problem, step: Step, given: Callable[[FeatureUnit], tuple[str, ...]]
) -> dict[int, Verdict]:
    """Return the test of each column among the candidates of a step; those of a feature group share theirs."""
    names, units = problem.table.names, {unit.columns[0]: unit for unit in problem.table.units}
    p_values = zip(step.candidate_p_values.tolist(), step.candidate_unadjusted_p_values.tolist(), strict=True)
    return {
        i: Verdict(names[i], _UNJUDGED, adjusted, (), unadjusted, len(step.candidates), given(units[column]))
        for column, (adjusted, unadjusted) in zip(step.candidates, p_values, strict=True)
        for i in units[column].columns
    }


def _tests_of_members(problem: Problem, selection: Selection) -> dict[int, Verdict]:
    """Return the last test of each column conditional on the others, after a backward search."""
    if not selection.steps or selection.steps[-1].accepted:
        return {}
    names, selected = problem.table.names, sorted(selection.indices)

    def others(unit: FeatureUnit) -> tuple[str, ...]:
        return tuple(names[i] for i in selected if i not in unit.columns)

    return _tests_of_candidates(problem, selection.steps[-1], others)


def _tests_passed(problem: Problem, selection: Selection) -> dict[int, Verdict]:
    """Return the test by which each column was selected, if only for a time."""
    names, keep = problem.table.names, problem.settings.keep
    passed: dict[int, Verdict] = {}
    selected, n_candidates = list(keep), len(selection.steps[0].candidates)
    for step in selection.accepted:
        members = [names[i] for i in step.columns]
        if step.action == "remove":
            selected = [name for name in selected if name not in members]
            continue
        given = tuple(selected) if problem.search.is_conditional else keep
        number = len(step.candidates) or n_candidates
        for i, name in zip(step.columns, members, strict=True):
            passed[i] = Verdict(name, _UNJUDGED, step.p_value, (), step.unadjusted_p_value, number, given)
        selected += members
    for replacement in selection.replacements:
        name, p_value = replacement.feature, replacement.p_value
        selected = [other for other in selected if other not in replacement.replaced]
        passed[names.index(name)] = Verdict(name, _UNJUDGED, p_value, (), p_value, 1, tuple(selected))
        selected.append(name)
    return passed


def _may_be_significant(p_value: float, n_permutations: int, alpha: float) -> bool:
    """Tell whether the p-value that all permutations would give may be as small as alpha."""
    return interval_of_p(round(p_value * (1 + n_permutations)) - 1, n_permutations)[0] <= alpha


def _carriers(
    columns: list[int], selected: list[int], problem: Problem, tests: Tests
) -> dict[int, tuple[str, ...]]:
    """Return the selected features that carry the information of each column: the best, others half as good."""
    if not selected or not columns:
        return {}
    table, engine = problem.table, tests.engine
    located = engine.distribute(table.columns)
    items = [located.locate(columns[run]) for run in located.runs(columns, _COLUMNS_AT_ONCE)]
    parts = engine.map(_scores_about, items, table.columns[selected], problem.criterion, tests.values)
    carriers = {}
    for column, scores in zip(columns, np.concatenate(list(parts)), strict=True):
        order = np.argsort(-scores, kind="stable")
        best = [i for i in order if scores[i] >= scores[order[0]] / 2 > 0]
        carriers[column] = tuple(table.names[selected[i]] for i in best)
    return carriers


def _scores_about(
    pieces: tuple[tuple[FloatArray, IntArray], ...],
    selected: FloatArray,
    criterion: Criterion,
    values: tuple[Value, ...],
) -> FloatArray:
    """Score how informative each selected column is about each of the others (others x selected)."""
    targets = join_columns(pieces)[:, None]
    questions = [Question(selected, selected[:0], target, rows=complete_rows(target)) for target in targets]
    scores = criterion.score(questions, values, ThreadEngine(1))
    return np.asarray(np.stack(scores).mean(axis=2))


def information_alone(problem: Problem, tests: Tests, engine: Engine, verdicts: Sequence[Verdict]) -> FloatArray:
    """Return the information of each feature alone; NaN for those not shown, whose estimates would be noise."""
    table = problem.table
    not_shown = {one.feature for one in verdicts if one.verdict == "not shown"}
    columns = [i for i in columns_of([*problem.kept, *problem.candidates]) if table.names[i] not in not_shown]
    information = np.full(len(table.names), np.nan)
    if columns:
        is_sampled = tests.n_rows < table.n_rows  # as the tests did, of a long table
        rows = sample_rows(table.n_rows, 0, table.row_groups, tests.n_rows) if is_sampled else None
        question = Question(
            table.distance_columns, table.distance_columns[:0], table.distance_target, columns, rows
        )
        information[columns] = problem.criterion.score([question], tests.values, engine)[0].mean(axis=1)
    return information


def explained_by(problem: Problem, tests: Tests, engine: Engine, selection: Selection) -> Explained | None:
    """Return how much of the target the selected features explain together; None where there is no such number.

    What each adds to those before is corrected for its selection, in standard errors of the correlation that such
    information amounts to (Fisher's transform). The limits are combined as those of a sum of independent effects
    (MOVER; Zou and Donner 2008).
    """
    criterion, columns = problem.criterion, list(selection.indices)
    target = problem.table.target
    has_share = len(target.kinds) == 1 and not target.is_censored
    if not columns or not has_share or (criterion.measure, criterion.unit) != ("mutual information", "nats"):
        return None
    table = problem.table.take(complete_rows(problem.table.columns[columns]))
    if table.n_rows < max(criterion.fewest_rows(value) for value in tests.values):
        return None
    # Rows of a group are alike, and worth about one.
    scale = math.sqrt(max(1, len(set(range(table.n_rows) if table.row_groups is None else table.row_groups)) - 3))
    table = table.take(sample_rows(table.n_rows, 0, table.row_groups, _MOST_ROWS))
    units = [unit for unit in table.units if not set(columns).isdisjoint(unit.columns)]
    units = sorted(
        [*problem.kept, *units], key=lambda unit: min(columns.index(i) for i in unit.columns if i in columns)
    )
    critical, (column,), (kind,) = _critical_values(problem, selection), table.target.columns, table.target.kinds
    # The tests fitted most of these, unless they take other rows.
    regressions = [
        tests.regression(table, columns_of(units[:size]))
        or KernelRidge(table.columns[columns_of(units[:size])], engine, row_groups=table.row_groups)
        for size in range(1, len(units) + 1)
    ]
    found = []
    for reading, own in kind.readings(column):
        added = np.diff(
            [0.0, *np.maximum.accumulate([max(0.0, _information(reading, own, one)) for one in regressions])]
        )
        effects = scale * np.arccosh(np.exp(added))  # of a correlation r, the information is log cosh(atanh r)
        corrected = [
            corrected_for_selection(effect, critical.get(unit.columns[0], _UNSELECTED))
            for effect, unit in zip(effects.tolist(), units, strict=True)
        ]
        estimates, lows, highs = np.log(np.cosh(np.array(corrected).T / scale))
        total, below, above = estimates.sum(), math.hypot(*(estimates - lows)), math.hypot(*(highs - estimates))
        shares = tuple(count / len(own) for count in reading.class_counts(own))
        found.append(
            Explained(information=total, class_shares=shares, low=max(0.0, total - below), high=total + above)
        )
    return max(found, key=lambda one: one.share)


def _information(kind: TargetKind, column: FloatArray, regression: KernelRidge) -> float:
    """Return the information of predictions: the mean of that of rows left out, too low, and of the fit, too high.

    To first order, the one is as much too low as the other is too high: by the degrees of freedom over 2 n.
    """
    return float(
        np.mean([kind.information(column, partial(regression.predict, left_out=left)) for left in (True, False)])
    )


def _critical_values(problem: Problem, selection: Selection) -> dict[int, float]:
    """Return how many standard errors of a correlation it took to select each column, by its first."""
    level = problem.settings.alpha * problem.method.alpha_shares[0][1]
    n_rows = selection.n_rows_tested or selection.n_rows
    values: dict[int, float] = {}
    for step in selection.steps:
        null, number = step.candidate_null, len(step.candidates) or len(problem.candidates)
        own = critical_value(null, n_rows, level) if len(null) else float(norm.isf(level / number / 2))
        values |= dict.fromkeys(step.columns, own) if step.accepted else {}
    first = next(iter(values.values()), _UNSELECTED)
    return {unit.columns[0]: values.get(unit.columns[0], first) for unit in problem.candidates}
