"""The calibrated method: candidates tested conditional on the subset, with the family-wise error at its level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import DIGITS
from infosift.criteria import Criterion
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.errors import Hint, InputError, is_auto, require_choice
from infosift.inference.candidate_tests import (
    SHARE_OF_NEIGHBORS,
    SHARE_OF_PAIRS,
    SHARE_OF_SERIES,
    CandidateTests,
    Outcome,
)
from infosift.inference.conditional import Conditional, Workbench
from infosift.inference.drawn_scores import DrawnScores
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.max_test import at_most, draws_for, growing, looks, max_test
from infosift.inference.permutation import fewest_permutations, permutations_for, threshold
from infosift.inference.refined import refined
from infosift.inference.shifts import CIRCULAR
from infosift.inference.surrogates import NULLS
from infosift.progress import Reporter
from infosift.results.steps import NeighborChoice, Step
from infosift.search.base import MarginalTests, Problem, columns_of, step_label, without

# Of a longer table as many rows are drawn, in which all but the weakest dependence is seen.
_MOST_ROWS = 20_000
# Beyond as many features a filter does not ask neighbours, who would look at the most promising only.
MOST_ASKED_ALONE = 300
NULLS_OF_SEARCH = (*NULLS, CIRCULAR)


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
    null : {"residual", "local", "shuffle", "circular"}, default="residual"
        How surrogates are drawn. "residual": a feature is predicted from those selected, and its residual
        shuffled. "local": each row has the value of a near one (Runge 2018). "shuffle": all rows are shuffled,
        which also takes away the dependence on those selected. "circular": for series, whose rows are in the order
        of time: as "residual", but shifted in time rather than shuffled, so that rows need not be exchangeable.
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
        ("series", SHARE_OF_SERIES),
        ("neighbours", SHARE_OF_NEIGHBORS),
        ("pairs", SHARE_OF_PAIRS),
    )
    # A residual of a value that is partly a category and partly a number is neither.
    separates_special_values: ClassVar[bool] = False

    def __init__(self, *, null: str = "residual", n_permutations: int | str = "auto") -> None:
        self.null = null
        self.n_permutations = n_permutations

    @property
    def shuffles_rows(self) -> bool:
        """Whether surrogates are right only where rows are exchangeable."""
        return self.null != CIRCULAR

    def check(self, alpha: float, criterion: Criterion, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_choice("null", self.null, NULLS_OF_SEARCH)
        self._count(alpha)
        if has_row_groups and self.null == "local":
            raise InputError(
                Hint("method.null", "local"), " takes values of near rows and cannot keep groups of rows together."
            )
        if has_row_groups and self.null == CIRCULAR:
            raise InputError(
                Hint("method.null", CIRCULAR), " shifts all rows as one and cannot keep groups of rows together."
            )

    def fewest_permutations(self, alpha: float) -> int:
        """Return how many permutations a step needs at least to be significant; 0 where their number is given."""
        is_free = is_auto(self.n_permutations) and self.shuffles_rows
        return fewest_permutations(alpha, SHARE_OF_SERIES) if is_free else 0

    def _count(self, alpha: float) -> int | None:
        if is_auto(self.n_permutations):
            return None
        return permutations_for(alpha, self.n_permutations, SHARE_OF_SERIES)

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> CalibratedTests:
        """Return the method at work; several values of the criterion's parameter are tested at once."""
        criterion, seed = problem.criterion, problem.settings.seed
        # The same rows whatever the seed, which is then of the permutations only.
        table = problem.table.take(sample_rows(problem.table.n_rows, 0, problem.table.row_groups, _MOST_ROWS))
        if table is not problem.table:
            _leave_all_rows(problem.table, table, engine)
        values = criterion.values_at_once(table.n_rows)
        for value in values:
            criterion.require_rows(table.n_rows, value)
        bench = Workbench(table, criterion, values, engine, seed, self.null, reporter)
        return CalibratedTests(bench, problem.settings.alpha, self._count(problem.settings.alpha))


