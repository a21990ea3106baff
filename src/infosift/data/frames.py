"""From what people pass in (arrays, lists, data frames of any library) to named columns of numbers or codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Integral
from typing import Any, TypeVar

import narwhals.stable.v1 as nw
import numpy as np

from infosift.data.column_names import as_list, name_as_text, names_not_unique, with_names_as_text
from infosift.data.column_types import (
    are_classes,
    as_floats,
    as_numbers,
    encode,
    has_numpy_type,
    n_categories,
)
from infosift.data.columns import Features, NamedColumns
from infosift.data.dates import days_of_array, days_of_objects, days_of_series
from infosift.data.plain_arrays import as_one_column, as_plain, checked_table, require_table
from infosift.data.written_numbers import disguise
from infosift.errors import InputError, is_auto, shown

_Columns = TypeVar("_Columns", bound=Features)


def read_columns(data: Any, default_name: str = "x") -> NamedColumns:
    """Read one or several columns; one-dimensional data are one column."""
    frame = as_frame(data)
    if frame is not None:
        return read_frame(frame)
    plain = as_plain(data)
    if np.ndim(plain) == 1:
        return read_column(data, default_name)
    require_table(plain)
    return read_array(checked_table(plain), default_name)


def read_frame(frame: nw.DataFrame[Any]) -> NamedColumns:
    """Read the columns of a data frame: numbers, or text and categories of any kind."""
    names = tuple(frame.columns)
    if not names:
        raise InputError("The table has no columns (0 features): give at least one.")
    if all(has_numpy_type(dtype) for dtype in frame.schema.values()):
        return NamedColumns(names, checked_table(frame.to_native(), np.float64).T)
    return _side_by_side([_read_series(frame[name], name) for name in names])


def read_array(values: Any, default_name: str = "x", names: tuple[str, ...] | None = None) -> NamedColumns:
    """Read the columns of a two-dimensional array, which get the names that scikit-learn gives unless told."""
    names = names or tuple(f"{default_name}{i}" for i in range(values.shape[1]))
    if values.dtype.kind in "OUSTmM":
        return _side_by_side([_read_values(values[:, i], name) for i, name in enumerate(names)])
    return NamedColumns(names, np.asarray(values, dtype=np.float64).T)


def read_column(data: Any, default_name: str = "target") -> NamedColumns:
    """Read one column, under its own name if it has one."""
    name = getattr(data, "name", None)
    name = default_name if name is None or name == "" else str(name)
    series = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series) and not has_numpy_type(series.dtype):
        return _read_series(series, name)
    return _read_values(as_one_column(data), name)


def read_target(data: Any) -> NamedColumns:
    """Read the target: one column, or several."""
    shape = np.shape(as_plain(data))
    several = len(shape) == 2 and shape[1] > 1
    return read_columns(data, "target") if several else read_column(data)


def _side_by_side(columns: Sequence[NamedColumns]) -> NamedColumns:
    return NamedColumns(
        names=tuple(column.names[0] for column in columns),
        values=np.concatenate([column.values for column in columns]),
        discrete=frozenset(i for i, column in enumerate(columns) if column.discrete),
        disguised={i: column.disguised[0] for i, column in enumerate(columns) if column.disguised},
    )


def _read_series(series: nw.Series[Any], name: str) -> NamedColumns:
    dtype = series.dtype
    if dtype.is_numeric():
        return NamedColumns((name,), as_floats(series)[None, :])
    if dtype.is_temporal():
        return NamedColumns((name,), days_of_series(series)[None, :])
    if dtype.is_nested():
        raise InputError(f'Column "{name}" has values of the type {dtype}: make numbers of them or drop it first.')
    values = np.empty(len(series), dtype=object)
    values[:] = [
        None if gap else value for value, gap in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]
    if dtype == nw.Object or dtype == nw.Unknown:
        return _read_values(values, name)
    return _categories(values, name, is_text=dtype == nw.String)


def _read_values(values: Any, name: str) -> NamedColumns:
    """Read values of unknown kind: numbers if all of them are, else categories."""
    if np.iscomplexobj(values):
        raise InputError(f'Complex data not supported: "{name}" is complex, so pass its parts as columns.')
    kind = values.dtype.kind
    if kind == "b":
        return NamedColumns((name,), values.astype(np.float64)[None, :], frozenset({0}))
    if kind in "iuf":
        return NamedColumns((name,), np.asarray(values, dtype=np.float64)[None, :])
    if kind in "mM":
        return NamedColumns((name,), days_of_array(values)[None, :])
    numbers = days_of_objects(values) if kind == "O" else None
    if numbers is None:
        numbers = as_numbers(values)
    if numbers is not None:
        return NamedColumns((name,), numbers[None, :])
    return _categories(values, name)


def _categories(values: Any, name: str, is_text: bool = True) -> NamedColumns:
    """Return categories; what is text, rather than of a type for categories, may look like something else."""
    looks_like = disguise([str(value) for value in values if isinstance(value, str)]) if is_text else None
    return NamedColumns(
        (name,),
        encode(values, name)[None, :],
        frozenset({0}),
        {} if looks_like is None else {0: looks_like},
    )


def positions(asked: Any, names: Sequence[str], parameter: str) -> tuple[int, ...]:
    """Return the positions of columns that are asked for by name or position, each once, in the order asked."""
    found = []
    for which in as_list(asked):
        if isinstance(which, Integral) and not isinstance(which, bool) and -len(names) <= int(which) < len(names):
            found.append(int(which) % len(names))
        elif not isinstance(which, Integral) and name_as_text(which) in names:
            found.append(names.index(name_as_text(which)))
        else:
            what = f'"{which}"' if isinstance(which, str) else shown(which)
            raise InputError(
                f"{parameter} asks for {what}, and there is no such feature: give a name or position."
            )
    return tuple(dict.fromkeys(found))


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a library-neutral view of a data frame, or None for anything else."""
    try:
        view = nw.from_native(with_names_as_text(data), pass_through=True)
    except nw.exceptions.DuplicateError:
        raise names_not_unique(getattr(data, "column_names", data.columns)) from None
    if isinstance(view, nw.LazyFrame):
        raise InputError("The data frame is lazy: collect() it first.")
    if type(data) is dict:
        raise InputError("The data are a dict: make a data frame of it first.")
    return view if isinstance(view, nw.DataFrame) else None


