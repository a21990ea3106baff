"""What a criterion offers: scores of candidates beside a subset, and its own structural parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.engines.base import Engine, Question


class Criterion(Protocol):
    """Scores candidates beside a subset, for several values of its structural parameter at once; higher is more.

    The structural parameter is what an estimate cannot do without: a number of neighbours, of bins, a bandwidth.
    Only the criterion knows what it means. Others are told its values, and pass them on.
    """

    parameter: str

    @property
    def takes_categories(self) -> bool:
        """Whether features and target may be discrete."""
        ...

    @property
    def fixed_value(self) -> int | None:
        """The value that the user gave; None where it is to be chosen."""
        ...

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        ...

    def require_rows(self, n_rows: int, value: int) -> None:
        """Refuse a table with too few rows for a value."""
        ...

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the values of which resampling chooses one."""
        ...

    def values_at_once(self, n_rows: int) -> tuple[int, ...]:
        """Return the values that a test which allows for several tries at once."""
        ...

    def score(self, questions: Sequence[Question], values: Sequence[int], engine: Engine) -> list[FloatArray]:
        """Return an array (candidates x values) for each question."""
        ...

    def score_without_folds(
        self, question: Question, folds: IntArray, values: Sequence[int], engine: Engine
    ) -> FloatArray:
        """Return an array (candidates x folds x values) of scores on the rows without each fold."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


@dataclass(frozen=True)
class Scorer:
    """A criterion with one value of its structural parameter and the engine it runs on."""

    criterion: Criterion
    value: int
    engine: Engine

    def __call__(
        self, candidates: FloatArray, given: FloatArray, target: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return the score of the given columns plus each candidate, or each of those picked."""
        question = Question(candidates, given, target, picked)
        return self.criterion.score([question], (self.value,), self.engine)[0][:, 0]


def score_each_fold(
    criterion: Criterion, question: Question, folds: IntArray, values: Sequence[int], engine: Engine
) -> FloatArray:
    """Return an array (candidates x folds x values): each fold is a question of its own."""
    parts = [replace(question, rows=np.flatnonzero(folds != fold)) for fold in range(int(folds.max()) + 1)]
    return np.stack(criterion.score(parts, values, engine), axis=1)
