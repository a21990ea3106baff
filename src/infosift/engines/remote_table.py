"""Tables whose columns workers read and keep: here is only what is known of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.columns import ColumnSummary, Features, PreparedColumns, are_complete, digests_of
from infosift.data.prepare import Preparation, prepare, scale_distances, spreads_of
from infosift.data.types import are_categorical, n_categories
from infosift.engines.base import Engine, Handle, SpreadColumns, equal_parts
from infosift.engines.lazy_sources import ColumnSource, read_block
from infosift.errors import require_same_length

# Columns that stay here once they were asked for: those of the subset, above all.
_MOST_FETCHED = 64
_FEWEST_COLUMNS = 16  # of a long table: so many are predicted at once
# The values of columns, which are discrete, and which are text that reads as numbers.
_Block: TypeAlias = tuple[FloatArray, frozenset[int], Mapping[int, str]]


class RemoteColumns:
    """Prepared columns (columns x rows) in blocks, with as much of an array as a table needs.

    ``columns[positions]`` and ``columns[start:stop]`` fetch columns; ``columns[:, rows]`` are some rows of all,
    which stay where they are.
    """

    def __init__(self, engine: Engine, spread: SpreadColumns, shape: tuple[int, int]) -> None:
        self.engine, self.spread, self.shape = engine, spread, shape
        self._fetched: OrderedDict[int, FloatArray] = OrderedDict()

    def __len__(self) -> int:
        """Return how many columns there are."""
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return columns at some positions; or, after a colon and a comma, some rows of all columns."""
        if isinstance(key, tuple):
            rows = np.arange(self.shape[1])[key[1]]
            blocks = self.engine.keep(_rows_of_block, self.spread.blocks, rows)
            return RemoteColumns(self.engine, self._with(blocks), (len(self), len(rows)))
        return self._columns(range(len(self))[key] if isinstance(key, slice) else [int(i) for i in key])

    def _with(self, blocks: Sequence[Any]) -> SpreadColumns:
        return SpreadColumns(self.spread.starts, tuple(blocks))

    def _columns(self, positions: Sequence[int]) -> FloatArray:
        missing = sorted({i for i in positions if i not in self._fetched})
        parts = self.engine.each(_columns_of_block, self.spread.pieces(missing))
        found = {i: self._fetched[i] for i in positions if i in self._fetched}
        found |= dict(zip(missing, (column for part in parts for column in part), strict=True))
        for i in positions:
            self._fetched[i] = found[i]
            self._fetched.move_to_end(i)
        while len(self._fetched) > _MOST_FETCHED:
            self._fetched.popitem(last=False)
        columns = np.empty((len(positions), self.shape[1]))
        for place, i in enumerate(positions):
            columns[place] = found[i]
        return columns


@scale_distances.register
def _(columns: RemoteColumns, scale: FloatArray) -> RemoteColumns:
    ends = (*columns.spread.starts[1:], len(columns))
    parts = [scale[start:end] for start, end in zip(columns.spread.starts, ends, strict=True)]
    blocks = columns.engine.keep(_scaled_block, list(zip(columns.spread.blocks, parts, strict=True)))
    return RemoteColumns(columns.engine, SpreadColumns(columns.spread.starts, tuple(blocks)), columns.shape)


def _rows_of_block(block: FloatArray, rows: IntArray) -> FloatArray:
    return np.ascontiguousarray(block[:, rows])


def _columns_of_block(piece: tuple[FloatArray, IntArray]) -> FloatArray:
    block, places = piece
    return block[places]


def _scaled_block(asked: tuple[FloatArray, FloatArray]) -> FloatArray:
    block, scale = asked
    return np.asarray(scale_distances(block, scale))


@dataclass(frozen=True)
class _Blocks:
    """Where the columns of a table are: the first position of each block, and handles of them."""

    engine: Engine
    starts: tuple[int, ...]
    handles: tuple[Handle, ...]
    n_columns: int
    n_rows: int

    @cached_property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        return ColumnSummary.joined(list(self.engine.each(_summary_of, self.handles)))

    def with_places(self, positions: Collection[int]) -> list[tuple[Handle, IntArray]]:
        """Return each block with where some positions are in it."""
        ordered, edges = np.array(sorted(positions), dtype=np.int64), (*self.starts, self.n_columns)
        cuts = np.searchsorted(ordered, edges)
        return [(handle, ordered[cuts[i] : cuts[i + 1]] - self.starts[i]) for i, handle in enumerate(self.handles)]

    def take(self, rows: IntArray) -> _Blocks:
        """Return some of the rows."""
        handles = tuple(self.engine.keep(_take_rows, self.handles, rows))
        return replace(self, handles=handles, n_rows=len(rows))


