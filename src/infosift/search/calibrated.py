"""The calibrated method: candidates tested conditional on the subset, with the family-wise error at its level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray
from infosift.criteria import Criterion
from infosift.data.feature_groups import Unit
from infosift.engines.base import Engine, Question
from infosift.errors import InputError, require_choice
from infosift.progress import Reporter
from infosift.results.steps import NeighborChoice, Step
from infosift.search.base import Problem, columns_of
from infosift.search.choose_k import sample_rows
from infosift.significance.conditional import Conditional, Workbench
from infosift.significance.drawn_scores import DrawnScores, unexplained_by
from infosift.significance.drawn_series import DrawnSeries
from infosift.significance.max_test import MaxTest, blind, cheap_looks, growing, looks, max_test
from infosift.significance.pair_series import PairSeries
from infosift.significance.permutation import interval_of_p, permutations_for, threshold
from infosift.significance.ranking import best_of
from infosift.significance.surrogates import NULLS

# What each test of a step may use up of alpha; the rest is held back, since regressions are estimates.
_SHARE_OF_SERIES = 0.65
_SHARE_OF_NEIGHBORS = 0.2
_SHARE_OF_PAIRS = 0.1
# Of a longer table as many rows are drawn, in which all but the weakest dependence is seen.
_MOST_ROWS = 20_000
# Of fewer rows, where others have gaps, nothing is asked.
_FEWEST_ROWS = 20


class Calibrated(BaseEstimator):  # type: ignore[misc]
    """The default method: controls the family-wise error of every step, and refuses redundant features.

    Each candidate is tested conditional on the selected features: its residual given these against the residual of
    the target. Surrogates keep its dependence on the selected features. The best candidate is compared with the
    best surrogate of all candidates, so that alpha bounds the probability of any false positive in a step. Series
    scores are asked first, which are cheap and sharp; nearest neighbours, which see any dependence, where series
    find nothing; products of pairs last. Each has its share of alpha. Of the candidates that pass, the one that
    leaves least of the target unexplained is selected. At the end, features that others replace are removed.

    Parameters
    ----------
    null : {"residual", "local", "shuffle"}, default="residual"
        How surrogates are drawn. "residual": a feature is predicted from those selected, and its residual
        shuffled. "local": each row has the value of a near one (Runge 2018). "shuffle": all rows are shuffled,
        which also takes away the dependence on those selected.
    n_permutations : int or "auto", default="auto"
        Surrogates per test. "auto" is as many as it takes to decide. Neighbours are asked from 5 / alpha on, pairs
        from 10 / alpha on.

    Examples
    --------
    >>> from infosift import Calibrated, MutualInfoSelector
    >>> selector = MutualInfoSelector(method=Calibrated(n_permutations=199))
    >>> selector.get_params()["method__n_permutations"]
    199
    """

    adjusted: ClassVar[bool] = True
    alpha_shares: ClassVar[tuple[tuple[str, float], ...]] = (
        ("series", _SHARE_OF_SERIES),
        ("neighbours", _SHARE_OF_NEIGHBORS),
        ("pairs", _SHARE_OF_PAIRS),
    )
    # A residual of a value that is partly a category and partly a number is neither.
    separates_special_values: ClassVar[bool] = False

    def __init__(self, *, null: str = "residual", n_permutations: int | str = "auto") -> None:
        self.null = null
        self.n_permutations = n_permutations

    def check(self, alpha: float, criterion: Criterion, missing: str, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_choice("null", self.null, NULLS)
        self._count(alpha)
        if has_row_groups and self.null == "local":
            raise InputError('null="local" takes values of near rows and cannot keep groups of rows together.')

    def _count(self, alpha: float) -> int | None:
        if self.n_permutations == "auto":
            return None
        return permutations_for(alpha, self.n_permutations, _SHARE_OF_SERIES)

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> CalibratedTests:
        """Return the method at work; several values of the criterion's parameter are tested at once."""
        criterion, seed = problem.criterion, problem.settings.seed
        # The same rows whatever the seed, which is then of the permutations only.
        table = problem.table.take(sample_rows(problem.table.n_rows, 0, problem.table.row_groups, _MOST_ROWS))
        values = criterion.values_at_once(table.n_rows)
        for value in values:
            criterion.require_rows(table.n_rows, value)
        bench = Workbench(table, criterion, values, engine, seed, self.null, reporter)
        return CalibratedTests(bench, problem.settings.alpha, self._count(problem.settings.alpha))


