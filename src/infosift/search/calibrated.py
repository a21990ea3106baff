"""The calibrated method: candidates tested conditional on the subset, with the family-wise error at its level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import DIGITS, FloatArray
from infosift.criteria.base import Criterion
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.errors import Hint, InputError, is_auto
from infosift.inference.conditional_test import ConditionalTest, TestContext
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.max_test import NullSample, capped, permutations_to_reach, sequential_p_values
from infosift.inference.nulls import Null, as_null
from infosift.inference.permutation import fewest_permutations, permutations_for, threshold
from infosift.inference.statistics import STATISTICS, StagedTests, TestResult, first_stage
from infosift.progress import Reporter
from infosift.results.steps import NeighborChoice, Step
from infosift.search.base import MarginalTests, Problem, Units, columns_of, step_label, without

# Of a longer table so many rows are sampled, in which all but the weakest dependence can be detected.
_MOST_ROWS = 20_000
# Of more features, a filter tests by series only: neighbours would score the screened ones, and not each feature.
_MOST_MARGINAL_BY_NEIGHBORS = 300


class Calibrated(BaseEstimator):  # type: ignore[misc]
    """The default method: controls the family-wise error of every step, and refuses redundant features.

    Each candidate is tested conditional on the selected features: its residual given these against the residual of
    the target. Surrogates keep its dependence on the selected features. The best candidate is compared with the
    best surrogate of all candidates, so that alpha bounds the probability of any false positive in a step. Series
    scores come first, which are cheap and sharp; nearest neighbours, which see any dependence, where series see
    nothing; products of pairs last. Each has its share of alpha. Of the candidates that pass, the one that leaves
    least residual variance is selected. At the end, features that others replace are removed.

    Parameters
    ----------
    null : {"residual", "local", "shuffle", "circular"} or Null, default="residual"
        How surrogates are drawn. "residual": a feature is predicted from those selected, and its residual
        shuffled. "local": each row has the value of a near one (Runge 2018). "shuffle": all rows are shuffled,
        which also takes away the dependence on those selected. "circular": for series, whose rows are in the order
        of time: as "residual", but shifted in time rather than shuffled, so that rows need not be exchangeable.
    n_permutations : int or "auto", default="auto"
        Surrogates per test. "auto" is as many as it takes to decide. Neighbours are used from 5 / alpha on, pairs
        from 10 / alpha on.

    Examples
    --------
    >>> from infosift import Calibrated, MutualInfoSelector
    >>> selector = MutualInfoSelector(method=Calibrated(n_permutations=199))
    >>> selector.get_params()["method__n_permutations"]
    199
    """

    adjusted: ClassVar[bool] = True
    # A residual of a value that is partly a category and partly a number is neither.
    separates_special_values: ClassVar[bool] = False

    def __init__(self, *, null: str | Null = "residual", n_permutations: int | str = "auto") -> None:
        self.null = null
        self.n_permutations = n_permutations

    @property
    def alpha_shares(self) -> tuple[tuple[str, float], ...]:
        """The share of alpha of each test statistic, in a step."""
        return tuple((name, stage.of_step) for name, stage in STATISTICS.items())

    @property
    def shuffles_rows(self) -> bool:
        """Whether surrogates are right only where rows are exchangeable."""
        return as_null(self.null).needs_exchangeable_rows

    @property
    def takes_censored(self) -> bool:
        """Whether tests are right for times until an event."""
        return as_null(self.null).takes_censored

    def check(self, alpha: float, criterion: Criterion, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        null = as_null(self.null)
        self._count(alpha)
        if has_row_groups and null.refuses_row_groups:
            raise InputError(Hint("method.null", null.name), f" {null.refuses_row_groups}.")

    def fewest_permutations(self, alpha: float) -> int:
        """Return how many permutations a step needs at least to be significant; 0 where their number is given."""
        is_free = is_auto(self.n_permutations) and self.shuffles_rows
        return fewest_permutations(alpha, first_stage().of_step) if is_free else 0

    def _count(self, alpha: float) -> int | None:
        if is_auto(self.n_permutations):
            return None
        return permutations_for(alpha, self.n_permutations, first_stage().of_step)

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> CalibratedTests:
        """Return the method at work; several values of the criterion's parameter are tested at once."""
        criterion, seed = problem.criterion, problem.settings.seed
        # The same rows whatever the seed, on which then only the permutations depend.
        table = problem.table.take(sample_rows(problem.table.n_rows, 0, problem.table.row_groups, _MOST_ROWS))
        if table is not problem.table:
            _release_all_rows(problem.table, table, engine)
        values = criterion.values_at_once(table.n_rows)
        for value in values:
            criterion.require_rows(table.n_rows, value)
        null, n_candidates = as_null(self.null), len(problem.candidates)
        context = TestContext(table, criterion, values, engine, seed, null, reporter, n_candidates)
        return CalibratedTests(context, problem.settings.alpha, self._count(problem.settings.alpha))


