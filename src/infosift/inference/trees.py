"""Bagged regression trees on a subset (Breiman 1996), by what they predict for rows outside their samples.

They follow a target that jumps where a feature passes a threshold. A smooth regression blurs the jump, so that
what it leaves of the target is larger, and still depends on the feature.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from infosift import _kernel
from infosift.arrays import FloatArray
from infosift.criteria.rank_basis import uniform_ranks
from infosift.inference.kernel_ridge import KernelRidge
from infosift.random_streams import stream

_N_TREES = 64
# Deeper trees, or smaller leaves, predict a jump worse than a kernel does.
_MOST_DEPTH = 4
_LEAST_ROWS = 5
# Of more rows (or folds of groups), so many are drawn for a tree.
_MOST_DRAWN = 2_000


def predict_target(components: FloatArray, regression: KernelRidge) -> FloatArray:
    """Predict components of the target (components x rows) from the subset of a regression, each row left out.

    A prediction is the mean of that regression, and of trees with a regression of what they leave, weighted so
    that its error is least (stacking; Wolpert 1992).
    """
    smooth, by_trees = regression.predict(components), _predict_by_trees(components, regression)
    away = by_trees + regression.predict(components - by_trees) - smooth
    squares = np.einsum("cr,cr->c", away, away)
    products = np.einsum("cr,cr->c", components - smooth, away)
    weights = np.clip(np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0), 0, 1)
    return np.asarray(smooth + weights[:, None] * away)


def _predict_by_trees(components: FloatArray, regression: KernelRidge) -> FloatArray:
    """Return the predictions of trees (components x rows); for a row that is in all samples, the mean."""
    points = np.ascontiguousarray(regression.points.T)
    half_ranks = np.rint(2 * regression.n_rows * uniform_ranks(points)).astype(np.int64)
    depth = min(len(points), _MOST_DEPTH)
    predicted = _kernel.predicted_by_trees(half_ranks, _samples(regression), components, _LEAST_ROWS, depth)
    return np.where(np.isnan(predicted), components.mean(axis=1, keepdims=True), predicted)


def _samples(regression: KernelRidge) -> NDArray[np.uint16]:
    """Return how often each tree takes each row (trees x rows); of folds of groups, all rows of a fold alike."""
    if regression.folds is None:
        return _drawn(regression.n_rows)
    of_rows = np.empty(regression.n_rows, dtype=np.int64)
    for number, rows in enumerate(regression.folds):
        of_rows[rows] = number
    return np.ascontiguousarray(_drawn(len(regression.folds))[:, of_rows])


@lru_cache(maxsize=4)
def _drawn(n_units: int) -> NDArray[np.uint16]:
    """Return how often each unit is drawn for each tree (trees x units), the same in every run."""
    drawn = stream(0, "trees", n_units).integers(n_units, size=(_N_TREES, min(n_units, _MOST_DRAWN)))
    return np.stack([np.bincount(own, minlength=n_units) for own in drawn]).astype(np.uint16)
