"""Tables whose columns workers read and hold: the driver knows a summary, and fetches the columns it needs.

Such tables are lazy frames of polars, and arrays and frames of Dask (``ColumnSource``).
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
import polars as pl

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.columns import (
    ColumnSummary,
    Features,
    PreparedColumns,
    are_complete,
    as_frame,
    digests_of,
    labels_of,
    names_as_text,
    names_occurring,
)
from infosift.data.frames import as_plain, read_array, read_frame, require_table
from infosift.data.prepare import Preparation, prepare, scale_distances, spreads_of, units_of
from infosift.data.types import are_categorical, n_categories
from infosift.engines import in_memory
from infosift.engines.base import ColumnBlocks, Engine, Handle, equal_parts, join_columns, rows_of
from infosift.errors import require_same_length

# Columns that the driver holds once it has fetched them: those of the subset, above all.
_MOST_FETCHED = 64
# The values of columns, which are discrete, and which are text that reads as numbers.
_Block: TypeAlias = tuple[FloatArray, frozenset[int], Mapping[int, str], Mapping[int, tuple[str, ...]]]


class ColumnSource(ABC):
    """A table that is not read yet.

    ``has_names`` is whether its columns have names; ``labels`` are their labels where not all of them are text.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...] = ()
    has_names: bool = True

    @abstractmethod
    def block(self, part: slice) -> Any:
        """Return columns, not read yet, for a worker to read by ``read_block``."""

    @abstractmethod
    def taken(self, positions: Sequence[int]) -> Any:
        """Return columns as a table of the same type, not read either."""


def lazy_source(data: Any) -> ColumnSource:
    """Return a lazy table as a source of columns."""
    if isinstance(data, pl.LazyFrame):
        return _LazyFrame(data)
    return _DaskFrame(data) if hasattr(data, "columns") else _DaskArray(data)


class _LazyFrame(ColumnSource):
    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame
        self.names = tuple(frame.collect_schema().names())

    def block(self, part: slice) -> _LazyPlan:
        return _LazyPlan(self._frame.select(self.names[part]))

    def taken(self, positions: Sequence[int]) -> pl.LazyFrame:
        return self._frame.select([self.names[i] for i in positions])


class _LazyPlan:
    """The plan of a lazy frame, as bytes.

    A frame that was read keeps what it knows of the file, which can be many megabytes, and workers hold an item as
    long as they hold the answer.
    """

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._plan = pickle.dumps(frame)

    def read(self) -> pl.DataFrame:
        frame: pl.LazyFrame = pickle.loads(self._plan)
        return frame.collect()


class _DaskArray(ColumnSource):
    has_names = False

    def __init__(self, array: Any) -> None:
        require_table(array)
        self._array = array
        self.names = tuple(f"x{i}" for i in range(array.shape[1]))

    def block(self, part: slice) -> Any:
        return self._array[:, part].rechunk(-1).to_delayed().item()

    def taken(self, positions: Sequence[int]) -> Any:
        return self._array[:, list(positions)]


class _DaskFrame(ColumnSource):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._columns = list(frame.columns)
        self.names = tuple(names_as_text(self._columns))
        self.labels = labels_of(self._columns)

    def block(self, part: slice) -> Any:
        from dask.delayed import delayed

        return delayed(_end_to_end)(self._frame[self._columns[part]].to_delayed())

    def taken(self, positions: Sequence[int]) -> Any:
        return self._frame[[self._columns[i] for i in positions]]


def _end_to_end(parts: list[Any]) -> Any:
    frames = [nw.from_native(part, eager_only=True) for part in parts]
    return nw.concat(frames).to_native()


def read_block(item: tuple[Any, tuple[str, ...]]) -> _Block:
    """Read columns, on a worker: their values, which are discrete, and which are text that reads as numbers."""
    data, names = item
    data = data.read() if isinstance(data, _LazyPlan) else in_memory(data)
    frame = as_frame(data)
    columns = read_array(as_plain(data), names=names) if frame is None else read_frame(frame, data)
    return np.ascontiguousarray(columns.values), columns.discrete, dict(columns.numeric_text), columns.categories


