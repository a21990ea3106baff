"""Local permutations: each row takes the value of a row that is near in the subset (Runge 2018)."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.spatial import KDTree

from infosift.arrays import FloatArray, IntArray
from infosift.data.types import coordinates_of
from infosift.inference.nulls import Null, RandomPermutations
from infosift.inference.permutation import Permutations
from infosift.random_streams import stream

# Nearest rows, the row itself included: k_perm of Runge (2018). Fewer keep more of the dependence on the subset.
_N_NEAREST = 5


def local_draws(shuffles: RandomPermutations, nearest: IntArray, draws: range) -> IntArray:
    """Return draws (draws x rows) in which a row takes the value of one of its nearest; few rows are taken twice.

    ``nearest`` (rows x neighbours) are the rows that are nearest in the subset, by the maximum norm. Rows are
    served in random order: each takes one of its nearest rows that is still free, or else any.
    """
    indices = np.empty((len(draws), shuffles.n_rows), dtype=np.int64)
    for draw, order, index in zip(draws, shuffles(draws), indices, strict=True):
        shuffled = stream(shuffles.seed, "local", shuffles.step, draw).permuted(nearest, axis=1)
        free = np.ones(len(order), dtype=bool)
        for row in order:
            still_free = shuffled[row][free[shuffled[row]]]
            index[row] = still_free[0] if len(still_free) else shuffled[row, 0]
            free[index[row]] = False
    return indices


class LocalNull(Null):
    """Takes values from near rows, which keeps any dependence on the selected features without a regression."""

    name = "local"
    description = "in which each value is replaced by that of a row near in the selected features"
    refuses_row_groups = "takes values of near rows and cannot keep groups of rows together"
    has_residuals = False

    def permutations(self, given: FloatArray, shuffles: RandomPermutations) -> Permutations:
        """Return draws among near rows; without a subset, all rows are shuffled."""
        if not len(given):
            return shuffles
        points = coordinates_of(given).T
        n_nearest = min(_N_NEAREST, len(points))
        nearest = KDTree(points).query(points, n_nearest, p=np.inf)[1].reshape(len(points), n_nearest)
        return partial(local_draws, shuffles, nearest)
