"""Kernel ridge regression on a subset, with predictions of rows that are left out of the fit (leave-one-out).

The kernel is Gaussian, spanned by few rows of a long table (Nyström). Its width and the ridge are chosen for each
predicted column by the error on rows that are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

from infosift import _kernel
from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import uniform_ranks
from infosift.data.prepare import impute, to_gaussian_ranks
from infosift.data.types import are_categorical, coordinates_of
from infosift.engines.base import Engine, equal_parts, single_threaded_blas
from infosift.random_streams import stream

# Of more rows the functions are held in single precision, and worked with in parts.
_MOST_IN_DOUBLE = 4_096
_ROWS_OF_PART = 1_024
# Pivots and eigenvalues below this share of the largest are rounding errors.
_NEGLIGIBLE = 1e-10
# Ridge penalties that are compared, in units of n.
RIDGES = tuple(10.0 ** (exponent / 2) for exponent in range(-16, 0))
# What a degree of freedom costs where values are predicted, and where spreads are: a spread that is smoothed too
# much leaves some of the dependence on the subset. The least share of rows that must be left after that.
_COST_OF_FREEDOM = 1.2
_COST_IN_SPREADS = 1.0
_LEAST_FREE = 0.1
# Where rows are in groups, the most folds of groups that are left out in turn.
_MOST_FOLDS = 20
# Widths of the Gaussian kernel, in units of the root of the number of columns.
_WIDTHS = (0.4, 1.0, 2.5, 8.0)
# Narrow ones, and the most columns in which there are rows that near.
_NARROW_WIDTHS = ((0.15, 3),)
# A kernel is spanned by landmarks (Nyström; Williams and Seeger 2001), the best of twice as many rows. By ridges
# that cross-validation chooses, far fewer degrees of freedom are left.
_MOST_FUNCTIONS = 128
_CANDIDATES_PER_FUNCTION = 2
# Gaps of a predicted column are imputed by its prediction, so many times over.
_ROUNDS_OF_IMPUTING = 2
_VALUES_AT_ONCE = 8_000_000
_MOST_COMPARED = 500
_LEAST_SPREAD = 0.1  # of the mean absolute residual
_LEAST_DISTANCE = 1e-3  # of the mean, before a logarithm is taken
# By how much the log-likelihood must rise for the spread to vary from row to row.
_COST_OF_A_SPREAD = 3.0
# Bagged regression trees (Breiman 1996) follow a target that jumps. Deeper ones predict a jump worse than a kernel
# does. Of more rows (or folds of groups), so many are drawn for a tree.
_N_TREES = 64
_MOST_DEPTH = 4
_LEAST_ROWS = 5
_MOST_DRAWN = 2_000
# A column is heavy-tailed where its interquartile range is less than this times its standard deviation; that of a
# normal one is 1.35 times.
_NARROW = 0.7
# OpenBLAS computes the last columns of a product apart where their number is no multiple of this (its kernels for
# AVX-512), and adds up in another order there for some rows than for others.
_COLUMNS_OF_TILE = 16


def row_stable_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Multiply two matrices such that the bits of a row do not depend on its place among the rows of ``left``."""
    n_columns = right.shape[1]
    missing = -n_columns % _COLUMNS_OF_TILE
    if missing == 0:
        return np.asarray(left @ right)
    padded = np.zeros((len(right), n_columns + missing))
    padded[:, :n_columns] = right
    return np.asarray((left @ padded)[:, :n_columns])


class SquaredDistances:
    """Squared distances of points (rows x coordinates) to landmarks, which all widths of a kernel share.

    ``n_columns`` are those that the coordinates are of, in units of whose root widths are. The landmarks are rows,
    the same in every run; of few rows, all.
    """

    def __init__(self, points: FloatArray, n_columns: int, n_landmarks: int) -> None:
        self.n_rows, self._points, self._n_columns = len(points), points, n_columns
        self._landmarks = points
        if self.n_rows > n_landmarks:
            self._landmarks = points[stream(0, "landmarks").choice(self.n_rows, n_landmarks, replace=False)]
        self.is_long = self.n_rows > _MOST_IN_DOUBLE
        self.parts = equal_parts(self.n_rows, _ROWS_OF_PART if self.is_long else self.n_rows)
        self.among_landmarks = self._between(self._landmarks, self._landmarks)
        # Those of a long table are never in memory as a whole.
        self._of_all = None if self.is_long else self._between(points, self._landmarks)

    def _between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        return np.asarray(cdist(points, others, "sqeuclidean") / self._n_columns)

    def to_landmarks(self, part: slice, which: IntArray) -> FloatArray:
        """Return those of the points of a part to some landmarks."""
        if self._of_all is not None:
            return self._of_all[part, which]
        return self._between(self._points[part], self._landmarks[which])