def _release_all_rows(table: Table, sample: Table, engine: Engine) -> None:
    """Let workers take the sample of a table now, and free the memory of all its rows."""
    for _ in engine.map(np.shape, engine.distribute(sample.columns).blocks):
        pass
    engine.release(engine.distribute(table.columns).blocks)


class CalibratedTests:
    """The calibrated method at work on a table."""

    revises = True
    neighbors = None

    def __init__(self, context: TestContext, alpha: float, n_permutations: int | None) -> None:
        self._context, self._alpha, self._n_permutations = context, alpha, n_permutations
        self._tests = StagedTests(alpha, n_permutations)
        self.values, self.n_rows, self.engine = context.values, context.table.n_rows, context.engine
        procedure = context.null.procedure(context.table.row_groups is not None)
        is_censored = context.table.target.is_censored
        left_out = (
            name for name, stage in STATISTICS.items() if is_censored and not stage.statistic.takes_censored
        )
        self.procedure = replace(procedure, left_out=tuple(left_out))

    def add(self, subset: Units, candidates: Units, stream: int, slots_left: int) -> Step:
        """Return a step about the best candidate that passes, or a pair; else about what came nearest to it."""
        started = perf_counter()
        test = self._test_of(subset, candidates, stream, complete=True)
        purpose = f"{step_label(stream)}: testing {len(candidates)} feature{'s' * (len(candidates) > 1)}"
        results = self._tests.step(test, purpose, slots_left)
        best = min(results, key=lambda result: (not result.passes, result.p_value / result.alpha))
        of_each = results[0].sample  # the first statistic is one of each candidate
        return replace(
            self._step_of(best, subset, best.alpha),
            seconds=perf_counter() - started,
            candidates=tuple(other.columns[0] for other in candidates),
            candidate_statistics=of_each.observed,
            candidate_p_values=of_each.p_values,
            candidate_unadjusted_p_values=of_each.unadjusted_p_values,
            candidate_permutations=of_each.n_permutations,
            candidate_null=of_each.max_statistics[1:],
        )

    def _test_of(
        self, subset: Units, candidates: Units, stream: int, *, complete: bool = False, residuals: bool = False
    ) -> ConditionalTest:
        """Return what is tested; ``complete`` restricts it to the rows that have all values of the subset."""
        columns = columns_of(subset)
        context = self._context.on_complete_rows(columns) if complete else self._context
        return ConditionalTest(context, columns, candidates, stream, residuals=residuals)

    def _step_of(self, result: TestResult, subset: Units, alpha: float) -> Step:
        """Return a step about the result of a test, at a level that its p-value is scaled to."""
        unit, null, scale = result.unit, result.sample.max_statistics[1:], alpha / result.alpha
        low, high = result.sample.interval(result.position)
        others = [column for column in columns_of(subset) if column not in unit.columns]
        return Step(
            information=self._information([*others, *unit.columns]),
            information_threshold=None,
            statistic=result.statistic,
            threshold=threshold(null, result.alpha),
            p_value=result.scaled_p_value(alpha),
            p_low=min(1.0, low * scale),
            p_high=min(1.0, high * scale),
            unadjusted_p_value=result.unadjusted_p_value,
            n_permutations=result.sample.n_permutations,
            alpha=alpha,
            null=null,
            feature=unit.name,
            index=unit.columns[0],
            columns=unit.columns,
            accepted=result.passes,
        )

    def _information(self, columns: list[int]) -> float:
        values = self._context.table.distance_columns[columns]
        question = Question(values[-1:], values[:-1], self._context.table.distance_target)
        return float(np.mean(self._context.criterion.score([question], self.values, self._context.engine)[0]))

    def remove(self, subset: Units, members: Units, stream: int, n_tested: int | None = None) -> Step:
        """Return the step that removes the least missed member that adds nothing, or shows that all are needed.

        Each member's p-value is adjusted for their number, or that of all features that were ``n_tested``
        (Bonferroni), so that alpha bounds the probability that any useless one appears to be needed.
        """
        started = perf_counter()
        tests = StagedTests(self._alpha / (n_tested or len(members)), self._n_permutations)
        results: dict[FeatureUnit, TestResult] = {}
        for unit in sorted(members, key=lambda unit: self._need_of(unit, subset)):
            test = self._test_of(without(subset, [unit]), [unit], stream)
            of_unit = tests.single(test, f"{step_label(stream)}: testing {unit.name} given the others")
            results[unit] = min(of_unit, key=lambda result: result.p_value / result.alpha)
            if not results[unit].passes:
                break
        least = max(results, key=lambda unit: results[unit].p_value / results[unit].alpha)
        step = self._step_of(results[least], subset, self._alpha)
        adjusted = {unit: result.scaled_p_value(self._alpha) for unit, result in results.items()}
        return replace(
            step,
            action="remove",
            accepted=not step.accepted,
            seconds=perf_counter() - started,
            candidates=tuple(unit.columns[0] for unit in members),
            candidate_p_values=np.array([adjusted.get(unit, np.nan) for unit in members]),
            candidate_unadjusted_p_values=np.array(
                [results[unit].p_value if unit in results else np.nan for unit in members]
            ),
        )

    def _need_of(self, unit: FeatureUnit, subset: Units) -> tuple[float, bytes]:
        others = without(subset, [unit])
        return round(self.residual_variance(others), DIGITS), self._context.table.digest(unit)

    def alone(self, subset: Units, candidates: Units, stream: int, least_p: float) -> MarginalTests:
        """Test each candidate on its own, by series and, where few draws are enough, by neighbours too."""
        test = self._test_of(subset, candidates, stream, complete=True)
        purpose, n_rows = f"testing {len(candidates)} features", test.context.table.n_rows
        wanted = self._n_permutations or permutations_to_reach(least_p, len(candidates) * n_rows)
        (count,) = capped([wanted], test.n_distinct)
        (name, first), *others = (item for item in STATISTICS.items() if item[1].of_filter)
        sample = first.statistic(test, purpose).sample(count)
        unadjusted, counts = sample.unadjusted_p_values, np.full(len(candidates), count)
        if self._n_permutations is None and test.n_distinct is None:

            def sample_of(positions: list[int]) -> Callable[[int], NullSample]:
                some = ConditionalTest(test.context, test.subset, [candidates[i] for i in positions], stream)
                return first.statistic(some, purpose).sample

            unadjusted, counts = sequential_p_values(sample, sample_of, n_rows, least_p)
        p_values = {name: (first.of_filter, sample.p_values, unadjusted)}
        if least_p >= self._alpha and len(candidates) <= _MOST_MARGINAL_BY_NEIGHBORS:
            for name, stage in (other for other in others if other[1].statistic.applies(test, 1)):
                drawn = stage.statistic(test, purpose).run(self._alpha * stage.of_filter, self._n_permutations)
                p_values[name] = (stage.of_filter, drawn.p_values, drawn.unadjusted_p_values)
        self.procedure = replace(self.procedure, marginal_statistics=tuple(p_values))
        adjusted, unadjusted = _combined(list(p_values.values()))
        information = np.array([self._information([*columns_of(subset), *unit.columns]) for unit in candidates])
        null = sample.max_statistics[1:]
        return MarginalTests(information, sample.observed, adjusted, unadjusted, null, counts)

    def drop(self, subset: Units, members: Units, stream: int) -> float:
        """Return the p-value of members together, conditional on the other members of a subset."""
        name = " and ".join(unit.name for unit in members)
        together = FeatureUnit(name, tuple(columns_of(members)))
        # Of their residuals too, since what is dropped here was significant when it was selected.
        test = self._test_of(without(subset, members), [together], stream, residuals=True)
        return self._p_value(test, f"testing {name} given the others")

    def p_value(self, subset: Units, candidates: Units, stream: int, *, precise: bool = False) -> float:
        """Return the p-value of the best candidate conditional on a subset."""
        test = self._test_of(subset, candidates, stream)
        return self._p_value(test, "looking for one feature in place of two", precise=precise)

    def _p_value(self, test: ConditionalTest, purpose: str, *, precise: bool = False) -> float:
        results = self._tests.single(test, f"revising: {purpose}", precise=precise)
        return min(result.scaled_p_value(self._alpha) for result in results)

    def residual_variance(self, subset: Units) -> float:
        """Return the mean squared residual of the target given a subset."""
        return self._context.residual_variance(columns_of(subset))

    def regression(self, table: Table, columns: Sequence[int]) -> KernelRidge | None:
        """Return the regression on columns of a table; None where the tests take other rows."""
        return self._context.regression(tuple(columns)) if table is self._context.table else None


def _combined(p_values: Sequence[tuple[float, FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Return the smallest adjusted and unadjusted p-values of several statistics, each over its share of alpha."""
    if len(p_values) == 1:
        return p_values[0][1:]
    shares = np.array([share for share, _, _ in p_values])[:, None]
    adjusted, unadjusted = (np.stack([own[i] for own in p_values]) / shares for i in (1, 2))
    return np.minimum(1.0, adjusted.min(axis=0)), np.minimum(1.0, unadjusted.min(axis=0))
