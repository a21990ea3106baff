"""Files of text, Parquet, Arrow and Excel, whose columns are read on demand."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import mmap
import os
import struct
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from struct import Struct
from typing import Any, TypeAlias

import polars as pl
import polars.selectors as cs

from infosift.data.columns import deduplicate_names
from infosift.data.types import COMMA, MISSING_WORDS
from infosift.errors import DataWarning, Hint, InputError, Part, RowNumber, listing

STANDARD_INPUT = "-"
_TEXT, _PARQUET, _ARROW, _EXCEL = "text", "parquet", "arrow", "excel"
_FORMATS = {
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz"), _TEXT),
    **dict.fromkeys((".parquet", ".pq"), _PARQUET),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), _ARROW),
    ".xlsx": _EXCEL,
}
# By the first bytes of standard input, which has no name.
_FORMATS_BY_START = {b"PAR1": _PARQUET, b"ARROW1": _ARROW, b"PK\x03\x04": _EXCEL}
_GZIP = b"\x1f\x8b"
_SEPARATORS = ",;\t"
# Where commas are decimal, they cannot separate the cells too.
_SEPARATORS_WITH_DECIMAL_COMMAS = ";\t"
_COMMENT_SIGNS = ("#", "%", "//", ";")
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNREADABLE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, UnicodeError)
_NO_HANDLE = "Too many open files"
_MOST_REPEATED = 5
# The header of a table is looked for in so many lines, or rows of a sheet.
_MOST_ABOVE = 60
# Days since 1970 of the years 1 to 9999.
_CALENDAR = ((date.min - date(1970, 1, 1)).days, (date.max - date(1970, 1, 1)).days + 1)
_UNITS_PER_DAY = {"day": 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read: the encoding and comments of text, its decimal mark, its header, the sheet.

    ``skip`` is the number of rows above the header, or above the data where there is none; None finds it.
    """

    encoding: str | None = None
    comment: str | None = None
    decimal: str | None = None
    has_header: bool = True
    sheet: str | None = None
    skip: int | None = None

    def check(self) -> None:
        """Refuse an unknown encoding, and comments that begin with nothing."""
        if self.comment == "":
            raise InputError("--comment must say how a comment begins, such as '#'.")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise InputError(
                f'There is no encoding "{self.encoding}": give one such as latin-1, cp1252 or utf-16.'
            ) from None

    def require_format(self, path: str, file_format: str) -> None:
        """Refuse options that do not apply to a file of this format."""
        for option, is_given, described, formats in (
            ("--encoding", self.encoding is not None, "files of text", (_TEXT,)),
            ("--comment", self.comment is not None, "files of text", (_TEXT,)),
            ("--no-header", not self.has_header, "files of text and Excel files", (_TEXT, _EXCEL)),
            ("--skip or --header-row", self.skip is not None, "files of text and Excel files", (_TEXT, _EXCEL)),
            ("--sheet", self.sheet is not None, "Excel files", (_EXCEL,)),
        ):
            if is_given and file_format not in formats:
                raise InputError(f"{option} is for {described}, and {path} is none: leave it out.")


