"""Functions of the ranks of a column, and the information in their canonical correlations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from infosift.arrays import DIGITS, FloatArray
from infosift.data.types import has_categories, indicators_of_largest

ORDERS = 3
# Shares of the rows below the cuts of a step.
_CUTS = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6)
_MOST_CATEGORIES = 6
# A function that others give up to this share of its spread adds nothing.
_SMALLEST_SHARE = 1e-7
# Of what is left to explain: where nothing is, the information would be infinite.
_LEAST_LEFT = 1e-12


def polynomials(points: FloatArray) -> FloatArray:
    """Return the first Legendre polynomials of points of the unit interval, of unit variance: (orders x ...)."""
    t = 2 * points - 1
    return np.stack([math.sqrt(3) * t, math.sqrt(5) * (1.5 * t**2 - 0.5), math.sqrt(7) * (2.5 * t**3 - 1.5 * t)])


def steps_at_cuts(points: FloatArray) -> FloatArray:
    """Return which points of the unit interval are above each cut (cuts x ...): what polynomials follow badly."""
    return np.stack([(points > cut).astype(np.float64) for cut in _CUTS])


def expected_polynomials(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the means of the polynomials over intervals, one for each row: for points anywhere in these."""

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
    """Functions of a column (functions x rows): smooth ones, and steps, of which a category has none."""

    smooth: FloatArray
    steps: FloatArray


def functions_of(columns: FloatArray) -> list[Functions]:
    """Return functions of some columns: polynomials and steps of ranks of numbers, indicators of categories.

    They are zero in rows without a value, which are thus left out of sums of products.
    """
    if np.isnan(columns).any():
        return [_functions_with_gaps(column) for column in columns]
    categories = [has_categories(column) for column in columns]
    of_numbers = iter(functions_of_numbers(columns[~np.array(categories)]) if not all(categories) else [])
    return [
        Functions(standardised(indicators_of_largest(column, _MOST_CATEGORIES)), np.zeros((0, len(column))))
        if is_category
        else next(of_numbers)
        for column, is_category in zip(columns, categories, strict=True)
    ]


def functions_of_numbers(columns: FloatArray) -> list[Functions]:
    """Return polynomials and steps of the ranks of some columns of numbers, zero in rows without a value."""
    if np.isnan(columns).any():
        return [_functions_with_gaps(column) for column in columns]
    ranks = uniform_ranks(columns)
    smooth, steps = standardised(polynomials(ranks)), standardised(steps_at_cuts(ranks))
    return [Functions(smooth[:, i], steps[:, i]) for i in range(len(columns))]


def _functions_with_gaps(column: FloatArray) -> Functions:
    known = ~np.isnan(column)
    if not known.any():
        return Functions(np.zeros((1, len(column))), np.zeros((0, len(column))))
    return Functions(*(in_rows(own, known) for own in functions_of(column[None, known])[0]))


def in_rows(functions: FloatArray, rows: NDArray[np.bool_]) -> FloatArray:
    """Return functions (functions x rows) of some rows as functions of all, zero in the others."""
    spread = np.zeros((len(functions), len(rows)))
    spread[:, rows] = functions
    return spread


def uniform_ranks(values: FloatArray) -> FloatArray:
    """Return ranks along the last axis as points of the unit interval; values equal but for rounding share one."""
    scale = np.abs(values).max(axis=-1, keepdims=True)
    rounded = np.round(values / np.where(scale > 0, scale, 1.0), DIGITS)
    return np.asarray((rankdata(rounded, axis=-1) - 0.5) / values.shape[-1])


def standardised(functions: FloatArray) -> FloatArray:
    """Return functions of mean zero and unit variance along the last axis; zero where one is constant."""
    centred = functions - functions.mean(axis=-1, keepdims=True)
    spread = centred.std(axis=-1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9))


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
