"""The formats of files: text, Parquet, Arrow and Excel, each as columns that are read when asked for."""

from __future__ import annotations

import codecs
import csv
import gzip
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import polars as pl

from infosift.data.arrow_files import require_whole
from infosift.errors import InputError, listing, repeated

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
    """How a file of text is to be read: its encoding, and how lines that are comments begin."""

    encoding: str | None = None
    comment: str | None = None

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

    def require_text(self, path: str) -> None:
        """Refuse what can only be said of text."""
        for option, value in (("--encoding", self.encoding), ("--comment", self.comment)):
            if value is not None:
                raise InputError(f"{option} is for files of text, and {path} is none: leave it out.")


def scan(source: str, reading: Reading) -> pl.LazyFrame:
    """Return the columns of a file, which are not read yet; - is standard input."""
    reading.check()
    if source == STANDARD_INPUT:
        return _scan_content(sys.stdin.buffer.read(), reading)
    path = Path(source)
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file.")
    name = path.name.lower()
    if not name.endswith(_ENDINGS):
        raise InputError(f"{path} is not read: its name must end in one of {', '.join(_ENDINGS)}.")
    if name.endswith(_TEXT_ENDINGS):
        return _scan_text_file(path, reading)
    reading.require_text(source)
    if name.endswith(_EXCEL_ENDINGS):
        return _read_excel(path)
    if name.endswith(_PARQUET_ENDINGS):
        return pl.scan_parquet(path, glob=False)
    require_whole(path)
    return pl.scan_ipc(path)


def _scan_content(content: bytes, reading: Reading) -> pl.LazyFrame:
    """Read what came by standard input, whose first bytes say what it is."""
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    said = "Standard input"
    if content.startswith((_PARQUET, _ARROW, _ZIP)):
        reading.require_text("standard input")
        if content.startswith(_ZIP):
            return _read_excel(BytesIO(content))
        if content.startswith(_PARQUET):
            return pl.read_parquet(BytesIO(content)).lazy()
        require_whole(content)
        return pl.read_ipc(BytesIO(content)).lazy()
    if not content.strip():
        raise InputError("Standard input is empty: pipe a table into it, or name a file.")
    return _scan_decoded(content, reading, said)


def _scan_text_file(path: Path, reading: Reading) -> pl.LazyFrame:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    if reading.encoding is not None:
        with opener(path, "rb") as file:
            return _scan_decoded(file.read(), reading, str(path))
    with opener(path, "rt", encoding="utf-8-sig") as lines:
        header = _header(lines, reading.comment)
    return _scan_text(path, header, reading.comment, str(path))


def _scan_decoded(content: bytes, reading: Reading, path: str) -> pl.LazyFrame:
    text = content if reading.encoding is None else content.decode(reading.encoding).encode()
    header = _header(TextIOWrapper(BytesIO(text), encoding="utf-8-sig"), reading.comment)
    return _scan_text(BytesIO(text), header, reading.comment, path)


def _header(lines: Iterable[str], comment: str | None) -> str:
    """Return the first line that is no comment."""
    said = (line.rstrip("\r\n") for line in lines if comment is None or not line.startswith(comment))
    return next(said, "")


def _scan_text(source: Path | BytesIO, header: str, comment: str | None, path: str) -> pl.LazyFrame:
    separator = max(_SEPARATORS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        most = f"{csv.field_size_limit():,}"
        raise InputError(f"{path} has a column whose name has more than {most} characters: shorten it.") from None
    twice = repeated(names)
    if twice:
        raise InputError(f"{path} has more than one column of the name {listing(twice)}: rename them first.")

    def scanned(types: dict[str, type[pl.Float64]]) -> pl.LazyFrame:
        return pl.scan_csv(
            source,
            separator=separator,
            infer_schema_length=None,
            null_values=MISSING_WORDS,
            glob=False,
            comment_prefix=comment,
            schema_overrides=types,
        )

    lazy = scanned({})
    schema = lazy.collect_schema()
    if beyond_64_bits := {name: pl.Float64 for name, dtype in schema.items() if dtype == pl.Int128}:
        lazy = scanned(beyond_64_bits)
    # The reader leaves quotes within a name doubled. A name over several lines is not in the first one.
    renamed = dict(zip(schema.names(), names, strict=True)) if len(schema) == len(names) else {}
    return lazy.rename(renamed)


def _read_excel(source: Path | BytesIO) -> pl.LazyFrame:
    """Read the first sheet of an Excel file."""
    try:
        import fastexcel
    except ImportError:
        raise InputError(
            'Excel files need the package fastexcel: install it with pip install "infosift[excel]".'
        ) from None
    try:
        frame = pl.read_excel(source, infer_schema_length=None, raise_if_empty=False)
    except fastexcel.FastExcelError as error:
        raise OSError(str(error).splitlines()[0]) from error
    except IndexError as error:  # of the list of its sheets
        raise OSError("it has no sheet") from error
    words = pl.col(pl.String).str.strip_chars()
    return frame.lazy().with_columns(pl.when(~words.is_in(MISSING_WORDS)).then(pl.col(pl.String)))
