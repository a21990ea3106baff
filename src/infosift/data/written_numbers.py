"""Numbers that are written as text: with a decimal comma, divided thousands, a currency, a unit or a percent."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import polars as pl

from infosift.data.decimal_marks import COMMA, POINT, Marks, Settled, settle
from infosift.data.written_dates import DATE, read_dates
from infosift.errors import InputError, counted_from

_NUMBER_WITH_COMMA = r"^[+-]?\d*,?\d+([eE][+-]?\d+)?$"
_SYMBOLS, _CODES = "€$£¥₹₽₩", "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|INR|JPY|MXN|NOK|NZD|PLN|SEK|USD"
_CURRENCY = rf"(?:[A-Z]{{0,3}}[{_SYMBOLS}]|(?:{_CODES})\b)"
_UNIT = r"(?:[%‰]|[\p{L}°µ][\p{L}\d°²³/^]{0,9})"
_BODY = r"(?:\d{1,3}(?:[.,'’\s]\d{3})+|\d+)(?:[.,]\d+)?"
_CELL = rf"^(?<sign>[+-])?(?<before>{_CURRENCY})?\s*(?<body>[+-]?{_BODY})\s*(?<after>{_CURRENCY}|{_UNIT})?$"
_WHOLE = r"^\d+$"
_FEW_CATEGORIES = 20


@dataclass(frozen=True)
class Written:
    """Columns of text that are numbers or dates all the same; those that it is worth saying of, with a cell."""

    columns: list[pl.Series]
    numbers: list[str]
    dates: list[str]


def read_written(frame: pl.DataFrame, decimal: str | None = None) -> Written:
    """Read columns of text that are numbers or dates all the same, or missing altogether."""
    written = Written([], [], [])
    for column in frame.select(pl.col(pl.String)):
        numbers, said = _plain_numbers(column, decimal), None
        if numbers is None and (numbers := read_dates(column)) is not None:
            said = written.dates
        if numbers is None and (numbers := _numbers_with_signs(column, decimal)) is not None:
            said = written.numbers
        if numbers is None:
            continue
        written.columns.append(numbers)
        if said is not None:
            said.append(f'"{column.name}" ("{column.drop_nulls()[0]}")')
    return written


def settled_decimal(frame: pl.DataFrame) -> Settled | None:
    """Return which column of text shows that commas are decimal in all of them; None where none does."""
    found = [(column.name, _marks_beside_signs(column)) for column in frame.select(pl.col(pl.String))]
    return settle([(name, marks) for name, marks in found if marks is not None])


def _plain_numbers(column: pl.Series, decimal: str | None) -> pl.Series | None:
    """Return numbers without thousands that are divided, or anything beside them."""
    stripped = column.str.strip_chars()
    marks = Marks.of(stripped.filter(stripped.str.contains("[.,]")))
    if column.count() and stripped.str.contains(_NUMBER_WITH_COMMA).all():
        if marks is not None and decimal is None:
            marks.require_clear(COMMA, column.name)
        if marks is None or decimal != POINT or not marks.is_english:
            stripped = stripped.str.replace(",", ".", literal=True)
    elif decimal == COMMA and marks is not None and marks.is_continental:
        return None
    numbers = stripped.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else None


def _numbers_with_signs(column: pl.Series, decimal: str | None) -> pl.Series | None:
    """Return numbers with divided thousands, or with the same sign or unit beside all of them."""
    marks = _marks_beside_signs(column)
    if marks is None:
        return None
    cells = _cells(column)
    currency = next(iter(cells["before"].drop_nulls()), "") or next(iter(cells["after"].drop_nulls()), "")
    if decimal is None:
        if not currency.endswith(("$", "£")):
            marks.require_clear(COMMA, column.name)
        if currency.endswith("€"):
            marks.require_clear(POINT, column.name)
    numbers = marks.numbers(decimal)
    return numbers.zip_with((cells["sign"] == "-").fill_null(False).not_(), -numbers)


def _marks_beside_signs(column: pl.Series) -> Marks | None:
    """Return the numbers in cells that all have the same sign or unit; None where they do not."""
    cells = _cells(column)
    if not column.count() or cells["body"].null_count() > column.null_count() or _n_shapes(cells) > 1:
        return None
    return Marks.of(cells["body"].str.replace_all(r"['’\s]", "").alias(column.name))


def _cells(column: pl.Series) -> pl.DataFrame:
    """Return what is before each number, its sign, the number and what is after it; nothing of other text."""
    return column.str.strip_chars().str.extract_groups(_CELL).struct.unnest()


def _n_shapes(cells: pl.DataFrame) -> int:
    return cells.filter(pl.col("body").is_not_null()).select("before", "after").n_unique()


def require_all_numbers_or_text(frame: pl.DataFrame) -> None:
    """Refuse columns of text most of which are numbers or dates: the rest are slips, and no categories."""
    for column in frame.select(pl.col(pl.String)):
        stripped, cells = column.str.strip_chars(), _cells(column)
        numbers = stripped.cast(pl.Float64, strict=False).is_not_null()
        _require_few_others(column, "a number", numbers)
        _require_few_others(column, "a date", stripped.str.contains(DATE).fill_null(False))
        if _n_shapes(cells) == 1:
            _require_few_others(column, "a number", cells["body"].is_not_null())


def _require_few_others(column: pl.Series, what: str, is_such: pl.Series) -> None:
    others = column.is_not_null() & ~is_such
    if others.any() and 2 * others.sum() < column.count():
        row, name = int(others.arg_max() or 0), shlex.quote(column.name)
        like = f'{what.split()[1]}s like "{column.filter(is_such)[0]}"'
        raise InputError(
            f'Column "{column.name}" has {like}, but {counted_from(1, row)} is "{column[row]}": make it {what}, '
            f"empty it, or say --ignore {name} or --categorical {name}."
        )


def disguise(values: list[str]) -> str | None:
    """Return what text looks like, and how many cells: numbers or dates; None for other text, or few categories.

    Whole numbers may well be names, such as those of postal districts, unless they hardly repeat.
    """
    column = pl.Series("", values, dtype=pl.String)
    if column.n_unique() <= max(2, min(_FEW_CATEGORIES, len(values) / 2)):
        return None
    stripped = column.str.strip_chars()
    may_be_names = 2 * column.n_unique() <= len(values)
    for what, pattern in (("dates", DATE), ("numbers", _CELL)):
        looks_so = stripped.str.contains(pattern)
        if may_be_names:
            looks_so &= ~stripped.str.contains(_WHOLE)
        if 2 * looks_so.sum() > len(column):
            example = column.filter(looks_so)[0]
            return f'{what}, such as "{example}" ({looks_so.sum():,} of {len(column):,} cells)'
    return None
