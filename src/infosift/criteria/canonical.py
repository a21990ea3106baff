"""Information of functions that are jointly Gaussian, by their canonical correlations."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray

# A function that others give up to this share of its spread adds nothing.
_SMALLEST_SHARE = 1e-7
# Of what is left to explain: where nothing is, the information would be infinite.
_LEAST_LEFT = 1e-12


class CanonicalInformation:
    """The information of functions of the features about functions of the target, both (functions x rows).

    It is minus half the sum of log(1 - r^2) over the canonical correlations r, which is the ratio of determinants
    of correlation matrices, and which copies and sums of functions do not disturb. ``n_largest`` restricts the sum
    to the largest r. Functions have mean zero.
    """

    def __init__(self, given: FloatArray, target: FloatArray, n_largest: int | None = None) -> None:
        self.n_largest = len(target) if n_largest is None else n_largest
        self._given, self._target = orthonormal(given, given[:0]), orthonormal(target, target[:0])
        self._explained = _squares(self._given @ self._target.T)

    @property
    def n_target(self) -> int:
        """Number of independent functions of the target."""
        return len(self._target)

    def beside(self, functions: FloatArray) -> tuple[float, int]:
        """Return the information of the given functions plus some more, and how many are independent."""
        more = orthonormal(functions, self._given)
        explained = self._explained + _squares(more @ self._target.T)
        left = np.maximum(1 - np.linalg.eigvalsh(explained)[-self.n_largest :], _LEAST_LEFT)
        return float(-np.log(left).sum() / 2), len(self._given) + len(more)


def orthonormal(functions: FloatArray, beside: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what some functions add to an orthonormal basis of others."""
    left = functions
    for _ in range(2):  # the second time for what rounding left
        left = left - (left @ beside.T) @ beside
    if not left.any():
        return functions[:0]
    _, spread, basis = np.linalg.svd(left, full_matrices=False)
    return np.asarray(basis[spread > _SMALLEST_SHARE * np.sqrt(functions.shape[1])])


def _squares(products: FloatArray) -> FloatArray:
    return np.asarray(products.T @ products)
