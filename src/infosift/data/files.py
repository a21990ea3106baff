"""Files of text, Parquet, Arrow and Excel, whose columns are read on demand."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import mmap
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from io import BytesIO, TextIOWrapper
from pathlib import Path
from struct import Struct, error
from typing import TypeAlias

import polars as pl
import polars.selectors as cs

from infosift.data.columns import deduplicate_names
from infosift.data.written_values import (
    COMMA,
    MISSING_WORDS,
    read_written,
    require_all_numbers_or_text,
    settled_decimal,
)
from infosift.errors import DataWarning, InputError, Part, RowNumber, listing

_MARK = b"ARROW1"
_CONTINUES = 0xFFFFFFFF
_DICTIONARY = 2
_MOST_COMPRESSED = 2**15  # 128 kB of one value are four bytes
_U8, _U16, _I32, _U32, _I64 = (Struct(f"<{kind}") for kind in "BHiIq")
_BLOCK, _BUFFER = Struct("<qiiq"), Struct("<qq")
Content: TypeAlias = bytes | mmap.mmap
STANDARD_INPUT = "-"
_TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET_ENDINGS = (".parquet", ".pq")
_ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
_EXCEL_ENDINGS = (".xlsx",)
_ENDINGS = (*_TEXT_ENDINGS, *_PARQUET_ENDINGS, *_ARROW_ENDINGS, *_EXCEL_ENDINGS)
_SEPARATORS = ",;\t"
_GZIP, _PARQUET, _ARROW, _ZIP = b"\x1f\x8b", b"PAR1", b"ARROW1", b"PK\x03\x04"
_MARKS_OF_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAYS_OF_CALENDAR = tuple((day - date(1970, 1, 1)).days + after for day, after in ((date.min, 0), (date.max, 1)))
_UNITS_OF_DAY = {"day": 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_MOST_REPEATED = 5
_COMMENT_SIGNS = ("#", "%", "//", ";")
# Where commas are decimal, they cannot divide the cells too.
_SEPARATORS_BESIDE_COMMAS = (";", "\t")
_UNREADABLE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, UnicodeError)


class _Table:
    """A table of the format FlatBuffers, whose fields go by number."""

    def __init__(self, content: Content, reference: int) -> None:
        self._content = content
        self._at = reference + _read(_U32, content, reference)[0]

    def place(self, number: int) -> int | None:
        """Return where a field is, None where there is none."""
        fields = self._at - _read(_I32, self._content, self._at)[0]
        slot = 4 + 2 * number
        if slot >= _read(_U16, self._content, fields)[0]:
            return None
        offset = _read(_U16, self._content, fields + slot)[0]
        return self._at + offset if offset else None

    def table(self, number: int) -> _Table | None:
        """Return a field that is a table."""
        place = self.place(number)
        return None if place is None else _Table(self._content, place)

    def items(self, number: int, item: Struct) -> Iterator[tuple[int, ...]]:
        """Return the items of a field that is a list of numbers."""
        place = self.place(number)
        if place is None:
            return
        start = place + _read(_U32, self._content, place)[0]
        for i in range(_read(_U32, self._content, start)[0]):
            yield _read(item, self._content, start + 4 + i * item.size)


def require_whole(source: Path | bytes) -> None:
    """Refuse an Arrow file in which a part would lie outside of it."""
    if isinstance(source, bytes):
        return _require_whole(source)
    with source.open("rb") as file:
        if not file.read(1):
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _require_whole(content)


def _require_whole(content: Content) -> None:
    end = len(content) - len(_MARK) - _I32.size
    if end < 0 or content[: len(_MARK)] != _MARK or content[-len(_MARK) :] != _MARK:
        return  # polars says so
    try:
        footer = _Table(content, end - _read(_I32, content, end)[0])
        for number in (2, 3):  # dictionaries, rows
            for block in footer.items(number, _BLOCK):
                _require_block(content, *block)
    except (error, OverflowError) as cause:
        raise OSError("it is damaged") from cause


def _require_block(content: Content, offset: int, metadata: int, _: int, length: int) -> None:
    body = offset + metadata
    _require(offset >= 0 and metadata >= 0 and length >= 0 and body + length <= len(content))
    start = offset + (8 if _read(_U32, content, offset)[0] == _CONTINUES else 4)
    message = _Table(content, start)
    kind, rows = message.place(1), message.table(2)
    if rows is not None and kind is not None and _read(_U8, content, kind)[0] == _DICTIONARY:
        rows = rows.table(1)
    if rows is None:
        return
    is_compressed = rows.place(3) is not None
    for start, size in rows.items(2, _BUFFER):
        _require(start >= 0 and size >= 0 and start + size <= length)
        if is_compressed and size:
            _require(_read(_I64, content, body + start)[0] <= size * _MOST_COMPRESSED)


def _read(what: Struct, content: Content, place: int) -> tuple[int, ...]:
    _require(place >= 0)
    return what.unpack_from(content, place)


def _require(is_so: bool) -> None:
    if not is_so:
        raise error


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read: the encoding and comments of text, its decimal mark, its header, the sheet."""

    encoding: str | None = None
    comment: str | None = None
    decimal: str | None = None
    has_header: bool = True
    sheet: str | None = None

    def check(self) -> None:
        """Refuse an encoding that there is not, and comments that begin with nothing."""
        if self.comment == "":
            raise InputError("--comment must say how a comment begins, such as '#'.")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise InputError(
                f'There is no encoding "{self.encoding}": give one such as latin-1, cp1252 or utf-16.'
            ) from None

    def require_format(self, path: str, *, is_text: bool = False, is_excel: bool = False) -> None:
        """Refuse what cannot be said of a file of some format."""
        for option, is_said, kind, is_that in (
            ("--encoding", self.encoding is not None, "files of text", is_text),
            ("--comment", self.comment is not None, "files of text", is_text),
            ("--no-header", not self.has_header, "files of text and Excel files", is_text or is_excel),
            ("--sheet", self.sheet is not None, "Excel files", is_excel),
        ):
            if is_said and not is_that:
                raise InputError(f"{option} is for {kind}, and {path} is none: leave it out.")


