"""Criteria made of Gaussian (Parzen) windows over all pairs of rows: kernel densities, quadratic information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.base import Criterion, Value, rounded
from infosift.data.types import are_categorical
from infosift.engines.base import equal_parts, map_in_order
from infosift.errors import is_auto, require_between, require_choice

# All pairs of so many rows fit into the cache of a processor.
_ROWS_PER_TILE = 192
_BANDWIDTHS = (1e-6, 1e6)
# Where even the nearest row is out of reach of all windows.
_SMALLEST_SUM = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class WindowSums:
    """Sums of windows around each row of the features and the target, (values x rows).

    ``features``, ``target`` and ``joint`` are the sums of those of the features, of the target, and of their
    products. ``widths`` are the standard deviations of the windows, and ``n_numbers`` how many columns have one: a
    category has the window 1 for itself and 0 for others.
    """

    features: FloatArray
    target: FloatArray
    joint: FloatArray
    widths: FloatArray
    n_numbers: int


class ParzenCriterion(Criterion):
    """A criterion made of Gaussian windows, whose parameter is their width in units of Scott's rule."""

    parameter = "bandwidth"
    parameter_in_words = "the bandwidth"
    _VALUES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
    _DEFAULT = 1.0
    _LEAVE_ONE_OUT = False

    def __init__(self, bandwidth: float | str = "auto") -> None:
        self.bandwidth = bandwidth

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        if not is_auto(self.bandwidth):
            require_between("bandwidth", self.bandwidth, *_BANDWIDTHS, otherwise='"auto" or ')

    def default_value(self, n_rows: int) -> float:
        """Return the bandwidth that is used where none is given and none is chosen, in units of Scott's rule."""
        return self._DEFAULT

    def values_to_compare(self, n_rows: int) -> tuple[float, ...]:
        """Return the bandwidths of which resampling chooses one."""
        return self._VALUES

    def score_block(
        self,
        values: Sequence[Value],
        candidates: FloatArray,
        given: FloatArray,
        target: FloatArray,
        n_threads: int,
    ) -> FloatArray:
        """Return the scores (candidates x values) of a block of candidates, on so many threads.

        Values are widths in units of Scott's rule, n^(-1 / (d + 4)) standard deviations (Scott 1992). Kernel
        densities leave a row's own window out (leave-one-out). Windows of quadratic information are integrals of
        products of two Gaussians, and so have the double variance.
        """
        n_rows, n_shared = target.shape[1], int((~are_categorical(np.concatenate([given, target]))).sum())
        n_numbers = n_shared + ~are_categorical(candidates)
        scores = np.empty((len(candidates), len(values)))
        for n in np.unique(n_numbers).tolist():  # windows of numbers and of categories differ in width
            own = np.flatnonzero(n_numbers == n)
            widths = np.array(values, dtype=np.float64) * n_rows ** (-1 / (n + 4))
            precisions = 1 / ((2 if self._LEAVE_ONE_OUT else 4) * widths**2)
            totals = _sums_over_pairs(candidates[own], given, target, precisions, self._LEAVE_ONE_OUT, n_threads)
            sums = zip(totals[: len(own)], totals[len(own) : -1], strict=True)
            scores[own] = [self.combine(WindowSums(x, totals[-1], joint, widths, n)) for x, joint in sums]
        return rounded(scores)

    def combine(self, sums: WindowSums) -> FloatArray:
        """Return the score for each value from the sums of windows."""
        raise NotImplementedError


def _sums_over_pairs(
    candidates: FloatArray,
    given: FloatArray,
    target: FloatArray,
    precisions: FloatArray,
    leave_one_out: bool,
    n_threads: int,
) -> FloatArray:
    """Sum windows over all pairs of rows, for each row (sums x values x rows).

    The sums are those of the features for each candidate, then those of the products of features and target for
    each candidate, then that of the target.
    """
    n_candidates, n_rows = len(candidates), target.shape[1]

    def sums_of_tile(tiles: list[slice]) -> FloatArray:
        """Sum over pairs of a row of the first tile and one of any tile, for all rows from that tile on."""
        rows = tiles[0]
        sums = np.zeros((2 * n_candidates + 1, len(precisions), n_rows - rows.start))
        features, joint = sums[:n_candidates], sums[n_candidates:-1]
        for columns in tiles:
            of_given, of_target = (_squared_distances(own, rows, columns) for own in (given, target))
            if leave_one_out and columns is rows:
                np.fill_diagonal(of_given, np.inf)
                np.fill_diagonal(of_target, np.inf)
            across = None if columns is rows else slice(columns.start - rows.start, columns.stop - rows.start)
            target_windows = np.exp(-precisions[:, None, None] * of_target)
            for total, window in zip(sums[-1], target_windows, strict=True):
                _add(total, window, across)
            window, product = np.empty_like(of_given), np.empty_like(of_given)
            for i, candidate in enumerate(candidates):
                distances = _squared_distances(candidate[None], rows, columns)
                distances += of_given
                for j, precision in enumerate(precisions):
                    np.exp(np.multiply(distances, -precision, out=window), out=window)
                    _add(features[i, j], window, across)
                    _add(joint[i, j], np.multiply(window, target_windows[j], out=product), across)
        return sums

    tiles = equal_parts(n_rows, _ROWS_PER_TILE)
    totals = np.zeros((2 * n_candidates + 1, len(precisions), n_rows))
    later = [tiles[i:] for i in range(len(tiles))]
    for tile, sums in zip(tiles, map_in_order(sums_of_tile, later, n_threads), strict=True):
        totals[..., tile.start :] += sums
    return totals


