"""The formats of files: text, Parquet, Arrow and Excel, each as columns that are read when asked for."""

from __future__ import annotations

import codecs
import csv
import gzip
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path

import polars as pl

from infosift.data.arrow_files import require_whole
from infosift.data.column_names import later_names
from infosift.data.decimal_marks import COMMA
from infosift.errors import InputError, listing

STANDARD_INPUT = "-"
MISSING_WORDS = ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"]
_TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET_ENDINGS = (".parquet", ".pq")
_ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
_EXCEL_ENDINGS = (".xlsx",)
_ENDINGS = (*_TEXT_ENDINGS, *_PARQUET_ENDINGS, *_ARROW_ENDINGS, *_EXCEL_ENDINGS)
_SEPARATORS = ",;\t"
_GZIP, _PARQUET, _ARROW, _ZIP = b"\x1f\x8b", b"PAR1", b"ARROW1", b"PK\x03\x04"


@dataclass(frozen=True)
class Reading:
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


def scan(source: str, reading: Reading) -> Scanned:
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


def _scan_content(content: bytes, reading: Reading) -> Scanned:
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


def _scan_text_file(path: Path, reading: Reading) -> Scanned:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    if reading.encoding is not None:
        with opener(path, "rb") as file:
            return _scan_decoded(file.read(), reading, str(path))
    with opener(path, "rt", encoding="utf-8-sig") as lines:
        header = _header(lines, reading.comment)
    return _scan_text(path, header, reading, str(path))


def _scan_decoded(content: bytes, reading: Reading, path: str) -> Scanned:
    text = content if reading.encoding is None else content.decode(reading.encoding).encode()
    header = _header(TextIOWrapper(BytesIO(text), encoding="utf-8-sig"), reading.comment)
    return _scan_text(BytesIO(text), header, reading, path)


def _header(lines: Iterable[str], comment: str | None) -> str:
    """Return the first line that is no comment."""
    said = (line.rstrip("\r\n") for line in lines if comment is None or not line.startswith(comment))
    return next(said, "")


def _scan_text(source: Path | BytesIO, header: str, reading: Reading, path: str) -> Scanned:
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
    names, later = later_names(header)
    return dict(zip(read, names, strict=True)), later


def _read_excel(source: Path | BytesIO, path: str, reading: Reading) -> Scanned:
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
