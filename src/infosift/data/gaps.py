"""Missing values of prepared columns: which rows are whole, and what stands in for a gap."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.encoding import has_categories


def whole_rows_of(columns: FloatArray) -> IntArray:
    """Return the rows in which no column (columns x rows) has a gap."""
    return np.flatnonzero(~np.isnan(columns).any(axis=0))


def filled(columns: FloatArray) -> FloatArray:
    """Return columns with gaps replaced by the mean of a column, or by its largest category."""
    if not np.isnan(columns).any():
        return columns
    return np.stack([_filled(column) for column in columns])


def _filled(column: FloatArray) -> FloatArray:
    gaps = np.isnan(column)
    if gaps.all():
        return np.zeros_like(column)
    values = column[~gaps]
    if not has_categories(column):
        return np.where(gaps, values.mean(), column)
    categories, counts = np.unique(values, return_counts=True)
    return np.where(gaps, categories[np.argmax(counts)], column)
