"""Permuted residuals: a feature is predicted from the subset, and its residual permuted among rows alike in it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.criteria.rank_basis import (
    N_OF_CANDIDATES,
    Functions,
    expected_polynomials,
    functions_of_numbers,
    in_rows,
    standardised,
)
from infosift.data.targets import LEAST_PROBABILITY
from infosift.data.types import are_categorical
from infosift.engines.base import equal_parts, single_threaded_blas
from infosift.inference.kernel_ridge import KernelRidge, predict_with_spread
from infosift.inference.nulls import ALL, Null, NullModel, Positions, RandomPermutations, Surrogates
from infosift.inference.permutation import Permutations
from infosift.random_streams import stream

# A stratum has 20 to 39 rows: small enough that the subset hardly varies in it, large enough to permute.
_FEWEST_ROWS = 20
# Columns predicted at once; of many rows, fewer make a matrix product worthwhile.
_MOST_AT_ONCE = 64
_AT_ONCE_OF_MANY_ROWS = 16
_MANY_ROWS = 4_000
_NO_CATEGORIES = np.empty((1, 0))


class PredictedColumn(NamedTuple):
    """A column as prediction and residual given a subset, each with a value for every row.

    A number is ``predicted + spread * residual``. Of a category, ``residual`` is a point of the unit interval
    within the part that the predicted probabilities of its row give to it: a randomised quantile residual (Dunn
    and Smyth 1996). ``bounds`` (categories x rows) are the upper ends of these parts, in the order of
    ``categories``.
    """

    predicted: FloatArray
    spread: FloatArray
    residual: FloatArray
    categories: FloatArray = _NO_CATEGORIES[0]
    bounds: FloatArray = _NO_CATEGORIES

    def categories_at(self, points: FloatArray, rows: Positions) -> IntArray:
        """Return in the part of which category each point is, in the intervals of rows."""
        passed = (points > self.bounds[:, rows]).sum(axis=0)
        return np.asarray(np.minimum(passed, len(self.categories) - 1))

    def functions(self) -> FloatArray:
        """Return polynomials of a category (functions x rows), their means over the interval: no randomness."""
        known = ~np.isnan(self.residual)
        rows = np.flatnonzero(known)
        which = self.categories_at(self.residual[rows], rows)
        return in_rows(standardised(expected_polynomials(*_interval(self.bounds, which, rows))), known)


def predict_columns(regression: KernelRidge, seed: int, columns: FloatArray, batch: int) -> list[PredictedColumn]:
    """Predict columns (columns x rows) from the subset of a regression, ``batch`` columns of numbers at once.

    The bits of a matrix product depend on its shape. So a last batch is padded, and the result for a column does
    not depend on the others.
    """
    numbers = np.flatnonzero(~are_categorical(columns)).tolist()
    predictions: dict[int, PredictedColumn] = {}
    for own in (numbers[part] for part in equal_parts(len(numbers), batch)):
        padded = np.zeros((batch, columns.shape[1]))
        padded[: len(own)] = columns[own]
        predicted, spread = predict_with_spread(padded, regression)
        residual = (padded - predicted) / spread
        predictions |= {i: PredictedColumn(predicted[j], spread[j], residual[j]) for j, i in enumerate(own)}
    for i in set(range(len(columns))) - set(numbers):
        predictions[i] = _predict_categories(columns[i], regression, seed)
    return [predictions[i] for i in range(len(columns))]


def _predict_categories(column: FloatArray, regression: KernelRidge, seed: int) -> PredictedColumn:
    """Return the randomised quantile residual of a column of categories."""
    gaps = np.isnan(column)
    categories = np.unique(column[~gaps])
    probabilities = regression.predict(np.where(gaps, np.nan, column == categories[:, None]))
    probabilities = np.maximum(probabilities, LEAST_PROBABILITY)
    bounds = np.cumsum(probabilities / probabilities.sum(axis=0), axis=0)
    which, rows = np.searchsorted(categories, column), np.arange(len(column))
    which = np.minimum(which, len(categories) - 1)  # a gap sorts beyond all categories
    low, high = _interval(bounds, which, rows)
    # The values of a column name its stream, so that its points do not depend on its position.
    uniform = stream(seed, "points", crc32(column.tobytes())).uniform(size=len(column))
    points = np.where(gaps, np.nan, low + uniform * (high - low))
    return PredictedColumn(np.zeros_like(points), np.ones_like(points), points, categories, bounds)


def _interval(bounds: FloatArray, which: IntArray, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the part of the unit interval that is a category's, in each row."""
    return np.where(which > 0, bounds[which - 1, rows], 0.0), bounds[which, rows]


def columns_at_once(n_columns: int, n_rows: int) -> int:
    """Return how many columns are predicted at once, of so many columns of a test.

    It depends on all columns of a test and not on how these are divided into blocks, so that bits do not either.
    """
    most = _MOST_AT_ONCE if n_rows <= _MANY_ROWS else _AT_ONCE_OF_MANY_ROWS
    return min(most, 1 << (n_columns - 1).bit_length())


