"""Dates that are written as text in a file."""

from __future__ import annotations

import polars as pl

from infosift.errors import InputError

_TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(Z|[+-]\d{2}:?\d{2})?)?"
_YEAR_FIRST = rf"^(?<year>\d{{4}})(?<mark>[-/.])(?<month>\d{{1,2}})[-/.](?<day>\d{{1,2}}){_TIME}$"
_YEAR_LAST = rf"^(?<first>\d{{1,2}})(?<mark>[-/.])(?<second>\d{{1,2}})[-/.](?<year>\d{{4}}){_TIME}$"
DATE = r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?:[T ]+\d{1,2}:\d{2}.*)?$"


def read_dates(column: pl.Series) -> pl.Series | None:
    """Return text as dates, or as datetimes in universal time, where every cell is one; None where it is not."""
    text = column.str.strip_chars()
    if not column.count() or not text.str.contains(DATE).all():
        return None
    year_first = text.str.contains(_YEAR_FIRST)
    if year_first.all():
        parts = text.str.extract_groups(_YEAR_FIRST).struct.unnest()
        return _put_together(column, parts, parts["month"], parts["day"])
    if year_first.any() or not text.str.contains(_YEAR_LAST).all():
        return None
    parts = text.str.extract_groups(_YEAR_LAST).struct.unnest()
    first, second = parts["first"], parts["second"]
    if not _day_is_first(column, first.cast(pl.Int64), second.cast(pl.Int64), parts["mark"]):
        first, second = second, first
    return _put_together(column, parts, month=second, day=first)


def _day_is_first(column: pl.Series, first: pl.Series, second: pl.Series, mark: pl.Series) -> bool:
    """Tell whether days come before months; refuse dates that may be either."""
    if (first > 12).any() or (mark == ".").all():
        return True
    if (second > 12).any() or (first == second).all():
        return False
    example = column.filter(first != second)[0]
    raise InputError(
        f'Column "{column.name}" has dates like "{example}", whose first number may be the day or the month: '
        "write the year first."
    )


def _put_together(column: pl.Series, parts: pl.DataFrame, month: pl.Series, day: pl.Series) -> pl.Series | None:
    """Return dates of parts, and with times of day where some cell has one."""
    hour, minute, second, offset = (parts.to_series(place) for place in range(parts.width - 4, parts.width))
    written = pl.DataFrame(
        {
            "date": parts["year"] + "-" + month.str.zfill(2) + "-" + day.str.zfill(2),
            "time": hour.fill_null("0").str.zfill(2) + ":" + minute.fill_null("00") + ":" + second.fill_null("00"),
            "offset": offset.fill_null("Z").str.replace("Z", "+0000", literal=True).str.replace(":", ""),
        }
    )
    whole = written["date"] + "T" + written["time"] + written["offset"]
    read = whole.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", strict=False, time_unit="us").dt.replace_time_zone(None)
    if read.null_count() != column.null_count():
        return None
    return (read.cast(pl.Date) if hour.null_count() == len(hour) else read).alias(column.name)
