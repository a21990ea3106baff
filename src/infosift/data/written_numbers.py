"""Numbers that are written as text: with a decimal comma, divided thousands, a currency, a unit or a percent."""

from __future__ import annotations

import shlex
import warnings

import polars as pl

from infosift.data.written_dates import DATE, read_dates
from infosift.errors import InputError, counted_from, listing

_NUMBER_WITH_COMMA = r"^[+-]?\d*,?\d+([eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}[,.]\d{3}$"
_SYMBOLS, _CODES = "€$£¥₹₽₩", "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|INR|JPY|MXN|NOK|NZD|PLN|SEK|USD"
_CURRENCY = rf"(?:[A-Z]{{0,3}}[{_SYMBOLS}]|(?:{_CODES})\b)"
_UNIT = r"(?:[%‰]|[\p{L}°µ][\p{L}\d°²³/^]{0,9})"
_BODY = r"(?:\d{1,3}(?:[.,'’\s]\d{3})+|\d+)(?:[.,]\d+)?"
_CELL = rf"^(?<sign>[+-])?(?<before>{_CURRENCY})?\s*(?<body>[+-]?{_BODY})\s*(?<after>{_CURRENCY}|{_UNIT})?$"
_ENGLISH = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$"
_CONTINENTAL = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$"
_WHOLE = r"^\d+$"
_FEW_CATEGORIES = 20


def read_written(frame: pl.DataFrame) -> list[pl.Series]:
    """Read columns of text that are numbers or dates all the same, or missing altogether."""
    read, beside = [], []
    for column in frame.select(pl.col(pl.String)):
        numbers = _plain_numbers(column)
        if numbers is None:
            numbers = read_dates(column)
        if numbers is None and (numbers := _numbers_with_signs(column)) is not None:
            beside.append(f'"{column.name}" ("{column.drop_nulls()[0]}")')
        if numbers is not None:
            read.append(numbers)
    if beside:
        warnings.warn(f"Read as numbers: {listing(beside)}.", UserWarning, stacklevel=3)
    return read


def _plain_numbers(column: pl.Series) -> pl.Series | None:
    stripped = column.str.strip_chars()
    if column.count() and stripped.str.contains(_NUMBER_WITH_COMMA).all():
        _require_decimal(stripped, ",")
        stripped = stripped.str.replace(",", ".", literal=True)
    numbers = stripped.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else None


def _require_decimal(column: pl.Series, mark: str) -> None:
    """Refuse numbers in which every mark may be decimal or divide thousands."""
    marked = column.filter(column.str.contains(mark, literal=True))
    if len(marked) and marked.str.contains(_THOUSANDS).all():
        word = {",": "comma", ".": "point"}[mark]
        raise InputError(
            f'Column "{column.name}" has numbers like "{marked[0]}", whose {word} may be decimal or divide '
            "thousands: write them without it."
        )


def _numbers_with_signs(column: pl.Series) -> pl.Series | None:
    """Return numbers with divided thousands, or with the same sign or unit beside all of them."""
    cells = _cells(column)
    if not column.count() or cells["body"].null_count() > column.null_count() or _n_shapes(cells) > 1:
        return None
    currency = next(iter(cells["before"].drop_nulls()), "") or next(iter(cells["after"].drop_nulls()), "")
    body = cells["body"].str.replace_all(r"['’\s]", "").alias(column.name)
    is_english, is_continental = body.str.contains(_ENGLISH).all(), body.str.contains(_CONTINENTAL).all()
    if not is_english and not is_continental:
        return None
    if is_english and is_continental:
        if not currency.endswith(("$", "£")):
            _require_decimal(body, ",")
        if currency.endswith("€"):
            _require_decimal(body, ".")
    if is_english:
        plain = body.str.replace_all(",", "", literal=True)
    else:
        plain = body.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    numbers = plain.cast(pl.Float64)
    return numbers.zip_with((cells["sign"] == "-").fill_null(False).not_(), -numbers)


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
