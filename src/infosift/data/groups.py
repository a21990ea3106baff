"""Feature groups, which are selected together, and row groups, which are shuffled together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, factorial
from typing import Any

import numpy as np

from infosift.arrays import IntArray
from infosift.data.columns import as_list, positions
from infosift.errors import InputError, counted_from, listing, require_rows
from infosift.random_streams import stream


@dataclass(frozen=True)
class FeatureUnit:
    """What is selected as one: a feature, or a group of them, by position."""

    name: str
    columns: tuple[int, ...]


def read_feature_groups(asked: Any, names: Sequence[str]) -> tuple[FeatureUnit, ...]:
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
        groups.append(FeatureUnit(str(name), found))
    return tuple(groups)


def positions_in_groups(
    asked: Any, names: Sequence[str], groups: Sequence[FeatureUnit], parameter: str
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


def read_row_groups(values: Any, n_rows: int) -> IntArray:
    """Return the number of its group for each row; equal values are one group."""
    values = np.asarray(values)
    if values.shape != (n_rows,):
        raise InputError(
            f"groups must have one value for each of the {n_rows:,} rows, not the shape {values.shape}."
        )
    missing = [value is None or value != value for value in values.tolist()]
    if any(missing):
        raise InputError(f"groups has no value for {counted_from(0, missing.index(True))}: fill it in first.")
    try:
        numbers = np.unique(values, return_inverse=True)[1]
    except TypeError:  # values of several types have no order
        numbers = np.unique([f"{type(value).__name__} {value}" for value in values], return_inverse=True)[1]
    return np.asarray(numbers, dtype=np.int64)


def require_enough_to_shuffle(n_rows: int, row_groups: IntArray | None, alpha: float, share: float) -> int | None:
    """Refuse so few rows, or groups, that no order of them is as rare as alpha, or the share of it a test has.

    Return how many groups there are.
    """
    needed = next(number for number in range(2, 200) if factorial(number) >= ceil(1 / (alpha * share) - 1e-9))
    if row_groups is None:
        require_rows(n_rows, needed, f"alpha={alpha:g}")
        return None
    count = int(row_groups.max()) + 1
    if count < needed:
        raise InputError(
            f"groups has {count} group{'s' * (count != 1)} of rows, and alpha={alpha:g} needs at least {needed}, "
            "since only whole groups are shuffled."
        )
    return count


def sample_rows(n_rows: int, seed: int, row_groups: IntArray | None, most: int) -> IntArray:
    """Return the rows to look at: all, or at random as many as there may be at the most.

    With row groups they are whole groups at random, as many as it takes.
    """
    rows = np.arange(n_rows)
    if n_rows <= most:
        return rows
    generator = stream(seed, "rows to choose by")
    if row_groups is None:
        return np.sort(generator.choice(rows, most, replace=False))
    order = generator.permutation(int(row_groups.max()) + 1)
    before = np.cumsum(np.bincount(row_groups)[order]) - np.bincount(row_groups)[order]
    return np.flatnonzero(np.isin(row_groups, order[before < most]))


def shuffled_rows(rows: IntArray, generator: np.random.Generator, row_groups: IntArray | None = None) -> IntArray:
    """Return from which row each of some rows takes its value when they are shuffled.

    With groups, each group takes its values from one group, in their order, and each gives them to one. Where the
    other has fewer rows, some are taken more than once, and where it has more, some are left out, spread evenly.
    So a group is as whole in a draw as in the data.
    """
    if row_groups is None:
        return generator.permutation(rows)
    by_group = np.argsort(row_groups[rows], kind="stable")
    sizes = np.unique(row_groups[rows], return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    giver = np.argsort(generator.permutation(len(sizes)))
    taker = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(rows)) - starts[taker]
    taken = starts[giver[taker]] + within * sizes[giver[taker]] // sizes[taker]
    source = np.empty_like(rows)
    source[by_group] = rows[by_group[taken]]
    return source
