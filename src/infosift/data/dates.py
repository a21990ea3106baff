"""Dates, times and durations as numbers of days, and the weekday and month of dates as categories."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from infosift.arrays import FloatArray
from infosift.data.columns import require_frame
from infosift.data.types import is_missing, with_gaps
from infosift.errors import InputError

_DAY = dt.timedelta(days=1)
_MICROSECONDS = _DAY // dt.timedelta(microseconds=1)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
# Not those of strftime, which are in the language of the process.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def expand_dates(frame: Any) -> Any:
    """Add the weekday and the month of each column of dates, as categories.

    A date itself is taken as a number, the days since 1970, by everything that takes a table. That shows a trend,
    but neither a rhythm of weeks nor of years.

    Parameters
    ----------
    frame : data frame
        A table of any library. Its dates and datetimes stay as they are.

    Returns
    -------
    data frame
        The same with two more columns for each of dates, such as "sold weekday" and "sold month".

    Examples
    --------
    >>> import datetime
    >>> import polars as pl
    >>> from infosift import expand_dates
    >>> frame = pl.DataFrame({"sold": [datetime.date(2024, 5, 1)], "price": [3.5]})
    >>> expand_dates(frame).row(0, named=True)["sold weekday"]
    'Wednesday'
    """
    view = require_frame(frame, "expand_dates")
    dates = [name for name, dtype in view.schema.items() if dtype in (nw.Date, nw.Datetime)]
    added = []
    for name in dates:
        gaps, parts = view[name].is_null().to_list(), view[name].dt
        for what, numbers, names in (("weekday", parts.weekday(), _WEEKDAYS), ("month", parts.month(), _MONTHS)):
            if f"{name} {what}" in view.columns:
                raise InputError(f'The table has a column "{name} {what}" already: rename it first.')
            values = [None if gap else names[int(i) - 1] for i, gap in zip(numbers.to_list(), gaps, strict=True)]
            added.append(nw.new_series(f"{name} {what}", values, nw.String, backend=nw.get_native_namespace(view)))
    return view.with_columns(*added).to_native() if added else frame


def days_of_series(series: nw.Series[Any]) -> FloatArray:
    """Return dates, times of day and durations as days, those of dates since 1970 in universal time."""
    return with_gaps(series, _days_without_gaps)


def _days_without_gaps(series: nw.Series[Any]) -> Any:
    if series.dtype == nw.Time:
        return [(dt.datetime.combine(_EPOCH, time, dt.UTC) - _EPOCH) / _DAY for time in series.to_list()]
    is_span = series.dtype == nw.Duration
    microseconds = series.dt.total_microseconds() if is_span else series.dt.timestamp("us")
    return microseconds.to_numpy().astype(np.float64) / _MICROSECONDS


def days_of_array(values: Any) -> FloatArray:
    """Return an array of datetime64 or timedelta64 as days; NaT is missing."""
    days = values.astype(f"{values.dtype.kind}8[us]").astype(np.int64) / _MICROSECONDS
    return np.asarray(np.where(np.isnat(values), np.nan, days))


def days_of_objects(values: Iterable[Any]) -> FloatArray | None:
    """Return objects as days where all of them are dates, or all durations, or missing; else None."""
    days, kinds = [], set()
    for value in values:
        if is_missing(value):
            days.append(np.nan)
            continue
        day, kind = _day_of(value)
        if day is None:
            return None
        days.append(day)
        kinds.add(kind)
    return np.array(days) if len(kinds) == 1 else None


def _day_of(value: Any) -> tuple[float | None, str]:
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(days_of_array(np.asarray(value))), value.dtype.kind
    if isinstance(value, dt.timedelta):
        return value / _DAY, "m"
    if hasattr(value, "to_timestamp"):  # a period, such as a month, of pandas
        value = value.to_timestamp()
    if isinstance(value, dt.datetime):
        return ((value if value.tzinfo else value.replace(tzinfo=dt.UTC)) - _EPOCH) / _DAY, "M"
    if isinstance(value, dt.date):
        return float(value.toordinal() - _EPOCH.toordinal()), "M"
    return None, ""
