"""Numbers and categories: which of the two values are, and how both are encoded as floats.

In a prepared column a category is a multiple of ``CATEGORY_GAP``, which no difference of standardised numbers
reaches. So one array holds both kinds: the kernel compares numbers by their distance and categories by identity.
Which features are categorical is decided once, where they are prepared, and stored in the table as
``is_categorical``; functions of columns that no longer belong to a table, such as surrogates, read it from the
encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.errors import InputError, RowNumber, nearest_float

# What stands for a missing value in text, and the name of a decimal mark.
MISSING_WORDS = ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"]
COMMA = "comma"
# A number that at least this share of the rows have is a special value, such as the zero of an amount of rain.
_SHARE_OF_SPECIAL_VALUE = 0.05
_FEWEST_SPECIAL_ROWS = 5


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for none: None, NaN, NaT or NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas' NA, and a signalling NaN, are neither equal nor unequal
        return True
    except ValueError:  # an array: no value of a table, but not a missing one
        return False


def encode(values: Iterable[Any], name: str) -> FloatArray:
    """Encode categories by their order of appearance, from 0 on; NaN for missing ones."""
    codes: dict[Any, float] = {}
    encoded = []
    for row, value in enumerate(values):
        try:
            encoded.append(np.nan if is_missing(value) else codes.setdefault(value, float(len(codes))))
        except TypeError:
            raise InputError(
                f'Column "{name}" has {value!r} in ',
                RowNumber(row),
                ", which is neither a number nor a category: make it a number or text first.",
            ) from None
    return np.array(encoded)


def as_floats(series: nw.Series[Any]) -> FloatArray:
    """Convert a series of numbers of any type, with NaN for missing ones."""
    has_type = has_numpy_type(series.dtype)
    return with_gaps(series, lambda there: there.to_numpy() if has_type else list(map(float, there.to_list())))


def with_gaps(series: nw.Series[Any], convert: Callable[[nw.Series[Any]], Any]) -> FloatArray:
    """Convert the values of a series that are there, with NaN for missing ones."""
    values = np.full(len(series), np.nan)
    values[~series.is_null().to_numpy()] = convert(series.filter(~series.is_null()))
    return values


def has_numpy_type(dtype: nw.dtypes.DType) -> bool:
    """Tell whether NumPy has a type for such numbers."""
    return dtype.is_float() or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128))


def as_numbers(values: Any) -> FloatArray | None:
    """Convert objects or text to numbers where all of them are numbers or missing; None where they are not."""
    if values.dtype.kind == "O" and any(isinstance(value, (str, bytes, bool, np.bool_)) for value in values):
        return None
    try:
        return np.array([np.nan if is_missing(value) else nearest_float(value) for value in values])
    except (TypeError, ValueError):
        return None


def n_categories(values: FloatArray) -> int:
    """Count the different values, missing ones aside."""
    return len(np.unique(values[~np.isnan(values)]))


def special_values(values: FloatArray) -> BoolArray:
    """Tell which numbers of a column are values of their own, such as the zero of an amount of rain.

    These are values that a good share of the rows have, in a column in which the other values hardly repeat.
    """
    ascending = np.sort(values)
    least = max(_FEWEST_SPECIAL_ROWS, ceil(_SHARE_OF_SPECIAL_VALUE * len(values)))
    none = np.zeros(len(values), dtype=bool)
    # A value that occurs so often fills as many neighbouring places of the sorted column.
    if len(values) < least or not np.any(ascending[least - 1 :] == ascending[: len(values) - least + 1]):
        return none
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    special = np.asarray((counts >= least)[codes])
    others = values[~special]
    if len(others) < least or 2 * len(np.unique(others)) < len(others):
        return none
    return special


def encode_categories(codes: FloatArray) -> FloatArray:
    """Encode categories for the kernel: multiples of ``CATEGORY_GAP`` from 1 on, in the order of appearance.

    So neither the names of categories nor the codes that stand for them have any influence.
    """
    observed = ~np.isnan(codes)
    _, first, which = np.unique(codes[observed], return_index=True, return_inverse=True)
    order = np.empty(len(first))
    order[np.argsort(first)] = np.arange(1, len(first) + 1)
    encoded = np.full(len(codes), np.nan)
    encoded[observed] = order[which]
    return encoded * CATEGORY_GAP


def are_categorical(columns: FloatArray) -> BoolArray:
    """Tell which prepared columns (columns x rows) have any category, by the encoding of their values."""
    return np.asarray(np.fmax.reduce(columns, axis=1, initial=-np.inf) >= CATEGORY_GAP)  # which passes over gaps


def class_indicators(categories: FloatArray | IntArray) -> FloatArray:
    """Encode a column of categories by indicators (categories x rows), one-hot."""
    return np.asarray(categories == np.unique(categories)[:, None], dtype=np.float64)


def indicators_of_largest(categories: FloatArray, most: int) -> FloatArray:
    """Return indicators of the most frequent categories of a column; of two, one has all the information."""
    indicators = class_indicators(categories)
    largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:most]
    return np.asarray(indicators[largest[:1] if len(indicators) == 2 else largest])


def coordinates_of(columns: FloatArray) -> FloatArray:
    """Return columns as Euclidean coordinates (coordinates x rows): a category is one apart from all others."""
    # Two indicator vectors differ in two places, so that their distance is the root of two.
    coordinates = [
        class_indicators(column) / np.sqrt(2) if is_category else column[None]
        for column, is_category in zip(columns, are_categorical(columns), strict=True)
    ]
    return np.concatenate([columns[:0], *coordinates])
