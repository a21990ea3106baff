"""Named columns of a table, wherever they lie, and what is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Protocol, Self, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import Preparation, digest_of, is_constant, prepare, spreads_of
from infosift.data.types import has_categories, has_two_values, n_categories
from infosift.errors import InputError, is_auto, listing, repeated, shown
from infosift.results.serialization import written_label


def with_names_as_text(data: Any) -> Any:
    """Return a data frame whose names are all text, with the same columns; anything else as it is."""
    if not nw.dependencies.is_pandas_like_dataframe(data) or all(isinstance(name, str) for name in data.columns):
        return data
    if not data.columns.is_unique:
        raise names_not_unique(data.columns)
    named = data.copy(deep=False)
    named.columns = names_as_text(data.columns)
    return named


def with_names_of_one_type(data: Any) -> Any:
    """Return a data frame with all names as text where some are, as scikit-learn takes no mixture."""
    if not nw.dependencies.is_pandas_like_dataframe(data):
        return data
    return with_names_as_text(data) if any(isinstance(name, str) for name in data.columns) else data


def labels_as_text(data: Any) -> tuple[str, ...]:
    """Return the labels of a data frame's columns as text that says their type; none where all are text."""
    return labels_of(data.columns) if nw.dependencies.is_pandas_like_dataframe(data) else ()


def labels_of(columns: Iterable[Any]) -> tuple[str, ...]:
    """Return labels as text that says their type; none where all are text."""
    labels = list(columns)
    return () if all(isinstance(label, str) for label in labels) else tuple(map(written_label, labels))


def as_list(asked: Any) -> list[Any]:
    """Return what is asked for, one thing, several or none (None), as a list."""
    asked = asked.item() if isinstance(asked, np.ndarray) and asked.ndim == 0 else asked
    is_one = isinstance(asked, str) or not isinstance(asked, Iterable)
    return [] if asked is None else [asked] if is_one else list(asked)


def names_as_text(names: Iterable[Any]) -> list[str]:
    """Return names as text; of those that read the same, all but text also say their type."""
    names = list(names)
    written = [name_as_text(name) for name in names]
    shared = {text for text, count in Counter(written).items() if count > 1}
    for i, name in enumerate(names):
        if written[i] in shared and not isinstance(name, str):
            written[i] = _unlike(f"{name} ({type(name).__name__})", written)
    return written


def name_as_text(name: Any) -> str:
    """Return a name as text: numbers of NumPy in a tuple are written as those of Python."""
    if isinstance(name, tuple):
        return str(tuple(part.item() if isinstance(part, np.generic) else part for part in name))
    return str(name)


def _unlike(name: str, others: Sequence[str]) -> str:
    """Return a name that no other has, with a number where it needs one."""
    number, free = 1, name
    while free in others:
        number += 1
        free = f"{name} {number}"
    return free


def names_not_unique(names: Iterable[Any]) -> InputError:
    """Return what to say of names that occur more than once."""
    return InputError(f"Column names must be unique, and {listing(repeated(list(names)))} occurs more than once.")


