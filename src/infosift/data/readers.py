"""From a file, or standard input, to the columns of a table: only those asked for are read."""

from __future__ import annotations

import codecs
import csv
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path

import polars as pl
import polars.selectors as cs

from infosift.data.formats import STANDARD_INPUT, Reading, scan
from infosift.data.written_numbers import read_written, require_all_numbers_or_text
from infosift.errors import InputError, counted_from, listing

_MARKS_OF_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAYS_OF_CALENDAR = tuple((day - date(1970, 1, 1)).days + after for day, after in ((date.min, 0), (date.max, 1)))
_UNITS_OF_DAY = {"day": 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_UNREADABLE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, UnicodeError)


@dataclass(frozen=True)
class TableFile:
    """A file whose columns are known and not yet read; ``path`` is what messages call it."""

    path: str
    lazy: pl.LazyFrame
    names: list[str]

    @classmethod
    def open(cls, source: str, reading: Reading | None = None) -> TableFile:
        """Look at the names of the columns of a file; - is standard input."""
        path = "Standard input" if source == STANDARD_INPUT else source
        with _refusing_in_one_sentence(path):
            lazy = scan(source, reading or Reading())
            return cls(path, lazy, lazy.collect_schema().names())

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
        hint = f'did you mean "{close[0]}"?' if close else f"it has {listing(self.names, most=8)}."
        raise InputError(f'{self.path} has no column "{name}": {hint}')

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
        for name in (target, *ignore, *named, *labels):
            self.require(name)
        if target in ignore:
            raise InputError(f'"{target}" is the target, so it cannot be ignored.')
        if both := [name for name in (*named, *labels) if name in ignore]:
            raise InputError(f'"{both[0]}" is to be ignored, so nothing else can be asked of it.')
        with _refusing_in_one_sentence(self.path):
            frame = self.lazy.select([name for name in self.names if name not in ignore]).collect()
        _require_calendar(frame)
        if frame.is_empty():
            raise InputError(f"{self.path} has column names but no rows.")
        if frame.width == 1:
            raise InputError(f'{self.path} has no column left besides the target "{target}".')
        frame = frame.with_columns(read_written(frame.drop(labels, *as_written, strict=False)))
        require_all_numbers_or_text(frame.drop(labels, *as_written, strict=False))
        return frame.drop(target), frame[target]


def _require_calendar(frame: pl.DataFrame) -> None:
    """Refuse dates and times that no calendar and no clock has, since polars panics where it is to show them."""
    for series in frame.select(cs.date() | cs.datetime() | cs.time()):
        dtype = series.dtype
        unit = "ns" if dtype == pl.Time else getattr(dtype, "time_unit", "day")
        least, most = (0, 1) if dtype == pl.Time else _DAYS_OF_CALENDAR
        days = series.to_physical() // _UNITS_OF_DAY[unit]
        is_outside = (days < least) | (days >= most)
        if is_outside.any():
            place = counted_from(1, is_outside.arg_max() or 0)
            raise InputError(
                f'Column "{series.name}" has a date or time outside the years 1 to 9999 in {place}: correct it.'
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
