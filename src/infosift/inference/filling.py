"""Gaps of a subset filled by what other features predict there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import filled
from infosift.data.types import has_categories
from infosift.engines.base import Engine
from infosift.inference.regression import QUICK_WIDTHS, Smoother


def filled_by_others(
    columns: FloatArray, others: Callable[[], FloatArray], engine: Engine, row_groups: IntArray | None = None
) -> FloatArray:
    """Return columns of numbers with gaps filled by what the rest of both predict, categories by the largest.

    A copy among the others, which are asked for where there are gaps, thus says no more than is in the gaps
    already.
    """
    if not np.isnan(columns).any():
        return columns
    plain = filled(np.concatenate([columns, others()]))
    found = plain[: len(columns)].copy()
    for i, column in enumerate(columns):
        if np.isnan(column).any() and not has_categories(column) and len(plain) > 1:
            predicted = Smoother(np.delete(plain, i, axis=0), engine, QUICK_WIDTHS, row_groups).predict(column)
            found[i] = np.where(np.isnan(column), predicted, column)
    return found
