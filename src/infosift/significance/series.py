"""Series scores: an orthogonal-series estimate of how the residuals of candidates and target depend on each other.

Products of Legendre polynomials of two ranks, averaged over the rows, are the coefficients of the density ratio of
the two. A shuffle moves rows only, so the coefficients of all candidates and many draws are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.encoding import class_indicators, has_categories
from infosift.engines.blas import on_one_thread

ORDERS = 3
_MOST_CATEGORIES = 6
_DIGITS = 9
# Of the 53 bits of a float, those that the largest product of two functions takes before the point.
_BITS_OF_PRODUCT = 7


def polynomials(points: FloatArray) -> FloatArray:
    """Return the first Legendre polynomials of points of the unit interval, of unit variance: (orders x rows)."""
    t = 2 * points - 1
    return np.stack([math.sqrt(3) * t, math.sqrt(5) * (1.5 * t**2 - 0.5), math.sqrt(7) * (2.5 * t**3 - 1.5 * t)])


def expected_polynomials(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return their means over intervals, one per row: what a point that may be anywhere in it stands for."""

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


def functions_of(column: FloatArray) -> FloatArray:
    """Return functions of a column: polynomials of the ranks of numbers, indicators of categories."""
    if has_categories(column):
        indicators = class_indicators(column)
        largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:_MOST_CATEGORIES]
        return standardised(indicators[largest[:1] if len(indicators) == 2 else largest])
    return standardised(polynomials(uniform_ranks(column)))


def uniform_ranks(values: FloatArray) -> FloatArray:
    """Return ranks as points of the unit interval; values that differ by rounding only share theirs."""
    scale = np.abs(values).max() or 1.0
    return np.asarray((rankdata(np.round(values / scale, _DIGITS)) - 0.5) / len(values))


def standardised(functions: FloatArray) -> FloatArray:
    """Return functions of mean zero and unit variance; zero where one is constant."""
    centred = functions - functions.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9))


def exact(functions: FloatArray) -> FloatArray:
    """Round functions such that sums of products over the rows are exact: the same bits in whatever order."""
    bits = (53 - _BITS_OF_PRODUCT - math.ceil(math.log2(functions.shape[-1]))) // 2
    return np.asarray(np.ldexp(np.round(np.ldexp(np.clip(functions, -8, 8), bits)), -bits))


def carried_back(functions: FloatArray, source: IntArray) -> FloatArray:
    """Return functions (functions x rows) whose products with a column are theirs with ``column[source]``."""
    moved = np.zeros_like(functions)
    if np.bincount(source, minlength=len(source)).max() == 1:
        moved[:, source] = functions
    else:  # some rows are taken more than once
        np.add.at(moved.T, source, functions.T)
    return moved


@dataclass(frozen=True)
class Series:
    """Functions of candidates and of target parts, whose mean products are the coefficients.

    ``candidates`` (candidates x functions x rows) may be padded by zeros; ``parts`` (parts x functions x rows) has
    polynomials of each part of the target first, then products of the first of them with functions of the subset.
    """

    candidates: FloatArray
    parts: FloatArray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.parts.shape[2])

    def coefficients(self, sources: IntArray) -> FloatArray:
        """Return (draws x candidates x functions x parts x functions); candidates take rows from ``sources``."""
        n_candidates, n_functions, n_rows = self.candidates.shape
        # To carry the rows of the few functions of the target back is as good as to move those of all candidates.
        parts = self.parts.reshape(-1, n_rows)
        moved = np.stack([carried_back(parts, source) for source in sources], axis=1)  # functions x draws x rows
        with on_one_thread():
            products = self.candidates.reshape(-1, n_rows) @ moved.reshape(-1, n_rows).T
        shape = (n_candidates, n_functions, *self.parts.shape[:2], len(sources))
        return np.moveaxis(products.reshape(shape), -1, 0) / math.sqrt(n_rows)

    def scores(self, sources: IntArray) -> FloatArray:
        """Return (draws x candidates x scores): roots of sums of squares, which are nearly normal."""
        squares = self.coefficients(sources) ** 2
        scores = [
            squares[:, :, 0, :, 0],
            squares[:, :, :, :, 0].sum(axis=2),
            squares[:, :, :2, :, :2].sum(axis=(2, 4)),
        ]
        if squares.shape[4] > ORDERS:
            scores.append(squares[:, :, 0, :, ORDERS:].max(axis=3))
        return np.asarray(np.cbrt(np.stack(scores, axis=-1)).reshape(*squares.shape[:2], -1))

    def effects(self) -> FloatArray:
        """Return, for each candidate, how much of the target it goes with: raw, without any draws."""
        squares = self.coefficients(np.arange(self.n_rows)[None])[0] ** 2
        return np.asarray(squares[:, :2, :, :2].sum(axis=(1, 2, 3)) + squares[:, :, :, 0].sum(axis=(1, 2)))


def make_series(
    candidates: Sequence[FloatArray], parts: Sequence[FloatArray], subset: FloatArray | None
) -> Series:
    """Return series of functions (functions x rows) of candidates and of parts; ``subset`` has functions of it."""
    n_rows = parts[0].shape[1]
    most = max(2, *(len(functions) for functions in candidates))
    padded = np.zeros((len(candidates), most, n_rows))
    for i, functions in enumerate(candidates):
        padded[i, : len(functions)] = functions
    n_products = 0 if subset is None else len(subset)
    of_parts = np.zeros((len(parts), ORDERS + n_products, n_rows))
    for i, functions in enumerate(parts):
        of_parts[i, : len(functions)] = functions
        if subset is not None:
            of_parts[i, ORDERS:] = standardised(subset * functions[:1])
    return Series(exact(padded), exact(of_parts))
