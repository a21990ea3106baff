"""Columns that keep their tie to a subset and lose all else: what "adds nothing" looks like beside the subset."""

from __future__ import annotations

from typing import Protocol
from zlib import crc32

import numpy as np
from scipy.spatial import KDTree

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray, IntArray
from infosift.blas import on_one_thread
from infosift.engine import ThreadEngine
from infosift.residuals import LEAST_PROBABILITY, Smoother, as_points, class_indicators, expected_spread
from infosift.strata import shuffled_within, strata_of
from infosift.streams import stream

NULLS = ("residual", "local", "shuffle")
# Rows that a local permutation takes values from: the nearest ones, the row itself included (Runge 2018).
_NEAREST = 5


class Surrogates(Protocol):
    """A way to draw copies of some columns."""

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a copy of all columns for a shuffled order of the rows."""

    def left(self, order: IntArray | None) -> FloatArray | None:
        """Return what the subset leaves of all columns, for a shuffled order or as it is; None where not known."""


def surrogates_of(
    columns: FloatArray,
    null: str,
    given: FloatArray,
    smoother: Smoother | None,
    seed: int,
    step: int,
    engine: ThreadEngine,
    *,
    in_strata: bool = True,
) -> Surrogates:
    """Return the surrogates that a null has beside the given columns; without any, all nulls shuffle."""
    if null == "local" and len(given):
        return LocalSurrogates(columns, given, seed, step)
    if null == "shuffle" or smoother is None:
        return ResidualSurrogates(columns, None, seed, engine)
    return ResidualSurrogates(columns, smoother, seed, engine, strata_of(given) if in_strata else None)


class ResidualSurrogates:
    """Draws copies of columns that depend on a subset as the columns do, and on nothing besides.

    A column of numbers is predicted from the subset, its spread too, and what is left, in units of the spread, is
    shuffled and added back. Of a column of categories, what is left of a row is a point of the unit interval,
    within the part that the predicted probabilities of the row give to its category; the points are shuffled, and
    each falls into a category of the row it comes to. Rows are shuffled within strata, if there are any: should
    what is left still depend on the subset, its surrogates do so too. Without a subset, all columns are shuffled.
    All columns of a draw share the shuffle, so that they keep their ties to each other.
    """

    def __init__(
        self,
        columns: FloatArray,
        smoother: Smoother | None,
        seed: int,
        engine: ThreadEngine,
        strata: IntArray | None = None,
    ) -> None:
        self._strata = strata
        self._predicted = np.zeros_like(columns)
        self._spread = np.ones_like(columns)
        self._left = columns.copy()
        self._chances: dict[int, tuple[FloatArray, FloatArray]] = {}
        if smoother is not None:
            with on_one_thread():  # here, since what one thread sets is so for all
                engine.each(lambda i: self._explain(i, columns[i], smoother, seed), range(len(columns)))

    def _explain(self, i: int, column: FloatArray, smoother: Smoother, seed: int) -> None:
        if column.max() >= CATEGORY_GAP:
            self._chances[i] = _chances(column, smoother)
            own = stream(seed, "points", crc32(column.tobytes()))  # whatever the place of the column
            self._left[i] = _points(column, *self._chances[i], own)
        else:
            self._predicted[i] = smoother.predict(column)
            self._spread[i] = expected_spread(column - self._predicted[i], smoother)
            self._left[i] = (column - self._predicted[i]) / self._spread[i]

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a copy of all columns for a shuffled order of the rows."""
        left = self.left(order)
        copies = self._predicted + self._spread * left
        for i, (categories, bounds) in self._chances.items():
            passed = (left[i] > bounds).sum(axis=0)
            copies[i] = categories[np.minimum(passed, len(categories) - 1)]
        return np.asarray(copies)

    def left(self, order: IntArray | None) -> FloatArray:
        """Return what the subset leaves of all columns, for a shuffled order or as it is."""
        if order is None:
            return self._left
        return self._left[:, order if self._strata is None else shuffled_within(self._strata, order)]


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
        """Return a copy of all columns; the shuffled order is that in which the rows are served."""
        near = stream(self._seed, "local", self._step, number).permuted(self._near, axis=1)
        source, free = np.empty_like(order), np.ones(len(order), dtype=bool)
        for row in order:
            still_free = near[row][free[near[row]]]
            source[row] = still_free[0] if len(still_free) else near[row, 0]
            free[source[row]] = False
        return self._columns[:, source]

    def left(self, order: IntArray | None) -> None:
        """Return None: nothing is predicted from the subset."""


def _chances(column: FloatArray, smoother: Smoother) -> tuple[FloatArray, FloatArray]:
    """Return the categories of a column and, for each row, the running sums of their predicted probabilities."""
    categories = np.unique(column)
    chances = np.stack([smoother.predict(indicator) for indicator in class_indicators(column)])
    chances = np.maximum(chances, LEAST_PROBABILITY)
    return categories, np.cumsum(chances / chances.sum(axis=0), axis=0)


def _points(
    column: FloatArray, categories: FloatArray, bounds: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Return a point for each row, anywhere in the part of the unit interval that is its category's."""
    which, rows = np.searchsorted(categories, column), np.arange(len(column))
    low = np.where(which > 0, bounds[which - 1, rows], 0.0)
    return np.asarray(low + generator.uniform(size=len(column)) * (bounds[which, rows] - low))
