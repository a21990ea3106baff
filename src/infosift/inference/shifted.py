"""Candidates and target beside a subset, where draws are shifts in time.

Two series that are both freed of the same subset go together more than one that is and one that was shifted
since, the more so the fewer swings they make. So the target is shifted first and freed of the subset then, as the
candidates are: by a projection, which is the same for all shifts and adapts to none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions, functions_of, standardised
from infosift.engines.base import on_one_thread
from infosift.inference.series import TARGET_ORDERS, exact
from infosift.inference.surrogates import Rows, ShuffledSurrogates


class Projection:
    """Frees functions of what functions of a subset explain: of each of its columns, and of pairs of them."""

    def __init__(self, given: FloatArray) -> None:
        own = [found.smooth for found in functions_of(given)]
        products = [one[:1] * other[:1] for one, other in combinations(own, 2)]
        with on_one_thread():
            self._basis = np.linalg.qr(np.concatenate([np.ones((1, given.shape[1])), *own, *products]).T)[0]

    def off(self, functions: FloatArray) -> FloatArray:
        """Return functions (functions x rows) without what the subset explains, of unit spread."""
        with on_one_thread():
            left = functions - (functions @ self._basis) @ self._basis.T
        return standardised(left)


class ShiftedSurrogates(ShuffledSurrogates):
    """Columns whose functions are free of a subset; they stay where they are while the target is shifted."""

    def __init__(self, columns: FloatArray, projection: Projection, rows: Rows) -> None:
        super().__init__(columns, rows)
        self._projection = projection

    def functions(self, places: IntArray) -> list[Functions]:
        """Return functions of some columns, free of the subset."""
        return [Functions(*map(self._projection.off, own)) for own in super().functions(places)]


@dataclass(frozen=True)
class ShiftedTarget:
    """Functions of the parts of a target (parts x functions x rows), freed of a subset after each shift."""

    functions: FloatArray
    projection: Projection

    @classmethod
    def of(cls, parts: list[FloatArray], projection: Projection) -> ShiftedTarget:
        """Return some parts (functions x rows each)."""
        functions = np.zeros((len(parts), TARGET_ORDERS, parts[0].shape[1]))
        for i, own in enumerate(parts):
            functions[i, : min(len(own), TARGET_ORDERS)] = own[:TARGET_ORDERS]
        return cls(functions, projection)

    def moved(self, sources: IntArray) -> FloatArray:
        """Return the functions in some draws (parts x functions x draws x rows), each shifted and freed anew."""
        shifted = self.functions[..., sources]
        return exact(self.projection.off(shifted.reshape(-1, shifted.shape[-1])).reshape(shifted.shape))
