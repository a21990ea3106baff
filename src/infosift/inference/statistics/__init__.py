"""Test statistics: what is compared between data and surrogates, in which order, at which share of alpha.

The base of a statistic is ``TestStatistic`` of ``inference/max_test``.
"""

from __future__ import annotations

from dataclasses import dataclass

from infosift.data.groups import FeatureUnit
from infosift.inference.conditional_test import ConditionalTest
from infosift.inference.max_test import NullSample, TestStatistic, no_evidence
from infosift.inference.statistics.neighbors import NeighborStatistic
from infosift.inference.statistics.pairs import PairStatistic
from infosift.inference.statistics.series import SeriesStatistic

# A stage that passes at this level ends a step. At a larger alpha, what passes only there must not hide what a
# later statistic sees more clearly: all stages are tested, so that more alpha does not select less.
_CLEAR_ALPHA = 0.05
# Where gaps leave fewer rows, nothing is tested.
_FEWEST_ROWS = 20


@dataclass(frozen=True)
class Stage:
    """A statistic with its shares of alpha: in a step of a search, in tests of single candidates, in a filter.

    Single candidates are tested in revisions, where no other feature may come in with them.
    """

    statistic: type[TestStatistic]
    of_step: float
    of_single: float = 0.0
    of_filter: float = 0.0


# In this order, each where those before see nothing: cheap and sharp ones first. Together the tests of a step
# reject a true null with at most the sum of their shares (Bonferroni); 5 % of alpha are held back, since
# regressions are estimates. By simulation: docs/method.md, "Neighbours and pairs".
STATISTICS: dict[str, Stage] = {
    "series": Stage(SeriesStatistic, of_step=0.7, of_single=0.7, of_filter=0.65),
    "neighbours": Stage(NeighborStatistic, of_step=0.08, of_single=0.1, of_filter=0.35),
    "pairs": Stage(PairStatistic, of_step=0.17, of_single=0.15),
}


def first_stage() -> Stage:
    """Return the stage that tests every candidate; a number of permutations must be able to reach its share."""
    return next(iter(STATISTICS.values()))


@dataclass(frozen=True)
class TestResult:
    """The result of a stage: the candidate it would select, the position of its statistic, and the level."""

    __test__ = False  # of pytest, to which a class of this name is one of its own

    unit: FeatureUnit
    sample: NullSample
    position: int
    alpha: float
    per_candidate: bool = True

    @property
    def statistic(self) -> float:
        """The statistic of the candidate."""
        return float(self.sample.observed[self.position])

    @property
    def p_value(self) -> float:
        """The p-value of the candidate, adjusted for all candidates."""
        return float(self.sample.p_values[self.position])

    @property
    def unadjusted_p_value(self) -> float | None:
        """The p-value as if the candidate were the only one; None where it is tested only as the best of many."""
        return float(self.sample.unadjusted_p_values[self.position]) if self.per_candidate else None

    @property
    def passes(self) -> bool:
        """Whether the candidate is significant."""
        return self.p_value <= self.alpha

    def scaled_p_value(self, alpha: float) -> float:
        """Return the p-value scaled to a level: at most alpha just where the candidate is significant."""
        return min(1.0, self.p_value * (alpha / self.alpha))


class StagedTests:
    """Tests in stages at a level, with a number of permutations or, where that is None, as many as it takes."""

    def __init__(self, alpha: float, n_permutations: int | None) -> None:
        self.alpha, self.n_permutations = alpha, n_permutations

    def step(self, test: ConditionalTest, purpose: str, n_slots: int) -> list[TestResult]:
        """Test which candidate to select, stage by stage until one passes clearly; at most ``n_slots`` come in."""
        context = test.context
        fewest = max(context.criterion.fewest_rows(value) for value in context.values)
        if context.table.n_rows < max(_FEWEST_ROWS, fewest):
            alpha = self.alpha * first_stage().of_step
            return [TestResult(test.units[0], no_evidence(len(test.units), alpha), 0, alpha)]
        return self._results(test, purpose, n_slots, precise=True, chooses=True)

    def single(self, test: ConditionalTest, purpose: str, *, precise: bool = False) -> list[TestResult]:
        """Test whether any candidate is significant, by the one of the largest statistic, stage by stage."""
        return self._results(test, purpose, 1, precise=precise, chooses=False)

    def _results(
        self, test: ConditionalTest, purpose: str, n_slots: int, *, precise: bool, chooses: bool
    ) -> list[TestResult]:
        """Return the results of stages, the last of them the first that passes (clearly, where it chooses)."""
        results: list[TestResult] = []
        for stage in STATISTICS.values():
            share = stage.of_step if chooses else stage.of_single
            alpha = self.alpha * share
            can_pass = share and (not results or self._can_pass(test, alpha))
            if not can_pass or not stage.statistic.applies(test, n_slots):
                continue
            statistic = stage.statistic(test, purpose, n_slots)
            sample = statistic.run(alpha, self.n_permutations, precise=precise)
            is_chosen = chooses or not statistic.per_candidate
            unit, position = statistic.best(sample, alpha) if is_chosen else statistic.largest(sample)
            results.append(TestResult(unit, sample, position, alpha, statistic.per_candidate))
            clear = min(self.alpha, _CLEAR_ALPHA) * share if chooses else alpha
            if results[-1].p_value <= clear:
                break
        return results

    def _can_pass(self, test: ConditionalTest, alpha: float) -> bool:
        """Tell whether there are enough permutations for a level."""
        limits = [most for most in (self.n_permutations, test.n_distinct) if most is not None]
        return all(1 / (1 + most) <= alpha for most in limits)
