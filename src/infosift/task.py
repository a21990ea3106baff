"""What a run is to do: columns, target and parameters as a table and settings that go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from infosift.arrays import IntArray
from infosift.blocks import read_blocks, require_enough_to_shuffle
from infosift.calibrated import SHARE_OF_SINGLES
from infosift.checks import InputError, listing
from infosift.criteria import criterion_named
from infosift.groups import Unit, positions_in_groups, read_groups
from infosift.inputs import (
    NamedColumns,
    discrete_asked_for,
    mark_features,
    mark_target,
    positions,
    require_finite,
    whole_rows,
)
from infosift.result import Settings
from infosift.table import Table, make_table


@dataclass(frozen=True)
class Task:
    """The table of a run, its settings, and how many rows were left out."""

    table: Table
    settings: Settings
    n_dropped: int


def make_task(features: NamedColumns, target: NamedColumns, given: Mapping[str, Any], settings: Settings) -> Task:
    """Return what parameters ask for of some columns; ``settings`` have what does not depend on these."""
    groups = read_groups(given["groups"], features.names)
    keep, ignore = _kept_and_ignored(given, features.names, groups)
    blocks, ignore = _read_blocks(given["blocks"], features, ignore)
    n_rows = features.n_rows
    features, target, blocks = _rows_to_use(features, target, blocks, ignore, settings.missing)
    settings = _filled_in(settings, given, features, keep, ignore, groups, blocks)
    takes_categories = criterion_named(settings.criterion).takes_categories
    table = make_table(
        mark_features(features, given["discrete_features"], takes_categories),
        mark_target(target, given["discrete_target"], takes_categories),
        settings.seed,
        settings.scale,
        ignore,
        blocks,
        tuple(group for group in groups if group.columns[0] not in {*keep, *ignore}),
        allow_missing=settings.missing == "partial",
        takes_categories=takes_categories,
        special_apart=settings.method == "published",  # a residual of a category and a number is neither
    )
    return Task(table, settings, n_rows - features.n_rows)


def _kept_and_ignored(
    given: Mapping[str, Any], names: Sequence[str], groups: Sequence[Unit]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    keep, ignore = (positions_in_groups(given[name], names, groups, name) for name in ("keep", "ignore"))
    if both := [f'"{names[i]}"' for i in keep if i in ignore]:
        raise InputError(f"Asked both to keep and to ignore {listing(both)}.")
    return keep, ignore


def _read_blocks(
    blocks: Any, features: NamedColumns, ignore: tuple[int, ...]
) -> tuple[IntArray | None, tuple[int, ...]]:
    """Return the block of each row; where a column says so, it is ignored otherwise."""
    if blocks is None:
        return None, ignore
    if not isinstance(blocks, (str, Integral)):
        return read_blocks(blocks, features.n_rows), ignore
    (column,) = positions(blocks, features.names, "blocks")
    return read_blocks(features.values[column], features.n_rows), tuple(dict.fromkeys((*ignore, column)))


def _rows_to_use(
    features: NamedColumns, target: NamedColumns, blocks: IntArray | None, ignore: tuple[int, ...], missing: str
) -> tuple[NamedColumns, NamedColumns, IntArray | None]:
    """Return the rows that are not left out for missing values; where none may be, refuse these."""
    if missing == "error":
        or_else = ', or leave out such rows with missing="drop"'
        require_finite(features, ignored=ignore, or_else=or_else)
        require_finite(target, "The target", or_else=or_else)
        return features, target, blocks
    whole = whole_rows(features, target, ignore if missing == "drop" else range(len(features.names)))
    features, target = features.take(whole), target.take(whole)
    return features, target, None if blocks is None else read_blocks(blocks[whole], features.n_rows)


def _filled_in(
    settings: Settings,
    given: Mapping[str, Any],
    features: NamedColumns,
    keep: tuple[int, ...],
    ignore: tuple[int, ...],
    groups: Sequence[Unit],
    blocks: IntArray | None,
) -> Settings:
    """Return the settings with what depends on the columns."""
    names = features.names
    discrete, discrete_target = discrete_asked_for(given["discrete_features"], names), given["discrete_target"]
    share = SHARE_OF_SINGLES if settings.method == "calibrated" else 1.0
    return replace(
        settings,
        discrete_features=None if discrete is None else tuple(names[i] for i in discrete),
        discrete_target=None if discrete_target == "auto" else bool(discrete_target),
        keep=tuple(names[i] for i in keep),
        ignore=tuple(names[i] for i in ignore),
        groups=tuple((group.name, tuple(names[i] for i in group.columns)) for group in groups),
        n_blocks=require_enough_to_shuffle(features.n_rows, blocks, settings.alpha, share),
    )
