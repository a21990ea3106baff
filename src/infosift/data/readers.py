"""From a file, or standard input, to the columns of a table: only those asked for are read."""

from __future__ import annotations

import codecs
import csv
import json
import os
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path

import polars as pl
import polars.selectors as cs

from infosift.data.decimal_marks import COMMA
from infosift.data.formats import STANDARD_INPUT, Reading, Scanned, scan
from infosift.data.written_numbers import read_written, require_all_numbers_or_text, settled_decimal
from infosift.errors import InputError, counted_from, listing

_MARKS_OF_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAYS_OF_CALENDAR = tuple((day - date(1970, 1, 1)).days + after for day, after in ((date.min, 0), (date.max, 1)))
_UNITS_OF_DAY = {"day": 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_MOST_REPEATED = 5
_COMMENT_SIGNS = ("#", "%", "//", ";")
# Where commas are decimal, they cannot divide the cells too.
_SEPARATORS_BESIDE_COMMAS = (";", "\t")
_UNREADABLE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, UnicodeError)


@dataclass(frozen=True)
class TableFile:
    """A file whose columns are known and not yet read; ``path`` is what messages call it."""

    path: str
    scanned: Scanned
    names: list[str]
    reading: Reading

    @classmethod
    def open(cls, source: str, reading: Reading | None = None) -> TableFile:
        """Look at the names of the columns of a file; - is standard input."""
        path = "Standard input" if source == STANDARD_INPUT else source
        reading = reading or Reading()
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
        _warn(self._repeated())
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
        _warn([f"Read as {what}: {listing(names)}." for what, names in said.items() if names])
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
        _warn([str(settled)] if settled.others else [])
        return as_text, COMMA

    def _repeated(self) -> list[str]:
        """Return, in a sentence, what columns are called whose names occur before."""
        said = []
        for name, others in self.scanned.later.items():
            which = "the second is" if len(others) == 1 else "the others are"
            called = listing([f'"{other}"' for other in others])
            said.append(f'"{name}" occurs {len(others) + 1} times: {which} called {called}')
        more = f"; {len(said) - _MOST_REPEATED:,} more names are repeated" if len(said) > _MOST_REPEATED else ""
        return [f"{'; '.join(said[:_MOST_REPEATED])}{more}."] if said else []


def _is_known(dtype: pl.DataType) -> bool:
    """Tell whether values of a type are what they seem, numbers or categories."""
    return dtype.is_numeric() or dtype in (pl.Boolean, pl.Categorical, pl.Enum)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def _warn(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        warnings.warn(sentence, UserWarning, stacklevel=4)


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
