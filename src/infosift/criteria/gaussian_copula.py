"""Mutual information of a Gaussian copula: Ince et al., Human Brain Mapping 38, 1541-1573 (2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.base import Value
from infosift.criteria.blocks import BlockCriterion, ScoreOne
from infosift.criteria.canonical import CanonicalInformation
from infosift.criteria.rank_functions import standardised
from infosift.data.prepare import dense_ranks, to_gaussian_ranks


class GaussianCopula(BlockCriterion):
    """Mutual information of a Gaussian copula, in nats: fast, without a parameter, blind to what is not monotone.

    Each column is replaced by its normal scores, the normal quantiles of (rank - 1/2) / n. With the determinants
    of their correlation matrices,

        I = log(det R(x) det R(y) / det R(x, y)) / 2.

    It is the information where the columns, each suitably stretched, are jointly Gaussian. A column that others
    give exactly counts once. It is never negative; where features and target are independent, its mean is about pq
    / 2n for p features and q targets. It is for numbers only. No relation with a target counts for more than 13.8
    nats.

    Parameters
    ----------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import GaussianCopula, mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> y = np.exp(x + rng.normal(size=2000))  # true value: log(2) / 2 = 0.347
    >>> round(mutual_information(x, y, criterion=GaussianCopula()), 2)
    0.34
    """

    takes_categories = False

    def beside(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> ScoreOne:
        """Return what scores the given columns plus a candidate."""
        shared = CanonicalInformation(_normal_scores(given), _normal_scores(target))

        def score(candidate: FloatArray) -> FloatArray:
            return np.full(len(values), shared.beside(_normal_scores(candidate[None]))[0])

        return score


def _normal_scores(columns: FloatArray) -> FloatArray:
    scores = [to_gaussian_ranks(dense_ranks(column).astype(np.float64)) for column in columns]
    return standardised(np.array(scores).reshape(columns.shape))