def deduplicate_names(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return unique names: where one occurs again, ".1", ".2" and so on follow it, as in pandas.

    Also return the new names of those that occur again. None of them is the name of another column.
    """
    taken, unique = set(names), []
    later: dict[str, list[str]] = {}
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            unique.append(name)
            continue
        number = len(later.get(name, ())) + 1
        while f"{name}.{number}" in taken:
            number += 1
        taken.add(f"{name}.{number}")
        unique.append(f"{name}.{number}")
        later.setdefault(name, []).append(unique[-1])
    return unique, later


@dataclass(frozen=True)
class ColumnSummary:
    """What is known of each of some columns: missing and infinite values, and whether it varies at all.

    Rows are those of the first such value, -1 where there is none.
    """

    n_missing: IntArray
    missing_rows: IntArray
    infinite_rows: IntArray
    infinite_values: FloatArray
    are_constant: NDArray[np.bool_]
    have_two_values: NDArray[np.bool_]

    @classmethod
    def of(cls, values: FloatArray) -> ColumnSummary:
        """Return what is known of some columns (columns x rows)."""
        gaps, infinite = np.isnan(values), np.isinf(values)
        infinite_rows = _first(infinite)
        return cls(
            n_missing=gaps.sum(axis=1),
            missing_rows=_first(gaps),
            infinite_rows=infinite_rows,
            infinite_values=values[np.arange(len(values)), infinite_rows],
            are_constant=np.array([is_constant(column) for column in values], dtype=bool),
            have_two_values=np.array([has_two_values(column) for column in values], dtype=bool),
        )

    @classmethod
    def joined(cls, parts: Sequence[ColumnSummary]) -> ColumnSummary:
        """Return what is known of the columns of all parts."""
        return cls(*(np.concatenate(each) for each in zip(*(vars(part).values() for part in parts), strict=True)))


def _first(flags: NDArray[np.bool_]) -> IntArray:
    return np.where(flags.any(axis=1), flags.argmax(axis=1), -1)


@dataclass(frozen=True)
class Prepared:
    """Columns as the estimators want them, with a fingerprint of each.

    ``have_categories`` tells which have any, and ``spreads`` are the standard deviations of the numbers as they
    were, where units matter. Columns that lie elsewhere have as much of an array as a table needs.
    """

    columns: Any
    digests: tuple[bytes, ...]
    have_categories: NDArray[np.bool_]
    spreads: FloatArray | None


class Features(Protocol):
    """Columns with names; ``discrete`` are the positions of categories, ``numeric_text`` what some look like.

    ``labels`` are what a table has in place of the names, written as text, where not all of these are text.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    @property
    def discrete(self) -> frozenset[int]:
        """The positions of columns of categories."""
        ...

    @property
    def numeric_text(self) -> Mapping[int, str]:
        """What categories look like that look like something else, by position."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What a table has in place of the names, as text."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        ...

    @property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        ...

    def take(self, rows: NDArray[np.bool_]) -> Self:
        """Return some of the rows."""
        ...

    def with_discrete(self, more: Iterable[int]) -> Self:
        """Return the same columns, more of them discrete."""
        ...

    def complete_rows(self, ignored: Sequence[int]) -> NDArray[np.bool_]:
        """Tell in which rows every column that is looked at has a value."""
        ...

    def counts_of_categories(self, positions: Sequence[int]) -> list[int]:
        """Return how many different values some columns have, missing ones aside."""
        ...

    def prepared(self, how: Preparation, ignored: Sequence[int]) -> Prepared:
        """Return the columns as the estimators want them; those that are ignored are zeros."""
        ...


@dataclass(frozen=True)
class NamedColumns:
    """Columns that are in memory; ``values`` has one column of the table per row.

    The values of columns that are discrete are codes. NaN is a missing value.
    """

    names: tuple[str, ...]
    values: FloatArray
    discrete: frozenset[int] = frozenset()
    numeric_text: Mapping[int, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.values.shape[1])

    @cached_property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        return ColumnSummary.of(self.values)

    def take(self, rows: NDArray[np.bool_]) -> NamedColumns:
        """Return some of the rows."""
        return self if rows.all() else replace(self, values=self.values[:, rows])

    def with_discrete(self, more: Iterable[int]) -> NamedColumns:
        """Return the same columns, more of them discrete."""
        return replace(self, discrete=self.discrete.union(more))

    def complete_rows(self, ignored: Sequence[int] = ()) -> NDArray[np.bool_]:
        """Tell in which rows every column that is looked at has a value."""
        return are_complete(self.values, ignored)

    def counts_of_categories(self, positions: Sequence[int]) -> list[int]:
        """Return how many different values some columns have, missing ones aside."""
        return [n_categories(self.values[i]) for i in positions]

    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> Prepared:
        """Return the columns as the estimators want them; those that are ignored are zeros."""
        columns = prepare(self.values, how, self.discrete, ignored)
        spreads = spreads_of(self.values, columns) if how.scale == "none" else None
        return Prepared(columns, digests_of(columns), are_partly_categories(columns), spreads)


def are_complete(values: FloatArray, ignored: Sequence[int]) -> NDArray[np.bool_]:
    """Tell in which rows no column (columns x rows) that is looked at has a gap."""
    whole = np.ones(values.shape[1], dtype=bool)
    for i, column in enumerate(values):
        if i not in ignored:
            whole &= ~np.isnan(column)
    return whole


def digests_of(columns: FloatArray) -> tuple[bytes, ...]:
    """Return a fingerprint of each prepared column."""
    return tuple(digest_of(column) for column in columns)


def are_partly_categories(columns: FloatArray) -> NDArray[np.bool_]:
    """Tell which prepared columns have any category."""
    return np.array([has_categories(column) for column in columns], dtype=bool)


_Columns = TypeVar("_Columns", bound=Features)


def positions(asked: Any, names: Sequence[str], parameter: str) -> tuple[int, ...]:
    """Return the positions of columns that are asked for by name or position, each once, in the order asked."""
    found = []
    for which in as_list(asked):
        if isinstance(which, Integral) and not isinstance(which, bool) and -len(names) <= int(which) < len(names):
            found.append(int(which) % len(names))
        elif not isinstance(which, Integral) and name_as_text(which) in names:
            found.append(names.index(name_as_text(which)))
        else:
            what = f'"{which}"' if isinstance(which, str) else shown(which)
            raise InputError(
                f"{parameter} asks for {what}, and there is no such feature: give a name or position."
            )
    return tuple(dict.fromkeys(found))


def mark_features(columns: _Columns, asked: Any, takes_categories: bool = True) -> _Columns:
    """Decide which columns are discrete: text always is, and besides it what is asked for.

    "auto" is every column of numbers with two values, where the criterion takes categories. Otherwise True is all
    columns, False or None no more, a mask or a list of names or positions those.
    """
    places = requested_discrete(asked, columns.names)
    if places is None:
        places = tuple(np.flatnonzero(columns.summary.have_two_values).tolist()) if takes_categories else ()
    return columns.with_discrete(places)


def requested_discrete(asked: Any, names: Sequence[str]) -> tuple[int, ...] | None:
    """Return the positions of columns that are to be discrete; None for "auto"."""
    if is_auto(asked):
        return None
    if isinstance(asked, (bool, np.bool_)):
        return tuple(range(len(names))) if asked else ()
    flags = as_list(asked)
    if flags and all(isinstance(flag, (bool, np.bool_)) for flag in flags):
        if len(flags) != len(names):
            raise InputError(
                f"discrete_features has {len(flags)} yes or no for {len(names)} features: give one each."
            )
        return tuple(np.flatnonzero(flags).tolist())
    return positions(flags, names, "discrete_features")
