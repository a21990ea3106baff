"""Columns as estimators need them: categories encoded, numbers standardised, ties broken, gaps imputed.

With ``scale="none"`` numbers are standardised too, since the tie-breaking noise is relative to a unit spread; the
*distance scale* of a table undoes it wherever distances between rows are taken.
"""

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
from infosift.arrays import ColumnArray, FloatArray, IntArray
from infosift.data.types import are_categorical, encode_categories, special_values
from infosift.errors import Hint, InputError
from infosift.random_streams import stream

# Far below any difference that matters, far above the rounding of values of unit spread.
_TIE_NOISE = 1e-10
_WIDEST_TIE = 20 * _TIE_NOISE
# Gaps between values on a grid are whole numbers of steps up to rounding; those of other values are not.
_GRID_ROUNDING = 1e-5
_LONGEST_GAP = 1e6
# A smaller scale would bring distances, and the noise that breaks ties, near the smallest numbers there are.
_SMALLEST_SCALE = 1e-150


@dataclass(frozen=True)
class Preparation:
    """How columns are prepared; ``purpose`` names the random stream of the noise that breaks ties.

    With ``scale="rank"`` numbers are first replaced by the normal quantiles of their ranks. Where
    ``special_apart``, values that a good share of the rows of a column of numbers have are categories.
    """

    seed: int
    purpose: str
    scale: str = "standard"
    special_apart: bool = True


def prepare(
    values: FloatArray, how: Preparation, discrete: Collection[int] = (), ignored: Collection[int] = ()
) -> FloatArray:
    """Encode categories, scale numbers to unit variance and break their ties (columns x rows).

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
    """Tell whether the observed values have no spread that a float can hold."""
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
    """Replace values by the normal quantiles of their ranks (normal scores); ties share their mean rank."""
    return np.asarray(ndtri((rankdata(values) - 0.5) / len(values)))


def to_unit_spread(values: FloatArray) -> FloatArray:
    """Standardise values, which are not all equal, to mean zero and unit variance."""
    unit, _ = _to_unit_range(values)
    unit -= unit.mean()
    return np.asarray(unit / unit.std())


def _to_unit_range(values: FloatArray) -> tuple[FloatArray, float]:
    """Map values, which are not all equal, linearly to [-1, 1]; return half of their range too.

    Neither huge nor tiny units overflow on the way.
    """
    low, high = values.min(), values.max()
    middle, half_range = low / 2 + high / 2, high / 2 - low / 2
    return (values - middle) / half_range, half_range


def break_ties(values: FloatArray, seed: int, purpose: str) -> FloatArray:
    """Add noise of 1e-10 to tied values, as nearest-neighbour estimators of densities need.

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


def on_a_grid(gaps: FloatArray) -> bool:
    """Tell whether all gaps between neighbouring values are whole multiples of the smallest."""
    with np.errstate(over="ignore"):  # a gap beyond any multiple is no part of a grid
        steps = gaps / gaps.min()
    return bool(steps.max() < _LONGEST_GAP and np.all(np.abs(steps - np.round(steps)) < _GRID_ROUNDING))


