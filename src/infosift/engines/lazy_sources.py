"""Lazy tables, of which each worker reads some columns: lazy frames of polars, Dask arrays and frames."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import narwhals.stable.v1 as nw
import numpy as np
import polars as pl

from infosift.arrays import FloatArray
from infosift.data.columns import labels_of, names_as_text
from infosift.data.frames import as_frame, as_plain, read_array, read_frame, require_table
from infosift.engines import in_memory


class ColumnSource(Protocol):
    """A table that is not read yet.

    ``has_names`` is whether its columns have names; ``labels`` are their labels where not all of them are text.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    has_names: bool

    def block(self, part: slice) -> Any:
        """Return columns, not read yet, for a worker to read by ``read_block``."""
        ...

    def taken(self, positions: Sequence[int]) -> Any:
        """Return columns as a table of the same type, not read either."""
        ...


def lazy_source(data: Any) -> ColumnSource:
    """Return a lazy table as a source of columns."""
    if isinstance(data, pl.LazyFrame):
        return _LazyFrame(data)
    return _DaskFrame(data) if hasattr(data, "columns") else _DaskArray(data)


class _LazyFrame:
    has_names = True
    labels: tuple[str, ...] = ()

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


class _DaskArray:
    has_names = False
    labels: tuple[str, ...] = ()

    def __init__(self, array: Any) -> None:
        require_table(array)
        self._array = array
        self.names = tuple(f"x{i}" for i in range(array.shape[1]))

    def block(self, part: slice) -> Any:
        return self._array[:, part].rechunk(-1).to_delayed().item()

    def taken(self, positions: Sequence[int]) -> Any:
        return self._array[:, list(positions)]


class _DaskFrame:
    has_names = True

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


def read_block(item: tuple[Any, tuple[str, ...]]) -> tuple[FloatArray, frozenset[int], Mapping[int, str]]:
    """Read columns, on a worker: their values, which are discrete, and which are text that reads as numbers."""
    data, names = item
    data = data.read() if isinstance(data, _LazyPlan) else in_memory(data)
    frame = as_frame(data)
    columns = read_array(as_plain(data), names=names) if frame is None else read_frame(frame, data)
    return np.ascontiguousarray(columns.values), columns.discrete, dict(columns.numeric_text)
