"""Rows that are alike in a subset: what is shuffled among them keeps its dependence on the subset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray

_FEWEST_ROWS = 20


def strata_of(subset: FloatArray) -> IntArray:
    """Return the number of its stratum for each row: halves of halves, each cut across the column it is widest in.

    Widths are in ranks. Rows of the same value stay together, and a stratum is not cut where too few rows would be
    left on a side.
    """
    ranks = rankdata(subset, axis=1)
    strata = np.empty(subset.shape[1], dtype=np.int64)
    uncut, count = [np.arange(subset.shape[1])], 0
    while uncut:
        rows = uncut.pop()
        halves = _cut(ranks[:, rows])
        if halves is None:
            strata[rows], count = count, count + 1
        else:
            uncut += [rows[halves], rows[~halves]]
    return strata


def _cut(ranks: FloatArray) -> NDArray[np.bool_] | None:
    """Return which rows are in the lower half, None where there is no way to cut them."""
    n_rows = ranks.shape[1]
    for column in ranks[np.argsort(-np.ptp(ranks, axis=1), kind="stable")]:
        ascending = np.sort(column)
        cuts = np.arange(_FEWEST_ROWS, n_rows - _FEWEST_ROWS + 1)
        cuts = cuts[ascending[cuts] > ascending[cuts - 1]]
        if len(cuts):
            return np.asarray(column < ascending[cuts[np.argmin(np.abs(2 * cuts - n_rows))]])
    return None


def shuffled_within(strata: IntArray, orders: IntArray) -> IntArray:
    """Return from which row each takes its value; shuffled orders (draws x rows) are followed within strata."""
    sources = np.empty_like(orders)
    # Short integers are put in order in one pass over the rows.
    short = strata.astype(np.int16) if strata.max() < np.iinfo(np.int16).max else strata
    by_stratum = np.argsort(short[orders], axis=1, kind="stable")
    sources[:, np.argsort(short, kind="stable")] = np.take_along_axis(orders, by_stratum, axis=1)
    return sources
