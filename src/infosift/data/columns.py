"""Named columns of a table, in memory or held by workers; what is known of each, and checks of their values."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, count
from numbers import Integral
from typing import Any, NamedTuple, Self

import narwhals.stable.v1 as nw
import numpy as np

from infosift.arrays import BoolArray, ColumnArray, FloatArray, IntArray
from infosift.data.prepare import Preparation, digest_of, prepare, spreads_of, units_of
from infosift.data.types import are_categorical, n_categories
from infosift.errors import Hint, InputError, Part, RowNumber, is_auto, listing, repeated, shown
from infosift.results.serialization import written_label

_MOST_NAMES = 12
# What can be done about missing values besides filling them in, by the value of ``missing``.
_REMEDIES = {"partial": "use the values that a row has with ", "drop": "drop such rows with "}


MOST_NAMED = 50  # categories whose names are kept


@dataclass(frozen=True)
class ColumnSummary:
    """What one pass over the values tells of each column: missing and infinite values, and whether it varies.

    Rows are those of the first such value, -1 where there is none.
    """

    n_missing: IntArray
    missing_rows: IntArray
    infinite_rows: IntArray
    infinite_values: FloatArray
    are_constant: BoolArray
    have_two_values: BoolArray

    @classmethod
    def of(cls, values: FloatArray) -> ColumnSummary:
        """Summarise columns (columns x rows)."""
        gaps, infinite = np.isnan(values), np.isinf(values)
        infinite_rows = _first(infinite)
        varying = np.array([_variation(column[~own]) for column, own in zip(values, gaps, strict=True)])
        return cls(
            n_missing=gaps.sum(axis=1),
            missing_rows=_first(gaps),
            infinite_rows=infinite_rows,
            infinite_values=values[np.arange(len(values)), infinite_rows],
            are_constant=varying == 1,
            have_two_values=varying == 2,
        )

    @classmethod
    def joined(cls, parts: Sequence[ColumnSummary]) -> ColumnSummary:
        """Join the summaries of the blocks of a table."""
        return cls(*(np.concatenate(each) for each in zip(*(vars(part).values() for part in parts), strict=True)))


def _first(flags: BoolArray) -> IntArray:
    return np.where(flags.any(axis=1), flags.argmax(axis=1), -1)


def _variation(observed: FloatArray) -> int:
    """Return 1 where values have no spread that a float can hold, 2 where they are two, else 3."""
    if len(observed) == 0:
        return 1
    low, high = observed.min(), observed.max()
    with np.errstate(invalid="ignore"):  # of infinite values, which vary or will be refused
        if high / 2 - low / 2 == 0:
            return 1
    return 2 if np.all((observed == low) | (observed == high)) else 3


@dataclass(frozen=True)
class PreparedColumns:
    """Columns as estimators need them, with a digest of each and whether it is categorical.

    ``spreads`` are the standard deviations of the numbers as they were, with ``scale="none"`` only; ``units``
    (columns x 2) the mean and the standard deviation of each column.
    """

    columns: ColumnArray
    digests: tuple[bytes, ...]
    is_categorical: BoolArray
    spreads: FloatArray | None
    units: FloatArray


@dataclass(frozen=True)
class Features(ABC):
    """Columns with names, wherever their values are.

    Parameters
    ----------
    names : tuple of str
        The names.
    discrete : frozenset of int
        Positions of the columns of categories, whose values are codes.
    numeric_text : mapping of int to str
        What text of categories reads as, such as numbers or dates, by position.
    labels : tuple of str
        How the table labels its columns, as Python writes it, where some label is not text; else empty.
    categories : mapping of int to tuple of str
        The names of categories by code, by position, where a table in memory has a few.
    """

    names: tuple[str, ...]
    discrete: frozenset[int] = field(default=frozenset(), kw_only=True)
    numeric_text: Mapping[int, str] = field(default_factory=dict, kw_only=True)
    labels: tuple[str, ...] = field(default=(), kw_only=True)
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict, kw_only=True)

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows of the table."""

    @property
    @abstractmethod
    def summary(self) -> ColumnSummary:
        """What is known of each column."""

    @abstractmethod
    def take(self, rows: BoolArray) -> Self:
        """Return the columns in some of the rows."""

    @abstractmethod
    def complete_rows(self, ignored: Sequence[int]) -> BoolArray:
        """Tell in which rows every column that is not ignored has a value."""

    @abstractmethod
    def count_categories(self, positions: Sequence[int]) -> list[int]:
        """Count the different values of columns by position, missing ones aside."""

    @abstractmethod
    def named_categories(self) -> dict[int, tuple[str, ...]]:
        """Return the names of the categories that occur, in the order of their codes, where they are known."""

    @abstractmethod
    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> PreparedColumns:
        """Return the columns as estimators need them; those that are ignored are zeros."""

    def with_discrete(self, more: Iterable[int]) -> Self:
        """Return the same columns, more of them categories; a summary that was worked out is kept."""
        marked = copy(self)
        object.__setattr__(marked, "discrete", self.discrete.union(more))
        return marked

    def mark_discrete(self, given: Any, takes_categories: bool = True) -> Self:
        """Decide which columns are categories: text, and what ``discrete_features`` asks for.

        "auto" is every column of numbers with two values, where the criterion takes categories.
        """
        requested = requested_discrete(given, self.names)
        if requested is None:
            two_values = np.flatnonzero(self.summary.have_two_values)
            requested = tuple(two_values.tolist()) if takes_categories else ()
        return self.with_discrete(requested)


