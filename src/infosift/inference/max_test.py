"""The maximum test: the best of all candidates against the best of their surrogates (Westfall and Young 1993)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.inference.permutation import interval_of_p, studentised

# Chance, on each side of alpha and at each look, that a decision to draw no more is wrong.
_ERROR_OF_A_LOOK = 0.001
_LOOKS = 2
_EARLY_LOOK = 19
_FEWEST_FOR_BOUND = 39
# Where draws are cheap: as many make a p-value fine, and so many times as many settle one that is near alpha.
_FINE = 1000
TO_SETTLE = 5  # times as many draws, where some candidates are near alpha
_MOST_DRAWS = 20_000
MOST_DRAWN_VALUES = 1_000_000_000
# How near, in standard errors.
_NEAR = 3.0
_VALUES_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Draws:
    """Statistics of the data (draw 0) and of surrogates (all others), as far as a test needs them."""

    observed: FloatArray  # that of each candidate, of the data
    as_high: IntArray  # how many surrogates of each candidate are as high
    best: FloatArray  # the largest of each draw, the data first

    @property
    def n_permutations(self) -> int:
        """Number of surrogates."""
        return len(self.best) - 1

    @property
    def p_values(self) -> FloatArray:
        """The p-value of each candidate, adjusted for all: how often the best surrogate is as high."""
        below = np.searchsorted(np.sort(self.best[1:]), self.observed, side="left")
        return np.asarray((1 + self.n_permutations - below) / (1 + self.n_permutations))

    @property
    def unadjusted_p_values(self) -> FloatArray:
        """The p-value of each candidate as if it were the only one: how often its own surrogate is as high."""
        return np.asarray((1 + self.as_high) / (1 + self.n_permutations))


def draws_of(scores: FloatArray) -> Draws:
    """Return what a test needs of scores (draws x candidates x scores).

    Every score is studentised over all draws, so that data and surrogates are exchangeable. A candidate's
    statistic is its largest.
    """
    if scores.shape[1] > 1 and scores.size > _VALUES_AT_ONCE:
        halves = np.array_split(scores, 2, axis=1)
        return joined([draws_of(half) for half in halves])
    statistics = studentised(scores, scores.mean(axis=0), scores.std(axis=0)).max(axis=2)
    as_high = np.count_nonzero(statistics[1:] >= statistics[0], axis=0)
    return Draws(statistics[0], as_high, statistics.max(axis=1))


def blind(n_candidates: int, alpha: float) -> MaxTest:
    """Return the outcome where nothing can be seen: every surrogate is as high as the data."""
    count = next(cheap_looks(alpha, None))
    draws = Draws(np.zeros(n_candidates), np.full(n_candidates, count), np.zeros(count + 1))
    return MaxTest(draws, 1.0, *interval_of_p(count, count))


def joined(parts: Sequence[Draws]) -> Draws:
    """Return the same draws of some candidates and of others as draws of all."""
    best = np.max([part.best for part in parts], axis=0)
    observed, as_high = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("observed", "as_high")
    )
    return Draws(observed, as_high, best)


def growing(draw: Callable[[range], FloatArray]) -> Callable[[int], Draws]:
    """Return draws up to any number, with the scores of those drawn before kept; ``draw`` returns scores."""
    drawn: list[FloatArray] = []

    def up_to(count: int) -> Draws:
        drawn.append(draw(range(sum(map(len, drawn)), count + 1)))
        return draws_of(np.concatenate(drawn))

    return up_to


@dataclass(frozen=True)
class MaxTest:
    """The outcome: the draws, and the p-value of the best candidate with its interval."""

    draws: Draws
    p_value: float
    p_low: float
    p_high: float

    @property
    def n_permutations(self) -> int:
        """Number of surrogates."""
        return self.draws.n_permutations


def max_test(draw: Callable[[int], Draws], alpha: float, counts: Iterable[int], *, fine: bool = False) -> MaxTest:
    """Draw until it is clear whether the best candidate passes at level alpha, or to the last of some counts.

    ``draw`` returns the data and so many surrogates. Where draws are cheap, ``fine`` goes on with one that passes
    until its p-value is fine, and further where any candidate's is so near alpha that chance decides.
    """
    for count in counts:
        draws = draw(count)
        at_least = int(np.count_nonzero(draws.best[1:] >= draws.best[0]))
        low, high = interval_of_p(at_least, count, 1 - 2 * _ERROR_OF_A_LOOK)
        bound = tail_bound(draws.best)
        passes = high <= alpha or (count >= _FEWEST_FOR_BOUND and bound <= alpha / 2)
        if low > alpha or (passes and not fine) or (fine and _is_settled(draws, alpha)):
            break
    p_value = (1 + at_least) / (1 + count)
    low, high = interval_of_p(at_least, count)
    return MaxTest(draws, p_value, low, max(p_value, min(high, bound)))


def _is_settled(draws: Draws, alpha: float) -> bool:
    near = _NEAR * math.sqrt(alpha * (1 - alpha) / draws.n_permutations)
    return draws.n_permutations >= _FINE - 1 and not np.any(np.abs(draws.p_values - alpha) < near)


def tail_bound(best: FloatArray) -> float:
    """Return what share of surrogates, whatever their distribution, can be as far above their mean as the data.

    This is Cantelli's inequality with the mean and variance of the surrogates drawn.
    """
    surrogates = best[1:]
    spread = surrogates.std()
    above = best[0] - surrogates.mean()
    return float(1 / (1 + (above / spread) ** 2)) if above > 0 and spread > 0 else 1.0


def looks(alpha: float, n_permutations: int | None, *, fine: bool = False) -> Iterator[int]:
    """Yield the numbers of permutations at which to look: doubled each time, and such that alpha is exact.

    Where draws are cheap, ``fine`` has one more look, which settles what is near alpha.
    """
    if n_permutations is not None:
        yield n_permutations
        return
    first = math.ceil(1 / alpha - 1e-9)
    if first >= 2 * _EARLY_LOOK:
        yield _EARLY_LOOK
    for doubling in range(_LOOKS):
        yield first * 2**doubling - 1
    if fine:
        yield first * 2 ** (_LOOKS - 1) * TO_SETTLE - 1


def at_most(counts: Iterable[int], most: int | None) -> list[int]:
    """Return numbers of permutations, none of them more than there are, where that is known."""
    return sorted({count if most is None else min(count, most) for count in counts})


def draws_for(least_p: float, n_values: int) -> int:
    """Return how many draws a p-value as small as this takes: a thousand, or more where draws are cheap."""
    return max(_FINE, min(_MOST_DRAWS, MOST_DRAWN_VALUES // n_values, math.ceil(1 / least_p))) - 1


def cheap_looks(alpha: float, n_permutations: int | None, *, settles: bool = True) -> Iterator[int]:
    """Yield after how many draws to look where draws are cheap: seldom, at a thousand or as many as alpha needs.

    One more look settles what is near alpha.
    """
    if n_permutations is not None:
        yield n_permutations
        return
    fine = round(math.ceil(_FINE * alpha - 1e-9) / alpha)
    yield from sorted({min(count, fine) - 1 for count in (60, 250, fine)})
    if settles:
        yield TO_SETTLE * fine - 1
