"""The protocol of engines, which score blocks of candidate columns, and what all engines share."""

from __future__ import annotations

import pickle
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from threading import Lock
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from infosift.arrays import FloatArray, IntArray

Answer = TypeVar("Answer")
# An answer that stays where it was worked out, or the answer itself.
Handle: TypeAlias = Any
# Some columns of a block: its handle, and which of its columns.
Piece: TypeAlias = tuple[Handle, IntArray]
_MOST_HELD = 32 * 2**20  # the most that the C library takes
_SHARE_HELD = 1 / 64
_LITTLE = 2 * 2**30
# Numbers of parameters of glibc's malloc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


@dataclass(frozen=True)
class SpreadColumns:
    """The columns of a table in blocks that lie where an engine works: the first position of each, and handles."""

    starts: tuple[int, ...]
    blocks: tuple[Handle, ...]

    def pieces(self, positions: Sequence[int]) -> tuple[Piece, ...]:
        """Return some columns as pieces of blocks, such that ``joined_columns`` has them in the order asked."""
        pieces: list[tuple[int, list[int]]] = []
        for position in positions:
            block = bisect_right(self.starts, position) - 1
            if not pieces or pieces[-1][0] != block:
                pieces.append((block, []))
            pieces[-1][1].append(position - self.starts[block])
        return tuple((self.blocks[block], np.array(places)) for block, places in pieces)

    def runs(self, positions: Sequence[int], most: int) -> list[slice]:
        """Return parts of some positions, of at most so many, such that those of a part are in one block."""
        blocks = [bisect_right(self.starts, position) for position in positions]
        cuts = [i for i in range(1, len(blocks)) if blocks[i] != blocks[i - 1]]
        edges = zip([0, *cuts], [*cuts, len(blocks)], strict=True)
        return [
            slice(start + part.start, start + part.stop)
            for start, stop in edges
            for part in equal_parts(stop - start, most)
        ]


def joined_columns(pieces: Sequence[tuple[FloatArray, IntArray]]) -> FloatArray:
    """Return the columns that pieces of blocks are made of, where the blocks are."""
    found = [_columns_at(block, places) for block, places in pieces]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _columns_at(block: FloatArray, places: IntArray) -> FloatArray:
    """Return some columns of a block; where they lie side by side, no copy, which nobody can write into."""
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 != len(places) or np.any(np.diff(places) != 1):
        return block[places]
    run = block[first : last + 1]
    run.flags.writeable = False
    return run


