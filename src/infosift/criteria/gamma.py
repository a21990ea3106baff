"""The Gamma test: Stefánsson, Končar and Jones, Neural Computing & Applications 5, 131-133 (1997)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import BlockCriterion, ScoreOne
from infosift.criteria.near_rows import NearRows, NearRowsCriterion
from infosift.data.types import coordinates_of

# Squared distances that differ by less differ by what breaks ties.
_SMALLEST_SPREAD = 1e-12


class GammaTest(NearRowsCriterion):
    """Noise variance by the Gamma test: what no smooth function of the features can explain; lower is better.

    For p = 1 to P, delta(p) is the mean squared distance of a row from its p-th neighbour in the features, and
    gamma(p) half the mean squared difference of their targets. The line of least squares through the P points
    (delta, gamma) meets delta = 0 at Gamma, the estimate of the variance of the noise. Scores are 1 - Gamma /
    Var(y), higher for more; functions report Gamma / Var(y), the share of the target's variance that is noise. It
    may be slightly below 0, or above 1.

    Classes are points one apart; their variance is half the probability that two rows differ.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        P. "auto" leaves it to the method: chosen by resampling from 5 on, or else 10.
    max_neighbors : int, default=20
        Largest P that "auto" looks at.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import GammaTest, mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=1000)
    >>> y = np.sin(2 * np.pi * x) + 0.5 * rng.normal(size=1000)  # noise: 0.25 of 0.75
    >>> round(mutual_information(x, y, criterion=GammaTest()), 2)
    0.34
    """

    _FEWEST_COMPARED = 5

    def __init__(self, n_neighbors: int | str = "auto", *, max_neighbors: int = 20) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        counts = [int(value or 1) for value in values]
        near, points = NearRows(given, target.shape[1], max(counts)), _target_points(target)
        spread = points.var(axis=1).sum()
        if spread == 0:  # some rows of a target that varies: there is nothing to explain
            return lambda candidate: np.zeros(len(counts))

        def score(candidate: FloatArray) -> FloatArray:
            rows, distances = near.beside(candidate)
            delta, gamma = (distances**2).mean(axis=0), _gamma(points, rows)
            return np.array([1 - _intercept(delta[:count], gamma[:count]) / spread for count in counts])

        return score


class DeltaTest(BlockCriterion):
    """Noise variance by the Delta test, the Gamma test with one neighbour; lower is better.

    Half the mean squared difference of the targets of a row and its nearest neighbour in the features (Pi and
    Peterson 1994; Eirola et al. 2008). Scores and what functions report are those of ``GammaTest``. It has no
    parameter.

    Parameters
    ----------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import DeltaTest, score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> int(score_candidates(C, C[:, 1] + 0.1 * rng.normal(size=500), criterion=DeltaTest()).argmin())
    1
    """

    measure: ClassVar[str] = NearRowsCriterion.measure
    unit: ClassVar[str] = NearRowsCriterion.unit

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        return GammaTest(1).beside(given, target, (1,) * len(values))

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return the shares of the target's variance that are noise."""
        return np.asarray(1 - scores)


def _target_points(target: FloatArray) -> FloatArray:
    return np.concatenate([coordinates_of(column) for column in target])


def _gamma(points: FloatArray, rows: IntArray) -> FloatArray:
    """Return half the mean squared distance in the target from each neighbour."""
    return np.asarray(sum(((point[rows] - point[:, None]) ** 2).mean(axis=0) for point in points) / 2)


def _intercept(delta: FloatArray, gamma: FloatArray) -> float:
    """Return where the line of least squares meets zero; the mean of gamma where delta does not vary."""
    if np.ptp(delta) <= _SMALLEST_SPREAD:
        return float(gamma.mean())
    centred = delta - delta.mean()
    slope = (centred * gamma).sum() / (centred**2).sum()
    return float(gamma.mean() - slope * delta.mean())
