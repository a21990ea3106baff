"""Scores blocks of columns on the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import sleep
from typing import Any
from uuid import uuid4
from weakref import ref

import numpy as np
from distributed import Client, Future, KilledWorker, get_worker, wait

from infosift.arrays import FloatArray, IntArray
from infosift.engines.base import (
    Answer,
    BlockScorer,
    Handle,
    Piece,
    Question,
    SpreadColumns,
    aligned,
    always_hold_memory,
    always_on_one_thread,
    bytes_of,
    equal_parts,
    in_steps,
    joined_columns,
    on_one_thread,
    return_memory,
    rows_of,
)
from infosift.engines.lazy_sources import is_dask_collection
from infosift.engines.remote_table import RemoteColumns
from infosift.engines.threads import ThreadEngine
from infosift.errors import InputError

# Tasks take different times, so that workers finish together when each has several; and some more wait for them.
# They are no more than the process that asks can keep up with.
_BLOCKS_PER_THREAD, _MOST_BLOCKS = 4, 500
_TASKS_PER_THREAD = 6
# A task costs the process that asks some twelve milliseconds, beside which its work should be long; and a block a
# worker several times its size.
_LEAST_BYTES_OF_BLOCK, _MOST_BYTES_OF_BLOCK = 4_000_000, 32_000_000
_SHARE_OF_BLOCK = 1 / 256  # of the memory that a worker may have
_LEAST_COLUMNS = 128
_COLUMNS_IN_STEP = 64  # columns of a table are predicted in products of so many
# Arrays that are smaller are sent with each task.
_BYTES_IN_TASK = 8_000
_MOST_TABLES = 3  # that stay with the workers for tasks to come
_SECONDS_TO_LOOK = 0.25
_SECONDS_FOR_WORKERS = 60
_TIMES_LOST = 20


@dataclass(eq=False)
class _Kept:
    """An answer that stays with a worker, and how it came about: should it be lost, it is worked out again.

    Without a function, it is the item itself.
    """

    function: Callable[..., Any] | None
    item: Any
    shared: tuple[Any, ...] = ()
    future: Future | None = field(default=None, repr=False)
    generation: int = -1


@dataclass(frozen=True)
class _Shared:
    """What tasks share, as long as it is needed here."""

    value: ref[Any]
    future: Future
    generation: int


class _TaskFailedError(Exception):
    """A task ended with an exception, for which there is no reason to try it again."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(reason)
        self.reason = reason


# A function, an item and what items share.
_Call = tuple[Callable[..., Any], Any, tuple[Any, ...]]


