"""The calibrated method: candidates tested conditional on the subset, with the family-wise error at its level."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from infosift.criteria import Criterion
from infosift.data.feature_groups import Unit
from infosift.engines.base import Engine, Question
from infosift.errors import InputError, require_choice
from infosift.progress import Reporter
from infosift.results.steps import NeighborChoice, Step
from infosift.search.base import Problem, columns_of
from infosift.significance.drawn_scores import DrawnScores, Workbench, unexplained_by
from infosift.significance.max_test import MaxTest, max_test
from infosift.significance.pairs import DrawnPairScores
from infosift.significance.permutation import permutations_for, threshold
from infosift.significance.surrogates import NULLS

# What the tests of single candidates and of pairs may use up of alpha. The rest is held back for what is not
# exact: draws that end early, and surrogates by an estimated regression.
_SHARE_OF_SINGLES = 0.7
_SHARE_OF_PAIRS = 0.2


class Calibrated(BaseEstimator):  # type: ignore[misc]
    """The default method: controls the family-wise error of every step, and refuses redundant features.

    Each candidate is tested conditional on the selected features, by its information about the residual of the
    target, beside surrogates that keep its dependence on these features. The best candidate is compared with the
    best surrogate of all candidates, so that alpha bounds the probability of any false positive in a step. Where
    no single feature passes, pairs are tested. At the end, features that others replace are removed.

    Parameters
    ----------
    null : {"residual", "local", "shuffle"}, default="residual"
        How surrogates are drawn. "residual": a feature is predicted from those selected, and its residual
        shuffled. "local": each row has the value of a near one (Runge 2018). "shuffle": all rows are shuffled,
        which also takes away the dependence on those selected.
    n_permutations : int or "auto", default="auto"
        Surrogates per test. "auto" is as many as it takes to decide. Pairs are tested from 5 / alpha on.

    Examples
    --------
    >>> from infosift import Calibrated, MutualInfoSelector
    >>> selector = MutualInfoSelector(method=Calibrated(n_permutations=199))
    >>> selector.get_params()["method__n_permutations"]
    199
    """

    adjusted: ClassVar[bool] = True
    alpha_shares: ClassVar[tuple[tuple[str, float], ...]] = (
        ("single features", _SHARE_OF_SINGLES),
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
        if missing == "partial":
            raise InputError(
                'method="calibrated" predicts features from each other and needs whole rows: say missing="drop" '
                'or method="published".'
            )
        if has_row_groups and self.null == "local":
            raise InputError('null="local" takes values of near rows and cannot keep groups of rows together.')

    def _count(self, alpha: float) -> int | None:
        if self.n_permutations == "auto":
            return None
        return permutations_for(alpha, self.n_permutations, _SHARE_OF_SINGLES)

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> CalibratedTests:
        """Return the method at work; several values of the criterion's parameter are tested at once."""
        table, criterion, seed = problem.table, problem.criterion, problem.settings.seed
        values = criterion.values_at_once(table.n_rows)
        criterion.require_rows(table.n_rows, values[-1])
        bench = Workbench(table, criterion, values, engine, seed, self.null, reporter)
        return CalibratedTests(bench, problem.settings.alpha, self._count(problem.settings.alpha))


class CalibratedTests:
    """The calibrated method at work on a table."""

    revises = True
    neighbors = None

    def __init__(self, bench: Workbench, alpha: float, n_permutations: int | None) -> None:
        self._bench, self._alpha, self._n_permutations = bench, alpha, n_permutations
        self.values = bench.values

    def add(self, subset: Sequence[Unit], candidates: Sequence[Unit], number: int, room: int) -> Step:
        """Return a step about the candidate that stands out most, or about a pair where none passes."""
        started = perf_counter()
        table = self._bench.table
        purpose = f"step {number + 1}: testing {len(candidates)} feature{'s' * (len(candidates) > 1)}"
        drawn = DrawnScores(self._bench, columns_of(subset), candidates, number, purpose)
        alpha = self._alpha * _SHARE_OF_SINGLES
        singles = max_test(drawn.scores, alpha, self._n_permutations)
        # Of equal statistics the digest decides, so that the order of the columns does not.
        place = max(range(len(candidates)), key=lambda i: (singles.statistics[0, i], table.digest(candidates[i])))
        unit, test = candidates[place], singles
        if singles.p_value > alpha and room > 1:
            found = self._best_pair(DrawnPairScores(drawn))
            if found is not None:
                unit, test, alpha = *found, self._alpha * _SHARE_OF_PAIRS
        return Step(
            information=self._information([*columns_of(subset), *unit.columns]),
            information_threshold=None,
            statistic=float(test.best[0]),
            threshold=threshold(test.best[1:], alpha),
            p_value=test.p_value,
            p_low=test.p_low,
            p_high=test.p_high,
            n_permutations=test.n_permutations,
            alpha=alpha,
            null=test.best[1:],
            feature=unit.name,
            index=unit.columns[0],
            columns=unit.columns,
            accepted=test.p_value <= alpha,
            seconds=perf_counter() - started,
            candidates=tuple(other.columns[0] for other in candidates),
            candidate_statistics=singles.statistics[0],
            candidate_p_values=np.array([singles.adjusted_p_value(i) for i in range(len(candidates))]),
            candidate_permutations=singles.n_permutations,
        )

    def _best_pair(self, drawn: DrawnPairScores) -> tuple[Unit, MaxTest] | None:
        """Return the best pair and its test; None where no pair passes."""
        alpha, count = self._alpha * _SHARE_OF_PAIRS, self._n_permutations
        if len(drawn.singles) < 2 or (count is not None and 1 / (1 + count) > alpha):
            return None
        test = max_test(drawn.scores, alpha, count)
        if test.p_value > alpha or drawn.best is None:
            return None
        first, second = sorted(drawn.best, key=self._bench.table.digest)
        return Unit(f"{first.name} + {second.name}", (*first.columns, *second.columns)), test

    def _information(self, columns: list[int]) -> float:
        values = self._bench.table.columns[columns]
        question = Question(values[-1:], values[:-1], self._bench.table.target)
        return float(np.mean(self._bench.criterion.score([question], self.values, self._bench.engine)[0]))

    def drop(self, subset: Sequence[Unit], members: Sequence[Unit], number: int) -> float:
        """Return the p-value of some members together, conditional on the other members of a subset."""
        name = " and ".join(unit.name for unit in members)
        together = Unit(name, tuple(columns_of(members)))
        others = [unit for unit in subset if unit not in members]
        # Thorough, since what is dropped here was significant when it was selected.
        return self._p_value(others, [together], number, f"testing {name} given the others", thorough=True)

    def p_value(self, subset: Sequence[Unit], candidates: Sequence[Unit], number: int) -> float:
        """Return the p-value of the best of some candidates conditional on a subset."""
        return self._p_value(subset, candidates, number, "looking for one feature in place of two", thorough=False)

    def _p_value(
        self, subset: Sequence[Unit], candidates: Sequence[Unit], number: int, purpose: str, *, thorough: bool
    ) -> float:
        drawn = DrawnScores(
            self._bench, columns_of(subset), candidates, number, f"revising: {purpose}", thorough=thorough
        )
        return max_test(drawn.scores, self._alpha, self._n_permutations).p_value

    def unexplained(self, subset: Sequence[Unit]) -> float:
        """Return the mean squared residual of the target given a subset."""
        return unexplained_by(self._bench, columns_of(subset))