def require_varying_target(target: NamedColumns, *, rows_of_each_class: bool = True) -> None:
    """Refuse a target whose value never changes and, unless told otherwise, one with few rows of each class."""
    for i, (name, values) in enumerate(zip(target.names, target.values, strict=True)):
        always = "one class only" if i in target.discrete else f"always {values[0]:g}"
        if target.facts.are_constant[i]:
            raise InputError(
                f'The target "{name}" is constant ({always}), so no feature can be informative about it: '
                "give a target that varies."
            )
        if not rows_of_each_class:
            continue
        if i in target.discrete and 2 * (count := n_categories(values)) > len(values) > 3:
            raise InputError(
                f'The target "{name}" has {count:,} classes in {len(values):,} rows, too few rows of each: '
                "give a target with fewer classes, or numbers."
            )


def mark_features(columns: _Columns, asked: Any, takes_categories: bool = True) -> _Columns:
    """Decide which columns are discrete: text always is, and besides it what is asked for.

    "auto" is every column of numbers with two values, where the criterion takes categories. Otherwise True is all
    columns, False or None no more, a mask or a list of names or positions those.
    """
    places = discrete_asked_for(asked, columns.names)
    if places is None:
        places = tuple(np.flatnonzero(columns.facts.have_two_values).tolist()) if takes_categories else ()
    return columns.with_discrete(places)


def discrete_asked_for(asked: Any, names: Sequence[str]) -> tuple[int, ...] | None:
    """Return the positions of columns that are to be discrete; None for "auto"."""
    if is_auto(asked):
        return None
    if isinstance(asked, (bool, np.bool_)):
        return tuple(range(len(names))) if asked else ()
    flags = as_list(asked)
    if flags and all(isinstance(flag, (bool, np.bool_)) for flag in flags):
        if len(flags) != len(names):
            raise InputError(
                f"discrete_features has {len(flags)} yes or no for {len(names)} features: give one each."
            )
        return tuple(np.flatnonzero(flags).tolist())
    return positions(flags, names, "discrete_features")


def mark_target(target: NamedColumns, asked: Any, takes_categories: bool = True) -> NamedColumns:
    """Decide whether the target has classes: text always has, numbers if asked or, for "auto", if they look so."""
    everything, are_asked_for = range(len(target.names)), classes_asked_for(asked)
    if are_asked_for is None:
        if not takes_categories:
            return target
        return target.with_discrete(i for i in everything if are_classes(target.values[i]))
    return target.with_discrete(everything if are_asked_for else ())


def classes_asked_for(asked: Any) -> bool | None:
    """Return whether the target is to have classes; None for "auto"."""
    if is_auto(asked):
        return None
    if not isinstance(asked, Hashable) or asked not in (True, False):
        raise InputError(f'discrete_target must be "auto", True or False, not {shown(asked)}.')
    return bool(asked)