class CalibratedTests:
    """The calibrated method at work on a table."""

    revises = True
    neighbors = None

    def __init__(self, bench: Workbench, alpha: float, n_permutations: int | None) -> None:
        self._bench, self._alpha, self._n_permutations = bench, alpha, n_permutations
        self.values, self.n_rows = bench.values, bench.table.n_rows

    def add(self, subset: Sequence[Unit], candidates: Sequence[Unit], number: int, room: int) -> Step:
        """Return a step about the best candidate that passes, or a pair; else about what came nearest to it."""
        started = perf_counter()
        bench = self._bench.on_whole_rows(columns_of(subset))
        conditional = Conditional(bench, columns_of(subset), candidates, number)
        purpose = f"step {number + 1}: testing {len(candidates)} feature{'s' * (len(candidates) > 1)}"
        found = self._tests_of(conditional, purpose, room)
        series = found[0]
        best = min(found, key=lambda outcome: (not outcome.passes, outcome.p_value / outcome.alpha))
        return Step(
            information=self._information([*columns_of(subset), *best.unit.columns]),
            information_threshold=None,
            statistic=best.statistic,
            threshold=threshold(best.null, best.alpha),
            p_value=best.p_value,
            p_low=best.interval[0],
            p_high=best.interval[1],
            unadjusted_p_value=best.unadjusted_p_value,
            n_permutations=best.test.n_permutations,
            alpha=best.alpha,
            null=best.null,
            feature=best.unit.name,
            index=best.unit.columns[0],
            columns=best.unit.columns,
            accepted=best.passes,
            seconds=perf_counter() - started,
            candidates=tuple(other.columns[0] for other in candidates),
            candidate_statistics=series.test.draws.observed,
            candidate_p_values=series.test.draws.p_values,
            candidate_unadjusted_p_values=series.test.draws.unadjusted_p_values,
            candidate_permutations=series.test.n_permutations,
            candidate_null=series.null,
        )

    def _tests_of(self, conditional: Conditional, purpose: str, room: int) -> list[Outcome]:
        """Ask series first, neighbours where these see nothing, pairs last."""
        fewest = max(self._bench.criterion.fewest_rows(value) for value in self.values)
        if conditional.bench.table.n_rows < max(_FEWEST_ROWS, fewest):
            alpha = self._alpha * _SHARE_OF_SERIES
            return [Outcome(conditional.units[0], blind(len(conditional.units), alpha), 0, alpha)]
        found = [self._by_series(conditional, purpose)]
        if not found[0].passes and self._can_pass(_SHARE_OF_NEIGHBORS):
            found.append(self._by_neighbors(conditional, purpose))
        if not found[-1].passes and room > 1 and self._can_pass(_SHARE_OF_PAIRS):
            found += self._by_pairs(conditional, purpose)
        return found

    def _can_pass(self, share: float) -> bool:
        """Tell whether the number of permutations, where it is given, can reach a share of alpha."""
        return self._n_permutations is None or 1 / (1 + self._n_permutations) <= self._alpha * share

    def _test_series(self, conditional: Conditional, purpose: str, *, fine: bool) -> MaxTest:
        alpha, drawn = self._alpha * _SHARE_OF_SERIES, DrawnSeries(conditional, purpose)
        counts = cheap_looks(alpha, self._n_permutations, settles=drawn.is_cheap)
        return max_test(drawn.draws, alpha, counts, fine=fine)

    def _by_series(self, conditional: Conditional, purpose: str) -> Outcome:
        """Test all candidates by their series; of those that pass, the one that explains most is the best."""
        alpha, test = self._alpha * _SHARE_OF_SERIES, self._test_series(conditional, purpose, fine=True)
        passing = np.flatnonzero(test.draws.p_values <= alpha).tolist()
        place = best_of(conditional, passing) if passing else self._highest(conditional, test)
        return Outcome(conditional.units[place], test, place, alpha)

    def _by_neighbors(self, conditional: Conditional, purpose: str) -> Outcome:
        """Test all candidates by neighbours, which see any kind of dependence."""
        alpha = self._alpha * _SHARE_OF_NEIGHBORS
        drawn = DrawnScores(conditional, f"{purpose} by neighbours")
        test = max_test(growing(drawn.scores), alpha, looks(alpha, self._n_permutations))
        if drawn.is_screened:
            place = int(np.argmax(test.draws.observed))
            return Outcome(conditional.units[drawn.best[place]], test, place, alpha, is_alone=False)
        place = self._highest(conditional, test)
        return Outcome(conditional.units[place], test, place, alpha)

    def _highest(self, conditional: Conditional, test: MaxTest) -> int:
        # Of equal statistics the digest decides, so that the order of the columns does not.
        digest, units = self._bench.table.digest, conditional.units
        return max(range(len(units)), key=lambda i: (test.draws.observed[i], digest(units[i])))

    def _by_pairs(self, conditional: Conditional, purpose: str) -> list[Outcome]:
        """Test all pairs of single features, if there are any that could pass."""
        drawn = PairSeries(conditional, f"{purpose} in pairs")
        if len(drawn.places) < 2:
            return []
        alpha, fine = self._alpha * _SHARE_OF_PAIRS, drawn.is_cheap
        counts = looks(alpha, self._n_permutations, fine=fine)
        test = max_test(growing(drawn.scores), alpha, counts, fine=fine)
        if drawn.best is None:
            return []
        pair = sorted((conditional.units[i] for i in drawn.best), key=self._bench.table.digest)
        columns = (*pair[0].columns, *pair[1].columns)
        return [Outcome(Unit(f"{pair[0].name} + {pair[1].name}", columns), test, 0, alpha, is_alone=False)]

    def _information(self, columns: list[int]) -> float:
        values = self._bench.table.columns[columns]
        question = Question(values[-1:], values[:-1], self._bench.table.target)
        return float(np.mean(self._bench.criterion.score([question], self.values, self._bench.engine)[0]))

    def drop(self, subset: Sequence[Unit], members: Sequence[Unit], number: int) -> float:
        """Return the p-value of some members together, conditional on the other members of a subset."""
        name = " and ".join(unit.name for unit in members)
        others = columns_of([unit for unit in subset if unit not in members])
        conditional = Conditional(self._bench, others, [Unit(name, tuple(columns_of(members)))], number)
        # Thorough, since what is dropped here was significant when it was selected.
        return self._p_value(conditional, f"testing {name} given the others", thorough=True)

    def p_value(
        self, subset: Sequence[Unit], candidates: Sequence[Unit], number: int, *, fine: bool = False
    ) -> float:
        """Return the p-value of the best of some candidates conditional on a subset."""
        conditional = Conditional(self._bench, columns_of(subset), candidates, number)
        return self._p_value(conditional, "looking for one feature in place of two", fine=fine)

    def _p_value(
        self, conditional: Conditional, purpose: str, *, thorough: bool = False, fine: bool = False
    ) -> float:
        """Return a p-value over series and neighbours, each at its share of alpha."""
        by_series = self._test_series(conditional, f"revising: {purpose}", fine=fine).p_value / _SHARE_OF_SERIES
        rest = 1 - _SHARE_OF_SERIES
        if by_series <= self._alpha or not self._can_pass(rest):
            return min(1.0, by_series)
        drawn = DrawnScores(conditional, f"revising: {purpose}", thorough=thorough)
        alpha = self._alpha * rest
        by_neighbors = max_test(growing(drawn.scores), alpha, looks(alpha, self._n_permutations)).p_value / rest
        return min(1.0, by_series, by_neighbors)

    def unexplained(self, subset: Sequence[Unit]) -> float:
        """Return the mean squared residual of the target given a subset."""
        return unexplained_by(self._bench, columns_of(subset))


@dataclass(frozen=True)
class Outcome:
    """What a test found: a unit, its place among the candidates of the test, and the level."""

    unit: Unit
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
