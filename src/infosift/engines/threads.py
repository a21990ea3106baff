"""The engine of this process: blocks of candidate columns are scored on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from infosift.arrays import ColumnArray, FloatArray
from infosift.engines.base import (
    PARTS_PER_THREAD,
    Answer,
    BlockScorer,
    ColumnBlocks,
    Engine,
    Handle,
    Question,
    map_in_order,
    single_threaded_blas,
)
from infosift.errors import Hint, InputError, shown

# Large enough that what candidates share is computed seldom, small enough to copy.
_COLUMNS_PER_BLOCK = 128
_VALUES_PER_BLOCK = 8_000_000
_MOST_JOBS = 2**31 - 1


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
            raise InputError(
                Hint("n_jobs"), f" must be a number of threads, -1 for one per core, or None, not {shown(n_jobs)}."
            )
        self.n_threads: int = effective_n_jobs(n_jobs)
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
            (number, slice(start, start + size))
            for number, question in enumerate(questions)
            for start in range(0, question.n_candidates, size)
        ]
        scores: list[list[FloatArray]] = [[] for _ in questions]

        def score(task: tuple[int, slice]) -> FloatArray:
            return score_block(*questions[task[0]].block(task[1]), threads_per_block)

        with single_threaded_blas():
            for (number, _), block in zip(tasks, map_in_order(score, tasks, n_at_once), strict=True):
                scores[number].append(block)
                self._on_block(len(block))
        return [np.concatenate(blocks) for blocks in scores]


def ignore_count(count: int) -> None:
    """Do nothing: where nobody wants to know of progress."""


def _n_parts(n_threads: int) -> int:
    return 1 if n_threads == 1 else n_threads * PARTS_PER_THREAD


def _block_size(questions: Sequence[Question], n_at_once: int) -> int:
    n_candidates = sum(question.n_candidates for question in questions)
    n_rows = max(question.n_rows for question in questions)
    share = -(-n_candidates // _n_parts(n_at_once))
    return max(1, min(share, _COLUMNS_PER_BLOCK, _VALUES_PER_BLOCK // n_rows))
