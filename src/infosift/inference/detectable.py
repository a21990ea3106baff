"""Power: the smallest rank correlation that the maximum test of a step would have found."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gamma
from scipy.stats import norm

from infosift.arrays import FloatArray

# Found in so many of ten tables like the one at hand.
FOUND_OF_TEN = 8
# The part of the null sample at which comparisons are counted: near enough to the level, and known from few draws.
_COUNTED_AT = 0.8
_FEWEST_ROWS = 5
_NEARLY_ONE = 0.999
_ROUNDS = 20


def smallest_detectable_correlation(null: FloatArray, n_rows: int, alpha: float) -> float | None:
    """Return the absolute rank correlation with the target that passes at level alpha in eight of ten tables.

    ``null`` has the best statistic of all candidates in each surrogate. None where there are too few rows to say.

    For a rank correlation r, atanh(r) is nearly normal, with a variance of 1 / (n - 3) under independence and of
    (1 + r² / 2) / (n - 3) otherwise (Bonett and Wright 2000). It must exceed the quantile of the level of a single
    comparison, and to do so in eight of ten tables it must lie above that by another quantile.
    """
    if n_rows < _FEWEST_ROWS or not len(null):
        return None
    level = -math.expm1(math.log1p(-alpha) / effective_comparisons(null, n_rows))
    beyond_chance, in_most_tables = norm.isf(level / 2), norm.isf(1 - FOUND_OF_TEN / 10)
    correlation = 0.0
    for _ in range(_ROUNDS):  # each changes it by a fraction of the one before
        above = beyond_chance + in_most_tables * math.sqrt(1 + correlation**2 / 2)
        correlation = math.tanh(above / math.sqrt(n_rows - 3))
    # That of a sample is smaller, on average, by about 1 / n of it.
    return min(correlation * (1 + 1 / n_rows), 1.0)


def effective_comparisons(null: FloatArray, n_rows: int) -> float:
    """Return how many independent rank correlations have their largest where a null sample has it.

    Candidates that go together count for less than their number, and the scores of a candidate for more than one.
    A score is the cube root of a sum of squares, in standard deviations above its mean; of a correlation alone it
    is about that of a chi-squared variable with one degree of freedom.
    """
    mean, spread = _cube_root_of_chi_squared()
    root = max(0.0, mean + spread * float(np.quantile(null, _COUNTED_AT)))
    correlation = min(root**1.5 / math.sqrt(n_rows - 1), _NEARLY_ONE)
    p_value = 2 * norm.sf(math.atanh(correlation) * math.sqrt(n_rows - 3))
    return max(1.0, math.log(_COUNTED_AT) / math.log1p(-min(p_value, 1 - _COUNTED_AT)))


def _cube_root_of_chi_squared() -> tuple[float, float]:
    """Return mean and standard deviation of the cube root of a chi-squared variable, one degree of freedom."""
    first, second = (2 ** (power / 3) * gamma(0.5 + power / 3) / gamma(0.5) for power in (1, 2))
    return float(first), math.sqrt(second - first**2)
