"""Checks of the values that people pass in: finite, complete, numbers where a criterion takes no categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from infosift.arrays import BoolArray
from infosift.data.columns import Features, NamedColumns
from infosift.data.frames import read_columns
from infosift.errors import Hint, InputError, Part, RowNumber, listing, require_same_length

_MOST_NAMES = 12
# What can be done about missing values besides filling them in, by the value of ``missing``.
_REMEDIES = {"drop": "drop such rows with ", "partial": "use the values that a row has with "}


def usable_rows(
    features: Features,
    target: NamedColumns,
    ignored: Sequence[int] = (),
    missing: str = "error",
    *,
    choices: Sequence[str] = ("drop", "partial"),
    may_ignore: bool = True,
) -> BoolArray:
    """Tell which rows can be used: those without gaps with "drop", those with a target with "partial", else all.

    Infinite values are refused, and missing ones with "error"; ``choices`` are the other values of ``missing``
    that the user has, and ``may_ignore`` is whether features can be ignored.
    """
    allow_missing = missing != "error"
    require_finite(features, ignored=ignored, allow_missing=allow_missing, choices=choices, may_ignore=may_ignore)
    require_finite(target, "The target", allow_missing=allow_missing, choices=choices[:1])
    if not allow_missing:
        return np.ones(features.n_rows, dtype=bool)
    complete = target.complete_rows() & features.complete_rows(
        ignored if missing == "drop" else range(len(features.names))
    )
    if not complete.any():
        counts = missing_by_name(features, ignored) | missing_by_name(target)
        most = dict(sorted(counts.items(), key=lambda item: -item[1]))
        raise InputError(
            f"Every row has a missing value ({_gaps(most, features.n_rows)}): ignore the features with many gaps, "
            "or fill them in first."
        )
    return np.asarray(complete)


def require_finite(
    columns: Features,
    what: str = "Column",
    *,
    ignored: Sequence[int] = (),
    allow_missing: bool = False,
    choices: Sequence[str] = (),
    may_ignore: bool = False,
) -> None:
    """Refuse infinite and, unless allowed, missing values, naming the column and row of the first one.

    ``choices`` are values of ``missing`` that are a remedy. Where columns may be ignored, those without any value
    are named first, since no row could be kept for them.
    """
    summary, n_rows = columns.summary, columns.n_rows
    gaps = {} if allow_missing else missing_by_name(columns, ignored)
    empty = tuple(name for name, count in gaps.items() if count == n_rows)
    if may_ignore and empty:
        which = f'Column "{empty[0]}" has' if len(empty) == 1 else f"{len(empty):,} columns have"
        them = "it" if len(empty) == 1 else "them"
        raise InputError(f"{which} no value in any row: leave {them} out with ", Hint("ignore", empty), ".")
    rows = np.where(summary.infinite_rows < 0, n_rows, summary.infinite_rows)
    if not allow_missing:
        rows = np.minimum(rows, np.where(summary.missing_rows < 0, n_rows, summary.missing_rows))
    rows[list(ignored)] = n_rows
    if np.all(rows == n_rows):
        return
    column = int(np.argmax(rows < n_rows))
    row = int(rows[column])
    if row == summary.infinite_rows[column]:
        kind, listed = f"an infinite value ({summary.infinite_values[column]})", ""
        remedy: list[Part] = ["remove the row or put a number in its place first"]
    else:
        kind = "a missing value (NaN)"
        listed = f"; missing are {_gaps(gaps, n_rows)}" if sum(gaps.values()) > 1 else ""
        remedy = ["remove the row or fill the value in first"]
        for i, choice in enumerate(choices):
            joint = ", or " if i == len(choices) - 1 else ", "
            remedy += [joint, _REMEDIES[choice], Hint("missing", choice)]
    start = f'{what} "{columns.names[column]}" has {kind} in '
    raise InputError(start, RowNumber(row), f"{listed}: ", *remedy, ".")


def _gaps(missing: dict[str, int], n_rows: int) -> str:
    """Write how many values of each column are missing."""
    counts = [
        f'all values of "{name}"' if count == n_rows else f'{count:,} of "{name}"'
        for name, count in missing.items()
    ]
    return listing(counts, _MOST_NAMES)


def missing_by_name(columns: Features, ignored: Sequence[int] = ()) -> dict[str, int]:
    """Count the missing values of each column that has some and is not ignored."""
    counts = columns.summary.n_missing
    return {columns.names[i]: int(counts[i]) for i in np.flatnonzero(counts) if i not in ignored}


def require_numbers(
    names: Sequence[str], discrete: Sequence[int], *, is_target: bool = False, may_ignore: bool = False
) -> None:
    """Refuse columns of categories, by position, for a criterion of numbers only."""
    named = tuple(names[i] for i in discrete)
    if not named:
        return
    leave_out: list[Part] = []
    if not is_target:
        leave_out = [", or leave the column out" if len(named) == 1 else ", or leave such columns out"]
    if may_ignore:
        leave_out += [" with ", Hint("ignore", named)]
    raise InputError(
        f'{"The target " * is_target}"{named[0]}" is discrete, and the criterion is for numbers only: use one '
        "that takes categories, such as ",
        Hint("criterion", "ksg"),
        *leave_out,
        ".",
    )


def read_finite(X: Any, y: Any) -> tuple[NamedColumns, NamedColumns]:
    """Read features and target of the same length; refuse missing and infinite values."""
    features, target = read_columns(X), read_columns(y, "y")
    require_same_length(features.n_rows, target.n_rows)
    require_finite(features)
    require_finite(target, "The target")
    return features, target
