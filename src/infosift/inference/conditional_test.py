"""What is tested: candidates and target conditional on a subset, in the data and in draws of a null."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Value
from infosift.criteria.rank_basis import functions_of
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import complete_rows
from infosift.data.table import Table
from infosift.data.targets import TargetResiduals
from infosift.engines.base import AlignedPickle, Engine
from infosift.inference.candidate_blocks import CandidateBlocks
from infosift.inference.kernel_ridge import QUICK_WIDTHS, KernelRidge, impute_by_regression
from infosift.inference.nulls import Null, NullModel, TargetInDraws
from infosift.inference.nulls.shuffle import RandomPermutations
from infosift.inference.permutation import PermutationIndices
from infosift.inference.residuals import (
    marginal_functions,
    randomised_residuals,
    residual_functions,
    residual_variance,
    residuals_of_target,
)
from infosift.progress import Reporter

# Regressions are kept until they have so many rows together: one of 4,000 rows takes some 60 MB.
_ROWS_OF_REGRESSIONS = 12_000
# Neighbours are searched in so many rows: they come in where series see nothing, and cost the square of the rows.
_MOST_ROWS_OF_SURROGATES = 1_000
# Values of the target's functions in draws: as many as fit into the cache, or make a matrix product worthwhile.
_VALUES_IN_CACHE = 500_000
_MOST_VALUES = 2_000_000
_DRAWS_AT_ONCE = 64


@dataclass(frozen=True)
class TestContext:
    """What all tests of a run share; ``values`` are those of the criterion's structural parameter."""

    __test__ = False  # of pytest, to which a class of this name is one of its own

    table: Table
    criterion: Criterion
    values: tuple[Value, ...]
    engine: Engine
    seed: int
    null: Null
    reporter: Reporter
    _regressions: dict[tuple[int, ...], KernelRidge] = field(default_factory=dict)

    def on_complete_rows(self, subset: Sequence[int]) -> TestContext:
        """Return the context restricted to the rows that have all values of a subset.

        Were a gap imputed, a child of the feature would be informative in its row, whatever stands in for the
        value.
        """
        table = self.table.take(complete_rows(self.table.columns[list(subset)]))
        return self if table is self.table else replace(self, table=table, _regressions={})

    def regression(self, subset: tuple[int, ...]) -> KernelRidge:
        """Return the regression on a subset without gaps; several tests share it, so the last ones are kept."""
        if subset not in self._regressions:
            if len(self._regressions) * self.table.n_rows >= _ROWS_OF_REGRESSIONS:
                self._regressions.clear()
            self._regressions[subset] = KernelRidge(
                self.table.columns[list(subset)], self.engine, row_groups=self.table.row_groups
            )
        return self._regressions[subset]

    def residual_variance(self, subset: Sequence[int]) -> float:
        """Return the mean squared residual of the target given some columns, by a regression with few widths."""
        own, groups = self.table.columns[list(subset)], self.table.row_groups
        columns = impute_by_regression(own, lambda: own[:0], self.engine, groups)
        regression = KernelRidge(columns, self.engine, QUICK_WIDTHS, groups) if len(columns) else None
        return residual_variance(self.table.target, regression)