class Event(NamedTuple):
    """What ends times that are not censored: its name and, where that is not 1 or true, the value that it has."""

    name: str
    value: str | None = None


@dataclass(frozen=True)
class NamedColumns(Features):
    """Columns in memory: ``values`` has one column of the table per row, NaN where a value is missing.

    Of times until an event, ``event`` is what that is called, and censored ones have a minus.
    """

    values: FloatArray
    event: Event | None = field(default=None, kw_only=True)

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.values.shape[1])

    @cached_property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        return ColumnSummary.of(self.values)

    def take(self, rows: BoolArray) -> NamedColumns:
        """Return the columns in some of the rows."""
        return self if rows.all() else replace(self, values=self.values[:, rows])

    @classmethod
    def joined(cls, parts: Sequence[NamedColumns]) -> NamedColumns:
        """Join columns of the same rows, with what is known of their kinds."""
        if len(parts) == 1:
            return parts[0]
        starts = list(accumulate((len(part.names) for part in parts[:-1]), initial=0))
        located = list(zip(starts, parts, strict=True))
        return cls(
            tuple(name for part in parts for name in part.names),
            np.concatenate([part.values for part in parts]),
            discrete=frozenset(start + i for start, part in located for i in part.discrete),
            numeric_text={start + i: text for start, part in located for i, text in part.numeric_text.items()},
            categories={start + i: own for start, part in located for i, own in part.categories.items()},
        )

    def complete_rows(self, ignored: Sequence[int] = ()) -> BoolArray:
        """Tell in which rows every column that is not ignored has a value."""
        return are_complete(self.values, ignored)

    def count_categories(self, positions: Sequence[int]) -> list[int]:
        """Count the different values of columns by position, missing ones aside."""
        return [n_categories(self.values[i]) for i in positions]

    def named_categories(self) -> dict[int, tuple[str, ...]]:
        """Return the names of the categories that occur, in the order of their codes, where they are known."""
        return names_occurring(self.values, self.discrete, self.categories)

    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> PreparedColumns:
        """Return the columns as estimators need them; those that are ignored are zeros."""
        columns = prepare(self.values, how, self.discrete, ignored)
        spreads = spreads_of(self.values, columns) if how.scale == "none" else None
        units = units_of(self.values)
        return PreparedColumns(columns, digests_of(columns), are_categorical(columns), spreads, units)


