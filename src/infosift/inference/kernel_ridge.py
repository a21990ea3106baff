"""Kernel ridge regression on a subset, with predictions of rows that are left out of the fit (leave-one-out)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Protocol

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import impute, to_gaussian_ranks
from infosift.data.types import are_categorical, coordinates_of
from infosift.engines.base import Engine, equal_parts, single_threaded_blas
from infosift.random_streams import stream

# Up to as many rows the kernel matrix is exact; beyond, it is spanned by some of the rows (Nyström).
_MOST_EXACT = 400
_LANDMARKS = 250
# Of more rows the functions are held in single precision, and worked with in parts.
_MOST_IN_DOUBLE = 4_096
_ROWS_OF_PART = 1_024
# OpenBLAS computes the last columns of a product apart where their number is no multiple of this (its kernels for
# AVX-512), and adds up in another order there for some rows than for others.
_COLUMNS_OF_TILE = 16
_NEGLIGIBLE = 1e-8
# In units of n.
RIDGES = tuple(10.0 ** (exponent / 2) for exponent in range(-12, 0))
# So much of the rows is left out at once, unless a group is larger.
_MOST_FOLDS = 20
# Widths of the Gaussian kernel, in units of the root of the number of columns.
_WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Narrow ones, and the most columns among which there are rows that near.
_NARROW_WIDTHS = ((0.12, 2), (0.25, 4))
# Enough to compare sets of features by: few functions span the kernel.
QUICK_WIDTHS = (1.0, 4.0)
_TIMES_FILLED = 2
_VALUES_AT_ONCE = 8_000_000
_MOST_COMPARED = 500
_LEAST_SPREAD = 0.1  # of the mean
_LEAST_DISTANCE = 1e-3  # of the mean, whose logarithm is taken
# By how much the distances must be likelier for the spread to vary from row to row: a logarithm of likelihoods.
_COST_OF_A_SPREAD = 3.0
# The middle half of a normal column is 1.35 standard deviations wide.
_NARROW = 0.7


def row_stable_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Multiply two matrices such that the bits of a row do not depend on its place among the rows of ``left``."""
    n_columns = right.shape[1]
    missing = -n_columns % _COLUMNS_OF_TILE
    if missing == 0:
        return np.asarray(left @ right)
    padded = np.zeros((len(right), n_columns + missing))
    padded[:, :n_columns] = right
    return np.asarray((left @ padded)[:, :n_columns])


class Basis:
    """Functions of the rows (rows x functions), in parts of rows.

    Those of a long table are held in single precision: it is the largest thing that a worker has in memory, and
    what is predicted by it is uncertain by much more.
    """

    def __init__(self, n_rows: int, n_functions: int) -> None:
        self._parts = _parts_of(n_rows)
        self._held = np.empty((n_rows, n_functions), np.float64 if len(self._parts) == 1 else np.float32)

    def __setitem__(self, rows: slice, values: FloatArray) -> None:
        self._held[rows] = values

    @property
    def n_rows(self) -> int:
        """Of how many rows they are functions."""
        return len(self._held)

    def of(self, rows: IntArray) -> FloatArray:
        """Return the functions of some rows."""
        return self._held[rows].astype(np.float64, copy=False)

    def coefficients_of(self, columns: FloatArray) -> FloatArray:
        """Return the products of columns with the functions."""
        products = np.zeros((len(columns), self._held.shape[1]))
        for part, values in self.in_parts():
            products += row_stable_product(columns[:, part], values)
        return products

    def sums(self, coefficients: FloatArray) -> FloatArray:
        """Return columns, each a sum of the functions with coefficients of its own."""
        columns = np.empty((len(coefficients), self.n_rows))
        for part, values in self.in_parts():
            columns[:, part] = row_stable_product(coefficients, values.T)
        return columns

    def in_parts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield parts of the rows, with the functions of these."""
        for part in self._parts:
            yield part, self._held[part].astype(np.float64, copy=False)


@dataclass(frozen=True)
class Kernel:
    """A kernel as a sum over functions, which are orthonormal and have mean zero, each with its eigenvalue."""

    basis: Basis
    eigenvalues: FloatArray


def spanned_kernel(width: float, points: FloatArray, n_columns: int) -> Kernel:
    """Return the functions that span a kernel of a width, in units of the root of the number of columns.

    It is spanned by as many of the landmarks as it takes, which for a wide one are few. Of a long table it is
    never there for all rows at once.
    """
    landmarks = _landmarks(len(points))
    marks = points if landmarks is None else points[landmarks]
    factor, pivots, rank, _ = dpstrf(_kernel(marks, marks, width, n_columns), tol=_NEGLIGIBLE, lower=1)
    span, lower = marks[pivots[:rank] - 1], np.tril(factor[:rank, :rank])
    parts = _parts_of(len(points))

    @lru_cache(maxsize=1)  # of a table in one part they are worked out once
    def functions_of(number: int) -> FloatArray:
        kernel = _kernel(points[parts[number]], span, width, n_columns)
        return np.ascontiguousarray(solve_triangular(lower, kernel.T, lower=True).T)

    mean = sum(functions_of(number).sum(axis=0) for number in range(len(parts))) / len(points)
    products = np.zeros((rank, rank))
    for number in range(len(parts)):
        centred = functions_of(number) - mean
        products += centred.T @ centred
    eigenvalues, vectors = eigh(products)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
    vectors, eigenvalues = vectors[:, held] / np.sqrt(eigenvalues[held]), eigenvalues[held]
    basis = Basis(len(points), len(eigenvalues))
    for number, part in enumerate(parts):
        basis[part] = (functions_of(number) - mean) @ vectors
    return Kernel(basis, eigenvalues)


def _parts_of(n_rows: int) -> list[slice]:
    return [slice(0, n_rows)] if n_rows <= _MOST_IN_DOUBLE else equal_parts(n_rows, _ROWS_OF_PART)


def _landmarks(n_rows: int) -> IntArray | None:
    """Return the rows that span the kernel, the same in every run; None where all do."""
    if n_rows <= _MOST_EXACT:
        return None
    return stream(0, "landmarks").choice(n_rows, _LANDMARKS, replace=False)


def _kernel(points: FloatArray, others: FloatArray, width: float, n_columns: int) -> FloatArray:
    return np.asarray(np.exp(-(cdist(points, others, "sqeuclidean") / n_columns) / (2 * width**2)))


class HeldOutResiduals(Protocol):
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


class LeaveOneOut:
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
        fitted = row_stable_product(shares, self._basis.of(self._compared).T)
        np.subtract(centred[:, None, self._compared], fitted.reshape(out.shape), out=out)
        np.divide(out, self._free[:, self._compared], out=out)

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of all rows, by a ridge for each column."""
        fitted = self._basis.sums(coefficients * self._kept[ridges])
        return np.asarray((centred - fitted) / self._free[ridges])


