"""What a test could have detected, and whether its assumption holds that rows are exchangeable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import complete_rows
from infosift.data.types import are_categorical, indicators_of_largest
from infosift.engines.base import Engine
from infosift.inference.kernel_ridge import QUICK, KernelRidge, Resolution
from infosift.results.selection import DETECTED_OF_TEN

# The quantile of a null sample at which comparisons are counted: near enough to the level, and known from few
# draws.
_COUNTED_AT = 0.8
# Mean and standard deviation of the cube root of a chi-squared variable with one degree of freedom, by its moments
# E[X^s] = 2^s gamma(1/2 + s) / gamma(1/2).
_MEAN_ROOT = 2 ** (1 / 3) * math.gamma(5 / 6) / math.gamma(1 / 2)
_SPREAD_OF_ROOT = math.sqrt(2 ** (2 / 3) * math.gamma(7 / 6) / math.gamma(1 / 2) - _MEAN_ROOT**2)
_ONE_SIDED = 0.025  # the probability outside of either end of an interval
_FEWEST_FOR_POWER = 5
_NEARLY_ONE = 0.999  # a correlation whose inverse hyperbolic tangent is finite
_ROUNDS = 20
# Of a long table, so many stretches of consecutive rows are examined.
_MOST_ROWS = 1_000
_STRETCHES = 20
_FEWEST_ROWS = 30
_MOST_COMPONENTS = 8
_MOST_FEATURES = 12
# Backfitting (Breiman and Friedman 1985): how many times residuals are regressed on each column in turn.
_PASSES = 2
# A serial correlation counts from so many standard errors on; under independence that is 1 / root(n).
_STANDARD_ERRORS = 3.0
# The least product of both correlations: the variance of a mean product then grows by about a fifth.
_LEAST_PRODUCT = 0.1


def smallest_detectable_correlation(null: FloatArray, n_rows: int, alpha: float) -> float | None:
    """Return the absolute rank correlation with the target that passes at level alpha in eight of ten tables.

    ``null`` has the best statistic of all candidates in each surrogate. None where there are too few rows to say.

    For a rank correlation r, atanh(r) is nearly normal, with a variance of 1 / (n - 3) under independence and of
    (1 + r² / 2) / (n - 3) otherwise (Bonett and Wright 2000). It must exceed the quantile of the level of a single
    comparison, and to do so in eight of ten tables it must lie above that by another quantile.
    """
    if n_rows < _FEWEST_FOR_POWER or not len(null):
        return None
    beyond_chance, in_most_tables = critical_value(null, n_rows, alpha), norm.isf(1 - DETECTED_OF_TEN / 10)
    correlation = 0.0
    for _ in range(_ROUNDS):  # each changes it by a fraction of the one before
        above = beyond_chance + in_most_tables * math.sqrt(1 + correlation**2 / 2)
        correlation = math.tanh(above / math.sqrt(n_rows - 3))
    # That of a sample is smaller, on average, by about 1 / n of it.
    return min(correlation * (1 + 1 / n_rows), 1.0)


def critical_value(null: FloatArray, n_rows: int, alpha: float) -> float:
    """Return how many standard errors from zero a rank correlation must be to pass at level alpha."""
    level = -math.expm1(math.log1p(-alpha) / effective_comparisons(null, n_rows))
    return float(norm.isf(level / 2))


def corrected_for_selection(effect: float, critical: float) -> tuple[float, float, float]:
    """Correct an effect for having been selected by exceeding a critical value; return it and a 95 % interval.

    Both are in standard errors. An effect that had to be large to be seen is too large on average (the winner's
    curse). The conditional maximum-likelihood estimate is the effect whose mean beyond the critical value is the
    one observed (Zhong and Prentice 2008; Ghosh, Zou and Wright 2008). The lower limit is conditional, the upper
    not: a conditional one would lie below the estimate where the critical value was barely exceeded.
    """

    def mean_beyond(true: float) -> float:
        return float(true + np.exp(norm.logpdf(critical - true) - norm.logsf(critical - true)))

    def chance_of_more(true: float) -> float:
        return float(np.exp(norm.logsf(effect - true) - norm.logsf(critical - true)))

    conditional = low = 0.0
    if effect > mean_beyond(0.0):
        conditional = brentq(lambda true: mean_beyond(true) - effect, 0.0, effect)
    if effect > critical and chance_of_more(0.0) < _ONE_SIDED:
        low = brentq(lambda true: chance_of_more(true) - _ONE_SIDED, 0.0, effect)
    return conditional, low, effect + float(norm.isf(_ONE_SIDED))


def effective_comparisons(null: FloatArray, n_rows: int) -> float:
    """Return how many independent rank correlations have their largest where a null sample has it.

    Correlated candidates count for less than their number, and the scores of a candidate for more than one.
    A score is the cube root of a sum of squares, in standard deviations above its mean; of a correlation alone it
    is about that of a chi-squared variable with one degree of freedom.
    """
    root = max(0.0, _MEAN_ROOT + _SPREAD_OF_ROOT * float(np.quantile(null, _COUNTED_AT)))
    correlation = min(root**1.5 / math.sqrt(n_rows - 1), _NEARLY_ONE)
    p_value = 2 * norm.sf(math.atanh(correlation) * math.sqrt(n_rows - 3))
    return max(1.0, math.log(_COUNTED_AT) / math.log1p(-min(p_value, 1 - _COUNTED_AT)))


@dataclass(frozen=True)
class SerialDependence:
    """A feature, and the rank correlations of neighbouring rows: in the target's residual and its own."""

    feature: int
    of_target: float
    of_feature: float


