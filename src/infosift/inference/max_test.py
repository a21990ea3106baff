"""The maximum test: the best of all candidates against the best of their surrogates (Westfall and Young 1993).

``TestStatistic`` is the base of what is compared; the statistics themselves are in ``inference/statistics``.

Draws end early where the result is clear, and p-values of many candidates are refined one group after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infosift import _kernel
from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.inference.permutation import interval_of_p

if TYPE_CHECKING:
    from infosift.inference.conditional_test import ConditionalTest

# Probability, on each side of alpha and at each stage of a schedule, that a test ends early with the wrong result.
_ERROR_OF_ENDING = 0.001
# A schedule of expensive draws: where a test that can no longer pass ends, and the fewest of a test that passes.
_FUTILITY = (9, 19, 39, 69, 99, 139)
_FEWEST_TO_PASS = 200
# Mean and variance of fewer surrogates are too uncertain for Cantelli's inequality.
_FEWEST_FOR_BOUND = 39
# A schedule of cheap draws: 250, then a thousand for a p-value that is precise to a thousandth, then five times as
# many where a candidate within three standard errors of alpha decides. All count the data as one draw. Scores are
# studentised by the same draws, which makes p-values by few of them too large: the very cheap have none of 250.
_EARLY_CHEAP = 250
_PRECISE = 1000
TIMES_TO_SETTLE = 5
_STANDARD_ERRORS = 3.0
# The most draws of a test of many candidates, and the most values (candidates x rows x draws) that they may take.
_MOST_DRAWS = 20_000
_MOST_DRAWN_VALUES = 1_000_000_000
# Besag and Clifford (1991): a p-value that h = 10 surrogates exceed has a relative standard error of about 1 /
# root(h).
_ENOUGH_EXCEEDANCES = 10
_MOST_SEQUENTIAL_DRAWS = 200_000

Scores: TypeAlias = "NDArray[np.float32] | FloatArray"


@dataclass(frozen=True)
class NullSample:
    """Statistics of the data (draw 0) and of surrogates (all other draws), as far as a test needs them.

    ``observed`` is the statistic of each candidate in the data, ``n_exceed`` how many of its own surrogates are at
    least as large, and ``max_statistics`` the largest statistic of each draw, the data first.
    """

    observed: FloatArray
    n_exceed: IntArray
    max_statistics: FloatArray

    @classmethod
    def of_scores(cls, scores: Scores, handicaps: FloatArray | None = None) -> NullSample:
        """Return the sample of scores (candidates x scores x draws).

        Every score is studentised over all draws, the data included, so that data and surrogates are exchangeable;
        the statistic of a candidate is the largest of its scores, less their ``handicaps`` where there are some.
        """
        if handicaps is not None:
            handicaps = np.ascontiguousarray(np.broadcast_to(handicaps, scores.shape[:2]))
        return cls(*_kernel.studentised_maxima(np.ascontiguousarray(scores), handicaps))

    @classmethod
    def joined(cls, parts: Sequence[NullSample]) -> NullSample:
        """Return the sample of all candidates, by samples of blocks of them in the same draws."""
        return cls(
            np.concatenate([part.observed for part in parts]),
            np.concatenate([part.n_exceed for part in parts]),
            np.max([part.max_statistics for part in parts], axis=0),
        )

    @property
    def n_permutations(self) -> int:
        """Number of surrogates."""
        return len(self.max_statistics) - 1

    @property
    def p_values(self) -> FloatArray:
        """The p-value of each candidate, adjusted for all: how often the best surrogate is as large."""
        below = np.searchsorted(np.sort(self.max_statistics[1:]), self.observed, side="left")
        return np.asarray((1 + self.n_permutations - below) / (1 + self.n_permutations))

    @property
    def unadjusted_p_values(self) -> FloatArray:
        """The p-value of each candidate as if it were the only one: how often its own surrogate is as large."""
        return np.asarray((1 + self.n_exceed) / (1 + self.n_permutations))

    def interval(self, position: int) -> tuple[float, float]:
        """Return a 95 % interval of the adjusted p-value that all permutations would give, of a candidate.

        Of the best candidate, Cantelli's inequality bounds it from above, too.
        """
        p_values, count = self.p_values, self.n_permutations
        p_value = float(p_values[position])
        low, high = interval_of_p(round(p_value * (1 + count)) - 1, count)
        if p_value == p_values.min():
            high = max(p_value, min(high, tail_bound(self.max_statistics)))
        return low, high


class TestStatistic:
    """A statistic of candidates and target conditional on a subset; a new one returns ``scores`` of draws.

    ``purpose`` is what progress says, and ``n_slots`` how many more features may be selected.

    Attributes
    ----------
    per_candidate : bool
        Whether a sample has a statistic for each candidate, so that each has a p-value of its own. Else it has
        only the best of many in each draw.
    is_precise : bool
        Whether draws are cheap enough to go on until p-values are precise.
    passes_early : bool
        Whether a test may end before the last draws of a schedule where it clearly passes.
    takes_censored : bool
        Whether its null distribution is right for times until an event where censoring depends on a candidate.
    """

    __test__ = False  # of pytest, to which a class of this name is one of its own

    per_candidate = True
    is_precise = False
    passes_early = False
    takes_censored = True

    def __init__(self, test: ConditionalTest, purpose: str, n_slots: int = 1) -> None:
        self.test, self.purpose, self.n_slots = test, purpose, n_slots
        self._drawn: list[FloatArray] = []

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used for a test, where so many more features may be selected.

        By default it can, unless surrogates have lost their dependence on the subset, which it would see.
        """
        is_seen = cls.takes_censored or not test.context.table.target.is_censored
        return is_seen and not test.is_series_only

    def scores(self, draws: range) -> FloatArray:
        """Return the scores of all candidates in draws (draws x candidates x scores); draw 0 is the data."""
        raise NotImplementedError

    def sample(self, n_permutations: int) -> NullSample:
        """Return the statistics of the data and of so many surrogates; none is drawn twice."""
        self._drawn.append(self.scores(range(sum(map(len, self._drawn)), n_permutations + 1)))
        return NullSample.of_scores(np.moveaxis(np.concatenate(self._drawn), 0, -1), self.handicaps())

    def handicaps(self) -> FloatArray | None:
        """Return by how much each score counts for less, where the target says so; by default by nothing."""
        return None

    def schedule(self, alpha: float) -> Iterable[int]:
        """Return after how many permutations the test may end."""
        return schedule_of_draws(alpha, settles=self.is_precise)

    def run(self, alpha: float, n_permutations: int | None = None, *, precise: bool = False) -> NullSample:
        """Draw a requested number of permutations or, where that is None, as many as it takes to decide."""
        schedule = self.schedule(alpha) if n_permutations is None else [n_permutations]
        schedule = capped(schedule, self.test.n_distinct)
        chosen = self.choose if precise and self.is_precise else None
        return max_test(self.sample, alpha, schedule, passes_early=self.passes_early, choose=chosen)

    def choose(self, positions: list[int]) -> int:
        """Return which of the candidates that pass is selected, by position.

        By default it is -1, which stands for the one of the largest statistic, whichever others pass.
        """
        return -1

    def largest(self, sample: NullSample) -> tuple[FeatureUnit, int]:
        """Return the candidate of the largest statistic, and its position.

        Of equal ones the digest of the columns decides, so that their order does not.
        """
        units, digest = self.test.units, self.test.context.table.digest
        position = max(range(len(units)), key=lambda i: (sample.observed[i], digest(units[i])))
        return units[position], position

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the candidate to select, and the position of its statistic in the sample."""
        return self.largest(sample)


def max_test(
    sample: Callable[[int], NullSample],
    alpha: float,
    schedule: Iterable[int],
    *,
    passes_early: bool = False,
    choose: Callable[[list[int]], int] | None = None,
) -> NullSample:
    """Draw until it is clear whether the best candidate passes at level alpha, or to the end of a schedule.

    ``sample`` returns the statistics of the data and of so many surrogates. A test ends early where so many
    surrogates exceed the data that it cannot pass at the end of the schedule, or where the 99.8 % interval of the
    p-value is above alpha. Where it ``passes_early``, also where that is below alpha, or where the data are so far
    above the surrogates that Cantelli's inequality allows at most half of alpha. With ``choose``, which returns
    the one to select among candidates, a test that passes goes on until its p-value is precise, and further
    where more draws might change what is selected.
    """
    schedule = list(schedule)
    most_exceed = math.floor(alpha * (1 + schedule[-1]) + 1e-9) - 1
    for count in schedule:
        drawn = sample(count)
        n_exceed = int(np.count_nonzero(drawn.max_statistics[1:] >= drawn.max_statistics[0]))
        low, high = interval_of_p(n_exceed, count, 1 - 2 * _ERROR_OF_ENDING)
        is_far = count >= _FEWEST_FOR_BOUND and tail_bound(drawn.max_statistics) <= alpha / 2
        if n_exceed > most_exceed or low > alpha:
            break
        if _is_settled(drawn, alpha, choose) if choose else passes_early and (high <= alpha or is_far):
            break
    return drawn


def _is_settled(sample: NullSample, alpha: float, choose: Callable[[list[int]], int]) -> bool:
    """Tell whether p-values are precise, and the same candidate is selected whichever of those near alpha pass.

    Near is within three standard errors.
    """
    if sample.n_permutations < _PRECISE - 1:
        return False
    near = _STANDARD_ERRORS * math.sqrt(alpha * (1 - alpha) / sample.n_permutations)
    passing = np.flatnonzero(sample.p_values <= alpha - near).tolist()
    possible = np.flatnonzero(sample.p_values < alpha + near).tolist()
    return passing == possible or (bool(passing) and choose(passing) == choose(possible))


def no_evidence(n_candidates: int, alpha: float) -> NullSample:
    """Return a sample of candidates about which there are too few rows to say anything: every p-value is one."""
    count = next(schedule_of_cheap_draws(alpha))
    return NullSample(np.zeros(n_candidates), np.full(n_candidates, count), np.zeros(count + 1))


def tail_bound(max_statistics: FloatArray) -> float:
    """Return a bound of the p-value of the data, the first of the statistics, whatever the null distribution is.

    It is Cantelli's one-sided inequality, P(T - mean >= t) <= 1 / (1 + t² / variance), with the mean and variance
    of the surrogates drawn.
    """
    surrogates = max_statistics[1:]
    spread, above = surrogates.std(), max_statistics[0] - surrogates.mean()
    return float(1 / (1 + (above / spread) ** 2)) if above > 0 and spread > 0 else 1.0


def schedule_of_draws(alpha: float, *, settles: bool = False) -> Iterator[int]:
    """Yield after how many permutations a test may end: the last are at least 199, such that alpha is exact.

    With ``settles``, five times as many decide about what is near alpha.
    """
    first = math.ceil(1 / alpha - 1e-9)
    last = first * max(2, math.ceil(_FEWEST_TO_PASS / first))
    yield from (count for count in _FUTILITY if count < last - 1)
    yield last - 1
    if settles:
        yield last * TIMES_TO_SETTLE - 1


def schedule_of_cheap_draws(alpha: float, *, settles: bool = True) -> Iterator[int]:
    """Yield after how many permutations a test may end where draws are cheap.

    They are about a thousand, or as many as alpha needs, such that alpha is exact. With ``settles``, five times as
    many decide about what is near alpha, and none ends before a thousand.
    """
    precise = round(math.ceil(_PRECISE * alpha - 1e-9) / alpha)
    if not settles:
        yield _EARLY_CHEAP - 1
    yield precise - 1
    if settles:
        yield TIMES_TO_SETTLE * precise - 1


def capped(schedule: Iterable[int], n_distinct: int | None) -> list[int]:
    """Return a schedule without more permutations than there are distinct ones, where these are few."""
    return sorted({count if n_distinct is None else min(count, n_distinct) for count in schedule})


def permutations_to_reach(least_p: float, n_values: int) -> int:
    """Return how many permutations a p-value as small as this takes: 999, or more where draws are cheap.

    ``n_values`` is the number of values (candidates x rows) that a draw takes.
    """
    return max(_PRECISE, min(_MOST_DRAWS, _MOST_DRAWN_VALUES // n_values, math.ceil(1 / least_p))) - 1


def sequential_p_values(
    sample: NullSample, sample_of: Callable[[list[int]], Callable[[int], NullSample]], n_rows: int, least_p: float
) -> tuple[FloatArray, IntArray]:
    """Return unadjusted p-values that can be as small as ``least_p``, and the permutations behind each.

    These are sequential p-values (Besag and Clifford 1991): a candidate is drawn further only while few of its
    surrogates exceed it. ``sample_of`` returns what draws candidates at some positions; fewer of them are left at
    each turn, so that more draws can be afforded.
    """
    p_values, counts = sample.unadjusted_p_values, np.full(len(sample.observed), sample.n_permutations)
    positions, count = np.flatnonzero(sample.n_exceed < _ENOUGH_EXCEEDANCES), sample.n_permutations
    wanted = min(_MOST_SEQUENTIAL_DRAWS, math.ceil(1 / least_p))
    while len(positions):
        affordable = min(wanted, _MOST_DRAWN_VALUES // (len(positions) * n_rows))
        if affordable <= count:
            break
        count = affordable
        drawn = sample_of(positions.tolist())(count)
        p_values[positions], counts[positions] = drawn.unadjusted_p_values, count
        positions = positions[drawn.n_exceed < _ENOUGH_EXCEEDANCES]
    return p_values, counts
