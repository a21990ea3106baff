"""Features that determine the target nearly alone: copies of it, recodes, and the target of the row after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.stats import binom, rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import dense_ranks
from infosift.data.types import has_categories

_FEWEST_ROWS = 20
# Mean distance of a row's rank in the feature from its rank in the target, as a share of the rows. Of normal
# columns it is 0.05 where the feature explains 95 % of the variance, and 0.01 where it explains 99.8 %.
_SAME_ORDER = 0.01
# A class is as good as given where an honest feature with this share of errors would hardly have so few of them.
_HONEST_ERRORS = 0.03
_HONEST_ERRORS_OF_CODES = 0.05
_UNLIKELY = 0.01
# All features are looked at in some of the rows, and in all rows those that are near to the target there.
_ROWS_AT_FIRST = 100
_NEAR_ORDER = 0.04
_NEAR_ERRORS = 0.1
_NEAR_CHANGES = 10
_FEWEST_REPEATS = 5
_VALUES_AT_ONCE = 2_000_000
_LAGS = (0, 1, -1)

# How a feature determines the target.
ORDER, VALUES, CUTS = "order", "values", "cuts"
_Found: TypeAlias = tuple[str, float] | None


@dataclass(frozen=True)
class Leak:
    """A feature, by position, that determines a column of the target; ``is_after`` is that of the row after."""

    feature: int
    target: int
    how: str
    is_after: bool = False


def leaks_of(columns: FloatArray, target: FloatArray, row_groups: IntArray | None = None) -> list[Leak]:
    """Return the features that determine the target of their row, or of the row after, nearly alone.

    Features and target are those of a table. A target of numbers is determined by a feature that puts the rows in
    the same order, up or down, or by values that repeat and always go with the same value of the target; classes
    by such values, or by few cuts of a feature of numbers. What is the target of the row before was known earlier,
    and no leak.
    """
    if target.shape[1] < _FEWEST_ROWS:
        return []
    found = (
        _leak(feature, number, columns[feature], own, row_groups)
        for number, own in enumerate(target)
        for feature in _near(columns, own)
    )
    return [leak for leak in found if leak is not None]


def _leak(
    feature: int, number: int, column: FloatArray, target: FloatArray, row_groups: IntArray | None
) -> Leak | None:
    """Return the leak that a feature is, by the lag at which it is nearest to the target."""
    found = {lag: _determines(*_beside(column, target, lag, row_groups)) for lag in _LAGS}
    distances = {lag: distance for lag, (_, distance) in _known(found.items())}
    if not distances:
        return None
    lag = min(distances, key=lambda lag: (distances[lag], abs(lag)))
    how = found[lag]
    return None if lag < 0 or how is None else Leak(feature, number, how[0], is_after=lag > 0)


def _known(found: Iterable[tuple[int, _Found]]) -> Iterator[tuple[int, tuple[str, float]]]:
    return ((lag, how) for lag, how in found if how is not None)


def _beside(
    column: FloatArray, target: FloatArray, lag: int, row_groups: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return a feature and the target so many rows later, where both are known and of one group."""
    rows = np.arange(max(0, -lag), len(target) - max(0, lag))
    rows = rows[~np.isnan(column[rows])]
    if row_groups is not None:
        rows = rows[row_groups[rows] == row_groups[rows + lag]]
    return column[rows], target[rows + lag]


