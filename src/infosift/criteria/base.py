"""What a criterion offers: scores of candidates beside a subset, and its own structural parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.engines.base import Engine, Question

# Of the structural parameter; None is that of a criterion which has none.
Value: TypeAlias = float | None


class Criterion(Protocol):
    """Scores candidates beside a subset, for several values of its structural parameter at once; higher is more.

    The structural parameter is what an estimate cannot do without: a number of neighbours, of bins, a bandwidth.
    Only the criterion knows what it means. Others are told its values, and pass them on. ``parameter`` is its name
    and ``parameter_in_words`` what to call it in a sentence; both are empty for a criterion without one, whose
    only value is None.

    ``measure`` is what a score is an estimate of, ``unit`` its unit, empty where it has none. ``takes_gaps`` is
    whether features may have missing values, and ``separates_special_values`` whether a column may be partly
    numbers and partly categories.
    """

    parameter: str
    parameter_in_words: str
    measure: str
    unit: str

    @property
    def takes_categories(self) -> bool:
        """Whether features and target may be discrete."""
        ...

    @property
    def takes_gaps(self) -> bool:
        """Whether features may have missing values."""
        ...

    @property
    def separates_special_values(self) -> bool:
        """Whether a value that makes up a share of a column of numbers may be a category."""
        ...

    @property
    def fixed_value(self) -> Value:
        """The value that the user gave; None where it is to be chosen, or where there is none."""
        ...

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        ...

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a value needs."""
        ...

    def require_rows(self, n_rows: int, value: Value) -> None:
        """Refuse a table with too few rows for a value."""
        ...

    def default_value(self, n_rows: int) -> Value:
        """Return the value that is used where none is given and none is chosen."""
        ...

    def values_to_compare(self, n_rows: int) -> tuple[Value, ...]:
        """Return the values of which resampling chooses one."""
        ...

    def values_at_once(self, n_rows: int) -> tuple[Value, ...]:
        """Return the values that a test which allows for several tries at once."""
        ...

    def score(self, questions: Sequence[Question], values: Sequence[Value], engine: Engine) -> list[FloatArray]:
        """Return an array (candidates x values) for each question."""
        ...

    def score_without_folds(
        self, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
    ) -> FloatArray:
        """Return an array (candidates x folds x values) of scores on the rows without each fold."""
        ...

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return what users are told for scores: these, or what is low where scores are high, such as an error."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


@dataclass(frozen=True)
class Scorer:
    """A criterion with one value of its structural parameter and the engine it runs on."""

    criterion: Criterion
    value: Value
    engine: Engine

    def __call__(
        self, candidates: FloatArray, given: FloatArray, target: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return the score of the given columns plus each candidate, or each of those picked."""
        question = Question(candidates, given, target, picked)
        return self.criterion.score([question], (self.value,), self.engine)[0][:, 0]


def score_each_fold(
    criterion: Criterion, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
) -> FloatArray:
    """Return an array (candidates x folds x values): each fold is a question of its own."""
    parts = [replace(question, rows=np.flatnonzero(folds != fold)) for fold in range(int(folds.max()) + 1)]
    return np.stack(criterion.score(parts, values, engine), axis=1)
