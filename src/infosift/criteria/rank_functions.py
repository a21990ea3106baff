"""Functions of a column that show its dependence on others: polynomials of ranks, steps, indicators."""

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
