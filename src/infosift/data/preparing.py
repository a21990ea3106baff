"""Columns as the estimators want them: categories as codes far apart, numbers on one scale, no ties."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.column_types import special_values
from infosift.data.encoding import encode_categories
from infosift.data.weights import to_unit_range
from infosift.random_streams import stream

# Far below any difference that matters, far above the rounding of values of unit spread.
_TIE_NOISE = 1e-10
_WIDEST_TIE = 20 * _TIE_NOISE
# Gaps between values on a grid are whole numbers of steps up to rounding; those of other values are not.
_GRID_ROUNDING = 1e-5
_LONGEST_GAP = 1e6


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


def digest_of(values: FloatArray) -> bytes:
    """Return a fingerprint of the values of a column."""
    # Adding zero turns -0.0 into 0.0: equal values have equal digests.
    return blake2b((values + 0.0).tobytes(), digest_size=16).digest()