class RemoteColumns:
    """Prepared columns (columns x rows) that lie with workers, with what a table needs of an array's interface.

    ``columns[positions]`` and ``columns[start:stop]`` fetch columns; ``columns[:, rows]`` takes rows of all, which
    stay with the workers.
    """

    def __init__(self, engine: Engine, column_blocks: ColumnBlocks, shape: tuple[int, int]) -> None:
        self.engine, self.column_blocks, self.shape = engine, column_blocks, shape
        self._fetched: OrderedDict[int, FloatArray] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of columns."""
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return columns at positions; or, after a colon and a comma, rows of all columns."""
        if isinstance(key, tuple):
            rows = np.arange(self.shape[1])[key[1]]
            return self.of_blocks(self.engine.persist(rows_of, self.column_blocks.blocks, rows), len(rows))
        return self._fetch(range(len(self))[key] if isinstance(key, slice) else [int(i) for i in key])

    def of_blocks(self, blocks: Sequence[Handle], n_rows: int) -> RemoteColumns:
        """Return columns in other blocks, each computed from the block of the same number."""
        column_blocks = ColumnBlocks(self.column_blocks.starts, tuple(blocks))
        return RemoteColumns(self.engine, column_blocks, (len(self), n_rows))

    def _fetch(self, positions: Sequence[int]) -> FloatArray:
        """Return columns, those fetched before from here; the least recently used are dropped."""
        missing = sorted({i for i in positions if i not in self._fetched})
        parts = self.engine.map(join_columns, [(own,) for own in self.column_blocks.locate(missing)])
        self._fetched.update(zip(missing, (column for part in parts for column in part), strict=True))
        for i in positions:
            self._fetched.move_to_end(i)
        columns = np.array([self._fetched[i] for i in positions]).reshape(len(positions), self.shape[1])
        while len(self._fetched) > _MOST_FETCHED:
            self._fetched.popitem(last=False)
        return columns


@scale_distances.register
def _(columns: RemoteColumns, scale: FloatArray) -> RemoteColumns:
    scales = np.split(scale, columns.column_blocks.starts[1:])
    items = list(zip(columns.column_blocks.blocks, scales, strict=True))
    return columns.of_blocks(columns.engine.persist(_scaled_block, items), columns.shape[1])


def _scaled_block(item: tuple[FloatArray, FloatArray]) -> FloatArray:
    block, scale = item
    return np.asarray(scale_distances(block, scale))


@dataclass(frozen=True)
class RemoteFeatures(Features):
    """Features whose values workers hold, in blocks: the first position and the handle of each."""

    engine: Engine
    starts: tuple[int, ...]
    handles: tuple[Handle, ...]
    rows: int

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.rows

    @cached_property
    def summary(self) -> ColumnSummary:
        """What is known of each column."""
        return ColumnSummary.joined(list(self.engine.map(_summary_of, self.handles)))

    def with_places(self, positions: Collection[int]) -> list[tuple[Handle, IntArray]]:
        """Return each block with those of the positions that lie in it, counted from its start."""
        ordered, edges = np.array(sorted(positions), dtype=np.int64), (*self.starts, len(self.names))
        cuts = np.searchsorted(ordered, edges)
        return [(handle, ordered[cuts[i] : cuts[i + 1]] - self.starts[i]) for i, handle in enumerate(self.handles)]

    def take(self, rows: BoolArray) -> RemoteFeatures:
        """Return some of the rows."""
        if rows.all():
            return self
        taken = np.flatnonzero(rows)
        return replace(self, handles=tuple(self.engine.persist(_take_rows, self.handles, taken)), rows=len(taken))

    def complete_rows(self, ignored: Sequence[int]) -> BoolArray:
        """Tell in which rows every column that is not ignored has a value."""
        whole = np.ones(self.n_rows, dtype=bool)
        for own in self.engine.map(_complete_rows_of, self.with_places(ignored)):
            whole &= own
        return whole

    def count_categories(self, positions: Sequence[int]) -> list[int]:
        """Count the different values of columns, missing ones aside."""
        items = [item for item in self.with_places(positions) if len(item[1])]
        counts = [count for own in self.engine.map(_counts_of, items) for count in own]
        by_position = dict(zip(sorted(positions), counts, strict=True))
        return [by_position[i] for i in positions]

    def named_categories(self) -> dict[int, tuple[str, ...]]:
        """Return the names of the categories that occur, in the order of their codes, where they are known."""
        named = zip(self.starts, self.engine.map(_named_of, self.with_places(self.discrete)), strict=True)
        return {start + i: names for start, own in named for i, names in own.items()}

    def prepared(self, how: Preparation, ignored: Sequence[int] = ()) -> PreparedColumns:
        """Let workers prepare the columns for estimators, and forget the values as read."""
        engine = self.engine
        discrete, unread = self.with_places(self.discrete), self.with_places(ignored)
        items = [(handle, own, out) for (handle, own), (_, out) in zip(discrete, unread, strict=True)]
        columns = engine.persist(_prepared_block, items, how)
        known = list(engine.map(_known_of, columns))
        spreads = None
        if how.scale == "none":
            both = list(zip(self.handles, columns, strict=True))
            spreads = np.concatenate(list(engine.map(_spreads_of, both)))
        units = np.concatenate(list(engine.map(_units_of, self.handles)))
        engine.release(self.handles)
        return PreparedColumns(
            RemoteColumns(engine, ColumnBlocks(self.starts, tuple(columns)), (len(self.names), self.n_rows)),
            tuple(digest for digests, _ in known for digest in digests),
            np.concatenate([flags for _, flags in known]),
            spreads,
            units,
        )