def dense_ranks(values: FloatArray) -> IntArray:
    """Rank the distinct values from zero (dense ranks); values that only tie-breaking noise parts share one."""
    order = np.argsort(values, kind="stable")
    ranks = np.zeros(len(values), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(np.diff(values[order]) > _WIDEST_TIE)
    return ranks


def halfway(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far each value reaches: half of the way to the next lower and to the next higher one."""
    ranks = dense_ranks(values)
    levels = values[np.unique(ranks, return_index=True)[1]]
    edges = (levels[1:] + levels[:-1]) / 2
    edges = np.concatenate([[2 * levels[0] - edges[0]], edges, [2 * levels[-1] - edges[-1]]])
    return edges[ranks], edges[ranks + 1]


def interval_ranks(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rank both ends of intervals, from 0 to 1, among uniform points of all of them.

    The rank of t is the expected share of points below it: the mean of (t - low) / (high - low) within [0, 1],
    piecewise linear, with a change of slope at each end.
    """
    points, slopes = np.concatenate([low, high]), np.concatenate([1 / (high - low), -1 / (high - low)])
    order = np.argsort(points, kind="stable")
    slope = np.cumsum(slopes[order])
    rises = np.concatenate([[0.0], np.diff(points[order]) * slope[:-1]])
    ranks = np.empty(len(points))
    ranks[order] = np.cumsum(rises) / len(low)
    return ranks[: len(low)], ranks[len(low) :]


def digest_of(values: FloatArray) -> bytes:
    """Hash the values of a column."""
    # Adding zero turns -0.0 into 0.0: equal values have equal digests.
    return blake2b((values + 0.0).tobytes(), digest_size=16).digest()


def distance_scale_of(spreads: FloatArray, names: Sequence[str]) -> FloatArray:
    """Divide the standard deviation of each column of features and target by the largest of all.

    Times these, distances in prepared columns are those of the values as they were, but for one common factor,
    which changes no estimate and keeps numbers far below any category. A column without numbers has the scale one.
    """
    largest = spreads.max()
    scale = spreads / largest if largest > 0 else spreads.copy()
    varying = np.flatnonzero(spreads)
    if np.any(scale[varying] < _SMALLEST_SCALE):
        narrow, wide = int(varying[np.argmin(spreads[varying])]), int(np.argmax(spreads))
        raise InputError(
            Hint("scale", "none"),
            f' compares numbers as they are, and "{names[wide]}" (standard deviation {largest:.3g}) is too far '
            f'from "{names[narrow]}" ({spreads[narrow]:.3g}) for that: change the unit of one, or use ',
            Hint("scale", "standard"),
            ".",
        )
    scale[spreads == 0] = 1.0
    return np.asarray(scale)


@singledispatch
def scale_distances(columns: ColumnArray, scale: FloatArray) -> Any:
    """Multiply the numbers of each column (columns x rows) by its scale; categories and gaps stay.

    Columns that workers hold register a function of their own.
    """
    values: FloatArray = columns  # type: ignore[assignment]
    return np.where(values >= CATEGORY_GAP, values, values * scale[:, None])


def spreads_of(values: FloatArray, prepared: FloatArray) -> FloatArray:
    """Return the standard deviation of the numbers of each column; zero where it has none that vary."""
    return np.array(
        [
            _spread_of(column[own < CATEGORY_GAP]) if own.any() else 0.0
            for column, own in zip(values, prepared, strict=True)
        ]
    )


def units_of(values: FloatArray) -> FloatArray:
    """Return mean and standard deviation of each column (columns x 2); of one that never varies, zero and one."""
    units = np.tile([0.0, 1.0], (len(values), 1))
    for own, column in zip(units, values, strict=True):
        observed = np.ascontiguousarray(column[~np.isnan(column)])
        if np.isfinite(observed).all() and not is_constant(observed):
            unit, half_range = _to_unit_range(observed)
            middle = observed.min() / 2 + observed.max() / 2
            own[:] = middle + half_range * unit.mean(), max(half_range * unit.std(), np.finfo(np.float64).tiny)
    return units


def _spread_of(values: FloatArray) -> float:
    if len(values) == 0:
        return 0.0
    within, half_range = _to_unit_range(values)
    return float(half_range * within.std())


def complete_rows(columns: FloatArray) -> IntArray:
    """Return the rows in which no column (columns x rows) has a gap."""
    return np.flatnonzero(~np.isnan(columns).any(axis=0))


def impute(columns: FloatArray) -> FloatArray:
    """Fill gaps by the mean of a column of numbers, or the mode of one of categories; zeros where all are gaps."""
    if not np.isnan(columns).any():
        return columns
    pairs = zip(columns, are_categorical(columns), strict=True)
    return np.stack([_impute_column(column, is_category) for column, is_category in pairs])


def _impute_column(column: FloatArray, by_mode: bool) -> FloatArray:
    gaps = np.isnan(column)
    if gaps.all():
        return np.zeros_like(column)
    values = column[~gaps]
    if not by_mode:
        return np.where(gaps, values.mean(), column)
    categories, counts = np.unique(values, return_counts=True)
    return np.where(gaps, categories[np.argmax(counts)], column)
