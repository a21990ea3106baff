"""The choice of k, the number of neighbours: section 4.1 of the paper, and K-fold resampling on its own."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.blocks import shuffled_rows
from infosift.checks import InputError, require_rows
from infosift.criteria import Criterion
from infosift.criteria.folds import score_each_fold
from infosift.engine import Question, ThreadEngine
from infosift.evidence import FoldEstimates, NeighborChoice
from infosift.streams import stream
from infosift.table import Table

# Of a longer table as many rows are drawn, so that the choice takes no longer than this.
MOST_ROWS = 10_000


def assign_folds(n_rows: int, n_folds: int, seed: int, blocks: IntArray | None = None) -> IntArray:
    """Partition the rows at random into folds of near-equal size; return the fold of each row.

    There are as many folds as rows where more are asked for. With blocks, each fold has as many whole blocks.
    """
    if blocks is not None:
        return assign_folds(int(blocks.max()) + 1, n_folds, seed)[blocks]
    order = stream(seed, "folds").permutation(n_rows)
    folds = np.empty(n_rows, dtype=np.int64)
    for fold, rows in enumerate(np.array_split(order, min(n_folds, n_rows))):
        folds[rows] = fold
    return folds


def sample_rows(n_rows: int, seed: int, blocks: IntArray | None = None) -> IntArray:
    """Return the rows to choose the number of neighbours by: all, or 10,000 at random where there are more.

    With blocks they are whole blocks at random, as many as it takes.
    """
    rows = np.arange(n_rows)
    if n_rows <= MOST_ROWS:
        return rows
    generator = stream(seed, "rows to choose by")
    if blocks is None:
        return np.sort(generator.choice(rows, MOST_ROWS, replace=False))
    order = generator.permutation(int(blocks.max()) + 1)
    before = np.cumsum(np.bincount(blocks)[order]) - np.bincount(blocks)[order]
    return np.flatnonzero(np.isin(blocks, order[before < MOST_ROWS]))


def fewest_rows(n_folds: int) -> int:
    """Return how many rows it takes for three to be left without a fold, enough for one neighbour of two."""
    return next(n for n in range(4, 7) if n - math.ceil(n / min(n_folds, n)) >= 3)


def neighbor_range(max_neighbors: int, n_rows: int) -> tuple[int, ...]:
    """Return the numbers of neighbours to compare: 1 to the maximum, and at most half of the other rows."""
    return tuple(range(1, min(max_neighbors, (n_rows - 1) // 2) + 1))


def resample(
    question: Question, n_neighbors: int, n_folds: int, criterion: Criterion, engine: ThreadEngine, seed: int
) -> FoldEstimates:
    """Estimate the score of one candidate on the rows without each fold."""
    folds = assign_folds(question.n_rows, n_folds, seed)
    estimates = criterion.score_without_folds(question, folds, (n_neighbors,), engine)[0, :, 0]
    return FoldEstimates(
        estimates=estimates,
        mean=float(estimates.mean()),
        variance=float(estimates.var(ddof=1)),
        n_neighbors=n_neighbors,
    )


def choose(
    table: Table,
    criterion: Criterion,
    engine: ThreadEngine,
    *,
    max_neighbors: int,
    n_folds: int,
    t_threshold: float | None,
    seed: int,
) -> NeighborChoice:
    """Choose the number of neighbours by which features and their shuffled copies differ most.

    By default the largest of all t decides. With a ``t_threshold`` it is the largest mean of t over the features
    above the threshold, or the largest of all t where no feature is. Of a long table, a sample of rows decides.
    """
    table = table.take(sample_rows(table.n_rows, seed, table.blocks))
    usable = table.usable
    require_rows(table.n_rows, fewest_rows(n_folds), f"Choosing the number of neighbours with {n_folds} folds")
    folds = assign_folds(table.n_rows, n_folds, seed, table.blocks)
    n_folds = int(folds.max()) + 1
    rows_left = [np.flatnonzero(folds != fold) for fold in range(n_folds)]
    candidates = neighbor_range(max_neighbors, min(map(len, rows_left)))
    if not candidates:
        raise InputError(
            "One block has nearly all rows, so none are left without it to choose n_neighbors by: give it."
        )

    columns = Question(table.columns, table.columns[:0], table.target, usable)
    shuffled = [
        replace(
            columns,
            rows=rows,
            candidate_rows=shuffled_rows(rows, stream(seed, "shuffled fold", fold), table.blocks),
        )
        for fold, rows in enumerate(rows_left)
    ]
    # One column of numbers per fold lies in one piece, so that their order of summation is always the same.
    without_folds = (
        criterion.score_without_folds(columns, folds, candidates, engine)
        if table.blocks is None
        # Near rows may well be of one block, and then a search that the folds share finds too few of the others.
        else score_each_fold(criterion, columns, folds, candidates, engine)
    )
    estimates = np.ascontiguousarray(without_folds.transpose(0, 2, 1))
    shuffled_estimates = np.stack(criterion.score(shuffled, candidates, engine), axis=2)

    mean, variance = estimates.mean(axis=2), estimates.var(axis=2, ddof=1)
    shuffled_mean, shuffled_variance = shuffled_estimates.mean(axis=2), shuffled_estimates.var(axis=2, ddof=1)
    t = separation(mean - shuffled_mean, variance + shuffled_variance)
    best = best_column(t, t_threshold)
    # Of equal t the digest decides, so that the order of the columns does not.
    deciding = max(range(len(usable)), key=lambda i: (t[i, best], table.digests[usable[i]]))

    def for_all_features(values: FloatArray) -> FloatArray:
        spread = np.full((len(table.names), len(candidates)), np.nan)
        spread[usable] = values
        return spread

    return NeighborChoice(
        n_neighbors=candidates[best],
        feature=table.names[usable[deciding]],
        candidates=candidates,
        feature_names=table.names,
        t=for_all_features(t),
        mean=for_all_features(mean),
        variance=for_all_features(variance),
        shuffled_mean=for_all_features(shuffled_mean),
        shuffled_variance=for_all_features(shuffled_variance),
        estimates=estimates[deciding, best],
        shuffled_estimates=shuffled_estimates[deciding, best],
        n_folds=n_folds,
        t_threshold=t_threshold,
        n_rows=table.n_rows,
    )


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
