"""The leave-one-out error of nearest neighbours: how well a subset predicts the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import ScoreOne
from infosift.criteria.near_rows import NearRows, NearRowsCriterion
from infosift.data.types import class_indicators, has_categories


class NeighborError(NearRowsCriterion):
    """Leave-one-out error of k nearest neighbours; lower is better.

    Each row is predicted from its k nearest others in the features, by the Euclidean distance: a number by their
    mean, a class by their majority. The error is the mean squared error in units of the target's variance, or the
    share of wrong classes; where several classes have most votes, each counts in part. With several targets it is
    the mean of theirs. Scores are 1 less the error, higher for more; functions report the error.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        k. "auto" leaves it to the method: chosen by resampling, or else 5.
    max_neighbors : int, default=20
        Largest k that "auto" looks at.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import NeighborError, score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> y = np.where(C[:, 1] > 0, "high", "low")
    >>> int(score_candidates(C, y, criterion=NeighborError()).argmin())
    1
    """

    _DEFAULT = 5

    def __init__(self, n_neighbors: int | str = "auto", *, max_neighbors: int = 20) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        counts = [int(value or 1) for value in values]
        near = NearRows(given, target.shape[1], max(counts))
        classes = [class_indicators(column) if has_categories(column) else None for column in target]

        def score(candidate: FloatArray) -> FloatArray:
            rows, _ = near.beside(candidate)
            errors = [
                _squared_errors(column, rows, counts) if own is None else _shares_wrong(own, rows, counts)
                for column, own in zip(target, classes, strict=True)
            ]
            return np.asarray(1 - np.mean(errors, axis=0))

        return score


def _squared_errors(numbers: FloatArray, rows: IntArray, counts: Sequence[int]) -> FloatArray:
    """Return the mean squared error for each number of neighbours, in units of the variance."""
    sums = np.cumsum(numbers[rows], axis=1)
    errors = [np.mean((sums[:, count - 1] / count - numbers) ** 2) for count in counts]
    spread = numbers.var()
    return np.asarray(np.array(errors) / spread if spread > 0 else np.ones(len(counts)))


def _shares_wrong(indicators: FloatArray, rows: IntArray, counts: Sequence[int]) -> FloatArray:
    """Return the share of wrong classes for each number of neighbours; a tie counts in part."""
    votes = np.cumsum(indicators[:, rows], axis=2)
    own = indicators.argmax(axis=0)
    wrong = []
    for count in counts:
        polled = votes[:, :, count - 1]
        wins = polled == polled.max(axis=0)
        right = wins[own, np.arange(len(own))] / wins.sum(axis=0)
        wrong.append(1 - right.mean())
    return np.array(wrong)
