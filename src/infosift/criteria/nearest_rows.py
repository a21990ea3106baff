"""Criteria made of the nearest rows: the Gamma and Delta tests and the error of nearest neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import CandidateScorer, Criterion, NeighborsCriterion, Value
from infosift.data.types import are_categorical, class_indicators, coordinates_of
from infosift.random_streams import stream

# Rows that are equal are neighbours in an order of chance, and never in that of the table, which may be sorted.
_JITTER = 1e-9
# Squared distances that differ by less differ by what breaks ties.
_SMALLEST_SPREAD = 1e-12


class ExplainedShare(Criterion):
    """A criterion whose scores are shares of the target that features explain."""

    measure = "explained share of the target"
    unit = ""

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return the shares that are not explained, which are errors: lower is better."""
        return np.asarray(1 - scores)


class NearestRowsCriterion(NeighborsCriterion, ExplainedShare):
    """A criterion made of nearest neighbours, whose scores are shares of the target that they explain."""

    def __init__(self, n_neighbors: int | str = "auto", *, max_neighbors: int = 20) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors


class NearestRows:
    """Finds the nearest rows in the given columns plus a candidate, by the Euclidean distance (k-d tree)."""

    def __init__(self, given: FloatArray, n_rows: int, n_neighbors: int) -> None:
        jitter = _JITTER * stream(0, "order of equal rows").uniform(size=n_rows)
        self._points = [jitter, *coordinates_of(given)]
        self._n_rows, self._n_neighbors = n_rows, n_neighbors

    def with_candidate(self, candidate: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the neighbours of each row (rows x neighbours), nearest first, and their distances."""
        places = np.ascontiguousarray(np.stack([*self._points, *coordinates_of(candidate[None])], axis=1))
        distances, rows = cKDTree(places).query(places, k=self._n_neighbors + 1, workers=1)
        is_own = rows == np.arange(self._n_rows)[:, None]
        is_own[~is_own.any(axis=1), -1] = True  # so many rows are as near that the row itself is not among them
        shape = (self._n_rows, self._n_neighbors)
        return rows[~is_own].reshape(shape), distances[~is_own].reshape(shape)


class GammaTest(NearestRowsCriterion):
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
        Largest P that "auto" considers.

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

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        counts = [int(value or 1) for value in values]
        nearest, points = NearestRows(given, target.shape[1], max(counts)), coordinates_of(target)
        spread = points.var(axis=1).sum()
        if spread == 0:  # some rows of a target that varies: there is nothing to explain
            return lambda candidate: np.zeros(len(counts))

        def score(candidate: FloatArray) -> FloatArray:
            rows, distances = nearest.with_candidate(candidate)
            delta, gamma = (distances**2).mean(axis=0), _gamma(points, rows)
            return np.array([1 - _intercept(delta[:count], gamma[:count]) / spread for count in counts])

        return score


class DeltaTest(ExplainedShare):
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

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        return GammaTest(1).scorer_given(given, target, (1,) * len(values))


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


class NeighborError(NearestRowsCriterion):
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
        Largest k that "auto" considers.

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

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        counts = [int(value or 1) for value in values]
        nearest = NearestRows(given, target.shape[1], max(counts))
        classes = [
            class_indicators(column) if is_category else None
            for column, is_category in zip(target, are_categorical(target), strict=True)
        ]

        def score(candidate: FloatArray) -> FloatArray:
            rows, _ = nearest.with_candidate(candidate)
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
