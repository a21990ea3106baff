"""What a criterion offers, and what those written in Python share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray, IntArray
from infosift.engines.base import Answer, Engine, Question
from infosift.errors import require_rows

# Of the structural parameter; None is that of a criterion which has none.
Value: TypeAlias = float | None
# Sums of floats are good to about this many digits, and processors differ in those after them.
_DIGITS = 12
# Takes the column of a candidate; returns a score for each value.
ScoreOne: TypeAlias = Callable[[FloatArray], FloatArray]


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


class BlockCriterion(BaseEstimator):  # type: ignore[misc]
    """A criterion that works out once what depends on the subset and the target only, then scores each candidate.

    A candidate is scored on its own, by operations whose shapes depend on the rows and the subset only. So a score
    has the same bits whatever the other candidates of its block and the number of threads.
    """

    parameter: ClassVar[str] = ""
    parameter_in_words: ClassVar[str] = ""
    measure: ClassVar[str] = "mutual information"
    unit: ClassVar[str] = "nats"
    takes_categories: ClassVar[bool] = True
    takes_gaps: ClassVar[bool] = False
    separates_special_values: ClassVar[bool] = False

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        raise NotImplementedError

    def score_block(
        self,
        values: Sequence[Value],
        candidates: FloatArray,
        given: FloatArray,
        target: FloatArray,
        n_threads: int,
    ) -> FloatArray:
        """Return the scores (candidates x values) of some candidates, on so many threads."""
        return np.stack(list(in_turn(self.beside(given, target, values), candidates, n_threads)))

    @property
    def fixed_value(self) -> Value:
        """The value that was given; None for "auto", and where there is no parameter."""
        value = getattr(self, self.parameter) if self.parameter else None
        if value is None or isinstance(value, str):
            return None
        return int(value) if isinstance(value, Integral) else float(value)

    def check(self) -> None:
        """Refuse parameters that cannot be used."""

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a value needs."""
        return 3

    def require_rows(self, n_rows: int, value: Value) -> None:
        """Refuse a table with too few rows for a value."""
        why = type(self).__name__ if value is None else f"{self.parameter}={value}"
        require_rows(n_rows, self.fewest_rows(value), why)

    def default_value(self, n_rows: int) -> Value:
        """Return the value that is used where none is given and none is chosen."""
        return None

    def values_to_compare(self, n_rows: int) -> tuple[Value, ...]:
        """Return the values of which resampling chooses one."""
        return (None,)

    def values_at_once(self, n_rows: int) -> tuple[Value, ...]:
        """Return the value that was given, or the one that is used where none is."""
        return (self.default_value(n_rows) if self.fixed_value is None else self.fixed_value,)

    def score(self, questions: Sequence[Question], values: Sequence[Value], engine: Engine) -> list[FloatArray]:
        """Return the score of the given columns plus each candidate, for each value."""
        return engine.score(partial(_score_block, self, tuple(values)), questions)

    def score_without_folds(
        self, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
    ) -> FloatArray:
        """Return the scores (candidates x folds x values) on the rows without each fold."""
        return score_each_fold(self, question, folds, values, engine)

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return what users are told for scores."""
        return scores


def _score_block(
    criterion: BlockCriterion,
    values: tuple[Value, ...],
    candidates: FloatArray,
    given: FloatArray,
    target: FloatArray,
    n_threads: int,
) -> FloatArray:
    scores = criterion.score_block(values, candidates, given, target, n_threads)
    return np.asarray(np.round(scores, _DIGITS) + 0.0, dtype=np.float64)


def in_turn(
    function: Callable[[Any], Answer], items: Sequence[Any] | FloatArray, n_threads: int
) -> Iterator[Answer]:
    """Yield the answers of a function for some items, in their order, worked out on so many threads."""
    if n_threads == 1 or len(items) == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, items)