@dataclass(frozen=True)
class RemoteFeatures(Features):
    """Features whose values are held by the workers of an engine."""

    blocks: _Blocks

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.blocks.n_rows

    @property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        return self.blocks.summary

    def take(self, rows: BoolArray) -> RemoteFeatures:
        """Return some of the rows."""
        return self if rows.all() else replace(self, blocks=self.blocks.take(np.flatnonzero(rows)))

    def complete_rows(self, ignored: Sequence[int]) -> BoolArray:
        """Tell in which rows every column that is not ignored has a value."""
        whole = np.ones(self.n_rows, dtype=bool)
        for own in self.blocks.engine.each(_complete_rows_of, self.blocks.with_places(ignored)):
            whole &= own
        return whole

    def count_categories(self, positions: Sequence[int]) -> list[int]:
        """Count the different values of some columns, missing ones aside."""
        asked = [item for item in self.blocks.with_places(positions) if len(item[1])]
        counts = [count for own in self.blocks.engine.each(_counts_of, asked) for count in own]
        by_position = dict(zip(sorted(positions), counts, strict=True))
        return [by_position[i] for i in positions]

    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> PreparedColumns:
        """Return the columns as the estimators want them, with the workers; these forget the values as read."""
        engine, starts = self.blocks.engine, self.blocks.starts
        discrete, unread = self.blocks.with_places(self.discrete), self.blocks.with_places(ignored)
        items = [(handle, own, out) for (handle, own), (_, out) in zip(discrete, unread, strict=True)]
        columns = engine.keep(_prepared_block, items, how)
        known = list(engine.each(_known_of, columns))
        spreads = None
        if how.scale == "none":
            both = list(zip(self.blocks.handles, columns, strict=True))
            spreads = np.concatenate(list(engine.each(_spreads_of, both)))
        engine.release(self.blocks.handles)
        return PreparedColumns(
            RemoteColumns(engine, SpreadColumns(starts, tuple(columns)), (len(self.names), self.n_rows)),
            tuple(digest for digests, _ in known for digest in digests),
            np.concatenate([flags for _, flags in known]),
            spreads,
        )


def read_remotely(source: ColumnSource, n_rows: int, engine: Engine) -> RemoteFeatures:
    """Let workers read the columns of a source, in blocks; the target has so many rows."""
    size = max(_FEWEST_COLUMNS, engine.bytes_of_block // (8 * max(1, n_rows)))
    parts = equal_parts(len(source.names), size)
    handles = tuple(engine.keep(read_block, [(source.block(part), source.names[part]) for part in parts]))
    starts = tuple(part.start for part in parts)
    discrete: set[int] = set()
    numeric_text: dict[int, str] = {}
    for start, (own_rows, own_discrete, own_text) in zip(starts, engine.each(_kinds_of, handles), strict=True):
        require_same_length(own_rows, n_rows)
        discrete.update(start + i for i in own_discrete)
        numeric_text |= {start + i: said for i, said in own_text.items()}
    blocks = _Blocks(engine, starts, handles, len(source.names), n_rows)
    return RemoteFeatures(
        source.names,
        blocks,
        discrete=frozenset(discrete),
        numeric_text=numeric_text,
        labels=source.labels,
    )


def _kinds_of(block: _Block) -> tuple[int, frozenset[int], Mapping[int, str]]:
    values, discrete, numeric_text = block
    return values.shape[1], discrete, numeric_text


def _summary_of(block: _Block) -> ColumnSummary:
    return ColumnSummary.of(block[0])


def _take_rows(block: _Block, rows: IntArray) -> _Block:
    return (block[0][:, rows], *block[1:])


def _complete_rows_of(asked: tuple[_Block, IntArray]) -> BoolArray:
    block, ignored = asked
    return are_complete(block[0], ignored.tolist())


def _counts_of(asked: tuple[_Block, IntArray]) -> list[int]:
    block, places = asked
    return [n_categories(block[0][place]) for place in places]


def _prepared_block(asked: tuple[_Block, IntArray, IntArray], how: Preparation) -> FloatArray:
    block, discrete, ignored = asked
    return prepare(block[0], how, set(discrete.tolist()), set(ignored.tolist()))


def _known_of(columns: FloatArray) -> tuple[tuple[bytes, ...], BoolArray]:
    return digests_of(columns), are_categorical(columns)


def _spreads_of(asked: tuple[_Block, FloatArray]) -> Any:
    block, columns = asked
    return spreads_of(block[0], columns)
