"""The residual of a target given a subset, in a form that does not depend on the subset itself."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.encoding import class_indicators, has_categories
from infosift.random_streams import stream
from infosift.significance.regression import LEAST_PROBABILITY, Smoother, expected_spread

# Of randomised residuals: chance in them costs power, so that scores are averaged over some versions.
_VERSIONS = 3


def residual_targets(target: FloatArray, smoother: Smoother, most_classes: int, seed: int) -> FloatArray:
    """Return the residuals of each part of the targets given a subset: an array (versions x parts x rows).

    A residual of numbers is in units of the spread that is expected of its row. That of a class is randomised
    (Dunn and Smyth 1996): a point of the unit interval, anywhere in the share that the predicted probability of
    the row gives to what is the case. Such points are uniform whatever the subset is. The size of a plain residual
    is a function of the subset, so that whatever depends on the subset would seem informative. There is one
    version where no target is discrete.
    """
    any_discrete = has_categories(target)
    chances = stream(seed, "points of the target").uniform(
        size=(_VERSIONS if any_discrete else 1, target.shape[1])
    )
    residuals = np.stack(
        [
            _points(part, smoother, chances)
            if has_categories(column)
            else np.broadcast_to(_in_spreads(part, smoother), chances.shape)
            for column in target
            for part in parts_of(column, most_classes)
        ],
        axis=1,
    )
    spread = residuals.std(axis=2, keepdims=True)
    return np.asarray(residuals / np.where(spread > 0, spread, 1))


def _points(indicator: FloatArray, smoother: Smoother, chances: FloatArray) -> FloatArray:
    """Return a point for each version and row: in the upper part if the row is in the class, else in the lower."""
    inside = np.clip(smoother.predict(indicator), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    return np.where(indicator > 0, 1 - inside * chances, (1 - inside) * chances)


def _in_spreads(part: FloatArray, smoother: Smoother) -> FloatArray:
    left = part - smoother.predict(part)
    return np.asarray(left / expected_spread(left, smoother))


def unexplained(target: FloatArray, smoother: Smoother, most_classes: int) -> float:
    """Return the mean squared residual of all targets given a subset."""
    parts = np.concatenate([parts_of(column, most_classes) for column in target])
    return float(np.mean([(part - smoother.predict(part)) ** 2 for part in parts]))


def parts_of(target: FloatArray, most_classes: int) -> FloatArray:
    """Return a target of numbers as it is; of a discrete one, which rows are in each of the largest classes.

    Of two classes, one says it all.
    """
    if not has_categories(target):
        return target[None]
    indicators = class_indicators(target)
    largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:most_classes]
    return indicators[largest[:1] if len(indicators) == 2 else largest]