def serial_dependence(
    columns: FloatArray, target: FloatArray, engine: Engine, given: FloatArray | None = None
) -> SerialDependence | None:
    """Return the strongest serial dependence of target and a feature together; None where there is none.

    ``columns`` (columns x rows) are features that a test showed to be informative, ``given`` others that the
    target may depend on.

    Permutations mislead where both the target and a feature depend on their neighbours, each for itself. So the
    target must do so, and its residual given the features; and so must a feature, and its residual given the
    target. Exchangeable rows that were sorted lack one of these. Sorted by the target, the features have residuals
    that do not depend on their neighbours. Sorted by a feature, the target has such residuals. Sorted by what else
    is in the target, the features themselves do not depend on their neighbours.
    """
    features = columns if given is None else np.concatenate([columns, given])
    rows = _rows_to_examine(target.shape[1])
    rows = rows[complete_rows(features[:, rows])]
    features, target = features[:, rows], target[:, rows]
    examined = [i for i, values in enumerate(features) if _varies(values)][:_MOST_FEATURES]
    if len(rows) < _FEWEST_ROWS or not examined or not all(map(_varies, target)):
        return None
    for resolution in (QUICK, None):  # a finer regression only where the quick one leaves a dependence
        of_target = _serial_correlation_of(target, features[examined], rows, engine, resolution)
        if not _counts(of_target, len(rows)):
            return None
    dependent = []
    for feature in (i for i in examined if i < len(columns)):
        of_feature = _serial_correlation_of(features[[feature]], target, rows, engine)
        if _counts(of_feature, len(rows)) and of_feature * of_target >= _LEAST_PRODUCT:
            dependent.append(SerialDependence(feature, of_target, of_feature))
    return max(dependent, key=lambda one: one.of_feature, default=None)


def _varies(values: FloatArray) -> bool:
    return len(values) > 0 and bool(values.min() < values.max())


def _serial_correlation_of(
    columns: FloatArray,
    given: FloatArray,
    rows: IntArray,
    engine: Engine,
    resolution: Resolution | None = QUICK,
) -> float:
    """Return the serial correlation of columns, or of their residuals given others where that is less.

    The regression on others is additive, by backfitting: rows that are near in several series at once are near in
    time, and a joint regression would leave little of any series.
    """
    components = np.concatenate(
        [
            indicators_of_largest(column, _MOST_COMPONENTS) if is_category else column[None]
            for column, is_category in zip(columns, are_categorical(columns), strict=True)
        ]
    )
    residuals = components
    for regression in _PASSES * [KernelRidge(column[None], engine, resolution) for column in given]:
        residuals = residuals - regression.predict(residuals)
    return min(_serial_correlation(components, rows), _serial_correlation(residuals, rows))


def _rows_to_examine(n_rows: int) -> IntArray:
    """Return all rows, or stretches of rows from all over the table."""
    if n_rows <= _MOST_ROWS:
        return np.arange(n_rows)
    length = _MOST_ROWS // _STRETCHES
    starts = np.linspace(0, n_rows - length, _STRETCHES).astype(np.int64)
    return np.asarray((starts[:, None] + np.arange(length)).ravel())


def _serial_correlation(columns: FloatArray, rows: IntArray) -> float:
    """Return the largest rank correlation of consecutive rows (lag 1), over columns (columns x rows)."""
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
