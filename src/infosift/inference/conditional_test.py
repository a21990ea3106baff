"""Candidates and target conditional on a subset, in the data and in draws of a null.

``ConditionalTest`` is what is tested, ``CandidateBlocks`` where the candidates lie: in blocks where an engine has
their columns, so that only what is worked out from them travels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Value
from infosift.criteria.rank_basis import (
    Functions,
    expected_polynomials,
    functions_of,
    polynomials_of_targets,
    standardised,
    uniform_ranks,
)
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import complete_rows, scale_distances
from infosift.data.table import Table
from infosift.data.targets import Target, TargetResiduals
from infosift.engines.base import AlignedPickle, BlockColumns, ColumnBlocks, Engine, Handle, join_columns
from infosift.inference.kernel_ridge import QUICK, KernelRidge, expected_spread, impute_by_regression
from infosift.inference.nulls import Null, NullModel, RandomPermutations, Surrogates, TargetInDraws
from infosift.inference.nulls.residual import columns_at_once
from infosift.inference.permutation import PermutationIndices
from infosift.progress import Reporter
from infosift.random_streams import stream

Answer = TypeVar("Answer")
# A candidate of numbers has 4 polynomials and 5 steps.
MOST_FUNCTIONS = 9
# Values of functions of all candidates that are kept from draw to draw: 256 MB.
_MOST_VALUES_KEPT = 128_000_000
# Regressions are kept until they have so many rows together: one of 4,000 rows takes some 60 MB.
_ROWS_OF_REGRESSIONS = 12_000
# Neighbours are searched in so many rows: they come in where series see nothing, and cost the square of the rows.
_MOST_ROWS_OF_SURROGATES = 1_000
# Randomised residuals cost power by their chance, so that scores are averaged over some versions of them.
_VERSIONS = 3


@dataclass(frozen=True)
class TestContext:
    """What all tests of a run share; ``values`` are those of the criterion's structural parameter.

    ``n_candidates`` is how many features a search begins with.
    """

    __test__ = False  # of pytest, to which a class of this name is one of its own

    table: Table
    criterion: Criterion
    values: tuple[Value, ...]
    engine: Engine
    seed: int
    null: Null
    reporter: Reporter
    n_candidates: int = 1
    _regressions: dict[tuple[int, ...], KernelRidge] = field(default_factory=dict)
    _residual_variances: dict[tuple[int, ...], float] = field(default_factory=dict)

    def on_complete_rows(self, subset: Sequence[int]) -> TestContext:
        """Return the context restricted to the rows that have all values of a subset.

        Were a gap imputed, a child of the feature would be informative in its row, whatever stands in for the
        value.
        """
        table = self.table.take(complete_rows(self.table.columns[list(subset)]))
        return self if table is self.table else replace(self, table=table, _regressions={}, _residual_variances={})

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
        """Return the mean squared residual of the target given a subset, by a quick regression; once for each."""
        key = tuple(subset)
        if key not in self._residual_variances:
            self._residual_variances[key] = self._residual_variance(subset)
        return self._residual_variances[key]

    def _residual_variance(self, subset: Sequence[int]) -> float:
        own, groups = self.table.columns[list(subset)], self.table.row_groups
        columns = impute_by_regression(own, lambda: own[:0], self.engine, groups)
        components = self.table.target.components
        predicted = components.mean(axis=1, keepdims=True)
        if len(columns):
            predicted = KernelRidge(columns, self.engine, QUICK, groups).predict(components)
        return self.table.target.unexplained(np.mean((components - predicted) ** 2, axis=1))


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
        regression = self.regression if self.context.null.predicts_candidates else None
        return self.context.null.model(self.given, regression, self.context.seed)

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
        """The residuals of the target; None for an empty subset, unless the target is censored."""
        target = self.context.table.target
        if self.regression is None:
            return target.kinds[0].residuals_given(target.columns[0], None) if target.is_censored else None
        return residuals_of_target(target, self.regression)

    @cached_property
    def components(self) -> FloatArray:
        """The target as neighbours take it (components x versions x columns x rows): itself, or its residuals.

        Versions differ in the randomised residuals of classes.
        """
        if self.target_residuals is None:
            return self.context.table.distance_views[:, None]
        residuals = randomised_residuals(self.target_residuals).swapaxes(0, 1)[:, :, None]
        scale = self.context.table.distance_scale
        if scale is None:
            return residuals
        return np.asarray(residuals * scale[1][self.target_residuals.column][:, None, None, None])

    def component_functions(
        self, polynomials: Callable[[FloatArray], FloatArray] = polynomials_of_targets
    ) -> list[FloatArray]:
        """Return polynomials of ranks (functions x rows) of each component of the target, or of its residual."""
        if self.target_residuals is not None:
            return residual_functions(self.target_residuals, polynomials)
        target = self.context.table.target
        return [
            standardised(component[None] if is_indicator else polynomials(uniform_ranks(component)))
            for component, is_indicator in zip(target.components, target.has_indicators, strict=True)
        ]

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
    def target(self) -> TargetInDraws:
        """The functions of the target, in draws."""
        variances = None if self.target_residuals is None else self.target_residuals.variances
        return self._model.target(self.component_functions(), self.subset_functions, self.indices, variances)


@dataclass(frozen=True)
class CandidateBlock(AlignedPickle):
    """Some candidates of a test, with surrogates of their columns; ``units`` are the columns of each candidate.

    ``rows`` are those in which surrogates are drawn. ``keeps`` is whether there is memory to keep what statistics
    work out from the candidates, once and for all draws.
    """

    columns: FloatArray
    units: tuple[IntArray, ...]
    surrogates: Surrogates
    rows: IntArray
    keeps: bool
    _kept: dict[Any, Any] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere, without what is kept."""
        return {**vars(self), "_kept": {}}

    def __sizeof__(self) -> int:
        """Return about how many bytes it takes, with functions of 16 bits where these will be kept."""
        of_functions = 2 * MOST_FUNCTIONS * self.columns.size if self.keeps else 0
        return int(self.columns.nbytes + self.surrogates.nbytes + of_functions)

    def cached(self, make: Callable[..., Answer], units: range, *options: Any) -> Answer:
        """Return what a function makes of these candidates, once where there is memory to keep it."""
        key = (make, units, *options)
        if key in self._kept:
            return self._kept[key]  # type: ignore[no-any-return]
        made = make(self, units, *options)
        if self.keeps:
            self._kept[key] = made
        return made

    def functions(self, positions: Sequence[int]) -> list[Functions]:
        """Return functions of what is permuted in some candidates; of a group, those of all its columns."""
        units = [self.units[position] for position in positions]
        functions = iter(self.surrogates.functions(np.concatenate(units)))
        by_unit = [[next(functions) for _ in unit] for unit in units]
        return [
            own[0] if len(own) == 1 else Functions(*(np.concatenate(each) for each in zip(*own, strict=True)))
            for own in by_unit
        ]


