"""Named columns of a table, wherever they lie: what is known of each, and the same columns prepared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray, IntArray
from infosift.data.column_types import has_two_values, n_categories
from infosift.data.encoding import has_categories
from infosift.data.preparing import Preparation, digest_of, is_constant, prepare
from infosift.data.weights import spreads_of


@dataclass(frozen=True)
class Facts:
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
    def of(cls, values: FloatArray) -> Facts:
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
    def joined(cls, parts: Sequence[Facts]) -> Facts:
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
    """Columns with names; ``discrete`` are the positions of categories, ``disguised`` what some look like.

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
    def disguised(self) -> Mapping[int, str]:
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
    def facts(self) -> Facts:
        """What is known of each column."""
        ...

    def take(self, rows: NDArray[np.bool_]) -> Self:
        """Return some of the rows."""
        ...

    def with_discrete(self, more: Iterable[int]) -> Self:
        """Return the same columns, more of them discrete."""
        ...

    def whole_rows(self, ignored: Sequence[int]) -> NDArray[np.bool_]:
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
    disguised: Mapping[int, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.values.shape[1])

    @cached_property
    def facts(self) -> Facts:
        """What is known of each column."""
        return Facts.of(self.values)

    def take(self, rows: NDArray[np.bool_]) -> NamedColumns:
        """Return some of the rows."""
        return self if rows.all() else replace(self, values=self.values[:, rows])

    def with_discrete(self, more: Iterable[int]) -> NamedColumns:
        """Return the same columns, more of them discrete."""
        return replace(self, discrete=self.discrete.union(more))

    def whole_rows(self, ignored: Sequence[int] = ()) -> NDArray[np.bool_]:
        """Tell in which rows every column that is looked at has a value."""
        return whole_rows_of_values(self.values, ignored)

    def counts_of_categories(self, positions: Sequence[int]) -> list[int]:
        """Return how many different values some columns have, missing ones aside."""
        return [n_categories(self.values[i]) for i in positions]

    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> Prepared:
        """Return the columns as the estimators want them; those that are ignored are zeros."""
        columns = prepare(self.values, how, self.discrete, ignored)
        spreads = spreads_of(self.values, columns) if how.scale == "none" else None
        return Prepared(columns, digests_of(columns), are_partly_categories(columns), spreads)


def whole_rows_of_values(values: FloatArray, ignored: Sequence[int]) -> NDArray[np.bool_]:
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
