"""The choice of k, the criterion's structural parameter: section 4.1 of the paper, and K-fold resampling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion, Scorer
from infosift.criteria.base import Value, score_each_fold
from infosift.data.groups import sample_rows, shuffled_rows
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.errors import InputError, require_rows
from infosift.random_streams import stream
from infosift.results.steps import FoldEstimates, NeighborChoice

# Of a longer table as many rows are drawn, so that the choice takes no longer than this.
MOST_ROWS = 10_000


def assign_folds(n_rows: int, n_folds: int, seed: int, row_groups: IntArray | None = None) -> IntArray:
    """Partition the rows at random into folds of near-equal size; return the fold of each row.

    There are as many folds as rows where more are asked for. With row groups, each fold has whole groups.
    """
    if row_groups is not None:
        return assign_folds(int(row_groups.max()) + 1, n_folds, seed)[row_groups]
    order = stream(seed, "folds").permutation(n_rows)
    folds = np.empty(n_rows, dtype=np.int64)
    for fold, rows in enumerate(np.array_split(order, min(n_folds, n_rows))):
        folds[rows] = fold
    return folds


def fewest_rows(n_folds: int) -> int:
    """Return how many rows it takes for three to be left without a fold, enough for one neighbour of two."""
    return next(n for n in range(4, 7) if n - math.ceil(n / min(n_folds, n)) >= 3)


def resample(question: Question, n_folds: int, scorer: Scorer, seed: int) -> FoldEstimates:
    """Estimate the score of one candidate on the rows without each fold."""
    folds = assign_folds(question.n_rows, n_folds, seed)
    estimates = scorer.criterion.score_without_folds(question, folds, (scorer.value,), scorer.engine)[0, :, 0]
    return FoldEstimates(
        estimates=estimates,
        mean=float(estimates.mean()),
        variance=float(estimates.var(ddof=1)),
        n_neighbors=int(scorer.value or 0),
    )


@dataclass(frozen=True)
class Resampling:
    """How a value is chosen: into how many folds rows are partitioned, the t that counts, and the seed."""

    n_folds: int
    t_threshold: float | None
    seed: int


def choose_value(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> NeighborChoice:
    """Choose the value of the criterion's parameter that best separates features from their shuffled copies.

    By default the largest of all t decides. With a ``t_threshold`` it is the largest mean of t over the features
    above the threshold, or the largest of all t where no feature is. Of a long table, a sample of rows decides.
    """
    table = table.take(sample_rows(table.n_rows, resampling.seed, table.row_groups, MOST_ROWS))
    usable = table.usable
    found = separate(table, criterion, resampling, engine)
    t = found.t
    best = best_column(t, resampling.t_threshold)
    deciding = found.deciding_feature(table, best)

    def for_all_features(values: FloatArray) -> FloatArray:
        spread = np.full((len(table.names), len(found.values)), np.nan)
        spread[usable] = values
        return spread

    candidates = tuple(value for value in found.values if value is not None)
    return NeighborChoice(
        n_neighbors=candidates[best],
        feature=table.names[usable[deciding]],
        candidates=candidates,
        feature_names=table.names,
        t=for_all_features(t),
        mean=for_all_features(found.mean),
        variance=for_all_features(found.variance),
        shuffled_mean=for_all_features(found.shuffled_mean),
        shuffled_variance=for_all_features(found.shuffled_variance),
        estimates=found.estimates[deciding, best],
        shuffled_estimates=found.shuffled_estimates[deciding, best],
        n_folds=found.estimates.shape[2],
        t_threshold=resampling.t_threshold,
        n_rows=table.n_rows,
    )


@dataclass(frozen=True)
class Separation:
    """Estimates (usable features x values x folds) of a criterion, of the features and of shuffled copies."""

    values: tuple[Value, ...]
    estimates: FloatArray
    shuffled_estimates: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Of the features, over the folds."""
        return np.asarray(self.estimates.mean(axis=2))

    @property
    def variance(self) -> FloatArray:
        """Of the features, over the folds."""
        return np.asarray(self.estimates.var(axis=2, ddof=1))

    @property
    def shuffled_mean(self) -> FloatArray:
        """Of the shuffled copies, over the folds."""
        return np.asarray(self.shuffled_estimates.mean(axis=2))

    @property
    def shuffled_variance(self) -> FloatArray:
        """Of the shuffled copies, over the folds."""
        return np.asarray(self.shuffled_estimates.var(axis=2, ddof=1))

    @property
    def t(self) -> FloatArray:
        """The separation of each feature from its shuffled copies (usable features x values)."""
        return separation(self.mean - self.shuffled_mean, self.variance + self.shuffled_variance)

    def deciding_feature(self, table: Table, column: int) -> int:
        """Return which usable feature has the largest t; the digest decides among equals, not the order."""
        t, digests = self.t[:, column], [table.digests[i] for i in table.usable]
        return max(range(len(t)), key=lambda i: (t[i], digests[i]))


