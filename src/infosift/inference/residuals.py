"""The residual of a target given a subset, in a form that does not depend on the subset itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import expected_polynomials, polynomials, standardised, uniform_ranks
from infosift.data.types import has_categories, indicators_of_largest
from infosift.inference.kernel_ridge import LEAST_PROBABILITY, KernelRidge, predict_with_spread
from infosift.random_streams import stream

# Of randomised residuals: chance in them costs power, so that scores are averaged over some versions.
_VERSIONS = 3


@dataclass(frozen=True)
class TargetResiduals:
    """The residuals of all parts of a target given a subset: (parts x rows).

    ``raw`` are in the units of the target. Of numbers, ``in_spreads`` are in units of the spread that is expected
    of the row. Of a class, the row is in the part from ``low`` to ``high`` of the unit interval: the share that
    its predicted probability gives to what is the case. ``column`` is the column of the target that a part is of.
    """

    raw: FloatArray
    in_spreads: FloatArray
    low: FloatArray
    high: FloatArray
    is_class: NDArray[np.bool_]
    column: IntArray


def residuals_of_target(target: FloatArray, regression: KernelRidge, most_classes: int) -> TargetResiduals:
    """Return the residuals of a target given the subset of a regression."""
    by_column = [target_components(column, most_classes) for column in target]
    column = np.repeat(np.arange(len(target)), [len(own) for own in by_column])
    is_class = np.array([has_categories(values) for values in target])[column]
    parts = np.concatenate(by_column)
    predicted, spread = predict_with_spread(parts, regression)
    raw = parts - predicted
    in_spreads = np.where(is_class[:, None], raw, raw / spread)
    outside = 1 - np.clip(predicted, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    low, high = np.where(parts > 0, outside, 0.0), np.where(parts > 0, 1.0, outside)
    return TargetResiduals(raw, in_spreads, low, high, is_class, column)


def residual_functions(residuals: TargetResiduals) -> list[FloatArray]:
    """Return functions (functions x rows) of the residual of each part: polynomials of its ranks.

    The residual of a class could be any point of its interval (Dunn and Smyth 1996), and such points are uniform
    whatever the subset is. The mean of a polynomial over the interval needs no chance.
    """
    return [
        standardised(
            expected_polynomials(residuals.low[i], residuals.high[i])
            if residuals.is_class[i]
            else polynomials(uniform_ranks(residuals.in_spreads[i]))
        )
        for i in range(len(residuals.raw))
    ]


def randomised_residuals(residuals: TargetResiduals) -> FloatArray:
    """Return residuals for neighbours to look at: an array (versions x parts x rows) of unit spread.

    Neighbours need numbers, so that of a class is a point of its interval, the same in every run. There is one
    version where no target is discrete.
    """
    n_versions = _VERSIONS if residuals.is_class.any() else 1
    places = stream(0, "points of the target").uniform(size=(n_versions, 1, residuals.raw.shape[1]))
    points = residuals.high - (residuals.high - residuals.low) * places
    points = np.where(residuals.is_class[:, None], points, residuals.in_spreads)
    spread = points.std(axis=2, keepdims=True)
    return np.asarray(points / np.where(spread > 0, spread, 1))


def residual_variance(target: FloatArray, regression: KernelRidge | None, most_classes: int) -> float:
    """Return the mean squared residual of all targets given the subset of a regression (None: an empty one)."""
    parts = np.concatenate([target_components(column, most_classes) for column in target])
    predicted = parts.mean(axis=1, keepdims=True) if regression is None else regression.predict(parts)
    return float(np.mean((parts - predicted) ** 2))


def target_components(target: FloatArray, most_classes: int) -> FloatArray:
    """Return a target of numbers as it is; of a discrete one, which rows are in each of the largest classes."""
    if not has_categories(target):
        return target[None]
    return indicators_of_largest(target, most_classes)
