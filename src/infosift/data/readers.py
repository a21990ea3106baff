"""From a file, or standard input, to the columns of a table: only those asked for are read."""

from __future__ import annotations

import csv
import gzip
import json
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from io import BytesIO
from pathlib import Path

import polars as pl

from infosift.errors import InputError, listing, repeated

_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"]
_TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET_ENDINGS = (".parquet", ".pq")
_ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
_STANDARD_INPUT = "-"
_SEPARATORS = ",;\t"
_NUMBER_WITH_COMMA = r"^[+-]?\d*,?\d+([eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


def read_file(
    source: str,
    target: str,
    ignore: Sequence[str] = (),
    named: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the columns of a file without those to ignore, and its target; - is standard input.

    All columns that are named must be there. Those that are ``labels``, such as the person of each row, may hold
    anything.
    """
    path = "Standard input" if source == _STANDARD_INPUT else source
    try:
        lazy = _scan_input() if source == _STANDARD_INPUT else _scan(Path(source))
        names = lazy.collect_schema().names()
        for name in (target, *ignore, *named, *labels):
            require_column(name, names, path)
        if target in ignore:
            raise InputError(f'"{target}" is the target, so it cannot be ignored.')
        if both := [name for name in (*named, *labels) if name in ignore]:
            raise InputError(f'"{both[0]}" is to be ignored, so nothing else can be asked of it.')
        frame = lazy.select([name for name in names if name not in ignore]).collect()
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a table ({_reason(error)}).") from error
    if frame.is_empty():
        raise InputError(f"{path} has column names but no rows.")
    if frame.width == 1:
        raise InputError(f'{path} has no column left besides the target "{target}".')
    frame = frame.with_columns(_numbers_in_text(frame.drop(labels)))
    _require_all_numbers_or_text(frame.drop(labels))
    return frame.drop(target), frame[target]


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8: save it as UTF-8"
    if isinstance(error, pl.exceptions.NoDataError):
        return "it is empty"
    reason = str(error).splitlines()[0].rstrip(".")
    return "some line has more fields than there are names of columns" if "more fields" in reason else reason


def _scan(path: Path) -> pl.LazyFrame:
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file.")
    name = path.name.lower()
    if name.endswith(_PARQUET_ENDINGS):
        return pl.scan_parquet(path, glob=False)
    if name.endswith(_ARROW_ENDINGS):
        return pl.scan_ipc(path)
    if not name.endswith(_TEXT_ENDINGS):
        endings = ", ".join((*_TEXT_ENDINGS, *_PARQUET_ENDINGS, *_ARROW_ENDINGS))
        raise InputError(f"{path} is not read: its name must end in one of {endings}.")
    return _scan_text(path, _first_line(path), str(path))


def _scan_input() -> pl.LazyFrame:
    """Read standard input, whose first bytes say what it is."""
    content = sys.stdin.buffer.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:4] == b"PAR1":
        return pl.read_parquet(BytesIO(content)).lazy()
    if content[:6] == b"ARROW1":
        return pl.read_ipc(BytesIO(content)).lazy()
    if not content.strip():
        raise InputError("Standard input is empty: pipe a table into it, or name a file.")
    first_line = content.split(b"\n", 1)[0].decode("utf-8-sig").rstrip("\r")
    return _scan_text(BytesIO(content), first_line, "Standard input")


def _scan_text(source: Path | BytesIO, header: str, path: str) -> pl.LazyFrame:
    separator = max(_SEPARATORS, key=header.count)
    names = next(csv.reader([header], delimiter=separator), [])
    twice = repeated(names)
    if twice:
        raise InputError(f"{path} has more than one column of the name {listing(twice)}: rename them first.")
    lazy = pl.scan_csv(source, separator=separator, infer_schema_length=None, null_values=_MISSING, glob=False)
    read = lazy.collect_schema().names()
    # The reader leaves quotes within a name doubled. A name over several lines is not in the first one.
    return lazy.rename(dict(zip(read, names, strict=True))) if len(read) == len(names) else lazy


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


def _first_line(path: Path) -> str:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig") as file:
        return str(file.readline()).rstrip("\r\n")


def require_column(name: str, names: Sequence[str], path: str) -> None:
    """Refuse a name that no column has, with the nearest one that there is."""
    if name in names:
        return
    close = [other for other in names if other.lower() == name.lower()] or get_close_matches(name, names, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"it has {listing(list(names), most=8)}."
    raise InputError(f'{path} has no column "{name}": {hint}')


def _numbers_in_text(frame: pl.DataFrame) -> list[pl.Series]:
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


def _require_all_numbers_or_text(frame: pl.DataFrame) -> None:
    """Refuse columns of text most of which are numbers: the rest are slips, and no categories."""
    for column in frame.select(pl.col(pl.String)):
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        text = column.is_not_null() & numbers.is_null()
        if 2 * text.sum() < column.count():
            row = int(text.arg_max() or 0)
            raise InputError(
                f'Column "{column.name}" has numbers, but row {row + 1} is "{column[row]}": make it a number, '
                f"empty it, or leave the column out with --ignore {shlex.quote(column.name)}"
            )
