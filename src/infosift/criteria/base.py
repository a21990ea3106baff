"""The base class of criteria: what is measured, the structural parameter, and how candidates are scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from infosift.arrays import ColumnArray, FloatArray, IntArray
from infosift.engines.base import Engine, Question, map_in_order
from infosift.errors import Hint, InputError, is_auto, listing, require_count, require_rows
from infosift.registry import CRITERIA, resolve

# Sums of floats are accurate to about this many digits, and processors differ in those after them.
_DIGITS = 12
_MAX_NEIGHBORS = 20

# A value of the structural parameter; None is that of a criterion without one.
Value: TypeAlias = float | None
# Takes the column of a candidate (rows) and returns a score for each value of the structural parameter.
CandidateScorer: TypeAlias = Callable[[FloatArray], FloatArray]


class Criterion(BaseEstimator):  # type: ignore[misc]
    """How informative a subset of features is about the target: the base class of all criteria; higher is more.

    A criterion implements ``scorer_given``, which computes once what depends on the subset and the target only.
    Each candidate is then scored on its own, by operations whose shapes depend on the rows and the subset only, so
    that a score has the same bits whatever the other candidates of its block and the number of threads. To score
    whole blocks at once, override ``score_block`` instead.

    The structural parameter is what an estimate cannot do without: a number of neighbours, of bins, a bandwidth.
    Only the criterion knows its meaning; searches and methods pass its values on.

    Attributes
    ----------
    parameter, parameter_in_words : str
        The structural parameter, and what to call it in a sentence; empty for a criterion without one, whose only
        value is None.
    measure, unit : str
        The quantity that a score estimates, and its unit, empty where it has none.
    takes_categories : bool
        Whether features and target may be discrete.
    takes_gaps : bool
        Whether features may have missing values.
    separates_special_values : bool
        Whether a column may be partly numbers and partly categories, such as a value that many rows share.
    """

    parameter: ClassVar[str] = ""
    parameter_in_words: ClassVar[str] = ""
    measure: ClassVar[str] = "mutual information"
    unit: ClassVar[str] = "nats"
    takes_categories: ClassVar[bool] = True
    takes_gaps: ClassVar[bool] = False
    separates_special_values: ClassVar[bool] = False

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate.

        Parameters
        ----------
        given, target : ndarray of shape (columns, rows)
            The subset, which may be empty, and the target: standardised numbers, or encoded categories.
        values : sequence of float, or (None,)
            Values of the structural parameter.
        """
        raise NotImplementedError

    def score_block(
        self,
        values: Sequence[Value],
        candidates: FloatArray,
        given: FloatArray,
        target: FloatArray,
        n_threads: int,
    ) -> FloatArray:
        """Return the scores (candidates x values) of a block of candidates, on so many threads."""
        scorer = self.scorer_given(given, target, values)
        return rounded(np.stack(list(map_in_order(scorer, candidates, n_threads))))

    @property
    def fixed_value(self) -> Value:
        """The value that the user gave; None where it is to be chosen, or where there is none."""
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
        why = type(self).__name__ if value is None else Hint(self.parameter, value)
        require_rows(n_rows, self.fewest_rows(value), why)

    def default_value(self, n_rows: int) -> Value:
        """Return the value that is used where none is given and none is chosen."""
        return None

    def values_to_compare(self, n_rows: int) -> tuple[Value, ...]:
        """Return the values of which resampling chooses one."""
        return (None,)

    def values_at_once(self, n_rows: int) -> tuple[Value, ...]:
        """Return the values that a test which allows for several uses at once: the given or the default one."""
        return (self.default_value(n_rows) if self.fixed_value is None else self.fixed_value,)

    def score(self, questions: Sequence[Question], values: Sequence[Value], engine: Engine) -> list[FloatArray]:
        """Return the scores (candidates x values) of each question: of its given columns plus each candidate."""
        return engine.score(partial(self.score_block, tuple(values)), questions)

    def score_without_folds(
        self, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
    ) -> FloatArray:
        """Return the scores (candidates x folds x values) on the rows without each fold."""
        return score_each_fold(self, question, folds, values, engine)

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return what functions report for scores: these, or an error, which is low where scores are high."""
        return scores


class NeighborsCriterion(Criterion):
    """A criterion whose structural parameter is a number of neighbours, given or up to ``max_neighbors``."""

    parameter = "n_neighbors"
    parameter_in_words = "the number of neighbours"
    _DEFAULT = 10
    _FEWEST_COMPARED = 1
    n_neighbors: int | str
    max_neighbors: int

    def check(self) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_count("max_neighbors", self.max_neighbors, least=1)
        if is_auto(self.n_neighbors):
            return
        require_count("n_neighbors", self.n_neighbors, 1, '"auto" or ')
        if self.max_neighbors != _MAX_NEIGHBORS:
            raise InputError(
                f'max_neighbors={self.max_neighbors} is for n_neighbors="auto", and '
                f"n_neighbors={self.n_neighbors} is given: leave one of them out."
            )

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows a number of neighbours needs."""
        return 2 + (1 if value is None else int(value))

    def default_value(self, n_rows: int) -> int:
        """Return the number of neighbours where none is given and none is chosen; fewer where rows are few."""
        return max(1, min(self._DEFAULT, n_rows - 2))

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of neighbours to compare: up to the maximum, and at most half of the other rows."""
        most = min(int(self.max_neighbors), (n_rows - 1) // 2)
        return tuple(range(min(self._FEWEST_COMPARED, most) or 1, most + 1))


@dataclass(frozen=True)
class Scorer:
    """A criterion with one value of its structural parameter and the engine it runs on."""

    criterion: Criterion
    value: Value
    engine: Engine

    def __call__(
        self, candidates: ColumnArray, given: FloatArray, target: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return the score of the given columns plus each candidate, or each of those picked."""
        question = Question(candidates, given, target, picked)
        return self.criterion.score([question], (self.value,), self.engine)[0][:, 0]


def score_each_fold(
    criterion: Criterion, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
) -> FloatArray:
    """Return the scores (candidates x folds x values) on the rows without each fold, fold by fold."""
    parts = [replace(question, rows=np.flatnonzero(folds != fold)) for fold in range(int(folds.max()) + 1)]
    return np.stack(criterion.score(parts, values, engine), axis=1)


def rounded(scores: FloatArray) -> FloatArray:
    """Return scores without the digits in which processors differ, and without negative zeros."""
    return np.asarray(np.round(scores, _DIGITS) + 0.0, dtype=np.float64)


def require_gaps_taken(criterion: Criterion, missing: str, gaps: Mapping[str, int]) -> None:
    """Refuse missing values, counted by feature, that are to be kept for a criterion that cannot compare them."""
    if missing == "partial" and gaps and not criterion.takes_gaps:
        names = listing([f'"{name}"' for name in gaps])
        raise InputError(
            f"{criterion} cannot compare rows with missing values, and there are some in {names}: use ",
            Hint("missing", "drop"),
            " or ",
            Hint("criterion", "ksg"),
            ", or fill them in first.",
        )


def as_criterion(given: Any) -> Criterion:
    """Return a criterion that was given as an object or by its short name, with its parameters checked."""
    criterion = resolve("criterion", given, CRITERIA, "score_without_folds")
    criterion.check()
    return criterion
