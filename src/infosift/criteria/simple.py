"""Estimates of mutual information in closed form: by counting in bins, the Gaussian copula, and a series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import digamma
from scipy.stats import rankdata, wishart

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import CandidateScorer, Criterion, Value
from infosift.criteria.rank_basis import CanonicalInformation, functions_of, standardised
from infosift.data.prepare import dense_ranks, to_gaussian_ranks
from infosift.data.types import are_categorical
from infosift.errors import is_auto, require_choice, require_count
from infosift.random_streams import stream

_MOST_BINS = 20
# A canonical correlation needs some rows for each function.
_ROWS_PER_FUNCTION = 5
_DRAWS = 400


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

        def cells_of(columns: FloatArray) -> list[list[IntArray]]:
            own = [_Column(column, self.spacing) for column in columns]
            return [_crossed([column.bins(count) for column in own]) for count in counts]

        of_given, of_target = cells_of(given), cells_of(target)

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
        return lambda column: np.full(len(values), shared.with_functions(_normal_scores(column[None]))[0])


def _normal_scores(columns: FloatArray) -> FloatArray:
    scores = [to_gaussian_ranks(dense_ranks(column).astype(np.float64)) for column in columns]
    return standardised(np.array(scores).reshape(columns.shape))


class Series(Criterion):
    """Mutual information by an orthogonal series, in nats: fast, and without a parameter.

    The functions that the default method tests first, made an estimate. Of each column of numbers these are the
    Legendre polynomials of orders 1 to 3 of its ranks; of each column of categories the indicators of up to six;
    and for each two features the product of their first functions. With r the canonical correlations of the
    functions of the features with those of the target,

        I = - sum log(1 - r^2) / 2, less the mean of this sum under independence.

    Of a target of numbers only the largest r counts, one for each column: others belong to the same dependence,
    of which they are powers if it is Gaussian. The mean is that of Gaussian functions (Wilks): a closed form where
    all r count, else from draws that are always the same. So the estimate is not clipped at zero. It sees what is
    smooth, and products of two features. There is at most one function for every five rows: the first ones.

    Parameters
    ----------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import Series, score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> y = C[:, 0] * C[:, 2] + 0.5 * rng.normal(size=500)
    >>> int(score_candidates(C, y, given=C[:, [0]], criterion=Series()).argmax())
    2
    """

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows one function of the features and one of the target need."""
        return _ROWS_PER_FUNCTION

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        n_rows = target.shape[1]
        most = max(1, n_rows // _ROWS_PER_FUNCTION)
        own = [functions.smooth for functions in functions_of(given)] if len(given) else []
        first = np.array([functions[0] for functions in own]).reshape(len(own), n_rows)
        pairs = [standardised(first[:i] * first[i]) for i in range(1, len(first))]
        of_given = np.concatenate([_by_order(own, n_rows), *pairs])[: most // 2]
        of_target = functions_of(target)
        # Categories, which have no steps, count with all their functions.
        n_largest = sum(1 if len(functions.steps) else len(functions.smooth) for functions in of_target)
        parts = [functions.smooth for functions in of_target]
        shared = CanonicalInformation(of_given, _by_order(parts, n_rows)[:most], n_largest)

        def score(candidate: FloatArray) -> FloatArray:
            functions = functions_of(candidate[None])[0].smooth
            products = standardised(first * functions[0])
            more = np.concatenate([functions, products])[: max(1, most - most // 2)]
            information, n_independent = shared.with_functions(more)
            expected = expected_information(n_rows, n_independent, shared.n_target, n_largest)
            return np.full(len(values), information - expected)

        return score


@lru_cache(maxsize=256)
def expected_information(n_rows: int, n_features: int, n_target: int, n_largest: int) -> float:
    """Return the mean of the information of so many independent Gaussian functions about others.

    The canonical correlations are then roots of a ratio of two Wishart matrices.
    """
    if n_largest >= n_target:
        numbers = np.arange(1, n_features + 1)
        of_all = digamma((n_rows - numbers) / 2) - digamma((n_rows - n_target - numbers) / 2)
        return float(of_all.sum() / 2)
    if n_features == 0:
        return 0.0
    generator = stream(0, "independent functions", n_rows, n_features, n_target)
    explained = generator.normal(size=(_DRAWS, n_target, n_features))
    explained = explained @ explained.transpose(0, 2, 1)
    left = wishart(n_rows - 1 - n_features, np.eye(n_target)).rvs(size=_DRAWS, random_state=generator)
    roots = np.sort(np.linalg.eigvals(np.linalg.solve(explained + left, explained)).real, axis=1)
    return float(-np.log1p(-roots[:, -n_largest:]).sum() / 2 / _DRAWS)


def _by_order(functions: Sequence[FloatArray], n_rows: int) -> FloatArray:
    """Return functions of several columns: the first of all columns, then the second of all, and so on."""
    most = max((len(own) for own in functions), default=0)
    ordered = [own[i] for i in range(most) for own in functions if i < len(own)]
    return np.array(ordered).reshape(-1, n_rows)
