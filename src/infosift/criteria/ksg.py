"""Mutual information by nearest neighbours: Kraskov, Stögbauer and Grassberger, Phys. Rev. E 69, 066138 (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from scipy.special import digamma

from infosift import _kernel
from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.criteria.base import NeighborsCriterion, Value, score_each_fold
from infosift.data.types import are_categorical
from infosift.engines.base import Engine, Question
from infosift.errors import require_choice

# At most a quarter of the rows are neighbours of one, so that an estimate stays local.
_FEWEST_ROWS_PER_NEIGHBOR = 4
# Folds share the search for neighbours from these sizes on; below them, each has its own.
_FEWEST_SHARED_ROWS, _FEWEST_SHARED_FOLDS = 32, 5


class KSG(NeighborsCriterion):
    """Mutual information by nearest neighbours, in nats, in the max norm, never clipped at zero.

    With variant 1 features and target may be discrete, which makes it the estimator of Ross (2014) for a discrete
    target, and may have missing values: a row is compared in the features that it has, with the rows that have
    these too.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        Number of neighbours. "auto" leaves it to the method: chosen by resampling, or several tested at once.
    max_neighbors : int, default=20
        Largest number of neighbours that "auto" considers.
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

    _DEFAULT = 6  # between 3, which has least bias, and the 15 to 20 that have least variance

    def __init__(self, n_neighbors: int | str = "auto", *, max_neighbors: int = 20, variant: int = 1) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors
        self.variant = variant

    @property
    def takes_categories(self) -> bool:  # type: ignore[override]
        """Whether features and target may be discrete: in variant 1."""
        return self.variant == 1

    takes_gaps = separates_special_values = takes_categories

    def check(self) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        require_choice("variant", self.variant, (1, 2))
        super().check()

    def values_at_once(self, n_rows: int) -> tuple[Value, ...]:
        """Return the given number of neighbours, or the largest and half of it, which see unlike dependences."""
        if self.fixed_value is not None:
            return (self.fixed_value,)
        most = max(1, n_rows // _FEWEST_ROWS_PER_NEIGHBOR)
        largest = int(self.max_neighbors)
        return tuple(sorted({min(k, most) for k in (max(1, largest // 2), largest)}))

    def score_block(
        self,
        values: Sequence[Value],
        candidates: FloatArray,
        given: FloatArray,
        target: FloatArray,
        n_threads: int,
    ) -> FloatArray:
        """Return the estimates (candidates x values) of MI(given + candidate; target)."""
        k, n_rows = np.asarray(values, dtype=np.int64), target.shape[1]
        table = _digamma_table(n_rows)
        means = _kernel.digamma_means(candidates, given, target, k, table, self.variant, n_threads)
        return np.asarray(_constants(self.variant, k, n_rows) - means)

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
        by_block = engine.map(_are_plain_numbers, engine.distribute(question.candidates).blocks)
        numbers = np.concatenate(list(by_block))[picked] & _are_plain_numbers(question.target)[0]
        scores = np.empty((len(picked), n_folds, len(values)))
        if numbers.any():
            part = replace(question, picked=picked[numbers].tolist())
            k = np.asarray(values, dtype=np.int64)
            scores[numbers] = engine.score(partial(_score_block_without_folds, folds, k), [part])[0]
        if not numbers.all():
            part = replace(question, picked=picked[~numbers].tolist())
            scores[~numbers] = score_each_fold(self, part, folds, values, engine)
        return scores


def _are_plain_numbers(columns: FloatArray) -> BoolArray:
    """Tell which columns hold numbers only, without categories and gaps."""
    return ~(are_categorical(columns) | np.isnan(columns).any(axis=1))


def _score_block_without_folds(
    folds: IntArray, k: IntArray, candidates: FloatArray, given: FloatArray, target: FloatArray, n_threads: int
) -> FloatArray:
    rows_left = target.shape[1] - np.bincount(folds)
    constants = np.stack([_constants(1, k, int(n_rows)) for n_rows in rows_left])
    table = _digamma_table(target.shape[1])
    return np.asarray(constants - _kernel.fold_digamma_means(candidates, target, folds, k, table))


def _constants(variant: int, k: IntArray, n_rows: int) -> FloatArray:
    """Return psi(k) + psi(n), less 1 / k in variant 2 (equations 8 and 9)."""
    table = _digamma_table(n_rows)
    correction = 1.0 / k if variant == 2 else 0.0
    return np.asarray(table[k] - correction + table[n_rows])


@lru_cache(maxsize=8)
def _digamma_table(n_rows: int) -> FloatArray:
    """Return the digamma function of 0 to n, with 0 for 0."""
    table = np.zeros(n_rows + 1)
    table[1:] = digamma(np.arange(1, n_rows + 1))
    table.setflags(write=False)
    return table
