"""Missing and infinite values: where they are, what is said of them, and the rows without any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from infosift.data.columns import Features
from infosift.errors import InputError, counted_from, listing

_MOST_NAMES = 12


def require_finite(
    columns: Features,
    what: str = "Column",
    first_row: int = 0,
    ignored: Sequence[int] = (),
    allow_missing: bool = False,
    or_else: str = "",
    may_ignore: bool = False,
) -> None:
    """Refuse infinite and, unless allowed, missing values, naming the column and row of the first one.

    ``or_else`` is what else there is to do about missing ones. Where columns may be ignored, those without any
    value are named first.
    """
    if may_ignore and not allow_missing:
        _require_some_values(columns, ignored)
    facts, n_rows = columns.facts, columns.n_rows
    rows = np.where(facts.infinite_rows < 0, n_rows, facts.infinite_rows)
    if not allow_missing:
        rows = np.minimum(rows, np.where(facts.missing_rows < 0, n_rows, facts.missing_rows))
    rows[list(ignored)] = n_rows
    if np.all(rows == n_rows):
        return
    column = int(np.argmax(rows < n_rows))
    row, gaps = int(rows[column]), ""
    if row != facts.infinite_rows[column]:
        kind = "a missing value (NaN)"
        missing = missing_by_name(columns, ignored)
        if sum(missing.values()) > 1:
            gaps = f"; missing are {_gaps(missing, n_rows)}"
        remedy = f"remove the row or fill the value in first{or_else}."
    else:
        kind = f"an infinite value ({facts.infinite_values[column]})"
        remedy = "remove the row or put a number in its place first."
    place = counted_from(first_row, row)
    raise InputError(f'{what} "{columns.names[column]}" has {kind} in {place}{gaps}: {remedy}')


def _require_some_values(columns: Features, ignored: Sequence[int]) -> None:
    """Refuse columns without any value, which no row could be kept for."""
    missing = missing_by_name(columns, ignored)
    empty = [f'"{name}"' for name, count in missing.items() if count == columns.n_rows]
    if len(empty) == 1:
        raise InputError(f"Column {empty[0]} has no value in any row: leave it out with ignore={empty[0]}.")
    if empty:
        named, more = ", ".join(empty[:_MOST_NAMES]), ", ..." * (len(empty) > _MOST_NAMES)
        raise InputError(
            f"{len(empty):,} columns have no value in any row: leave them out with ignore=[{named}{more}]."
        )


def _gaps(missing: dict[str, int], n_rows: int) -> str:
    """Return how many values of each column are missing, in words."""
    said = [
        f'all values of "{name}"' if count == n_rows else f'{count:,} of "{name}"'
        for name, count in missing.items()
    ]
    return listing(said, _MOST_NAMES)


def missing_by_name(columns: Features, ignored: Sequence[int] = ()) -> dict[str, int]:
    """Return how many values are missing in each column that has gaps and is looked at."""
    counts = columns.facts.n_missing
    return {columns.names[i]: int(counts[i]) for i in np.flatnonzero(counts) if i not in ignored}


def whole_rows(features: Features, target: Features, ignored: Sequence[int] = ()) -> NDArray[np.bool_]:
    """Tell in which rows the target, and every column that is looked at, has a value."""
    whole = target.whole_rows(()) & features.whole_rows(ignored)
    if not whole.any():
        missing = missing_by_name(features, ignored) | missing_by_name(target)
        most = sorted(missing, key=lambda name: -missing[name])
        gaps = _gaps({name: missing[name] for name in most}, features.n_rows)
        raise InputError(
            f"Every row has a missing value ({gaps}): ignore the features with many gaps, or fill them in first."
        )
    return np.asarray(whole)


def rows_to_use(features: Features, target: Features, ignored: Sequence[int], missing: str) -> NDArray[np.bool_]:
    """Tell which rows are used: with "drop" those without gaps, with "partial" those with a target, else all."""
    if missing == "error":
        return np.ones(features.n_rows, dtype=bool)
    return whole_rows(features, target, ignored if missing == "drop" else range(len(features.names)))
