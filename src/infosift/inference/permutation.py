"""Permutation tests: which row takes whose value in a draw, p-values, their intervals and thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import shuffled_rows
from infosift.engines.base import AlignedPickle, equal_parts
from infosift.errors import is_auto, require_count
from infosift.random_streams import stream
from infosift.results.steps import PermutationTest

# Draws that are made at once, and how many row numbers are kept in memory: 24 million take 96 MB.
DRAWS_PER_BLOCK = 64
_MOST_KEPT = 24_000_000
# François et al. (2007), section 4.3: "often limited to 20 or 50".
_ADVISED_PERMUTATIONS = 50
_LARGEST_DENOMINATOR = 1000
_VALUES_AT_ONCE = 8_000_000
# Functions are clipped at so many standard deviations, and have at most so many bits after the point.
_MOST_DEVIATIONS = 8
_MOST_BITS = 11
_ROWS_OF_REGISTER = 16

RowNumbers: TypeAlias = NDArray[np.uint32]
FixedPoint: TypeAlias = NDArray[np.int16]
# Draws of a null: the row from which each row takes its value (draws x rows), for a block of ``DRAWS_PER_BLOCK``.
# Unless it has an attribute ``repeats_rows`` that is false, a row may be taken more than once.
Permutations: TypeAlias = Callable[[range], "IntArray | RowNumbers"]


class PermutationIndices(AlignedPickle):
    """The row from which each row takes its value, in every draw of a test; draw 0 is the data.

    All candidates of a test share them, wherever their columns lie. A draw is known by its number, so that it is
    the same whichever others are drawn before it, and on every machine.
    """

    def __init__(self, permutations: Permutations, n_rows: int) -> None:
        self._permutations, self.n_rows = permutations, n_rows
        self._lock = Lock()
        self._kept: dict[int, RowNumbers] = {}
        self.bits = fixed_point_bits(n_rows, repeats_rows=getattr(permutations, "repeats_rows", True))

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: all that it takes to draw the same again."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_kept")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _kept={})

    def __call__(self, draws: Sequence[int]) -> RowNumbers:
        """Return the row from which each row takes its value (draws x rows)."""
        runs = groupby(draws, lambda draw: draw // DRAWS_PER_BLOCK)
        pieces = [self._block(block)[[draw % DRAWS_PER_BLOCK for draw in own]] for block, own in runs]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def _block(self, block: int) -> RowNumbers:
        """Return a block of draws; the latest blocks are kept."""
        with self._lock:  # threads that need the same block wait for it rather than draw it too
            if block not in self._kept:
                if (len(self._kept) + 1) * DRAWS_PER_BLOCK * self.n_rows > _MOST_KEPT:
                    self._kept.clear()
                drawn = self._permutations(range(block * DRAWS_PER_BLOCK, (block + 1) * DRAWS_PER_BLOCK))
                self._kept[block] = drawn.astype(np.uint32, copy=False)
                if block == 0:
                    self._kept[block][0] = np.arange(self.n_rows)
            return self._kept[block]


def fixed_point_bits(n_rows: int, *, repeats_rows: bool = False) -> int:
    """Return how many bits functions of unit variance have after the point, so that sums of products fit 32 bits.

    Rounded to multiples of 2^-b, a function has a length of at most root(n) (2^b + 1/2), so that a sum over any of
    the n rows of products of two is at most n (2^b + 1/2)^2 (Cauchy and Schwarz); it must be below 2^31. In draws
    that take rows more than once, up to n times, the length of one is up to root(n) times as large. And since
    values are at most 8 standard deviations, sums are at most 8 times as large. Values must fit into 16 bits.
    """
    larger = min(math.sqrt(n_rows), _MOST_DEVIATIONS) if repeats_rows else 1.0
    return next(b for b in range(_MOST_BITS, -16, -1) if larger * n_rows * (2.0**b + 0.5) ** 2 < 2**31)


def to_fixed_point(functions: FloatArray, bits: int) -> FixedPoint:
    """Return functions of unit variance as whole multiples of 2^-bits, of which sums are exact in any order."""
    clipped = np.clip(functions, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    return np.asarray(np.rint(np.ldexp(clipped, bits)), dtype=np.int16)


def padded_rows(functions: FixedPoint) -> FixedPoint:
    """Return functions (... x rows) with rows of zeros appended, such that registers of the processor are full."""
    missing = -functions.shape[-1] % _ROWS_OF_REGISTER
    return np.pad(functions, [(0, 0)] * (functions.ndim - 1) + [(0, missing)])


def shuffled_orders(
    n_rows: int, draws: range, seed: int, step: int, row_groups: IntArray | None = None
) -> IntArray:
    """Return random permutations of the rows (draws x rows) of the published method, a stream for each draw.

    All candidates of a step share them. Rows of a group stay together.
    """
    rows = np.arange(n_rows)
    return np.stack([shuffled_rows(rows, stream(seed, "shuffle", step, draw), row_groups) for draw in draws])


def score_in_batches(score: Callable[[range], FloatArray], draws: range, n_rows: int) -> FloatArray:
    """Return the scores of draws, as many at a time as bound the memory that their columns take."""
    parts = equal_parts(len(draws), max(1, _VALUES_AT_ONCE // n_rows))
    return np.concatenate([score(draws[part]) for part in parts])


def judge(information: float, null: FloatArray, alpha: float) -> PermutationTest:
    """Return the permutation test of an estimate against those of surrogates (draws).

    The p-value counts the data among the draws, (1 + #{null >= observed}) / (1 + P), which makes it valid for any
    number of draws (Phipson and Smyth 2010).
    """
    n_exceed = int(np.count_nonzero(null >= information))
    low, high = interval_of_p(n_exceed, len(null))
    limit = threshold(null, alpha)
    draws = np.array([information, *null])
    studentised_draws = studentised(np.array([*draws, limit]), draws.mean(), draws.std())
    return PermutationTest(
        information=float(information),
        information_threshold=limit,
        statistic=float(studentised_draws[0]),
        threshold=float(studentised_draws[-1]),
        p_value=(1 + n_exceed) / (1 + len(null)),
        p_low=low,
        p_high=high,
        n_permutations=len(null),
        alpha=alpha,
        null=studentised_draws[1:-1],
    )


def studentised(scores: FloatArray, mean: Any, spread: Any) -> FloatArray:
    """Return scores in standard deviations above a mean; zero where nothing varies.

    Mean and standard deviation are those of all draws, the data included: were they of the surrogates alone, data
    and surrogates would no longer be exchangeable, and the test not exact.
    """
    spread = np.broadcast_to(spread, scores.shape)
    statistics = np.zeros_like(scores)
    np.divide(scores - mean, spread, out=statistics, where=spread > 0)
    return statistics


@lru_cache(maxsize=4096)  # few different counts come up
def interval_of_p(n_exceed: int, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return a confidence interval of the p-value that all permutations would give (Clopper and Pearson 1934).

    ``n_exceed`` of ``count`` surrogates are at least as large as the data.
    """
    tail = (1 - confidence) / 2
    low = 0.0 if n_exceed == 0 else float(betaincinv(n_exceed, count - n_exceed + 1, tail))
    high = 1.0 if n_exceed == count else float(betaincinv(n_exceed + 1, count - n_exceed, 1 - tail))
    return low, high


def threshold(null: FloatArray, alpha: float) -> float:
    """Return the (1 - alpha) quantile of a null sample: the order statistic that is exceeded just when p <= alpha.

    With P draws, a score above r of them has p <= (1 + P - r) / (1 + P), hence r = ceil((1 - alpha) (1 + P)).
    Where a test ended early, with fewer draws than alpha needs, it is the largest of them.
    """
    rank = min(math.ceil((1 - _exact(alpha)) * (1 + len(null))), len(null))
    return float(np.sort(null)[rank - 1])


def permutations_for(alpha: float, requested: int | str, share: float = 1.0) -> int:
    """Return the number of permutations: the requested one, or the smallest from 50 on that makes alpha exact.

    The level of a test is exact where alpha is a multiple of 1 / (1 + P). A level like 0.0123 would need thousands
    of permutations for that; it gets the smallest P from 50 on that comes close from below. A requested number
    must be able to reach ``share`` of alpha.
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
    # As it was meant: 0.05 is 1/20 and 1 / 3 is 1/3, though the nearest floats are slightly off.
    return Fraction(alpha).limit_denominator(10**9)
