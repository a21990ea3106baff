"""Estimates of mutual information in closed form: by counting in bins, and by the Gaussian copula."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import CandidateScorer, Criterion, Value
from infosift.criteria.rank_basis import CanonicalInformation, standardised
from infosift.data.prepare import dense_ranks, to_gaussian_ranks
from infosift.data.types import are_categorical
from infosift.errors import is_auto, require_choice, require_count

_MOST_BINS = 20


class Histogram(Criterion):
    """Mutual information by counting, in nats: the classical plug-in estimate, for small subsets.

    Numbers are put into bins, column by column; categories stay as they are, and so do numbers with no more
    different values than there are bins. Over the cells of the table that features and target make,

        I = sum over cells of n(x, y) / n * log(n n(x, y) / (n(x) n(y))).

    It is never negative. Where features and target are independent, its mean is about (cells of the features - 1)
    (cells of the target - 1) / 2n, so that it says little where a subset has nearly as many cells as there are
    rows.

    Parameters
    ----------
    bins : int or "auto", default="auto"
        Bins of each column of numbers. "auto" leaves it to the method: chosen by resampling from 2 to 20, or else
        the cube root of the number of rows, rounded.
    spacing : {"frequency", "width"}, default="frequency"
        Bins of equal frequency, which no outlier can spoil, or of equal width. Equal values share a bin.

    Examples
    --------
    >>> from infosift import Histogram, mutual_information
    >>> x, y = ["a", "b", "b", "a", "a"], ["s", "t", "t", "t", "s"]
    >>> round(mutual_information(x, y, criterion=Histogram()), 4)
    0.2911
    """

    parameter = "bins"
    parameter_in_words = "the number of bins"

    def __init__(self, bins: int | str = "auto", *, spacing: str = "frequency") -> None:
        self.bins = bins
        self.spacing = spacing

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        require_choice("spacing", self.spacing, ("frequency", "width"))
        if not is_auto(self.bins):
            require_count("bins", self.bins, 2, '"auto" or ')

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a number of bins needs."""
        return 2

    def default_value(self, n_rows: int) -> int:
        """Return the cube root of the number of rows, rounded, and at least 2."""
        return max(2, round(math.cbrt(n_rows)))

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of bins to compare: 2 to 20, and at most half of the rows."""
        return tuple(range(2, max(2, min(_MOST_BINS, n_rows // 2)) + 1))

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        counts = [int(value or 2) for value in values]
        given_columns, target_columns = (
            [_Column(column, self.spacing) for column in columns] for columns in (given, target)
        )
        of_given, of_target = (
            [_crossed([column.bins(count) for column in columns]) for count in counts]
            for columns in (given_columns, target_columns)
        )

        def score(candidate: FloatArray) -> FloatArray:
            column = _Column(candidate, self.spacing)
            cells = [_crossed([*own, column.bins(n)]) for own, n in zip(of_given, counts, strict=True)]
            return np.array([_plug_in(x[0], y[0]) for x, y in zip(cells, of_target, strict=True)])

        return score


class _Column:
    """A column that can be put into bins: its different values numbered, and where they lie between 0 and 1."""

    def __init__(self, column: FloatArray, spacing: str) -> None:
        self._numbers = dense_ranks(column)
        self._is_discrete = bool(are_categorical(column[None])[0])
        if self._is_discrete or not self._numbers.any():
            return
        if spacing == "frequency":
            self._place = (rankdata(self._numbers) - 0.5) / len(column)
        else:
            # By the first of equal values, so that the noise which breaks ties moves none across an edge.
            values = column[np.unique(self._numbers, return_index=True)[1]][self._numbers]
            self._place = (values - values.min()) / np.ptp(values)

    def bins(self, n_bins: int) -> IntArray:
        """Return the number of the bin of each row; values are bins of their own where they are few."""
        if self._is_discrete or self._numbers.max() < n_bins:
            return self._numbers
        return np.asarray(np.minimum((self._place * n_bins).astype(np.int64), n_bins - 1))


def _crossed(partitions: Sequence[IntArray]) -> list[IntArray]:
    """Return the one partition of the rows, by numbers of cells, that several make together; none for none."""
    crossed = list(partitions[:1])
    for bins in partitions[1:]:
        cells = crossed[0] * (bins.max() + 1) + bins
        crossed = [np.unique(cells, return_inverse=True)[1].astype(np.int64)]
    return crossed


def _plug_in(x: IntArray, y: IntArray) -> float:
    """Return the information of two partitions of the rows about each other."""
    n_rows, of_x, of_y = len(x), np.bincount(x), np.bincount(y)
    cells, counts = np.unique(x * len(of_y) + y, return_counts=True)
    independent = of_x[cells // len(of_y)] * of_y[cells % len(of_y)] / n_rows
    return float((counts / n_rows * np.log(counts / independent)).sum())


class GaussianCopula(Criterion):
    """Mutual information of a Gaussian copula, in nats: fast, without a parameter, for monotone dependence only.

    Each column is replaced by its normal scores, the normal quantiles of (rank - 1/2) / n. With the determinants
    of their correlation matrices,

        I = log(det R(x) det R(y) / det R(x, y)) / 2.

    It is the information where the columns, each suitably stretched, are jointly Gaussian. A column that others
    give exactly counts once. It is never negative; where features and target are independent, its mean is about pq
    / 2n for p features and q targets. It is for numbers only. No relation with a target counts for more than 13.8
    nats.

    Parameters
    ----------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import GaussianCopula, mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> y = np.exp(x + rng.normal(size=2000))  # true value: log(2) / 2 = 0.347
    >>> round(mutual_information(x, y, criterion=GaussianCopula()), 2)
    0.34
    """

    takes_categories = False

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        shared = CanonicalInformation(_normal_scores(given), _normal_scores(target))

        def score(candidate: FloatArray) -> FloatArray:
            return np.full(len(values), shared.with_functions(_normal_scores(candidate[None]))[0])

        return score


def _normal_scores(columns: FloatArray) -> FloatArray:
    scores = [to_gaussian_ranks(dense_ranks(column).astype(np.float64)) for column in columns]
    return standardised(np.array(scores).reshape(columns.shape))
