"""From what people pass in (arrays, lists, data frames of any library) to named columns of finite numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

from infosift.arrays import FloatArray
from infosift.checks import InputError, listing, repeated


@dataclass(frozen=True)
class NamedColumns:
    """Columns of a table with their names; ``values`` has one column of the table per row."""

    names: tuple[str, ...]
    values: FloatArray

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.values.shape[1])

    def take(self, rows: NDArray[np.bool_]) -> NamedColumns:
        """Return some of the rows."""
        return self if rows.all() else NamedColumns(self.names, self.values[:, rows])


def read_columns(data: Any, default_name: str = "x") -> NamedColumns:
    """Read one or several numeric columns; one-dimensional data are one column."""
    if as_frame(data) is None and len(np.shape(data)) == 1:
        return read_column(data, default_name)
    names = column_names(data)
    values = check_array(unmasked(data), dtype=np.float64, ensure_all_finite=False)
    return named(values, names or default_names(values.shape[1], default_name))


def read_column(data: Any, default_name: str = "target") -> NamedColumns:
    """Read one numeric column, under its own name if it has one."""
    name = getattr(data, "name", None)
    name = default_name if name is None or name == "" else str(name)
    values = column_or_1d(unmasked(data), warn=True)
    return NamedColumns((name,), _as_numbers(values, name)[None, :])


def read_target(data: Any) -> NamedColumns:
    """Read the target: one numeric column, or several."""
    shape = np.asarray(data).shape
    several = len(shape) == 2 and shape[1] > 1
    return read_columns(data, "target") if several else read_column(data)


def positions(asked: Any, names: Sequence[str], parameter: str) -> tuple[int, ...]:
    """Return the positions of columns that are asked for by name or position, each once, in the order asked."""
    found = []
    for which in () if asked is None else [asked] if isinstance(asked, (str, Integral)) else asked:
        if isinstance(which, Integral) and not isinstance(which, bool) and -len(names) <= int(which) < len(names):
            found.append(int(which) % len(names))
        elif isinstance(which, str) and which in names:
            found.append(names.index(which))
        else:
            raise InputError(f"{parameter} asks for {which!r}, and there is no such column.")
    return tuple(dict.fromkeys(found))


def column_names(data: Any) -> tuple[str, ...] | None:
    """Return the names of a data frame's columns, all of which must be numeric; None for anything else."""
    frame = as_frame(data)
    if frame is None:
        return None
    wrong = [
        f'"{name}" ({dtype})'
        for name, dtype in frame.schema.items()
        if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object))
    ]
    if wrong:
        raise InputError(f"Not numeric: {listing(wrong)}; encode as numbers or drop first.")
    return tuple(map(str, frame.columns))


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a library-neutral view of a data frame, or None for anything else."""
    try:
        view = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        twice = listing(repeated(list(data.columns)))
        raise InputError(f"Column names must be unique, and {twice} occurs more than once.") from None
    if isinstance(view, nw.LazyFrame):
        raise InputError("The data frame is lazy: collect() it first.")
    if type(data) is dict:
        raise InputError("The data are a dict: make a data frame of it first.")
    return view if isinstance(view, nw.DataFrame) else None


def unmasked(data: Any) -> Any:
    """Return a masked array with its masked cells missing, and anything else as it is."""
    return np.ma.filled(data.astype(np.float64), np.nan) if isinstance(data, np.ma.MaskedArray) else data


def require_finite(
    columns: NamedColumns, what: str = "Column", first_row: int = 0, ignored: Sequence[int] = ()
) -> None:
    """Refuse missing or infinite values, naming the column and the first row of the first one."""
    finite = np.isfinite(columns.values)
    finite[list(ignored)] = True
    if finite.all():
        return
    column = int(np.argmin(finite.all(axis=1)))
    row = int(np.argmin(finite[column]))
    value = columns.values[column, row]
    if np.isnan(value):
        kind = "a missing value (NaN)"
        remedy = "remove the row or fill the value in first; a selection can leave such rows out (missing=drop)."
    else:
        kind = f"an infinite value ({value})"
        remedy = "remove the row or put a number in its place first."
    place = f"row {row + first_row} (the first row is {first_row})"
    raise InputError(f'{what} "{columns.names[column]}" has {kind} in {place}: {remedy}')


def whole_rows(features: NamedColumns, target: NamedColumns, ignored: Sequence[int] = ()) -> NDArray[np.bool_]:
    """Tell in which rows the target, and every column that is looked at, has a value."""
    whole = ~np.isnan(target.values).any(axis=0)
    for i, values in enumerate(features.values):
        if i not in ignored:
            whole &= ~np.isnan(values)
    if not whole.any():
        raise InputError(
            "Every row has a missing value: ignore the columns with many gaps, or fill them in first."
        )
    return np.asarray(whole)


def is_constant(values: FloatArray) -> bool:
    """Tell whether the values have no spread that a float can hold."""
    return bool(values.max() / 2 - values.min() / 2 == 0)


def require_varying_target(target: NamedColumns) -> None:
    """Refuse a target whose value never changes."""
    for name, values in zip(target.names, target.values, strict=True):
        if is_constant(values):
            raise InputError(
                f'The target "{name}" is constant (always {values[0]:g}), so no column can tell anything about it.'
            )


def named(values: FloatArray, names: tuple[str, ...]) -> NamedColumns:
    """Name the columns of an array with one row per row of the table."""
    return NamedColumns(names, values.T)


def default_names(count: int, stem: str = "x") -> tuple[str, ...]:
    """Return the names scikit-learn gives to columns without names: x0, x1, …"""
    return tuple(f"{stem}{i}" for i in range(count))


def _as_numbers(values: Any, name: str) -> FloatArray:
    if np.iscomplexobj(values):
        raise InputError(f'Complex data not supported: "{name}" is complex, so pass its parts as columns.')
    text = (
        next((value for value in values if isinstance(value, str)), None) if values.dtype.kind in "OTU" else None
    )
    if text is None and values.dtype.kind in "biufO":
        try:
            return np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            pass
    shown = values[0] if text is None else text
    raise InputError(f'"{name}" is not numeric (it has the value {str(shown)!r}): encode it as numbers first.')