@dataclass(frozen=True)
class Scanned:
    """Columns of a file that are not read yet, and what was seen of the file.

    ``by_column`` is whether each column can be read on its own, by other processes too. ``separator`` is that of
    text, ``points_as_text`` gives its columns with numbers that have a decimal point, or divided thousands, as
    text. ``later`` are the names that the header has more than once, with what all but the first are called
    instead. ``sheet`` is the one of ``sheets`` that is read.
    """

    lazy: pl.LazyFrame
    by_column: bool = False
    separator: str = ""
    points_as_text: Callable[[], pl.LazyFrame] | None = None
    later: Mapping[str, list[str]] = field(default_factory=dict)
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def scan(source: str, reading: ReadOptions) -> Scanned:
    """Return the columns of a file, which are not read yet; - is standard input."""
    reading.check()
    if source == STANDARD_INPUT:
        return _scan_content(sys.stdin.buffer.read(), reading)
    path = Path(source)
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        reading.require_format(source)
        return _scan_folder(path)
    name = path.name.lower()
    if not name.endswith(_ENDINGS):
        raise InputError(f"{path} is not read: its name must end in one of {', '.join(_ENDINGS)}.")
    is_text, is_excel = name.endswith(_TEXT_ENDINGS), name.endswith(_EXCEL_ENDINGS)
    reading.require_format(source, is_text=is_text, is_excel=is_excel)
    if is_text:
        return _scan_text_file(path, reading)
    if is_excel:
        return _read_excel(path, source, reading)
    if name.endswith(_PARQUET_ENDINGS):
        return Scanned(pl.scan_parquet(path.absolute(), glob=False), by_column=True)
    require_whole(path)
    return Scanned(pl.scan_ipc(path))


def _scan_folder(path: Path) -> Scanned:
    """Return the columns of a table in several Parquet files, end to end in the order of their names."""
    files = sorted(file.absolute() for file in path.rglob("*") if file.name.lower().endswith(_PARQUET_ENDINGS))
    if not files:
        raise InputError(f"{path} is a folder without Parquet files: give a file, or a folder with some.")
    return Scanned(pl.scan_parquet(files, glob=False), by_column=True)


