"""The engine of a Dask cluster: columns of a table lie with its workers, which score blocks of candidates."""

from __future__ import annotations

import os
import pickle
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from ctypes import CDLL
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from time import sleep
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary, ref

import numpy as np
from distributed import Client, Future, KilledWorker, get_worker, wait

from infosift.arrays import ColumnArray, FloatArray, IntArray
from infosift.engines import base, is_dask_collection
from infosift.engines.remote_table import RemoteColumns
from infosift.errors import InputError

# More tasks would take the driver longer than the workers: each costs it some twelve milliseconds.
_MOST_PARTS = 500
# Tasks under way for each thread of the workers, so that none waits for the driver.
_TASKS_PER_THREAD = 6
# A block should be large compared with the cost of its task; and a worker needs several times its size.
_LEAST_BLOCK_BYTES, _MOST_BLOCK_BYTES = 4_000_000, 32_000_000
_SHARE_OF_BLOCK = 1 / 256  # of the memory that a worker may have
_LEAST_COLUMNS = 128
_COLUMNS_IN_STEP = 64  # columns of a table are predicted in products of so many
_BYTES_IN_TASK = 8_000  # smaller arrays are sent with each task
_MOST_TABLES = 3  # that stay with the workers for tasks to come
_POLL_SECONDS = 0.25
_MOST_LOSSES = 20
# Memory that a worker keeps after arrays are freed: the most that malloc accepts, and a share of its limit.
_MOST_KEPT, _SHARE_KEPT = 32 * 2**20, 1 / 64
_LITTLE_MEMORY = 2 * 2**30
# Parameters of mallopt, by their numbers in malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


@dataclass(eq=False)
class _Persisted:
    """A handle: an answer that stays with a worker, and the call that computes it again should it be lost.

    Without a function, the answer is the item itself.
    """

    function: Callable[..., Any] | None
    item: Any
    shared: tuple[Any, ...] = ()


