"""Mutual information by counting: the plug-in estimate over bins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import BlockCriterion, ScoreOne
from infosift.data.encoding import has_categories
from infosift.data.table import numbers_of_values
from infosift.errors import require_choice, require_count

_MOST_BINS = 20


class Histogram(BlockCriterion):
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
        if self.bins != "auto":
            require_count("bins", self.bins, 2, '"auto" or ')

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a number of bins needs: two tell a feature from none."""
        return 2

    def default_value(self, n_rows: int) -> int:
        """Return the cube root of the number of rows, rounded, and at least 2."""
        return max(2, round(math.cbrt(n_rows)))

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of bins to compare: 2 to 20, and at most half of the rows."""
        return tuple(range(2, max(2, min(_MOST_BINS, n_rows // 2)) + 1))

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        counts = [int(value or 2) for value in values]
        cells = [self._cells(given, count) for count in counts]
        of_target = [self._cells(target, count) for count in counts]

        def score(candidate: FloatArray) -> FloatArray:
            joint = [
                _crossed(own, self._cells(candidate[None], count))
                for own, count in zip(cells, counts, strict=True)
            ]
            return np.array([_plug_in(x, y) for x, y in zip(joint, of_target, strict=True)])

        return score

    def _cells(self, columns: FloatArray, n_bins: int) -> IntArray:
        """Return the number of the cell of each row, in the table of some columns."""
        cells = np.zeros(columns.shape[1], dtype=np.int64)
        for column in columns:
            cells = _crossed(cells, self._bins_of(column, n_bins))
        return cells

    def _bins_of(self, column: FloatArray, n_bins: int) -> IntArray:
        numbers = numbers_of_values(column)
        if has_categories(column) or numbers.max() < n_bins:
            return numbers
        if self.spacing == "frequency":
            place = (rankdata(numbers) - 0.5) / len(numbers)
        else:
            # By the first of equal values, so that the noise which breaks ties moves none across an edge.
            values = column[np.unique(numbers, return_index=True)[1]][numbers]
            place = (values - values.min()) / np.ptp(values)
        return np.asarray(np.minimum((place * n_bins).astype(np.int64), n_bins - 1))


def _crossed(cells: IntArray, bins: IntArray) -> IntArray:
    """Return the numbers of the cells that two partitions of the rows make together."""
    return np.unique(cells * (bins.max() + 1) + bins, return_inverse=True)[1].astype(np.int64)


def _plug_in(x: IntArray, y: IntArray) -> float:
    """Return the information of two partitions of the rows about each other."""
    n_rows, of_x, of_y = len(x), np.bincount(x), np.bincount(y)
    cells, counts = np.unique(x * len(of_y) + y, return_counts=True)
    independent = of_x[cells // len(of_y)] * of_y[cells % len(of_y)] / n_rows
    return float((counts / n_rows * np.log(counts / independent)).sum())
