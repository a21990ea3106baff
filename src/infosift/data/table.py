"""The features and the target as the estimators want them: on one scale, no ties, the unusable ones set aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.columns import Features, NamedColumns, Prepared
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import Preparation, distance_scale_of, scale_distances
from infosift.data.targets import require_varying_target
from infosift.data.types import n_categories
from infosift.data.validation import require_finite, require_numbers


@dataclass(frozen=True)
class Table:
    """Features of unit spread with their ties broken, the target likewise, and which of them can be candidates.

    ``columns`` and ``target`` have one column of the table per row; categories are written as ``encoding`` says.
    The columns may lie elsewhere, with as much of an array as ``[positions]`` and ``[:, rows]``; ``categorical``
    are the positions of those with any category. ``constant`` (those without any value are ``empty`` too),
    ``duplicates`` (to the earlier column of the same values), ``near_unique`` (categories that hardly repeat) and
    ``ignored`` are by position; they are never candidates. ``digests`` are fingerprints of the columns' values,
    whatever their unit, which make a selection independent of the order of the columns.
    ``row_groups`` has the number of its group for each row, where rows belong together. ``weights``, of features
    and of the target, are how much distances in each count where units matter; None where all count alike.
    """

    names: tuple[str, ...]
    columns: Any
    target_name: str
    target: FloatArray
    constant: tuple[int, ...]
    duplicates: Mapping[int, int]
    digests: tuple[bytes, ...]
    ignored: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    near_unique: tuple[int, ...] = ()
    discrete: tuple[int, ...] = ()
    categorical: frozenset[int] = frozenset()
    n_classes: tuple[int | None, ...] = (None,)
    row_groups: IntArray | None = None
    feature_groups: tuple[FeatureUnit, ...] = ()
    distance_scale: tuple[FloatArray, FloatArray] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.target.shape[1])

    def take(self, rows: IntArray) -> Table:
        """Return some of the rows."""
        if len(rows) == self.n_rows:
            return self
        row_groups = None if self.row_groups is None else np.unique(self.row_groups[rows], return_inverse=True)[1]
        return replace(self, columns=self.columns[:, rows], target=self.target[:, rows], row_groups=row_groups)

    @cached_property
    def distance_columns(self) -> Any:
        """The columns as distances between rows are taken in them."""
        return self.scale_distances(self.columns, range(len(self.names)))

    @cached_property
    def distance_target(self) -> FloatArray:
        """The target as distances between rows are taken in it."""
        return self.target if self.distance_scale is None else scale_distances(self.target, self.distance_scale[1])

    def scale_distances(self, columns: Any, positions: Sequence[int]) -> Any:
        """Return copies of the columns at some positions as distances are taken in them."""
        return (
            columns
            if self.distance_scale is None
            else scale_distances(columns, self.distance_scale[0][list(positions)])
        )

    @cached_property
    def usable(self) -> list[int]:
        """Positions of the columns that can be candidates."""
        unusable = {*self.constant, *self.duplicates, *self.near_unique, *self.ignored}
        return [i for i in range(len(self.names)) if i not in unusable]

    @cached_property
    def units(self) -> list[FeatureUnit]:
        """What can be selected: single features, and groups with a feature that can."""
        usable = set(self.usable)
        grouped = {i for group in self.feature_groups for i in group.columns}
        singles = [FeatureUnit(self.names[i], (i,)) for i in usable - grouped]
        groups = [group for group in self.feature_groups if usable.intersection(group.columns)]
        return sorted([*singles, *groups], key=lambda unit: unit.columns)

    def digest(self, unit: FeatureUnit) -> bytes:
        """Return a fingerprint of the values of a unit, whatever the order of its columns."""
        if self.distance_scale is None:
            return b"".join(sorted(self.digests[i] for i in unit.columns))
        return b"".join(sorted(self.digests[i] + self.distance_scale[0][i].tobytes() for i in unit.columns))


def make_table(
    features: Features,
    target: NamedColumns,
    seed: int,
    scale: str = "standard",
    ignored: Sequence[int] = (),
    row_groups: IntArray | None = None,
    feature_groups: tuple[FeatureUnit, ...] = (),
    allow_missing: bool = False,
    takes_categories: bool = True,
    special_apart: bool = True,
) -> Table:
    """Check the data and prepare them for the estimators; what is ignored may have any values."""
    require_finite(features, ignored=ignored, allow_missing=allow_missing)
    require_finite(target, "The target")
    require_varying_target(target)
    constant = tuple(i for i in np.flatnonzero(features.summary.are_constant).tolist() if i not in ignored)
    discrete = tuple(i for i in sorted(features.discrete) if i not in ignored and i not in constant)
    near_unique = _near_unique(features, discrete)
    # No criterion looks at those that are near-unique, so that it need not take categories for their sake.
    unread = ignored if takes_categories else (*ignored, *near_unique)
    if not takes_categories:
        require_numbers(features, unread, may_ignore=True)
        require_numbers(target, (), what="The target ")
    apart = takes_categories and special_apart
    found = features.prepared(Preparation(seed, "ties", scale, apart), unread)
    of_target = target.prepared(Preparation(seed, "ties of the target", scale, apart))
    grouped = {i for group in feature_groups for i in group.columns}
    return Table(
        names=features.names,
        columns=found.columns,
        target_name=", ".join(target.names),
        target=of_target.columns,
        constant=constant,
        duplicates=_find_duplicates(found.digests, exclude={*constant, *near_unique, *ignored, *grouped}),
        digests=found.digests,
        ignored=tuple(ignored),
        empty=tuple(i for i in constant if features.summary.n_missing[i] == features.n_rows),
        near_unique=near_unique,
        discrete=discrete,
        categorical=frozenset(np.flatnonzero(found.have_categories).tolist()),
        n_classes=tuple(n_categories(v) if i in target.discrete else None for i, v in enumerate(target.values)),
        row_groups=row_groups,
        feature_groups=feature_groups,
        distance_scale=_distance_scale(found, of_target, (*features.names, *target.names)),
    )


def _near_unique(features: Features, discrete: Sequence[int]) -> tuple[int, ...]:
    """Return which categories hardly repeat, so that they name the rows rather than say anything about them."""
    n_values = features.n_rows - features.summary.n_missing
    counts = zip(discrete, features.counts_of_categories(discrete), strict=True)
    return tuple(i for i, count in counts if count > max(2, n_values[i] / 2))


def _distance_scale(
    features: Prepared, target: Prepared, names: Sequence[str]
) -> tuple[FloatArray, FloatArray] | None:
    if features.spreads is None or target.spreads is None:
        return None
    weights = distance_scale_of(np.concatenate([features.spreads, target.spreads]), names)
    return weights[: len(features.spreads)], weights[len(features.spreads) :]


def _find_duplicates(digests: tuple[bytes, ...], exclude: set[int]) -> dict[int, int]:
    """Find columns with the same values once scaled, so that a mere change of unit is a duplicate too."""
    first: dict[bytes, int] = {}
    duplicates: dict[int, int] = {}
    for i, digest in enumerate(digests):
        if i in exclude:
            continue
        earlier = first.setdefault(digest, i)
        if earlier != i:
            duplicates[i] = earlier
    return duplicates