class _TaskError(Exception):
    """A task raised an exception, which it would raise again."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(reason)
        self.reason = reason


# A function, an item and the arguments that items share.
_Call = tuple[Callable[..., Any], Any, tuple[Any, ...]]


class DaskEngine(base.Engine):
    """Applies functions to items, and scores blocks of candidates, on the workers of a Dask cluster.

    What workers hold is known here by futures. Where a worker is lost, all futures are forgotten, and what is
    needed is sent or computed again.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    on_block : callable or None
        Called with the number of candidates of each block that is scored, and with 0 for other work and while
        there is nothing new; an exception ends the work.
    """

    is_remote = True
    seconds_for_workers = 60  # to start

    def __init__(self, client: Client, on_block: Callable[[int], object] | None = None) -> None:
        self._client, self._on_block = client, on_block or base.ignore_count
        self._local = base.ThreadEngine(1, on_block=on_block)
        self._futures: WeakKeyDictionary[_Persisted, Future] = WeakKeyDictionary()
        # Arguments that tasks share, by id, as long as they are referenced here.
        self._shared: dict[int, tuple[ref[Any], Future]] = {}
        self._tables: OrderedDict[int, tuple[ColumnArray, base.ColumnBlocks]] = OrderedDict()
        self.bytes_sent: int = 0
        self._n_threads = self._count_threads()
        self.block_bytes = fitting_block_bytes(client)

    @property
    def local(self) -> base.ThreadEngine:
        """A thread of the driver."""
        return self._local

    @property
    def n_parts(self) -> int:
        """Several parts for each thread of the workers, but no more than the driver can keep up with."""
        return min(self._n_threads * base.PARTS_PER_THREAD, _MOST_PARTS)

    def map(
        self, function: Callable[..., base.Answer], items: Sequence[Any], *shared: Any
    ) -> Iterator[base.Answer]:
        """Apply a function to items on the workers, and yield the answers in their order."""
        for answer in self._answers([(function, item, shared) for item in items]):
            self._on_block(0)
            yield answer

    def persist(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[base.Handle]:
        """Return handles of the answers, which workers compute when they are needed, and hold."""
        return [_Persisted(function, item, shared) for item in items]

    def release(self, handles: Sequence[base.Handle]) -> None:
        """Let workers forget answers, and those they were computed from."""
        for handle in handles:
            if isinstance(handle, _Persisted) and handle.function is not None:
                self._futures.pop(handle, None)
                self.release(handle.item if type(handle.item) is tuple else (handle.item,))

    def distribute(self, columns: ColumnArray | base.ColumnBlocks) -> base.ColumnBlocks:
        """Return the columns in blocks, each with a worker; the last few tables stay with the workers."""
        if isinstance(columns, (base.ColumnBlocks, RemoteColumns)):
            return columns if isinstance(columns, base.ColumnBlocks) else columns.column_blocks
        known = self._tables.pop(id(columns), None)
        if known is None:
            n_columns, n_rows = columns.shape
            size = max(1, min(self.share(n_columns), self.block_bytes // (8 * n_rows)))
            parts = base.equal_parts(n_columns, base.round_up(size, _COLUMNS_IN_STEP))
            blocks = tuple(_Persisted(None, columns[part]) for part in parts)
            known = (columns, base.ColumnBlocks(tuple(part.start for part in parts), blocks))
        self._tables[id(columns)] = known  # with the table itself, so that no other gets its id
        while len(self._tables) > _MOST_TABLES:
            self._tables.popitem(last=False)
        return known[1]

    def score(self, score_block: base.BlockScorer, questions: Sequence[base.Question]) -> list[FloatArray]:
        """Return, for each question, the rows of scores of its candidates in their order."""
        share = self.share(sum(question.n_candidates for question in questions))
        tasks, calls = [], list[_Call]()
        for number, question in enumerate(questions):
            shared = (score_block, question.given, question.target, question.rows, question.candidate_rows)
            blocks = self._blocks_of(question, share)
            tasks += [(number, block) for block in blocks]
            calls += [(_score_columns, block, shared) for block in blocks]
        return self._joined(len(questions), tasks, self._answers(calls))

    def _blocks_of(self, question: base.Question, share: int) -> list[tuple[base.BlockColumns, ...]]:
        """Return blocks of candidates: columns that lie with the workers, or columns that are sent."""
        candidates = question.candidates
        fitting = max(1, self.block_bytes // (8 * question.n_rows))
        size = min(share, max(_LEAST_COLUMNS, fitting))
        if question.picked is None:
            assert not isinstance(candidates, base.ColumnBlocks)
            parts = base.equal_parts(question.n_candidates, min(size, fitting))
            return [((candidates[part], np.arange(part.stop - part.start)),) for part in parts]
        table, picked = self.distribute(candidates), list(question.picked)
        return [table.locate(picked[run]) for run in table.runs(picked, size)]

    def _count_threads(self) -> int:
        try:
            self._client.wait_for_workers(1, timeout=self.seconds_for_workers)
        except OSError as error:  # a lost connection, or no worker in time
            raise InputError(
                f"The Dask cluster had no worker for {self.seconds_for_workers} seconds: start workers, or select "
                "without it."
            ) from error
        return max(1, int(sum(self._client.nthreads().values())))

    def _answers(self, calls: Sequence[_Call]) -> Iterator[Any]:
        """Yield the answers to calls in their order; at any moment a few calls for each thread are under way."""
        waiting, under_way, done = deque(range(len(calls))), dict[Future, int](), dict[int, Any]()
        n_lost = 0
        try:
            with base.single_threaded_blas():
                for number in range(len(calls)):
                    while number not in done:
                        try:
                            while waiting and len(under_way) < self._n_threads * _TASKS_PER_THREAD:
                                future = self._submit(*calls[waiting[0]])
                                under_way[future] = waiting.popleft()
                            for future, answer in self._finished(list(under_way)):
                                done[under_way.pop(future)] = answer
                        except _TaskError as failed:
                            raise failed.reason from None
                        except (CancelledError, OSError) as error:  # a lost connection is an OSError
                            n_lost += 1
                            self._forget_futures(error, n_lost)
                            waiting.extendleft(sorted(under_way.values(), reverse=True))
                            under_way.clear()
                    yield done.pop(number)
        finally:
            if under_way:
                with suppress(Exception):  # the error that ended the work is raised, not one of cancelling
                    self._client.cancel(list(under_way))

    def _finished(self, futures: list[Future]) -> list[tuple[Future, Any]]:
        """Return futures that are done, with their answers; none where nothing is done for a moment."""
        try:
            done = list(wait(futures, timeout=_POLL_SECONDS, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            self._on_block(0)
            return []
        for future in done:
            if future.status == "error":
                raise _TaskError(_reason_of(future.exception()))
        answers = [_aligned(answer) for answer in self._client.gather(done)]
        self.bytes_sent += sum(map(_n_bytes, answers))
        return list(zip(done, answers, strict=True))

    def _forget_futures(self, error: Exception, n_lost: int) -> None:
        """Forget what workers held, so that it is sent again; give up where the scheduler is gone."""
        self._futures.clear()
        self._shared.clear()
        sleep(_POLL_SECONDS)
        try:
            self._n_threads = self._count_threads()
        except InputError:
            n_lost = _MOST_LOSSES
        if self._client.status != "running" or n_lost >= _MOST_LOSSES:
            raise InputError(
                f"The connection to the Dask cluster was lost ({type(error).__name__}): start again with the same "
                "checkpoint, if there is one, to go on from the last step."
            ) from error

    def _submit(self, function: Callable[..., Any], item: Any, shared: tuple[Any, ...]) -> Future:
        return self._client.submit(
            _run,
            function,
            os.getpid(),
            self._sent(item),
            *map(self._sent_once, shared),
            key=f"infosift {function.__name__.strip('_')}-{uuid4().hex}",
            pure=False,
        )

    def _sent(self, item: Any) -> Any:
        """Return an item with futures in place of handles and of data of Dask."""
        if isinstance(item, _Persisted):
            return self._future_of(item)
        if is_dask_collection(item):
            return self._client.compute(item)
        if type(item) is tuple:
            return tuple(map(self._sent, item))
        self.bytes_sent += _n_bytes(item)
        return item

    def _sent_once(self, value: Any) -> Any:
        """Return a future in place of a large array or an object of ours: each worker gets it once."""
        if isinstance(value, np.ndarray):
            if value.nbytes <= _BYTES_IN_TASK:
                return value
        elif type(value).__module__.split(".")[0] != "infosift":
            return value
        if id(value) in self._shared:
            return self._shared[id(value)][1]
        future = self._client.scatter(value, hash=False)
        self.bytes_sent += _n_bytes(value) * len(self._client.nthreads())  # workers pass it on to each other
        forget = partial(self._shared.pop, id(value), None)
        # Once it is not referenced here, workers need not hold it either, nor what they computed with it.
        self._shared[id(value)] = (ref(value, lambda _: forget()), future)
        return future

    def _future_of(self, kept: _Persisted) -> Future:
        if kept not in self._futures:
            if kept.function is None:
                self._futures[kept] = self._client.scatter(kept.item, hash=False)
                self.bytes_sent += _n_bytes(kept.item)
            else:
                self._futures[kept] = self._submit(kept.function, kept.item, kept.shared)
        return self._futures[kept]


def fitting_block_bytes(client: Client) -> int:
    """Return how many bytes a block may have, by the memory that workers may have."""
    workers = client.scheduler_info()["workers"].values()
    limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
    fitting = int(min(limits) * _SHARE_OF_BLOCK) if limits else _MOST_BLOCK_BYTES
    return min(_MOST_BLOCK_BYTES, max(_LEAST_BLOCK_BYTES, fitting))


def _reason_of(error: BaseException) -> BaseException:
    if not isinstance(error, KilledWorker):
        return error
    return InputError(
        "Workers of the Dask cluster died of one task again and again, most likely for lack of memory: give each "
        "more of it, or fewer threads."
    )


def _run(function: Callable[..., base.Answer], driver: int, item: Any, *shared: Any) -> base.Answer:
    """Apply a function to an item, on a worker."""
    if os.getpid() == driver:  # workers that are threads of the driver
        return function(_aligned(item), *map(_aligned, shared))
    limit = get_worker().memory_manager.memory_limit
    _set_up_worker(limit)
    try:
        return function(_aligned(item), *map(_aligned, shared))
    finally:
        _return_freed_memory(limit)


def _score_columns(
    located: tuple[tuple[FloatArray, IntArray], ...],
    score_block: base.BlockScorer,
    given: FloatArray,
    target: FloatArray,
    rows: IntArray | None,
    candidate_rows: IntArray | None,
) -> FloatArray:
    candidates = base.rows_of(base.join_columns(located), rows if candidate_rows is None else candidate_rows)
    return score_block(candidates, base.rows_of(given, rows), base.rows_of(target, rows), 1)


def _aligned(value: Any) -> Any:
    """Return arrays, also in tuples and lists, that are aligned in memory: sums have the same bits everywhere."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if type(value) in (tuple, list):
        return type(value)(map(_aligned, value))
    return type(value)(*map(_aligned, value)) if isinstance(value, tuple) else value


