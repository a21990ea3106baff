"""Residuals of rows that a ridge regression was not fitted to: each alone, or with all rows of its group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.inference.kernel_functions import Kernel

# In units of n.
RIDGES = tuple(10.0 ** (exponent / 2) for exponent in range(-12, 0))
# So much of the rows is left out at once, unless a group is larger.
_MOST_FOLDS = 20


class LeftOut(Protocol):
    """A ridge regression on functions of the rows, by residuals of rows that are left out.

    Columns (columns x rows) have mean zero. What is asked of all ridges is asked of the compared rows.
    """

    def coefficients(self, centred: FloatArray) -> FloatArray:
        """Return what the other methods want of some columns."""
        ...

    def compared(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals by every ridge (columns x ridges x compared rows)."""
        ...

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of all rows (columns x rows), by a ridge for each column."""
        ...


class EachAlone:
    """Leaves out each row alone, which has a closed form: its residual over one less its leverage."""

    def __init__(self, kernel: Kernel, compared: IntArray) -> None:
        self._basis, self._compared, n_rows = kernel.basis, compared, kernel.basis.n_rows
        self._kept = kernel.eigenvalues / (kernel.eigenvalues + np.array(RIDGES)[:, None] * n_rows)
        self._free = np.empty((len(RIDGES), n_rows))
        for part, values in kernel.basis.in_parts():
            self._free[:, part] = 1 - (self._kept @ (values**2).T + 1 / n_rows)

    def coefficients(self, centred: FloatArray) -> FloatArray:
        """Return the products of columns with the functions."""
        return self._basis.coefficients_of(centred)

    def compared(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals by every ridge, of the compared rows."""
        shares = _of_every_ridge(coefficients, self._kept)
        np.matmul(shares, self._basis.of(self._compared).T, out=out.reshape(len(shares), -1))
        np.subtract(centred[:, None, self._compared], out, out=out)
        np.divide(out, self._free[:, self._compared], out=out)

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of all rows, by a ridge for each column."""
        fitted = self._basis.sums(coefficients * self._kept[ridges])
        return np.asarray((centred - fitted) / self._free[ridges])


class InFolds:
    """Leaves out folds of whole groups: rows of a group are alike, and would predict each other.

    The regression is fitted anew to the rows outside each fold, in coordinates in which it is solved for every
    ridge at once.
    """

    def __init__(self, kernel: Kernel, compared: IntArray, folds: Sequence[IntArray]) -> None:
        self._folds = [_Fold(kernel, rows, compared) for rows in folds]

    def coefficients(self, centred: FloatArray) -> FloatArray:
        """Return the coefficients of the regression outside each fold, before any ridge."""
        inside = [fold.products(centred) for fold in self._folds]
        total = np.sum(inside, axis=0)
        return np.stack(
            [fold.coefficients(total - own, centred) for fold, own in zip(self._folds, inside, strict=True)]
        )

    def compared(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals by every ridge, of the compared rows."""
        for fold, own in zip(self._folds, coefficients, strict=True):
            fold.compare(own, centred, out)

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of all rows, by a ridge for each column."""
        found = np.empty_like(centred)
        for fold, own in zip(self._folds, coefficients, strict=True):
            found[:, fold.rows] = fold.residuals(own, centred, ridges)
        return found


class _Fold:
    """Rows that are left out, and the regression on all others."""

    def __init__(self, kernel: Kernel, rows: IntArray, compared: IntArray) -> None:
        self._basis, self.rows = kernel.basis, rows
        self._n_others = kernel.basis.n_rows - len(rows)
        inside = self._basis.of(rows)
        # The functions are orthonormal with mean zero over all rows, so that the sums over the others are known.
        self._mean = -inside.sum(axis=0) / self._n_others
        products = np.eye(inside.shape[1]) - inside.T @ inside - self._n_others * np.outer(self._mean, self._mean)
        scale = np.sqrt(kernel.eigenvalues)
        values, vectors = np.linalg.eigh(products * np.outer(scale, scale))
        self._turn = scale[:, None] * vectors
        ridges = np.array(RIDGES)[:, None] * kernel.basis.n_rows
        self._kept = 1 / (np.maximum(values, 0.0) + ridges)
        self._places = np.flatnonzero(np.isin(compared, rows))
        self._compared = compared[self._places]
        self._turned = (self._basis.of(self._compared) - self._mean) @ self._turn

    def products(self, centred: FloatArray) -> FloatArray:
        """Return the products of columns with the functions, over the rows of the fold."""
        return np.asarray(centred[:, self.rows] @ self._basis.of(self.rows))

    def coefficients(self, outside: FloatArray, centred: FloatArray) -> FloatArray:
        """Return the coefficients of columns before any ridge, by their products over all other rows."""
        mean = _mean_outside(centred, self.rows)
        return np.asarray((outside - self._n_others * mean * self._mean) @ self._turn)

    def compare(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals of the compared rows that are in the fold."""
        fitted = _of_every_ridge(coefficients, self._kept) @ self._turned.T
        away = centred[:, self._compared] - _mean_outside(centred, self.rows)
        out[:, :, self._places] = away[:, None] - fitted.reshape(len(centred), len(RIDGES), len(self._places))

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of the rows of the fold."""
        sums = (coefficients * self._kept[ridges]) @ self._turn.T
        fitted = sums @ (self._basis.of(self.rows) - self._mean).T
        return np.asarray(centred[:, self.rows] - _mean_outside(centred, self.rows) - fitted)


def _of_every_ridge(coefficients: FloatArray, kept: FloatArray) -> FloatArray:
    """Return what ridges keep of coefficients (columns times ridges x functions)."""
    # No function is held where all rows are alike in the subset, as in a constant that is kept.
    n_columns, n_functions = coefficients.shape
    return np.asarray((coefficients[:, None] * kept).reshape(n_columns * len(kept), n_functions))


def residuals_by_mean(centred: FloatArray, folds: Sequence[IntArray] | None) -> FloatArray:
    """Return the residuals of columns of mean zero by the mean of the rows that are not left out with a row."""
    n_rows = centred.shape[1]
    if folds is None:
        return np.asarray(centred * (n_rows / (n_rows - 1)))
    residuals = np.empty_like(centred)
    for rows in folds:
        residuals[:, rows] = centred[:, rows] - _mean_outside(centred, rows)
    return residuals


def _mean_outside(centred: FloatArray, rows: IntArray) -> FloatArray:
    return np.asarray(-centred[:, rows].sum(axis=1, keepdims=True) / (centred.shape[1] - len(rows)))


def folds_of(row_groups: IntArray | None) -> list[IntArray] | None:
    """Return the rows of folds of about one size, of whole groups; None where each row is left out alone."""
    if row_groups is None:
        return None
    groups, sizes = np.unique(row_groups, return_counts=True)
    if len(groups) == 1:  # whose rows have no others
        return None
    folds, filled = np.empty(len(groups), dtype=np.int64), np.zeros(min(len(groups), _MOST_FOLDS), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable"):
        folds[group] = np.argmin(filled)
        filled[folds[group]] += sizes[group]
    by_row = folds[np.searchsorted(groups, row_groups)]
    return [np.flatnonzero(by_row == fold) for fold in range(len(filled))]
