"""Gaussian windows over all pairs of rows: what quadratic information and kernel densities are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import BlockCriterion, in_turn
from infosift.data.types import only_numbers
from infosift.errors import is_auto, require_between

# All pairs of so many rows fit into the cache of a processor.
_ROWS_PER_TILE = 192
_BANDWIDTHS = (1e-6, 1e6)


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


class ParzenCriterion(BlockCriterion):
    """A criterion made of Gaussian windows, whose parameter is their width in units of Scott's rule."""

    parameter = "bandwidth"
    parameter_in_words = "the bandwidth"
    _VALUES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
    _DEFAULT = 1.0
    _LEAVE_ONE_OUT = False
    bandwidth: float | str

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
        """Return the scores (candidates x values) of some candidates, on so many threads."""
        factors = np.array(values, dtype=np.float64)
        sums = window_sums(candidates, given, target, factors, n_threads, leave_one_out=self._LEAVE_ONE_OUT)
        return np.stack([self.combine(own) for own in sums])

    def combine(self, sums: WindowSums) -> FloatArray:
        """Return the score for each value from the sums of windows."""
        raise NotImplementedError


def window_sums(
    candidates: FloatArray,
    given: FloatArray,
    target: FloatArray,
    factors: FloatArray,
    n_threads: int,
    *,
    leave_one_out: bool,
) -> list[WindowSums]:
    """Return the sums for the given columns plus each candidate.

    Windows of kernel densities have the width of Scott's rule times a factor, and a row's own is left out. Those
    of quadratic information, which are products of two integrated over all points, have the double variance.
    """
    n_rows = target.shape[1]
    others = np.concatenate([given, target])
    n_numbers = (int(only_numbers(others).sum()) + only_numbers(candidates).astype(np.int64)).tolist()
    widths = {n: factors * n_rows ** (-1 / (n + 4)) for n in set(n_numbers)}
    precisions = {n: 1 / ((2 if leave_one_out else 4) * width**2) for n, width in sorted(widths.items())}
    tiles = [slice(start, min(start + _ROWS_PER_TILE, n_rows)) for start in range(0, n_rows, _ROWS_PER_TILE)]
    shape = (len(candidates), len(factors), n_rows)
    features, joint = np.zeros(shape), np.zeros(shape)
    of_target = {n: np.zeros(shape[1:]) for n in precisions}
    work = partial(_sums_of_pairs, candidates, given, target, n_numbers, precisions, leave_one_out)
    for start, part in zip(tiles, in_turn(work, [tiles[i:] for i in range(len(tiles))], n_threads), strict=True):
        features[:, :, start.start :] += part.features
        joint[:, :, start.start :] += part.joint
        for n, sums in part.target.items():
            of_target[n][:, start.start :] += sums
    return [WindowSums(features[i], of_target[n], joint[i], widths[n], n) for i, n in enumerate(n_numbers)]


@dataclass(frozen=True)
class _PartialSums:
    """Sums over the pairs of the rows of a tile with those of itself and all later ones, from its first row on."""

    features: FloatArray
    joint: FloatArray
    target: dict[int, FloatArray]


def _sums_of_pairs(
    candidates: FloatArray,
    given: FloatArray,
    target: FloatArray,
    n_numbers: list[int],
    precisions: dict[int, FloatArray],
    leave_one_out: bool,
    tiles: list[slice],
) -> _PartialSums:
    """Return sums over the pairs of the rows of the first tile with those of each; a pair counts for both rows."""
    rows, n_values = tiles[0], len(next(iter(precisions.values())))
    shape = (len(candidates), n_values, target.shape[1] - rows.start)
    sums = _PartialSums(np.zeros(shape), np.zeros(shape), {n: np.zeros(shape[1:]) for n in precisions})
    for columns in tiles:
        beside, of_target = _squared_distances(given, rows, columns), _squared_distances(target, rows, columns)
        if leave_one_out and columns is rows:
            np.fill_diagonal(beside, np.inf)
            np.fill_diagonal(of_target, np.inf)
        across = None if columns is rows else slice(columns.start - rows.start, columns.stop - rows.start)
        windows = {n: np.exp(-precision[:, None, None] * of_target) for n, precision in precisions.items()}
        for n, own in windows.items():
            for total, window in zip(sums.target[n], own, strict=True):
                _add(total, window, across)
        window, product = np.empty_like(beside), np.empty_like(beside)
        for i, (candidate, n) in enumerate(zip(candidates, n_numbers, strict=True)):
            distances = _squared_distances(candidate[None], rows, columns)
            distances += beside
            for j, precision in enumerate(precisions[n]):
                np.exp(np.multiply(distances, -precision, out=window), out=window)
                _add(sums.features[i, j], window, across)
                _add(sums.joint[i, j], np.multiply(window, windows[n][j], out=product), across)
    return sums


def _add(total: FloatArray, window: FloatArray, across: slice | None) -> None:
    """Add windows of pairs to the sums of the first rows and, where they are others, of the second."""
    total[: len(window)] += window.sum(axis=1)
    if across is not None:
        total[across] += window.sum(axis=0)


def _squared_distances(columns: FloatArray, rows: slice, others: slice) -> FloatArray:
    """Return the squared distances of some rows from others; that of two categories is beyond all windows."""
    total = np.zeros((rows.stop - rows.start, others.stop - others.start))
    for column in columns:
        difference = column[rows, None] - column[others]
        difference *= difference
        total += difference
    return total
