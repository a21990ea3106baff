"""Verdicts on all features, the information of each alone, and how much of the target is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.criteria.base import Value
from infosift.data.groups import sample_rows
from infosift.data.prepare import complete_rows
from infosift.engines.base import Engine, Question, join_columns
from infosift.engines.threads import ThreadEngine
from infosift.inference.diagnostics import smallest_detectable_correlation
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.permutation import interval_of_p
from infosift.results.selection import Explained, Selection
from infosift.results.steps import Step, Verdict
from infosift.search.base import Phase, Problem, Tests, columns_of

_COLUMNS_AT_ONCE = 16
_MOST_ROWS = 10_000
_MOST_CLASSES = 50


def verdicts(problem: Problem, tests: Tests, selection: Selection) -> tuple[Verdict, ...]:
    """Return what was found about each feature; nothing where candidates have no p-values of their own."""
    first = _first_step(problem, tests, selection.steps)
    if first is None or not len(first.candidate_p_values):
        return ()
    names, alpha = problem.table.names, problem.settings.alpha
    selected = [i for i in selection.indices if names[i] not in problem.settings.keep]
    tested = _tests_left(problem, selection) if problem.search.starts_full else _tests_passed(problem, selection)
    dropped = set() if problem.search.starts_full else {i for i in tested if i not in selected}
    # Where the search stopped at max_features, the others were not tested conditional on those selected.
    all_tested = problem.search.starts_full or len(selection.accepted) < len(selection.steps)
    by_column = _tests_alone(problem, first)
    informative = {
        i for i, alone in by_column.items() if i not in selected and (i in dropped or alone.p_value <= alpha)
    }
    asked = [i for i in sorted(informative) if all_tested or i in dropped] if problem.search.is_conditional else []
    carriers = _carriers_of(asked, selected, problem, tests)
    said: dict[int, Verdict] = {}
    for i, alone in by_column.items():
        related = carriers.get(i, ())
        may_pass = i in informative or _may_be_significant(alone.p_value, first.candidate_permutations, alpha)
        left_out = "redundant" if related else "undecided" if may_pass else "irrelevant"
        verdict = "selected" if i in selected else left_out
        said[i] = tested.get(i, alone).verdict(names[i], verdict, related)
    return tuple(said[i] for i in sorted(said))


def _first_step(problem: Problem, tests: Tests, steps: Sequence[Step]) -> Step | None:
    """Return the step that tested each candidate beside no more than what is kept."""
    if problem.search.starts_full:
        candidates = problem.candidates if problem.method.adjusted else []
        return tests.add(problem.kept, candidates, Phase.MARGINAL.stream(0), 1) if candidates else None
    return steps[0] if steps else None


def detectable_correlation(problem: Problem, n_rows: int, steps: Sequence[Step]) -> float | None:
    """Return the smallest rank correlation that the first step finds in eight of ten tables like this one.

    None where nothing is adjusted for, and where rows depend on each other, as with row groups and in series:
    rows that are alike are worth fewer independent ones.
    """
    if not steps or problem.table.row_groups is not None or not problem.method.shuffles_rows:
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


def _tests_left(problem: Problem, selection: Selection) -> dict[int, _Test]:
    """Return the test by which each column was found to be needed beside the others, after a backward search."""
    if not selection.steps or selection.steps[-1].accepted:
        return {}
    last, names, selected = selection.steps[-1], problem.table.names, set(selection.indices)
    units = {unit.columns[0]: unit for unit in problem.table.units}
    return {
        i: _Test(p_value, unadjusted, len(last.candidates), _named(names, selected - {*units[column].columns}))
        for column, p_value, unadjusted in zip(
            last.candidates, last.candidate_p_values, last.candidate_unadjusted_p_values, strict=True
        )
        for i in units[column].columns
    }


def _named(names: Sequence[str], columns: set[int]) -> tuple[str, ...]:
    return tuple(names[i] for i in sorted(columns))


def _tests_passed(problem: Problem, selection: Selection) -> dict[int, _Test]:
    """Return the test by which each column was selected, if only for a time."""
    names = problem.table.names
    passed: dict[int, _Test] = {}
    selected = list(problem.settings.keep)
    n_candidates = len(selection.steps[0].candidates)
    for step in (step for step in selection.steps if step.accepted):
        if step.action == "remove":
            selected = [name for name in selected if names.index(name) not in step.columns]
            continue
        given = tuple(selected) if problem.search.is_conditional else problem.settings.keep
        test = _Test(step.p_value, step.unadjusted_p_value, len(step.candidates) or n_candidates, given)
        passed |= dict.fromkeys(step.columns, test)
        selected += [names[i] for i in step.columns]
    for replacement in selection.replacements:
        selected = [name for name in selected if name not in replacement.replaced]
        p_value = replacement.p_value
        passed[names.index(replacement.feature)] = _Test(p_value, p_value, 1, tuple(selected))
        selected.append(replacement.feature)
    return passed


def _may_be_significant(p_value: float, n_permutations: int, alpha: float) -> bool:
    """Tell whether the p-value that all permutations would give may be as small as alpha."""
    return interval_of_p(round(p_value * (1 + n_permutations)) - 1, n_permutations)[0] <= alpha


def _carriers_of(
    columns: list[int], selected: list[int], problem: Problem, tests: Tests
) -> dict[int, tuple[str, ...]]:
    """Return the selected features that are informative about each feature: the best, and others half as good."""
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
    """Return how informative each of the selected columns is about each of some others (others x selected)."""
    targets = join_columns(pieces)[:, None]
    questions = [Question(selected, selected[:0], target, rows=complete_rows(target)) for target in targets]
    scores = criterion.score(questions, values, ThreadEngine(1))
    return np.asarray(np.stack(scores).mean(axis=2))


def information_alone(problem: Problem, tests: Tests, engine: Engine, verdicts: Sequence[Verdict]) -> FloatArray:
    """Return the information of each feature alone; NaN for irrelevant ones, whose estimates would be noise."""
    table = problem.table
    irrelevant = {said.feature for said in verdicts if said.verdict == "irrelevant"}
    asked = [i for i in columns_of([*problem.kept, *problem.candidates]) if table.names[i] not in irrelevant]
    information = np.full(len(table.names), np.nan)
    if asked:
        question = Question(table.distance_columns, table.distance_columns[:0], table.distance_target, asked)
        scores = problem.criterion.score([question], tests.values, engine)[0]
        information[asked] = scores.mean(axis=1)
    return information


def explained_by(problem: Problem, tests: Tests, engine: Engine, columns: Sequence[int]) -> Explained | None:
    """Return how much of the target some features explain together; None where there is no such number."""
    criterion, several = problem.criterion, len(problem.table.target.kinds) > 1
    if not columns or several or (criterion.measure, criterion.unit) != ("mutual information", "nats"):
        return None
    table = problem.table.take(complete_rows(problem.table.columns[list(columns)]))
    if table.n_rows < max(criterion.fewest_rows(value) for value in tests.values):
        return None
    table = table.take(sample_rows(table.n_rows, 0, table.row_groups, _MOST_ROWS))
    *given, last = columns
    question = Question(table.distance_columns[[last]], table.distance_columns[given], table.distance_target)
    by_criterion = float(np.mean(criterion.score([question], tests.values, engine)[0]))
    regression = KernelRidge(table.columns[list(columns)], engine, row_groups=table.row_groups)
    (column,), (kind,) = table.target.columns, table.target.kinds
    by_regression = kind.information(column, regression.predict)
    shares = tuple(count / len(column) for count in kind.class_counts(column))
    return Explained(information=max(0.0, by_criterion, by_regression), class_shares=shares)
