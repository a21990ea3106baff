"""Candidates beside a subset, where their columns lie: a part of those that a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions
from infosift.engines.base import Piece, Sendable, joined_columns
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.row_sources import Sources
from infosift.inference.series import Series, TargetSeries, make_series
from infosift.inference.shifted import Projection, ShiftedSurrogates, ShiftedTarget
from infosift.inference.surrogates import Surrogates, surrogates_of

# Of a candidate of numbers: polynomials and steps. So many values of them at once.
MOST_FUNCTIONS = 8
_VALUES_OF_SERIES = 2_000_000
# Of the target's functions, in many draws: they fit into the cache, or are enough to be worth a product.
_VALUES_IN_CACHE = 500_000
_MOST_VALUES = 2_000_000
_DRAWS_AT_ONCE = 64


@dataclass(frozen=True)
class Subset(Sendable):
    """What candidates are beside: how they are predicted, so many at once, and what their surrogates lose.

    ``rows`` are those in which copies of candidates are wanted.
    """

    null: str
    seed: int
    regression: KernelRidge | None
    projection: Projection | None
    at_once: int
    rows: IntArray

    def surrogates(self, columns: FloatArray) -> Surrogates:
        """Return how surrogates of some columns are drawn."""
        if self.projection is not None:
            return ShiftedSurrogates(columns, self.projection, self.rows)
        return surrogates_of(columns, self.null, self.regression, self.seed, self.at_once, self.rows)


@dataclass(frozen=True)
class DrawnTarget(Sendable):
    """The target of a test as candidates meet it in draws."""

    series: TargetSeries | ShiftedTarget
    sources: Sources

    def moved(self, draws: Sequence[int]) -> FloatArray:
        """Return the functions of the target in some draws (parts x functions x draws x rows)."""
        return self.series.moved(self.sources(draws))

    def at_once(self) -> int:
        """Return how many draws make a product worthwhile."""
        n_parts, n_functions, n_rows = self.series.functions.shape
        n_values = int(n_parts * n_functions * n_rows)
        return int(max(1, _VALUES_IN_CACHE // n_values, min(_DRAWS_AT_ONCE, _MOST_VALUES // n_values)))


# Pieces of columns, and how many of these each candidate has.
Asked: TypeAlias = tuple[tuple[Piece, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Candidates(Sendable):
    """Some candidates, with how surrogates of their columns are drawn; ``units`` are the columns of each.

    ``rows`` are those of which copies are wanted. Where there is room, ``keeps`` says so, their series are kept
    from look to look.
    """

    columns: FloatArray
    units: tuple[IntArray, ...]
    surrogates: Surrogates
    rows: IntArray
    keeps: bool
    _series: dict[tuple[int, int], Series] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere, without the series."""
        return {**vars(self), "_series": {}}

    def __sizeof__(self) -> int:
        """Return about how many bytes they come to, what will be kept included."""
        of_series = 4 * MOST_FUNCTIONS * self.columns.size if self.keeps else 0
        return int(self.columns.nbytes + self.surrogates.nbytes + of_series)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.columns.shape[1])

    def functions(self, places: Sequence[int]) -> list[Functions]:
        """Return functions of the residuals of some candidates; of a group, those of all its columns."""
        columns = [self.units[place] for place in places]
        found = iter(self.surrogates.functions(np.concatenate(columns)))
        by_unit = [[next(found) for _ in own] for own in columns]
        return [
            of_columns[0]
            if len(of_columns) == 1
            else Functions(*(np.concatenate(each) for each in zip(*of_columns, strict=True)))
            for of_columns in by_unit
        ]

    def scores(self, target: DrawnTarget, draws: range, units: slice) -> FloatArray:
        """Return the series scores of some candidates in some draws (draws x candidates x scores)."""
        series, at_once = self._series_of(units), target.at_once()
        scores = []
        for start in range(0, len(draws), at_once):
            moved = target.moved(draws[start : start + at_once])
            scores.append(np.concatenate([part.scores(moved) for part in series], axis=1))
        return np.concatenate(scores)

    def effects(self, target: DrawnTarget, draws: Sequence[int]) -> FloatArray:
        """Return how much of the target each candidate goes with in some draws (draws x candidates)."""
        series, at_once = self._series_of(slice(0, len(self.units))), target.at_once()
        effects = []
        for start in range(0, len(draws), at_once):
            moved = target.moved(draws[start : start + at_once])
            effects.append(np.concatenate([part.effects(moved) for part in series], axis=1))
        return np.concatenate(effects)

    def _series_of(self, units: slice) -> list[Series]:
        """Return the series of some candidates, in parts of which each has few values."""
        size = max(1, _VALUES_OF_SERIES // (MOST_FUNCTIONS * self.n_rows))
        parts = range(units.start, min(units.stop, len(self.units)), size)
        return [self._series_from(start, min(start + size, units.stop, len(self.units))) for start in parts]

    def _series_from(self, start: int, stop: int) -> Series:
        found = self._series.get((start, stop))
        if found is None:
            found = make_series(self.functions(range(start, stop)))
            if self.keeps:
                self._series[start, stop] = found
        return found

    def copies(self, columns: IntArray, source: IntArray | None) -> FloatArray:
        """Return some columns in a draw; without a source, as they are."""
        return self.columns[columns][:, self.rows] if source is None else self.surrogates.draw(source, columns)

    def residuals(self, columns: IntArray, source: IntArray) -> FloatArray:
        """Return the residuals of some columns in a draw."""
        residuals = self.surrogates.residuals()
        assert residuals is not None
        return np.asarray(residuals[columns][:, source[self.rows]])

    def columns_at(self, places: IntArray) -> IntArray:
        """Return which columns are those of some candidates, one after the other."""
        return np.concatenate([np.arange(0), *(self.units[place] for place in places)])


def candidates_beside(asked: Asked, subset: Subset, keeps: bool) -> Candidates:
    """Return candidates beside a subset."""
    pieces, sizes = asked
    columns = joined_columns(pieces)
    units = tuple(np.split(np.arange(len(columns)), np.cumsum(sizes)[:-1]))
    return Candidates(columns, units, subset.surrogates(columns), subset.rows, keeps)


def functions_of_some(asked: tuple[Candidates, Sequence[int]]) -> list[Functions]:
    """Return functions of the residuals of candidates at some places."""
    candidates, places = asked
    return candidates.functions(places)
