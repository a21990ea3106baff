"""What criteria written in Python share: a parameter that is given or chosen, and candidates scored one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value, score_each_fold
from infosift.engines.base import Answer, Engine, Question
from infosift.errors import require_rows

# Sums of floats are good to about this many digits, and processors differ in those after them.
_DIGITS = 12

# Takes the column of a candidate; returns a score for each value.
ScoreOne: TypeAlias = Callable[[FloatArray], FloatArray]


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