class KernelBasis:
    """A kernel as a sum over functions of the rows (rows x functions), orthonormal and of mean zero.

    ``eigenvalues`` has one for each function. The functions of a long table are held in single precision: they are
    the largest array that a worker has in memory, and what they predict is uncertain by much more.
    """

    def __init__(self, width: float, distances: SquaredDistances, most: int) -> None:
        """Span the kernel of a width by at most so many functions.

        A pivoted Cholesky factorisation takes as many landmarks as it needs, of a wide kernel few.
        """

        def kernel(squares: FloatArray) -> FloatArray:
            return np.asarray(np.exp(squares * (-1 / (2 * width**2))))

        self.n_rows, self._parts = distances.n_rows, distances.parts
        factor, pivots, rank, _ = dpstrf(kernel(distances.among_landmarks), tol=_NEGLIGIBLE, lower=1)
        rank = min(rank, most)
        span, lower = pivots[:rank] - 1, factor[:rank, :rank]  # of which only the lower half is read

        @lru_cache(maxsize=1)  # a table in one part is worked out once
        def features_of(number: int) -> FloatArray:
            rows = kernel(distances.to_landmarks(self._parts[number], span))
            solved = solve_triangular(lower, rows.T, lower=True, overwrite_b=True, check_finite=False)
            return np.ascontiguousarray(solved.T)

        # Sums and products about a point near the mean, then about the mean: one pass over the parts for both.
        numbers, near = range(len(self._parts)), features_of(0).mean(axis=0)
        sums, products = np.zeros(rank), np.zeros((rank, rank))
        for number in numbers:
            away = features_of(number) - near
            sums, products = sums + away.sum(axis=0), products + away.T @ away
        mean, products = near + sums / self.n_rows, products - np.outer(sums, sums) / self.n_rows
        eigenvalues, vectors = np.linalg.eigh(products)
        held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
        self.eigenvalues, vectors = eigenvalues[held], vectors[:, held] / np.sqrt(eigenvalues[held])
        precision = np.float32 if distances.is_long else np.float64
        self._functions = np.empty((self.n_rows, len(self.eigenvalues)), precision)
        for number, part in enumerate(self._parts):
            self._functions[part] = (features_of(number) - mean) @ vectors

    def at(self, rows: IntArray | slice) -> FloatArray:
        """Return the functions at some rows (rows x functions)."""
        return self._functions[rows].astype(np.float64, copy=False)

    def in_parts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield parts of the rows, with the functions at these."""
        for part in self._parts:
            yield part, self.at(part)

    def coefficients_of(self, columns: FloatArray) -> FloatArray:
        """Return the inner products of columns (columns x rows) with the functions (columns x functions)."""
        products = np.zeros((len(columns), len(self.eigenvalues)))
        for part, values in self.in_parts():
            products += row_stable_product(columns[:, part], values)
        return products

    def sums(self, coefficients: FloatArray) -> FloatArray:
        """Return sums of the functions (columns x rows), by coefficients (columns x functions)."""
        columns = np.empty((len(coefficients), self.n_rows))
        for part, values in self.in_parts():
            columns[:, part] = row_stable_product(coefficients, values.T)
        return columns


class LeaveOneOut:
    """Ridge regressions on a basis, by the residuals of rows that are left out one by one.

    These have a closed form: the residual of a row over one minus its leverage. Columns (columns x rows) are
    centred. Errors are those in the ``compared`` rows.
    """

    def __init__(self, basis: KernelBasis, compared: IntArray) -> None:
        self._basis, self._compared, n_rows = basis, compared, basis.n_rows
        self._functions = np.ascontiguousarray(basis.at(compared).T)
        self._shrinkage = basis.eigenvalues / (basis.eigenvalues + np.array(RIDGES)[:, None] * n_rows)
        self._explained = np.ascontiguousarray((self._shrinkage * (2 - self._shrinkage)).T)
        self._used = (self._shrinkage.sum(axis=1) + 1) / n_rows  # degrees of freedom, as a share of the rows
        self._free = np.empty((len(RIDGES), n_rows))
        for part, values in basis.in_parts():
            self._free[:, part] = 1 - (self._shrinkage @ (values**2).T + 1 / n_rows)

    def coefficients(self, centred: FloatArray) -> FloatArray:
        """Return the coefficients of columns before any ridge, which the other methods take."""
        return self._basis.coefficients_of(centred)

    def best(self, coefficients: FloatArray, centred: FloatArray, cost: float) -> tuple[FloatArray, IntArray]:
        """Return the mean squared error of columns by the best ridge for each, and that ridge.

        It is chosen by generalised cross-validation, in which leverages are replaced by their mean, and a degree
        of freedom counts for ``cost``: without a surplus the ridge is too small too often (Kim and Gu 2004).
        """
        free = 1 - cost * self._used
        free[-1] = max(free[-1], 2 * _LEAST_FREE)  # one ridge is always left
        squares = np.einsum("cr,cr->c", centred, centred)[:, None]
        left = np.maximum(squares - row_stable_product(coefficients**2, self._explained), 0.0)
        ridges = np.argmin(np.where(free > _LEAST_FREE, left / np.maximum(free, _LEAST_FREE) ** 2, np.inf), axis=1)
        fitted = row_stable_product(coefficients * self._shrinkage[ridges], self._functions)
        left = (centred[:, self._compared] - fitted) / self._free[:, self._compared][ridges]
        return np.asarray(np.einsum("cr,cr->c", left, left) / len(self._compared)), ridges

    def residuals(
        self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray, left_out: bool = True
    ) -> FloatArray:
        """Return the residuals of all rows (columns x rows), by a ridge for each column."""
        fitted = self._basis.sums(coefficients * self._shrinkage[ridges])
        return np.asarray((centred - fitted) / (self._free[ridges] if left_out else 1.0))


class LeaveGroupsOut:
    """The same by residuals of folds of whole groups: rows of a group are alike, and would predict each other.

    The regression is fitted anew to the rows outside each fold.
    """

    def __init__(self, basis: KernelBasis, compared: IntArray, folds: Sequence[IntArray]) -> None:
        self._folds, self._n_compared = [_Fold(basis, rows, compared) for rows in folds], len(compared)

    def coefficients(self, centred: FloatArray) -> FloatArray:
        """Return the coefficients outside each fold before any ridge (folds x columns x functions)."""
        inside = [fold.products(centred) for fold in self._folds]
        total, pairs = np.sum(inside, axis=0), zip(self._folds, inside, strict=True)
        return np.stack([fold.coefficients(total - own, centred) for fold, own in pairs])

    def best(self, coefficients: FloatArray, centred: FloatArray, cost: float) -> tuple[FloatArray, IntArray]:
        """Return the mean squared error of columns by the best ridge for each, and that ridge: of all the one."""
        left = np.empty((len(centred), len(RIDGES), self._n_compared))
        for fold, own in zip(self._folds, coefficients, strict=True):
            fold.compare(own, centred, left)
        errors = np.mean(left**2, axis=2)
        return errors.min(axis=1), np.argmin(errors, axis=1)

    def residuals(
        self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray, left_out: bool = True
    ) -> FloatArray:
        """Return the residuals of all rows (columns x rows), by a ridge for each column; they are left out."""
        residuals = np.empty_like(centred)
        for fold, own in zip(self._folds, coefficients, strict=True):
            residuals[:, fold.rows] = fold.residuals(own, centred, ridges)
        return residuals


class _Fold:
    """Rows that are left out, and the regression on all others, in coordinates that solve it for every ridge."""

    def __init__(self, basis: KernelBasis, rows: IntArray, compared: IntArray) -> None:
        self._basis, self.rows, self._n_others = basis, rows, basis.n_rows - len(rows)
        inside = basis.at(rows)
        # The functions are orthonormal with mean zero over all rows, so that the sums over the others are known.
        self._mean = -inside.sum(axis=0) / self._n_others
        products = np.eye(inside.shape[1]) - inside.T @ inside - self._n_others * np.outer(self._mean, self._mean)
        scale = np.sqrt(basis.eigenvalues)
        values, vectors = np.linalg.eigh(products * np.outer(scale, scale))
        self._rotation = scale[:, None] * vectors
        self._shrinkage = 1 / (np.maximum(values, 0.0) + np.array(RIDGES)[:, None] * basis.n_rows)
        self._positions = np.flatnonzero(np.isin(compared, rows))
        self._compared = compared[self._positions]
        self._rotated = (basis.at(self._compared) - self._mean) @ self._rotation

    def products(self, centred: FloatArray) -> FloatArray:
        """Return the products of columns with the functions, over the rows of the fold."""
        return row_stable_product(centred[:, self.rows], self._basis.at(self.rows))

    def coefficients(self, outside: FloatArray, centred: FloatArray) -> FloatArray:
        """Return the coefficients of columns before any ridge, by their products over all other rows."""
        mean = _mean_outside(centred, self.rows)
        return row_stable_product(outside - self._n_others * mean * self._mean, self._rotation)

    def compare(self, coefficients: FloatArray, centred: FloatArray, out: FloatArray) -> None:
        """Write the residuals of the compared rows that are in the fold."""
        fitted = row_stable_product(_by_every_ridge(coefficients, self._shrinkage), self._rotated.T)
        away = centred[:, self._compared] - _mean_outside(centred, self.rows)
        out[:, :, self._positions] = away[:, None] - fitted.reshape(*out.shape[:2], len(self._positions))

    def residuals(self, coefficients: FloatArray, centred: FloatArray, ridges: IntArray) -> FloatArray:
        """Return the residuals of the rows of the fold."""
        sums = row_stable_product(coefficients * self._shrinkage[ridges], self._rotation.T)
        fitted = row_stable_product(sums, (self._basis.at(self.rows) - self._mean).T)
        return np.asarray(centred[:, self.rows] - _mean_outside(centred, self.rows) - fitted)


_Fit: TypeAlias = LeaveOneOut | LeaveGroupsOut


def _by_every_ridge(coefficients: FloatArray, shrinkage: FloatArray) -> FloatArray:
    """Return coefficients shrunk by every ridge (columns times ridges x functions)."""
    # No function is held where all rows are alike in the subset, as in a constant that is kept.
    n_columns, n_functions = coefficients.shape
    return np.asarray((coefficients[:, None] * shrinkage).reshape(n_columns * len(shrinkage), n_functions))


def residuals_by_mean(centred: FloatArray, folds: Sequence[IntArray] | None) -> FloatArray:
    """Return the residuals of centred columns by the mean of the rows that are not left out with a row."""
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
    """Divide whole groups into folds of about one size (the largest first, each into the smallest fold).

    None is where rows are left out one by one: they are in no groups, or all in one.
    """
    groups, sizes = np.unique([] if row_groups is None else row_groups, return_counts=True)
    if row_groups is None or len(groups) == 1:
        return None
    folds, filled = np.empty(len(groups), dtype=np.int64), np.zeros(min(len(groups), _MOST_FOLDS), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable"):
        folds[group] = np.argmin(filled)
        filled[folds[group]] += sizes[group]
    by_row = folds[np.searchsorted(groups, row_groups)]
    return [np.flatnonzero(by_row == fold) for fold in range(len(filled))]


class Resolution(NamedTuple):
    """Widths of kernels that are compared, and how many functions span each at most."""

    widths: tuple[float, ...]
    n_functions: int = _MOST_FUNCTIONS


# Enough to compare subsets by.
QUICK = Resolution((1.0, 4.0), 50)


class KernelRidge:
    """Predicts columns from a subset (columns x rows), each row from the remaining rows (leave-one-out).

    The width of the kernel and the ridge are chosen for each predicted column by the error on rows that are left
    out; the mean of the other rows is one of the choices. Where rows belong to groups, no row is predicted from
    its own group. A prediction has the same bits whatever else is predicted and however many threads there are.
    """

    def __init__(
        self,
        subset: FloatArray,
        engine: Engine,
        resolution: Resolution | None = None,
        row_groups: IntArray | None = None,
    ) -> None:
        self._points = coordinates_of(_without_long_tails(subset)).T  # (rows x coordinates)
        self._n_columns, self.n_rows = len(subset), len(self._points)
        self._folds = folds_of(row_groups)
        # Widths and ridges are compared in some of very many rows.
        self._compared = np.linspace(0, self.n_rows - 1, min(self.n_rows, _MOST_COMPARED)).astype(np.int64)
        if resolution is None:
            narrow = (width for width, most in _NARROW_WIDTHS if len(subset) <= most)
            resolution = Resolution((*narrow, *_WIDTHS))
        self._resolution, self._lock = resolution, Lock()
        self._fitted: list[_Fit] | None = list(engine.local.map(self._fit, resolution.widths, self._distances()))

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: the points, which are few compared with what is fitted to them."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_fitted")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _fitted=None)

    @property
    def _fits(self) -> list[_Fit]:
        with self._lock:
            if self._fitted is None:
                with single_threaded_blas():
                    distances = self._distances()
                    self._fitted = [self._fit(width, distances) for width in self._resolution.widths]
            return self._fitted

    def _distances(self) -> SquaredDistances:
        n_landmarks = _CANDIDATES_PER_FUNCTION * self._resolution.n_functions
        return SquaredDistances(self._points, self._n_columns, n_landmarks)

    def _fit(self, width: float, distances: SquaredDistances) -> _Fit:
        basis = KernelBasis(width, distances, self._resolution.n_functions)
        if self._folds is None:
            return LeaveOneOut(basis, self._compared)
        return LeaveGroupsOut(basis, self._compared, self._folds)

    def predict(self, columns: FloatArray, *, left_out: bool = True, cost: float = _COST_OF_FREEDOM) -> FloatArray:
        """Predict each row of columns (columns x rows), or of one column, from the remaining rows.

        Gaps are imputed by what is predicted there. Unless rows are ``left_out``, it is the fit to all rows, its
        own included; groups of rows are always left out. ``cost`` is that of a degree of freedom.
        """
        if columns.ndim == 1:
            return np.asarray(self.predict(columns[None], left_out=left_out, cost=cost)[0])
        gaps = np.isnan(columns)
        if not gaps.any():
            return self._predict(columns, left_out, cost)
        columns = impute(columns)
        for _ in range(_ROUNDS_OF_IMPUTING):
            columns = np.where(gaps, self._predict(columns, True, cost), columns)
        return self._predict(columns, True, cost)

    def predict_with_jumps(self, components: FloatArray) -> FloatArray:
        """Predict components of the target (components x rows), each row left out, also where they jump.

        A smooth regression blurs a jump, so that what it leaves still depends on the feature. A prediction is the
        mean of that regression, and of trees with a regression of what they leave, weighted so that its error is
        least (stacking; Wolpert 1992).
        """
        smooth, by_trees = self.predict(components), self._predict_by_trees(components)
        away = by_trees + self.predict(components - by_trees) - smooth
        squares = np.einsum("cr,cr->c", away, away)
        products = np.einsum("cr,cr->c", components - smooth, away)
        weights = np.clip(np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0), 0, 1)
        return np.asarray(smooth + weights[:, None] * away)

    def _predict_by_trees(self, components: FloatArray) -> FloatArray:
        """Return what trees predict for rows outside their samples; the mean for a row that is in all of them."""
        points = np.ascontiguousarray(self._points.T)
        half_ranks = np.rint(2 * self.n_rows * uniform_ranks(points)).astype(np.int64)
        depth = min(len(points), _MOST_DEPTH)
        predicted = _kernel.predicted_by_trees(half_ranks, self._samples(), components, _LEAST_ROWS, depth)
        return np.where(np.isnan(predicted), components.mean(axis=1, keepdims=True), predicted)

    def _samples(self) -> NDArray[np.uint16]:
        """Return how often each tree takes each row (trees x rows); all rows of a fold of groups alike."""
        if self._folds is None:
            return _drawn_for_trees(self.n_rows)
        of_rows = np.empty(self.n_rows, dtype=np.int64)
        for number, rows in enumerate(self._folds):
            of_rows[rows] = number
        return np.ascontiguousarray(_drawn_for_trees(len(self._folds))[:, of_rows])

    def _predict(self, columns: FloatArray, left_out: bool, cost: float) -> FloatArray:
        at_once = max(1, _VALUES_AT_ONCE // (len(RIDGES) * min(self.n_rows, _MOST_COMPARED)))
        with single_threaded_blas():
            parts = [columns[part] for part in equal_parts(len(columns), at_once)]
            return np.concatenate([part - self._residuals(part, left_out, cost) for part in parts])

    def _residuals(self, columns: FloatArray, left_out: bool, cost: float) -> FloatArray:
        """Return the (leave-one-out) residuals of columns, by the width and the ridge of least error."""
        centred = columns - columns.mean(axis=1, keepdims=True)
        residuals = residuals_by_mean(centred, self._folds)
        errors_of_mean = np.mean(residuals[:, self._compared] ** 2, axis=1)
        widths, ridges, coefficients = self._best(centred, errors_of_mean, cost)
        for width in np.unique(widths[widths >= 0]):
            # Of all columns, since the bits of a product depend on its shape, and that on the others' widths.
            by_width = self._fits[width].residuals(coefficients[width], centred, ridges, left_out)
            residuals[widths == width] = by_width[widths == width]
        return residuals

    def _best(
        self, centred: FloatArray, least: FloatArray, cost: float
    ) -> tuple[IntArray, IntArray, list[FloatArray]]:
        """Return the width and the ridge of least error for each column, and the coefficients of all widths.

        A width of -1 is where the mean has ``least`` error.
        """
        widths, ridges = np.full(len(centred), -1), np.zeros(len(centred), dtype=np.int64)
        coefficients = []
        for width, fit in enumerate(self._fits):
            coefficients.append(fit.coefficients(centred))
            errors, best = fit.best(coefficients[-1], centred, cost)
            better = errors < least
            widths[better], ridges[better] = width, best[better]
            least = np.minimum(least, errors)
        return widths, ridges, coefficients


@lru_cache(maxsize=4)
def _drawn_for_trees(n_units: int) -> NDArray[np.uint16]:
    """Return how often each unit is drawn for each tree (trees x units), the same in every run."""
    drawn = stream(0, "trees", n_units).integers(n_units, size=(_N_TREES, min(n_units, _MOST_DRAWN)))
    return np.stack([np.bincount(own, minlength=n_units) for own in drawn]).astype(np.uint16)


def predict_with_spread(columns: FloatArray, regression: KernelRidge) -> tuple[FloatArray, FloatArray]:
    """Return leave-one-out predictions of columns (columns x rows), and predictions of the absolute residuals."""
    predicted = regression.predict(columns)
    return predicted, expected_spread(columns - predicted, regression)


def expected_spread(residuals: FloatArray, regression: KernelRidge) -> FloatArray:
    """Predict the absolute value of residuals (columns x rows); one where all are zero, or gaps.

    Absolute residuals are predicted as they are, and by their logarithms, which can follow a spread down to almost
    nothing. Of both, and the same spread for all rows, the one is taken under which the residuals are likeliest if
    they have a Laplace distribution; the constant spread unless one that varies is clearly likelier.
    """
    away = np.abs(residuals)
    mean = _mean_of_known(away)[:, None]
    away = np.divide(away, mean, out=np.ones_like(away), where=mean > 0)
    logarithms = np.log(np.maximum(away, _LEAST_DISTANCE))
    predicted = regression.predict(np.concatenate([away, logarithms]), cost=_COST_IN_SPREADS)
    plain, by_logarithm = np.maximum(predicted[: len(away)], _LEAST_SPREAD), np.exp(predicted[len(away) :])
    spreads = np.stack([np.ones_like(away), plain, by_logarithm])
    spreads = spreads * _mean_of_known(away / spreads)[..., None]
    costs = _mean_of_known(np.log(spreads) + away / spreads)
    costs[0] -= _COST_OF_A_SPREAD / regression.n_rows
    likeliest = np.take_along_axis(spreads, costs.argmin(axis=0)[None, :, None], axis=0)[0]
    return np.asarray(np.where(mean > 0, mean, 1.0) * likeliest)


def _mean_of_known(values: FloatArray) -> FloatArray:
    """Return means along the last axis of what is no gap; zero where all are gaps."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1))