def _scan_content(content: bytes, reading: ReadOptions) -> Scanned:
    """Read what came by standard input, whose first bytes say what it is."""
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    said = "Standard input"
    is_text, is_excel = not content.startswith((_PARQUET, _ARROW, _ZIP)), content.startswith(_ZIP)
    reading.require_format("standard input", is_text=is_text, is_excel=is_excel)
    if is_excel:
        return _read_excel(BytesIO(content), said, reading)
    if content.startswith(_PARQUET):
        return Scanned(pl.read_parquet(BytesIO(content)).lazy())
    if content.startswith(_ARROW):
        require_whole(content)
        return Scanned(pl.read_ipc(BytesIO(content)).lazy())
    if not content.strip():
        raise InputError("Standard input is empty: pipe a table into it, or name a file.")
    return _scan_decoded(content, reading, said)


def _scan_text_file(path: Path, reading: ReadOptions) -> Scanned:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    if reading.encoding is not None:
        with opener(path, "rb") as file:
            return _scan_decoded(file.read(), reading, str(path))
    with opener(path, "rt", encoding="utf-8-sig") as lines:
        header = _header(lines, reading.comment)
    return _scan_text(path, header, reading, str(path))


def _scan_decoded(content: bytes, reading: ReadOptions, path: str) -> Scanned:
    text = content if reading.encoding is None else content.decode(reading.encoding).encode()
    header = _header(TextIOWrapper(BytesIO(text), encoding="utf-8-sig"), reading.comment)
    return _scan_text(BytesIO(text), header, reading, path)


def _header(lines: Iterable[str], comment: str | None) -> str:
    """Return the first line that is no comment."""
    said = (line.rstrip("\r\n") for line in lines if comment is None or not line.startswith(comment))
    return next(said, "")


