"""The published method: the most informative candidate, tested against surrogates of itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Scorer, Value
from infosift.data.groups import FeatureUnit
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.errors import InputError, require_count, require_finite_number
from infosift.inference import permutation
from infosift.inference.max_test import NullSample
from infosift.progress import Reporter
from infosift.results.steps import NeighborChoice, PermutationTest, ProcedureDescription, Step
from infosift.search.base import MarginalTests, Problem, Units, columns_of, step_label, without
from infosift.search.resampling import Resampling, choose_value

_N_FOLDS = 30
# Of a filter that controls the false discovery rate.
_MOST_PERMUTATIONS = 2_000


class Published(BaseEstimator):  # type: ignore[misc]
    """The method of François, Rossi, Wertz and Verleysen (2007).

    Its p-values are those of a single test. They are not adjusted for the number of candidates, nor for the choice
    of the number of neighbours on the same rows, so that false positives are more likely than alpha.

    Parameters
    ----------
    n_permutations : int or "auto", default="auto"
        Surrogates per step. "auto" is the smallest number from 50 on that makes alpha exact.
    n_folds : int, default=30
        Folds of the resampling that chooses the number of neighbours; the paper advises 20 to 30.
    t_threshold : float or None, default=None
        None: the largest t over all features decides, the published rule. A number: the largest mean of t over the
        features above it.

    Examples
    --------
    >>> from infosift import MutualInfoSelector, Published
    >>> selector = MutualInfoSelector(method=Published(n_folds=20))
    >>> selector.set_params(method__n_folds=25).method
    Published(n_folds=25)
    """

    adjusted: ClassVar[bool] = False
    alpha_shares: ClassVar[tuple[tuple[str, float], ...]] = (("the best candidate", 1.0),)
    separates_special_values: ClassVar[bool] = True
    shuffles_rows: ClassVar[bool] = True
    takes_censored: ClassVar[bool] = False

    def __init__(
        self, *, n_permutations: int | str = "auto", n_folds: int = _N_FOLDS, t_threshold: float | None = None
    ) -> None:
        self.n_permutations = n_permutations
        self.n_folds = n_folds
        self.t_threshold = t_threshold

    def check(self, alpha: float, criterion: Criterion, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        permutation.permutations_for(alpha, self.n_permutations)
        require_count("n_folds", self.n_folds, least=2)
        if self.t_threshold is not None:
            require_finite_number("t_threshold", self.t_threshold)
        given = criterion.fixed_value
        are_set = self.n_folds != _N_FOLDS or self.t_threshold is not None
        if are_set and not criterion.parameter:
            raise InputError(
                f"n_folds and t_threshold are for choosing a parameter, and {type(criterion).__name__} has none: "
                "leave them out."
            )
        if are_set and given is not None:
            raise InputError(
                f"n_folds and t_threshold are for choosing {criterion.parameter}, and "
                f"{criterion.parameter}={given} is given: leave them out."
            )

    def fewest_permutations(self, alpha: float) -> int:
        """Return how many permutations a step needs at least to be significant; 0 where their number is given."""
        return permutation.fewest_permutations(alpha) if self.n_permutations == "auto" else 0

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> PublishedTests:
        """Return the method at work; the criterion's parameter is chosen first where it is not given."""
        value = problem.criterion.fixed_value
        if value is None and problem.criterion.parameter:
            counts = None if self.t_threshold is None else float(self.t_threshold)
            resampling = Resampling(int(self.n_folds), counts, problem.settings.seed)
            if neighbors is None:
                n_scores = len(problem.table.usable) * (1 + self.n_folds)
                reporter.begin(f"choosing {problem.criterion.parameter_in_words}", n_scores)
                neighbors = choose_value(problem.table, problem.criterion, resampling, engine)
            value = neighbors.n_neighbors
        problem.criterion.require_rows(problem.table.n_rows, value)
        count = permutation.permutations_for(problem.settings.alpha, self.n_permutations)
        return PublishedTests(problem, Scorer(problem.criterion, value, engine), count, reporter, neighbors)


