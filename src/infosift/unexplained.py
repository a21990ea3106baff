"""What a subset of columns leaves unexplained of a target, in a form that tells nothing of the subset itself."""

from __future__ import annotations

import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.residuals import LEAST_PROBABILITY, Smoother, class_indicators, expected_spread
from infosift.streams import stream

# Of the points that stand for classes: chance in them costs power, so that scores are averaged over some versions.
_VERSIONS = 3


def residual_targets(target: FloatArray, smoother: Smoother, most_classes: int, seed: int) -> FloatArray:
    """Return what a subset leaves unexplained of each part of the targets: an array (versions x parts x rows).

    A residual of numbers is in units of the spread that is expected of its row. Being in a class or not becomes a
    point of the unit interval, anywhere in the share that the predicted probability of the row gives to what is
    the case. Such points are evenly spread whatever the subset is; the size of a plain residual is a function of
    the subset, and what is tied to the subset would seem to tell of it. There is one version where no target is
    discrete.
    """
    any_discrete = bool(target.max() >= CATEGORY_GAP)
    chances = stream(seed, "points of the target").uniform(
        size=(_VERSIONS if any_discrete else 1, target.shape[1])
    )
    residuals = np.stack(
        [
            _points(part, smoother, chances)
            if column.max() >= CATEGORY_GAP
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
    """Return the mean square of what a subset leaves unexplained of all targets."""
    parts = np.concatenate([parts_of(column, most_classes) for column in target])
    return float(np.mean([(part - smoother.predict(part)) ** 2 for part in parts]))


def parts_of(target: FloatArray, most_classes: int) -> FloatArray:
    """Return a target of numbers as it is; of a discrete one, which rows are in each of the largest classes.

    Of two classes, one says it all.
    """
    if target.max() < CATEGORY_GAP:
        return target[None]
    indicators = class_indicators(target)
    largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:most_classes]
    return indicators[largest[:1] if len(indicators) == 2 else largest]