def _scan_text(source: Path | BytesIO, header: str, reading: ReadOptions, path: str) -> Scanned:
    separator = max(_SEPARATORS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        most = f"{csv.field_size_limit():,}"
        raise InputError(f"{path} has a column whose name has more than {most} characters: shorten it.") from None

    def scanned(types: Mapping[str, type[pl.DataType]]) -> pl.LazyFrame:
        return pl.scan_csv(
            source,
            separator=separator,
            has_header=reading.has_header,
            infer_schema_length=None,
            null_values=MISSING_WORDS,
            glob=False,
            comment_prefix=reading.comment,
            schema_overrides=types,
        )

    schema = scanned({}).collect_schema()
    types: dict[str, type[pl.DataType]] = {
        name: pl.Float64 for name, dtype in schema.items() if dtype == pl.Int128
    }
    as_text: dict[str, type[pl.DataType]] = {
        **types,
        **{name: pl.String for name, dtype in schema.items() if dtype == pl.Float64},
    }
    renamed, later = _renamed(schema.names(), names, reading.has_header)
    return Scanned(
        scanned(as_text if reading.decimal == COMMA else types).rename(renamed),
        separator=separator,
        points_as_text=lambda: scanned(as_text).rename(renamed),
        later=later,
    )


def _renamed(
    read: list[str], header: list[str], has_header: bool
) -> tuple[dict[str, str], Mapping[str, list[str]]]:
    """Return new names for those that the reader gave, and which ones the header has more than once.

    Without a header, columns are numbered from 0, as in pandas. The reader leaves quotes within a name doubled. A
    name over several lines is not in the first one.
    """
    if not has_header:
        return {name: str(number) for number, name in enumerate(read)}, {}
    if len(read) != len(header):
        return {}, {}
    names, later = deduplicate_names(header)
    return dict(zip(read, names, strict=True)), later


def _read_excel(source: Path | BytesIO, path: str, reading: ReadOptions) -> Scanned:
    """Read a sheet of an Excel file, the first unless another is asked for."""
    try:
        import fastexcel
    except ImportError:
        raise InputError(
            'Excel files need the package fastexcel: install it with pip install "infosift[excel]".'
        ) from None
    content = source.getvalue() if isinstance(source, BytesIO) else source
    try:
        book = fastexcel.read_excel(content)
        sheets = tuple(book.sheet_names)
        if reading.sheet is not None and reading.sheet not in sheets:
            quoted = [f'"{sheet}"' for sheet in sheets]
            raise InputError(f'{path} has no sheet "{reading.sheet}": it has {listing(quoted, most=8)}.')
        sheet = sheets[0] if reading.sheet is None else reading.sheet
        frame = pl.read_excel(
            source,
            sheet_name=sheet,
            has_header=reading.has_header,
            infer_schema_length=None,
            raise_if_empty=False,
        )
        first = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise OSError(str(error).splitlines()[0]) from error
    except IndexError as error:  # of the list of its sheets
        raise OSError("it has no sheet") from error
    header = [
        frame.columns[i] if name is None else name for i, name in enumerate(first.row(0) if len(first) else ())
    ]
    renamed, later = _renamed(frame.columns, header, reading.has_header)
    words = pl.col(pl.String).str.strip_chars()
    lazy = frame.lazy().with_columns(pl.when(~words.is_in(MISSING_WORDS)).then(pl.col(pl.String)))
    return Scanned(lazy.rename(renamed), later=later, sheet=sheet, sheets=sheets)


@dataclass(frozen=True)
class TableFile:
    """A file whose columns are known and not yet read; ``path`` is what messages call it."""

    path: str
    scanned: Scanned
    names: list[str]
    reading: ReadOptions

    @classmethod
    def open(cls, source: str, reading: ReadOptions | None = None) -> TableFile:
        """Look at the names of the columns of a file; - is standard input."""
        path = "Standard input" if source == STANDARD_INPUT else source
        reading = reading or ReadOptions()
        with _refusing_in_one_sentence(path):
            scanned = scan(source, reading)
            return cls(path, scanned, scanned.lazy.collect_schema().names(), reading)

    def listed(self, asked: Sequence[str] | None) -> list[str]:
        """Return the columns that lists name, each once: commas divide names, unless a column is called so."""
        found = [name for text in asked or () for name in self._divided(text)]
        for name in found:
            self.require(name)
        return list(dict.fromkeys(found))

    def _divided(self, text: str) -> Iterator[str]:
        parts = text.split(",")
        while parts:
            for count in range(len(parts), 0, -1):
                joined = ",".join(parts[:count])
                name = joined if joined in self.names else joined.strip()
                if name in self.names or count == 1:
                    break
            del parts[:count]
            if name or name in self.names:
                yield name

    def require(self, name: str) -> None:
        """Refuse a name that no column has, with the nearest one that there is."""
        if name in self.names:
            return
        same = [other for other in self.names if other.lower() == name.lower()]
        close = same or get_close_matches(name, self.names, n=1)
        hint = f'did you mean "{close[0]}"?' if close else self._hint()
        where = f' in its sheet "{self.scanned.sheet}"' if len(self.scanned.sheets) > 1 else ""
        raise InputError(f'{self.path} has no column "{name}"{where}: {hint}')

    def _hint(self) -> str:
        """Return what else the first line may be than the names of columns, or which names there are."""
        if self.scanned.separator and self.reading.has_header and self.reading.comment is None:
            first = self.names[0] or self.scanned.separator
            for sign in _COMMENT_SIGNS:
                if first.startswith(sign):
                    return f"its first line begins with {sign}, so if that is a comment, add --comment '{sign}'."
        if self.reading.has_header and all(map(_is_number, self.names)):
            return (
                f"its first line looks like data ({listing(self.names, most=3)}), so if it has no names of "
                "columns, add --no-header, which calls them 0, 1, 2 and so on."
            )
        has = f"it has {listing(self.names, most=8)}."
        others = [f'"{sheet}"' for sheet in self.scanned.sheets if sheet != self.scanned.sheet]
        return f"{has} Other sheets, for --sheet, are {listing(others, most=8)}." if others else has

    def read(
        self,
        target: str,
        ignore: Sequence[str] = (),
        named: Sequence[str] = (),
        labels: Sequence[str] = (),
        as_written: Sequence[str] = (),
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Return the columns without those to ignore, and the target.

        All columns that are named must be there. Those that are ``labels``, such as the person of each row, may
        hold anything. Numbers are not looked for in the text of those that are to stay ``as_written``.
        """
        self._require_asked(target, ignore, named, labels)
        used = [name for name in self.names if name not in ignore]
        if used == [target]:
            raise InputError(f'{self.path} has no column left besides the target "{target}".')
        frame = self._read(used, list(dict.fromkeys([*labels, *as_written])))
        if repeated := self._repeated():
            _warn(repeated)
        return frame.drop(target), frame[target]

    def scan(
        self,
        target: str,
        ignore: Sequence[str] = (),
        named: Sequence[str] = (),
        labels: Sequence[str] = (),
        as_written: Sequence[str] = (),
    ) -> tuple[pl.LazyFrame, pl.DataFrame] | None:
        """Return the columns, not read, and the target and labels; None where some must be read to be known.

        Text may be numbers or dates, and not all dates are those of a calendar.
        """
        self._require_asked(target, ignore, named, labels)
        types = self.scanned.lazy.collect_schema()
        features = [name for name in self.names if name not in (target, *ignore, *labels)]
        if not (self.scanned.by_column and features):
            return None
        if not all(name in as_written or _is_known(types[name]) for name in features):
            return None
        return self.scanned.lazy.select(features), self._read([target, *labels], list(labels))

    def _require_asked(
        self, target: str, ignore: Sequence[str], named: Sequence[str], labels: Sequence[str]
    ) -> None:
        """Refuse what cannot be asked of the columns that there are."""
        for name in (target, *ignore, *named, *labels):
            self.require(name)
        if target in ignore:
            raise InputError(f'"{target}" is the target, so it cannot be ignored.')
        if both := [name for name in (*named, *labels) if name in ignore]:
            raise InputError(f'"{both[0]}" is to be ignored, so nothing else can be asked of it.')
        if target in self.scanned.later:
            count = 1 + len(self.scanned.later[target])
            raise InputError(
                f'"{target}" is the target, and {count} columns of {self.path} are called so: rename them.'
            )

    def _read(self, used: Sequence[str], as_written: Sequence[str]) -> pl.DataFrame:
        frame = self._collect(self.scanned.lazy, used)
        _require_calendar(frame)
        if frame.is_empty():
            raise InputError(f"{self.path} has column names but no rows.")
        return self._with_numbers(frame, as_written)

    def _collect(self, lazy: pl.LazyFrame, names: Sequence[str]) -> pl.DataFrame:
        with _refusing_in_one_sentence(self.path):
            return lazy.select(names).collect()

    def _with_numbers(self, frame: pl.DataFrame, as_written: Sequence[str]) -> pl.DataFrame:
        """Return columns with numbers and dates in place of their text, but for some; say what was not plain."""
        frame, decimal = self._with_decimal(frame, as_written)
        written = read_written(frame.drop(as_written), decimal)
        frame = frame.with_columns(written.columns)
        require_all_numbers_or_text(frame.drop(as_written))
        said = {"numbers": written.numbers, "dates, which count in days": written.dates}
        for what, names in said.items():
            if names:
                _warn(f"Read as {what}: {listing(names)}.")
        return frame

    def _with_decimal(self, frame: pl.DataFrame, as_written: Sequence[str]) -> tuple[pl.DataFrame, str | None]:
        """Return columns and their decimal mark: the one that is told, or a comma where the columns show it."""
        points_as_text = self.scanned.points_as_text
        is_open = self.reading.decimal is None and self.scanned.separator in _SEPARATORS_BESIDE_COMMAS
        if points_as_text is None or not is_open or settled_decimal(frame.drop(as_written)) is None:
            return frame, self.reading.decimal
        as_text = self._collect(points_as_text(), frame.columns).with_columns(frame.select(as_written))
        settled = settled_decimal(as_text.drop(as_written))
        if settled is None:
            return frame, None
        if settled.others:
            _warn(*settled.parts)
        return as_text, COMMA

    def _repeated(self) -> str:
        """Return, in a sentence, what columns are called whose names occur before."""
        said = []
        for name, others in self.scanned.later.items():
            which = "the second is" if len(others) == 1 else "the others are"
            called = listing([f'"{other}"' for other in others])
            said.append(f'"{name}" occurs {len(others) + 1} times: {which} called {called}')
        more = f"; {len(said) - _MOST_REPEATED:,} more names are repeated" if len(said) > _MOST_REPEATED else ""
        return f"{'; '.join(said[:_MOST_REPEATED])}{more}." if said else ""


def _is_known(dtype: pl.DataType) -> bool:
    """Tell whether values of a type are what they seem, numbers or categories."""
    return dtype.is_numeric() or dtype in (pl.Boolean, pl.Categorical, pl.Enum)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def _warn(*parts: Part) -> None:
    """Warn of what a file may not mean, with parameters as hints."""
    warnings.warn(DataWarning(*parts), stacklevel=4)


def _require_calendar(frame: pl.DataFrame) -> None:
    """Refuse dates and times that no calendar and no clock has, since polars panics where it is to show them."""
    for series in frame.select(cs.date() | cs.datetime() | cs.time()):
        dtype = series.dtype
        unit = "ns" if dtype == pl.Time else getattr(dtype, "time_unit", "day")
        least, most = (0, 1) if dtype == pl.Time else _DAYS_OF_CALENDAR
        days = series.to_physical() // _UNITS_OF_DAY[unit]
        is_outside = (days < least) | (days >= most)
        if is_outside.any():
            raise InputError(
                f'Column "{series.name}" has a date or time outside the years 1 to 9999 in ',
                RowNumber(is_outside.arg_max() or 0),
                ": correct it.",
            )


@contextmanager
def _refusing_in_one_sentence(path: str) -> Iterator[None]:
    """Say of a file that cannot be read why not; the reader of Arrow panics, in words of its own, at some."""
    try:
        with _nothing_on_standard_error():
            yield
    except _UNREADABLE as error:
        raise InputError(f"{path} cannot be read as a table ({_reason(error)}).") from error
    except pl.exceptions.PanicException as error:
        raise InputError(f"{path} cannot be read as a table (it is damaged).") from error


@contextmanager
def _nothing_on_standard_error() -> Iterator[None]:
    """Silence what is written to standard error from outside Python."""
    try:
        saved = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) and error.object.startswith(_MARKS_OF_UTF_16):
        return "its text is UTF-16: add --encoding utf-16"
    reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
    if isinstance(error, UnicodeDecodeError) and error.encoding.lower().startswith("utf-8"):
        return "its text is not UTF-8: name its encoding, such as --encoding latin-1"
    if isinstance(error, UnicodeError):
        return "its text is not in that encoding: name another one"
    if "invalid utf-8" in reason.lower():
        return "its text is not UTF-8: name its encoding, such as --encoding latin-1"
    if isinstance(error, pl.exceptions.NoDataError):
        return "it is empty"
    return "some line has more fields than there are names of columns" if "more fields" in reason else reason


def read_groups_file(path: Path) -> dict[str, list[str]]:
    """Return groups of features: JSON of names and lists of features, or CSV lines of a feature and its group."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            groups = json.loads(text)
            if isinstance(groups, dict) and all(isinstance(columns, list) for columns in groups.values()):
                return groups
        else:
            return _groups_by_line(text)
    except ValueError:
        pass
    raise InputError(
        f'{path} does not say which features are groups: it must be JSON like {{"size": ["height", "width"]}}, or '
        "CSV with a line for each feature, its name and that of its group."
    )


def _groups_by_line(text: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    lines = list(csv.reader(text.splitlines()))
    has_header = bool(lines) and lines[0] in (["feature", "group"], ["column", "group"])
    for column, group in lines[1:] if has_header else lines:
        groups.setdefault(group, []).append(column)
    return groups
