"""Surrogates: copies of features that keep their dependence on a subset and lose all else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias
from zlib import crc32

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import (
    Functions,
    expected_polynomials,
    functions_of,
    functions_of_numbers,
    in_rows,
    standardised,
)
from infosift.data.targets import LEAST_PROBABILITY
from infosift.data.types import are_categorical
from infosift.engines.base import on_one_thread
from infosift.inference.kernel_ridge import KernelRidge, predict_with_spread
from infosift.random_streams import stream

NULLS = ("residual", "local", "shuffle")
# Which of the columns, and which of their rows.
Places: TypeAlias = "IntArray | slice"
Rows: TypeAlias = "IntArray | slice"
ALL = slice(None)
# So many columns are predicted at once; of many rows, fewer are worth a product.
_MOST_AT_ONCE = 64
_AT_ONCE_OF_MANY_ROWS = 16
_MANY_ROWS = 4_000


class Surrogates(Protocol):
    """A way to draw surrogates of some columns: rows of them, or of their residuals, take each other's places.

    They are drawn in all rows, or in those that they were asked for.
    """

    @property
    def nbytes(self) -> int:
        """How many bytes it has besides the columns."""
        ...

    def draw(self, source: IntArray, places: Places = ALL) -> FloatArray:
        """Return a surrogate of all columns, or of some."""
        ...

    def residuals(self) -> FloatArray | None:
        """Return the residuals of all columns given the subset; None where they are not known."""
        ...

    def functions(self, places: IntArray) -> list[Functions]:
        """Return functions of what takes other places in some columns."""
        ...


def columns_at_once(n_columns: int, n_rows: int) -> int:
    """Return how many columns are predicted at once, of so many in all.

    Products of matrices of one shape have the same bits, whatever the other columns are. So the number depends on
    that of all columns of a test, and not on how these are divided.
    """
    most = _MOST_AT_ONCE if n_rows <= _MANY_ROWS else _AT_ONCE_OF_MANY_ROWS
    return min(most, 1 << (n_columns - 1).bit_length())


def surrogates_of(
    columns: FloatArray,
    null: str,
    regression: KernelRidge | None,
    seed: int,
    at_once: int | None = None,
    rows: Rows = ALL,
) -> Surrogates:
    """Return the surrogates that a null has; without a subset to predict from, all nulls shuffle.

    ``at_once`` is how many columns are predicted at once where these are a part of all, and ``rows`` are those in
    which surrogates are drawn.
    """
    if null == "local":
        return LocalSurrogates(columns, rows)
    if null == "shuffle" or regression is None:
        return ShuffledSurrogates(columns, rows)
    return ResidualSurrogates(columns, regression, seed, at_once, rows)


class ShuffledSurrogates:
    """Draws copies of columns with their rows shuffled, all columns alike."""

    nbytes = 0

    def __init__(self, columns: FloatArray, rows: Rows = ALL) -> None:
        self._columns, self._rows = columns, rows

    def draw(self, source: IntArray, places: Places = ALL) -> FloatArray:
        """Return columns with their rows in other places."""
        return self._columns[places][:, source[self._rows]]

    def residuals(self) -> FloatArray | None:
        """Return the columns: without a regression, all of them is residual."""
        return self._columns

    def functions(self, places: IntArray) -> list[Functions]:
        """Return functions of some columns."""
        return functions_of(self._columns[places])


class LocalSurrogates(ShuffledSurrogates):
    """Draws copies of columns whose rows have the values of others that are near in a subset."""

    def residuals(self) -> FloatArray | None:
        """Return None: nothing is predicted from the subset."""
        return None


@dataclass(frozen=True)
class Explained:
    """Columns of one kind as what the subset predicts of them and residuals.

    Of a column of categories, ``low`` and ``high`` bound the part of the unit interval that is the row's, and
    ``residual`` is a point of it; ``categories`` and ``bounds`` say which category a point is in.
    """

    predicted: FloatArray
    spread: FloatArray
    residual: FloatArray
    categories: FloatArray | None = None
    bounds: FloatArray | None = None

    def functions(self) -> FloatArray:
        """Return the mean of each polynomial over the interval of a category."""
        assert self.categories is not None
        assert self.bounds is not None
        known = ~np.isnan(self.residual)
        rows = np.flatnonzero(known)
        which = (self.residual[rows] > self.bounds[:, rows]).sum(axis=0)
        which = np.minimum(which, len(self.categories) - 1)
        low = np.where(which > 0, self.bounds[which - 1, rows], 0.0)
        return in_rows(standardised(expected_polynomials(low, self.bounds[which, rows])), known)


def explain(regression: KernelRidge, seed: int, columns: FloatArray, at_once: int) -> list[Explained]:
    """Predict columns from the subset of a regression; each has the same bits whatever the others are."""
    numbers = np.flatnonzero(~are_categorical(columns)).tolist()
    explained: dict[int, Explained] = {}
    for start in range(0, len(numbers), at_once):
        own = numbers[start : start + at_once]
        padded = np.zeros((at_once, columns.shape[1]))
        padded[: len(own)] = columns[own]
        predicted, spread = predict_with_spread(padded, regression)
        left = (padded - predicted) / spread
        explained |= {i: Explained(predicted[j], spread[j], left[j]) for j, i in enumerate(own)}
    for i in set(range(len(columns))) - set(numbers):
        categories, bounds = _probabilities(columns[i], regression)
        own_stream = stream(seed, "points", crc32(columns[i].tobytes()))  # whatever the place of the column
        points = _points(columns[i], categories, bounds, own_stream)
        explained[i] = Explained(np.zeros_like(points), np.ones_like(points), points, categories, bounds)
    return [explained[i] for i in range(len(columns))]


class ResidualSurrogates:
    """Draws copies of columns that depend on a subset as the columns do, and on nothing besides.

    A column of numbers is predicted from the subset, its spread too, and its residual, in units of the spread, is
    shuffled and added back. Of a column of categories, the residual of a row is a point of the unit interval,
    within the part that the predicted probabilities of the row give to its category; the points are shuffled, and
    each falls into a category of the row it comes to. All columns of a draw share the shuffle, so that they keep
    their dependence on each other.
    """

    def __init__(
        self,
        columns: FloatArray,
        regression: KernelRidge,
        seed: int,
        at_once: int | None = None,
        rows: Rows = ALL,
    ) -> None:
        with on_one_thread():
            explained = explain(regression, seed, columns, at_once or columns_at_once(*columns.shape))
        self._rows = rows
        self._predicted = np.stack([column.predicted[rows] for column in explained])
        self._spread = np.stack([column.spread[rows] for column in explained])
        self._residuals = np.stack([column.residual for column in explained])
        self._categories = {i: column for i, column in enumerate(explained) if column.categories is not None}

    @property
    def nbytes(self) -> int:
        """How many bytes it has besides the columns."""
        return int(self._predicted.nbytes + self._spread.nbytes + self._residuals.nbytes)

    def draw(self, source: IntArray, places: Places = ALL) -> FloatArray:
        """Return a surrogate of all columns, or of some."""
        residuals = self._residuals[places][:, source[self._rows]]
        copies = self._predicted[places] + self._spread[places] * residuals
        for i, place in enumerate(np.arange(len(self._residuals))[places].tolist()):
            column = self._categories.get(place)
            if column is not None and column.categories is not None and column.bounds is not None:
                passed = (residuals[i] > column.bounds[:, self._rows]).sum(axis=0)
                found = column.categories[np.minimum(passed, len(column.categories) - 1)]
                copies[i] = np.where(np.isnan(residuals[i]), np.nan, found)
        return np.asarray(copies)

    def residuals(self) -> FloatArray | None:
        """Return the residuals of all columns given the subset."""
        return self._residuals

    def functions(self, places: IntArray) -> list[Functions]:
        """Return functions of some residuals: of ranks, or means over the interval of a category."""
        numbers = [place for place in places if place not in self._categories]
        found = dict(zip(numbers, functions_of_numbers(self._residuals[numbers]), strict=True)) if numbers else {}
        n_rows = self._residuals.shape[1]
        return [
            found[place]
            if place in found
            else Functions(self._categories[place].functions(), np.zeros((0, n_rows)))
            for place in places
        ]


def _probabilities(column: FloatArray, regression: KernelRidge) -> tuple[FloatArray, FloatArray]:
    """Return the categories of a column and, for each row, the running sums of their predicted probabilities."""
    gaps = np.isnan(column)
    categories = np.unique(column[~gaps])
    probabilities = regression.predict(np.where(gaps, np.nan, column == categories[:, None]))
    probabilities = np.maximum(probabilities, LEAST_PROBABILITY)
    return categories, np.cumsum(probabilities / probabilities.sum(axis=0), axis=0)


def _points(
    column: FloatArray, categories: FloatArray, bounds: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Return a point for each row, anywhere in the part of the unit interval that is its category's."""
    which, rows = np.searchsorted(categories, column), np.arange(len(column))
    which = np.minimum(which, len(categories) - 1)  # a gap is beyond all of them
    low = np.where(which > 0, bounds[which - 1, rows], 0.0)
    points = low + generator.uniform(size=len(column)) * (bounds[which, rows] - low)
    return np.where(np.isnan(column), np.nan, points)
