"""The information of single features, and of the selected ones together, which bounds what any model can do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import entr

from infosift.arrays import FloatArray
from infosift.data.groups import sample_rows
from infosift.data.prepare import complete_rows, to_gaussian_ranks
from infosift.data.types import class_indicators, has_categories
from infosift.engines.base import Engine, Question
from infosift.inference.kernel_ridge import LEAST_PROBABILITY, KernelRidge
from infosift.results.explained import Explained
from infosift.results.steps import Verdict
from infosift.search.base import Problem, Tests, columns_of

_MOST_ROWS = 10_000
_MOST_CLASSES = 50


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
    criterion, several = problem.criterion, len(problem.table.target) > 1
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
    (target,) = table.target
    if not has_categories(target):
        return Explained(information=max(0.0, by_criterion, _of_numbers(target, regression)))
    indicators = class_indicators(target)
    shares = tuple(np.sort(indicators.mean(axis=1))[::-1].tolist())
    by_regression = _of_classes(indicators, regression) if len(shares) <= _MOST_CLASSES else 0.0
    return Explained(information=max(0.0, by_criterion, by_regression), class_shares=shares)


def _of_numbers(target: FloatArray, regression: KernelRidge) -> float:
    """Return the information that the share of variance amounts to which is predicted on a normal scale."""
    scores = to_gaussian_ranks(target)
    left = float(np.mean((scores - regression.predict(scores)) ** 2) / np.mean(scores**2))
    return float(-np.log(min(1.0, max(left, np.finfo(np.float64).tiny))) / 2)


def _of_classes(indicators: FloatArray, regression: KernelRidge) -> float:
    """Return by how much the predicted probabilities make the classes likelier than their shares do."""
    predicted = np.maximum(regression.predict(indicators), LEAST_PROBABILITY)
    likelihoods = (indicators * predicted).sum(axis=0) / predicted.sum(axis=0)
    return float(entr(indicators.mean(axis=1)).sum() + np.mean(np.log(likelihoods)))
