"""Regression on the subset: each row predicted from the others, by kernel ridge regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.encoding import as_points, has_categories
from infosift.data.gaps import filled
from infosift.engines.base import Engine, equal_parts
from infosift.engines.blas import on_one_thread
from infosift.random_streams import stream

# Widths of the Gaussian kernel, in units of the root of the number of columns.
_WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Narrow ones, and the most columns among which there are rows that near.
_NARROW_WIDTHS = ((0.12, 2), (0.25, 4))
# Enough to compare sets of features by: few functions span the kernel.
QUICK_WIDTHS = (1.0, 4.0)
# Ridges in units of n.
_RIDGES = tuple(10.0 ** (exponent / 2) for exponent in range(-12, 0))
# Up to as many rows the kernel matrix is exact; beyond, it is spanned by some of the rows (Nyström).
_MOST_EXACT = 400
_LANDMARKS = 250
_ROWS_AT_ONCE = 4_096
_NEGLIGIBLE = 1e-8
_TIMES_FILLED = 2
_VALUES_AT_ONCE = 8_000_000
_MOST_COMPARED = 500
LEAST_PROBABILITY = 1e-3
_LEAST_SPREAD = 0.1  # of the mean
_LEAST_DISTANCE = 1e-3  # of the mean, whose logarithm is taken
# By how much the distances must be likelier for the spread to vary from row to row: a logarithm of likelihoods.
_COST_OF_A_SPREAD = 3.0
# The middle half of a normal column is 1.35 standard deviations wide.
_NARROW = 0.7


class _Basis:
    """Functions of the rows (rows x functions), in parts of rows.

    Those of a long table are held in single precision: it is the largest thing that a worker has in memory, and
    what is predicted by it is uncertain by much more.
    """

    def __init__(self, n_rows: int, n_functions: int) -> None:
        self._parts = equal_parts(n_rows, _ROWS_AT_ONCE)
        self._held = np.empty((n_rows, n_functions), np.float64 if len(self._parts) == 1 else np.float32)

    def __setitem__(self, rows: slice, values: FloatArray) -> None:
        self._held[rows] = values

    def of(self, rows: IntArray) -> FloatArray:
        """Return the functions of some rows."""
        return self._held[rows].astype(np.float64, copy=False)

    def coefficients_of(self, columns: FloatArray) -> FloatArray:
        """Return the products of columns with the functions."""
        products = np.zeros((len(columns), self._held.shape[1]))
        for part, values in self._in_parts():
            products += columns[:, part] @ values
        return products

    def sums(self, coefficients: FloatArray) -> FloatArray:
        """Return columns, each a sum of the functions with coefficients of its own."""
        columns = np.empty((len(coefficients), len(self._held)))
        for part, values in self._in_parts():
            np.matmul(coefficients, values.T, out=columns[:, part])
        return columns

    def _in_parts(self) -> Iterator[tuple[slice, FloatArray]]:
        for part in self._parts:
            yield part, self._held[part].astype(np.float64, copy=False)


# A basis, the share of it that each ridge keeps, and one less the leverage of each row.
_Fit: TypeAlias = tuple[_Basis, FloatArray, FloatArray]


class Smoother:
    """Predicts columns of numbers from a subset, each row from all others.

    The width of the kernel and the ridge are chosen for each predicted column by its leave-one-out error, which
    has a closed form; the mean of the other rows is one of the choices. The same numbers come out whatever else is
    predicted and however many threads there are.
    """

    def __init__(self, subset: FloatArray, engine: Engine, widths: Sequence[float] | None = None) -> None:
        self._points = np.concatenate([as_points(_without_long_tails(column)) for column in subset]).T
        self._n_columns, self.n_rows = len(subset), len(self._points)
        # Of very many rows, some are enough to compare widths and ridges by.
        self._compared = np.linspace(0, self.n_rows - 1, min(self.n_rows, _MOST_COMPARED)).astype(np.int64)
        if widths is None:
            widths = [*(width for width, most in _NARROW_WIDTHS if len(subset) <= most), *_WIDTHS]
        self._widths, self._lock = tuple(widths), Lock()
        self._found: list[_Fit] | None = list(engine.here.each(_fit, self._widths, self._points, self._n_columns))

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: the points, which are few beside what is fitted to them."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_found")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _found=None)

    @property
    def _fits(self) -> list[_Fit]:
        with self._lock:
            if self._found is None:
                with on_one_thread():
                    self._found = [_fit(width, self._points, self._n_columns) for width in self._widths]
            return self._found

    def predict(self, columns: FloatArray) -> FloatArray:
        """Return what each row of some columns (columns x rows) would be by the others; one column is one row.

        Gaps are filled by what is predicted there.
        """
        if columns.ndim == 1:
            return np.asarray(self.predict(columns[None])[0])
        gaps = np.isnan(columns)
        if not gaps.any():
            return self._predict(columns)
        columns = filled(columns)
        for _ in range(_TIMES_FILLED):
            columns = np.where(gaps, self._predict(columns), columns)
        return self._predict(columns)

    def _predict(self, columns: FloatArray) -> FloatArray:
        at_once = max(1, _VALUES_AT_ONCE // (len(_RIDGES) * min(self.n_rows, _MOST_COMPARED)))
        parts = [columns[start : start + at_once] for start in range(0, len(columns), at_once)]
        with on_one_thread():
            return np.concatenate([part - self._residuals(part) for part in parts])

    def _residuals(self, columns: FloatArray) -> FloatArray:
        """Return the residuals of some columns, by the width and the ridge that have least of them."""
        centred = columns - columns.mean(axis=1, keepdims=True)
        residuals = centred * (self.n_rows / (self.n_rows - 1))
        mean_does = np.mean(residuals[:, self._compared] ** 2, axis=1)
        widths, ridges, coefficients = self._best(centred, mean_does)
        for width in np.unique(widths[widths >= 0]):
            (basis, kept, free), own = self._fits[width], widths == width
            # Of all columns, since the bits of a product depend on its shape, and that on the others' widths.
            fitted = basis.sums(coefficients[width] * kept[ridges])
            residuals[own] = (centred[own] - fitted[own]) / free[ridges[own]]
        return np.asarray(residuals)

    def _best(self, centred: FloatArray, least: FloatArray) -> tuple[IntArray, IntArray, list[FloatArray]]:
        """Return the width and the ridge of least error for each column, and the coefficients of all widths.

        A width of -1 is where the mean does best.
        """
        widths, ridges = np.full(len(centred), -1), np.zeros(len(centred), dtype=np.int64)
        rows, coefficients = self._compared, []
        # Large arrays are made once: to get and return their memory takes longer than to fill it.
        n_fitted, of_rows = len(centred) * len(_RIDGES), centred[:, None, rows]
        fitted = np.empty((n_fitted, len(rows)))
        for width, (basis, kept, free) in enumerate(self._fits):
            coefficients.append(basis.coefficients_of(centred))
            shares = coefficients[-1][:, None] * kept  # columns x ridges x functions
            # No function is held where all rows are alike in the subset, as in a constant that is kept.
            np.matmul(shares.reshape(n_fitted, kept.shape[1]), basis.of(rows).T, out=fitted)
            left = fitted.reshape(len(centred), len(_RIDGES), len(rows))
            np.subtract(of_rows, left, out=left)
            np.divide(left, free[:, rows], out=left)
            np.multiply(left, left, out=left)
            errors = left.mean(axis=2)
            best = np.argmin(errors, axis=1)
            better = errors.min(axis=1) < least
            widths[better], ridges[better] = width, best[better]
            least = np.minimum(least, errors.min(axis=1))
        return widths, ridges, coefficients


def predict_with_spread(columns: FloatArray, smoother: Smoother) -> tuple[FloatArray, FloatArray]:
    """Return what each row of some columns would be by the others, and how far from that it is expected to be."""
    predicted = smoother.predict(columns)
    return predicted, expected_spread(columns - predicted, smoother)


def expected_spread(residuals: FloatArray, smoother: Smoother) -> FloatArray:
    """Return how far from zero each row of some residuals is expected to be; one where all are zero, or gaps.

    Distances are predicted as they are, and by their logarithms, which can follow a spread down to almost nothing;
    that under which the distances are likeliest is taken, and the same spread for all rows unless it tells.
    """
    away = np.abs(residuals)
    mean = _mean_of_known(away)[:, None]
    away = np.divide(away, mean, out=np.ones_like(away), where=mean > 0)
    plain = np.maximum(smoother.predict(away), _LEAST_SPREAD)
    by_logarithm = np.exp(smoother.predict(np.log(np.maximum(away, _LEAST_DISTANCE))))
    spreads = np.stack([np.ones_like(away), plain, by_logarithm])
    spreads = spreads * _mean_of_known(away / spreads)[..., None]
    costs = _mean_of_known(np.log(spreads) + away / spreads)
    costs[0] -= _COST_OF_A_SPREAD / smoother.n_rows
    likeliest = np.take_along_axis(spreads, costs.argmin(axis=0)[None, :, None], axis=0)[0]
    return np.asarray(np.where(mean > 0, mean, 1.0) * likeliest)


def _mean_of_known(values: FloatArray) -> FloatArray:
    """Return means along the last axis of what is not a gap; zero where all are gaps."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1))