def names_occurring(
    values: FloatArray, discrete: Iterable[int], categories: Mapping[int, tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """Return the names of the categories that columns (columns x rows) have, by position; of numbers these.

    Where there are many, their names are not known.
    """
    named = {}
    for i in sorted(discrete):
        codes = np.unique(values[i][~np.isnan(values[i])])
        if i in categories:
            named[i] = tuple(categories[i][int(code)] for code in codes)
        elif len(codes) <= MOST_NAMED:
            named[i] = tuple(f"{code:g}" for code in codes)
    return named


def are_complete(values: FloatArray, ignored: Sequence[int]) -> BoolArray:
    """Tell in which rows no column (columns x rows) that is not ignored has a gap."""
    complete = np.ones(values.shape[1], dtype=bool)
    for i, column in enumerate(values):
        if i not in ignored:
            complete &= ~np.isnan(column)
    return complete


def digests_of(columns: FloatArray) -> tuple[bytes, ...]:
    """Hash each prepared column."""
    return tuple(digest_of(column) for column in columns)


def requested_discrete(given: Any, names: Sequence[str]) -> tuple[int, ...] | None:
    """Return the positions of features that a user declares categorical: a mask, names or positions.

    True is all of them, False or None no more than text; None is returned for "auto".
    """
    if is_auto(given):
        return None
    if isinstance(given, (bool, np.bool_)):
        return tuple(range(len(names))) if given else ()
    flags = as_list(given)
    if flags and all(isinstance(flag, (bool, np.bool_)) for flag in flags):
        if len(flags) != len(names):
            raise InputError(
                Hint("discrete_features"), f" has {len(flags)} yes or no for {len(names)} features: give one each."
            )
        return tuple(np.flatnonzero(flags).tolist())
    return positions(flags, names, Hint("discrete_features"))


def positions(given: Any, names: Sequence[str], parameter: Part) -> tuple[int, ...]:
    """Return the positions of columns given by name or position, each once, in the order given."""
    found = []
    for which in as_list(given):
        if isinstance(which, Integral) and not isinstance(which, bool) and -len(names) <= int(which) < len(names):
            found.append(int(which) % len(names))
        elif not isinstance(which, Integral) and name_as_text(which) in names:
            found.append(names.index(name_as_text(which)))
        else:
            what = f'"{which}"' if isinstance(which, str) else shown(which)
            raise InputError(
                parameter, f" asks for {what}, and there is no such feature: give a name or position."
            )
    return tuple(dict.fromkeys(found))


def as_list(values: Any) -> list[Any]:
    """Return one value, several or none (None) as a list; text is one value."""
    values = values.item() if isinstance(values, np.ndarray) and values.ndim == 0 else values
    is_one = isinstance(values, str) or not isinstance(values, Iterable)
    return [] if values is None else [values] if is_one else list(values)


def with_names_as_text(data: Any) -> Any:
    """Return a pandas data frame with all its column names as text; anything else as it is."""
    if not nw.dependencies.is_pandas_like_dataframe(data) or all(isinstance(name, str) for name in data.columns):
        return data
    if not data.columns.is_unique:
        raise names_not_unique(data.columns)
    named = data.copy(deep=False)
    named.columns = names_as_text(data.columns)
    return named


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a library-neutral view of a data frame, with text as names; None for anything else."""
    require_values(data)
    try:
        view = nw.from_native(with_names_as_text(data), pass_through=True)
    except nw.exceptions.DuplicateError:
        raise names_not_unique(getattr(data, "column_names", data.columns)) from None
    if isinstance(view, nw.DataFrame) and nw.get_level(view) == "interchange":
        raise InputError(
            f"A {type(data).__name__} is no data frame: make one of it first, such as a pyarrow.Table."
        )
    if isinstance(view, nw.LazyFrame):
        raise InputError("The data frame is lazy: collect() it first.")
    if type(data) is dict:
        raise InputError("The data are a dict: make a data frame of it first.")
    return view if isinstance(view, nw.DataFrame) else None


def require_values(data: Any) -> None:
    """Refuse the name of a file or a column."""
    if isinstance(data, (str, bytes, os.PathLike)):
        raise InputError(
            f"{shown(str(data))} is text, and no values: read a file first, such as with polars, and pass a "
            'column by its values, such as X["age"].'
        )


def require_frame(data: Any, function: str) -> nw.DataFrame[Any]:
    """Return a library-neutral view of a data frame; refuse anything else."""
    if (frame := as_frame(data)) is None:
        raise InputError(f"{function} takes a data frame, and no {type(data).__name__}: make one of it first.")
    return frame


def with_names_of_one_type(data: Any) -> Any:
    """Return a data frame with all names as text where some are, as scikit-learn takes no mixture."""
    if not nw.dependencies.is_pandas_like_dataframe(data):
        return data
    return with_names_as_text(data) if any(isinstance(name, str) for name in data.columns) else data


def labels_of(columns: Iterable[Any]) -> tuple[str, ...]:
    """Write the labels of columns as Python does; empty where all are text."""
    labels = list(columns)
    return () if all(isinstance(label, str) for label in labels) else tuple(map(written_label, labels))


def names_as_text(names: Iterable[Any]) -> list[str]:
    """Write names as text; of those that read the same, all but text get their type added."""
    names = list(names)
    written = [name_as_text(name) for name in names]
    shared = {text for text, times in Counter(written).items() if times > 1}
    for i, name in enumerate(names):
        if written[i] in shared and not isinstance(name, str):
            with_type = f"{name} ({type(name).__name__})"
            numbered = (f"{with_type} {number}" for number in count(2))
            written[i] = next(text for text in chain([with_type], numbered) if text not in written)
    return written


def name_as_text(name: Any) -> str:
    """Write a name as text: numbers of NumPy in a tuple are written as those of Python."""
    if isinstance(name, tuple):
        return str(tuple(part.item() if isinstance(part, np.generic) else part for part in name))
    return str(name)


def names_not_unique(names: Iterable[Any]) -> InputError:
    """Return the error for names that occur more than once."""
    return InputError(f"Column names must be unique, and {listing(repeated(list(names)))} occurs more than once.")


def deduplicate_names(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Make names unique: where one occurs again, ".1", ".2" and so on follow it, as in pandas.

    Also return the new names of those that occur again. None of them is the name of another column.
    """
    taken, unique = set(names), dict[str, None]()
    repeated: dict[str, list[str]] = {}
    for name in names:
        new = name
        if name in unique:
            new = next(text for text in (f"{name}.{number}" for number in count(1)) if text not in taken)
            repeated.setdefault(name, []).append(new)
        taken.add(new)
        unique[new] = None
    return list(unique), repeated


def usable_rows(
    features: Features,
    target: NamedColumns,
    ignored: Sequence[int] = (),
    missing: str = "partial",
    *,
    may_ignore: bool = True,
) -> BoolArray:
    """Tell which rows can be used: those with a target, and with "drop" without a gap in any feature.

    Infinite values are refused, and missing ones of features with "error"; ``may_ignore`` is whether features can
    be ignored.
    """
    are_allowed = missing != "error"
    require_finite(
        features, ignored=ignored, allow_missing=are_allowed, choices=tuple(_REMEDIES), may_ignore=may_ignore
    )
    require_finite(target, "The target", allow_missing=True)
    complete = target.complete_rows()
    if not complete.any():
        raise InputError(f'The target "{target.names[0]}" has no value in any row: give one that has.')
    if missing == "drop":
        complete &= features.complete_rows(ignored)
    if not complete.any():
        counts = missing_by_name(features, ignored) | missing_by_name(target)
        raise InputError(
            f"Every row has a missing value ({describe_gaps(counts, features.n_rows)}): ignore the features with "
            "many gaps, or fill them in first."
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
        listed = f"; missing are {describe_gaps(gaps, n_rows)}" if sum(gaps.values()) > 1 else ""
        remedy = ["remove the row or fill the value in first"]
        for i, choice in enumerate(choices):
            joint = ", or " if i == len(choices) - 1 else ", "
            remedy += [joint, _REMEDIES[choice], Hint("missing", choice)]
    start = f'{what} "{columns.names[column]}" has {kind} in '
    raise InputError(start, RowNumber(row), f"{listed}: ", *remedy, ".")


def describe_gaps(missing: Mapping[str, int], n_rows: int) -> str:
    """Write how many values of each column are missing, the most first."""
    counts = [
        f'all values of "{name}"' if count == n_rows else f'{count:,} of "{name}"'
        for name, count in sorted(missing.items(), key=lambda item: -item[1])
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
