"""Permutation tests: shuffled copies, p-values and thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import binomtest

from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import shuffled_rows
from infosift.errors import is_auto, require_count
from infosift.random_streams import stream
from infosift.results.steps import PermutationTest

# The paper advises 20 to 50 permutations.
_ADVISED_PERMUTATIONS = 50
_LARGEST_DENOMINATOR = 1000
_VALUES_AT_ONCE = 8_000_000


def shuffled_orders(
    n_rows: int, draws: range, seed: int, step: int, row_groups: IntArray | None = None
) -> IntArray:
    """Return shuffled orders of the rows, one per draw; all candidates of a step share them."""
    rows = np.arange(n_rows)
    return np.stack([shuffled_rows(rows, stream(seed, "shuffle", step, draw), row_groups) for draw in draws])


def null_scores(
    score: Callable[[range, IntArray], FloatArray],
    n_rows: int,
    count: int,
    seed: int,
    step: int,
    row_groups: IntArray | None = None,
) -> FloatArray:
    """Return what a function gives for draws and their orders of the rows, some at a time to bound the memory."""
    at_once = max(1, _VALUES_AT_ONCE // n_rows)
    parts = [range(count)[start : start + at_once] for start in range(0, count, at_once)]
    return np.concatenate(
        [score(draws, shuffled_orders(n_rows, draws, seed, step, row_groups)) for draws in parts]
    )


def judge(information: float, null: FloatArray, alpha: float) -> PermutationTest:
    """Compare an estimate with those of shuffled copies."""
    at_least = int(np.count_nonzero(null >= information))
    low, high = interval_of_p(at_least, len(null))
    limit = threshold(null, alpha)
    draws = np.array([information, *null])
    in_spreads = studentised(np.array([*draws, limit]), draws.mean(), draws.std())
    return PermutationTest(
        information=float(information),
        information_threshold=limit,
        statistic=float(in_spreads[0]),
        threshold=float(in_spreads[-1]),
        p_value=(1 + at_least) / (1 + len(null)),
        p_low=low,
        p_high=high,
        n_permutations=len(null),
        alpha=alpha,
        null=in_spreads[1:-1],
    )


def studentised(scores: FloatArray, mean: Any, spread: Any) -> FloatArray:
    """Return how far scores lie above a mean, in standard deviations; zero where nothing varies.

    Mean and spread are those of all draws, the data included, so that data and surrogates are exchangeable.
    """
    spread = np.broadcast_to(spread, scores.shape)
    statistics = np.zeros_like(scores)
    np.divide(scores - mean, spread, out=statistics, where=spread > 0)
    return statistics


@lru_cache(maxsize=4096)  # the same few counts are asked about over and over, and an answer takes milliseconds
def interval_of_p(at_least: int, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return bounds of the p-value that all permutations would give, by Clopper and Pearson."""
    interval = binomtest(at_least, count).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def threshold(null: FloatArray, alpha: float) -> float:
    """Return the (1 - alpha) percentile: the order statistic that is exceeded just when p <= alpha.

    With P draws, a score above r of them has p <= (1 + P - r) / (1 + P), hence r = ceil((1 - alpha) (1 + P)).
    Where draws ended, with a score that is no good, before there were enough for alpha, it is the largest.
    """
    rank = min(math.ceil((1 - _exact(alpha)) * (1 + len(null))), len(null))
    return float(np.sort(null)[rank - 1])


def permutations_for(alpha: float, requested: int | str, share: float = 1.0) -> int:
    """Return the number of permutations: the requested one, or the smallest from 50 on that makes alpha exact.

    Alpha is exact where it is a multiple of 1 / (1 + P). A level like 0.0123 would need thousands of permutations
    for that; it gets the smallest P from 50 on that comes close from below. A requested number must be able to
    reach the share of alpha that a test has.
    """
    level = _exact(alpha)
    if is_auto(requested):
        least = _ADVISED_PERMUTATIONS + 1
        if level.denominator <= _LARGEST_DENOMINATOR:
            return math.ceil(Fraction(least, level.denominator)) * level.denominator - 1
        return math.ceil(math.ceil(level * least) / level) - 1
    return require_count(
        "n_permutations",
        requested,
        fewest_permutations(alpha, share),
        otherwise=f'"auto" or, to be able to reach alpha={alpha:g}, ',
    )


def fewest_permutations(alpha: float, share: float = 1.0) -> int:
    """Return the smallest number of permutations whose p-values can be as small as a share of alpha."""
    return math.ceil(1 / (_exact(alpha) * _exact(share))) - 1


def _exact(alpha: float) -> Fraction:
    # As the user means it: 0.05 is 1/20 and 1 / 3 is 1/3, though the nearest floats are slightly off.
    return Fraction(alpha).limit_denominator(10**9)
