"""Columns of a table that lie with the workers of an engine only: those that are asked for are fetched."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import scale_distances
from infosift.engines.base import Engine, SpreadColumns

# Columns that stay here once they were asked for: those of the subset, above all.
_MOST_FETCHED = 64


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
def _(columns: RemoteColumns, weights: FloatArray) -> RemoteColumns:
    ends = (*columns.spread.starts[1:], len(columns))
    parts = [weights[start:end] for start, end in zip(columns.spread.starts, ends, strict=True)]
    blocks = columns.engine.keep(_weighed_block, list(zip(columns.spread.blocks, parts, strict=True)))
    return RemoteColumns(columns.engine, SpreadColumns(columns.spread.starts, tuple(blocks)), columns.shape)


def _rows_of_block(block: FloatArray, rows: IntArray) -> FloatArray:
    return np.ascontiguousarray(block[:, rows])


def _columns_of_block(piece: tuple[FloatArray, IntArray]) -> FloatArray:
    block, places = piece
    return block[places]


def _weighed_block(asked: tuple[FloatArray, FloatArray]) -> FloatArray:
    block, weights = asked
    return np.asarray(scale_distances(block, weights))
