"""The maximum test: the best of all candidates against the best of their surrogates (Westfall and Young 1993)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray
from infosift.significance.permutation import interval_of_p, studentised

# Chance, on each side of alpha and at each look, that a decision to draw no more is wrong.
_ERROR_OF_A_LOOK = 0.001
_LOOKS = 2
_EARLY_LOOK = 19
_FEWEST_FOR_BOUND = 39


@dataclass(frozen=True)
class MaxTest:
    """The outcome: statistics of the data (draw 0) and the surrogates, and the p-value of the best candidate."""

    statistics: FloatArray  # draws x candidates
    p_value: float
    p_low: float
    p_high: float

    @property
    def best(self) -> FloatArray:
        """Return the largest statistic of each draw."""
        return np.asarray(self.statistics.max(axis=1))

    @property
    def n_permutations(self) -> int:
        """Number of surrogates."""
        return len(self.statistics) - 1

    def adjusted_p_value(self, candidate: int) -> float:
        """Return the p-value of a candidate, adjusted for all: how often the best surrogate is as high."""
        as_high = np.count_nonzero(self.best[1:] >= self.statistics[0, candidate])
        return float(1 + as_high) / (1 + self.n_permutations)


def max_test(
    draw: Callable[[range], FloatArray], alpha: float, counts: Iterable[int], *, to_the_end: bool = False
) -> MaxTest:
    """Draw until it is clear whether the best candidate passes at level alpha, or to the last of some counts.

    ``draw`` returns (draws x candidates x scores). Every score is studentised over all draws, so that data and
    surrogates are exchangeable; a candidate's statistic is its largest. Where draws are cheap, ``to_the_end`` goes
    on with one that passes, so that its p-value is fine.
    """
    drawn: list[FloatArray] = []
    done = 0
    for count in counts:
        drawn.append(draw(range(done, count + 1)))
        done = count + 1
        scores = np.concatenate(drawn)
        statistics = studentised(scores, scores.mean(axis=0), scores.std(axis=0)).max(axis=2)
        best = statistics.max(axis=1)
        at_least = int(np.count_nonzero(best[1:] >= best[0]))
        low, high = interval_of_p(at_least, count, 1 - 2 * _ERROR_OF_A_LOOK)
        bound = tail_bound(best)
        passes = high <= alpha or (count >= _FEWEST_FOR_BOUND and bound <= alpha / 2)
        if low > alpha or (passes and not to_the_end):
            break
    p_value = (1 + at_least) / (1 + count)
    low, high = interval_of_p(at_least, count)
    return MaxTest(statistics, p_value, low, max(p_value, min(high, bound)))


def tail_bound(best: FloatArray) -> float:
    """Return what share of surrogates, whatever their distribution, can be as far above their mean as the data.

    This is Cantelli's inequality with the mean and variance of the surrogates drawn.
    """
    surrogates = best[1:]
    spread = surrogates.std()
    above = best[0] - surrogates.mean()
    return float(1 / (1 + (above / spread) ** 2)) if above > 0 and spread > 0 else 1.0


def looks(alpha: float, n_permutations: int | None) -> Iterator[int]:
    """Yield the numbers of permutations at which to look: doubled each time, and such that alpha is exact."""
    if n_permutations is not None:
        yield n_permutations
        return
    first = math.ceil(1 / alpha - 1e-9)
    if first >= 2 * _EARLY_LOOK:
        yield _EARLY_LOOK
    for doubling in range(_LOOKS):
        yield first * 2**doubling - 1


def cheap_looks(alpha: float, n_permutations: int | None) -> Iterator[int]:
    """Yield the same where draws are cheap: few looks, the last at a thousand draws or as many as alpha needs."""
    if n_permutations is not None:
        yield n_permutations
        return
    last = math.ceil(1000 * alpha) / alpha
    yield from sorted({min(count, round(last)) - 1 for count in (60, 250, round(last))})