def _determines(column: FloatArray, target: FloatArray) -> _Found:
    """Return how a feature determines the target and how far it is from doing so quite; None where it does not."""
    if len(target) < _FEWEST_ROWS:
        return None
    values, of_target = dense_ranks(column), dense_ranks(target)
    has_numbers = not has_categories(column)
    if has_numbers and not has_categories(target):
        distance = float(_distances_in_order(values[None], of_target)[0])
        if distance <= _SAME_ORDER:
            return ORDER, distance
    n_rows, n_values, n_classes = len(values), int(values.max()) + 1, int(of_target.max()) + 1
    if 2 * n_classes > n_rows:
        return None
    others = n_rows - int(np.bincount(of_target).max())
    errors = int(_errors_by_value(values[None], of_target)[0])
    is_code = n_values == n_classes and errors == 0
    honest = _HONEST_ERRORS_OF_CODES if is_code else _HONEST_ERRORS
    if _is_unlikely(errors, min(n_rows - n_values, 2 * others), honest):
        return VALUES, errors / n_rows
    if has_numbers and has_categories(target) and 2 * n_values > n_rows:
        errors = int(_errors_by_cuts(values[None], of_target)[0])
        if _is_unlikely(errors, min(n_rows, 2 * others), _HONEST_ERRORS):
            return CUTS, errors / n_rows
    return None


def _is_unlikely(errors: int, n_rows: int, honest: float) -> bool:
    return bool(n_rows > 0 and binom.cdf(errors, n_rows, honest) <= _UNLIKELY)


def _near(columns: FloatArray, target: FloatArray) -> list[int]:
    """Return the features that are near to the target, of their row or of the next, in some of the rows."""
    n_rows = len(target)
    rows = np.linspace(0, n_rows - 2, min(n_rows - 1, _ROWS_AT_FIRST)).astype(np.int64)
    shown = [dense_ranks(target[rows + lag]) for lag in (0, 1)]
    at_once = max(1, _VALUES_AT_ONCE // len(rows) ** 2)
    near: list[int] = []
    for start in range(0, len(columns), at_once):
        some = columns[start : start + at_once, rows]
        values = _numbers_of_rows(some)
        is_near = np.array([has_categories(column) or bool(np.isnan(column).any()) for column in some])
        for of_target in shown:
            if not has_categories(target):
                is_near |= _distances_in_order(values, of_target) <= _NEAR_ORDER
            repeats = len(rows) - 1 - values.max(axis=1)
            errors = _errors_by_value(values, of_target)
            is_near |= (errors <= _NEAR_ERRORS * repeats) & (repeats >= _FEWEST_REPEATS)
            if has_categories(target):
                is_near |= _errors_by_cuts(values, of_target) <= _NEAR_CHANGES
        near += (start + np.flatnonzero(is_near)).tolist()
    return near


def _numbers_of_rows(columns: FloatArray) -> IntArray:
    return np.stack([dense_ranks(column) for column in columns])


def _distances_in_order(values: IntArray, of_target: IntArray) -> FloatArray:
    """Return how far the ranks of each column (columns x rows) are from the target's, up or down, on average."""
    n_rows = len(of_target)
    ranks, up = rankdata(values, axis=1), rankdata(of_target)
    distances = [np.abs(ranks - along).mean(axis=1) for along in (up, n_rows + 1 - up)]
    return np.asarray(np.minimum(*distances) / n_rows)


def _errors_by_value(values: IntArray, of_target: IntArray) -> IntArray:
    """Return, for each column, how many rows are not of the class that most rows of their value are of."""
    n_columns, n_rows = values.shape
    n_values, n_classes = int(values.max()) + 1, int(of_target.max()) + 1
    places = (np.arange(n_columns)[:, None] * n_values + values) * n_classes + of_target
    places, counts = np.unique(places, return_counts=True)
    largest = np.zeros(n_columns * n_values, dtype=np.int64)
    np.maximum.at(largest, places // n_classes, counts)
    return np.asarray(n_rows - largest.reshape(n_columns, n_values).sum(axis=1))


def _errors_by_cuts(values: IntArray, of_target: IntArray) -> IntArray:
    """Return, for each column, how often the class changes along it besides the changes that classes need."""
    ordered = of_target[np.argsort(values, axis=1, kind="stable")]
    changes = np.count_nonzero(np.diff(ordered, axis=1), axis=1)
    return np.asarray(changes - of_target.max())
