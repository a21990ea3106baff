"""Numbers that are written as text in a file."""

from __future__ import annotations

import shlex

import polars as pl

from infosift.errors import InputError, counted_from

_NUMBER_WITH_COMMA = r"^[+-]?\d*,?\d+([eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


def read_written(frame: pl.DataFrame) -> list[pl.Series]:
    """Read columns of text that are numbers with spaces around them or a decimal comma, or missing altogether."""
    read = []
    for column in frame.select(pl.col(pl.String)):
        stripped = column.str.strip_chars()
        if column.count() and stripped.str.contains(_NUMBER_WITH_COMMA).all():
            _require_decimal_comma(stripped)
            stripped = stripped.str.replace(",", ".", literal=True)
        numbers = stripped.cast(pl.Float64, strict=False)
        if numbers.null_count() == column.null_count():
            read.append(numbers)
    return read


def _require_decimal_comma(column: pl.Series) -> None:
    """Refuse whole numbers in which every comma may as well divide thousands."""
    with_comma = column.filter(column.str.contains(",", literal=True))
    if len(with_comma) and with_comma.str.contains(_THOUSANDS).all():
        raise InputError(
            f'Column "{column.name}" has numbers like "{with_comma[0]}", whose comma may be decimal or divide '
            "thousands: write them without it."
        )


def require_all_numbers_or_text(frame: pl.DataFrame) -> None:
    """Refuse columns of text most of which are numbers: the rest are slips, and no categories."""
    for column in frame.select(pl.col(pl.String)):
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        text = column.is_not_null() & numbers.is_null()
        if 2 * text.sum() < column.count():
            row = int(text.arg_max() or 0)
            slip = f'{counted_from(1, row)} is "{column[row]}"'
            raise InputError(
                f'Column "{column.name}" has numbers, but {slip}: make it a number, '
                f"empty it, or leave the column out with --ignore {shlex.quote(column.name)}"
            )
