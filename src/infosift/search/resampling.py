"""Resampling: how well features separate from shuffled ones, by which a criterion and its parameter are chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
from infosift.results.comparison import CriterionChoice
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


@dataclass(frozen=True)
class _Best:
    """What separates best by one criterion."""

    t: float
    value: Value
    feature: str


def compare(
    tables: Mapping[str, Table],
    criteria: Mapping[str, Criterion],
    resampling: Resampling,
    n_halves: int,
    engine: Engine,
) -> CriterionChoice:
    """Compare criteria, each on its own table of the same rows, by their largest t.

    Folds, shuffles and halves are the same for all criteria. On each half the same is done again, with the target
    as it is and shuffled: how much the choice hangs on the rows, and what t is where there is nothing to see.
    """
    names, n_rows = tuple(criteria), next(iter(tables.values())).n_rows
    n_folds = resampling.n_folds
    require_rows(n_rows, 2 * fewest_rows(n_folds), f"Choosing a criterion with {n_folds} folds")
    halves = _halves(n_rows, n_halves, resampling.seed)
    found = [_best(tables[name], criteria[name], resampling, engine) for name in names]
    half_t, noise_t = (
        np.array(
            [
                [
                    _best(part, criteria[name], resampling, engine).t
                    for part in _parts(tables[name], halves, shuffled)
                ]
                for name in names
            ]
        )
        for shuffled in (None, resampling.seed)
    )
    t = np.array([best.t for best in found])
    order = np.argsort(-t, kind="stable")  # the first of equals, as of equal numbers of neighbours
    chosen, runner_up = int(order[0]), int(order[1]) if len(order) > 1 else None
    return CriterionChoice(
        criterion=names[chosen],
        value=found[chosen].value,
        criteria=names,
        values=tuple(best.value for best in found),
        features=tuple(best.feature for best in found),
        t=t,
        noise_t=noise_t.mean(axis=1),
        half_t=half_t,
        runner_up=None if runner_up is None else names[runner_up],
        share=float(np.mean(half_t[chosen] == half_t.max(axis=0))),
        margin=None if runner_up is None else _margin(half_t[chosen] - half_t[runner_up]),
        n_folds=min(n_folds, n_rows),
        n_rows=n_rows,
    )


def _halves(n_rows: int, n_halves: int, seed: int) -> list[IntArray]:
    """Return random halves of the rows, each with one that shares no row with it."""
    halves: list[IntArray] = []
    for number in range(n_halves // 2):
        order = stream(seed, "halves of the rows", number).permutation(n_rows)
        halves += [np.sort(order[: n_rows // 2]), np.sort(order[n_rows // 2 : 2 * (n_rows // 2)])]
    return halves


def _parts(table: Table, halves: list[IntArray], shuffle_seed: int | None) -> list[Table]:
    """Return the table of each half, with the rows of the target shuffled where there is a seed for it."""
    parts = [table.take(half) for half in halves]
    if shuffle_seed is None:
        return parts
    orders = [
        stream(shuffle_seed, "target of a half", number).permutation(part.n_rows)
        for number, part in enumerate(parts)
    ]
    return [replace(part, target=part.target.take(order)) for part, order in zip(parts, orders, strict=True)]


def _best(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> _Best:
    found = separate(table, criterion, resampling, engine)
    column = best_column(found.t, None)
    feature = found.deciding_feature(table, column)
    return _Best(float(found.t[feature, column]), found.values[column], table.names[table.usable[feature]])


def _margin(differences: FloatArray) -> float | None:
    spread = differences.std(ddof=1)
    return float(differences.mean() / spread) if spread > 0 else None
