"""The table of a run: features and target as estimators need them, and which features can be candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from infosift.arrays import BoolArray, ColumnArray, FloatArray, IntArray
from infosift.data.columns import Features, NamedColumns, require_numbers
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import Preparation, distance_scale_of, scale_distances, spreads_of, units_of
from infosift.data.targets import Target, TargetKind, decide_kinds, make_target
from infosift.data.types import are_categorical


@dataclass(frozen=True)
class Table:
    """Features of unit variance with their ties broken, the target likewise, and which features can be candidates.

    Parameters
    ----------
    names : tuple of str
        The features.
    columns : ColumnArray of shape (n_features, n_rows)
        The features, prepared: numbers standardised, categories encoded (see ``data.types``).
    is_categorical : ndarray of bool
        Which of them have categories.
    target : Target
        The target, prepared.
    digests : tuple of bytes
        A hash of the values of each feature, whatever their unit: it breaks ties between candidates, so that a
        selection does not depend on the order of the columns.
    constant, empty, near_unique, ignored : tuple of int
        Features that are never candidates: of one value (those without any value are ``empty`` too), of categories
        that hardly repeat, and those that are to be ignored.
    duplicates : mapping of int to int
        Features that are never candidates, each to the earlier one of the same values.
    discrete : tuple of int
        Features that are taken as categories and vary.
    row_groups : ndarray of int or None
        The number of its group for each row, where rows belong together.
    feature_groups : tuple of FeatureUnit
        Features that are selected together.
    distance_scale : pair of ndarrays or None
        With ``scale="none"``, what the numbers of each feature, and of each target, are multiplied by where
        distances between rows are taken.
    """

    names: tuple[str, ...]
    columns: ColumnArray
    is_categorical: BoolArray
    target: Target
    digests: tuple[bytes, ...]
    constant: tuple[int, ...]
    duplicates: Mapping[int, int]
    ignored: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    near_unique: tuple[int, ...] = ()
    discrete: tuple[int, ...] = ()
    row_groups: IntArray | None = None
    feature_groups: tuple[FeatureUnit, ...] = ()
    distance_scale: tuple[FloatArray, FloatArray] | None = None
    # Mean and standard deviation of features, and of columns of the target, as they were given; not of ranks.
    moments: tuple[FloatArray, FloatArray] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.target.n_rows

    def take(self, rows: IntArray) -> Table:
        """Return the table in some of the rows."""
        if len(rows) == self.n_rows:
            return self
        row_groups = None if self.row_groups is None else np.unique(self.row_groups[rows], return_inverse=True)[1]
        return replace(self, columns=self.columns[:, rows], target=self.target.take(rows), row_groups=row_groups)

    @cached_property
    def distance_columns(self) -> ColumnArray:
        """The features, scaled for distances between rows."""
        scale, columns = self.distance_scale, self.columns
        return columns if scale is None else cast(ColumnArray, scale_distances(columns, scale[0]))

    @cached_property
    def distance_views(self) -> FloatArray:
        """The target in all its views (views x columns x rows), scaled for distances between rows."""
        scale, views = self.distance_scale, self.target.views
        return views if scale is None else np.stack([scale_distances(columns, scale[1]) for columns in views])

    @property
    def distance_target(self) -> FloatArray:
        """The target as estimates of information take it, scaled for distances between rows."""
        return np.asarray(self.distance_views[0])

    def scale_distances(self, columns: Any, positions: Sequence[int]) -> Any:
        """Scale surrogates of the features at some positions for distances between rows."""
        scale = self.distance_scale
        return columns if scale is None else scale_distances(columns, scale[0][list(positions)])

    @cached_property
    def usable(self) -> list[int]:
        """Positions of the features that can be candidates."""
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
        """Hash the values of a unit, whatever the order of its columns."""
        scales = None if self.distance_scale is None else self.distance_scale[0]
        own = [self.digests[i] + (b"" if scales is None else scales[i].tobytes()) for i in unit.columns]
        return b"".join(sorted(own))


def make_table(
    features: Features,
    target: NamedColumns,
    seed: int,
    *,
    scale: str = "standard",
    target_kinds: Sequence[TargetKind] | None = None,
    ignored: Sequence[int] = (),
    row_groups: IntArray | None = None,
    feature_groups: tuple[FeatureUnit, ...] = (),
    takes_categories: bool = True,
    special_apart: bool = True,
    leaves_out: bool = True,
) -> Table:
    """Prepare features, whose kinds are decided, and target for the estimators; both must be finite.

    Features that are ignored may have any values. By default text is classes in the target, and all else numbers.
    Without ``leaves_out`` all features are prepared, also those that a search leaves out as near-unique, and the
    target may have few rows of each class: for estimates rather than tests.
    """
    kinds = decide_kinds(target, False) if target_kinds is None else target_kinds
    constant = tuple(i for i in np.flatnonzero(features.summary.are_constant).tolist() if i not in ignored)
    discrete = tuple(i for i in sorted(features.discrete) if i not in ignored and i not in constant)
    near_unique = _near_unique(features, discrete)
    # Near-unique features are never scored, so that a criterion need not take categories for their sake.
    unread = (*ignored, *near_unique) if leaves_out and not takes_categories else tuple(ignored)
    apart = takes_categories and special_apart
    how = Preparation(seed, "ties of the target", scale, apart)
    encoded = make_target(target, kinds, how, rows_of_each_class=leaves_out)
    if not takes_categories:
        require_numbers(features.names, [i for i in discrete if i not in unread], may_ignore=leaves_out)
        require_numbers(target.names, np.flatnonzero(are_categorical(encoded.columns)).tolist(), is_target=True)
    prepared = features.prepared(Preparation(seed, "ties", scale, apart), unread)
    grouped = {i for group in feature_groups for i in group.columns}
    return Table(
        names=features.names,
        columns=prepared.columns,
        is_categorical=prepared.is_categorical,
        target=encoded,
        digests=prepared.digests,
        constant=constant,
        duplicates=_find_duplicates(prepared.digests, exclude={*constant, *near_unique, *ignored, *grouped}),
        ignored=tuple(ignored),
        empty=tuple(i for i in constant if features.summary.n_missing[i] == features.n_rows),
        near_unique=near_unique,
        discrete=discrete,
        row_groups=row_groups,
        feature_groups=feature_groups,
        distance_scale=_distance_scale(features.names, prepared.spreads, target, encoded),
        moments=None if scale == "rank" else (prepared.units, units_of(target.values)),
    )


def _near_unique(features: Features, discrete: Sequence[int]) -> tuple[int, ...]:
    """Return which categories hardly repeat, so that they name the rows rather than inform about them."""
    n_values = features.n_rows - features.summary.n_missing
    counts = zip(discrete, features.count_categories(discrete), strict=True)
    return tuple(i for i, count in counts if count > max(2, n_values[i] / 2))


def _distance_scale(
    names: Sequence[str], spreads: FloatArray | None, target: NamedColumns, encoded: Target
) -> tuple[FloatArray, FloatArray] | None:
    if spreads is None:
        return None
    of_target = spreads_of(target.values, encoded.columns)
    scale = distance_scale_of(np.concatenate([spreads, of_target]), (*names, *target.names))
    return scale[: len(names)], scale[len(names) :]


def _find_duplicates(digests: Sequence[bytes], exclude: set[int]) -> dict[int, int]:
    """Find columns of the same values once scaled, so that a change of unit is a duplicate too."""
    first: dict[bytes, int] = {}
    earlier = {i: first.setdefault(digest, i) for i, digest in enumerate(digests) if i not in exclude}
    return {i: other for i, other in earlier.items() if other != i}
