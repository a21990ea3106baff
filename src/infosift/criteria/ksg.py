"""Mutual information by nearest neighbours: Kraskov, Stögbauer and Grassberger, Phys. Rev. E 69, 066138 (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from infosift import _kernel
from infosift.arrays import FloatArray, IntArray
from infosift.criteria.folds import score_each_fold
from infosift.engine import Question, ThreadEngine

_FEWEST_SHARED_ROWS = 32
_FEWEST_SHARED_FOLDS = 5


@dataclass(frozen=True)
class KSG:
    """The two estimators of the paper, in nats, in the max norm, never clipped at zero.

    ``variant`` 1 is equation 8: one radius per row, that of its k-th neighbour in the joint space, and the rows
    strictly within it counted in each space. ``variant`` 2 is equation 9: separate half-widths in each space, the
    largest among the k neighbours, rim included; rows tied with the k-th neighbour count as neighbours.

    With variant 1 any column, the target included, may have categories, which makes it the estimator of Ross
    (2014) for a discrete target, and missing values, which are near to every value.
    """

    variant: int = 1

    @property
    def takes_categories(self) -> bool:
        """Whether columns and target may be discrete."""
        return self.variant == 1

    def score(
        self, questions: Sequence[Question], neighbors: Sequence[int], engine: ThreadEngine
    ) -> list[FloatArray]:
        """Return the estimate of MI(given + candidate; target) for each candidate and number of neighbours."""
        k = np.asarray(neighbors, dtype=np.int64)

        def score_block(
            candidates: FloatArray, given: FloatArray, target: FloatArray, n_threads: int
        ) -> FloatArray:
            n_rows = target.shape[1]
            table = _digamma_table(n_rows)
            means = _kernel.digamma_means(candidates, given, target, k, table, self.variant, n_threads)
            return self._constants(k, n_rows) - means

        return engine.score(score_block, questions)

    def score_without_folds(
        self, question: Question, folds: IntArray, neighbors: Sequence[int], engine: ThreadEngine
    ) -> FloatArray:
        """Return the estimates (candidates x folds x neighbors) on the rows without each fold.

        Candidates on their own share the search for neighbours among the folds, where the kernel can.
        """
        n_folds = int(folds.max()) + 1
        alone = self.variant == 1 and len(question.given) == 0 and len(question.target) == 1
        if not alone or question.n_rows < _FEWEST_SHARED_ROWS or n_folds < _FEWEST_SHARED_FOLDS:
            return score_each_fold(self, question, folds, neighbors, engine)
        picked = np.arange(len(question.candidates)) if question.picked is None else np.array(question.picked)
        numbers = _are_numbers(question.candidates)[picked] & _are_numbers(question.target)[0]
        scores = np.empty((len(picked), n_folds, len(neighbors)))
        if numbers.any():
            part = replace(question, picked=picked[numbers].tolist())
            scores[numbers] = self._score_numbers_without_folds(part, folds, neighbors, engine)
        if not numbers.all():
            part = replace(question, picked=picked[~numbers].tolist())
            scores[~numbers] = score_each_fold(self, part, folds, neighbors, engine)
        return scores

    def _score_numbers_without_folds(
        self, question: Question, folds: IntArray, neighbors: Sequence[int], engine: ThreadEngine
    ) -> FloatArray:
        k = np.asarray(neighbors, dtype=np.int64)
        rows_left = question.n_rows - np.bincount(folds)
        constants = np.stack([self._constants(k, int(n_rows)) for n_rows in rows_left])

        def score_block(
            candidates: FloatArray, given: FloatArray, target: FloatArray, n_threads: int
        ) -> FloatArray:
            table = _digamma_table(target.shape[1])
            return constants - _kernel.fold_digamma_means(candidates, target, folds, k, table)

        return engine.score(score_block, [question])[0]

    def _constants(self, k: IntArray, n_rows: int) -> FloatArray:
        table = _digamma_table(n_rows)
        correction = 1.0 / k if self.variant == 2 else 0.0
        return np.asarray(table[k] - correction + table[n_rows])


def _are_numbers(columns: FloatArray) -> NDArray[np.bool_]:
    """Tell which columns have numbers only: no categories and no gaps."""
    return np.array([bool(np.all(column < _kernel.CATEGORY_GAP)) for column in columns])


@lru_cache(maxsize=8)
def _digamma_table(n_rows: int) -> FloatArray:
    table = np.zeros(n_rows + 1)
    table[1:] = digamma(np.arange(1, n_rows + 1))
    table.setflags(write=False)
    return table
