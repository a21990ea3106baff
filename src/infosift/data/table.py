"""The features and the target as the estimators want them: on one scale, no ties, the unusable ones set aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.column_types import n_categories, special_values
from infosift.data.encoding import encode_categories
from infosift.data.feature_groups import Unit
from infosift.data.frames import NamedColumns, is_constant, require_finite, require_varying_target
from infosift.data.weights import to_unit_range, weigh, weights_of
from infosift.errors import InputError
from infosift.random_streams import stream

# Far below any difference that matters, far above the rounding of values of unit spread.
_TIE_NOISE = 1e-10
_WIDEST_TIE = 20 * _TIE_NOISE
# Gaps between values on a grid are whole numbers of steps up to rounding; those of other values are not.
_GRID_ROUNDING = 1e-5
_LONGEST_GAP = 1e6


@dataclass(frozen=True)
class Table:
    """Features of unit spread with their ties broken, the target likewise, and which of them can be candidates.

    ``columns`` and ``target`` have one column of the table per row; categories are written as ``encoding`` says.
    ``constant`` (those without any value are ``empty`` too), ``duplicates`` (to the earlier column of the same
    values), ``near_unique`` (categories that hardly repeat) and ``ignored`` are by position; they are never
    candidates. ``digests`` are fingerprints of the
    columns' values, whatever their unit, which make a selection independent of the order of the columns.
    ``row_groups`` has the number of its group for each row, where rows belong together. ``weights``, of features
    and of the target, are how much distances in each count where units matter; None where all count alike.
    """

    names: tuple[str, ...]
    columns: FloatArray
    target_name: str
    target: FloatArray
    constant: tuple[int, ...]
    duplicates: Mapping[int, int]
    digests: tuple[bytes, ...]
    ignored: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    near_unique: tuple[int, ...] = ()
    discrete: tuple[int, ...] = ()
    n_classes: tuple[int | None, ...] = (None,)
    row_groups: IntArray | None = None
    feature_groups: tuple[Unit, ...] = ()
    weights: tuple[FloatArray, FloatArray] | None = None

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
    def points(self) -> FloatArray:
        """The columns as distances between rows are taken in them."""
        return self.weigh(self.columns, range(len(self.names)))

    @cached_property
    def target_points(self) -> FloatArray:
        """The target as distances between rows are taken in it."""
        return self.target if self.weights is None else weigh(self.target, self.weights[1])

    def weigh(self, columns: FloatArray, positions: Sequence[int]) -> FloatArray:
        """Return copies of the columns at some positions as distances are taken in them."""
        return columns if self.weights is None else weigh(columns, self.weights[0][list(positions)])

    @property
    def usable(self) -> list[int]:
        """Positions of the columns that can be candidates."""
        unusable = {*self.constant, *self.duplicates, *self.near_unique, *self.ignored}
        return [i for i in range(len(self.names)) if i not in unusable]

    @property
    def units(self) -> list[Unit]:
        """What can be selected: single features, and groups with a feature that can."""
        usable = set(self.usable)
        grouped = {i for group in self.feature_groups for i in group.columns}
        singles = [Unit(self.names[i], (i,)) for i in usable - grouped]
        groups = [group for group in self.feature_groups if usable.intersection(group.columns)]
        return sorted([*singles, *groups], key=lambda unit: unit.columns)

    def digest(self, unit: Unit) -> bytes:
        """Return a fingerprint of the values of a unit, whatever the order of its columns."""
        if self.weights is None:
            return b"".join(sorted(self.digests[i] for i in unit.columns))
        return b"".join(sorted(self.digests[i] + self.weights[0][i].tobytes() for i in unit.columns))


def make_table(
    features: NamedColumns,
    target: NamedColumns,
    seed: int,
    scale: str = "standard",
    ignored: Sequence[int] = (),
    row_groups: IntArray | None = None,
    feature_groups: tuple[Unit, ...] = (),
    allow_missing: bool = False,
    takes_categories: bool = True,
    special_apart: bool = True,
) -> Table:
    """Check the data and prepare them for the estimators; what is ignored may have any values."""
    require_finite(features, ignored=ignored, allow_missing=allow_missing)
    require_finite(target, "The target")
    require_varying_target(target)
    constant = tuple(i for i, values in enumerate(features.values) if i not in ignored and is_constant(values))
    discrete = tuple(i for i in sorted(features.discrete) if i not in ignored and i not in constant)
    near_unique = tuple(i for i in discrete if _is_near_unique(features.values[i]))
    # No criterion looks at those that are near-unique, so that it need not take categories for their sake.
    unread = ignored if takes_categories else (*ignored, *near_unique)
    if not takes_categories:
        _require_numbers(features, unread, may_ignore=True)
        _require_numbers(target, (), what="The target ")
    columns = prepare(features, seed, "ties", scale, unread, takes_categories, special_apart)
    target_columns = prepare(target, seed, "ties of the target", scale, (), takes_categories, special_apart)
    digests = tuple(_digest(values) for values in columns)
    grouped = {i for group in feature_groups for i in group.columns}
    return Table(
        names=features.names,
        columns=columns,
        target_name=", ".join(target.names),
        target=target_columns,
        constant=constant,
        duplicates=_find_duplicates(digests, exclude={*constant, *near_unique, *ignored, *grouped}),
        digests=digests,
        ignored=tuple(ignored),
        empty=tuple(i for i in constant if np.isnan(features.values[i]).all()),
        near_unique=near_unique,
        discrete=discrete,
        n_classes=tuple(n_categories(v) if i in target.discrete else None for i, v in enumerate(target.values)),
        row_groups=row_groups,
        feature_groups=feature_groups,
        weights=weights_of(features, columns, target, target_columns) if scale == "none" else None,
    )


def _is_near_unique(values: FloatArray) -> bool:
    """Tell whether categories hardly repeat, so that they name the rows rather than say anything about them."""
    return n_categories(values) > max(2, np.count_nonzero(~np.isnan(values)) / 2)


def prepare(
    columns: NamedColumns,
    seed: int,
    purpose: str,
    scale: str = "standard",
    ignored: Sequence[int] = (),
    takes_categories: bool = True,
    special_apart: bool = True,
) -> FloatArray:
    """Write categories as the kernel wants them, scale numbers to unit spread and break their ties.

    Constant and ignored columns become zeros. Values that make up a share of a column of numbers are categories
    where ``special_apart``. With ``scale="rank"`` numbers are first replaced by the normal quantiles of their
    ranks. With ``scale="none"`` they have unit spread here too: the weights of a table undo it where it matters.
    """
    if not takes_categories:
        _require_numbers(columns, ignored)
    prepared = np.zeros(columns.values.shape)
    for i, column in enumerate(columns.values):
        values = np.ascontiguousarray(column)  # sums have the same bits for any layout of the table
        if i in ignored or is_constant(values):
            continue
        if i in columns.discrete:
            prepared[i] = encode_categories(values)
        else:
            observed = ~np.isnan(values)
            prepared[i] = np.nan
            apart = takes_categories and special_apart
            prepared[i, observed] = _prepare_numbers(values[observed], seed, purpose, scale, apart)
    return prepared


def _require_numbers(
    columns: NamedColumns, ignored: Sequence[int], *, what: str = "", may_ignore: bool = False
) -> None:
    """Refuse categories among the columns that are looked at and vary; ``what`` they are may be said."""
    names = [
        f'"{columns.names[i]}"'
        for i in sorted(columns.discrete)
        if i not in ignored and not is_constant(columns.values[i])
    ]
    if not names:
        return
    out = "" if what else ", or leave the column out" if len(names) == 1 else ", or leave such columns out"
    if may_ignore:
        out += f" with ignore={names[0]}" if len(names) == 1 else f" with ignore=[{', '.join(names)}]"
    raise InputError(
        f"{what}{names[0]} is discrete, and the criterion is for numbers only: use one that takes categories, "
        f'such as criterion="ksg"{out}.'
    )


def _prepare_numbers(values: FloatArray, seed: int, purpose: str, scale: str, special_apart: bool) -> FloatArray:
    special = special_values(values) if special_apart else np.zeros(len(values), dtype=bool)
    unit = to_unit_spread(values)
    if not special.any() or is_constant(values[~special]) or on_a_grid(np.diff(np.unique(unit))):
        return break_ties(to_unit_spread(to_gaussian_ranks(values)) if scale == "rank" else unit, seed, purpose)
    prepared = np.empty(len(values))
    prepared[special] = encode_categories(values[special])
    prepared[~special] = _prepare_numbers(values[~special], seed, purpose, scale, special_apart=False)
    return prepared


def to_gaussian_ranks(values: FloatArray) -> FloatArray:
    """Replace values by the normal quantiles of their ranks; equal values share their mean rank."""
    return np.asarray(ndtri((rankdata(values) - 0.5) / len(values)))


def to_unit_spread(values: FloatArray) -> FloatArray:
    """Centre the values, which are not all equal, and divide them by their standard deviation.

    The range is brought to [-1, 1] first, so that neither huge nor tiny units overflow on the way.
    """
    unit, _ = to_unit_range(values)
    unit -= unit.mean()
    return np.asarray(unit / unit.std())


def break_ties(values: FloatArray, seed: int, purpose: str) -> FloatArray:
    """Add noise of 1e-10 to values that are tied, as estimators of densities need.

    Tied are the values that occur more than once and, where all values lie on a grid (integers, dates, rounded
    decimals), every value, since distances are then tied. The noise depends on the seed and the column's values
    only: not on its name or place.
    """
    ascending = np.sort(values)
    gaps = np.diff(ascending)
    repeats = ascending[1:][gaps == 0]
    if on_a_grid(gaps[gaps > 0]):
        tied = np.ones(len(values), dtype=bool)
    elif len(repeats) > 0:
        tied = np.isin(values, repeats)
    else:
        return values
    own = int.from_bytes(_digest(values), "big")
    noise = stream(seed, purpose, own).standard_normal(len(values))
    return np.where(tied, values + _TIE_NOISE * noise, values)


def numbers_of_values(values: FloatArray) -> IntArray:
    """Return the different values numbered upwards from zero; those that only the noise of ties parts are one."""
    order = np.argsort(values, kind="stable")
    numbers = np.zeros(len(values), dtype=np.int64)
    numbers[order[1:]] = np.cumsum(np.diff(values[order]) > _WIDEST_TIE)
    return numbers


def on_a_grid(gaps: FloatArray) -> bool:
    """Tell whether all gaps between neighbouring values are whole multiples of the smallest."""
    with np.errstate(over="ignore"):  # a gap beyond any multiple is no part of a grid
        steps = gaps / gaps.min()
    return bool(steps.max() < _LONGEST_GAP and np.all(np.abs(steps - np.round(steps)) < _GRID_ROUNDING))


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


def _digest(values: FloatArray) -> bytes:
    # Adding zero turns -0.0 into 0.0: equal values have equal digests.
    return blake2b((values + 0.0).tobytes(), digest_size=16).digest()
