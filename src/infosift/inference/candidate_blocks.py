"""Candidates in blocks, where an engine has their columns: only what is worked out from them travels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions
from infosift.data.groups import FeatureUnit
from infosift.data.prepare import scale_distances
from infosift.data.table import Table
from infosift.engines.base import AlignedPickle, BlockColumns, ColumnBlocks, Engine, Handle, join_columns
from infosift.inference.nulls import NullModel, Surrogates
from infosift.inference.nulls.residual import columns_at_once
from infosift.inference.permutation import PermutationIndices

Answer = TypeVar("Answer")
# Positions of candidates, for a number of a draw.
DrawOf: TypeAlias = tuple[int, IntArray]
# A candidate of numbers has 3 polynomials and 5 steps.
MOST_FUNCTIONS = 8
# Values of functions of all candidates that are kept between looks at a test: 512 MB in single precision.
_MOST_VALUES_KEPT = 128_000_000


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
        """Return about how many bytes it takes, with functions in single precision where these will be kept."""
        of_functions = 4 * MOST_FUNCTIONS * self.columns.size if self.keeps else 0
        return int(self.columns.nbytes + self.surrogates.nbytes + of_functions)

    def cached(self, make: Callable[[CandidateBlock, range], Answer], units: range) -> Answer:
        """Return what a function makes of some candidates, once where there is memory to keep it."""
        if (make, units) in self._kept:
            return self._kept[make, units]  # type: ignore[no-any-return]
        made = make(self, units)
        if self.keeps:
            self._kept[make, units] = made
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

    def draw(self, draw: int, columns: IntArray, index: IntArray, of_residuals: bool) -> FloatArray:
        """Return some columns, or their residuals, in a draw; draw 0 is the data."""
        if of_residuals:
            return np.asarray(self.surrogates.residuals()[columns][:, index[self.rows]])
        return self.columns[columns][:, self.rows] if draw == 0 else self.surrogates.draw(index, columns)


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

    def gather(
        self, function: Callable[..., Sequence[Any]], positions: Sequence[IntArray], handles: Sequence[Handle]
    ) -> list[list[Any]]:
        """Return what a function returns for candidates at some positions, for each of several lists of these.

        ``function`` gets a block, or what is kept of it in ``handles``, and lists of positions within it; it
        returns a list of answers for each of these.
        """
        inside = within_blocks(self.slices, positions)
        items = [(handles[number], own) for number, own, _ in inside]
        gathered: list[list[Any]] = [[None] * len(own) for own in positions]
        for answers, (_, _, which) in zip(self.engine.map(function, items), inside, strict=True):
            for own, among, of_block in zip(gathered, which, answers, strict=True):
                for i, answer in zip(among.tolist(), of_block, strict=True):
                    own[i] = answer
        return gathered

    def functions(self, positions: Sequence[int]) -> list[Functions]:
        """Return functions of what is permuted in some candidates."""
        return self.gather(_functions_of, [np.asarray(positions)], self.handles)[0]

    def surrogates(
        self, draws: Sequence[DrawOf], indices: PermutationIndices, *, of_residuals: bool = False
    ) -> SurrogateColumns:
        """Return surrogates of candidates, or of their residuals, in draws, in the scale of distances."""
        scale = self._table.distance_scale
        firsts, sizes = ([np.zeros(len(own), dtype=np.int64) for _, own in draws] for _ in range(2))
        items, starts, n_columns = [], [], 0
        for number, positions, which in within_blocks(self.slices, [own for _, own in draws]):
            part = self.slices[number]
            own_scale = None if scale is None else scale[0][self._columns_of(part)]
            own_draws = [(draw, own) for (draw, _), own in zip(draws, positions, strict=True) if len(own)]
            items.append((self.handles[number], own_draws, own_scale))
            starts.append(n_columns)
            for i, (own, inside) in enumerate(zip(positions, which, strict=True)):
                sizes[i][inside] = self._sizes[part][own]
                ends = n_columns + np.cumsum(sizes[i][inside])
                firsts[i][inside] = ends - sizes[i][inside]
                n_columns = int(ends[-1]) if len(own) else n_columns
        columns = ColumnBlocks(tuple(starts), tuple(self.engine.persist(_draw_of, items, indices, of_residuals)))
        return SurrogateColumns(columns, np.concatenate(firsts), np.concatenate(sizes), self.engine)


def within_blocks(
    slices: Sequence[slice], positions: Sequence[IntArray]
) -> list[tuple[int, list[IntArray], list[IntArray]]]:
    """Return each block in which any of several lists of positions are.

    With the number of the block come, for each list, the positions within the block, and which of the list these
    are.
    """
    inside = []
    for number, part in enumerate(slices):
        which = [np.flatnonzero((own >= part.start) & (own < part.stop)) for own in positions]
        if any(map(len, which)):
            inside.append((number, [own[i] - part.start for own, i in zip(positions, which, strict=True)], which))
    return inside


def _block_of(
    item: tuple[tuple[BlockColumns, ...], IntArray], model: NullModel, rows: IntArray, batch: int, keeps: bool
) -> CandidateBlock:
    """Return a block of candidates, by pieces of columns and how many columns each candidate has."""
    pieces, sizes = item
    columns = join_columns(pieces)
    units = tuple(np.split(np.arange(len(columns)), np.cumsum(sizes)[:-1]))
    return CandidateBlock(columns, units, model.surrogates(columns, rows, batch), rows, keeps)


def _functions_of(item: tuple[CandidateBlock, list[IntArray]]) -> list[list[Functions]]:
    block, positions = item
    return [block.functions(own.tolist()) for own in positions]


def _draw_of(
    item: tuple[CandidateBlock, list[DrawOf], FloatArray | None], indices: PermutationIndices, of_residuals: bool
) -> FloatArray:
    """Return the surrogates of a block in draws, one after the other, in the scale of distances."""
    block, draws, scale = item
    drawn = []
    for draw, positions in draws:
        columns = np.concatenate([np.arange(0), *(block.units[position] for position in positions)])
        surrogates = block.draw(draw, columns, indices([draw])[0], of_residuals)
        drawn.append(surrogates if scale is None else scale_distances(surrogates, scale[columns]))
    return np.concatenate(drawn)
