"""Scores on the rows without each fold, by any criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.engine import Question, ThreadEngine


class Scores(Protocol):
    """What scores questions."""

    def score(
        self, questions: Sequence[Question], neighbors: Sequence[int], engine: ThreadEngine
    ) -> list[FloatArray]:
        """Return an array (candidates x neighbors) for each question."""
        ...


def score_each_fold(
    criterion: Scores, question: Question, folds: IntArray, neighbors: Sequence[int], engine: ThreadEngine
) -> FloatArray:
    """Return an array (candidates x folds x neighbors): each fold is a question of its own."""
    parts = [replace(question, rows=np.flatnonzero(folds != fold)) for fold in range(int(folds.max()) + 1)]
    return np.stack(criterion.score(parts, neighbors, engine), axis=1)