@dataclass(frozen=True)
class ScannedFile:
    """Columns of a file that are not read yet, and what was learned about the file.

    ``by_column`` is whether each column can be read on its own, by other processes too. ``separator`` is that of
    text; ``points_as_text`` has its columns with numbers that have a decimal point, or divided thousands, as text.
    ``repeated`` are the names that the header has more than once, with the new names of all but the first.
    ``sheet`` is the one of ``sheets`` that is read.
    """

    lazy: pl.LazyFrame
    by_column: bool = False
    separator: str = ""
    points_as_text: Callable[[], pl.LazyFrame] | None = None
    repeated: Mapping[str, list[str]] = field(default_factory=dict)
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def _scan(source: str, options: ReadOptions) -> ScannedFile:
    """Scan the columns of a file, or of a folder of Parquet files; - is standard input."""
    options.check()
    if source == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("Standard input is closed: pipe a table into it, or name a file.")
        return _scan_bytes(sys.stdin.buffer.read(), options)
    path = Path(source)
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        options.require_format(source, _PARQUET)
        # One table, whose files follow each other in the order of their names.
        files = sorted(file.absolute() for file in path.rglob("*") if _format_of(file) == _PARQUET)
        if not files:
            raise InputError(f"{path} is a folder without Parquet files: give a file, or a folder with some.")
        return ScannedFile(pl.scan_parquet(files, glob=False), by_column=True)
    file_format = _format_of(path)
    if file_format is None:
        raise InputError(f"{path} is not read: its name must end in one of {', '.join(_FORMATS)}.")
    options.require_format(source, file_format)
    if file_format == _TEXT:
        return _scan_text_file(path, options)
    if file_format == _EXCEL:
        return _read_excel(path, source, options)
    if file_format == _PARQUET:
        return ScannedFile(pl.scan_parquet(path.absolute(), glob=False), by_column=True)
    require_whole_arrow(path)
    return ScannedFile(pl.scan_ipc(path))


def _format_of(path: Path) -> str | None:
    name = path.name.lower()
    return next((file_format for ending, file_format in _FORMATS.items() if name.endswith(ending)), None)


def _scan_bytes(content: bytes, options: ReadOptions) -> ScannedFile:
    """Scan what came by standard input, whose first bytes tell its format."""
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    path = "Standard input"
    file_format = next((own for start, own in _FORMATS_BY_START.items() if content.startswith(start)), _TEXT)
    options.require_format("standard input", file_format)
    if file_format == _EXCEL:
        return _read_excel(BytesIO(content), path, options)
    if file_format == _PARQUET:
        return ScannedFile(pl.read_parquet(BytesIO(content)).lazy())
    if file_format == _ARROW:
        require_whole_arrow(content)
        return ScannedFile(pl.read_ipc(BytesIO(content)).lazy())
    if not content.strip():
        raise InputError("Standard input is empty: pipe a table into it, or name a file.")
    return _scan_decoded(content, options, path)


def _scan_text_file(path: Path, options: ReadOptions) -> ScannedFile:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    if options.encoding is not None:
        with opener(path, "rb") as file:
            return _scan_decoded(file.read(), options, str(path))
    with opener(path, "rt", encoding="utf-8-sig") as lines:
        skip, header = _find_header(lines, options)
    return _scan_text(path, skip, header, options, str(path))


def _scan_decoded(content: bytes, options: ReadOptions, path: str) -> ScannedFile:
    text = content if options.encoding is None else content.decode(options.encoding).encode()
    skip, header = _find_header(TextIOWrapper(BytesIO(text), encoding="utf-8-sig"), options)
    return _scan_text(BytesIO(text), skip, header, options, path)


def _find_header(lines: Iterable[str], options: ReadOptions) -> tuple[int, str]:
    """Return the number of lines above the header of text, and the header.

    It is the first line that is no comment, unless a table begins below.
    """
    skip = options.skip or 0
    numbered = list(islice(enumerate(lines), skip, skip + _MOST_ABOVE))
    kept = [(n, line) for n, line in numbered if options.comment is None or not line.startswith(options.comment)]
    header = kept[0][1].rstrip("\r\n") if kept else ""
    if options.skip is None and options.has_header:
        separators = [separator for separator in _SEPARATORS if separator in header]
        for separator in [max(separators, key=header.count)] if separators else _SEPARATORS:
            reader = csv.reader((line for _, line in kept), delimiter=separator)
            try:
                ends, rows = zip(*((reader.line_num, row) for row in reader), strict=True)
            except (csv.Error, ValueError):  # no lines, or one that is too long
                continue
            if place := _place_of_header(rows[: -1 if len(numbered) == _MOST_ABOVE else None]):
                number, line = kept[ends[place - 1]]
                _warn_of_header(number)
                return number, line.rstrip("\r\n")
    return skip, header


