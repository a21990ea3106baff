"""Resampling: how well features separate from shuffled ones, by which a criterion and its parameter are chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Scorer, Value, score_each_fold
from infosift.data.groups import sample_rows, shuffled_rows
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.errors import Hint, InputError, require_rows
from infosift.random_streams import stream
from infosift.results import CriterionChoice, FoldEstimates, NeighborChoice

# Of a longer table as many rows are drawn, so that the choice takes no longer than this.
MOST_ROWS = 10_000


def assign_folds(n_rows: int, n_folds: int, seed: int, row_groups: IntArray | None = None) -> IntArray:
    """Partition the rows at random into folds of near-equal size; return the fold of each row.

    There are at most as many folds as rows. With row groups, each fold has whole groups.
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
    """How a value is chosen: the number of folds, the t above which features count, and the seed."""

    n_folds: int
    t_threshold: float | None
    seed: int


def choose_value(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> NeighborChoice:
    """Choose the value of the criterion's parameter that best separates features from shuffled ones.

    By default the largest of all t decides (section 4.1 of the paper). With a ``t_threshold`` it is the largest
    mean of t over the features above the threshold, or the largest of all t where no feature is. Of a long table,
    a sample of rows decides.
    """
    table = table.take(sample_rows(table.n_rows, resampling.seed, table.row_groups, MOST_ROWS))
    separation = separate(table, criterion, resampling, engine)
    best = best_column(separation.t, resampling.t_threshold)
    deciding = separation.deciding_feature(table, best)

    def for_all_features(of_usable: FloatArray) -> FloatArray:
        of_all = np.full((len(table.names), of_usable.shape[1]), np.nan)
        of_all[table.usable] = of_usable
        return of_all

    candidates = tuple(value for value in separation.values if value is not None)
    return NeighborChoice(
        n_neighbors=candidates[best],
        feature=table.names[table.usable[deciding]],
        candidates=candidates,
        feature_names=table.names,
        t=for_all_features(separation.t),
        **{name: for_all_features(moment) for name, moment in separation.moments.items()},
        estimates=separation.estimates[deciding, best],
        shuffled_estimates=separation.shuffled_estimates[deciding, best],
        n_folds=separation.estimates.shape[2],
        t_threshold=resampling.t_threshold,
        n_rows=table.n_rows,
    )


@dataclass(frozen=True)
class Separation:
    """Estimates by a criterion (usable features x values x folds), of the features and of shuffled ones."""

    values: tuple[Value, ...]
    estimates: FloatArray
    shuffled_estimates: FloatArray

    @property
    def moments(self) -> dict[str, FloatArray]:
        """Means and variances over the folds (usable features x values), of the features and of shuffled ones."""
        return {
            "mean": self.estimates.mean(axis=2),
            "variance": self.estimates.var(axis=2, ddof=1),
            "shuffled_mean": self.shuffled_estimates.mean(axis=2),
            "shuffled_variance": self.shuffled_estimates.var(axis=2, ddof=1),
        }

    @property
    def t(self) -> FloatArray:
        """The paper's Student-like statistic (usable features x values); zero where neither sample varies."""
        mean, variance, shuffled_mean, shuffled_variance = self.moments.values()
        total = variance + shuffled_variance
        return np.divide(mean - shuffled_mean, np.sqrt(total), out=np.zeros_like(mean), where=total > 0)

    def deciding_feature(self, table: Table, column: int) -> int:
        """Return which usable feature has the largest t; the digest decides among equals, not the order."""
        t, digests = self.t[:, column], [table.digests[i] for i in table.usable]
        return max(range(len(t)), key=lambda i: (t[i], digests[i]))


def separate(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> Separation:
    """Score each usable feature, and the same feature shuffled, on the rows without each fold."""
    n_folds, seed, wanted = resampling.n_folds, resampling.seed, criterion.parameter_in_words or "a criterion"
    require_rows(table.n_rows, fewest_rows(n_folds), f"Choosing {wanted} with {n_folds} folds")
    folds = assign_folds(table.n_rows, n_folds, seed, table.row_groups)
    fixed, n_rows_left = criterion.fixed_value, table.n_rows - int(np.bincount(folds).max())
    values = criterion.values_to_compare(n_rows_left) if fixed is None else (fixed,)
    if not values:
        raise InputError(
            f"One group has nearly all rows, so too few are left without it to choose {wanted} by: give ",
            Hint(criterion.parameter),
            ".",
        )
    columns = Question(table.distance_columns, table.distance_columns[:0], table.distance_target, table.usable)
    # Near rows may well be of one group, and then a neighbour search that the folds share has too few of others.
    estimates = (
        criterion.score_without_folds(columns, folds, values, engine)
        if table.row_groups is None
        else score_each_fold(criterion, columns, folds, values, engine)
    )
    shuffled = []
    for fold in range(int(folds.max()) + 1):
        rows = np.flatnonzero(folds != fold)
        sources = shuffled_rows(rows, stream(seed, "shuffled fold", fold), table.row_groups)
        shuffled.append(replace(columns, rows=rows, candidate_rows=sources))
    # Estimates of a fold lie in one piece, so that their order of summation is always the same.
    by_fold = np.ascontiguousarray(estimates.transpose(0, 2, 1))
    return Separation(values, by_fold, np.stack(criterion.score(shuffled, values, engine), axis=2))


def best_column(t: FloatArray, t_threshold: float | None) -> int:
    """Return which column of a table of t to take; the first one of equals."""
    if t_threshold is not None:
        above = [[value for value in column if value > t_threshold] for column in t.T]
        if any(above):
            # fsum rounds once, so the order of the features cannot matter.
            means = [math.fsum(values) / len(values) if values else -math.inf for values in above]
            return int(np.argmax(means))
    return int(np.argmax(t.max(axis=0)))


class _Best(NamedTuple):
    """The largest t by one criterion, with the value of its parameter and the feature."""

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
    as it is and shuffled: how much the choice depends on the rows, and what t is where there is nothing to detect.
    """
    names, n_rows = tuple(criteria), next(iter(tables.values())).n_rows
    n_folds, seed = resampling.n_folds, resampling.seed
    require_rows(n_rows, 2 * fewest_rows(n_folds), f"Choosing a criterion with {n_folds} folds")
    halves = _halves(n_rows, n_halves, seed)

    def best(name: str, table: Table) -> _Best:
        separation = separate(table, criteria[name], resampling, engine)
        column = best_column(separation.t, None)
        feature = separation.deciding_feature(table, column)
        t = float(separation.t[feature, column])
        return _Best(t, separation.values[column], table.names[table.usable[feature]])

    def t_on_halves(shuffle_seed: int | None) -> FloatArray:
        return np.array(
            [[best(name, half).t for half in _on(tables[name], halves, shuffle_seed)] for name in names]
        )

    on_all = [best(name, tables[name]) for name in names]
    half_t, noise_t = t_on_halves(None), t_on_halves(seed)
    t = np.array([one.t for one in on_all])
    order = np.argsort(-t, kind="stable")  # the first of equals, as of equal numbers of neighbours
    chosen, runner_up = int(order[0]), int(order[1]) if len(order) > 1 else None
    return CriterionChoice(
        criterion=names[chosen],
        value=on_all[chosen].value,
        criteria=names,
        values=tuple(one.value for one in on_all),
        features=tuple(one.feature for one in on_all),
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


def _on(table: Table, halves: list[IntArray], shuffle_seed: int | None) -> Iterator[Table]:
    """Yield the table of each half, with the rows of the target shuffled where there is a seed for it."""
    for number, half in enumerate(halves):
        part = table.take(half)
        if shuffle_seed is not None:
            order = stream(shuffle_seed, "target of a half", number).permutation(part.n_rows)
            part = replace(part, target=part.target.take(order))
        yield part


def _margin(differences: FloatArray) -> float | None:
    """Return a mean in standard deviations; None where nothing varies."""
    spread = differences.std(ddof=1)
    return float(differences.mean() / spread) if spread > 0 else None
