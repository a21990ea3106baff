"""Regression on the subset: each row predicted from the others, by kernel ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import filled, to_gaussian_ranks
from infosift.data.types import as_points, has_categories
from infosift.engines.base import Engine
from infosift.engines.blas import on_one_thread
from infosift.inference.kernel_functions import spanned_kernel
from infosift.inference.left_out import RIDGES, EachAlone, InFolds, LeftOut, folds_of, residuals_by_mean

# Widths of the Gaussian kernel, in units of the root of the number of columns.
_WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Narrow ones, and the most columns among which there are rows that near.
_NARROW_WIDTHS = ((0.12, 2), (0.25, 4))
# Enough to compare sets of features by: few functions span the kernel.
QUICK_WIDTHS = (1.0, 4.0)
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


class Smoother:
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
        self._points = np.concatenate([as_points(_without_long_tails(column)) for column in subset]).T
        self._n_columns, self.n_rows = len(subset), len(self._points)
        self._folds = folds_of(row_groups)
        # Of very many rows, some are enough to compare widths and ridges by.
        self._compared = np.linspace(0, self.n_rows - 1, min(self.n_rows, _MOST_COMPARED)).astype(np.int64)
        if widths is None:
            widths = [*(width for width, most in _NARROW_WIDTHS if len(subset) <= most), *_WIDTHS]
        self._widths, self._lock = tuple(widths), Lock()
        self._found: list[LeftOut] | None = list(engine.here.each(self._fit, self._widths))

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: the points, which are few beside what is fitted to them."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_found")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _found=None)

    @property
    def _fits(self) -> list[LeftOut]:
        with self._lock:
            if self._found is None:
                with on_one_thread():
                    self._found = [self._fit(width) for width in self._widths]
            return self._found

    def _fit(self, width: float) -> LeftOut:
        kernel = spanned_kernel(width, self._points, self._n_columns)
        if self._folds is None:
            return EachAlone(kernel, self._compared)
        return InFolds(kernel, self._compared, self._folds)

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
        at_once = max(1, _VALUES_AT_ONCE // (len(RIDGES) * min(self.n_rows, _MOST_COMPARED)))
        parts = [columns[start : start + at_once] for start in range(0, len(columns), at_once)]
        with on_one_thread():
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


def predict_with_spread(columns: FloatArray, smoother: Smoother) -> tuple[FloatArray, FloatArray]:
    """Return what each row of some columns would be by the others, and how far from that it is expected to be."""
    predicted = smoother.predict(columns)
    return predicted, expected_spread(columns - predicted, smoother)


def expected_spread(residuals: FloatArray, smoother: Smoother) -> FloatArray:
    """Return how far from zero each row of some residuals is expected to be; one where all are zero, or gaps.

    Distances are predicted as they are, and by their logarithms, which can follow a spread down to almost nothing;
    that under which the distances are likeliest is taken, and the same spread for all rows unless one that varies
    is clearly likelier.
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
    return to_gaussian_ranks(column)