class SurrogateColumns:
    """Surrogates of candidates in draws, one after the other, in blocks where they were drawn.

    ``firsts`` has the position of the first column of each among ``columns``, ``sizes`` how many columns it has.
    """

    def __init__(self, columns: ColumnBlocks, firsts: IntArray, sizes: IntArray, engine: Engine) -> None:
        self.columns, self.firsts, self._sizes, self._engine = columns, firsts, sizes, engine

    @cached_property
    def singles(self) -> IntArray:
        """Those of one column, in the order of their columns."""
        return self._in_order(np.flatnonzero(self._sizes == 1))

    @cached_property
    def groups(self) -> dict[int, FloatArray]:
        """The columns of each of the others, fetched from where they lie."""
        groups = self._in_order(np.flatnonzero(self._sizes > 1))
        if not len(groups):
            return {}
        positions = np.concatenate([self.firsts[i] + np.arange(self._sizes[i]) for i in groups])
        pieces = [(piece,) for piece in self.columns.locate(positions.tolist())]
        columns = np.concatenate(list(self._engine.map(join_columns, pieces)))
        return dict(zip(groups.tolist(), np.split(columns, np.cumsum(self._sizes[groups])[:-1]), strict=True))

    def _in_order(self, which: IntArray) -> IntArray:
        return which[np.argsort(self.firsts[which])]


