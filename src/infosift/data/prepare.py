"""Columns as the estimators take them: categories encoded, numbers standardised, ties broken, distances scaled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import singledispatch
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray, IntArray
from infosift.data.types import encode_categories, has_categories, special_values
from infosift.errors import InputError
from infosift.random_streams import stream

# A smaller weight would bring distances, and the noise that breaks ties, near the smallest numbers there are.
_SMALLEST_WEIGHT = 1e-150
# Far below any difference that matters, far above the rounding of values of unit spread.
_TIE_NOISE = 1e-10
_WIDEST_TIE = 20 * _TIE_NOISE
# Gaps between values on a grid are whole numbers of steps up to rounding; those of other values are not.
_GRID_ROUNDING = 1e-5
_LONGEST_GAP = 1e6


def distance_scale_of(spreads: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the spread of each column of features and target as a share of the largest of all.

    Times these, prepared columns are as far apart as the values are, but for one factor that all have in common.
    It changes no estimate, and the largest of numbers stay far below any category. What has no numbers weighs one.
    """
    largest = spreads.max()
    weights = spreads / largest if largest > 0 else spreads.copy()
    varying = np.flatnonzero(spreads)
    if np.any(weights[varying] < _SMALLEST_WEIGHT):
        narrow, wide = int(varying[np.argmin(spreads[varying])]), int(np.argmax(spreads))
        raise InputError(
            f'scale="none" compares numbers as they are, and "{names[wide]}" (standard deviation '
            f'{largest:.3g}) is too far from "{names[narrow]}" ({spreads[narrow]:.3g}) for that: change the unit '
            'of one, or use scale="standard".'
        )
    weights[spreads == 0] = 1.0
    return np.asarray(weights)


@singledispatch
def scale_distances(columns: Any, weights: FloatArray) -> Any:
    """Return numbers times the weights of their columns (columns x rows); categories and gaps stay.

    Columns that do not lie in the memory of this process have a way of their own.
    """
    return np.where(columns >= CATEGORY_GAP, columns, columns * weights[:, None])


def spreads_of(values: FloatArray, prepared: FloatArray) -> FloatArray:
    """Return the standard deviation of the numbers of each column; zero where none are compared."""
    return np.array(
        [
            _spread_of(column[own < CATEGORY_GAP]) if own.any() else 0.0
            for column, own in zip(values, prepared, strict=True)
        ]
    )


def _spread_of(values: FloatArray) -> float:
    if len(values) == 0:
        return 0.0
    within, half_range = to_unit_range(values)
    return float(half_range * within.std())


def to_unit_range(values: FloatArray) -> tuple[FloatArray, float]:
    """Return values, which are not all equal, brought to [-1, 1], and half of their range.

    Neither huge nor tiny units overflow on the way.
    """
    low, high = values.min(), values.max()
    middle, half_range = low / 2 + high / 2, high / 2 - low / 2
    return (values - middle) / half_range, half_range


@dataclass(frozen=True)
class Preparation:
    """How columns are prepared; ``purpose`` names the random stream of what breaks their ties.

    Values that make up a share of a column of numbers are categories where ``special_apart``. With
    ``scale="rank"`` numbers are first replaced by the normal quantiles of their ranks. With ``scale="none"`` they
    have unit spread too: the weights of a table undo it where it matters.
    """

    seed: int
    purpose: str
    scale: str = "standard"
    special_apart: bool = True


def prepare(
    values: FloatArray, how: Preparation, discrete: Collection[int] = (), ignored: Collection[int] = ()
) -> FloatArray:
    """Write categories as the kernel wants them, scale numbers to unit spread and break their ties.

    Constant and ignored columns become zeros.
    """
    prepared = np.zeros(values.shape)
    for i, column in enumerate(values):
        own = np.ascontiguousarray(column)  # sums have the same bits for any layout of the table
        if i in ignored or is_constant(own):
            continue
        if i in discrete:
            prepared[i] = encode_categories(own)
        else:
            observed = ~np.isnan(own)
            prepared[i] = np.nan
            prepared[i, observed] = _prepare_numbers(own[observed], how, how.special_apart)
    return prepared


def is_constant(values: FloatArray) -> bool:
    """Tell whether the values that are there have no spread that a float can hold."""
    observed = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # of infinite values, which vary or will be refused
        return bool(len(observed) == 0 or observed.max() / 2 - observed.min() / 2 == 0)


def _prepare_numbers(values: FloatArray, how: Preparation, special_apart: bool) -> FloatArray:
    special = special_values(values) if special_apart else np.zeros(len(values), dtype=bool)
    unit = to_unit_spread(values)
    if not special.any() or is_constant(values[~special]) or on_a_grid(np.diff(np.unique(unit))):
        scaled = to_unit_spread(to_gaussian_ranks(values)) if how.scale == "rank" else unit
        return break_ties(scaled, how.seed, how.purpose)
    prepared = np.empty(len(values))
    prepared[special] = encode_categories(values[special])
    prepared[~special] = _prepare_numbers(values[~special], how, special_apart=False)
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
    own = int.from_bytes(digest_of(values), "big")
    noise = stream(seed, purpose, own).standard_normal(len(values))
    return np.where(tied, values + _TIE_NOISE * noise, values)


def dense_ranks(values: FloatArray) -> IntArray:
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


def digest_of(values: FloatArray) -> bytes:
    """Return a fingerprint of the values of a column."""
    # Adding zero turns -0.0 into 0.0: equal values have equal digests.
    return blake2b((values + 0.0).tobytes(), digest_size=16).digest()


def complete_rows(columns: FloatArray) -> IntArray:
    """Return the rows in which no column (columns x rows) has a gap."""
    return np.flatnonzero(~np.isnan(columns).any(axis=0))


def impute(columns: FloatArray) -> FloatArray:
    """Return columns with gaps replaced by the mean of a column, or by its largest category."""
    if not np.isnan(columns).any():
        return columns
    return np.stack([_impute_column(column) for column in columns])


def _impute_column(column: FloatArray) -> FloatArray:
    gaps = np.isnan(column)
    if gaps.all():
        return np.zeros_like(column)
    values = column[~gaps]
    if not has_categories(column):
        return np.where(gaps, values.mean(), column)
    categories, counts = np.unique(values, return_counts=True)
    return np.where(gaps, categories[np.argmax(counts)], column)