def read_remotely(source: ColumnSource, n_rows: int, engine: Engine, fewest_columns: int = 16) -> RemoteFeatures:
    """Let workers read the columns of a lazy table in blocks; ``n_rows`` is the number of rows of the target.

    A block has at least ``fewest_columns``, also of a long table: so many are predicted at once.
    """
    size = max(fewest_columns, engine.block_bytes // (8 * max(1, n_rows)))
    parts = equal_parts(len(source.names), size)
    handles = tuple(engine.persist(read_block, [(source.block(part), source.names[part]) for part in parts]))
    starts = tuple(part.start for part in parts)
    discrete: set[int] = set()
    numeric_text: dict[int, str] = {}
    for start, (own_rows, own_discrete, own_text) in zip(starts, engine.map(_kinds_of, handles), strict=True):
        require_same_length(own_rows, n_rows)
        discrete.update(start + i for i in own_discrete)
        numeric_text |= {start + i: text for i, text in own_text.items()}
    return RemoteFeatures(
        source.names,
        engine,
        starts,
        handles,
        n_rows,
        discrete=frozenset(discrete),
        numeric_text=numeric_text,
        labels=source.labels,
    )


def _kinds_of(block: _Block) -> tuple[int, frozenset[int], Mapping[int, str]]:
    values, discrete, numeric_text, _ = block
    return values.shape[1], discrete, numeric_text


def _summary_of(block: _Block) -> ColumnSummary:
    return ColumnSummary.of(block[0])


def _take_rows(block: _Block, rows: IntArray) -> _Block:
    return (block[0][:, rows], *block[1:])


def _complete_rows_of(item: tuple[_Block, IntArray]) -> BoolArray:
    block, ignored = item
    return are_complete(block[0], ignored.tolist())


def _counts_of(item: tuple[_Block, IntArray]) -> list[int]:
    block, places = item
    return [n_categories(block[0][place]) for place in places]


def _prepared_block(item: tuple[_Block, IntArray, IntArray], how: Preparation) -> FloatArray:
    block, discrete, ignored = item
    return prepare(block[0], how, set(discrete.tolist()), set(ignored.tolist()))


def _known_of(columns: FloatArray) -> tuple[tuple[bytes, ...], BoolArray]:
    return digests_of(columns), are_categorical(columns)


def _named_of(item: tuple[_Block, IntArray]) -> dict[int, tuple[str, ...]]:
    block, discrete = item
    return names_occurring(block[0], discrete.tolist(), block[3])


def _units_of(block: _Block) -> FloatArray:
    return units_of(block[0])


def _spreads_of(item: tuple[_Block, FloatArray]) -> Any:
    block, columns = item
    return spreads_of(block[0], columns)
