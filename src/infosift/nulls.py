"""What "this column adds nothing" looks like: shuffled copies, and what they say about a score."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.stats import binomtest

from infosift.arrays import FloatArray
from infosift.result import PermutationTest
from infosift.streams import stream

# The paper advises 20 to 50 permutations.
_ADVISED_PERMUTATIONS = 50


def shuffled_copies(column: FloatArray, count: int, seed: int, step: int) -> FloatArray:
    """Return shuffled copies of a column, one per row; every column of a step meets the same permutations."""
    orders = (stream(seed, "shuffle", step, b).permutation(len(column)) for b in range(count))
    return np.stack([column[order] for order in orders])


def judge(score: float, null: FloatArray, alpha: float) -> PermutationTest:
    """Compare a score with the scores of shuffled copies."""
    at_least = int(np.count_nonzero(null >= score))
    interval = binomtest(at_least, len(null)).proportion_ci(confidence_level=0.95, method="exact")
    return PermutationTest(
        score=float(score),
        threshold=threshold(null, alpha),
        p_value=(1 + at_least) / (1 + len(null)),
        p_low=float(interval.low),
        p_high=float(interval.high),
        n_permutations=len(null),
        alpha=alpha,
        null=null,
    )


def threshold(null: FloatArray, alpha: float) -> float:
    """Return the (1 - alpha) percentile: the order statistic that is exceeded just when p <= alpha.

    With P draws, a score above r of them has p <= (1 + P - r) / (1 + P), hence r = ceil((1 - alpha) (1 + P)).
    """
    rank = math.ceil((1 - _exact(alpha)) * (1 + len(null)))
    return float(np.sort(null)[rank - 1])


def permutations_for(alpha: float, requested: int | str) -> int:
    """Return the number of permutations: the requested one, or the smallest from 50 on that makes alpha exact."""
    if requested == "auto":
        multiple = math.ceil(_exact(alpha) * (_ADVISED_PERMUTATIONS + 1))
        return math.ceil(multiple / _exact(alpha)) - 1
    least = math.ceil(1 / _exact(alpha)) - 1
    if not isinstance(requested, (int, np.integer)) or requested < least:
        raise ValueError(
            f'n_permutations must be "auto" or an integer of at least {least}, the fewest that can reach '
            f"alpha={alpha:g}, not {requested!r}."
        )
    return int(requested)


def check_alpha(alpha: float) -> float:
    """Refuse a significance level outside of (0, 1)."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha!r}.")
    return float(alpha)


def _exact(alpha: float) -> Fraction:
    # As the user wrote it: 0.05 is 1/20, though the nearest float is slightly more.
    return Fraction(repr(float(alpha)))
