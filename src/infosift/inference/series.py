"""Series scores: an orthogonal-series estimate of how the residuals of candidates and target depend on each other.

Products of Legendre polynomials of two ranks, averaged over the rows, are the coefficients of the density ratio of
the two. A shuffle moves rows only, so the coefficients of all candidates and many draws are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions, standardised
from infosift.engines.base import on_one_thread

TARGET_ORDERS = 2
# Of the 53 bits of a float, those that the largest product of two functions takes before the point.
_BITS_OF_PRODUCT = 7
_MOST_BITS = 20


def exact(functions: FloatArray) -> FloatArray:
    """Round functions such that sums of products over the rows are exact: the same bits in whatever order.

    The values fit into floats of half the size, too.
    """
    bits = (53 - _BITS_OF_PRODUCT - math.ceil(math.log2(functions.shape[-1]))) // 2
    bits = min(bits, _MOST_BITS)
    return np.asarray(np.ldexp(np.round(np.ldexp(np.clip(functions, -8, 8), bits)), -bits))


def carried_back(functions: FloatArray, sources: IntArray) -> FloatArray:
    """Return functions (functions x draws x rows) whose products with a column are theirs with ``column[source]``.

    To carry the rows of the few functions of the target back is as good as to move those of all candidates.
    """
    targets = np.full_like(sources, -1)
    np.put_along_axis(targets, sources, np.arange(sources.shape[1])[None], axis=1)
    if targets.min() >= 0:
        return np.take(functions, targets, axis=1, mode="clip")
    moved = np.zeros((len(functions), *sources.shape))
    for draw, source in enumerate(sources):  # some rows are taken more than once
        np.add.at(moved[:, draw].T, source, functions.T)
    return moved


@dataclass(frozen=True)
class TargetSeries:
    """Functions of the parts of a target (parts x functions x rows), of which mean products are taken.

    Of each part two polynomials come first, then products of the first of them with functions of the subset.
    """

    functions: FloatArray

    def moved(self, sources: IntArray) -> FloatArray:
        """Return the functions as candidates that take rows from sources meet them.

        They are (parts x functions x draws x rows).
        """
        n_rows = sources.shape[1]
        flat = carried_back(self.functions.reshape(-1, n_rows), sources)
        return flat.reshape(*self.functions.shape[:2], *sources.shape)


def make_target_series(parts: Sequence[FloatArray], subset: FloatArray | None) -> TargetSeries:
    """Return the series of some parts (functions x rows each); ``subset`` has functions of the subset."""
    n_products = 0 if subset is None else len(subset)
    functions = np.zeros((len(parts), TARGET_ORDERS + n_products, parts[0].shape[1]))
    for i, own in enumerate(parts):
        functions[i, : min(len(own), TARGET_ORDERS)] = own[:TARGET_ORDERS]
        if subset is not None:
            functions[i, TARGET_ORDERS:] = standardised(subset * own[:1])
    return TargetSeries(exact(functions))


@dataclass(frozen=True)
class Series:
    """Functions of candidates, and steps of them, (candidates x functions x rows); both may be padded by zeros.

    They are kept in floats of half the size, which hold them exactly.
    """

    functions: NDArray[np.float32]
    steps: NDArray[np.float32]

    def scores(self, moved: FloatArray) -> FloatArray:
        """Return (draws x candidates x scores): roots of squared mean products, which are nearly normal."""
        first, second = self._squares(moved)
        scores = [
            first[:, 0],
            _sum_in_order(first),
            np.maximum(first[:, :2], second).max(axis=1),
            (_mean_products(self.steps, moved[:, 0]) ** 2).max(axis=1),
        ]
        if moved.shape[1] > TARGET_ORDERS:
            products = moved[:, TARGET_ORDERS:]
            through_subset = _mean_products(self.functions[:, :1], products.reshape(-1, *products.shape[2:]))
            shape = (len(self.functions), *products.shape[:3])
            scores.append((through_subset.reshape(shape) ** 2).max(axis=2))
        roots = np.cbrt(np.stack(scores, axis=2))  # candidates x parts x scores x draws
        return np.ascontiguousarray(np.moveaxis(roots.reshape(len(roots), -1, moved.shape[2]), -1, 0))

    def effects(self, moved: FloatArray) -> FloatArray:
        """Return (draws x candidates): how much of the target each goes with, not studentised."""
        first, second = self._squares(moved)
        of_parts = _sum_in_order(first) + _sum_in_order(first[:, :2]) + _sum_in_order(second)
        return np.asarray(_sum_in_order(of_parts).T)

    def _squares(self, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the squares of all functions with the first of the target, and of two with its second.

        Both are (candidates x functions x parts x draws).
        """
        first = _mean_products(self.functions, moved[:, 0]) ** 2
        return first, _mean_products(self.functions[:, :2], moved[:, 1]) ** 2


def _sum_in_order(terms: FloatArray) -> FloatArray:
    """Return the sum over the second axis, one term after the other: the same bits whatever the other axes are."""
    return reduce(np.add, np.moveaxis(terms, 1, 0))


def _mean_products(functions: NDArray[np.float32], targets: FloatArray) -> FloatArray:
    """Return (candidates x functions x targets x draws) of functions whose last axis are rows."""
    n_rows = functions.shape[2]
    with on_one_thread():
        products = functions.reshape(-1, n_rows).astype(np.float64) @ targets.reshape(-1, n_rows).T
    return np.asarray(products.reshape(*functions.shape[:2], *targets.shape[:2]) / math.sqrt(n_rows))


def make_series(candidates: Sequence[Functions]) -> Series:
    """Return the series of some candidates."""
    smooth, steps = ([getattr(own, name) for own in candidates] for name in ("smooth", "steps"))
    return Series(_padded(smooth, 2), _padded(steps, 1))


def _padded(functions: Sequence[FloatArray], least: int) -> NDArray[np.float32]:
    """Return functions (functions x rows) of several candidates in one array, of at least so many each."""
    most = max(least, *(len(own) for own in functions))
    padded = np.zeros((len(functions), most, functions[0].shape[1]), dtype=np.float32)
    for i, own in enumerate(functions):
        padded[i, : len(own)] = exact(own)
    return padded