class LeaveGroupsOut:
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
        return row_stable_product(centred[:, self.rows], self._basis.of(self.rows))

    def coefficients(self, outside: FloatArray, centred: FloatArray) -> FloatArray:
        """Return the coefficients of columns before any ridge, by their products over all other rows."""
        mean = _mean_outside(centred, self.rows)
        return row_stable_product(outside - self._n_others * mean * self._mean, self._turn)

    def compare(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals of the compared rows that are in the fold."""
        fitted = row_stable_product(_of_every_ridge(coefficients, self._kept), self._turned.T)
        away = centred[:, self._compared] - _mean_outside(centred, self.rows)
        out[:, :, self._places] = away[:, None] - fitted.reshape(len(centred), len(RIDGES), len(self._places))

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of the rows of the fold."""
        sums = row_stable_product(coefficients * self._kept[ridges], self._turn.T)
        fitted = row_stable_product(sums, (self._basis.of(self.rows) - self._mean).T)
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


class KernelRidge:
    """Predicts columns of numbers from a subset, each row from all others.

    The width of the kernel and the ridge are chosen for each predicted column by the error on rows that are left
    out; the mean of the other rows is one of the choices. Where rows belong to groups, no row is predicted from
    its own group. The same numbers come out whatever else is predicted and however many threads there are.
    """

    def __init__(
        self,
        subset: FloatArray,
        engine: Engine,
        widths: Sequence[float] | None = None,
        row_groups: IntArray | None = None,
    ) -> None:
        pairs = zip(subset, are_categorical(subset), strict=True)
        shaped = [column if is_category else _without_long_tails(column) for column, is_category in pairs]
        self._points = coordinates_of(np.array(shaped)).T
        self._n_columns, self.n_rows = len(subset), len(self._points)
        self._folds = folds_of(row_groups)
        # Of very many rows, some are enough to compare widths and ridges by.
        self._compared = np.linspace(0, self.n_rows - 1, min(self.n_rows, _MOST_COMPARED)).astype(np.int64)
        if widths is None:
            widths = [*(width for width, most in _NARROW_WIDTHS if len(subset) <= most), *_WIDTHS]
        self._widths, self._lock = tuple(widths), Lock()
        self._found: list[HeldOutResiduals] | None = list(engine.local.map(self._fit, self._widths))

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: the points, which are few beside what is fitted to them."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_found")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _found=None)

    @property
    def _fits(self) -> list[HeldOutResiduals]:
        with self._lock:
            if self._found is None:
                with single_threaded_blas():
                    self._found = [self._fit(width) for width in self._widths]
            return self._found

    def _fit(self, width: float) -> HeldOutResiduals:
        kernel = spanned_kernel(width, self._points, self._n_columns)
        if self._folds is None:
            return LeaveOneOut(kernel, self._compared)
        return LeaveGroupsOut(kernel, self._compared, self._folds)

    def predict(self, columns: FloatArray) -> FloatArray:
        """Return what each row of some columns (columns x rows) would be by the others; one column is one row.

        Gaps are filled by what is predicted there.
        """
        if columns.ndim == 1:
            return np.asarray(self.predict(columns[None])[0])
        gaps = np.isnan(columns)
        if not gaps.any():
            return self._predict(columns)
        columns = impute(columns)
        for _ in range(_TIMES_FILLED):
            columns = np.where(gaps, self._predict(columns), columns)
        return self._predict(columns)

    def _predict(self, columns: FloatArray) -> FloatArray:
        at_once = max(1, _VALUES_AT_ONCE // (len(RIDGES) * min(self.n_rows, _MOST_COMPARED)))
        parts = [columns[start : start + at_once] for start in range(0, len(columns), at_once)]
        with single_threaded_blas():
            return np.concatenate([part - self._residuals(part) for part in parts])

    def _residuals(self, columns: FloatArray) -> FloatArray:
        """Return the residuals of some columns, by the width and the ridge that have least of them."""
        centred = columns - columns.mean(axis=1, keepdims=True)
        residuals = residuals_by_mean(centred, self._folds)
        mean_does = np.mean(residuals[:, self._compared] ** 2, axis=1)
        widths, ridges, coefficients = self._best(centred, mean_does)
        for width in np.unique(widths[widths >= 0]):
            # Of all columns, since the bits of a product depend on its shape, and that on the others' widths.
            by_width, own = self._fits[width].residuals(coefficients[width], centred, ridges), widths == width
            residuals[own] = by_width[own]
        return residuals

    def _best(self, centred: FloatArray, least: FloatArray) -> tuple[IntArray, IntArray, list[FloatArray]]:
        """Return the width and the ridge of least error for each column, and the coefficients of all widths.

        A width of -1 is where the mean does best.
        """
        widths, ridges = np.full(len(centred), -1), np.zeros(len(centred), dtype=np.int64)
        coefficients = []
        # A large array is made once: to get and return its memory takes longer than to fill it.
        left = np.empty((len(centred), len(RIDGES), len(self._compared)))
        for width, fit in enumerate(self._fits):
            coefficients.append(fit.coefficients(centred))
            fit.compared(coefficients[-1], centred, left)
            np.multiply(left, left, out=left)
            errors = left.mean(axis=2)
            best = np.argmin(errors, axis=1)
            better = errors.min(axis=1) < least
            widths[better], ridges[better] = width, best[better]
            least = np.minimum(least, errors.min(axis=1))
        return widths, ridges, coefficients


def predict_with_spread(columns: FloatArray, regression: KernelRidge) -> tuple[FloatArray, FloatArray]:
    """Return what each row of some columns would be by the others, and how far from that it is expected to be."""
    predicted = regression.predict(columns)
    return predicted, expected_spread(columns - predicted, regression)


def expected_spread(residuals: FloatArray, regression: KernelRidge) -> FloatArray:
    """Return how far from zero each row of some residuals is expected to be; one where all are zero, or gaps.

    Distances are predicted as they are, and by their logarithms, which can follow a spread down to almost nothing;
    that under which the distances are likeliest is taken, and the same spread for all rows unless one that varies
    is clearly likelier.
    """
    away = np.abs(residuals)
    mean = _mean_of_known(away)[:, None]
    away = np.divide(away, mean, out=np.ones_like(away), where=mean > 0)
    plain = np.maximum(regression.predict(away), _LEAST_SPREAD)
    by_logarithm = np.exp(regression.predict(np.log(np.maximum(away, _LEAST_DISTANCE))))
    spreads = np.stack([np.ones_like(away), plain, by_logarithm])
    spreads = spreads * _mean_of_known(away / spreads)[..., None]
    costs = _mean_of_known(np.log(spreads) + away / spreads)
    costs[0] -= _COST_OF_A_SPREAD / regression.n_rows
    likeliest = np.take_along_axis(spreads, costs.argmin(axis=0)[None, :, None], axis=0)[0]
    return np.asarray(np.where(mean > 0, mean, 1.0) * likeliest)


def _mean_of_known(values: FloatArray) -> FloatArray:
    """Return means along the last axis of what is not a gap; zero where all are gaps."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1))


def _without_long_tails(column: FloatArray) -> FloatArray:
    """Return normal scores in place of numbers most of which lie close together beside their spread."""
    low, high = np.quantile(column, (0.25, 0.75))
    if high - low >= _NARROW * column.std():
        return column
    return to_gaussian_ranks(column)


def impute_by_regression(
    columns: FloatArray, others: Callable[[], FloatArray], engine: Engine, row_groups: IntArray | None = None
) -> FloatArray:
    """Return columns of numbers with gaps filled by what the rest of both predict, categories by the largest.

    A copy among the others, which are asked for where there are gaps, thus says no more than is in the gaps
    already.
    """
    if not np.isnan(columns).any():
        return columns
    plain, is_categorical = impute(np.concatenate([columns, others()])), are_categorical(columns)
    found = plain[: len(columns)].copy()
    for i, column in enumerate(columns):
        if np.isnan(column).any() and not is_categorical[i] and len(plain) > 1:
            predicted = KernelRidge(np.delete(plain, i, axis=0), engine, QUICK_WIDTHS, row_groups).predict(column)
            found[i] = np.where(np.isnan(column), predicted, column)
    return found