class ResidualSurrogates(Surrogates):
    """Surrogates that depend on the subset as the columns do, and on nothing else.

    The residual of a number is permuted and, in units of the spread that is predicted for the row, added back to
    the prediction. The points of a category are permuted, and each falls into a category of its new row. All
    columns of a draw share the permutation, so that they keep their dependence on each other.
    """

    def __init__(
        self,
        columns: FloatArray,
        regression: KernelRidge,
        seed: int,
        rows: Positions = ALL,
        batch: int | None = None,
    ) -> None:
        with single_threaded_blas():
            predictions = predict_columns(regression, seed, columns, batch or columns_at_once(*columns.shape))
        super().__init__(columns, rows)
        self._predicted = np.stack([column.predicted[rows] for column in predictions])
        self._spread = np.stack([column.spread[rows] for column in predictions])
        self._residuals = np.stack([column.residual for column in predictions])
        self._categories = {i: column for i, column in enumerate(predictions) if len(column.categories)}
        self.nbytes = int(self._predicted.nbytes + self._spread.nbytes + self._residuals.nbytes)

    def draw(self, index: IntArray, columns: Positions = ALL) -> FloatArray:
        """Return a surrogate of columns (all by default), whose rows take the residuals of rows of an index."""
        residuals = self._residuals[columns][:, index[self._rows]]
        surrogates = self._predicted[columns] + self._spread[columns] * residuals
        for i, position in enumerate(np.arange(len(self._residuals))[columns].tolist()):
            if (column := self._categories.get(position)) is not None:
                drawn = column.categories[column.categories_at(residuals[i], self._rows)]
                surrogates[i] = np.where(np.isnan(residuals[i]), np.nan, drawn)
        return np.asarray(surrogates)

    def residuals(self) -> FloatArray:
        """Return the residuals of all columns given the subset (columns x rows)."""
        return self._residuals

    def functions(self, columns: IntArray) -> list[Functions]:
        """Return functions of the residuals of columns: of ranks, or means over intervals of categories."""
        numbers = [i for i in columns if i not in self._categories]
        of_numbers = iter(functions_of_numbers(self._residuals[numbers], N_OF_CANDIDATES) if numbers else ())
        no_steps = np.zeros((0, self._residuals.shape[1]))
        return [
            Functions(self._categories[i].functions(), no_steps) if i in self._categories else next(of_numbers)
            for i in columns
        ]

    def are_ranked(self, columns: IntArray) -> BoolArray:
        """Tell of which columns the functions are those of ranks of residuals: of numbers without gaps."""
        gaps = np.isnan(self._residuals[columns]).any(axis=1)
        return np.array([i not in self._categories for i in columns.tolist()]) & ~gaps


class ResidualModel(NullModel):
    """How candidates and target appear in draws of permuted residuals."""

    def __init__(self, regression: KernelRidge, seed: int) -> None:
        self._regression, self._seed = regression, seed

    def surrogates(self, columns: FloatArray, rows: Positions = ALL, batch: int | None = None) -> Surrogates:
        """Return surrogates of columns (columns x rows), drawn in some rows."""
        return ResidualSurrogates(columns, self._regression, self._seed, rows, batch)


def strata_of(subset: FloatArray) -> IntArray:
    """Return the stratum of each row, by halving the rows again and again along the column of widest rank range.

    Rows of the same value stay together, and a stratum is not cut where fewer than 20 rows would be left on a
    side: a k-d tree of the ranks of the subset (columns x rows), whose leaves are the strata.
    """
    ranks = rankdata(subset, axis=1)
    strata = np.empty(subset.shape[1], dtype=np.int64)
    uncut, count = [np.arange(subset.shape[1])], 0
    while uncut:
        rows = uncut.pop()
        lower = _lower_half(ranks[:, rows])
        if lower is None:
            strata[rows], count = count, count + 1
        else:
            uncut += [rows[lower], rows[~lower]]
    return strata


def _lower_half(ranks: FloatArray) -> NDArray[np.bool_] | None:
    """Return which rows are below the cut nearest to the median; None where no column can be cut."""
    n_rows = ranks.shape[1]
    for column in ranks[np.argsort(-np.ptp(ranks, axis=1), kind="stable")]:
        ascending = np.sort(column)
        cuts = np.arange(_FEWEST_ROWS, n_rows - _FEWEST_ROWS + 1)
        cuts = cuts[ascending[cuts] > ascending[cuts - 1]]
        if len(cuts):
            return np.asarray(column < ascending[cuts[np.argmin(np.abs(2 * cuts - n_rows))]])
    return None


class ResidualNull(Null):
    """Permutes the residual of a feature given those selected, which keeps the dependence on these."""

    name = "residual"
    description = "that keep its dependence on the selected features and permute its residual"
    within = " among rows alike in these"
    predicts_candidates = True
    takes_censored = True

    def permutations(self, given: FloatArray, shuffles: RandomPermutations) -> Permutations:
        """Return permutations within strata of the subset; without one, or with row groups, of all rows.

        Should residuals still depend on the subset, so do those of surrogates.
        """
        if not len(given) or shuffles.row_groups is not None:
            return shuffles
        return replace(shuffles, strata=strata_of(given))

    def model(self, given: FloatArray, regression: KernelRidge | None, seed: int) -> NullModel:
        """Return how candidates and target appear in draws; without a subset, columns are shuffled."""
        return NullModel() if regression is None else ResidualModel(regression, seed)