def _n_bytes(value: Any) -> int:
    """Return about how many bytes a value takes to send."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, (tuple, list)):
        return sum(map(_n_bytes, value))
    if isinstance(value, base.AlignedPickle):
        return len(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
    if is_dataclass(value):
        return sum(_n_bytes(getattr(value, part.name)) for part in fields(value))
    return 8


@cache
def _set_up_worker(limit: int | None) -> None:
    """Let a worker process multiply on one thread, and keep the memory of freed arrays for the next ones.

    Dask tells its workers to return memory at once, whereupon each large array has to be given its pages anew: for
    a table of 2000 x 1500 values, tasks then took 102 s of processor time in place of 79 s. Where a worker may not
    have much memory, large arrays still return theirs.
    """
    base.blas_controller().limit(limits=1, user_api="blas")
    kept = _MOST_KEPT if limit is None else min(_MOST_KEPT, int(limit * _SHARE_KEPT))
    if (set_option := _malloc_function("mallopt")) is not None:
        set_option(_MMAP_THRESHOLD, kept)
        set_option(_TRIM_THRESHOLD, kept)


def _return_freed_memory(limit: int | None) -> None:
    """Return the memory of freed arrays to the system, where a worker may not have much."""
    trim = _malloc_function("malloc_trim") if limit is not None and limit < _LITTLE_MEMORY else None
    if trim is not None:
        trim(0)


@cache
def _malloc_function(name: str) -> Any:
    """Return a function of glibc's malloc; None where there is none."""
    return getattr(CDLL(None), name, None) if sys.platform == "linux" else None