def _leave_all_rows(table: Table, sample: Table, engine: Engine) -> None:
    """Let workers work out a sample of a table now, and let go of all rows until these are asked for."""
    for _ in engine.each(np.shape, engine.spread(sample.columns).blocks):
        pass
    engine.release(engine.spread(table.columns).blocks)


class CalibratedTests:
    """The calibrated method at work on a table."""

    revises = True
    neighbors = None

    def __init__(self, bench: Workbench, alpha: float, n_permutations: int | None) -> None:
        self._bench, self._alpha, self._n_permutations = bench, alpha, n_permutations
        self._tests = CandidateTests(alpha, n_permutations)
        self.values, self.n_rows, self.engine = bench.values, bench.table.n_rows, bench.engine

    def add(
        self, subset: Sequence[FeatureUnit], candidates: Sequence[FeatureUnit], stream: int, slots_left: int
    ) -> Step:
        """Return a step about the best candidate that passes, or a pair; else about what came nearest to it."""
        started = perf_counter()
        bench = self._bench.on_whole_rows(columns_of(subset))
        conditional = Conditional(bench, columns_of(subset), candidates, stream)
        purpose = f"{step_label(stream)}: testing {len(candidates)} feature{'s' * (len(candidates) > 1)}"
        found = self._tests.of_a_step(conditional, purpose, slots_left)
        best = min(found, key=lambda outcome: (not outcome.passes, outcome.p_value / outcome.alpha))
        series = found[0]
        return replace(
            self._step_of(best, subset, best.alpha),
            seconds=perf_counter() - started,
            candidates=tuple(other.columns[0] for other in candidates),
            candidate_statistics=series.test.draws.observed,
            candidate_p_values=series.test.draws.p_values,
            candidate_unadjusted_p_values=series.test.draws.unadjusted_p_values,
            candidate_permutations=series.test.n_permutations,
            candidate_null=series.null,
        )

    def _step_of(self, outcome: Outcome, subset: Sequence[FeatureUnit], alpha: float) -> Step:
        """Return a step about what a test found, at a level that its p-value is scaled to."""
        unit, scale = outcome.unit, alpha / outcome.alpha
        others = [column for column in columns_of(subset) if column not in unit.columns]
        return Step(
            information=self._information([*others, *unit.columns]),
            information_threshold=None,
            statistic=outcome.statistic,
            threshold=threshold(outcome.null, outcome.alpha),
            p_value=outcome.scaled_p_value(alpha),
            p_low=min(1.0, outcome.interval[0] * scale),
            p_high=min(1.0, outcome.interval[1] * scale),
            unadjusted_p_value=outcome.unadjusted_p_value,
            n_permutations=outcome.test.n_permutations,
            alpha=alpha,
            null=outcome.null,
            feature=unit.name,
            index=unit.columns[0],
            columns=unit.columns,
            accepted=outcome.passes,
            seconds=0.0,
            candidates=(),
        )

    def _information(self, columns: list[int]) -> float:
        values = self._bench.table.distance_columns[columns]
        question = Question(values[-1:], values[:-1], self._bench.table.distance_target)
        return float(np.mean(self._bench.criterion.score([question], self.values, self._bench.engine)[0]))

    def remove(self, subset: Sequence[FeatureUnit], members: Sequence[FeatureUnit], stream: int) -> Step:
        """Return the step that removes the least missed member that adds nothing, or finds that all are needed.

        Each member's p-value is adjusted for their number, so that alpha bounds the probability that any useless
        one is found to be needed (Bonferroni).
        """
        started = perf_counter()
        tests = CandidateTests(self._alpha / len(members), self._n_permutations)
        found: dict[FeatureUnit, Outcome] = {}
        for unit in sorted(members, key=lambda unit: self._need_of(unit, subset)):
            others = columns_of(without(subset, [unit]))
            conditional = Conditional(self._bench, others, [unit], stream)
            outcomes = tests.of_a_revision(
                conditional, f"{step_label(stream)}: testing {unit.name} given the others"
            )
            found[unit] = min(outcomes, key=lambda outcome: outcome.p_value / outcome.alpha)
            if not found[unit].passes:
                break
        least = max(found, key=lambda unit: found[unit].p_value / found[unit].alpha)
        step = self._step_of(found[least], subset, self._alpha)
        adjusted = {unit: outcome.scaled_p_value(self._alpha) for unit, outcome in found.items()}
        return replace(
            step,
            action="remove",
            accepted=not step.accepted,
            seconds=perf_counter() - started,
            candidates=tuple(unit.columns[0] for unit in members),
            candidate_p_values=np.array([adjusted.get(unit, np.nan) for unit in members]),
            candidate_unadjusted_p_values=np.array(
                [found[unit].p_value if unit in found else np.nan for unit in members]
            ),
        )

    def _need_of(self, unit: FeatureUnit, subset: Sequence[FeatureUnit]) -> tuple[float, bytes]:
        others = without(subset, [unit])
        return round(self.residual_variance(others), DIGITS), self._bench.table.digest(unit)

    def alone(
        self, subset: Sequence[FeatureUnit], candidates: Sequence[FeatureUnit], stream: int, least_p: float
    ) -> MarginalTests:
        """Test each candidate by its series and, where few draws are enough, by neighbours too."""
        bench = self._bench.on_whole_rows(columns_of(subset))
        conditional = Conditional(bench, columns_of(subset), candidates, stream)
        purpose, rest = f"testing {len(candidates)} features", 1 - SHARE_OF_SERIES
        asked = self._n_permutations or draws_for(least_p, len(candidates) * bench.table.n_rows)
        (count,) = at_most([asked], conditional.most_draws)
        series = DrawnSeries(conditional, purpose).draws(count)
        adjusted, unadjusted, counts = series.p_values, series.unadjusted_p_values, np.full(len(candidates), count)
        if self._n_permutations is None and conditional.most_draws is None:

            def at(places: list[int]) -> Conditional:
                return Conditional(bench, columns_of(subset), [candidates[i] for i in places], stream)

            unadjusted, counts = refined(series, at, least_p, purpose)
        if least_p >= self._alpha and len(candidates) <= MOST_ASKED_ALONE and not conditional.asks_only_series:
            drawn, alpha = DrawnScores(conditional, f"{purpose} by neighbours"), self._alpha * rest
            looked_at = at_most(looks(alpha, self._n_permutations), conditional.most_draws)
            neighbors = max_test(growing(drawn.scores), alpha, looked_at).draws
            both = ((adjusted, neighbors.p_values), (unadjusted, neighbors.unadjusted_p_values))
            adjusted, unadjusted = (
                np.minimum(1.0, np.minimum(first / SHARE_OF_SERIES, second / rest)) for first, second in both
            )
        information = np.array([self._information([*columns_of(subset), *unit.columns]) for unit in candidates])
        return MarginalTests(information, series.observed, adjusted, unadjusted, series.best[1:], count, counts)

    def drop(self, subset: Sequence[FeatureUnit], members: Sequence[FeatureUnit], stream: int) -> float:
        """Return the p-value of some members together, conditional on the other members of a subset."""
        name = " and ".join(unit.name for unit in members)
        others = columns_of(without(subset, members))
        conditional = Conditional(self._bench, others, [FeatureUnit(name, tuple(columns_of(members)))], stream)
        # Thorough, since what is dropped here was significant when it was selected.
        return self._p_value(conditional, f"testing {name} given the others", thorough=True)

    def p_value(
        self,
        subset: Sequence[FeatureUnit],
        candidates: Sequence[FeatureUnit],
        stream: int,
        *,
        precise: bool = False,
    ) -> float:
        """Return the p-value of the best of some candidates conditional on a subset."""
        conditional = Conditional(self._bench, columns_of(subset), candidates, stream)
        return self._p_value(conditional, "looking for one feature in place of two", precise=precise)

    def _p_value(
        self, conditional: Conditional, purpose: str, *, thorough: bool = False, precise: bool = False
    ) -> float:
        found = self._tests.of_a_revision(conditional, f"revising: {purpose}", thorough=thorough, fine=precise)
        return min(outcome.scaled_p_value(self._alpha) for outcome in found)

    def residual_variance(self, subset: Sequence[FeatureUnit]) -> float:
        """Return the mean squared residual of the target given a subset."""
        return self._bench.residual_variance(columns_of(subset))
