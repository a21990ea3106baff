"""Tables that are not read yet, of which workers read some columns each: lazy frames, Dask arrays and frames."""

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


class ColumnSource(Protocol):
    """Columns that workers can read; ``labels`` are what a table has in place of names, where not all are text.

    ``has_names`` is whether the table itself has names.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    has_names: bool

    def block(self, part: slice) -> Any:
        """Return some columns, not read yet."""
        ...

    def taken(self, positions: Sequence[int]) -> Any:
        """Return some columns as what the source is."""
        ...


def source_of(data: Any) -> ColumnSource | None:
    """Return the columns of a table that is not read yet; None for one in memory."""
    if isinstance(data, pl.LazyFrame):
        return _LazyFrame(data)
    if not is_dask_collection(data):
        return None
    return _DaskFrame(data) if hasattr(data, "columns") else _DaskArray(data)


def is_dask_collection(data: Any) -> bool:
    """Tell whether data are those of Dask, which need not be there."""
    return not isinstance(data, type) and callable(getattr(data, "__dask_graph__", None))


def in_memory(data: Any) -> Any:
    """Return data that may not be read yet, such as a target, read; a lazy frame of one column is that column."""
    if isinstance(data, pl.LazyFrame):
        frame = data.collect()
        return frame.to_series() if frame.width == 1 else frame
    return data.compute() if is_dask_collection(data) else data


class _LazyFrame:
    has_names = True
    labels: tuple[str, ...] = ()

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame
        self.names = tuple(frame.collect_schema().names())

    def block(self, part: slice) -> _Unread:
        return _Unread(self._frame.select(self.names[part]))

    def taken(self, positions: Sequence[int]) -> pl.LazyFrame:
        return self._frame.select([self.names[i] for i in positions])


class _Unread:
    """A lazy frame, as bytes: one that was read keeps what it knows of the file, which can be many megabytes.

    Workers hold what they were asked as long as they hold the answer.
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


def read_block(asked: tuple[Any, tuple[str, ...]]) -> tuple[FloatArray, frozenset[int], Mapping[int, str]]:
    """Return the values of some columns, which of them are discrete, and which look like something else."""
    data, names = asked
    data = data.read() if isinstance(data, _Unread) else in_memory(data)
    frame = as_frame(data)
    columns = read_array(as_plain(data), names=names) if frame is None else read_frame(frame, data)
    return np.ascontiguousarray(columns.values), columns.discrete, dict(columns.numeric_text)
