"""Circular shifts: series keep their order in time, so that rows need not be exchangeable.

Two series that are both projected off the same subset are more alike than one that is and one that was shifted
afterwards, the more so the slower they vary. So the target is shifted first and projected then, as the candidates
are, by one linear projection, which does not adapt to any of the shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.criteria.rank_basis import N_OF_CANDIDATES, Functions, functions_of, standardised
from infosift.engines.base import single_threaded_blas
from infosift.inference import nulls
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.permutation import (
    FixedPoint,
    PermutationIndices,
    Permutations,
    padded_rows,
    to_fixed_point,
)
from infosift.random_streams import stream


def circular_shifts(shuffles: nulls.RandomPermutations, draws: range) -> IntArray:
    """Return draws (draws x rows) that shift all rows in time, each by a distance of its own.

    The rows are laid in a ring with their mirror image, so that the last row does not meet the first, from which
    it may be far. All shifts of the ring come in random order, short ones too: of a random walk these are most
    like the data, and without them the data would seem rare. Beyond the last shift they repeat.
    """
    n_rows = shuffles.n_rows
    shifts = 1 + stream(shuffles.seed, "shifts", shuffles.step).permutation(2 * n_rows - 1)
    own = shifts[(np.asarray(draws) - 1) % len(shifts)]
    positions = (np.arange(n_rows) + own[:, None]) % (2 * n_rows)
    return np.asarray(np.where(positions < n_rows, positions, 2 * n_rows - 1 - positions))


class Projection:
    """Projects functions onto the orthogonal complement of functions of a subset: of each column, and of pairs."""

    def __init__(self, given: FloatArray) -> None:
        own = [functions.smooth for functions in functions_of(given, N_OF_CANDIDATES)]
        products = [one[:1] * other[:1] for one, other in combinations(own, 2)]
        with single_threaded_blas():
            self._basis = np.linalg.qr(np.concatenate([np.ones((1, given.shape[1])), *own, *products]).T)[0]

    def __call__(self, functions: FloatArray) -> FloatArray:
        """Return functions (functions x rows) without what the subset explains, of unit variance."""
        with single_threaded_blas():
            residual = functions - (functions @ self._basis) @ self._basis.T
        return standardised(residual)


class ProjectedSurrogates(nulls.Surrogates):
    """Columns whose functions are projected off a subset; they stay where they are while the target is shifted."""

    def __init__(self, columns: FloatArray, projection: Projection, rows: nulls.Positions = nulls.ALL) -> None:
        super().__init__(columns, rows)
        self._projection = projection

    def functions(self, columns: IntArray) -> list[Functions]:
        """Return functions of the columns at some positions, projected off the subset."""
        return [Functions(*map(self._projection, own)) for own in super().functions(columns)]

    def are_ranked(self, columns: IntArray) -> BoolArray:
        """Tell that the functions of no column are those of ranks: they are projected."""
        return np.zeros(len(columns), dtype=bool)


@dataclass(frozen=True)
class ProjectedTarget(nulls.TargetInDraws):
    """A target whose functions are projected off a subset after each shift."""

    projection: Projection = field(kw_only=True)

    def functions(self, draws: Sequence[int]) -> FixedPoint:
        """Return the functions in draws (components x functions x draws x padded rows), shifted and projected."""
        shifted = self.data[..., self.indices(draws)]
        projected = self.projection(shifted.reshape(-1, shifted.shape[-1]))
        return padded_rows(to_fixed_point(projected.reshape(shifted.shape), self.indices.bits))


class ProjectedModel(nulls.NullModel):
    """How candidates and target appear in draws that are shifts in time, given a subset."""

    def __init__(self, given: FloatArray) -> None:
        self._projection = Projection(given)

    def surrogates(
        self, columns: FloatArray, rows: nulls.Positions = nulls.ALL, batch: int | None = None
    ) -> nulls.Surrogates:
        """Return surrogates of columns (columns x rows), drawn in some rows."""
        return ProjectedSurrogates(columns, self._projection, rows)

    def target(
        self,
        components: Sequence[FloatArray],
        subset: FloatArray | None,
        indices: PermutationIndices,
        variances: Sequence[FloatArray] | None = None,
    ) -> nulls.TargetInDraws:
        """Return the target in draws, without products with the subset, which would be shifted with it."""
        return ProjectedTarget(nulls.target_functions(components), indices, projection=self._projection)


class CircularNull(nulls.Null):
    """Shifts candidates and target against each other in time, for series whose rows are in the order of time."""

    name = "circular"
    description = "in which candidates and target are shifted against each other in time"
    draws = "shifts"
    needs_exchangeable_rows = False
    refuses_row_groups = "shifts all rows as one and cannot keep groups of rows together"
    # Shifted candidates have lost their dependence on the subset, which neighbours and pairs would see.
    only_series_given_subset = True
    has_residuals = False

    def n_distinct(self, n_rows: int) -> int | None:
        """Return how many shifts there are besides none."""
        return 2 * n_rows - 1

    def permutations(self, given: FloatArray, shuffles: nulls.RandomPermutations) -> Permutations:
        """Return the shifts."""
        return partial(circular_shifts, shuffles)

    def model(self, given: FloatArray, regression: KernelRidge | None, seed: int) -> nulls.NullModel:
        """Return how candidates and target appear in draws: projected off the subset, if there is one."""
        return ProjectedModel(given) if len(given) else nulls.NullModel()