def separate(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> Separation:
    """Estimate what a criterion says of each usable feature and of shuffled copies, without each fold."""
    n_folds, seed, wanted = resampling.n_folds, resampling.seed, criterion.parameter_in_words or "a criterion"
    require_rows(table.n_rows, fewest_rows(n_folds), f"Choosing {wanted} with {n_folds} folds")
    folds = assign_folds(table.n_rows, n_folds, seed, table.row_groups)
    rows_left = table.n_rows - int(np.bincount(folds).max())
    fixed = criterion.fixed_value
    values = criterion.values_to_compare(rows_left) if fixed is None else (fixed,)
    if not values:
        raise InputError(
            f"One group has nearly all rows, so too few are left without it to choose {wanted} by: "
            f"give {criterion.parameter}."
        )
    return Separation(values, *_estimates(table, criterion, values, folds, seed, engine))


def _estimates(
    table: Table, criterion: Criterion, values: tuple[Value, ...], folds: IntArray, seed: int, engine: Engine
) -> tuple[FloatArray, FloatArray]:
    """Return arrays (features x values x folds) of estimates, of the features and of shuffled copies."""
    columns = Question(table.distance_columns, table.distance_columns[:0], table.distance_target, table.usable)
    rows_left = [np.flatnonzero(folds != fold) for fold in range(int(folds.max()) + 1)]
    shuffled = [
        replace(
            columns,
            rows=rows,
            candidate_rows=shuffled_rows(rows, stream(seed, "shuffled fold", fold), table.row_groups),
        )
        for fold, rows in enumerate(rows_left)
    ]
    without_folds = (
        criterion.score_without_folds(columns, folds, values, engine)
        if table.row_groups is None
        # Near rows may well be of one group, and then a search that the folds share finds too few of the others.
        else score_each_fold(criterion, columns, folds, values, engine)
    )
    # One column of numbers per fold lies in one piece, so that their order of summation is always the same.
    estimates = np.ascontiguousarray(without_folds.transpose(0, 2, 1))
    return estimates, np.stack(criterion.score(shuffled, values, engine), axis=2)


def separation(difference: FloatArray, variance: FloatArray) -> FloatArray:
    """Return the Student-like measure of the paper; zero where neither sample varies."""
    return np.divide(difference, np.sqrt(variance), out=np.zeros_like(difference), where=variance > 0)


def best_column(t: FloatArray, t_threshold: float | None) -> int:
    """Return which column of a table of t to take; the first one of equals."""
    if t_threshold is not None:
        above = [[value for value in column if value > t_threshold] for column in t.T]
        if any(above):
            # fsum rounds once, so the order of the features cannot matter.
            means = [math.fsum(values) / len(values) if values else -math.inf for values in above]
            return int(np.argmax(means))
    return int(np.argmax(t.max(axis=0)))