@dataclass(frozen=True)
class Question:
    """Given a subset and the target, what is the score of the subset plus each of these candidates?

    Each array holds one column of the table per row. ``picked`` are the columns among ``candidates`` that are
    asked about, None for all; of candidates that lie elsewhere it has to say which. ``rows`` restricts the
    question to some rows of the table; ``candidate_rows`` says from which rows the candidates' values are taken
    instead, so that a shuffle of the candidates against all else needs no copy of the table. Only the block that
    is being scored is ever copied.
    """

    candidates: Any
    given: FloatArray
    target: FloatArray
    picked: Sequence[int] | None = None
    rows: IntArray | None = None
    candidate_rows: IntArray | None = None

    @property
    def n_candidates(self) -> int:
        """Number of columns the question is about."""
        return len(self.candidates) if self.picked is None else len(self.picked)

    @property
    def n_rows(self) -> int:
        """Number of rows the question is about."""
        return self.target.shape[1] if self.rows is None else len(self.rows)

    @property
    def shares_much(self) -> bool:
        """Whether the candidates have so much in common that threads had better share the rows."""
        return len(self.given) > 0 and len(self.target) == 1

    def block(self, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return a block of candidates, the given columns and the target, ready for the kernel."""
        candidate_rows = self.rows if self.candidate_rows is None else self.candidate_rows
        return (
            rows_of(self._candidates_at(columns), candidate_rows),
            rows_of(self.given, self.rows),
            rows_of(self.target, self.rows),
        )

    def _candidates_at(self, columns: slice) -> FloatArray:
        if isinstance(self.candidates, SpreadColumns):
            assert self.picked is not None
            return joined_columns(self.candidates.pieces(self.picked[columns]))
        return np.asarray(self.candidates[columns if self.picked is None else list(self.picked[columns])])


# Takes candidates, given columns, target and the number of threads it may use.
BlockScorer: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]


class Engine(Protocol):
    """A place where work is done in pieces, with the same results whatever the pieces and their order.

    Functions are pure: they return what they work out, and write into nothing that they are passed. The first
    argument is an item; the others are what all items share. ``here`` does what is not worth sending anywhere.
    """

    @property
    def bytes_sent(self) -> int | None:
        """About how many bytes were sent to workers and back so far; None where there are none."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether the work is done by other processes, which may read a table themselves."""
        ...

    @property
    def bytes_of_block(self) -> int:
        """How many bytes the columns of a block should have at most."""
        ...

    @property
    def here(self) -> Engine:
        """An engine of this process."""
        ...

    def each(self, function: Callable[..., Answer], items: Sequence[Any], *shared: Any) -> Iterator[Answer]:
        """Yield the answers of a function for some items, in their order, as soon as they are there."""
        ...

    def keep(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[Handle]:
        """Return handles of such answers, which stay where they are; items may be handles, or tuples with some."""
        ...

    def release(self, handles: Sequence[Handle]) -> None:
        """Let go of answers, and of those they were worked out from; should they be needed, they are again."""
        ...

    def spread(self, columns: Any) -> SpreadColumns:
        """Return the columns of a table in blocks that lie where the work is done."""
        ...

    def parts(self, n_items: int, most: int, step: int = 1) -> list[slice]:
        """Return items in parts that keep all workers busy, of about so many at most, in multiples of a step."""
        ...

    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows that ``score_block`` gives for its candidates, in their order."""
        ...


def map_in_order(function: Callable[[Any], Answer], items: Any, n_threads: int) -> Iterator[Answer]:
    """Apply a function to items on threads, and yield the answers in the order of the items."""
    if n_threads == 1 or len(items) == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield from pool.map(function, items)
    finally:
        pool.shutdown(cancel_futures=True)


def equal_parts(n_items: int, size: int) -> list[slice]:
    """Return items in parts of so many, the last of what is left."""
    return [slice(start, min(start + size, n_items)) for start in range(0, n_items, size)]


def in_steps(size: int, step: int) -> int:
    """Return the smallest multiple of a step that is no smaller."""
    return -(-size // step) * step


def rows_of(columns: FloatArray, rows: IntArray | None) -> FloatArray:
    """Return some rows of columns, or all, as the kernel wants them."""
    return np.ascontiguousarray(columns if rows is None else columns[:, rows])


class _OneThread:
    """A context in which NumPy and SciPy multiply on one thread, until the last who entered it has left."""

    def __init__(self) -> None:
        self._lock, self._n_inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limits = _controller().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limits.restore_original_limits()


_ONE_THREAD = _OneThread()


def on_one_thread() -> _OneThread:
    """Return a context in which NumPy and SciPy multiply on one thread.

    It is for the thread that asks others to work, not for these: only one thread of a process sets such limits.
    """
    return _ONE_THREAD


@cache  # to look for the libraries takes milliseconds, and there are thousands of small problems
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def always_on_one_thread() -> None:
    """Let NumPy and SciPy of this process multiply on one thread from now on: for processes that only work."""
    _controller().limit(limits=1, user_api="blas")


@cache
def always_hold_memory(limit: int | None) -> None:
    """Let this process keep memory of arrays that are gone from now on: for processes that only work.

    Dask tells its workers to return it at once, whereupon each large array has to be given its pages anew. Where a
    worker may not have much memory, large arrays still return theirs.
    """
    held = _MOST_HELD if limit is None else min(_MOST_HELD, int(limit * _SHARE_HELD))
    set_option = _of_malloc("mallopt")
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, held)
        set_option(_TRIM_THRESHOLD, held)


def return_memory(limit: int | None) -> None:
    """Return memory of arrays that are gone to the system, where this process may not have much."""
    trim = _of_malloc("malloc_trim") if limit is not None and limit < _LITTLE else None
    if trim is not None:
        trim(0)


@cache
def _of_malloc(name: str) -> Any:
    """Return a function of glibc's, None where there is none."""
    return getattr(CDLL(None), name, None) if sys.platform == "linux" else None


class Sendable:
    """Sent as one string of bytes, of which arrays are made that are aligned.

    Arrays that are sent for themselves lie anywhere in what is received; NumPy adds up and multiplies those that
    are not aligned in another way.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _received, (pickle.dumps((type(self), self.__getstate__()), protocol=pickle.HIGHEST_PROTOCOL),)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def _received(sent: bytes) -> Any:
    kind, state = pickle.loads(sent)
    received = object.__new__(kind)
    received.__setstate__(state)
    return received


def aligned(value: Any) -> Any:
    """Return arrays, also in tuples and lists, that are aligned in memory."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if type(value) in (tuple, list):
        return type(value)(map(aligned, value))
    return type(value)(*map(aligned, value)) if isinstance(value, tuple) else value


def bytes_of(value: Any) -> int:
    """Return about how many bytes a value takes to send."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, (tuple, list)):
        return sum(map(bytes_of, value))
    if isinstance(value, Sendable):
        return len(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, part.name)) for part in fields(value))
    return 8
