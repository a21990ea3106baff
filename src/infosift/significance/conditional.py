"""Candidates and target conditional on a subset: residuals of both, and how surrogates are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.criteria.base import Value
from infosift.criteria.rank_functions import Functions, functions_of, standardised
from infosift.data.encoding import has_categories
from infosift.data.feature_groups import Unit
from infosift.data.gaps import whole_rows_of
from infosift.data.row_groups import shuffled_rows
from infosift.data.table import Table
from infosift.engines.base import Engine
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.significance.filling import filled_by_others
from infosift.significance.regression import Smoother
from infosift.significance.residual_target import (
    TargetResiduals,
    parts_of,
    randomised_residuals,
    residual_functions,
    residuals_of_target,
)
from infosift.significance.series import Series, TargetSeries, make_series, make_target_series
from infosift.significance.shifted import Projection, ShiftedSurrogates, ShiftedTarget
from infosift.significance.shifts import CIRCULAR, n_shifts, shifted_rows
from infosift.significance.surrogates import ALL, Places, Surrogates, surrogates_of

MOST_CLASSES = 8
_DRAWS_AT_ONCE = 64
_MOST_SOURCES = 4_000_000
# Of a candidate of numbers: polynomials and steps. So many values of them at once, and kept from look to look.
_MOST_FUNCTIONS = 8
_VALUES_OF_SERIES = 2_000_000
_MOST_VALUES_KEPT = 128_000_000
_ROWS_OF_SMOOTHERS = 12_000


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
    _smoothers: dict[tuple[int, ...], Smoother] = field(default_factory=dict)

    def on_whole_rows(self, subset: Sequence[int]) -> Workbench:
        """Return the same for the rows that have all values of a subset.

        A child of a feature is informative where the feature's value is missing, whatever stands in for it.
        """
        table = self.table.take(whole_rows_of(self.table.columns[list(subset)]))
        return self if table is self.table else replace(self, table=table, _smoothers={})

    def smoother(self, subset: tuple[int, ...]) -> Smoother:
        """Return what predicts from a whole subset; the last ones are kept: several tests ask for the same."""
        if subset not in self._smoothers:
            if len(self._smoothers) * self.table.n_rows >= _ROWS_OF_SMOOTHERS:
                self._smoothers.clear()
            self._smoothers[subset] = Smoother(self.table.columns[list(subset)], self.engine)
        return self._smoothers[subset]


class Conditional:
    """Some candidates beside a subset, and all that their tests share; worked out when it is first asked for."""

    def __init__(self, bench: Workbench, subset: Sequence[int], units: Sequence[Unit], step: int) -> None:
        self.bench, self.units, self.step = bench, tuple(units), step
        self.members = sorted({i for unit in units for i in unit.columns})
        self.columns = bench.table.columns[self.members]
        self.subset, subset_columns = tuple(subset), bench.table.columns[list(subset)]
        self.given = filled_by_others(subset_columns, self.columns, bench.engine)
        self._has_gaps = self.given is not subset_columns
        self._sources: dict[int, IntArray] = {}
        self._series: dict[tuple[int, int], Series] = {}

    @cached_property
    def _smoother(self) -> Smoother | None:
        if self._has_gaps:
            return Smoother(self.given, self.bench.engine)
        return self.bench.smoother(self.subset) if self.subset else None

    @cached_property
    def _projection(self) -> Projection | None:
        return Projection(self.given) if self.bench.null == CIRCULAR and self.subset else None

    @property
    def asks_only_series(self) -> bool:
        """Whether neighbours and pairs are not asked, since of shifted copies they would know by the subset."""
        return self._projection is not None

    @cached_property
    def surrogates(self) -> Surrogates:
        """How surrogates of the candidates are drawn."""
        if self._projection is not None:
            return ShiftedSurrogates(self.columns, self._projection)
        return surrogates_of(
            self.columns,
            self.bench.null,
            self.given,
            self._smoother,
            self.bench.seed,
            self.step,
            self.bench.engine,
            # Rows of a group are not parted.
            in_strata=self.bench.table.row_groups is None,
        )

    @property
    def most_draws(self) -> int | None:
        """How many surrogates there are that differ, where these are few."""
        return n_shifts(self.bench.table.n_rows) if self.bench.null == CIRCULAR else None

    def sources(self, draws: Sequence[int]) -> IntArray:
        """Return from which row each takes its value in some draws (draws x rows); draw 0 is the data."""
        sources = np.empty((len(draws), self.bench.table.n_rows), dtype=np.int64)
        for block in sorted({draw // _DRAWS_AT_ONCE for draw in draws}):
            own = [i for i, draw in enumerate(draws) if draw // _DRAWS_AT_ONCE == block]
            sources[own] = self._block_of_sources(block)[[draws[i] % _DRAWS_AT_ONCE for i in own]]
        return sources

    def _block_of_sources(self, block: int) -> IntArray:
        """Return the sources of some draws, which share a stream; the last ones are kept."""
        if block not in self._sources:
            if (len(self._sources) + 1) * _DRAWS_AT_ONCE * self.bench.table.n_rows > _MOST_SOURCES:
                self._sources.clear()
            numbers = range(block * _DRAWS_AT_ONCE, (block + 1) * _DRAWS_AT_ONCE)
            self._sources[block] = self.surrogates.sources(numbers, self._orders(block, numbers))
            if block == 0:
                self._sources[0][0] = np.arange(self.bench.table.n_rows)
        return self._sources[block]

    def _orders(self, block: int, numbers: range) -> IntArray:
        if self.bench.null == CIRCULAR:
            return shifted_rows(self.bench.table.n_rows, self.bench.seed, self.step, numbers)
        table, generator = self.bench.table, stream(self.bench.seed, "surrogate", self.step, block)
        rows = np.arange(table.n_rows)
        if table.row_groups is None:
            return generator.permuted(np.tile(rows, (_DRAWS_AT_ONCE, 1)), axis=1)
        return np.stack([shuffled_rows(rows, generator, table.row_groups) for _ in range(_DRAWS_AT_ONCE)])

    def copies(self, draw: int, places: Places = ALL) -> FloatArray:
        """Return the columns of all candidates in a draw, in the order of ``members``, or those at some places."""
        return self.columns[places] if draw == 0 else self.surrogates.draw(self.sources([draw])[0], places)

    @cached_property
    def _target_residuals(self) -> TargetResiduals | None:
        smoother = self._smoother
        return None if smoother is None else residuals_of_target(self.bench.table.target, smoother, MOST_CLASSES)

    @cached_property
    def parts(self) -> FloatArray:
        """What neighbours are asked about (parts x versions x columns x rows): the target itself, or residuals."""
        if self._target_residuals is None:
            return self.bench.table.target_points[None, None]
        residuals = randomised_residuals(self._target_residuals).swapaxes(0, 1)[:, :, None]
        weights = self.bench.table.weights
        if weights is None:
            return residuals
        # A residual counts as its target does.
        return np.asarray(residuals * weights[1][self._target_residuals.column][:, None, None, None])

    @cached_property
    def part_functions(self) -> list[FloatArray]:
        """Functions (functions x rows) of each part of the target, or of its residual."""
        if self._target_residuals is not None:
            return residual_functions(self._target_residuals)
        return [
            standardised(part[None]) if has_categories(column) else functions_of(part[None])[0].smooth
            for column in self.bench.table.target
            for part in parts_of(column, MOST_CLASSES)
        ]

    @cached_property
    def raw_residuals(self) -> FloatArray:
        """The residuals of all parts of the target, in their own units (parts x rows)."""
        if self._target_residuals is not None:
            return self._target_residuals.raw
        parts = np.concatenate([parts_of(column, MOST_CLASSES) for column in self.bench.table.target])
        return np.asarray(parts - parts.mean(axis=1, keepdims=True))

    @cached_property
    def subset_functions(self) -> FloatArray | None:
        """A function of each column of the subset: its first polynomial, or the indicator of a category."""
        functions = functions_of(self.given) if len(self.given) else []
        return np.concatenate([own.smooth[:1] for own in functions]) if functions else None

    def functions(self, places: Sequence[int]) -> list[Functions]:
        """Return functions of the residuals of some candidates; of a group, those of all its columns."""
        columns = [self.units[place].columns for place in places]
        found = iter(self.surrogates.functions(np.searchsorted(self.members, [i for own in columns for i in own])))
        by_unit = [[next(found) for _ in own] for own in columns]
        return [
            of_columns[0]
            if len(of_columns) == 1
            else Functions(*(np.concatenate(each) for each in zip(*of_columns, strict=True)))
            for of_columns in by_unit
        ]

    @cached_property
    def target(self) -> TargetSeries | ShiftedTarget:
        """The series of all parts of the target."""
        if self._projection is not None:
            return ShiftedTarget.of(self.part_functions, self._projection)
        return make_target_series(self.part_functions, self.subset_functions)

    def blocks(self, units: slice) -> list[slice]:
        """Return parts of some candidates, of which each has few values in its functions."""
        size = max(1, _VALUES_OF_SERIES // (_MOST_FUNCTIONS * self.bench.table.n_rows))
        last = min(units.stop, len(self.units))
        return [slice(start, min(start + size, last)) for start in range(units.start, last, size)]

    def series(self, block: slice) -> Series:
        """Return the series of a part of the candidates; kept where all have a place."""
        key = (block.start, block.stop)
        if key in self._series:
            return self._series[key]
        series = make_series(self.functions(range(block.start, block.stop)))
        if len(self.units) * _MOST_FUNCTIONS * self.bench.table.n_rows <= _MOST_VALUES_KEPT:
            self._series[key] = series
        return series

    def effects(self, draws: Sequence[int]) -> FloatArray:
        """Return how much of the target each candidate goes with in some draws (draws x candidates)."""
        moved = self.target.moved(self.sources(draws))
        blocks = self.blocks(slice(0, len(self.units)))
        return np.concatenate([self.series(block).effects(moved) for block in blocks], axis=1)