class CandidateBlocks:
    """All candidates of a test in blocks; ``slices`` are those in each block, ``handles`` where the blocks lie.

    ``model`` is how they appear in draws, and ``rows`` those in which surrogates are drawn.
    """

    def __init__(
        self, table: Table, units: Sequence[FeatureUnit], engine: Engine, model: NullModel, rows: IntArray
    ) -> None:
        self._table, self._units, self.engine = table, units, engine
        self._sizes = np.array([len(unit.columns) for unit in units])
        batch = columns_at_once(int(self._sizes.sum()), table.n_rows)
        located = engine.distribute(table.columns)
        most = max(1, engine.block_bytes // (8 * table.n_rows))
        parts = engine.parts(len(units), most, batch)
        self.slices = located.runs([unit.columns[0] for unit in units], parts[0].stop)
        items = [(located.locate(self._columns_of(part)), self._sizes[part]) for part in self.slices]
        keeps = len(units) * MOST_FUNCTIONS * table.n_rows <= _MOST_VALUES_KEPT
        self.handles: list[Handle] = engine.persist(_block_of, items, model, rows, batch, keeps)

    def _columns_of(self, part: slice) -> list[int]:
        return [i for unit in self._units[part] for i in unit.columns]

    def map(self, function: Callable[..., Answer], *shared: Any) -> Iterator[Answer]:
        """Yield what a function returns for each block, in their order."""
        return self.engine.map(function, self.handles, *shared)

    def _inside(self, positions: IntArray) -> list[tuple[int, IntArray]]:
        """Return the number of each block that has any of the candidates at positions, and which it has."""
        which = [np.flatnonzero((positions >= part.start) & (positions < part.stop)) for part in self.slices]
        return [(number, own) for number, own in enumerate(which) if len(own)]

    def gather(
        self, function: Callable[..., Sequence[Any]], positions: IntArray, handles: Sequence[Handle] | None = None
    ) -> list[Any]:
        """Return what a function returns for candidates at some positions.

        ``function`` gets a block, or what is kept of it in ``handles``, and positions within it; it returns a list
        with an entry for each of these.
        """
        handles = self.handles if handles is None else handles
        inside = self._inside(positions)
        items = [(handles[number], positions[which] - self.slices[number].start) for number, which in inside]
        gathered: list[Any] = [None] * len(positions)
        for answers, (_, which) in zip(self.engine.map(function, items), inside, strict=True):
            for i, answer in zip(which.tolist(), answers, strict=True):
                gathered[i] = answer
        return gathered

    def functions(self, positions: Sequence[int]) -> list[Functions]:
        """Return functions of what is permuted in some candidates."""
        return self.gather(_functions_of, np.asarray(positions))

    def surrogates(
        self, draws: IntArray, positions: IntArray, indices: PermutationIndices, *, of_residuals: bool = False
    ) -> SurrogateColumns:
        """Return candidates, or their residuals, at positions in ascending draws, in the scale of distances."""
        scale, inside = self._table.distance_scale, self._inside(positions)
        items = []
        for number, which in inside:
            part = self.slices[number]
            own_scale = None if scale is None else scale[0][self._columns_of(part)]
            items.append((self.handles[number], draws[which], positions[which] - part.start, own_scale))
        sizes, order = self._sizes[positions], np.concatenate([which for _, which in inside])
        firsts = np.empty_like(sizes)
        firsts[order] = np.cumsum(sizes[order]) - sizes[order]
        starts = tuple(int(firsts[which[0]]) for _, which in inside)
        columns = ColumnBlocks(starts, tuple(self.engine.persist(_draw_of, items, indices, of_residuals)))
        return SurrogateColumns(columns, firsts, sizes, self.engine)


def _block_of(
    item: tuple[tuple[BlockColumns, ...], IntArray], model: NullModel, rows: IntArray, batch: int, keeps: bool
) -> CandidateBlock:
    """Return a block of candidates, by pieces of columns and how many columns each candidate has."""
    pieces, sizes = item
    columns = join_columns(pieces)
    units = tuple(np.split(np.arange(len(columns)), np.cumsum(sizes)[:-1]))
    return CandidateBlock(columns, units, model.surrogates(columns, rows, batch), rows, keeps)


def _functions_of(item: tuple[CandidateBlock, IntArray]) -> list[Functions]:
    block, positions = item
    return block.functions(positions.tolist())


def _draw_of(
    item: tuple[CandidateBlock, IntArray, IntArray, FloatArray | None],
    indices: PermutationIndices,
    of_residuals: bool,
) -> FloatArray:
    """Return candidates of a block in draws, one after the other; draw 0 is the data."""
    block, draws, positions, scale = item
    drawn = []
    for draw in np.unique(draws).tolist():
        columns = np.concatenate([block.units[position] for position in positions[draws == draw]])
        index = indices([draw])[0]
        if of_residuals:
            own = block.surrogates.residuals()[columns][:, index[block.rows]]
        else:
            own = block.columns[columns][:, block.rows] if draw == 0 else block.surrogates.draw(index, columns)
        drawn.append(own if scale is None else scale_distances(own, scale[columns]))
    return np.concatenate(drawn)


def residuals_of_target(target: Target, regression: KernelRidge) -> TargetResiduals:
    """Return the residuals of all components of a target given the subset of a regression."""
    if target.is_censored:
        return target.kinds[0].residuals_given(target.columns[0], regression.predict_with_jumps)
    predicted = regression.predict_with_jumps(target.components)
    return target.residuals(predicted, expected_spread(target.components - predicted, regression))


def residual_functions(
    residuals: TargetResiduals, polynomials: Callable[[FloatArray], FloatArray] = polynomials_of_targets
) -> list[FloatArray]:
    """Return functions (functions x rows) of the residual of each component: polynomials of its ranks.

    Where a residual is an interval (Dunn and Smyth 1996), the mean of a polynomial over it needs no randomisation.
    Those of a censored target come with the residuals.
    """
    if residuals.functions is not None:
        return residuals.functions
    return [
        standardised(expected_polynomials(low, high) if is_interval else polynomials(uniform_ranks(low)))
        for low, high, is_interval in zip(residuals.low, residuals.high, residuals.is_interval, strict=True)
    ]


def randomised_residuals(residuals: TargetResiduals) -> FloatArray:
    """Return residuals as numbers of unit spread, which neighbours need (versions x components x rows).

    An interval is replaced by a uniform point of it, the same in every run. There is one version where none is an
    interval.
    """
    n_versions = _VERSIONS if residuals.is_interval.any() else 1
    places = stream(0, "points of the target").uniform(size=(n_versions, 1, residuals.raw.shape[1]))
    points = residuals.high - (residuals.high - residuals.low) * places
    spread = points.std(axis=2, keepdims=True)
    return np.asarray(points / np.where(spread > 0, spread, 1))
