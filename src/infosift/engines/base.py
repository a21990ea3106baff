"""What an engine is asked: blocks of candidate columns beside a fixed subset, scored by pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from infosift.arrays import FloatArray, IntArray

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Question:
    """Given a subset and the target, what is the score of the subset plus each of these candidates?

    Each array holds one column of the table per row. ``picked`` are the columns among ``candidates`` that are
    asked about, None for all. ``rows`` restricts the question to some rows of the table; ``candidate_rows`` says
    from which rows the candidates' values are taken instead, so that a shuffle of the candidates against all else
    needs no copy of the table. Only the block that is being scored is ever copied.
    """

    candidates: FloatArray
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
        block = self.candidates[columns] if self.picked is None else self.candidates[list(self.picked[columns])]
        return (
            _take(block, candidate_rows),
            _take(self.given, self.rows),
            _take(self.target, self.rows),
        )


# Takes candidates, given columns, target and the number of threads it may use.
BlockScorer: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]


class Engine(Protocol):
    """A place where work is done in pieces, with the same results whatever the pieces and their order.

    Functions are pure: they return what they work out, and write into nothing that they are passed.
    """

    def each(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        """Return the answers of a function for some items, in their order."""
        ...

    def score(self, score_block: BlockScorer, questions: Sequence[Question]) -> list[FloatArray]:
        """Return, for each question, the rows that ``score_block`` gives for its candidates, in their order."""
        ...


def _take(columns: FloatArray, rows: IntArray | None) -> FloatArray:
    return np.ascontiguousarray(columns if rows is None else columns[:, rows])
