"""Checks of what people pass in: finite values, numbers where a criterion takes no categories, equal lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray
from infosift.data.columns import Features, NamedColumns, mark_features
from infosift.data.frames import read_columns
from infosift.data.prepare import Preparation, prepare
from infosift.data.targets import mark_target, require_varying_target
from infosift.errors import InputError, counted_from, listing, require_same_length

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
    facts, n_rows = columns.summary, columns.n_rows
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
    counts = columns.summary.n_missing
    return {columns.names[i]: int(counts[i]) for i in np.flatnonzero(counts) if i not in ignored}


def complete_cases(features: Features, target: Features, ignored: Sequence[int] = ()) -> NDArray[np.bool_]:
    """Tell in which rows the target, and every column that is looked at, has a value."""
    whole = target.complete_rows(()) & features.complete_rows(ignored)
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
    return complete_cases(features, target, ignored if missing == "drop" else range(len(features.names)))


def require_numbers(
    columns: Features, ignored: Sequence[int], *, what: str = "", may_ignore: bool = False
) -> None:
    """Refuse categories among the columns that are looked at and vary; ``what`` they are may be said."""
    names = [
        f'"{columns.names[i]}"'
        for i in sorted(columns.discrete)
        if i not in ignored and not columns.summary.are_constant[i]
    ]
    if not names:
        return
    out = "" if what else ", or leave the column out" if len(names) == 1 else ", or leave such columns out"
    if may_ignore:
        out += f" with ignore={names[0]}" if len(names) == 1 else f" with ignore=[{', '.join(names)}]"
    raise InputError(
        f"{what}{names[0]} is discrete, and the criterion is for numbers only: use one that takes categories, "
        f'such as criterion="ksg"{out}.'
    )


class TakesColumns(Protocol):
    """What a criterion says of the columns that it takes."""

    @property
    def takes_categories(self) -> bool:
        """Whether features and target may be discrete."""
        ...

    @property
    def separates_special_values(self) -> bool:
        """Whether a value that makes up a share of a column of numbers may be a category."""
        ...


@dataclass(frozen=True)
class Discrete:
    """Which features and targets are said to be discrete, and whether the criterion takes such at all.

    ``special_apart`` is whether it takes columns that are partly discrete.
    """

    features: Any
    target: Any
    are_taken: bool
    special_apart: bool

    @classmethod
    def for_criterion(cls, criterion: TakesColumns, features: Any, target: Any) -> Discrete:
        """Return what is said to be discrete, for a criterion."""
        return cls(features, target, criterion.takes_categories, criterion.separates_special_values)

    def prepare(self, columns: NamedColumns, seed: int, purpose: str) -> FloatArray:
        """Return columns as the criterion wants them."""
        if not self.are_taken:
            require_numbers(columns, ())
        return prepare(columns.values, Preparation(seed, purpose, special_apart=self._apart), columns.discrete)

    @property
    def _apart(self) -> bool:
        return self.are_taken and self.special_apart


def read_pair(X: Any, y: Any, discrete: Discrete, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features and target ready to be scored; refuse gaps and a target that does not vary."""
    features, targets = read_same_length(X, y, discrete)
    require_finite(features)
    require_finite(targets, "The target")
    require_varying_target(targets, rows_of_each_class=False)
    return discrete.prepare(features, seed, "ties"), discrete.prepare(targets, seed, "ties of the target")


def read_same_length(X: Any, y: Any, discrete: Discrete) -> tuple[NamedColumns, NamedColumns]:
    """Return features and target, with what is discrete marked."""
    features = mark_features(read_columns(X), discrete.features, discrete.are_taken)
    targets = mark_target(read_columns(y, "y"), discrete.target, discrete.are_taken)
    require_same_length(features.n_rows, targets.n_rows)
    return features, targets


def read_given(given: Any, target: FloatArray, discrete: Discrete, seed: int) -> FloatArray:
    """Return the subset that goes with all candidates, ready to be scored; no columns where there is none."""
    if given is None:
        return np.empty((0, target.shape[1]))
    columns = mark_features(read_columns(given, "given"), "auto", discrete.are_taken)
    require_same_length(columns.n_rows, target.shape[1])
    require_finite(columns)
    return discrete.prepare(columns, seed, "ties")
