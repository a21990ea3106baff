"""The nearest rows of each row, and what criteria made of them share."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import BlockCriterion
from infosift.data.types import coordinates_of
from infosift.errors import InputError, is_auto, require_count
from infosift.random_streams import stream

# Rows that are equal are neighbours in an order of chance, and never in that of the table, which may be sorted.
_JITTER = 1e-9


class NearRowsCriterion(BlockCriterion):
    """A criterion made of nearest neighbours, whose scores are shares of the target that they explain."""

    parameter = "n_neighbors"
    parameter_in_words = "the number of neighbours"
    measure = "explained share of the target"
    unit = ""
    _MAX_NEIGHBORS = 20
    _DEFAULT = 10
    _FEWEST_COMPARED = 1
    n_neighbors: int | str
    max_neighbors: int

    def check(self) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_count("max_neighbors", self.max_neighbors, least=1)
        if is_auto(self.n_neighbors):
            return
        require_count("n_neighbors", self.n_neighbors, 1, '"auto" or ')
        if self.max_neighbors != self._MAX_NEIGHBORS:
            raise InputError(
                f'max_neighbors={self.max_neighbors} is for n_neighbors="auto", and '
                f"n_neighbors={self.n_neighbors} is given: leave one of them out."
            )

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a number of neighbours needs."""
        return 2 + (1 if value is None else int(value))

    def default_value(self, n_rows: int) -> int:
        """Return the number of neighbours where none is given and none is chosen; fewer where rows are few."""
        return max(1, min(self._DEFAULT, n_rows - 2))

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of neighbours to compare: up to the maximum, and at most half of the other rows."""
        most = min(int(self.max_neighbors), (n_rows - 1) // 2)
        return tuple(range(min(self._FEWEST_COMPARED, most) or 1, most + 1))

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return the shares that are not explained, which are errors: lower is better."""
        return np.asarray(1 - scores)


class NearRows:
    """Finds the nearest rows in the given columns plus a candidate, by the Euclidean distance."""

    def __init__(self, given: FloatArray, n_rows: int, n_neighbors: int) -> None:
        jitter = _JITTER * stream(0, "order of equal rows").uniform(size=n_rows)
        self._points = [jitter, *(point for column in given for point in coordinates_of(column))]
        self._n_rows, self._n_neighbors = n_rows, n_neighbors

    def beside(self, candidate: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the neighbours of each row (rows x neighbours), nearest first, and their distances."""
        places = np.ascontiguousarray(np.stack([*self._points, *coordinates_of(candidate)], axis=1))
        distances, rows = cKDTree(places).query(places, k=self._n_neighbors + 1, workers=1)
        is_own = rows == np.arange(self._n_rows)[:, None]
        is_own[~is_own.any(axis=1), -1] = True  # so many rows are as near that it is not among them
        shape = (self._n_rows, self._n_neighbors)
        return rows[~is_own].reshape(shape), distances[~is_own].reshape(shape)
