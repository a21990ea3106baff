"""Numbers and dates that are written as text, in files and in data frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import polars as pl

from infosift.data.columns import require_frame
from infosift.data.types import COMMA, MISSING_WORDS
from infosift.errors import Hint, InputError, RowNumber, require_choice

POINT = "point"
DECIMALS = (None, COMMA, POINT)
_MARKS = {COMMA: ",", POINT: "."}
_ENGLISH = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$"
_CONTINENTAL = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$"
_NO_ZERO = r"^([+-]?)([.,]\d)"
_TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(Z|[+-]\d{2}:?\d{2})?)?"
_YEAR_FIRST = rf"^(?<year>\d{{4}})(?<mark>[-/.])(?<month>\d{{1,2}})[-/.](?<day>\d{{1,2}}){_TIME}$"
_YEAR_LAST = rf"^(?<first>\d{{1,2}})(?<mark>[-/.])(?<second>\d{{1,2}})[-/.](?<year>\d{{4}}){_TIME}$"
_DATE = r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?:[T ]+\d{1,2}:\d{2}.*)?$"
_NUMBER_WITH_COMMA = r"^[+-]?\d*,?\d+([eE][+-]?\d+)?$"
_SYMBOLS, _CODES = "€$£¥₹₽₩", "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|INR|JPY|MXN|NOK|NZD|PLN|SEK|USD"
_CURRENCY = rf"(?:[A-Z]{{0,3}}[{_SYMBOLS}]|(?:{_CODES})\b)"
_UNIT = r"(?:[%‰]|[\p{L}°µ][\p{L}\d°²³/^]{0,9})"
_BODY = r"(?:\d{1,3}(?:[.,'’\s]\d{3})+|\d+)(?:[.,]\d+)?"
_CELL = rf"^(?<sign>[+-])?(?<before>{_CURRENCY})?\s*(?<body>[+-]?{_BODY})\s*(?<after>{_CURRENCY}|{_UNIT})?$"
# What follows the zero of a number in another base, or a number that is multiplied: no unit.
_NO_UNIT = r"^(?:[xX][0-9A-Fa-f]+|[bBoO]\d+)$"
_OTHER_DIGITS = r"[\p{Nd}--0-9]"
_WHOLE = r"^\d+$"
_FEW_CATEGORIES = 20


@dataclass(frozen=True)
class DecimalMarks:
    """The numbers of a column as they are written, without units, and which readings their marks allow.

    English numbers have decimal points and commas between thousands, continental ones the reverse.
    """

    text: pl.Series
    is_english: bool
    is_continental: bool

    @classmethod
    def of(cls, text: pl.Series) -> DecimalMarks | None:
        """Examine numbers; None where they are none by either reading."""
        text = text.str.replace(_NO_ZERO, "${1}0$2")
        english, continental = (bool(text.str.contains(form).all()) for form in (_ENGLISH, _CONTINENTAL))
        return cls(text, english, continental) if text.count() and (english or continental) else None

    @property
    def ambiguous(self) -> str | None:
        """A number with a mark, where both readings are possible; None where they are not, or do not differ."""
        marked = self.text.filter(self.text.str.contains("[.,]"))
        return marked[0] if self.is_english and self.is_continental and len(marked) else None

    def has(self, decimal: str) -> bool:
        """Tell whether some number has a mark, such as a comma."""
        return bool(self.text.str.contains(_MARKS[decimal], literal=True).any())

    def require_clear(self, decimal: str, column: str) -> None:
        """Refuse numbers that have a mark and may be read both ways."""
        if self.ambiguous is not None and self.has(decimal):
            raise InputError(
                f'Column "{column}" has numbers like "{self.ambiguous}", whose {decimal} may be decimal or divide '
                "thousands: set ",
                Hint("decimal", COMMA),
                " or ",
                Hint("decimal", POINT),
                ".",
            )

    def numbers(self, decimal: str | None) -> pl.Series:
        """Convert to numbers, by the given decimal mark where it is possible."""
        is_english = self.is_english if decimal != COMMA else not self.is_continental
        if is_english:
            plain = self.text.str.replace_all(",", "", literal=True)
        else:
            plain = self.text.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        return plain.cast(pl.Float64)


def comma_is_decimal(frame: pl.DataFrame) -> tuple[str, list[str]] | None:
    """Return the column of text that shows that commas are decimal, and those that are ambiguous without it.

    None where no column shows it, or another one that points are.
    """
    marks = {column.name: _marks_of_cells(column) for column in frame.select(pl.col(pl.String))}
    columns = [(name, own) for name, own in marks.items() if own is not None]
    evidence = [(name, own) for name, own in columns if not own.is_english and own.has(COMMA)]
    if not evidence or not all(own.is_continental for _, own in columns):
        return None
    name, own = evidence[0]
    example = own.text.filter(~own.text.str.contains(_ENGLISH))[0]
    ambiguous = [f'"{other}" ("{its.ambiguous}")' for other, its in columns if its.ambiguous is not None]
    return f'"{name}" ("{example}")', ambiguous


@dataclass(frozen=True)
class WrittenColumns:
    """Columns of text that are numbers or dates; those that a note is due of, each with an example."""

    columns: list[pl.Series]
    numbers: list[str]
    dates: list[str]


def read_written(frame: pl.DataFrame, decimal: str | None = None) -> WrittenColumns:
    """Convert columns of text whose cells are all numbers or all dates, or missing."""
    written = WrittenColumns([], [], [])
    for column in frame.select(pl.col(pl.String)):
        _require_western_digits(column)
        converted, noted = _plain_numbers(column, decimal), None
        if converted is None and (converted := _dates(column)) is not None:
            noted = written.dates
        if converted is None and (converted := _numbers_with_units(column, decimal)) is not None:
            noted = written.numbers
        if converted is None:
            continue
        written.columns.append(converted)
        if noted is not None:
            noted.append(f'"{column.name}" ("{column.drop_nulls()[0]}")')
    return written


def _require_western_digits(column: pl.Series) -> None:
    """Refuse numbers and dates with digits other than 0 to 9, which no reader of files knows."""
    others = column.filter(column.str.contains(_OTHER_DIGITS))
    if others.count() and (column.str.contains(_DATE).all() or _marks_of_cells(column) is not None):
        raise InputError(
            f'Column "{column.name}" has digits of another script, as in "{others[0]}": write them as 0 to 9.'
        )


def _plain_numbers(column: pl.Series, decimal: str | None) -> pl.Series | None:
    """Convert numbers without divided thousands and units; None where some cell is none."""
    stripped = column.str.strip_chars()
    marks = DecimalMarks.of(stripped.filter(stripped.str.contains("[.,]")))
    if column.count() and stripped.str.contains(_NUMBER_WITH_COMMA).all():
        if marks is not None and decimal is None:
            marks.require_clear(COMMA, column.name)
        if marks is None or decimal != POINT or not marks.is_english:
            stripped = stripped.str.replace(",", ".", literal=True)
    elif decimal == COMMA and marks is not None and marks.is_continental:
        return None
    numbers = stripped.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else None


def _numbers_with_units(column: pl.Series, decimal: str | None) -> pl.Series | None:
    """Convert numbers with divided thousands, or with the same currency or unit in all cells."""
    marks = _marks_of_cells(column)
    if marks is None:
        return None
    cells = _cells(column)
    currency = next(iter(cells["before"].drop_nulls()), "") or next(iter(cells["after"].drop_nulls()), "")
    if decimal is None:
        if not currency.endswith(("$", "£")):  # which divide thousands by commas
            marks.require_clear(COMMA, column.name)
        if currency.endswith("€"):
            marks.require_clear(POINT, column.name)
    numbers = marks.numbers(decimal)
    return numbers.zip_with((cells["sign"] == "-").fill_null(False).not_(), -numbers)


def _marks_of_cells(column: pl.Series) -> DecimalMarks | None:
    """Return the numbers of cells that all have the same currency or unit; None where they do not."""
    cells = _cells(column)
    if not column.count() or cells["body"].null_count() > column.null_count() or _n_units(cells) > 1:
        return None
    return DecimalMarks.of(cells["body"].str.replace_all(r"['’\s]", "").alias(column.name))


def _cells(column: pl.Series) -> pl.DataFrame:
    """Split each cell into sign, what is before the number, the number, and its unit; null for other text.

    Neither "--6" nor "0x10" is a number.
    """
    cells = column.str.strip_chars().str.extract_groups(_CELL).struct.unnest()
    two_signs = pl.col("sign").is_not_null() & pl.col("body").str.contains("^[+-]")
    is_none = two_signs | pl.col("after").str.contains(_NO_UNIT).fill_null(False)
    return cells.select(pl.when(~is_none).then(pl.all()))


def _n_units(cells: pl.DataFrame) -> int:
    return cells.filter(pl.col("body").is_not_null()).select("before", "after").n_unique()


def _dates(column: pl.Series) -> pl.Series | None:
    """Convert text to dates, or to datetimes in universal time; None where some cell is none."""
    text = column.str.strip_chars()
    if not column.count() or not text.str.contains(_DATE).all():
        return None
    year_first = text.str.contains(_YEAR_FIRST)
    if year_first.all():
        parts = text.str.extract_groups(_YEAR_FIRST).struct.unnest()
        return _joined_dates(column, parts, parts["month"], parts["day"])
    if year_first.any() or not text.str.contains(_YEAR_LAST).all():
        return None
    parts = text.str.extract_groups(_YEAR_LAST).struct.unnest()
    first, second = parts["first"], parts["second"]
    if not _day_is_first(column, first.cast(pl.Int64), second.cast(pl.Int64), parts["mark"]):
        first, second = second, first
    return _joined_dates(column, parts, month=second, day=first)


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


def _joined_dates(column: pl.Series, parts: pl.DataFrame, month: pl.Series, day: pl.Series) -> pl.Series | None:
    """Join parts to dates, or to datetimes where some cell has a time of day; None where one is in no calendar."""
    hour, minute, second, offset = (parts.to_series(place) for place in range(parts.width - 4, parts.width))
    dates = parts["year"] + "-" + month.str.zfill(2) + "-" + day.str.zfill(2)
    times = hour.fill_null("0").str.zfill(2) + ":" + minute.fill_null("00") + ":" + second.fill_null("00")
    offsets = offset.fill_null("Z").str.replace("Z", "+0000", literal=True).str.replace(":", "")
    texts = dates + "T" + times + offsets
    read = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", strict=False, time_unit="us").dt.replace_time_zone(None)
    if read.null_count() != column.null_count():
        return None
    return (read.cast(pl.Date) if hour.null_count() == len(hour) else read).alias(column.name)


def require_all_numbers_or_text(frame: pl.DataFrame) -> None:
    """Refuse columns of text most of which are numbers or dates: the other cells are slips, and no categories."""
    for column in frame.select(pl.col(pl.String)):
        stripped, cells = column.str.strip_chars(), _cells(column)
        kinds = [
            ("number", stripped.cast(pl.Float64, strict=False).is_not_null()),
            ("date", stripped.str.contains(_DATE).fill_null(False)),
            ("number", cells["body"].is_not_null() & (_n_units(cells) == 1)),
        ]
        for what, is_such in kinds:
            others = column.is_not_null() & ~is_such
            if others.any() and 2 * others.sum() < column.count():
                row, name = int(others.arg_max() or 0), (column.name,)
                raise InputError(
                    f'Column "{column.name}" has {what}s like "{column.filter(is_such)[0]}", but ',
                    RowNumber(row),
                    f' is "{column[row]}": make it a {what}, empty it, or set ',
                    Hint("ignore", name),
                    " or ",
                    Hint("discrete_features", name),
                    ".",
                )


def describe_numeric_text(values: list[str]) -> str | None:
    """Describe what most cells of text are, numbers or dates; None for other text, or for few categories.

    Whole numbers may well be names, such as those of postal districts, unless they hardly repeat.
    """
    column = pl.Series("", values, dtype=pl.String)
    if column.n_unique() <= max(2, min(_FEW_CATEGORIES, len(values) / 2)):
        return None
    stripped = column.str.strip_chars()
    may_be_names = 2 * column.n_unique() <= len(values)
    for what, is_such in (
        ("dates", stripped.str.contains(_DATE)),
        ("numbers", _cells(column)["body"].is_not_null()),
    ):
        if may_be_names:
            is_such &= ~stripped.str.contains(_WHOLE)
        if 2 * is_such.sum() > len(column):
            example = column.filter(is_such)[0]
            return f'{what}, such as "{example}" ({is_such.sum():,} of {len(column):,} cells)'
    return None


def parse_numbers(frame: Any, *, decimal: str | None = None) -> Any:
    """Read text that is numbers or dates as such, as the command line reads files.

    Numbers may have a decimal comma, divided thousands, a currency, a percent sign, or the same unit in every cell
    ("12,5", "1,234.50", "€ 5", "3 %", "5 kg"), which is left off. Dates are those such as 2024-05-01, 1.5.2024 or
    31/12/2024. A column is read only where every cell can be; otherwise it stays as it is, as do categories.

    Parameters
    ----------
    frame : data frame
        A table of any library.
    decimal : {None, "comma", "point"}
        What the mark of "1,234" is, where nothing else in a column tells. None refuses such columns.

    Returns
    -------
    data frame
        The same with floats and datetimes in place of such text. Cells that are empty, or words for a missing
        value such as "NA", are missing in them.

    Examples
    --------
    >>> import polars as pl
    >>> from infosift import parse_numbers
    >>> frame = pl.DataFrame({"rate": ["3.5 %", "12 %"], "town": ["Bern", "Basel"]})
    >>> parse_numbers(frame).row(0)
    (3.5, 'Bern')
    """
    require_choice("decimal", decimal, DECIMALS)
    view = require_frame(frame, "parse_numbers")
    text = pl.DataFrame(
        [
            pl.Series(name, view[name].to_list(), pl.String, strict=False)
            for name, dtype in view.schema.items()
            if dtype == nw.String
        ]
    )
    stripped = pl.all().str.strip_chars()
    text = text.select(pl.when(~stripped.is_in(MISSING_WORDS)).then(pl.all()))
    parsed = [
        nw.new_series(
            column.name,
            (column if column.dtype.is_float() else column.cast(pl.Datetime("us"))).to_list(),
            nw.Float64 if column.dtype.is_float() else nw.Datetime,
            backend=nw.get_native_namespace(view),
        )
        for column in read_written(text, decimal).columns
        if column.count()
    ]
    return view.with_columns(*parsed).to_native() if parsed else frame
