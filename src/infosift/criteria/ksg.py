"""Mutual information by nearest neighbours: Kraskov, Stögbauer and Grassberger, Phys. Rev. E 69, 066138 (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from scipy.special import digamma
from sklearn.base import BaseEstimator

from infosift import _kernel
from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Value, score_each_fold
from infosift.data.types import only_numbers
from infosift.engines.base import Engine, Question
from infosift.errors import Hint, InputError, is_auto, require_choice, require_count, require_rows

_MAX_NEIGHBORS = 20
# Between 3, which has least bias, and the 15 to 20 that have least variance.
_DEFAULT_NEIGHBORS = 6
_FEWEST_ROWS_PER_NEIGHBOR = 4
_FEWEST_SHARED_ROWS = 32
_FEWEST_SHARED_FOLDS = 5


class KSG(BaseEstimator):  # type: ignore[misc]
    """Mutual information by nearest neighbours, in nats, in the max norm, never clipped at zero.

    With variant 1 features and target may be discrete, which makes it the estimator of Ross (2014) for a discrete
    target, and may have missing values: a row is compared in the features that it has, with the rows that have
    these too.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        Number of neighbours. "auto" leaves it to the method: chosen by resampling, or several tested at once.
    max_neighbors : int, default=20
        Largest number of neighbours that "auto" looks at.
    variant : {1, 2}, default=1
        1 is equation 8: one radius per row, that of its k-th neighbour in the joint space, and the rows strictly
        within it counted in each space. 2 is equation 9: separate half-widths in each space, the largest among the
        k neighbours, rim included; rows tied with the k-th neighbour count as neighbours.

    Examples
    --------
    >>> from infosift import KSG, MutualInfoSelector
    >>> MutualInfoSelector(criterion=KSG(n_neighbors=6)).get_params()["criterion__n_neighbors"]
    6
    """

    parameter: ClassVar[str] = "n_neighbors"
    parameter_in_words: ClassVar[str] = "the number of neighbours"
    measure: ClassVar[str] = "mutual information"
    unit: ClassVar[str] = "nats"

    def __init__(
        self, n_neighbors: int | str = "auto", *, max_neighbors: int = _MAX_NEIGHBORS, variant: int = 1
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors
        self.variant = variant

    @property
    def takes_categories(self) -> bool:
        """Whether features and target may be discrete."""
        return self.variant == 1

    @property
    def takes_gaps(self) -> bool:
        """Whether features may have missing values."""
        return self.variant == 1

    @property
    def separates_special_values(self) -> bool:
        """Whether a value that makes up a share of a column of numbers may be a category."""
        return self.variant == 1

    @property
    def fixed_value(self) -> int | None:
        """The number of neighbours that was given; None for "auto"."""
        return None if isinstance(self.n_neighbors, str) else int(self.n_neighbors)

    def check(self) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_choice("variant", self.variant, (1, 2))
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
        return _whole(value) + 2

    def require_rows(self, n_rows: int, value: Value) -> None:
        """Refuse a table with too few rows for a number of neighbours."""
        require_rows(n_rows, self.fewest_rows(value), Hint("n_neighbors", value))

    def default_value(self, n_rows: int) -> int:
        """Return 6, or as many neighbours as fewer rows allow."""
        return max(1, min(_DEFAULT_NEIGHBORS, n_rows - 2))

    def values_to_compare(self, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of neighbours to compare: 1 to the maximum, and at most half of the other rows."""
        return tuple(range(1, min(int(self.max_neighbors), (n_rows - 1) // 2) + 1))

    def values_at_once(self, n_rows: int) -> tuple[int, ...]:
        """Return the given number of neighbours, or the largest and half of it, which see unlike dependences."""
        if self.fixed_value is not None:
            return (self.fixed_value,)
        most = max(1, n_rows // _FEWEST_ROWS_PER_NEIGHBOR)
        largest = int(self.max_neighbors)
        return tuple(sorted({min(k, most) for k in (max(1, largest // 2), largest)}))

    def score(self, questions: Sequence[Question], values: Sequence[Value], engine: Engine) -> list[FloatArray]:
        """Return the estimate of MI(given + candidate; target) for each candidate and number of neighbours."""
        k = np.asarray(values, dtype=np.int64)
        return engine.score(partial(_score_block, self.variant, k), questions)

    def score_without_folds(
        self, question: Question, folds: IntArray, values: Sequence[Value], engine: Engine
    ) -> FloatArray:
        """Return the estimates (candidates x folds x values) on the rows without each fold.

        Candidates on their own share the search for neighbours among the folds, where the kernel can.
        """
        n_folds = int(folds.max()) + 1
        alone = self.variant == 1 and len(question.given) == 0 and len(question.target) == 1
        if not alone or question.n_rows < _FEWEST_SHARED_ROWS or n_folds < _FEWEST_SHARED_FOLDS:
            return score_each_fold(self, question, folds, values, engine)
        picked = np.arange(question.n_candidates) if question.picked is None else np.array(question.picked)
        by_block = engine.each(only_numbers, engine.spread(question.candidates).blocks)
        numbers = np.concatenate(list(by_block))[picked] & only_numbers(question.target)[0]
        scores = np.empty((len(picked), n_folds, len(values)))
        if numbers.any():
            part = replace(question, picked=picked[numbers].tolist())
            k = np.asarray(values, dtype=np.int64)
            scores[numbers] = engine.score(partial(_score_block_without_folds, folds, k), [part])[0]
        if not numbers.all():
            part = replace(question, picked=picked[~numbers].tolist())
            scores[~numbers] = score_each_fold(self, part, folds, values, engine)
        return scores

    def reported(self, scores: FloatArray) -> FloatArray:
        """Return the scores, which are what users are told."""
        return scores


def _whole(value: Value) -> int:
    assert value is not None
    return int(value)


def _score_block(
    variant: int, k: IntArray, candidates: FloatArray, given: FloatArray, target: FloatArray, n_threads: int
) -> FloatArray:
    n_rows = target.shape[1]
    means = _kernel.digamma_means(candidates, given, target, k, _digamma_table(n_rows), variant, n_threads)
    return np.asarray(_constants(variant, k, n_rows) - means)


def _score_block_without_folds(
    folds: IntArray, k: IntArray, candidates: FloatArray, given: FloatArray, target: FloatArray, n_threads: int
) -> FloatArray:
    rows_left = target.shape[1] - np.bincount(folds)
    constants = np.stack([_constants(1, k, int(n_rows)) for n_rows in rows_left])
    table = _digamma_table(target.shape[1])
    return np.asarray(constants - _kernel.fold_digamma_means(candidates, target, folds, k, table))


def _constants(variant: int, k: IntArray, n_rows: int) -> FloatArray:
    table = _digamma_table(n_rows)
    correction = 1.0 / k if variant == 2 else 0.0
    return np.asarray(table[k] - correction + table[n_rows])


@lru_cache(maxsize=8)
def _digamma_table(n_rows: int) -> FloatArray:
    table = np.zeros(n_rows + 1)
    table[1:] = digamma(np.arange(1, n_rows + 1))
    table.setflags(write=False)
    return table
