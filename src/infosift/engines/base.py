"""Engines: where functions are applied to blocks of columns, with the same bits wherever that is.

An engine applies pure functions to items, such as blocks of columns, on threads of this process or on the workers
of a cluster. Here are its interface, the question that every criterion answers (``Question``), how columns lie in
blocks (``ColumnBlocks``), and the engine of threads.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from threading import Lock
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from infosift.arrays import ColumnArray, FloatArray, IntArray
from infosift.errors import Hint, InputError, shown

# Tasks take different times, so that threads and workers finish together when each has several.
PARTS_PER_THREAD = 4
# Large enough that what candidates share is computed seldom, small enough to copy.
_COLUMNS_PER_BLOCK = 128
_VALUES_PER_BLOCK = 8_000_000
_MOST_JOBS = 4096  # more threads than any machine has cores, and about as many as any system starts

Answer = TypeVar("Answer")
# Stands for an answer that stays with the worker that computed it (a future); of threads, it is the answer itself.
# Where a handle is passed to a function, as an item or in a tuple, the function gets the answer.
Handle: TypeAlias = Any
# Columns of one block: the handle of the block, and their positions in it.
BlockColumns: TypeAlias = tuple[Handle, IntArray]
# Takes candidates, given columns, target (columns x rows) and the number of threads it may use; returns a row of
# scores for each candidate.
BlockScorer: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]


@dataclass(frozen=True)
class ColumnBlocks:
    """The columns of a table in blocks, each where an engine works: the first position and the handle of each."""

    starts: tuple[int, ...]
    blocks: tuple[Handle, ...]

    def locate(self, positions: Sequence[int]) -> tuple[BlockColumns, ...]:
        """Return the blocks and places of columns, of which ``join_columns`` makes one array in the same order."""
        runs = groupby(positions, lambda position: bisect_right(self.starts, position) - 1)
        return tuple((self.blocks[block], np.array(list(own)) - self.starts[block]) for block, own in runs)

    def runs(self, positions: Sequence[int], most: int) -> list[slice]:
        """Return parts of a list of positions, of at most ``most`` each, such that each part lies in one block."""
        places = groupby(range(len(positions)), lambda place: bisect_right(self.starts, positions[place]))
        in_one_block = [list(own) for _, own in places]
        return [
            slice(own[0] + part.start, own[0] + part.stop)
            for own in in_one_block
            for part in equal_parts(len(own), most)
        ]


def join_columns(located: Sequence[tuple[FloatArray, IntArray]]) -> FloatArray:
    """Return columns of blocks as one array (columns x rows), which nobody may write into."""
    columns = [_columns_at(block, places) for block, places in located]
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _columns_at(block: FloatArray, places: IntArray) -> FloatArray:
    """Return columns of a block; where they are contiguous, a read-only view."""
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 != len(places) or np.any(np.diff(places) != 1):
        return block[places]
    run = block[first : last + 1]
    run.flags.writeable = False
    return run


@dataclass(frozen=True)
class Question:
    """Given a subset and the target, what is the score of the subset plus each of these candidates?

    A forward step, a permutation test, a filter and the choice of k all consist of such questions. Arrays are
    (columns x rows). Only the block that is being scored is ever copied.

    Parameters
    ----------
    candidates : ColumnArray or ColumnBlocks
        The columns among which the candidates are.
    given, target : ndarray
        The subset, which may be empty, and the target.
    picked : sequence of int or None
        The candidates, as positions among ``candidates``; None for all of an array.
    rows : ndarray of int or None
        The rows to use; None for all.
    candidate_rows : ndarray of int or None
        Rows from which the values of the candidates are taken instead, such as a permutation of the rows, which
        shuffles the candidates against all else.
    """

    candidates: ColumnArray | ColumnBlocks
    given: FloatArray
    target: FloatArray
    picked: Sequence[int] | None = None
    rows: IntArray | None = None
    candidate_rows: IntArray | None = None

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        if self.picked is not None:
            return len(self.picked)
        assert not isinstance(self.candidates, ColumnBlocks)
        return len(self.candidates)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.target.shape[1] if self.rows is None else len(self.rows)

    def block(self, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return a block of candidates, the given columns and the target, contiguous as the kernel requires."""
        candidate_rows = self.rows if self.candidate_rows is None else self.candidate_rows
        return (
            rows_of(self._candidates_at(columns), candidate_rows),
            rows_of(self.given, self.rows),
            rows_of(self.target, self.rows),
        )

    def _candidates_at(self, columns: slice) -> FloatArray:
        if isinstance(self.candidates, ColumnBlocks):
            assert self.picked is not None
            return join_columns(self.candidates.locate(self.picked[columns]))
        return np.asarray(self.candidates[columns if self.picked is None else list(self.picked[columns])])


