"""The tests of candidates beside a subset: series, neighbours and pairs, each at its share of alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.groups import FeatureUnit
from infosift.inference.conditional import Conditional
from infosift.inference.drawn_scores import DrawnScores
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.max_test import MaxTest, at_most, blind, cheap_looks, growing, looks, max_test
from infosift.inference.pair_series import PairSeries
from infosift.inference.permutation import interval_of_p
from infosift.inference.ranking import best_of

# What each test of a step may use up of alpha; the rest is held back, since regressions are estimates.
SHARE_OF_SERIES = 0.65
SHARE_OF_NEIGHBORS = 0.2
SHARE_OF_PAIRS = 0.1
# Where gaps leave fewer rows, nothing is tested.
_FEWEST_ROWS = 20


@dataclass(frozen=True)
class Outcome:
    """What a test found: a unit, its place among the candidates of the test, and the level."""

    unit: FeatureUnit
    test: MaxTest
    place: int
    alpha: float
    is_alone: bool = True  # or what is tested is the best of many in every draw

    @property
    def statistic(self) -> float:
        """The statistic of the unit."""
        return float(self.test.draws.observed[self.place])

    @property
    def null(self) -> FloatArray:
        """The largest statistic of each surrogate."""
        return self.test.draws.best[1:]

    @property
    def p_value(self) -> float:
        """The p-value of the unit, adjusted for all candidates."""
        return float(self.test.draws.p_values[self.place])

    @property
    def unadjusted_p_value(self) -> float | None:
        """The p-value as if the unit were the only candidate; None where it is tested only as the best of many."""
        return float(self.test.draws.unadjusted_p_values[self.place]) if self.is_alone else None

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the p-value that all permutations would give."""
        if self.p_value == self.test.p_value:
            return self.test.p_low, self.test.p_high
        count = self.test.n_permutations
        return interval_of_p(round(self.p_value * (1 + count)) - 1, count)

    @property
    def passes(self) -> bool:
        """Whether the unit is significant."""
        return self.p_value <= self.alpha

    def scaled_p_value(self, alpha: float) -> float:
        """Return the p-value such that it is at most alpha where the unit is significant."""
        return min(1.0, self.p_value * (alpha / self.alpha))


class CandidateTests:
    """Tests at a level, with a number of permutations or, where that is None, as many as it takes to decide."""

    def __init__(self, alpha: float, n_permutations: int | None) -> None:
        self.alpha, self.n_permutations = alpha, n_permutations

    def of_a_step(self, conditional: Conditional, purpose: str, room: int) -> list[Outcome]:
        """Ask series first, neighbours where these see nothing, pairs last; at most ``room`` units are added."""
        bench = conditional.bench
        fewest = max(bench.criterion.fewest_rows(value) for value in bench.values)
        if bench.table.n_rows < max(_FEWEST_ROWS, fewest):
            alpha = self.alpha * SHARE_OF_SERIES
            return [Outcome(conditional.units[0], blind(len(conditional.units), alpha), 0, alpha)]
        found = [self._by_series(conditional, purpose)]
        if not found[0].passes and self._can_pass(conditional, SHARE_OF_NEIGHBORS):
            found.append(self._by_neighbors(conditional, purpose))
        if not found[-1].passes and room > 1 and self._can_pass(conditional, SHARE_OF_PAIRS):
            found += self._by_pairs(conditional, purpose)
        return found

    def of_a_revision(
        self, conditional: Conditional, purpose: str, *, thorough: bool = False, fine: bool = False
    ) -> list[Outcome]:
        """Ask series, and neighbours where these see nothing: all of alpha is for these two."""
        test = self._test_series(conditional, purpose, fine=fine)
        found = [self._highest_of(conditional, test, SHARE_OF_SERIES)]
        rest = 1 - SHARE_OF_SERIES
        if not found[0].passes and self._can_pass(conditional, rest):
            found.append(self._by_neighbors(conditional, purpose, rest, thorough=thorough))
        return found

    def _can_pass(self, conditional: Conditional, share: float) -> bool:
        """Tell whether a test besides that by series is asked, and has enough permutations for its share."""
        if conditional.asks_only_series:
            return False
        limits = [most for most in (self.n_permutations, conditional.most_draws) if most is not None]
        return all(1 / (1 + most) <= self.alpha * share for most in limits)

    def _test_series(self, conditional: Conditional, purpose: str, *, fine: bool) -> MaxTest:
        alpha, drawn = self.alpha * SHARE_OF_SERIES, DrawnSeries(conditional, purpose)
        counts = cheap_looks(alpha, self.n_permutations, settles=drawn.is_cheap)
        return max_test(drawn.draws, alpha, at_most(counts, conditional.most_draws), fine=fine)

    def _by_series(self, conditional: Conditional, purpose: str) -> Outcome:
        """Test all candidates by their series; of those that pass, the one that explains most is the best."""
        alpha, test = self.alpha * SHARE_OF_SERIES, self._test_series(conditional, purpose, fine=True)
        passing = np.flatnonzero(test.draws.p_values <= alpha).tolist()
        if not passing:
            return self._highest_of(conditional, test, SHARE_OF_SERIES)
        place = best_of(conditional, passing)
        return Outcome(conditional.units[place], test, place, alpha)

    def _by_neighbors(
        self,
        conditional: Conditional,
        purpose: str,
        share: float = SHARE_OF_NEIGHBORS,
        *,
        thorough: bool = False,
    ) -> Outcome:
        """Test all candidates by neighbours, which see any kind of dependence."""
        alpha = self.alpha * share
        drawn = DrawnScores(conditional, f"{purpose} by neighbours", thorough=thorough)
        counts = at_most(looks(alpha, self.n_permutations), conditional.most_draws)
        test = max_test(growing(drawn.scores), alpha, counts)
        if drawn.is_screened:
            place = int(np.argmax(test.draws.observed))
            return Outcome(conditional.units[drawn.best[place]], test, place, alpha, is_alone=False)
        return self._highest_of(conditional, test, share)

    def _highest_of(self, conditional: Conditional, test: MaxTest, share: float) -> Outcome:
        # Of equal statistics the digest decides, so that the order of the columns does not.
        digest, units = conditional.bench.table.digest, conditional.units
        place = max(range(len(units)), key=lambda i: (test.draws.observed[i], digest(units[i])))
        return Outcome(units[place], test, place, self.alpha * share)

    def _by_pairs(self, conditional: Conditional, purpose: str) -> list[Outcome]:
        """Test all pairs of single features, if there are any that could pass."""
        drawn = PairSeries(conditional, f"{purpose} in pairs")
        if len(drawn.places) < 2:
            return []
        alpha, fine = self.alpha * SHARE_OF_PAIRS, drawn.is_cheap
        counts = at_most(looks(alpha, self.n_permutations, fine=fine), conditional.most_draws)
        test = max_test(growing(drawn.scores), alpha, counts, fine=fine)
        if drawn.best is None:
            return []
        pair = sorted((conditional.units[i] for i in drawn.best), key=conditional.bench.table.digest)
        columns = (*pair[0].columns, *pair[1].columns)
        return [Outcome(FeatureUnit(f"{pair[0].name} + {pair[1].name}", columns), test, 0, alpha, is_alone=False)]
