"""Which columns hold numbers and which hold categories, and how both are written as floats."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.errors import InputError, counted_from, nearest_float

# Whole numbers with no more different values than this are classes, if there are enough rows of each.
_MOST_NUMBERED_CLASSES = 20
_FEWEST_ROWS_PER_CLASS = 3
# Numbers that make up this share of a column are special values, such as the zero of an amount of rain.
_SHARE_OF_SPECIAL_VALUE = 0.05
_FEWEST_SPECIAL_ROWS = 5


def encode(values: Iterable[Any], name: str) -> FloatArray:
    """Return a number for each value, the same for equal values, and NaN for missing ones."""
    codes: dict[Any, float] = {}
    encoded = []
    for row, value in enumerate(values):
        try:
            encoded.append(np.nan if is_missing(value) else codes.setdefault(value, float(len(codes))))
        except TypeError:
            raise InputError(
                f'Column "{name}" has {value!r} in {counted_from(0, row)}, which is neither a number nor '
                "a category: make it a number or text first."
            ) from None
    return np.array(encoded)


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for none: None, NaN, NaT or NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # neither equal nor unequal to itself
        return True
    except ValueError:  # an array: no value of a table, but not a missing one
        return False


def by_appearance(values: FloatArray) -> FloatArray:
    """Return numbers of categories from 1 on, in the order in which they appear: their names do not matter."""
    observed = ~np.isnan(values)
    _, first, codes = np.unique(values[observed], return_index=True, return_inverse=True)
    rank = np.empty(len(first))
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    numbered = np.full(len(values), np.nan)
    numbered[observed] = rank[codes]
    return numbered


def n_categories(values: FloatArray) -> int:
    """Return how many different values there are, missing ones aside."""
    return len(np.unique(values[~np.isnan(values)]))


def has_two_values(values: FloatArray) -> bool:
    """Tell whether a column of numbers is a yes or no."""
    observed = values[~np.isnan(values)]
    if len(observed) == 0 or observed.min() == observed.max():
        return False
    return bool(np.all((observed == observed.min()) | (observed == observed.max())))


def are_classes(values: FloatArray) -> bool:
    """Tell whether the numbers of a target are the names of classes: two of any, or few and whole ones."""
    observed = values[~np.isnan(values)]
    if has_two_values(values):
        return True
    if not np.all(observed == np.round(observed)):
        return False
    most = min(_MOST_NUMBERED_CLASSES, len(observed) // _FEWEST_ROWS_PER_CLASS)
    return 1 < n_categories(observed) <= most


def special_values(values: FloatArray) -> NDArray[np.bool_]:
    """Tell which numbers of a column are values of their own, such as the zero of an amount of rain.

    These are values that a good share of the rows have, in a column in which the other values hardly repeat.
    """
    ascending = np.sort(values)
    least = max(_FEWEST_SPECIAL_ROWS, ceil(_SHARE_OF_SPECIAL_VALUE * len(values)))
    none = np.zeros(len(values), dtype=bool)
    if len(values) < least or not np.any(ascending[least - 1 :] == ascending[: len(values) - least + 1]):
        return none
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    special = np.asarray((counts >= least)[codes])
    others = values[~special]
    if len(others) < least or 2 * len(np.unique(others)) < len(others):
        return none
    return special


def as_floats(series: nw.Series[Any]) -> FloatArray:
    """Return a series of numbers, with NaN for missing ones."""
    gaps = series.is_null().to_numpy()
    values = np.full(len(series), np.nan)
    there = series.filter(~series.is_null())
    values[~gaps] = there.to_numpy() if has_numpy_type(series.dtype) else list(map(float, there.to_list()))
    return values


def has_numpy_type(dtype: nw.dtypes.DType) -> bool:
    """Tell whether NumPy has a type for such numbers."""
    return dtype.is_float() or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128))


def as_numbers(values: Any) -> FloatArray | None:
    """Return objects or text as numbers where all of them are numbers or missing; None where they are not."""
    if values.dtype.kind == "O" and any(isinstance(value, (str, bytes, bool, np.bool_)) for value in values):
        return None
    try:
        return np.array([np.nan if is_missing(value) else nearest_float(value) for value in values])
    except (TypeError, ValueError):
        return None


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


def coordinates_of(column: FloatArray) -> FloatArray:
    """Return a column as coordinates: a number is itself, a category one apart from all others."""
    if not has_categories(column):
        return column[None, :]
    return np.asarray(class_indicators(column) / np.sqrt(2))
