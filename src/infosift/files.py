"""From a file to the columns of a table: only those asked for are read."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from infosift.inputs import InputError

_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "?"]
_READERS = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet", ".pq": "parquet"}


def read_file(path: Path, target: str, drop: Sequence[str] = ()) -> tuple[pl.DataFrame, pl.Series]:
    """Return the numeric columns of a CSV or Parquet file without the dropped ones, and its target."""
    lazy = _scan(path)
    names = _column_names(lazy, path)
    for name in (target, *drop):
        _require_column(name, names, path)
    if target in drop:
        raise InputError(f'"{target}" is the target, so it cannot be dropped as well.')
    frame = lazy.select(pl.exclude(*drop) if drop else pl.all()).collect()
    if frame.is_empty():
        raise InputError(f"{path} has column names but no rows.")
    if frame.width == 1:
        raise InputError(f'{path} has no column left besides the target "{target}".')
    _require_numbers(frame, target)
    return frame.drop(target), frame[target]


def _scan(path: Path) -> pl.LazyFrame:
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file.")
    kind = next((kind for ending, kind in _READERS.items() if path.name.lower().endswith(ending)), None)
    if kind is None:
        raise InputError(f"{path} is not read: its name must end in one of {', '.join(_READERS)}.")
    if kind == "parquet":
        return pl.scan_parquet(path)
    return pl.scan_csv(path, infer_schema_length=None, null_values=_MISSING)


def _column_names(lazy: pl.LazyFrame, path: Path) -> list[str]:
    try:
        return lazy.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read as a table ({reason}).") from error


def _require_column(name: str, names: Sequence[str], path: Path) -> None:
    if name in names:
        return
    close = get_close_matches(name, names, n=1)
    shown = f'did you mean "{close[0]}"?' if close else f"it has {', '.join(names[:8])}{' …' * (len(names) > 8)}."
    raise InputError(f'{path} has no column "{name}": {shown}')


def _require_numbers(frame: pl.DataFrame, target: str) -> None:
    wrong = [name for name, dtype in frame.schema.items() if not (dtype.is_numeric() or dtype == pl.Boolean)]
    if target in wrong:
        raise InputError(f'The target "{target}" is not numeric{_first_text(frame[target])}.')
    if wrong:
        columns = ", ".join(f'"{name}"{_first_text(frame[name])}' for name in wrong[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        options = " ".join(f"--drop {name}" for name in wrong[:5])
        raise InputError(f"Not numeric: {columns}{more}; encode as numbers or leave out with {options}.")


def _first_text(column: pl.Series) -> str:
    """Say where a column first holds something that is no number."""
    texts = column.cast(pl.String, strict=False)
    bad = texts.is_not_null() & texts.cast(pl.Float64, strict=False).is_null()
    row = bad.arg_max()
    return f' (row {row + 1} is "{texts[row]}")' if row is not None and bad.any() else f" ({column.dtype})"
