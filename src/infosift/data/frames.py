"""From what people pass in (arrays, lists, data frames of any library) to named columns of numbers or codes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array, column_or_1d

from infosift.arrays import FloatArray
from infosift.data.columns import MOST_NAMED, NamedColumns, as_frame, labels_of, require_values
from infosift.data.types import as_floats, as_numbers, encode, has_numpy_type, is_missing, n_categories
from infosift.errors import InputError, RowNumber, checks_of_libraries, nearest_float, shown

_COPIES = 3  # of a sparse table: as given, by column, and prepared
_GIGABYTE = 1e9
_LARGEST_WHOLE = 2.0**53  # floats tell all whole numbers up to it apart


def read_columns(data: Any, default_name: str = "x") -> NamedColumns:
    """Read one or several columns; one-dimensional data are one column."""
    frame = as_frame(data)
    if frame is not None:
        return read_frame(frame, data)
    plain = as_plain(data)
    if np.ndim(plain) == 1:
        return read_column(data, default_name)
    require_table(plain, "The target" if default_name == "y" else "Features")
    with checks_of_libraries():
        return read_array(check_array(plain, dtype=None, ensure_all_finite=False), default_name)


def read_frame(frame: nw.DataFrame[Any], native: Any) -> NamedColumns:
    """Read the columns of a data frame, numbers or categories; ``native`` is the frame with its own labels."""
    names = tuple(frame.columns)
    if not names:
        raise InputError("The table has no columns (0 features): give at least one.")
    are_numbers = all(has_numpy_type(dtype) for dtype in frame.schema.values())
    if are_numbers:
        with checks_of_libraries():
            values = check_array(frame.to_native(), dtype=np.float64, ensure_all_finite=False)
    if are_numbers and not np.any(np.abs(values) > _LARGEST_WHOLE):
        columns = NamedColumns(names, values.T)
    else:
        columns = NamedColumns.joined([_read_series(frame[name], name) for name in names])
    is_pandas = nw.dependencies.is_pandas_like_dataframe(native)
    return replace(columns, labels=labels_of(native.columns)) if is_pandas else columns


def as_array(frame: nw.DataFrame[Any], positions: Iterable[int]) -> Any:
    """Return columns of a data frame as one array: numbers where all are, with dates and durations as days."""
    columns = [_values_of(frame[:, i]) for i in positions]
    return np.stack(columns, axis=1) if columns else np.empty((len(frame), 0))


def _values_of(series: nw.Series[Any]) -> Any:
    dtype = series.dtype
    if dtype.is_nested():
        raise _nested(series.name, dtype)
    if dtype.is_temporal():
        return _days_of(series)
    values = as_floats(series) if dtype.is_numeric() and not has_numpy_type(dtype) else series.to_numpy()
    return values.astype(object) if values.dtype.kind in "UT" else values  # beside text, numbers would become text


def read_array(values: Any, default_name: str = "x", names: tuple[str, ...] | None = None) -> NamedColumns:
    """Read the columns of a two-dimensional array, by default under the names that scikit-learn gives."""
    names = names or tuple(f"{default_name}{i}" for i in range(values.shape[1]))
    if values.dtype.kind in "OUSTmM" or (values.dtype.kind in "iu" and np.any(np.abs(values) > _LARGEST_WHOLE)):
        return NamedColumns.joined([_read_values(values[:, i], name) for i, name in enumerate(names)])
    return NamedColumns(names, np.asarray(values, dtype=np.float64).T)


def read_column(data: Any, default_name: str = "target") -> NamedColumns:
    """Read one column, under its own name if it has one."""
    require_values(data)
    name = getattr(data, "name", None)
    name = default_name if name is None or name == "" else str(name)
    series = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series) and not has_numpy_type(series.dtype):
        return _read_series(series, name)
    plain = as_plain(data)
    with checks_of_libraries():
        return _read_values(column_or_1d(plain, warn=True), name)


def as_plain(data: Any) -> Any:
    """Return lists and the like as an array, masked cells of a masked one as missing, a sparse one with its zeros.

    Lists of rows that differ in length, complex numbers and records are refused.
    """
    values: Any = data
    if not hasattr(data, "dtype"):
        try:
            values = np.asarray(data)
        except ValueError as error:
            raise InputError(
                "The values make no table, since rows or cells differ in length: give every row as many single "
                "values."
            ) from error
    kind = getattr(values.dtype, "kind", "")
    if kind == "c":
        raise InputError("Complex data not supported: pass the real and the imaginary parts as columns.")
    if kind == "V":
        raise InputError("The data are a structured array: make a data frame of it first.")
    if isinstance(values, np.ma.MaskedArray):
        if kind in "mM":
            return np.ma.filled(values, values.dtype.type("NaT"))
        return np.ma.filled(values.astype(np.float64 if kind in "biuf" else object), np.nan)
    if issparse(values):
        _require_memory(values.shape)
        return values.toarray()
    return values


def require_table(data: Any, what: str = "Features") -> None:
    """Refuse what has no rows and columns."""
    if (count := np.ndim(data)) != 2:
        raise InputError(
            f"{what} must be a table, with rows and columns, and these have {count} "
            f"dimension{'s' * (count != 1)}: pass a table, a single feature as one with reshape(-1, 1)."
        )


def _require_memory(shape: tuple[int, ...]) -> None:
    """Refuse a sparse table that is too large for memory with all its zeros."""
    try:
        memory = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # the system does not tell
        return
    needed = _COPIES * 8 * float(np.prod(shape, dtype=np.float64))
    if needed > memory:
        raise InputError(
            f"The sparse table needs {needed / _GIGABYTE:,.0f} GB with its zeros, and there are "
            f"{memory / _GIGABYTE:,.0f}: take fewer columns, such as those with the most values."
        )


def _read_series(series: nw.Series[Any], name: str) -> NamedColumns:
    dtype = series.dtype
    if dtype.is_numeric():
        return _numbers(as_floats(series), name, series.to_list if dtype.is_integer() else None)
    if dtype.is_temporal():
        return _numbers(_days_of(series), name)
    if dtype.is_nested():
        raise _nested(name, dtype)
    values = np.empty(len(series), dtype=object)
    values[:] = [
        None if gap else value for value, gap in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]
    if dtype == nw.Object or dtype == nw.Unknown:
        return _read_values(values, name)
    return _categories(values, name, is_text=dtype == nw.String)


def _days_of(series: nw.Series[Any]) -> FloatArray:
    from infosift.data.dates import days_of_series  # which tables without dates do not need; so below

    return days_of_series(series)


def _nested(name: str, dtype: nw.dtypes.DType) -> InputError:
    return InputError(f'Column "{name}" has values of the type {dtype}: make numbers of them or drop it first.')


def _read_values(values: Any, name: str) -> NamedColumns:
    """Read values of unknown kind: numbers if all of them are, else categories."""
    kind = values.dtype.kind
    if kind == "c" or (kind == "O" and any(isinstance(value, complex) for value in values)):
        raise InputError(f'Complex data not supported: "{name}" is complex, so pass its parts as columns.')
    if kind == "b":
        names = {0: ("False", "True")}
        return NamedColumns((name,), values.astype(np.float64)[None], discrete=frozenset({0}), categories=names)
    if kind in "iuf":
        return _numbers(np.asarray(values, dtype=np.float64), name, values.tolist if kind in "iu" else None)
    from infosift.data.dates import days_of_array, days_of_objects

    if kind in "mM":
        return _numbers(days_of_array(values), name)
    numbers = days_of_objects(values) if kind == "O" else None
    if numbers is None:
        numbers = as_numbers(values)
    return _categories(values, name) if numbers is None else _numbers(numbers, name, values.tolist)


def _numbers(values: FloatArray, name: str, whole: Callable[[], list[Any]] | None = None) -> NamedColumns:
    """Return numbers; whole ones that floats cannot tell apart are counted from the smallest."""
    if whole is not None and np.any(np.abs(values) > _LARGEST_WHOLE):
        exact = [None if is_missing(value) else value for value in whole()]
        there = [int(value) for value in exact if isinstance(value, Integral)]
        if len(there) == np.count_nonzero(~np.isnan(values)) and len(set(there)) > n_categories(values):
            low: Any = min(there)
            values = np.array([np.nan if value is None else nearest_float(int(value) - low) for value in exact])
        huge = [row for row in np.flatnonzero(np.isinf(values)).tolist() if isinstance(exact[row], Integral)]
        if huge:
            raise InputError(
                f'Column "{name}" has a whole number that no float can hold ({shown(exact[huge[0]])}) in ',
                RowNumber(huge[0]),
                ": divide all by a power of ten.",
            )
    return NamedColumns((name,), values[None])


def _categories(values: Any, name: str, is_text: bool = True) -> NamedColumns:
    """Return coded categories; text, rather than a type for categories, may be numbers that were not read so."""
    reads_as = None
    if is_text and (text := [value for value in values if isinstance(value, str)]):
        from infosift.data.written_values import describe_numeric_text  # and polars with it

        reads_as = describe_numeric_text([str(value) for value in text])
    codes = encode(values, name)
    names = {} if n_categories(codes) > MOST_NAMED else {0: _names_of(codes, values)}
    return NamedColumns(
        (name,),
        codes[None],
        discrete=frozenset({0}),
        numeric_text={} if reads_as is None else {0: reads_as},
        categories=names,
    )


def _names_of(codes: FloatArray, values: Any) -> tuple[str, ...]:
    """Return the names of categories, by their codes."""
    _, rows = np.unique(codes[~np.isnan(codes)], return_index=True)
    known = np.flatnonzero(~np.isnan(codes))
    return tuple(str(values[row]) for row in known[rows])
