"""How categories are written among numbers: as multiples of a gap that no difference of numbers can reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.data.column_types import by_appearance


def encode_categories(codes: FloatArray) -> FloatArray:
    """Return categories as the kernel wants them, numbered in the order in which they appear."""
    return by_appearance(codes) * CATEGORY_GAP


def has_categories(columns: FloatArray) -> bool:
    """Tell whether any value is a category."""
    return bool(np.any(columns >= CATEGORY_GAP))


def only_numbers(columns: FloatArray) -> NDArray[np.bool_]:
    """Tell which columns have numbers only: no categories and no gaps."""
    return np.array([bool(np.all(column < CATEGORY_GAP)) for column in columns])


def class_indicators(categories: FloatArray) -> FloatArray:
    """Return, for each category of a column, which rows have it."""
    return np.asarray(categories == np.unique(categories)[:, None], dtype=np.float64)


def indicators_of_largest(categories: FloatArray, most: int) -> FloatArray:
    """Return which rows have each of the most frequent categories of a column; of two, one says it all."""
    indicators = class_indicators(categories)
    largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:most]
    return np.asarray(indicators[largest[:1] if len(indicators) == 2 else largest])


def as_points(column: FloatArray) -> FloatArray:
    """Return a column as coordinates: a number is itself, a category one apart from all others."""
    if not has_categories(column):
        return column[None, :]
    return np.asarray(class_indicators(column) / np.sqrt(2))