def _without_long_tails(column: FloatArray) -> FloatArray:
    """Return normal scores in place of numbers most of which lie close together beside their spread."""
    if has_categories(column):
        return column
    low, high = np.quantile(column, (0.25, 0.75))
    if high - low >= _NARROW * column.std():
        return column
    return np.asarray(ndtri((rankdata(column) - 0.5) / len(column)))


def _landmarks(n_rows: int) -> IntArray | None:
    """Return the rows that span the kernel, the same in every run; None where all do."""
    if n_rows <= _MOST_EXACT:
        return None
    return stream(0, "landmarks").choice(n_rows, _LANDMARKS, replace=False)


def _fit(width: float, points: FloatArray, n_columns: int) -> _Fit:
    """Return what predicts by a kernel of a width.

    The kernel is spanned by as many of the landmarks as it takes, which for a wide one are few. Of a long table it
    is never there for all rows at once.
    """
    landmarks = _landmarks(len(points))
    marks = points if landmarks is None else points[landmarks]
    factor, pivots, rank, _ = dpstrf(_kernel(marks, marks, width, n_columns), tol=_NEGLIGIBLE, lower=1)
    span, lower = marks[pivots[:rank] - 1], np.tril(factor[:rank, :rank])
    parts = equal_parts(len(points), _ROWS_AT_ONCE)
    features = np.empty((len(points), rank))
    for part in parts:
        features[part] = solve_triangular(lower, _kernel(points[part], span, width, n_columns).T, lower=True).T
    features -= features.mean(axis=0)
    eigenvalues, vectors = eigh(features.T @ features)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
    vectors, eigenvalues = vectors[:, held] / np.sqrt(eigenvalues[held]), eigenvalues[held]
    kept = eigenvalues / (eigenvalues + np.array(_RIDGES)[:, None] * len(points))
    basis, leverage = _Basis(len(points), len(eigenvalues)), np.empty((len(_RIDGES), len(points)))
    for part in parts:
        values = features[part] @ vectors
        leverage[:, part] = kept @ (values**2).T + 1 / len(points)
        basis[part] = values
    return basis, kept, 1 - leverage


def _kernel(points: FloatArray, others: FloatArray, width: float, n_columns: int) -> FloatArray:
    return np.asarray(np.exp(-(cdist(points, others, "sqeuclidean") / n_columns) / (2 * width**2)))
