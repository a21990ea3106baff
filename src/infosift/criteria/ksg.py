"""Mutual information by nearest neighbours: Kraskov, Stögbauer and Grassberger, Phys. Rev. E 69, 066138 (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import digamma

from infosift import _kernel
from infosift.arrays import FloatArray
from infosift.engine import Question, ThreadEngine


@dataclass(frozen=True)
class KSG:
    """The two estimators of the paper, in nats, in the max norm, never clipped at zero.

    ``variant`` 1 is equation 8: one radius per row, that of its k-th neighbour in the joint space, and the rows
    strictly within it counted in each space. ``variant`` 2 is equation 9: separate half-widths in each space, the
    largest among the k neighbours, rim included; rows tied with the k-th neighbour count as neighbours.
    """

    variant: int = 1

    def score(
        self, questions: Sequence[Question], neighbors: Sequence[int], engine: ThreadEngine
    ) -> list[FloatArray]:
        """Return the estimate of MI(given + candidate; target) for each candidate and number of neighbours."""
        k = np.asarray(neighbors, dtype=np.int64)

        def score_block(candidates: FloatArray, given: FloatArray, target: FloatArray) -> FloatArray:
            n_rows = target.shape[1]
            table = _digamma_table(n_rows)
            means = _kernel.digamma_means(candidates, given, target, k, table, self.variant)
            correction = 1.0 / k if self.variant == 2 else 0.0
            return (table[k] - correction + table[n_rows]) - means

        return engine.score(score_block, questions)


@lru_cache(maxsize=8)
def _digamma_table(n_rows: int) -> FloatArray:
    table = np.zeros(n_rows + 1)
    table[1:] = digamma(np.arange(1, n_rows + 1))
    table.setflags(write=False)
    return table
