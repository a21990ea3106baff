"""Features that enter or stay out together, such as the columns of one category or the bands of a sensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infosift.data.column_names import as_list
from infosift.data.frames import positions
from infosift.errors import InputError, listing


@dataclass(frozen=True)
class Unit:
    """What is selected as one: a feature, or a group of them, by position."""

    name: str
    columns: tuple[int, ...]


def read_feature_groups(asked: Any, names: Sequence[str]) -> tuple[Unit, ...]:
    """Return the groups that are asked for, each a name and features by name or position."""
    if asked is None:
        return ()
    if not isinstance(asked, Mapping):
        raise InputError(f"feature_groups must be a dict of names and lists of features, not {asked!r}.")
    groups = []
    owner: dict[int, str] = {}
    for name, columns in asked.items():
        found = positions(columns, names, f'The feature group "{name}"')
        if not found:
            raise InputError(f'The feature group "{name}" has no features.')
        if str(name) in names:
            raise InputError(f'The feature group "{name}" has the name of a feature: give it another.')
        for column in found:
            if column in owner:
                both = f'"{owner[column]}" and "{name}"'
                raise InputError(f'"{names[column]}" is in the feature groups {both}: leave it in one of them.')
            owner[column] = str(name)
        groups.append(Unit(str(name), found))
    return tuple(groups)


def positions_in_groups(
    asked: Any, names: Sequence[str], groups: Sequence[Unit], parameter: str
) -> tuple[int, ...]:
    """Return the positions of features asked for by name, position or name of a group; groups only as a whole."""
    by_name = {group.name: group.columns for group in groups}
    found: list[int] = []
    for which in as_list(asked):
        columns = by_name.get(which) if isinstance(which, str) else None
        found += positions([which], names, parameter) if columns is None else columns
    for group in groups:
        apart = [f'"{names[i]}"' for i in group.columns if i not in found]
        if 0 < len(apart) < len(group.columns):
            raise InputError(
                f'{parameter} has a part of the feature group "{group.name}", without {listing(apart)}: '
                "give the name of the group."
            )
    return tuple(dict.fromkeys(found))
