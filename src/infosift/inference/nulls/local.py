"""Local permutations: each row takes the value of a row that is near in the subset (Runge 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from infosift.arrays import FloatArray, IntArray
from infosift.data.types import coordinates_of
from infosift.inference.nulls import Null, RandomPermutations
from infosift.inference.permutation import Permutations
from infosift.random_streams import stream

# Nearest rows, the row itself included: k_perm of Runge (2018). Fewer keep more of the dependence on the subset.
_N_NEAREST = 5


@dataclass(frozen=True)
class LocalPermutations:
    """Draws in which a row takes the value of one of its nearest rows; few rows are taken twice.

    ``nearest`` (rows x neighbours) are the rows that are nearest in the subset, by the maximum norm.
    """

    shuffles: RandomPermutations
    nearest: IntArray

    def __call__(self, draws: range) -> IntArray:
        """Return the row from which each row takes its value (draws x rows)."""
        orders = self.shuffles(draws)
        return np.stack([self._draw(draw, order) for draw, order in zip(draws, orders, strict=True)])

    def _draw(self, draw: int, order: IntArray) -> IntArray:
        """Serve the rows in random order: each takes one of its nearest rows that is still free, or else any."""
        generator = stream(self.shuffles.seed, "local", self.shuffles.step, draw)
        nearest = generator.permuted(self.nearest, axis=1)
        index, free = np.empty_like(order), np.ones(len(order), dtype=bool)
        for row in order:
            still_free = nearest[row][free[nearest[row]]]
            index[row] = still_free[0] if len(still_free) else nearest[row, 0]
            free[index[row]] = False
        return index


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
        return LocalPermutations(shuffles, nearest)