def _place_of_header(rows: Sequence[Sequence[str | None]]) -> int:
    """Return the place of the first row of names that has a table below and comments above, which may be none.

    The names fill a row, and differ. Comments fill two cells, or at most half of a row, from the first cell on.
    """
    filled = [sum(bool(cell and cell.strip()) for cell in row) for row in rows]
    width = max(filled, default=0)
    place = filled.index(width) if width > 1 else 0
    if not place:
        return 0
    names, below = rows[place], [row for row in rows[place + 1 :] if row]
    above = zip(filled[:place], rows, strict=False)
    are_comments = all(n <= max(2, width / 2) and (not n or row[0]) for n, row in above)
    numbers = pl.Series(names, dtype=pl.String).cast(pl.Float64, strict=False).count()
    are_names = len(set(names)) == width and not numbers
    is_table = bool(below) and all(len(row) == len(names) for row in below)
    return place if are_comments and are_names and is_table else 0


def _warn_of_header(row: int) -> None:
    _warn(f"The names of columns are those in row {row + 1}: if that is wrong, set --header-row.")


def _scan_text(source: Path | BytesIO, skip: int, header: str, options: ReadOptions, path: str) -> ScannedFile:
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
            has_header=options.has_header,
            skip_lines=skip,
            infer_schema_length=None,
            null_values=MISSING_WORDS,
            glob=False,
            comment_prefix=options.comment,
            schema_overrides=types,
        )

    schema = scanned({}).collect_schema()
    types: dict[str, Any] = {name: pl.Float64 for name, dtype in schema.items() if dtype == pl.Int128}
    as_text = types | {name: pl.String for name, dtype in schema.items() if dtype == pl.Float64}
    renamed, repeated = _rename(schema.names(), names, options.has_header)
    return ScannedFile(
        scanned(as_text if options.decimal == COMMA else types).rename(renamed),
        separator=separator,
        points_as_text=lambda: scanned(as_text).rename(renamed),
        repeated=repeated,
    )


