"""From what a command is told about a file to the columns that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import typer

from infosift.cli import options
from infosift.cli.running import warnings_as_notes
from infosift.cli.sources import Dates, Source
from infosift.errors import InputError, counted_from

if TYPE_CHECKING:
    import polars as pl

    from infosift.data.files import TableFile

FIRST_ROW = 1
_DROP = "drop such rows with --missing drop"
OR_DROP = f", or {_DROP}"
OR_DROP_OR_USE = f", {_DROP}, or use the values that a row has with --missing partial"


@dataclass(frozen=True)
class Columns:
    """Columns that options name; as given, commas may divide several."""

    keep: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    groups: str | None = None

    def divided(self, file: TableFile) -> Columns:
        """Return the same with one name to an entry, all of them those of columns."""
        return Columns(
            keep=file.listed(self.keep),
            ignore=file.listed(self.ignore),
            categorical=file.listed(self.categorical),
            asked=file.listed(self.asked),
            given=file.listed(self.given),
            groups=self.groups,
        )


@dataclass(frozen=True)
class Table:
    """The features of a file, its target, the groups of its rows, and which columns options name.

    Features that workers are to read are not read yet.
    """

    features: pl.DataFrame | pl.LazyFrame
    target: pl.Series
    row_groups: pl.Series | None = None
    named: Columns = Columns()

    @property
    def is_read(self) -> bool:
        """Whether the features are in memory."""
        return not hasattr(self.features, "collect")

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return self.features.collect_schema().names()

    def chosen(self, names: Sequence[str]) -> pl.DataFrame:
        """Return some features."""
        return self.features.lazy().select(names).collect()

    def in_memory(self) -> Table:
        """Return the same with all features read."""
        return replace(self, features=self.chosen(self.names))

    def without_gaps(self, used: list[str], missing: options.MissingRows, *, may_ignore: bool = False) -> Table:
        """Return some features in the rows that have them all; refuse gaps unless such rows are to be dropped.

        ``may_ignore`` is whether features can be ignored.
        """
        from infosift.data.frames import read_columns
        from infosift.data.validation import complete_cases, require_finite

        features = self.chosen(used)
        columns, target = read_columns(features), read_columns(self.target)
        drops = missing is options.MissingRows.drop
        require_finite(target, "The target", FIRST_ROW, allow_missing=drops, or_else=OR_DROP)
        require_finite(columns, first_row=FIRST_ROW, allow_missing=drops, or_else=OR_DROP, may_ignore=may_ignore)
        whole = complete_cases(columns, target)
        if n_dropped := len(whole) - int(whole.sum()):
            rows = (
                "1 row has a missing value and is"
                if n_dropped == 1
                else f"{n_dropped:,} rows have missing values and are"
            )
            typer.echo(f"Note: {rows} dropped.", err=True)
        return replace(self, features=features.filter(whole), target=self.target.filter(whole))


def read_table(
    source: Source, target: str, named: Columns, quiet: bool = False, *, by_workers: bool = False
) -> Table:
    """Read the features of a file, or leave that to workers where these can, its target and groups of its rows."""
    with warnings_as_notes(quiet):
        table = _read_table(source, target, named, by_workers)
    if source.dates is Dates.expand and table.is_read:
        from infosift.data.dates import expand_dates

        table = replace(table, features=expand_dates(table.features))
    return table


def _read_table(source: Source, target: str, named: Columns, by_workers: bool) -> Table:
    from infosift.data.files import TableFile

    file = TableFile.open(source.file, source.reading)
    named = named.divided(file)
    _require_no_target(target, named)
    if named.groups in (*named.keep, *named.categorical):
        raise InputError(f'"{named.groups}" says which rows belong together, so it cannot be a feature.')
    groups = [] if named.groups is None else [named.groups]
    asked = (target, named.ignore, _used(named), groups, named.categorical)
    unread = file.scan(*asked) if by_workers else None
    if unread is not None:
        lazy, here = unread
        return Table(lazy, here[target], None if named.groups is None else _groups_of(here, named.groups), named)
    features, values = file.read(*asked)
    if named.groups is None:
        return Table(features, values, named=named)
    if features.width == 1:
        raise InputError(f'"{named.groups}" says which rows belong together, and there is no other feature left.')
    return Table(features.drop(named.groups), values, _groups_of(features, named.groups), named)


def _used(named: Columns) -> list[str]:
    return [*named.categorical, *named.keep, *named.asked, *named.given]


def _require_no_target(target: str, named: Columns) -> None:
    if target in named.keep:
        raise InputError(f'"{target}" is the target, so it cannot be kept as a feature.')
    if target in (*named.asked, *named.given):
        raise InputError(f'"{target}" is the target, so it cannot be one of the features too.')
    if target == named.groups:
        raise InputError(f'"{target}" is the target, so it cannot say which rows belong together.')


def _groups_of(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return which rows belong together; refuse rows of no group."""
    row_groups = frame[name]
    gaps = row_groups.is_null()
    if row_groups.dtype.is_float():
        gaps |= row_groups.is_nan().fill_null(True)
    if gaps.any():
        place = counted_from(FIRST_ROW, gaps.arg_max() or 0)
        raise InputError(f'The groups "{row_groups.name}" have no value in {place}: fill it in first.')
    return row_groups
