"""Features that determine the target nearly alone (leaks): recodes of it, and the target of the row after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, rankdata

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.prepare import dense_ranks
from infosift.data.targets import Target

_FEWEST_ROWS = 20
# Mean distance of a row's rank in the feature from its rank in the target, as a share of the rows. Of normal
# columns it is 0.05 where the feature explains 95 % of the variance, and 0.01 where it explains 99.8 %.
_SAME_ORDER = 0.01
# A class is as good as given where an honest feature with this share of errors would hardly have so few of them.
_HONEST_ERRORS = 0.03
_HONEST_ERRORS_OF_CODES = 0.05
_UNLIKELY = 0.01
# All features are screened in some of the rows, and those that are near to the target there tested in all rows.
_SCREENED_ROWS = 100
_NEAR_ORDER = 0.04
_NEAR_ERRORS = 0.1
_NEAR_CHANGES = 10
_FEWEST_REPEATS = 5
_VALUES_AT_ONCE = 2_000_000
_LAGS = (0, 1, -1)

# How a feature determines the target.
ORDER, VALUES, CUTS = "order", "values", "cuts"


@dataclass(frozen=True)
class Leak:
    """A feature, by position, that determines something of the target; ``is_after`` is that of the row after.

    ``target`` counts what is observed of all columns of the target.
    """

    feature: int
    target: int
    how: str
    is_after: bool = False


def leaks_of(
    features: tuple[FloatArray, BoolArray], target: Target, row_groups: IntArray | None = None
) -> list[Leak]:
    """Find the features that determine the target of their row, or of the row after, nearly alone.

    Features are prepared columns (columns x rows), and which of them are categorical. A target of numbers is
    determined by a feature that puts the rows in the same order, up or down, or by values that repeat and always
    have the same value of the target; classes by such values, or by few cuts of a feature of numbers. What is the
    target of the row before was known earlier, and no leak.
    """
    if target.columns.shape[1] < _FEWEST_ROWS:
        return []
    columns, is_categorical = features
    found = []
    observed = [
        own for kind, column in zip(target.kinds, target.columns, strict=True) for own in kind.observed(column)
    ]
    for number, (own, has_classes) in enumerate(observed):
        pair = _Pairing(own, has_classes, row_groups)
        for feature in pair.screen(columns, is_categorical):
            leak = pair.nearest_lag(columns[feature], bool(is_categorical[feature]))
            if leak is not None:
                found.append(Leak(feature, number, leak[0], is_after=leak[1]))
    return found


@dataclass(frozen=True)
class _Pairing:
    """A column of the target that features are compared with."""

    target: FloatArray
    has_classes: bool
    row_groups: IntArray | None

    def nearest_lag(self, column: FloatArray, is_categorical: bool) -> tuple[str, bool] | None:
        """Return how a feature determines the target, and whether that of the row after; None where it does not.

        The lag at which it is nearest to the target counts.
        """
        by_lag = [(lag, self._determines(column, is_categorical, lag)) for lag in _LAGS]
        found = [(own[1], abs(lag), lag, own[0]) for lag, own in by_lag if own is not None]
        _, _, lag, how = min(found, key=lambda one: one[:2], default=(0, 0, -1, ""))
        return None if lag < 0 else (how, lag > 0)

    def _determines(self, column: FloatArray, is_categorical: bool, lag: int) -> tuple[str, float] | None:
        """Return how a feature determines the target ``lag`` rows later, and the share of errors it makes."""
        rows = np.arange(max(0, -lag), len(self.target) - max(0, lag))
        rows = rows[~np.isnan(column[rows])]
        if self.row_groups is not None:
            rows = rows[self.row_groups[rows] == self.row_groups[rows + lag]]
        if len(rows) < _FEWEST_ROWS:
            return None
        values, of_target = dense_ranks(column[rows]), dense_ranks(self.target[rows + lag])
        if not is_categorical and not self.has_classes:
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
        if not is_categorical and self.has_classes and 2 * n_values > n_rows:
            errors = int(_errors_by_cuts(values[None], of_target)[0])
            if _is_unlikely(errors, min(n_rows, 2 * others), _HONEST_ERRORS):
                return CUTS, errors / n_rows
        return None

    def screen(self, columns: FloatArray, is_categorical: BoolArray) -> list[int]:
        """Return the features that are near to the target, of their row or of the next, in some of the rows."""
        n_rows = len(self.target)
        rows = np.linspace(0, n_rows - 2, min(n_rows - 1, _SCREENED_ROWS)).astype(np.int64)
        targets = [dense_ranks(self.target[rows + lag]) for lag in (0, 1)]
        at_once = max(1, _VALUES_AT_ONCE // len(rows) ** 2)
        near: list[int] = []
        for start in range(0, len(columns), at_once):
            part = slice(start, start + at_once)
            sample = columns[part, rows]
            values = np.stack([dense_ranks(column) for column in sample])
            is_near = is_categorical[part] | np.isnan(sample).any(axis=1)
            for of_target in targets:
                if not self.has_classes:
                    is_near |= _distances_in_order(values, of_target) <= _NEAR_ORDER
                repeats = len(rows) - 1 - values.max(axis=1)
                errors = _errors_by_value(values, of_target)
                is_near |= (errors <= _NEAR_ERRORS * repeats) & (repeats >= _FEWEST_REPEATS)
                if self.has_classes:
                    is_near |= _errors_by_cuts(values, of_target) <= _NEAR_CHANGES
            near += (start + np.flatnonzero(is_near)).tolist()
        return near


def _is_unlikely(errors: int, n_rows: int, honest: float) -> bool:
    return bool(n_rows > 0 and binom.cdf(errors, n_rows, honest) <= _UNLIKELY)


def _distances_in_order(values: IntArray, of_target: IntArray) -> FloatArray:
    """Return the mean distance of the ranks of each column (columns x rows) from the target's, up or down.

    It is a share of the rows (Spearman's footrule).
    """
    n_rows = len(of_target)
    ranks, up = rankdata(values, axis=1), rankdata(of_target)
    distances = [np.abs(ranks - along).mean(axis=1) for along in (up, n_rows + 1 - up)]
    return np.asarray(np.minimum(*distances) / n_rows)


def _errors_by_value(values: IntArray, of_target: IntArray) -> IntArray:
    """Count, for each column, the rows that are not of the class that most rows of their value are of."""
    n_columns, n_rows = values.shape
    n_values, n_classes = int(values.max()) + 1, int(of_target.max()) + 1
    places = (np.arange(n_columns)[:, None] * n_values + values) * n_classes + of_target
    places, counts = np.unique(places, return_counts=True)
    largest = np.zeros(n_columns * n_values, dtype=np.int64)
    np.maximum.at(largest, places // n_classes, counts)
    return np.asarray(n_rows - largest.reshape(n_columns, n_values).sum(axis=1))


def _errors_by_cuts(values: IntArray, of_target: IntArray) -> IntArray:
    """Count, for each column, how often the class changes along it, beyond the changes that classes need."""
    ordered = of_target[np.argsort(values, axis=1, kind="stable")]
    changes = np.count_nonzero(np.diff(ordered, axis=1), axis=1)
    return np.asarray(changes - of_target.max())