def _rename(read: list[str], header: list[str], has_header: bool) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return unique names for those that the reader gave, and the new names of those that are repeated.

    Without a header, columns are numbered from 0, as in pandas. The reader leaves quotes within a name doubled. A
    name over several lines is not in the first one.
    """
    if not has_header:
        return {name: str(number) for number, name in enumerate(read)}, {}
    if len(read) != len(header):
        return {}, {}
    names, repeated = deduplicate_names(header)
    return dict(zip(read, names, strict=True)), repeated


def _read_excel(source: Path | BytesIO, path: str, options: ReadOptions) -> ScannedFile:
    """Read a sheet of an Excel file, by default the first."""
    try:
        import fastexcel
    except ImportError:
        raise InputError(
            'Excel files need the package fastexcel: install it with pip install "infosift[excel]".'
        ) from None
    try:
        book = fastexcel.read_excel(source.getvalue() if isinstance(source, BytesIO) else source)
        sheets = tuple(book.sheet_names)
        sheet = sheets[0] if options.sheet is None else options.sheet
        if sheet not in sheets:
            quoted = [f'"{sheet}"' for sheet in sheets]
            raise InputError(f'{path} has no sheet "{options.sheet}": it has {listing(quoted, most=8)}.')
        most = _MOST_ABOVE + (options.skip or 0)
        top = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=most, dtypes="string").to_polars().rows()
        place = _place_of_header(top) if options.skip is None and options.has_header else 0
        if place:
            _warn_of_header(place)
        elif options.skip is None:
            place = next((n for n, row in enumerate(top) if any(row)), 0)
        else:
            place = options.skip
        frame = pl.read_excel(
            source,
            sheet_name=sheet,
            has_header=options.has_header,
            read_options={"header_row" if options.has_header else "skip_rows": place},
            infer_schema_length=None,
            raise_if_empty=False,
        )
    except fastexcel.FastExcelError as error:
        raise OSError(str(error).splitlines()[0]) from error
    except IndexError as error:  # of the list of its sheets
        raise OSError("it has no sheet") from error
    names = top[place] if place < len(top) else ()
    header = [frame.columns[i] if name is None else name for i, name in enumerate(names)]
    renamed, repeated = _rename(frame.columns, header, options.has_header)
    words = pl.col(pl.String).str.strip_chars()
    lazy = frame.lazy().with_columns(pl.when(~words.is_in(MISSING_WORDS)).then(pl.col(pl.String)))
    return ScannedFile(lazy.rename(renamed), repeated=repeated, sheet=sheet, sheets=sheets)


@dataclass(frozen=True)
class TableFile:
    """A file whose columns are known and not yet read; ``path`` is how messages name it."""

    path: str
    scanned: ScannedFile
    names: list[str]
    options: ReadOptions

    @classmethod
    def open(cls, source: str, options: ReadOptions | None = None) -> TableFile:
        """Scan the names of the columns of a file; - is standard input."""
        path = "Standard input" if source == STANDARD_INPUT else source
        options = options or ReadOptions()
        with _errors_in_one_sentence(path):
            scanned = _scan(source, options)
            return cls(path, scanned, scanned.lazy.collect_schema().names(), options)

    def listed(self, texts: Sequence[str] | None) -> list[str]:
        """Return the columns that lists name, each once: commas divide names, unless a column is named so."""
        names = [name for text in texts or () for name in self._split(text)]
        for name in names:
            self.require(name)
        return list(dict.fromkeys(names))

    def _split(self, text: str) -> Iterator[str]:
        """Split at commas; as many parts as make up the name of a column stay together."""
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
        """Refuse a name that no column has; recommend the nearest one."""
        if name in self.names:
            return
        same = [other for other in self.names if other.lower() == name.lower()]
        close = same or get_close_matches(name, self.names, n=1)
        remedy = f'did you mean "{close[0]}"?' if close else self._describe_names()
        where = f' in its sheet "{self.scanned.sheet}"' if len(self.scanned.sheets) > 1 else ""
        raise InputError(f'{self.path} has no column "{name}"{where}: {remedy}')

    def _describe_names(self) -> str:
        """Describe the names of the columns, or what else the first line may be."""
        if self.scanned.separator and self.options.has_header and self.options.comment is None:
            first = self.names[0] or self.scanned.separator
            for sign in _COMMENT_SIGNS:
                if first.startswith(sign):
                    return f"its first line begins with {sign}, so if that is a comment, add --comment '{sign}'."
        numbers = (
            pl.Series(self.names, dtype=pl.String)
            .str.replace(",", ".", literal=True)
            .cast(pl.Float64, strict=False)
        )
        if self.options.has_header and not numbers.null_count():
            return (
                f"its first line looks like data ({listing(self.names, most=3)}), so if it has no names of "
                "columns, add --no-header, which calls them 0, 1, 2 and so on."
            )
        has = f"it has {listing(self.names, most=8)}."
        others = [f'"{sheet}"' for sheet in self.scanned.sheets if sheet != self.scanned.sheet]
        return f"{has} Other sheets, for --sheet, are {listing(others, most=8)}." if others else has

    def read(
        self,
        targets: Sequence[str],
        *,
        ignore: Sequence[str] = (),
        named: Sequence[str] = (),
        labels: Sequence[str] = (),
        as_written: Sequence[str] = (),
        lazily: bool = False,
    ) -> tuple[pl.DataFrame | pl.LazyFrame, pl.DataFrame]:
        """Read the features, and the target with the labels.

        Parameters
        ----------
        targets : sequence of str
            The columns of the target.
        ignore, named : sequence of str
            Columns that are not read, and columns that must be there.
        labels : sequence of str
            Columns that are no features and may hold anything, such as the person of each row.
        as_written : sequence of str
            Columns whose text stays text, even where it is numbers.
        lazily : bool
            Leave features unread, where what they hold is known without reading: text may be numbers or dates.
        """
        self._require_consistent(targets, ignore, named, labels)
        features = [name for name in self.names if name not in (*targets, *ignore, *labels)]
        if not features:
            others = "".join(f' and "{name}"' for name in labels)
            of_target = " and ".join(f'"{name}"' for name in targets)
            raise InputError(f"{self.path} has no column left besides the target {of_target}{others}.")
        types = self.scanned.lazy.collect_schema()
        are_certain = all(name in as_written or _is_certain(types[name]) for name in features)
        if lazily and self.scanned.by_column and are_certain:
            return self.scanned.lazy.select(features), self._read([*targets, *labels], labels)
        frame = self._read([*features, *targets, *labels], list(dict.fromkeys([*labels, *as_written])))
        self._warn_of_repeated_names()
        return frame.select(features), frame.select(*targets, *labels)

    def _require_consistent(
        self, targets: Sequence[str], ignore: Sequence[str], named: Sequence[str], labels: Sequence[str]
    ) -> None:
        for name in (*targets, *ignore, *named, *labels):
            self.require(name)
        for target in targets:
            if target in ignore:
                raise InputError(f'"{target}" is the target, so it cannot be ignored.')
            if target in self.scanned.repeated:
                count = 1 + len(self.scanned.repeated[target])
                raise InputError(
                    f'"{target}" is the target, and {count} columns of {self.path} are called so: rename them.'
                )
        if both := [name for name in (*named, *labels) if name in ignore]:
            raise InputError(f'"{both[0]}" is to be ignored, so it cannot be used otherwise.')

    def _read(self, names: Sequence[str], as_written: Sequence[str]) -> pl.DataFrame:
        """Read columns, with numbers and dates in place of their text except where it stays ``as_written``."""
        frame = self._collect(self.scanned.lazy, names)
        _require_calendar(frame)
        if frame.is_empty():
            raise InputError(f"{self.path} has column names but no rows.")
        if not frame.drop(as_written).select(cs.string()).width:
            return frame
        from infosift.data.written_values import read_written, require_all_numbers_or_text  # which need some text

        frame, decimal = self._with_decimal(frame, as_written)
        written = read_written(frame.drop(as_written), decimal)
        frame = frame.with_columns(written.columns)
        require_all_numbers_or_text(frame.drop(as_written))
        for what, examples in (("numbers", written.numbers), ("dates, which count in days", written.dates)):
            if examples:
                _warn(f"Read as {what}: {listing(examples)}.")
        return frame

    def _collect(self, lazy: pl.LazyFrame, names: Sequence[str]) -> pl.DataFrame:
        with _errors_in_one_sentence(self.path):
            return lazy.select(names).collect()

    def _with_decimal(self, frame: pl.DataFrame, as_written: Sequence[str]) -> tuple[pl.DataFrame, str | None]:
        """Return columns and their decimal mark: as given, or a comma where the columns show it."""
        from infosift.data.written_values import comma_is_decimal

        points_as_text, decimal = self.scanned.points_as_text, self.options.decimal
        may_be_comma = decimal is None and self.scanned.separator in _SEPARATORS_WITH_DECIMAL_COMMAS
        if points_as_text is None or not may_be_comma or comma_is_decimal(frame.drop(as_written)) is None:
            return frame, decimal
        as_text = self._collect(points_as_text(), frame.columns).with_columns(frame.select(as_written))
        evidence = comma_is_decimal(as_text.drop(as_written))
        if evidence is None:
            return frame, None
        shown_by, ambiguous = evidence
        if ambiguous:
            others = listing(ambiguous)
            _warn(
                f"Numbers are read with decimal commas, as in {shown_by}, also in {others}: if that is wrong, "
                "set ",
                Hint("decimal", "point"),
                ".",
            )
        return as_text, COMMA

    def _warn_of_repeated_names(self) -> None:
        sentences = []
        for name, others in self.scanned.repeated.items():
            which = "the second is" if len(others) == 1 else "the others are"
            called = listing([f'"{other}"' for other in others])
            sentences.append(f'"{name}" occurs {len(others) + 1} times: {which} called {called}')
        n_more = len(sentences) - _MOST_REPEATED
        more = f"; {n_more:,} more names are repeated" if n_more > 0 else ""
        if sentences:
            _warn(f"{'; '.join(sentences[:_MOST_REPEATED])}{more}.")


def _is_certain(dtype: pl.DataType) -> bool:
    """Tell whether a type alone tells whether values are numbers or categories."""
    return dtype.is_numeric() or dtype in (pl.Boolean, pl.Categorical, pl.Enum)


def _warn(*parts: Part) -> None:
    warnings.warn(DataWarning(*parts), stacklevel=4)


def _require_calendar(frame: pl.DataFrame) -> None:
    """Refuse dates and times that no calendar and no clock has, since polars panics where it is to show them."""
    for series in frame.select(cs.date() | cs.datetime() | cs.time()):
        dtype = series.dtype
        unit = "ns" if dtype == pl.Time else getattr(dtype, "time_unit", "day")
        least, most = (0, 1) if dtype == pl.Time else _CALENDAR
        days = series.to_physical() // _UNITS_PER_DAY[unit]
        is_outside = (days < least) | (days >= most)
        if is_outside.any():
            start = f'Column "{series.name}" has a date or time outside the years 1 to 9999 in '
            raise InputError(start, RowNumber(is_outside.arg_max() or 0), ": correct it.")


@contextmanager
def _errors_in_one_sentence(path: str) -> Iterator[None]:
    """Refuse a file that cannot be read in one sentence; the Arrow reader panics, on standard error, at some."""
    try:
        with _silent_standard_error():
            yield
    except _UNREADABLE as error:
        raise InputError(f"{path} cannot be read as a table ({_reason(error)}).") from error
    except pl.exceptions.PanicException as error:
        reason = _reason(error) if _NO_HANDLE in str(error) else "it is damaged"
        raise InputError(f"{path} cannot be read as a table ({reason}).") from error


@contextmanager
def _silent_standard_error() -> Iterator[None]:
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


def _reason(error: BaseException) -> str:
    """Return why a file cannot be read, with the option that remedies it."""
    if _NO_HANDLE in str(error):
        return "too many files are open: close some, or raise their limit with ulimit -n"
    reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
    if isinstance(error, UnicodeDecodeError) and error.object.startswith(_UTF_16_MARKS):
        return "its text is UTF-16: add --encoding utf-16"
    is_utf_8 = isinstance(error, UnicodeDecodeError) and error.encoding.lower().startswith("utf-8")
    if is_utf_8 or "invalid utf-8" in reason.lower():
        return "its text is not UTF-8: name its encoding, such as --encoding latin-1"
    if isinstance(error, UnicodeError):
        return "its text is not in that encoding: name another one"
    if "could not parse" in reason and not reason.isascii():
        return f"it has digits of another script, which are to be written as 0 to 9: {reason}"
    if isinstance(error, pl.exceptions.NoDataError):
        return "it is empty"
    return "some line has more fields than there are names of columns" if "more fields" in reason else reason


def read_groups_file(path: Path) -> dict[str, list[str]]:
    """Read feature groups: JSON of names and lists of features, or CSV lines of a feature and its group."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() != ".json":
            return _groups_by_line(text)
        groups = json.loads(text)
        if isinstance(groups, dict) and all(isinstance(columns, list) for columns in groups.values()):
            return groups
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


