"""Scores blocks of candidate columns on threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from infosift.arrays import FloatArray
from infosift.engines.base import (
    Answer,
    BlockScorer,
    Handle,
    Question,
    SpreadColumns,
    equal_parts,
    in_steps,
    map_in_order,
    on_one_thread,
)
from infosift.errors import Hint, InputError, shown

# Large enough that what candidates share is worked out seldom, small enough to copy.
_COLUMNS_PER_BLOCK = 128
_MOST_JOBS = 2**31 - 1
_VALUES_PER_BLOCK = 8_000_000
# Columns take different times, so that threads finish together when they take several blocks each.
_BLOCKS_PER_THREAD = 4


class ThreadEngine:
    """Scores the candidates of questions in blocks, on threads of this process.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning: None is 1 unless a ``joblib.parallel_config`` says
        otherwise, -1 is one per core.
    block_size : int or None
        Candidates per block. None chooses it from the size of the question. It has no effect on the scores.
    on_block : callable or None
        Called with the number of candidates of each block that is scored, and with none for all other work; an
        exception ends it.
    """

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
        self._on_block = on_block

    is_remote = False
    bytes_of_block = 4_000_000

    @property
    def here(self) -> ThreadEngine:
        """The engine itself."""
        return self

    def each(self, function: Callable[..., Answer], items: Sequence[Any], *shared: Any) -> Iterator[Answer]:
        """Yield the answers of a function for some items, worked out beside each other."""
        with on_one_thread():
            for found in map_in_order(lambda item: function(item, *shared), items, self.n_threads):
                if self._on_block is not None:
                    self._on_block(0)
                yield found

    def keep(self, function: Callable[..., Any], items: Sequence[Any], *shared: Any) -> list[Handle]:
        """Return the answers of a function for some items: they are here."""
        return list(self.each(function, items, *shared))

    def release(self, handles: Sequence[Handle]) -> None:
        """Leave it to whoever holds the answers."""

    def spread(self, columns: Any) -> SpreadColumns:
        """Return the columns in one block, unless they are in blocks."""
        return columns if isinstance(columns, SpreadColumns) else SpreadColumns((0,), (columns,))

    def parts(self, n_items: int, most: int, step: int = 1) -> list[slice]:
        """Return items in several parts for each thread, or in as few as there may be for one."""
        share = n_items if self.n_threads == 1 else -(-n_items // (self.n_threads * _BLOCKS_PER_THREAD))
        return equal_parts(n_items, in_steps(max(1, min(share, most)), step))

    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows that ``score_block`` gives for its candidates, in their order."""
        few = len(questions) < self.n_threads * _BLOCKS_PER_THREAD
        if few and all(question.shares_much for question in questions):
            return [self._score(score_block, [question], self.n_threads, 1)[0] for question in questions]
        return self._score(score_block, questions, 1, self.n_threads)

    def _score(
        self, score_block: BlockScorer, questions: Sequence[Question], within: int, beside: int
    ) -> list[FloatArray]:
        """Return the same, with so many threads that share the rows of a block, or blocks beside each other."""
        size = self.block_size or _fitting_block_size(questions, beside)
        tasks = [
            (number, slice(start, start + size))
            for number, question in enumerate(questions)
            for start in range(0, question.n_candidates, size)
        ]
        parts: list[list[FloatArray]] = [[] for _ in questions]

        def score(task: tuple[int, slice]) -> FloatArray:
            return score_block(*questions[task[0]].block(task[1]), within)

        with on_one_thread():
            for (number, _), block in zip(tasks, map_in_order(score, tasks, beside), strict=True):
                parts[number].append(block)
                if self._on_block is not None:
                    self._on_block(len(block))
        return [np.concatenate(part) for part in parts]


def _fitting_block_size(questions: Sequence[Question], n_threads: int) -> int:
    n_candidates = sum(question.n_candidates for question in questions)
    n_rows = max(question.n_rows for question in questions)
    share = n_candidates if n_threads == 1 else -(-n_candidates // (n_threads * _BLOCKS_PER_THREAD))
    return max(1, min(share, _COLUMNS_PER_BLOCK, _VALUES_PER_BLOCK // n_rows))