@dataclass(frozen=True)
class DrawnTarget(AlignedPickle):
    """The functions of a target as the candidates of a test meet them in draws."""

    target: TargetInDraws
    indices: PermutationIndices

    def functions(self, draws: Sequence[int]) -> FloatArray:
        """Return the functions in draws (components x functions x draws x rows)."""
        return self.target.in_draws(self.indices(draws))

    def draws_at_once(self) -> int:
        """Return how many draws make a matrix product worthwhile without leaving the cache."""
        n_values = self.target.functions.size
        return max(1, _VALUES_IN_CACHE // n_values, min(_DRAWS_AT_ONCE, _MOST_VALUES // n_values))


class ConditionalTest:
    """Candidates (units) and target given a subset, as test statistics need them; each part is made on demand.

    ``step`` names the random streams of the draws. ``given`` (columns x rows) are the columns of the subset with
    their gaps imputed. Surrogates of columns are drawn in ``rows``: some of very many, unless ``all_rows`` are
    wanted. With ``residuals``, the test is also about the candidates' own residuals given the subset, if the null
    has such.
    """

    def __init__(
        self,
        context: TestContext,
        subset: Sequence[int],
        units: Sequence[FeatureUnit],
        step: int,
        *,
        residuals: bool = False,
        all_rows: bool = False,
    ) -> None:
        self.context, self.units, self.step, self.subset = context, tuple(units), step, tuple(subset)
        n_rows, columns = context.table.n_rows, context.table.columns[list(subset)]
        n_drawn = n_rows if all_rows else min(n_rows, _MOST_ROWS_OF_SURROGATES)
        self.rows: IntArray = np.linspace(0, n_rows - 1, n_drawn).astype(np.int64)
        self.given = impute_by_regression(columns, self._columns, context.engine, context.table.row_groups)
        self._has_gaps = self.given is not columns
        self.tests_residuals = residuals and context.null.has_residuals and len(self.given) > 0

    def _columns(self) -> FloatArray:
        return np.asarray(self.context.table.columns[[i for unit in self.units for i in unit.columns]])

    @cached_property
    def regression(self) -> KernelRidge | None:
        """The regression on the subset; None for an empty one."""
        if self._has_gaps:
            return KernelRidge(self.given, self.context.engine, row_groups=self.context.table.row_groups)
        return self.context.regression(self.subset) if self.subset else None

    # What the null decides.

    @cached_property
    def _model(self) -> NullModel:
        return self.context.null.model(self.given, self.regression, self.context.seed)

    @property
    def is_series_only(self) -> bool:
        """Whether surrogates have lost the subset, which neighbours and pairs would see."""
        return self.context.null.only_series_given_subset and len(self.given) > 0

    @property
    def n_distinct(self) -> int | None:
        """How many distinct draws there are; None where they are practically without limit."""
        return self.context.null.n_distinct(self.context.table.n_rows)

    @cached_property
    def indices(self) -> PermutationIndices:
        """The row from which each row takes its value, in every draw."""
        table = self.context.table
        shuffles = RandomPermutations(table.n_rows, self.context.seed, self.step, table.row_groups)
        return PermutationIndices(self.context.null.permutations(self.given, shuffles), table.n_rows)

    @cached_property
    def blocks(self) -> CandidateBlocks:
        """The candidates, where their columns lie."""
        return CandidateBlocks(self.context.table, self.units, self.context.engine, self._model, self.rows)

    # The target given the subset.

    @cached_property
    def target_residuals(self) -> TargetResiduals | None:
        """The residuals of the target; None for an empty subset."""
        if self.regression is None:
            return None
        return residuals_of_target(self.context.table.target, self.regression)

    @cached_property
    def components(self) -> FloatArray:
        """The target as neighbours take it (components x versions x columns x rows): itself, or its residuals.

        Versions differ in the randomised residuals of classes.
        """
        if self.target_residuals is None:
            return self.context.table.distance_target[None, None]
        residuals = randomised_residuals(self.target_residuals).swapaxes(0, 1)[:, :, None]
        scale = self.context.table.distance_scale
        if scale is None:
            return residuals
        return np.asarray(residuals * scale[1][self.target_residuals.column][:, None, None, None])

    @cached_property
    def component_functions(self) -> list[FloatArray]:
        """Functions (functions x rows) of each component of the target, or of its residual."""
        if self.target_residuals is not None:
            return residual_functions(self.target_residuals)
        return marginal_functions(self.context.table.target)

    @cached_property
    def raw_residuals(self) -> FloatArray:
        """The residuals of all components of the target, in their own units (components x rows)."""
        if self.target_residuals is not None:
            return self.target_residuals.raw
        components = self.context.table.target.components
        return np.asarray(components - components.mean(axis=1, keepdims=True))

    @cached_property
    def subset_functions(self) -> FloatArray | None:
        """A function of each column of the subset: its first polynomial, or the indicator of a category."""
        return np.concatenate([own.smooth[:1] for own in functions_of(self.given)]) if len(self.given) else None

    @cached_property
    def target(self) -> DrawnTarget:
        """The functions of the target, in draws."""
        return DrawnTarget(self._model.target(self.component_functions, self.subset_functions), self.indices)