class Engine(ABC):
    """A place where functions are applied to items in parallel; results do not depend on where, or in which order.

    Functions are pure: they return what they compute, and write into nothing that they are passed. Their first
    argument is an item, the others are shared by all items.

    Attributes
    ----------
    is_remote : bool
        Whether the work is done by other processes, which may read a table themselves.
    bytes_sent : int or None
        About how many bytes were sent to workers and back so far; None where there are none.
    block_bytes : int
        How many bytes the columns of a block should have at most.
    """

    is_remote: ClassVar[bool]
    bytes_sent: int | None
    block_bytes: int
    _on_block: Callable[[int], object]

    @abstractmethod
    def map(self, function: Callable[..., Answer], items: Sequence[Any], *shared: Any) -> Iterator[Answer]:
        """Apply a function to items, and yield the answers in their order as soon as they are there."""

    @abstractmethod
    def persist(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[Handle]:
        """Apply a function to items, and return handles of the answers, which stay where they are computed."""

    @abstractmethod
    def release(self, handles: Sequence[Handle]) -> None:
        """Forget answers, and those they were computed from; should they be needed, they are computed again."""

    @abstractmethod
    def distribute(self, columns: ColumnArray | ColumnBlocks) -> ColumnBlocks:
        """Return the columns of a table in blocks that lie where the work is done."""

    @property
    @abstractmethod
    def local(self) -> Engine:
        """An engine of this process, for work that is not worth sending."""

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """In how many parts work keeps all threads or workers busy to the end."""

    def share(self, n_items: int) -> int:
        """Return how many items a part has, so that there are ``n_parts`` of them."""
        return max(1, -(-n_items // self.n_parts))

    def parts(self, n_items: int, most: int, step: int = 1) -> list[slice]:
        """Divide items into parts that keep all busy, of about ``most`` at most, in multiples of a step."""
        return equal_parts(n_items, round_up(min(self.share(n_items), most), step))

    @abstractmethod
    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows of scores of its candidates in their order."""

    def _joined(
        self, n_questions: int, tasks: Sequence[tuple[int, Any]], blocks: Iterator[FloatArray]
    ) -> list[FloatArray]:
        """Join the scores of blocks, each for the question whose number begins its task, and report them."""
        scores: list[list[FloatArray]] = [[] for _ in range(n_questions)]
        for (number, _), block in zip(tasks, blocks, strict=True):
            scores[number].append(block)
            self._on_block(len(block))
        return [np.concatenate(own) for own in scores]


class ThreadEngine(Engine):
    """Applies functions to items, and scores blocks of candidates, on threads of this process.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning: None is 1 unless a ``joblib.parallel_config`` says
        otherwise, -1 is one per core.
    block_size : int or None
        Candidates per block. None chooses it from the size of the question. It has no effect on the scores.
    on_block : callable or None
        Called with the number of candidates of each block that is scored, and with 0 after each item of other
        work; an exception ends the work.
    """

    is_remote = False
    block_bytes = 4_000_000

    def __init__(
        self,
        n_jobs: int | None = None,
        block_size: int | None = None,
        on_block: Callable[[int], object] | None = None,
    ) -> None:
        if n_jobs is not None and (
            not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0 or abs(n_jobs) > _MOST_JOBS
        ):
            wanted = f" must be a number of threads, -1 for one per core, or None, not {shown(n_jobs)}"
            raise InputError(Hint("n_jobs"), f"{wanted}: give at most {_MOST_JOBS:,}.")
        self.n_threads: int = min(effective_n_jobs(n_jobs), _MOST_JOBS)
        self.block_size = block_size
        self.bytes_sent = None
        self._on_block = on_block or ignore_count

    @property
    def local(self) -> ThreadEngine:
        """The engine itself."""
        return self

    @property
    def n_parts(self) -> int:
        """Several parts for each thread; one where there is one thread."""
        return _n_parts(self.n_threads)

    def map(self, function: Callable[..., Answer], items: Sequence[Any], *shared: Any) -> Iterator[Answer]:
        """Apply a function to items, and yield the answers in their order as soon as they are there."""
        with single_threaded_blas():
            for answer in map_in_order(lambda item: function(item, *shared), items, self.n_threads):
                self._on_block(0)
                yield answer

    def persist(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[Handle]:
        """Apply a function to items, and return the answers, which are their own handles."""
        return list(self.map(function, items, *shared))

    def release(self, handles: Sequence[Handle]) -> None:
        """Do nothing: an answer lives as long as a reference to it."""

    def distribute(self, columns: ColumnArray | ColumnBlocks) -> ColumnBlocks:
        """Return the columns as one block, unless they are in blocks."""
        return columns if isinstance(columns, ColumnBlocks) else ColumnBlocks((0,), (columns,))

    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows of scores of its candidates in their order."""
        few = len(questions) < self.n_threads * PARTS_PER_THREAD
        # Candidates that are added to the same subset have much in common, which a block computes once. Threads
        # divide the rows of one block after another. Elsewhere each thread has blocks of its own.
        if few and all(len(question.given) > 0 and len(question.target) == 1 for question in questions):
            return [self._score(score_block, [question], self.n_threads, 1)[0] for question in questions]
        return self._score(score_block, questions, 1, self.n_threads)

    def _score(
        self, score_block: BlockScorer, questions: Sequence[Question], threads_per_block: int, n_at_once: int
    ) -> list[FloatArray]:
        """Score blocks, several at once or with several threads each."""
        size = self.block_size or _block_size(questions, n_at_once)
        tasks = [
            (number, part)
            for number, question in enumerate(questions)
            for part in equal_parts(question.n_candidates, size)
        ]

        def score(task: tuple[int, slice]) -> FloatArray:
            return score_block(*questions[task[0]].block(task[1]), threads_per_block)

        with single_threaded_blas():
            return self._joined(len(questions), tasks, map_in_order(score, tasks, n_at_once))


def ignore_count(count: int) -> None:
    """Do nothing: where nobody wants to know of progress."""


def _n_parts(n_threads: int) -> int:
    return 1 if n_threads == 1 else n_threads * PARTS_PER_THREAD


def _block_size(questions: Sequence[Question], n_at_once: int) -> int:
    n_candidates = sum(question.n_candidates for question in questions)
    n_rows = max(question.n_rows for question in questions)
    share = -(-n_candidates // _n_parts(n_at_once))
    return max(1, min(share, _COLUMNS_PER_BLOCK, _VALUES_PER_BLOCK // n_rows))


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
    """Divide items into parts of ``size``, the last of those that remain."""
    return [slice(start, min(start + size, n_items)) for start in range(0, n_items, size)]


def round_up(size: int, step: int) -> int:
    """Return the smallest multiple of a step that is no smaller than a size."""
    return -(-size // step) * step


def rows_of(columns: FloatArray, rows: IntArray | None) -> FloatArray:
    """Return rows of columns (columns x rows), None for all, as a contiguous array."""
    return np.ascontiguousarray(columns if rows is None else columns[:, rows])


class _SingleThreadedBlas:
    """A context that threads may enter at the same time; the limit is lifted when the last of them has left."""

    def __init__(self) -> None:
        self._lock, self._n_inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limits = blas_controller().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limits.restore_original_limits()


@cache  # all threads share the one context
def single_threaded_blas() -> _SingleThreadedBlas:
    """Return a context in which linear algebra runs on one thread: the same bits whatever the number of cores.

    It is for the thread that starts others, not for these: only one thread of a process sets such limits.
    """
    return _SingleThreadedBlas()


@cache  # to search for the libraries takes milliseconds, and there are thousands of small problems
def blas_controller() -> ThreadpoolController:
    """Return what sets the number of threads of linear algebra in this process."""
    return ThreadpoolController()


class AlignedPickle:
    """A class of which objects are pickled as one string of bytes, so that their arrays arrive aligned in memory.

    Dask sends arrays out of band, to any address; NumPy sums up and multiplies arrays that are not aligned in
    another order, which changes the last bits.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = self.__getstate__() or {}  # it is None of an object without attributes
        return _unpickled, (pickle.dumps((type(self), state), protocol=pickle.HIGHEST_PROTOCOL),)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def _unpickled(content: bytes) -> Any:
    kind, state = pickle.loads(content)
    unpickled = object.__new__(kind)
    unpickled.__setstate__(state)
    return unpickled