class PublishedTests:
    """The published method at work on a table."""

    revises = False

    def __init__(
        self,
        problem: Problem,
        scorer: Scorer,
        n_permutations: int,
        reporter: Reporter,
        neighbors: NeighborChoice | None,
    ) -> None:
        self._table, self._settings, self._scorer = problem.table, problem.settings, scorer
        self._n_permutations, self._reporter, self.engine = n_permutations, reporter, scorer.engine
        self.values, self.neighbors, self.n_rows = (scorer.value,), neighbors, problem.table.n_rows
        self.procedure = ProcedureDescription(surrogates="in which its values are permuted")

    def add(self, subset: Units, candidates: Units, stream: int, slots_left: int) -> Step:
        """Return the step that adds the most informative candidate, or shows that it adds nothing."""
        started = perf_counter()
        purpose = f"scoring {len(candidates)} feature{'s' * (len(candidates) > 1)}"
        self._reporter.begin(f"{step_label(stream)}: {purpose}", len(candidates))
        scores = self._scores(self._table.distance_columns[columns_of(subset)], candidates)
        return replace(self._step(subset, candidates, scores, stream, "add"), seconds=perf_counter() - started)

    def remove(self, subset: Units, members: Units, stream: int, n_tested: int | None = None) -> Step:
        """Return the step that removes the member without which most information is left, if it adds nothing."""
        started = perf_counter()
        self._reporter.begin(f"{step_label(stream)}: scoring without each of {len(members)}", len(members))
        left = np.array([-self.residual_variance(without(subset, [member])) for member in members])
        return replace(self._step(subset, members, left, stream, "remove"), seconds=perf_counter() - started)

    def _step(self, subset: Units, units: Units, scores: FloatArray, stream: int, action: str) -> Step:
        """Test the unit with the highest score conditional on the others of a subset."""
        # Of equal scores the digest decides, so that the order of the columns does not.
        place = max(range(len(units)), key=lambda i: (scores[i], self._table.digest(units[i])))
        unit = units[place]
        given = self._table.distance_columns[columns_of(without(subset, [unit]))]
        information = scores[place] if action == "add" else self._scores(given, [unit])[0]
        self._reporter.begin(f"{step_label(stream)}: testing {unit.name}", self._n_permutations)
        test = self._test(information, given, unit, stream)
        return Step(
            **vars(test),
            unadjusted_p_value=test.p_value,
            feature=unit.name,
            index=unit.columns[0],
            columns=unit.columns,
            accepted=test.significant == (action == "add"),
            candidates=tuple(other.columns[0] for other in units),
            candidate_information=scores,
            action=action,
        )

    def alone(self, subset: Units, candidates: Units, stream: int, least_p: float) -> MarginalTests:
        """Test each candidate against surrogates of itself; all share the permutations.

        Where a value of the criterion's parameter was chosen on these rows, all that were compared take part, so
        that p-values allow for the choice.
        """
        given, table = self._table.distance_columns[columns_of(subset)], self._table
        count = max(self._n_permutations, min(_MOST_PERMUTATIONS, math.ceil(1 / least_p)) - 1)
        self._reporter.begin(f"testing {len(candidates)} features", count * len(candidates))
        shuffled = permutation.shuffled_orders(
            table.n_rows, range(count), self._settings.seed, stream, table.row_groups
        )
        orders = np.concatenate([np.arange(table.n_rows)[None], shuffled])
        values = self.values if self.neighbors is None else self.neighbors.candidates
        scores = [self._scores_of_surrogates(given, unit, orders, values) for unit in candidates]
        sample = NullSample.of_scores(np.stack([own.T for own in scores]))
        return MarginalTests(
            information=self._scores(given, candidates),
            statistics=sample.observed,
            p_values=sample.p_values,
            unadjusted=sample.unadjusted_p_values,
            null=sample.max_statistics[1:],
            counts=np.full(len(candidates), count),
        )

    def drop(self, subset: Units, members: Units, stream: int) -> float:
        """Return the p-value of members together: the subset against surrogates with the members shuffled."""
        given = self._table.distance_columns[columns_of(without(subset, members))]
        together = FeatureUnit(" + ".join(unit.name for unit in members), tuple(columns_of(members)))
        return self._test(self._scores(given, [together])[0], given, together, stream).p_value

    def p_value(self, subset: Units, candidates: Units, stream: int, *, precise: bool = False) -> float:
        """Return the p-value of the most informative candidate; ``precise`` makes no difference."""
        return self.add(subset, candidates, stream, slots_left=1).p_value

    def residual_variance(self, subset: Units) -> float:
        """Return minus the information of a subset, which ranks subsets as the residual variance does."""
        columns = self._table.distance_columns[columns_of(subset)]
        return -self._together(columns, columns[:0]) if len(columns) else 0.0

    def regression(self, table: Table, columns: Sequence[int]) -> None:
        """Return None: nothing is regressed."""

    def _test(self, information: float, given: FloatArray, unit: FeatureUnit, stream: int) -> PermutationTest:
        table, seed = self._table, self._settings.seed

        def scores(draws: range) -> FloatArray:
            orders = permutation.shuffled_orders(table.n_rows, draws, seed, stream, table.row_groups)
            return self._scores_of_surrogates(given, unit, orders, self.values)[:, 0]

        null = permutation.score_in_batches(scores, range(self._n_permutations), table.n_rows)
        return permutation.judge(information, null, self._settings.alpha)

    def _scores(self, given: FloatArray, units: Units) -> FloatArray:
        """Score the given columns plus each unit: all single features at once, groups one by one."""
        scores, columns = np.empty(len(units)), self._table.distance_columns
        singles = [i for i, unit in enumerate(units) if len(unit.columns) == 1]
        if singles:
            picked = [units[i].columns[0] for i in singles]
            scores[singles] = self._scorer(columns, given, self._table.distance_target, picked)
        for i, unit in enumerate(units):
            if len(unit.columns) > 1:
                scores[i] = self._together(columns[list(unit.columns)], given)
        return scores

    def _scores_of_surrogates(
        self, given: FloatArray, unit: FeatureUnit, orders: IntArray, values: Sequence[Value]
    ) -> FloatArray:
        """Return the scores (draws x values) of the given columns plus a unit with its rows in these orders.

        All columns of a group have the same order. ``values`` are those of the criterion's parameter.
        """
        columns, target = self._table.distance_columns[list(unit.columns)], self._table.distance_target
        if len(columns) == 1:
            questions = [Question(columns[0][orders], given, target)]
        else:
            questions = [
                Question(columns[-1:, order], np.concatenate([given, columns[:-1, order]]), target)
                for order in orders
            ]
        return np.concatenate(self._scorer.criterion.score(questions, values, self._scorer.engine))

    def _together(self, columns: FloatArray, given: FloatArray) -> float:
        given = np.concatenate([given, columns[:-1]])
        return float(self._scorer(columns[-1:], given, self._table.distance_target)[0])