# An Arrow file in which damage made up a length makes polars ask for more memory than there is, which ends the
# process. So its lengths are checked first: footer, record batches and their buffers, in the format FlatBuffers
# (https://arrow.apache.org/docs/format/Columnar.html, File.fbs and Message.fbs).
_Content: TypeAlias = bytes | mmap.mmap
_ARROW_MARK = b"ARROW1"
_CONTINUATION = 0xFFFFFFFF
_DICTIONARY_BATCH = 2
_MOST_COMPRESSED = 2**15  # 128 kB of one value are four bytes
_U8, _U16, _I32, _U32, _I64 = (Struct(f"<{kind}") for kind in "BHiIq")
_BLOCK, _BUFFER = Struct("<qiiq"), Struct("<qq")


def require_whole_arrow(source: Path | bytes) -> None:
    """Refuse an Arrow file in which a part would lie outside of it; what is no Arrow file is left to polars."""
    if isinstance(source, bytes):
        return _require_whole(source)
    with source.open("rb") as file:
        if not file.read(1):
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _require_whole(content)


def _require_whole(content: _Content) -> None:
    end = len(content) - len(_ARROW_MARK) - _I32.size
    if end < 0 or content[: len(_ARROW_MARK)] != _ARROW_MARK or content[-len(_ARROW_MARK) :] != _ARROW_MARK:
        return
    try:
        footer = _FlatTable(content, end - _number_at(_I32, content, end))
        for field_of_footer in (2, 3):  # dictionaries, record batches
            for block in footer.vector(field_of_footer, _BLOCK):
                _require_block(content, *block)
    except (struct.error, OverflowError) as error:
        raise OSError("it is damaged") from error


