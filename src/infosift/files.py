"""From a file to the columns of a table: only those asked for are read."""

from __future__ import annotations

import csv
import gzip
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from infosift.checks import InputError, listing, repeated

_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"]
_TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET_ENDINGS = (".parquet", ".pq")
_SEPARATORS = ",;\t"


def read_file(
    path: Path, target: str, drop: Sequence[str] = (), named: Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the columns of a CSV or Parquet file without the dropped ones, and its target.

    All columns that are named must be there.
    """
    try:
        lazy = _scan(path)
        names = lazy.collect_schema().names()
        for name in (target, *drop, *named):
            _require_column(name, names, path)
        if target in drop:
            raise InputError(f'"{target}" is the target, so it cannot be dropped as well.')
        frame = lazy.select([name for name in names if name not in drop]).collect()
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{path} cannot be read as a table ({reason}).") from error
    if frame.is_empty():
        raise InputError(f"{path} has column names but no rows.")
    if frame.width == 1:
        raise InputError(f'{path} has no column left besides the target "{target}".')
    frame = frame.with_columns(_numbers_with_spaces(frame))
    _require_all_numbers_or_text(frame)
    return frame.drop(target), frame[target]


def _scan(path: Path) -> pl.LazyFrame:
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file.")
    name = path.name.lower()
    if name.endswith(_PARQUET_ENDINGS):
        return pl.scan_parquet(path, glob=False)
    if not name.endswith(_TEXT_ENDINGS):
        endings = ", ".join((*_TEXT_ENDINGS, *_PARQUET_ENDINGS))
        raise InputError(f"{path} is not read: its name must end in one of {endings}.")
    header = _first_line(path)
    separator = max(_SEPARATORS, key=header.count)
    names = next(csv.reader([header], delimiter=separator), [])
    twice = repeated(names)
    if twice:
        raise InputError(f"{path} has more than one column of the name {listing(twice)}: rename them first.")
    return pl.scan_csv(path, separator=separator, infer_schema_length=None, null_values=_MISSING, glob=False)


def _first_line(path: Path) -> str:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig") as file:
        return str(file.readline()).rstrip("\r\n")


def _require_column(name: str, names: Sequence[str], path: Path) -> None:
    if name in names:
        return
    close = get_close_matches(name, names, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"it has {listing(list(names), most=8)}."
    raise InputError(f'{path} has no column "{name}": {hint}')


def _numbers_with_spaces(frame: pl.DataFrame) -> list[pl.Series]:
    """Read columns of text that are numbers but for spaces around them, or missing altogether."""
    read = []
    for column in frame.select(pl.col(pl.String)):
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count() == column.null_count():
            read.append(numbers)
    return read


def _require_all_numbers_or_text(frame: pl.DataFrame) -> None:
    """Refuse columns of text most of which are numbers: the rest are slips, and no categories."""
    for column in frame.select(pl.col(pl.String)):
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        text = column.is_not_null() & numbers.is_null()
        if 2 * text.sum() < column.count():
            row = int(text.arg_max() or 0)
            raise InputError(
                f'Column "{column.name}" has numbers, but row {row + 1} is "{column[row]}": make it a number, '
                f"empty it, or leave the column out with --drop {shlex.quote(column.name)}"
            )
