"""Candidates and target conditional on a subset: residuals of both, and how surrogates are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.data.encoding import has_categories
from infosift.data.feature_groups import Unit
from infosift.data.row_groups import shuffled_rows
from infosift.data.table import Table
from infosift.engines.base import Engine
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.significance.regression import Smoother
from infosift.significance.residual_target import (
    TargetResiduals,
    parts_of,
    randomised_residuals,
    residual_functions,
    residuals_of_target,
)
from infosift.significance.series import Series, functions_of, make_series, standardised
from infosift.significance.surrogates import Surrogates, surrogates_of

MOST_CLASSES = 8
_DRAWS_AT_ONCE = 64
_ROWS_OF_SMOOTHERS = 12_000


@dataclass(frozen=True)
class Workbench:
    """What all tests of a run share; ``values`` are those of the criterion's structural parameter."""

    table: Table
    criterion: Criterion
    values: tuple[int, ...]
    engine: Engine
    seed: int
    null: str
    reporter: Reporter
    _smoothers: dict[tuple[int, ...], Smoother] = field(default_factory=dict)

    def smoother(self, subset: tuple[int, ...]) -> Smoother:
        """Return what predicts from a subset; the last ones are kept, since several tests ask for the same."""
        if subset not in self._smoothers:
            if len(self._smoothers) * self.table.n_rows >= _ROWS_OF_SMOOTHERS:
                self._smoothers.clear()
            self._smoothers[subset] = Smoother(self.table.columns[list(subset)], self.seed, self.engine)
        return self._smoothers[subset]


class Conditional:
    """Some candidates beside a subset, and all that their tests share; worked out when it is first asked for."""

    def __init__(self, bench: Workbench, subset: Sequence[int], units: Sequence[Unit], step: int) -> None:
        self.bench, self.units, self.step = bench, tuple(units), step
        self.given = bench.table.columns[list(subset)]
        self.members = sorted({i for unit in units for i in unit.columns})
        self.columns = bench.table.columns[self.members]
        self._subset = tuple(subset)
        self._block: tuple[int, list[IntArray]] = (-1, [])

    @cached_property
    def _smoother(self) -> Smoother | None:
        return self.bench.smoother(self._subset) if self._subset else None

    @cached_property
    def surrogates(self) -> Surrogates:
        """How surrogates of the candidates are drawn."""
        return surrogates_of(
            self.columns,
            self.bench.null,
            self.given,
            self._smoother,
            self.bench.seed,
            self.step,
            self.bench.engine,
            in_strata=self.bench.table.row_groups is None,  # whose rows stay together
        )

    def source(self, draw: int) -> IntArray:
        """Return from which row each takes its value in a draw; draw 0 is the data."""
        table = self.bench.table
        rows = np.arange(table.n_rows)
        if draw == 0:
            return rows
        return self.surrogates.source(draw, self._order(draw))

    def _order(self, draw: int) -> IntArray:
        """Return the shuffled order of the rows of a draw; some draws share a stream, slow to begin."""
        block, place = divmod(draw, _DRAWS_AT_ONCE)
        if self._block[0] != block:
            table, rows = self.bench.table, np.arange(self.bench.table.n_rows)
            generator = stream(self.bench.seed, "surrogate", self.step, block)
            orders = [shuffled_rows(rows, generator, table.row_groups) for _ in range(_DRAWS_AT_ONCE)]
            self._block = (block, orders)
        return self._block[1][place]

    def copies(self, draw: int) -> FloatArray:
        """Return the columns of all candidates in a draw, in the order of ``members``."""
        return self.columns if draw == 0 else self.surrogates.draw(self.source(draw))

    @cached_property
    def _target_residuals(self) -> TargetResiduals | None:
        smoother = self._smoother
        return None if smoother is None else residuals_of_target(self.bench.table.target, smoother, MOST_CLASSES)

    @cached_property
    def parts(self) -> FloatArray:
        """What neighbours are asked about (parts x versions x columns x rows): the target itself, or residuals."""
        if self._target_residuals is None:
            return self.bench.table.target[None, None]
        return randomised_residuals(self._target_residuals).swapaxes(0, 1)[:, :, None]

    @cached_property
    def part_functions(self) -> list[FloatArray]:
        """Functions (functions x rows) of each part of the target, or of its residual."""
        if self._target_residuals is not None:
            return residual_functions(self._target_residuals)
        return [
            standardised(part[None]) if has_categories(column) else functions_of(part)
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
        return np.concatenate([functions_of(column)[:1] for column in self.given]) if len(self.given) else None

    @cached_property
    def candidate_functions(self) -> list[FloatArray]:
        """Functions of each candidate's residual; of a group, those of all its columns."""
        of_members = dict(zip(self.members, self.surrogates.functions(), strict=True))
        return [np.concatenate([of_members[i] for i in unit.columns]) for unit in self.units]

    @cached_property
    def series(self) -> Series:
        """The series of all candidates."""
        return make_series(self.candidate_functions, self.part_functions, self.subset_functions)
