"""Surrogates: copies of features that keep their dependence on a subset and lose all else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol
from zlib import crc32

import numpy as np
from scipy.spatial import KDTree

from infosift.arrays import FloatArray, IntArray
from infosift.data.encoding import as_points, class_indicators, has_categories
from infosift.engines.base import Engine
from infosift.engines.blas import on_one_thread
from infosift.random_streams import stream
from infosift.significance.regression import LEAST_PROBABILITY, Smoother, expected_spread
from infosift.significance.strata import shuffled_within, strata_of

NULLS = ("residual", "local", "shuffle")
# Rows that a local permutation takes values from: the nearest ones, the row itself included (Runge 2018).
_NEAREST = 5


class Surrogates(Protocol):
    """A way to draw surrogates of some columns."""

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a surrogate of all columns for a shuffled order of the rows."""

    def residuals(self, order: IntArray | None) -> FloatArray | None:
        """Return the residuals of all columns given the subset, shuffled or as they are; None where not known."""


def surrogates_of(
    columns: FloatArray,
    null: str,
    given: FloatArray,
    smoother: Smoother | None,
    seed: int,
    step: int,
    engine: Engine,
    *,
    in_strata: bool = True,
) -> Surrogates:
    """Return the surrogates that a null has beside the given columns; without any, all nulls shuffle."""
    if null == "local" and len(given):
        return LocalSurrogates(columns, given, seed, step)
    if null == "shuffle" or smoother is None:
        return ShuffledSurrogates(columns)
    return ResidualSurrogates(columns, smoother, seed, engine, strata_of(given) if in_strata else None)


class ShuffledSurrogates:
    """Draws copies of columns with their rows shuffled, all columns alike."""

    def __init__(self, columns: FloatArray) -> None:
        self._columns = columns

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return the columns in a shuffled order of the rows."""
        return self._columns[:, order]

    def residuals(self, order: IntArray | None) -> FloatArray:
        """Return the columns: without a regression, all of them is residual."""
        return self._columns if order is None else self._columns[:, order]


@dataclass(frozen=True)
class Explained:
    """A column as what the subset predicts of it and a residual; of categories, bounds of their probabilities."""

    predicted: FloatArray
    spread: FloatArray
    residual: FloatArray
    categories: FloatArray | None = None
    bounds: FloatArray | None = None


def explain(smoother: Smoother, seed: int, column: FloatArray) -> Explained:
    """Predict a column from the subset of a smoother."""
    if has_categories(column):
        categories, bounds = _probabilities(column, smoother)
        own = stream(seed, "points", crc32(column.tobytes()))  # whatever the place of the column
        residual = _points(column, categories, bounds, own)
        return Explained(np.zeros_like(column), np.ones_like(column), residual, categories, bounds)
    predicted = smoother.predict(column)
    spread = expected_spread(column - predicted, smoother)
    return Explained(predicted, spread, (column - predicted) / spread)


class ResidualSurrogates:
    """Draws copies of columns that depend on a subset as the columns do, and on nothing besides.

    A column of numbers is predicted from the subset, its spread too, and its residual, in units of the spread, is
    shuffled and added back. Of a column of categories, the residual of a row is a point of the unit interval,
    within the part that the predicted probabilities of the row give to its category; the points are shuffled, and
    each falls into a category of the row it comes to. Rows are shuffled within strata, if there are any: should
    the residuals still depend on the subset, those of the surrogates do so too. All columns of a draw share the
    shuffle, so that they keep their dependence on each other.
    """

    def __init__(
        self, columns: FloatArray, smoother: Smoother, seed: int, engine: Engine, strata: IntArray | None = None
    ) -> None:
        self._strata = strata
        with on_one_thread():  # here, since what one thread sets is so for all
            explained = engine.each(partial(explain, smoother, seed), list(columns))
        self._predicted = np.stack([column.predicted for column in explained])
        self._spread = np.stack([column.spread for column in explained])
        self._residuals = np.stack([column.residual for column in explained])
        self._categories = {
            i: (column.categories, column.bounds)
            for i, column in enumerate(explained)
            if column.categories is not None and column.bounds is not None
        }

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a surrogate of all columns for a shuffled order of the rows."""
        residuals = self.residuals(order)
        copies = self._predicted + self._spread * residuals
        for i, (categories, bounds) in self._categories.items():
            passed = (residuals[i] > bounds).sum(axis=0)
            copies[i] = categories[np.minimum(passed, len(categories) - 1)]
        return np.asarray(copies)

    def residuals(self, order: IntArray | None) -> FloatArray:
        """Return the residuals of all columns given the subset, for a shuffled order or as they are."""
        if order is None:
            return self._residuals
        return self._residuals[:, order if self._strata is None else shuffled_within(self._strata, order)]


class LocalSurrogates:
    """Draws copies of columns in which each row has the values of a row that is near to it in a subset.

    No row is taken twice where that can be helped (Runge 2018).
    """

    def __init__(self, columns: FloatArray, given: FloatArray, seed: int, step: int) -> None:
        self._columns = columns
        self._seed, self._step = seed, step
        points = np.concatenate([as_points(column) for column in given]).T
        nearest = min(_NEAREST, len(points))
        self._near = KDTree(points).query(points, nearest, p=np.inf)[1].reshape(len(points), nearest)

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a surrogate of all columns; the shuffled order is that in which the rows are served."""
        near = stream(self._seed, "local", self._step, number).permuted(self._near, axis=1)
        source, free = np.empty_like(order), np.ones(len(order), dtype=bool)
        for row in order:
            still_free = near[row][free[near[row]]]
            source[row] = still_free[0] if len(still_free) else near[row, 0]
            free[source[row]] = False
        return self._columns[:, source]

    def residuals(self, order: IntArray | None) -> None:
        """Return None: nothing is predicted from the subset."""


def _probabilities(column: FloatArray, smoother: Smoother) -> tuple[FloatArray, FloatArray]:
    """Return the categories of a column and, for each row, the running sums of their predicted probabilities."""
    categories = np.unique(column)
    probabilities = np.stack([smoother.predict(indicator) for indicator in class_indicators(column)])
    probabilities = np.maximum(probabilities, LEAST_PROBABILITY)
    return categories, np.cumsum(probabilities / probabilities.sum(axis=0), axis=0)


def _points(
    column: FloatArray, categories: FloatArray, bounds: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Return a point for each row, anywhere in the part of the unit interval that is its category's."""
    which, rows = np.searchsorted(categories, column), np.arange(len(column))
    low = np.where(which > 0, bounds[which - 1, rows], 0.0)
    return np.asarray(low + generator.uniform(size=len(column)) * (bounds[which, rows] - low))
