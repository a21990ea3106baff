"""Sampled curves, such as spectra, as coordinates on a B-spline basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.interpolate import BSpline
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from infosift.arrays import FloatArray
from infosift.errors import InputError

# Leverages this close to one leave nothing to predict a point by when it is left out.
_LARGEST_LEVERAGE = 1 - 1e-8


class BSplineBasis(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace each curve by its coordinates on a B-spline basis, chosen by leave-one-out.

    The functional preprocessing of Rossi et al. (Neurocomputing 64, 2005). All curves are sampled on one grid.
    The basis is that with the smallest error when each sample of a curve is predicted from the others. The error
    comes from the diagonal of the hat matrix, without refitting. Knots are equally spaced and clamped.

    Parameters
    ----------
    n_functions : "auto", int or sequence of int, default="auto"
        Numbers of basis functions to compare. "auto" takes all up to half the number of samples of a curve.
    order : int or sequence of int, default=4
        Orders to compare: degree + 1, so that 4 is a cubic spline.
    grid : array-like of shape (n_samples_of_a_curve,) or None, default=None
        Where the curves are sampled, ascending, such as wavelengths; by default the position of the column.

    Attributes
    ----------
    n_functions_, order_ : int
        What was chosen.
    knots_ : ndarray
        All knots, the repeated ones at the ends included.
    ranges_ : ndarray of shape (n_functions_, 2)
        Where on the grid each function is not zero: a coordinate's range of wavelengths.
    loo_errors_ : dict of (order, n_functions) to float
        Sums of squared leave-one-out errors over all curves.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import BSplineBasis
    >>> wavelengths = np.linspace(400, 800, 101)
    >>> curves = np.sin(wavelengths / 60 + np.arange(5)[:, None])
    >>> basis = BSplineBasis(8, grid=wavelengths).fit(curves)
    >>> basis.transform(curves).shape
    (5, 8)
    >>> basis.ranges_[0].tolist()
    [400.0, 480.0]
    """

    def __init__(
        self, n_functions: str | int | Sequence[int] = "auto", *, order: int | Sequence[int] = 4, grid: Any = None
    ) -> None:
        self.n_functions = n_functions
        self.order = order
        self.grid = grid

    def fit(self, X: Any, y: Any = None) -> BSplineBasis:
        """Choose the basis; the target is not used."""
        X = validate_data(self, X, dtype=np.float64)
        grid = self._read_grid(X.shape[1])
        self.loo_errors_: dict[tuple[int, int], float] = {}
        smallest = np.inf
        for order in sorted({min(order, len(grid)) for order in _counts("order", self.order)}):
            for number in self._numbers(len(grid), order):
                basis = _Basis.on(grid, number, order)
                if basis is not None:
                    error = basis.leave_one_out_error(X)
                    if error < smallest or not self.loo_errors_:
                        self._basis, smallest = basis, error
                    self.loo_errors_[order, number] = error
        if not self.loo_errors_:
            raise InputError(
                f"No basis of {self.n_functions!r} functions fits curves of {len(grid)} samples: ask for fewer."
            )
        self.n_functions_, self.order_ = self._basis.n_functions, self._basis.order
        self._n_features_out = self.n_functions_
        self.knots_ = self._basis.knots
        self.ranges_ = np.column_stack([self.knots_[: self.n_functions_], self.knots_[self.order_ :]])
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the coordinates of curves: the least-squares fit to their samples."""
        check_is_fitted(self)
        return self._basis.coordinates(validate_data(self, X, reset=False, dtype=np.float64))

    def inverse_transform(self, X: Any) -> FloatArray:
        """Return the curves that have these coordinates, sampled on the grid."""
        check_is_fitted(self)
        coordinates = check_array(X, dtype=np.float64)
        if coordinates.shape[1] != self.n_functions_:
            raise InputError(f"Curves have {self.n_functions_} coordinates, not {coordinates.shape[1]}.")
        return self._basis.curves(coordinates)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name for each coordinate."""
        check_is_fitted(self)
        return np.array([f"spline{number}" for number in range(self.n_functions_)], dtype=object)

    def _read_grid(self, n_samples: int) -> FloatArray:
        if self.grid is None:
            return np.arange(n_samples, dtype=np.float64)
        grid = np.asarray(self.grid, dtype=np.float64)
        if grid.shape != (n_samples,):
            raise InputError(f"grid must have one position for each of the {n_samples} columns of X.")
        if not (np.isfinite(grid).all() and (np.diff(grid) > 0).all()):
            raise InputError("grid must ascend.")
        return grid

    def _numbers(self, n_samples: int, order: int) -> list[int]:
        if self.n_functions is None or isinstance(self.n_functions, str):
            if self.n_functions != "auto":
                raise InputError(f'n_functions must be "auto" or numbers of functions, not {self.n_functions!r}.')
            return list(range(order, max(order, n_samples // 2) + 1))
        return [number for number in _counts("n_functions", self.n_functions) if order <= number <= n_samples]


def _counts(name: str, value: Any) -> list[int]:
    counts = [int(number) for number in np.atleast_1d(value)]
    if not counts or min(counts) < 1:
        raise InputError(f"{name} must be at least 1, not {value!r}.")
    return counts


@dataclass(frozen=True)
class _Basis:
    """B-splines sampled on a grid, with the factor of their normal equations."""

    order: int
    knots: FloatArray
    values: csr_array  # samples x functions
    factor: FloatArray  # of values.T @ values, banded

    @classmethod
    def on(cls, grid: FloatArray, n_functions: int, order: int) -> _Basis | None:
        """Return the basis; None where the samples do not determine its coordinates."""
        ends = (grid[0], grid[-1]) if len(grid) > 1 else (grid[0], grid[0] + 1.0)
        interior = np.linspace(*ends, n_functions - order + 2)
        knots = np.concatenate([[ends[0]] * (order - 1), interior, [ends[1]] * (order - 1)])
        values = csr_array(BSpline.design_matrix(grid, knots, order - 1))
        squares = values.T @ values
        band = np.zeros((order, n_functions))
        for below in range(order):
            band[below, : n_functions - below] = squares.diagonal(-below)
        try:
            factor = cholesky_banded(band, lower=True)
        except LinAlgError:
            return None
        return cls(order, knots, values, factor)

    @property
    def n_functions(self) -> int:
        return int(self.values.shape[1])

    def coordinates(self, curves: FloatArray) -> FloatArray:
        return np.asarray(cho_solve_banded((self.factor, True), self.values.T @ curves.T).T)

    def curves(self, coordinates: FloatArray) -> FloatArray:
        return np.asarray((self.values @ coordinates.T).T)

    def leave_one_out_error(self, curves: FloatArray) -> float:
        leverage = self._leverage()
        if leverage.max() > _LARGEST_LEVERAGE:
            return np.inf
        residuals = curves - self.curves(self.coordinates(curves))
        return float(np.sum((residuals / (1 - leverage)) ** 2))

    def _leverage(self) -> FloatArray:
        """Return the diagonal of the hat matrix; at each sample as many functions as the order are not zero."""
        inverse = cho_solve_banded((self.factor, True), np.eye(self.n_functions))
        weights = self.values.data.reshape(-1, self.order)
        which = self.values.indices.reshape(-1, self.order)
        near = inverse[which[:, :, None], which[:, None, :]]
        return np.asarray(np.einsum("ia,iab,ib->i", weights, near, weights))