class DaskEngine:
    """Scores the candidates of questions in blocks, on the workers of a cluster.

    What workers hold and cannot work out again, parts of a table and what tasks share, is sent once more where a
    worker is lost.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    on_block : callable or None
        Called with the number of candidates of each block that is scored, and with none for all other work and
        while there is nothing new; an exception ends the work.
    """

    is_remote = True

    def __init__(self, client: Client, on_block: Callable[[int], object] | None = None) -> None:
        self._client, self._on_block = client, on_block or (lambda count: None)
        self.here = ThreadEngine(1, on_block=on_block)
        self._shared: dict[int, _Shared] = {}
        self._tables: OrderedDict[int, tuple[FloatArray, SpreadColumns]] = OrderedDict()
        self._generation = 0
        self.bytes_sent = 0
        self._n_threads = self._count_threads()
        self.bytes_of_block = self._fitting_block()

    def each(self, function: Callable[..., Answer], items: Sequence[Any], *shared: Any) -> Iterator[Answer]:
        """Yield the answers of a function for some items, worked out by the workers."""
        for answer in self._answers([(function, item, shared) for item in items]):
            self._on_block(0)
            yield answer

    def keep(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[Handle]:
        """Return handles of such answers, which stay with the workers."""
        return [_Kept(function, item, shared) for item in items]

    def release(self, handles: Sequence[Handle]) -> None:
        """Let workers forget answers, and those they were worked out from."""
        for handle in handles:
            if isinstance(handle, _Kept) and handle.function is not None:
                handle.future = None
                self.release(handle.item if type(handle.item) is tuple else (handle.item,))

    def spread(self, columns: Any) -> SpreadColumns:
        """Return the columns in blocks, each with a worker."""
        if isinstance(columns, (SpreadColumns, RemoteColumns)):
            return columns if isinstance(columns, SpreadColumns) else columns.spread
        found = self._tables.pop(id(columns), None)
        if found is None:
            n_columns, n_rows = columns.shape
            size = max(1, min(self._share(n_columns), self.bytes_of_block // (8 * n_rows)))
            parts = equal_parts(n_columns, in_steps(size, _COLUMNS_IN_STEP))
            blocks = tuple(_Kept(None, columns[part]) for part in parts)
            found = (columns, SpreadColumns(tuple(part.start for part in parts), blocks))
        self._tables[id(columns)] = found  # with the table itself, so that no other gets its number
        while len(self._tables) > _MOST_TABLES:
            self._tables.popitem(last=False)
        return found[1]

    def parts(self, n_items: int, most: int, step: int = 1) -> list[slice]:
        """Return items in several parts for each thread of the workers."""
        return equal_parts(n_items, in_steps(max(1, min(self._share(n_items), most)), step))

    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows that ``score_block`` gives for its candidates, in their order."""
        share = self._share(sum(question.n_candidates for question in questions))
        blocks = [self._blocks_of(question, share) for question in questions]
        calls: list[_Call] = []
        for question, own in zip(questions, blocks, strict=True):
            shared = (score_block, question.given, question.target, question.rows, question.candidate_rows)
            calls += [(_score_pieces, block, shared) for block in own]
        answers = self._answers(calls)
        found = []
        for own in blocks:
            parts = []
            for _ in own:
                parts.append(next(answers))
                self._on_block(len(parts[-1]))
            found.append(np.concatenate(parts))
        return found

    def _blocks_of(self, question: Question, share: int) -> list[tuple[Piece, ...]]:
        """Return blocks of candidates: pieces of those that are with the workers, or columns that are sent."""
        candidates = question.candidates
        fitting = max(1, self.bytes_of_block // (8 * question.n_rows))
        size = min(share, max(_LEAST_COLUMNS, fitting))
        if question.picked is None:
            parts = equal_parts(question.n_candidates, min(size, fitting))
            return [((candidates[part], np.arange(part.stop - part.start)),) for part in parts]
        table, picked = self.spread(candidates), list(question.picked)
        return [table.pieces(picked[run]) for run in table.runs(picked, size)]

    def _share(self, n_items: int) -> int:
        return max(1, -(-n_items // min(self._n_threads * _BLOCKS_PER_THREAD, _MOST_BLOCKS)))

    def _count_threads(self) -> int:
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        except OSError as error:  # connections that are lost, and time that is up
            raise InputError(
                f"The Dask cluster had no worker for {_SECONDS_FOR_WORKERS} seconds: start workers, or select "
                "without it."
            ) from error
        return max(1, int(sum(self._client.nthreads().values())))

    def _fitting_block(self) -> int:
        """Return how large blocks may be, by the memory that workers may have."""
        workers = self._client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
        fitting = int(min(limits) * _SHARE_OF_BLOCK) if limits else _MOST_BYTES_OF_BLOCK
        return min(_MOST_BYTES_OF_BLOCK, max(_LEAST_BYTES_OF_BLOCK, fitting))

    def _answers(self, calls: Sequence[_Call]) -> Iterator[Any]:
        """Yield the answers to calls in their order; some more calls than there are threads are under way."""
        waiting, under_way, done = deque(range(len(calls))), dict[Future, int](), dict[int, Any]()
        n_lost = 0
        try:
            with on_one_thread():
                for number in range(len(calls)):
                    while number not in done:
                        try:
                            while waiting and len(under_way) < self._n_threads * _TASKS_PER_THREAD:
                                future = self._submit(*calls[waiting[0]])
                                under_way[future] = waiting.popleft()
                            for future, answer in self._finished(list(under_way)):
                                done[under_way.pop(future)] = answer
                        except _TaskFailedError as failed:
                            raise failed.reason from None
                        except (CancelledError, OSError) as error:  # connections are lost by the latter
                            n_lost += 1
                            self._begin_again(error, n_lost)
                            waiting.extendleft(sorted(under_way.values(), reverse=True))
                            under_way.clear()
                    yield done.pop(number)
        finally:
            if under_way:
                with suppress(Exception):  # the error that ended the work is raised, not one of cancelling
                    self._client.cancel(list(under_way))

    def _finished(self, futures: list[Future]) -> list[tuple[Future, Any]]:
        """Return futures that are done, with their answers; none where it takes longer than people wait."""
        try:
            done = list(wait(futures, timeout=_SECONDS_TO_LOOK, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            self._on_block(0)
            return []
        for future in done:
            if future.status == "error":
                raise _TaskFailedError(_said_of(future.exception()))
        answers = [aligned(answer) for answer in self._client.gather(done)]
        self.bytes_sent += sum(map(bytes_of, answers))
        return list(zip(done, answers, strict=True))

    def _begin_again(self, error: Exception, n_lost: int) -> None:
        """Forget what workers held, so that it is sent anew; give up where the scheduler is gone."""
        self._generation += 1
        sleep(_SECONDS_TO_LOOK)
        try:
            self._n_threads = self._count_threads()
        except InputError:
            n_lost = _TIMES_LOST
        if self._client.status != "running" or n_lost >= _TIMES_LOST:
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
        """Return an item with futures in place of what stays with workers."""
        if isinstance(item, _Kept):
            return self._future_of(item)
        if is_dask_collection(item):
            return self._client.compute(item)
        if type(item) is tuple:
            return tuple(map(self._sent, item))
        self.bytes_sent += bytes_of(item)
        return item

    def _sent_once(self, value: Any) -> Any:
        """Return a future in place of what is large, or has a state of its own: each worker gets it once."""
        if isinstance(value, np.ndarray):
            if value.nbytes <= _BYTES_IN_TASK:
                return value
        elif type(value).__module__.split(".")[0] != "infosift":
            return value
        known = self._shared.get(id(value))
        if known is not None and known.generation == self._generation:
            return known.future
        future = self._client.scatter(value, hash=False)
        self.bytes_sent += bytes_of(value) * len(self._client.nthreads())  # each worker gets it from another
        forget = partial(self._shared.pop, id(value), None)
        # Once nobody here needs it, workers are not to hold it either, nor what they worked out for it.
        self._shared[id(value)] = _Shared(ref(value, lambda _: forget()), future, self._generation)
        return future

    def _future_of(self, kept: _Kept) -> Future:
        if kept.future is None or kept.generation != self._generation:
            if kept.function is None:
                kept.future = self._client.scatter(kept.item, hash=False)
                self.bytes_sent += bytes_of(kept.item)
            else:
                kept.future = self._submit(kept.function, kept.item, kept.shared)
            kept.generation = self._generation
        return kept.future


def _said_of(error: BaseException) -> BaseException:
    if not isinstance(error, KilledWorker):
        return error
    return InputError(
        "Workers of the Dask cluster died of one task again and again, most likely for lack of memory: give each "
        "more of it, or fewer threads."
    )


def _run(function: Callable[..., Answer], asking_process: int, item: Any, *shared: Any) -> Answer:
    """Answer for one item, by a worker."""
    if os.getpid() == asking_process:
        return function(aligned(item), *map(aligned, shared))
    limit = get_worker().memory_manager.memory_limit
    always_on_one_thread()
    always_hold_memory(limit)
    try:
        return function(aligned(item), *map(aligned, shared))
    finally:
        return_memory(limit)


def _score_pieces(
    pieces: tuple[tuple[FloatArray, IntArray], ...],
    score_block: BlockScorer,
    given: FloatArray,
    target: FloatArray,
    rows: IntArray | None,
    candidate_rows: IntArray | None,
) -> FloatArray:
    candidates = rows_of(joined_columns(pieces), rows if candidate_rows is None else candidate_rows)
    return score_block(candidates, rows_of(given, rows), rows_of(target, rows), 1)
