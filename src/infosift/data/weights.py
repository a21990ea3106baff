"""Columns as they are: how much a distance in each counts, where numbers are not made comparable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.errors import InputError

# A smaller weight would bring distances, and the noise that breaks ties, near the smallest numbers there are.
_SMALLEST_WEIGHT = 1e-150


def weights_of(spreads: FloatArray, names: Sequence[str]) -> FloatArray:
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
def weigh(columns: Any, weights: FloatArray) -> Any:
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
