"""Whether rows depend on those next to them in the file, in what shuffles take to be exchangeable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import whole_rows_of
from infosift.engines.base import Engine
from infosift.inference.regression import QUICK_WIDTHS, Smoother
from infosift.inference.residual_target import parts_of

# Of a long table, some stretches of rows are looked at.
_MOST_ROWS = 1_000
_STRETCHES = 20
_FEWEST_ROWS = 30
_MOST_PARTS = 8
_MOST_FEATURES = 12
_PASSES = 2
# A serial correlation counts from so many standard errors on.
_STANDARD_ERRORS = 3.0
# The least product of both correlations: the variance of a mean product then grows by about a fifth.
_LEAST_PRODUCT = 0.1


@dataclass(frozen=True)
class SerialDependence:
    """A feature, and the rank correlations of neighbouring rows: in the target's residual and its own."""

    feature: int
    of_target: float
    of_feature: float

    def sentence(self, name: str) -> str:
        """Return what is found, of a feature of this name."""
        return (
            "Rows depend on those next to them in the file: neighbouring rows have a rank correlation of "
            f'{self.of_target:.2f} in the residual of the target and of {self.of_feature:.2f} in that of "{name}".'
        )


def serial_dependence(
    columns: FloatArray, target: FloatArray, engine: Engine, given: FloatArray | None = None
) -> SerialDependence | None:
    """Return the strongest serial dependence of target and a feature together; None where there is none.

    ``columns`` are features that were found to be informative, ``given`` are others that the target may depend on.

    Shuffles deceive where both the target and a feature depend on their neighbours, each for itself. So the target
    must do so, and its residual given the features; and so must a feature, and its residual given the target.
    Exchangeable rows that were sorted lack one of these. Sorted by the target, the features have residuals that do
    not depend on their neighbours. Sorted by a feature, the target has such residuals. Sorted by what else is in
    the target, the features themselves do not depend on their neighbours.
    """
    features = columns if given is None else np.concatenate([columns, given])
    rows = _rows_to_look_at(target.shape[1])
    rows = rows[whole_rows_of(features[:, rows])]
    features, target = features[:, rows], target[:, rows]
    looked_at = [i for i, values in enumerate(features) if _varies(values)][:_MOST_FEATURES]
    if len(rows) < _FEWEST_ROWS or not looked_at or not all(map(_varies, target)):
        return None
    of_target = _serial_correlation_of(target, features[looked_at], rows, engine)
    if not _counts(of_target, len(rows)):
        return None
    found = []
    for feature in (i for i in looked_at if i < len(columns)):
        of_feature = _serial_correlation_of(features[[feature]], target, rows, engine)
        if _counts(of_feature, len(rows)) and of_feature * of_target >= _LEAST_PRODUCT:
            found.append(SerialDependence(feature, of_target, of_feature))
    return max(found, key=lambda one: one.of_feature, default=None)


def _varies(values: FloatArray) -> bool:
    return len(values) > 0 and bool(values.min() < values.max())


def _serial_correlation_of(columns: FloatArray, given: FloatArray, rows: IntArray, engine: Engine) -> float:
    """Return the serial correlation of columns, or of their residuals given others where that is less.

    Others are regressed on one after the other: rows that are near in several series at once are near in time, and
    a regression on all together would leave little of any series.
    """
    parts = np.concatenate([parts_of(column, _MOST_PARTS) for column in columns])
    residuals = parts
    for smoother in _PASSES * [Smoother(column[None], engine, QUICK_WIDTHS) for column in given]:
        residuals = residuals - smoother.predict(residuals)
    return min(_serial_correlation(parts, rows), _serial_correlation(residuals, rows))


def _rows_to_look_at(n_rows: int) -> IntArray:
    """Return all rows, or stretches of rows from all over the table."""
    if n_rows <= _MOST_ROWS:
        return np.arange(n_rows)
    length = _MOST_ROWS // _STRETCHES
    starts = np.linspace(0, n_rows - length, _STRETCHES).astype(np.int64)
    return np.asarray((starts[:, None] + np.arange(length)).ravel())


def _serial_correlation(columns: FloatArray, rows: IntArray) -> float:
    """Return the largest rank correlation of rows with the next ones, over some columns."""
    before = np.flatnonzero(np.diff(rows) == 1)
    if len(before) < _FEWEST_ROWS - 1:
        return 0.0
    ranks = rankdata(columns, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    variance = (ranks**2).mean(axis=1)
    products = (ranks[:, before] * ranks[:, before + 1]).mean(axis=1)
    return float(np.max(products / np.where(variance > 0, variance, 1.0)))


def _counts(correlation: float, n_rows: int) -> bool:
    return correlation * math.sqrt(n_rows) >= _STANDARD_ERRORS