def _require_block(content: _Content, offset: int, metadata: int, _: int, length: int) -> None:
    """Refuse a record batch, or a dictionary, of which a buffer lies outside of its body."""
    body = offset + metadata
    _require(offset >= 0 and metadata >= 0 and length >= 0 and body + length <= len(content))
    message = _FlatTable(content, offset + (8 if _number_at(_U32, content, offset) == _CONTINUATION else 4))
    kind, batch = message.place(1), message.table(2)
    if batch is not None and kind is not None and _number_at(_U8, content, kind) == _DICTIONARY_BATCH:
        batch = batch.table(1)
    if batch is None:
        return
    is_compressed = batch.place(3) is not None
    for start, size in batch.vector(2, _BUFFER):
        _require(start >= 0 and size >= 0 and start + size <= length)
        if is_compressed and size:
            _require(_number_at(_I64, content, body + start) <= size * _MOST_COMPRESSED)


class _FlatTable:
    """A table of the format FlatBuffers, whose fields have numbers."""

    def __init__(self, content: _Content, reference: int) -> None:
        self._content = content
        self._start = reference + _number_at(_U32, content, reference)

    def place(self, number: int) -> int | None:
        """Return where a field is; None where it is left out."""
        offsets = self._start - _number_at(_I32, self._content, self._start)
        slot = 4 + 2 * number
        if slot >= _number_at(_U16, self._content, offsets):
            return None
        offset = _number_at(_U16, self._content, offsets + slot)
        return self._start + offset if offset else None

    def table(self, number: int) -> _FlatTable | None:
        """Return a field that is a table."""
        place = self.place(number)
        return None if place is None else _FlatTable(self._content, place)

    def vector(self, number: int, item: Struct) -> Iterator[tuple[int, ...]]:
        """Yield the items of a field that is a vector."""
        place = self.place(number)
        if place is not None:
            start = place + _number_at(_U32, self._content, place)
            for i in range(_number_at(_U32, self._content, start)):
                yield item.unpack_from(self._content, start + 4 + i * item.size)


def _number_at(kind: Struct, content: _Content, place: int) -> int:
    _require(place >= 0)  # a negative place would count from the end
    return int(kind.unpack_from(content, place)[0])


def _require(is_true: bool) -> None:
    if not is_true:
        raise struct.error