def _add(total: FloatArray, window: FloatArray, across: slice | None) -> None:
    """Add windows of pairs to the sums of the first rows and, where they are others, of the second."""
    total[: len(window)] += window.sum(axis=1)
    if across is not None:
        total[across] += window.sum(axis=0)


def _squared_distances(columns: FloatArray, rows: slice, others: slice) -> FloatArray:
    """Return squared Euclidean distances (rows x others); that of two categories is beyond all windows."""
    total = np.zeros((rows.stop - rows.start, others.stop - others.start))
    for column in columns:
        difference = column[rows, None] - column[others]
        difference *= difference
        total += difference
    return total


class KernelDensity(ParzenCriterion):
    """Mutual information by kernel densities, in nats: a classical estimate, for small subsets.

    The mean over the rows of log(p(x, y) / (p(x) p(y))). Each density is the mean of product-Gaussian windows
    around the other rows, the row itself left out, all with the same bandwidth. The estimate is not clipped at
    zero. For two Gaussian columns of 2,000 rows it is 0.02 to 0.03 nats too low on average, whatever their
    correlation up to 0.9; with more columns the bias grows, since windows must be wide to hold any rows at all. A
    category has the window 1 for itself and 0 for others. The cost grows with the square of the rows.

    Parameters
    ----------
    bandwidth : float or "auto", default="auto"
        Standard deviation of the windows in units of Scott's rule, n^(-1 / (d + 4)) standard deviations for n
        rows and d columns of numbers, features and target together. "auto" leaves it to the method: chosen by
        resampling, or else 0.7: an information needs narrower windows than the densities that Scott's rule is for.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import KernelDensity, mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=1000)
    >>> y = x + rng.normal(size=1000)  # true value: log(2) / 2 = 0.347
    >>> round(mutual_information(x, y, criterion=KernelDensity()), 2)
    0.33
    """

    _DEFAULT = 0.7
    _LEAVE_ONE_OUT = True

    def combine(self, sums: WindowSums) -> FloatArray:
        """Return the mean logarithm of the ratio of densities for each value from the sums of windows."""
        n_others = sums.features.shape[1] - 1
        joint, features, target = (
            np.log(np.maximum(part, _SMALLEST_SUM)) for part in (sums.joint, sums.features, sums.target)
        )
        return np.asarray((joint - features - target).mean(axis=1) + np.log(n_others))


class QuadraticMI(ParzenCriterion):
    """Quadratic mutual information: how far a joint density is from the product of its marginals.

    Densities are sums of Gaussian windows (Parzen). Integrals of their products are then sums over all pairs of
    rows of Gaussians with the double variance. With X(i, j) and Y(i, j) the Gaussians of the distance of rows i
    and j in the features and in the target, and means over all rows i and j,

        joint = mean(X(i, j) Y(i, j)),    marginal = mean(X(i, j)) mean(Y(i, j)),
        cross = mean over i of (mean over j of X(i, j)) (mean over j of Y(i, j)),

    the Euclidean distance is joint - 2 cross + marginal, and that of Cauchy and Schwarz is
    log(joint marginal / cross^2). Both are zero where the smoothed densities are independent, and neither is the
    information of Shannon. A category has the window 1 for itself and 0 for others (Torkkola 2003). The cost grows
    with the square of the rows.

    Parameters
    ----------
    bandwidth : float or "auto", default="auto"
        Standard deviation of the windows in units of Scott's rule, n^(-1 / (d + 4)) standard deviations for n
        rows and d columns of numbers, features and target together. "auto" leaves it to the method: chosen by
        resampling, or else 1.
    distance : {"cauchy-schwarz", "euclidean"}, default="cauchy-schwarz"
        The distance.

    Examples
    --------
    >>> from infosift import MutualInfoSelector, QuadraticMI
    >>> selector = MutualInfoSelector(criterion=QuadraticMI(distance="euclidean"))
    >>> selector.get_params()["criterion__bandwidth"]
    'auto'
    """

    measure: ClassVar[str] = "quadratic mutual information"
    unit: ClassVar[str] = ""

    def __init__(self, bandwidth: float | str = "auto", *, distance: str = "cauchy-schwarz") -> None:
        super().__init__(bandwidth)
        self.distance = distance

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        super().check()
        require_choice("distance", self.distance, ("cauchy-schwarz", "euclidean"))

    def combine(self, sums: WindowSums) -> FloatArray:
        """Return the distance for each value from the sums of windows."""
        n_rows = sums.features.shape[1]
        joint = sums.joint.sum(axis=1) / n_rows**2
        marginal = sums.features.sum(axis=1) * sums.target.sum(axis=1) / n_rows**4
        cross = (sums.features * sums.target).sum(axis=1) / n_rows**3
        if self.distance == "cauchy-schwarz":
            return np.asarray(np.log(joint * marginal / cross**2))
        height = (4 * np.pi * sums.widths**2) ** (-sums.n_numbers / 2)
        return np.asarray(height * (joint - 2 * cross + marginal))
