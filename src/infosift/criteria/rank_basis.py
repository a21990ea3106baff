"""A basis of functions of ranks (polynomials, steps, indicators), and information by canonical correlations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift.arrays import DIGITS, BoolArray, FloatArray
from infosift.data.types import are_categorical, indicators_of_largest

# Shares of the rows below the cuts of step functions.
_CUTS = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6)
_MOST_CATEGORIES = 6
# Orders of polynomials; those of candidates of a test have one more, in which rings and waves show.
N_POLYNOMIALS, N_OF_CANDIDATES, N_OF_TARGETS = 3, 4, 2
# Of the polynomials of a target's ranks, the shares that are Hermite's, of normal scores.
_SHARES_OF_HERMITE = (0.5, 0.3)
# A function whose remainder has less than this share of its spread is linearly dependent on the others.
_SMALLEST_SHARE = 1e-7
# Lower bound of 1 - r^2: where a function is determined exactly, the information would be infinite.
_LEAST_LEFT = 1e-12


def polynomials(points: FloatArray, n_orders: int = N_POLYNOMIALS) -> FloatArray:
    """Return the Legendre polynomials of orders 1 to 3 or 4 on [0, 1], of unit variance (orders x ...)."""
    t = 2 * points - 1
    orders = [math.sqrt(3) * t, math.sqrt(5) * (1.5 * t**2 - 0.5), math.sqrt(7) * (2.5 * t**3 - 1.5 * t)]
    if n_orders > N_POLYNOMIALS:
        orders.append(3 * ((4.375 * t**2 - 3.75) * t**2 + 0.375))
    return np.stack(orders)


def polynomials_of_targets(points: FloatArray) -> FloatArray:
    """Return polynomials of orders 1 and 2 for tests of a target: a share of Legendre's is Hermite's (2 x ...).

    Uniform ranks (Wilcoxon's scores) lose some of an effect on a normal variable, and more of one on its spread;
    normal scores (van der Waerden's) lose some where tails are heavy. By simulation: docs/method.md, "Series".
    """
    scores = ndtri(points)
    of_normal = np.stack([scores, (scores**2 - 1) / math.sqrt(2)])
    shares = np.reshape(_SHARES_OF_HERMITE, (N_OF_TARGETS, *[1] * scores.ndim))
    return np.asarray((1 - shares) * polynomials(points)[:N_OF_TARGETS] + shares * of_normal)


def steps_at_cuts(points: FloatArray) -> FloatArray:
    """Return step functions of points in [0, 1] (cuts x ...), which polynomials approximate badly."""
    return np.stack([(points > cut).astype(np.float64) for cut in _CUTS])


def expected_polynomials(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the means of the polynomials over an interval of [0, 1] for each row (orders x rows)."""

    def integrals(points: FloatArray) -> FloatArray:
        t = 2 * points - 1
        return np.stack(
            [
                math.sqrt(3) * t**2 / 4,
                math.sqrt(5) * (t**3 - t) / 4,
                math.sqrt(7) * (2.5 * t**4 - 3 * t**2) / 8,
            ]
        )

    return np.asarray((integrals(high) - integrals(low)) / (high - low))


class Functions(NamedTuple):
    """Functions of a column (functions x rows): smooth ones, and step functions, of which a category has none."""

    smooth: FloatArray
    steps: FloatArray


def functions_of(columns: FloatArray, n_orders: int = N_POLYNOMIALS) -> list[Functions]:
    """Return the basis of each column: polynomials and steps of ranks of numbers, indicators of categories.

    Polynomials have orders 1 to ``n_orders``. Functions are zero in rows with a missing value, which thus drop out
    of sums of products.
    """
    if np.isnan(columns).any():
        return [_functions_with_gaps(column, n_orders) for column in columns]
    categories = are_categorical(columns)
    of_numbers = iter(functions_of_numbers(columns[~categories], n_orders) if not categories.all() else [])
    return [
        Functions(standardised(indicators_of_largest(column, _MOST_CATEGORIES)), np.zeros((0, len(column))))
        if is_category
        else next(of_numbers)
        for column, is_category in zip(columns, categories, strict=True)
    ]


def functions_of_numbers(columns: FloatArray, n_orders: int = N_POLYNOMIALS) -> list[Functions]:
    """Return the basis of each column of numbers; zero in rows with a missing value."""
    if np.isnan(columns).any():
        return [_functions_with_gaps(column, n_orders) for column in columns]
    ranks = uniform_ranks(columns)
    smooth, steps = standardised(polynomials(ranks, n_orders)), standardised(steps_at_cuts(ranks))
    return [Functions(smooth[:, i], steps[:, i]) for i in range(len(columns))]


def _functions_with_gaps(column: FloatArray, n_orders: int) -> Functions:
    known = ~np.isnan(column)
    if not known.any():
        return Functions(np.zeros((1, len(column))), np.zeros((0, len(column))))
    return Functions(*(in_rows(own, known) for own in functions_of(column[None, known], n_orders)[0]))


def in_rows(functions: FloatArray, rows: BoolArray) -> FloatArray:
    """Extend functions (functions x rows) of a subset of the rows to all rows, with zeros."""
    spread = np.zeros((len(functions), len(rows)))
    spread[:, rows] = functions
    return spread


def uniform_ranks(values: FloatArray) -> FloatArray:
    """Return (rank - 1/2) / n along the last axis; values that are equal up to rounding share a rank."""
    scale = np.abs(values).max(axis=-1, keepdims=True)
    rounded = np.round(values / np.where(scale > 0, scale, 1.0), DIGITS)
    return np.asarray((rankdata(rounded, axis=-1) - 0.5) / values.shape[-1])


def standardised(functions: FloatArray) -> FloatArray:
    """Return functions of mean zero and unit variance along the last axis; zero where one is constant."""
    centred = functions - functions.mean(axis=-1, keepdims=True)
    spread = centred.std(axis=-1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9))


class CanonicalInformation:
    """Mutual information of jointly Gaussian functions of the features and of the target, both (functions x rows).

    It is minus half the sum of log(1 - r^2) over the canonical correlations r (Gelfand and Yaglom 1957), and so a
    ratio of determinants of correlation matrices; linearly dependent functions do not change it. ``n_largest``
    restricts the sum to the largest r. Functions have mean zero.
    """

    def __init__(self, given: FloatArray, target: FloatArray, n_largest: int | None = None) -> None:
        self.n_largest = len(target) if n_largest is None else n_largest
        self._given, self._target = orthonormal(given, given[:0]), orthonormal(target, target[:0])
        self._explained = _squares(self._given @ self._target.T)

    @property
    def n_target(self) -> int:
        """Number of independent functions of the target."""
        return len(self._target)

    def with_functions(self, functions: FloatArray) -> tuple[float, int]:
        """Return the information of the given functions plus more, and how many are linearly independent."""
        more = orthonormal(functions, self._given)
        explained = self._explained + _squares(more @ self._target.T)
        left = np.maximum(1 - np.linalg.eigvalsh(explained)[-self.n_largest :], _LEAST_LEFT)
        return float(-np.log(left).sum() / 2), len(self._given) + len(more)


def orthonormal(functions: FloatArray, basis: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what functions add to the span of an orthonormal basis (Gram-Schmidt)."""
    left = functions
    for _ in range(2):  # the second time for what rounding left: "twice is enough" (Parlett 1980)
        left = left - (left @ basis.T) @ basis
    if not left.any():
        return functions[:0]
    _, spread, directions = np.linalg.svd(left, full_matrices=False)
    return np.asarray(directions[spread > _SMALLEST_SHARE * np.sqrt(functions.shape[1])])


def _squares(products: FloatArray) -> FloatArray:
    return np.asarray(products.T @ products)
