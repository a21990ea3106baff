"""Candidates and target conditional on a subset: residuals of both, and how surrogates are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.criteria.base import Value
from infosift.criteria.rank_basis import Functions, functions_of
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import complete_rows
from infosift.data.table import Table
from infosift.data.targets import TargetResiduals
from infosift.engines.base import Engine, Handle, SpreadColumns
from infosift.inference.candidates import (
    MOST_FUNCTIONS,
    Candidates,
    DrawnTarget,
    Subset,
    candidates_beside,
    functions_of_some,
)
from infosift.inference.copies import Copies, copies_of, within_blocks
from infosift.inference.kernel_ridge import QUICK_WIDTHS, KernelRidge, impute_by_regression
from infosift.inference.residuals import (
    marginal_functions,
    randomised_residuals,
    residual_functions,
    residual_variance,
    residuals_of_target,
)
from infosift.inference.row_sources import Sources, shuffle_of
from infosift.inference.series import make_target_series
from infosift.inference.shifted import Projection, ShiftedTarget
from infosift.inference.shifts import CIRCULAR, n_shifts
from infosift.inference.surrogates import columns_at_once
from infosift.progress import Reporter

# So many values of candidates are in a block, and of their functions are kept from look to look.
_MOST_VALUES_KEPT = 128_000_000
_ROWS_OF_SMOOTHERS = 12_000
_MOST_ROWS_OF_COPIES = 1_000


@dataclass(frozen=True)
class Workbench:
    """What all tests of a run share; ``values`` are those of the criterion's structural parameter."""

    table: Table
    criterion: Criterion
    values: tuple[Value, ...]
    engine: Engine
    seed: int
    null: str
    reporter: Reporter
    _regressions: dict[tuple[int, ...], KernelRidge] = field(default_factory=dict)

    def on_whole_rows(self, subset: Sequence[int]) -> Workbench:
        """Return the same for the rows that have all values of a subset.

        A child of a feature is informative where the feature's value is missing, whatever stands in for it.
        """
        table = self.table.take(complete_rows(self.table.columns[list(subset)]))
        return self if table is self.table else replace(self, table=table, _regressions={})

    def regression(self, subset: tuple[int, ...]) -> KernelRidge:
        """Return what predicts from a whole subset; the last ones are kept: several tests ask for the same."""
        if subset not in self._regressions:
            if len(self._regressions) * self.table.n_rows >= _ROWS_OF_SMOOTHERS:
                self._regressions.clear()
            self._regressions[subset] = KernelRidge(
                self.table.columns[list(subset)], self.engine, row_groups=self.table.row_groups
            )
        return self._regressions[subset]

    def residual_variance(self, subset: Sequence[int]) -> float:
        """Return the mean squared residual of the target given some columns, by a quick regression."""
        own, groups = self.table.columns[list(subset)], self.table.row_groups
        columns = impute_by_regression(own, lambda: own[:0], self.engine, groups)
        regression = KernelRidge(columns, self.engine, QUICK_WIDTHS, groups) if len(columns) else None
        return residual_variance(self.table.target, regression)


