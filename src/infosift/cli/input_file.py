"""From a file and the options that name its columns to features, target and row groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

from infosift.cli.options import InputFile
from infosift.errors import InputError, RowNumber

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

# Why the target cannot have the role of another option.
_NOT_THE_TARGET = {
    "keep": "it cannot be kept as a feature",
    "features": "it cannot be one of the features too",
    "given": "it cannot be one of the features too",
    "groups": "it cannot say which rows belong together",
}


@dataclass(frozen=True)
class ColumnRoles:
    """Names of columns, by the arguments and options that name them."""

    keep: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    @property
    def used(self) -> list[str]:
        """The columns that must not be ignored."""
        return [*self.categorical, *self.keep, *self.features, *self.given]

    def check(self, targets: Sequence[str]) -> None:
        """Refuse columns whose roles exclude each other."""
        is_what = "the target" if len(targets) == 1 else "part of the target"
        for target, (role, reason) in product(targets, _NOT_THE_TARGET.items()):
            if target in getattr(self, role):
                raise InputError(f'"{target}" is {is_what}, so {reason}.')
        for name in self.groups:
            if name in (*self.keep, *self.categorical):
                raise InputError(f'"{name}" says which rows belong together, so it cannot be a feature.')


@dataclass(frozen=True)
class InputTable:
    """The features of a file, its target and row groups, and the columns that options name.

    Features are a lazy frame where the workers of a cluster are to read them. The target is as a selector takes
    it, made of ``target_columns``.
    """

    features: pl.DataFrame | pl.LazyFrame
    target: pl.Series | np.ndarray
    target_columns: pl.DataFrame
    row_groups: pl.Series | None = None
    roles: ColumnRoles = ColumnRoles()

    @property
    def is_read(self) -> bool:
        """Whether the features are in memory."""
        return not hasattr(self.features, "collect")

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return self.features.collect_schema().names()

    def columns(self, names: Sequence[str]) -> pl.DataFrame:
        """Return features by name, in memory."""
        return self.features.lazy().select(names).collect()

    def with_target(self, names: Sequence[str]) -> pl.DataFrame:
        """Return features by name, and the columns that the target is made of."""
        return self.columns(names).hstack(self.target_columns)

    def in_memory(self) -> InputTable:
        """Return the same table with all features read."""
        return replace(self, features=self.columns(self.names))


def read_table(
    source: InputFile,
    *,
    groups: str | None = None,
    by_workers: bool = False,
    **named: list[str] | None,
) -> InputTable:
    """Read features, target and row groups of a file.

    ``named`` are lists of columns by their roles, as in ``ColumnRoles``. ``by_workers`` leaves features to be read
    by the workers of a cluster, where their types are known without reading them.
    """
    from infosift.data.files import ReadOptions, TableFile

    reading = ReadOptions(
        source.encoding, source.comment, source.decimal, not source.no_header, source.sheet, source.n_skipped
    )
    file = TableFile.open(source.file, reading)
    listed = {role: file.listed(names) for role, names in {**named, "categorical": source.categorical}.items()}
    roles = ColumnRoles(**listed, groups=[] if groups is None else [groups])
    targets = source.target_columns
    roles.check(targets)
    features, others = file.read(
        targets,
        ignore=roles.ignore,
        named=roles.used,
        labels=roles.groups,
        as_written=roles.categorical,
        lazily=by_workers,
    )
    columns = others.select(targets)
    table = InputTable(features, source.target_of(columns), columns, _row_groups(others, roles), roles)
    if source.dates == "expand" and table.is_read:
        from infosift.data.dates import expand_dates

        table = replace(table, features=expand_dates(table.features))
    return table


def _row_groups(frame: pl.DataFrame, roles: ColumnRoles) -> pl.Series | None:
    """Return the group of each row; refuse rows without one."""
    if not roles.groups:
        return None
    row_groups = frame[roles.groups[0]]
    is_missing = row_groups.is_null()
    if row_groups.dtype.is_float():
        is_missing |= row_groups.is_nan().fill_null(True)
    if is_missing.any():
        row = RowNumber(is_missing.arg_max() or 0)
        raise InputError(f'The groups "{row_groups.name}" have no value in ', row, ": fill it in first.")
    return row_groups