def _without_long_tails(columns: FloatArray) -> FloatArray:
    """Return normal scores in place of numbers with heavy tails, most of which lie close together."""
    low, high = np.quantile(columns, (0.25, 0.75), axis=1)
    is_heavy = (high - low < _NARROW * columns.std(axis=1)) & ~are_categorical(columns)
    if not is_heavy.any():
        return columns
    shaped = columns.copy()
    shaped[is_heavy] = [to_gaussian_ranks(column) for column in columns[is_heavy]]
    return shaped


def impute_by_regression(
    columns: FloatArray, others: Callable[[], FloatArray], engine: Engine, row_groups: IntArray | None = None
) -> FloatArray:
    """Impute gaps of columns (columns x rows) by regression on all other columns, those of categories by the mode.

    ``others`` returns more columns, where there are gaps. A duplicate among them thus tells no more about a row
    than what is imputed there.
    """
    if not np.isnan(columns).any():
        return columns
    plain, is_categorical = impute(np.concatenate([columns, others()])), are_categorical(columns)
    imputed = plain[: len(columns)].copy()
    for i, column in enumerate(columns):
        if np.isnan(column).any() and not is_categorical[i] and len(plain) > 1:
            predicted = KernelRidge(np.delete(plain, i, axis=0), engine, QUICK, row_groups).predict(column)
            imputed[i] = np.where(np.isnan(column), predicted, column)
    return imputed