class Conditional:
    """Some candidates beside a subset, and all that their tests share; worked out when it is first asked for.

    The candidates themselves are in blocks, where their columns lie.
    """

    def __init__(self, bench: Workbench, subset: Sequence[int], units: Sequence[FeatureUnit], step: int) -> None:
        self.bench, self.units, self.step = bench, tuple(units), step
        self.subset, subset_columns = tuple(subset), bench.table.columns[list(subset)]
        self.given = impute_by_regression(subset_columns, self._columns, bench.engine, bench.table.row_groups)
        self._has_gaps = self.given is not subset_columns

    def _columns(self) -> FloatArray:
        return np.asarray(self.bench.table.columns[[i for unit in self.units for i in unit.columns]])

    @cached_property
    def _regression(self) -> KernelRidge | None:
        if self._has_gaps:
            return KernelRidge(self.given, self.bench.engine, row_groups=self.bench.table.row_groups)
        return self.bench.regression(self.subset) if self.subset else None

    @cached_property
    def _projection(self) -> Projection | None:
        return Projection(self.given) if self.bench.null == CIRCULAR and self.subset else None

    @property
    def asks_only_series(self) -> bool:
        """Whether neighbours and pairs are not asked: they would see that shifted copies have lost the subset."""
        return self._projection is not None

    @property
    def has_residuals(self) -> bool:
        """Whether there are residuals of the candidates given the subset."""
        return len(self.given) > 0 and self.bench.null != "local"

    @property
    def most_draws(self) -> int | None:
        """How many surrogates there are that differ, where these are few."""
        return n_shifts(self.bench.table.n_rows) if self.bench.null == CIRCULAR else None

    @cached_property
    def parts_of_units(self) -> list[slice]:
        """Which candidates are in each block."""
        most = max(1, self.bench.engine.bytes_of_block // (8 * self.bench.table.n_rows))
        parts = self.bench.engine.parts(len(self.units), most, self._at_once)
        return self._spread.runs([unit.columns[0] for unit in self.units], parts[0].stop)

    @property
    def _at_once(self) -> int:
        return columns_at_once(int(self._sizes.sum()), self.bench.table.n_rows)

    @property
    def _spread(self) -> SpreadColumns:
        return self.bench.engine.spread(self.bench.table.columns)

    @cached_property
    def blocks(self) -> list[Handle]:
        """The candidates in blocks, where their columns lie."""
        asked = [
            (
                self._spread.pieces(self._positions(part)),
                tuple(len(unit.columns) for unit in self.units[part]),
            )
            for part in self.parts_of_units
        ]
        regression = self._regression if self.bench.null != "local" else None
        seed, rows = self.bench.seed, self.rows_of_copies
        subset = Subset(self.bench.null, seed, regression, self._projection, self._at_once, rows)
        keeps = len(self.units) * MOST_FUNCTIONS * self.bench.table.n_rows <= _MOST_VALUES_KEPT
        return self.bench.engine.keep(candidates_beside, asked, subset, keeps)

    @cached_property
    def sources(self) -> Sources:
        """From which row each takes its value in a draw."""
        bench, table = self.bench, self.bench.table
        # Rows of a group are not parted.
        shuffle = shuffle_of(bench.null, self.given, bench.seed, self.step, in_strata=table.row_groups is None)
        return Sources(bench.null, shuffle, bench.seed, self.step, table.n_rows, table.row_groups)

    @cached_property
    def rows_of_copies(self) -> IntArray:
        """The rows of which neighbours are asked, where series see nothing: of very many, some."""
        n_rows = self.bench.table.n_rows
        return np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS_OF_COPIES)).astype(np.int64)

    def copies(self, asked: Sequence[tuple[int, IntArray]], *, of_residuals: bool = False) -> Copies:
        """Return candidates in each draw and places, as distances are taken in them."""
        weights, engine = self.bench.table.distance_scale, self.bench.engine
        firsts, sizes = ([np.zeros(len(own), dtype=np.int64) for _, own in asked] for _ in range(2))
        items, starts, n_columns = [], [], 0
        for number, places, which in within_blocks(self.parts_of_units, [own for _, own in asked]):
            part = self.parts_of_units[number]
            own_weights = None if weights is None else weights[0][self._positions(part)]
            draws = [(draw, own) for (draw, _), own in zip(asked, places, strict=True) if len(own)]
            items.append((self.blocks[number], draws, own_weights))
            starts.append(n_columns)
            for i, (own, inside) in enumerate(zip(places, which, strict=True)):
                sizes[i][inside] = self._sizes[part][own]
                ends = n_columns + np.cumsum(sizes[i][inside])
                firsts[i][inside] = ends - sizes[i][inside]
                n_columns = int(ends[-1]) if len(own) else n_columns
        kept = engine.keep(copies_of, items, self.sources, of_residuals)
        columns = SpreadColumns(tuple(starts), tuple(kept))
        return Copies(columns, np.concatenate(firsts), np.concatenate(sizes), engine)

    def _positions(self, part: slice) -> list[int]:
        return [i for unit in self.units[part] for i in unit.columns]

    @cached_property
    def _sizes(self) -> IntArray:
        return np.array([len(unit.columns) for unit in self.units])

    @cached_property
    def _target_residuals(self) -> TargetResiduals | None:
        regression = self._regression
        return None if regression is None else residuals_of_target(self.bench.table.target, regression)

    @cached_property
    def parts(self) -> FloatArray:
        """What neighbours are asked about (parts x versions x columns x rows): the target itself, or residuals."""
        if self._target_residuals is None:
            return self.bench.table.distance_target[None, None]
        residuals = randomised_residuals(self._target_residuals).swapaxes(0, 1)[:, :, None]
        weights = self.bench.table.distance_scale
        if weights is None:
            return residuals
        # A residual counts as its target does.
        return np.asarray(residuals * weights[1][self._target_residuals.column][:, None, None, None])

    @cached_property
    def part_functions(self) -> list[FloatArray]:
        """Functions (functions x rows) of each part of the target, or of its residual."""
        if self._target_residuals is not None:
            return residual_functions(self._target_residuals)
        return marginal_functions(self.bench.table.target)

    @cached_property
    def raw_residuals(self) -> FloatArray:
        """The residuals of all parts of the target, in their own units (parts x rows)."""
        if self._target_residuals is not None:
            return self._target_residuals.raw
        parts = self.bench.table.target.components
        return np.asarray(parts - parts.mean(axis=1, keepdims=True))

    @cached_property
    def subset_functions(self) -> FloatArray | None:
        """A function of each column of the subset: its first polynomial, or the indicator of a category."""
        functions = functions_of(self.given) if len(self.given) else []
        return np.concatenate([own.smooth[:1] for own in functions]) if functions else None

    def functions(self, places: Sequence[int]) -> list[Functions]:
        """Return functions of the residuals of some candidates."""
        items, order = [], []
        for part, block in zip(self.parts_of_units, self.blocks, strict=True):
            own = [place for place in places if part.start <= place < part.stop]
            if own:
                items.append((block, [place - part.start for place in own]))
                order += own
        found = [one for block in self.bench.engine.each(functions_of_some, items) for one in block]
        by_place = dict(zip(order, found, strict=True))
        return [by_place[place] for place in places]

    @cached_property
    def target(self) -> DrawnTarget:
        """The series of all parts of the target, in draws."""
        if self._projection is not None:
            return DrawnTarget(ShiftedTarget.of(self.part_functions, self._projection), self.sources)
        return DrawnTarget(make_target_series(self.part_functions, self.subset_functions), self.sources)

    def effects(self, draws: Sequence[int]) -> FloatArray:
        """Return how much of the target each candidate goes with in some draws (draws x candidates)."""
        found = self.bench.engine.each(Candidates.effects, self.blocks, self.target, draws)
        return np.concatenate(list(found), axis=1)
