"""Mutual information by an orthogonal series: polynomials of ranks and their canonical correlations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import digamma
from scipy.stats import wishart

from infosift.arrays import FloatArray
from infosift.criteria.base import CandidateScorer, Criterion, Value
from infosift.criteria.rank_basis import CanonicalInformation, functions_of, standardised
from infosift.random_streams import stream

# A canonical correlation needs some rows for each function.
_ROWS_PER_FUNCTION = 5
_DRAWS = 400


class Series(Criterion):
    """Mutual information by an orthogonal series, in nats: fast, and without a parameter.

    The functions that the default method tests first, made an estimate. Of each column of numbers these are the
    Legendre polynomials of orders 1 to 3 of its ranks; of each column of categories the indicators of up to six;
    and for each two features the product of their first functions. With r the canonical correlations of the
    functions of the features with those of the target,

        I = - sum log(1 - r^2) / 2, less the mean of this sum under independence.

    Of a target of numbers only the largest r counts, one for each column: others belong to the same dependence,
    of which they are powers if it is Gaussian. The mean is that of Gaussian functions (Wilks): a closed form where
    all r count, else from draws that are always the same. So the estimate is not clipped at zero. It sees what is
    smooth, and products of two features. There is at most one function for every five rows: the first ones.

    Parameters
    ----------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import Series, score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> y = C[:, 0] * C[:, 2] + 0.5 * rng.normal(size=500)
    >>> int(score_candidates(C, y, given=C[:, [0]], criterion=Series()).argmax())
    2
    """

    def fewest_rows(self, value: Value) -> int:
        """Return how many rows one function of the features and one of the target need."""
        return _ROWS_PER_FUNCTION

    def scorer_given(self, given: FloatArray, target: FloatArray, values: Sequence[Value]) -> CandidateScorer:
        """Return the function that scores the given columns plus a candidate."""
        n_rows = target.shape[1]
        most = max(1, n_rows // _ROWS_PER_FUNCTION)
        own = [functions.smooth for functions in functions_of(given)] if len(given) else []
        first = np.array([functions[0] for functions in own]).reshape(len(own), n_rows)
        pairs = [standardised(first[:i] * first[i]) for i in range(1, len(first))]
        of_given = np.concatenate([_by_order(own, n_rows), *pairs])[: most // 2]
        of_target = functions_of(target)
        # Categories, which have no steps, count with all their functions.
        n_largest = sum(1 if len(functions.steps) else len(functions.smooth) for functions in of_target)
        parts = [functions.smooth for functions in of_target]
        shared = CanonicalInformation(of_given, _by_order(parts, n_rows)[:most], n_largest)

        def score(candidate: FloatArray) -> FloatArray:
            functions = functions_of(candidate[None])[0].smooth
            products = standardised(first * functions[0])
            more = np.concatenate([functions, products])[: max(1, most - most // 2)]
            information, n_independent = shared.with_functions(more)
            expected = expected_information(n_rows, n_independent, shared.n_target, n_largest)
            return np.full(len(values), information - expected)

        return score


@lru_cache(maxsize=256)
def expected_information(n_rows: int, n_features: int, n_target: int, n_largest: int) -> float:
    """Return the mean of the information of so many independent Gaussian functions about others.

    The canonical correlations are then roots of a ratio of two Wishart matrices.
    """
    if n_largest >= n_target:
        numbers = np.arange(1, n_features + 1)
        of_all = digamma((n_rows - numbers) / 2) - digamma((n_rows - n_target - numbers) / 2)
        return float(of_all.sum() / 2)
    if n_features == 0:
        return 0.0
    generator = stream(0, "independent functions", n_rows, n_features, n_target)
    explained = generator.normal(size=(_DRAWS, n_target, n_features))
    explained = explained @ explained.transpose(0, 2, 1)
    left = wishart(n_rows - 1 - n_features, np.eye(n_target)).rvs(size=_DRAWS, random_state=generator)
    roots = np.sort(np.linalg.eigvals(np.linalg.solve(explained + left, explained)).real, axis=1)
    return float(-np.log1p(-roots[:, -n_largest:]).sum() / 2 / _DRAWS)


def _by_order(functions: Sequence[FloatArray], n_rows: int) -> FloatArray:
    """Return functions of several columns: the first of all columns, then the second of all, and so on."""
    most = max((len(own) for own in functions), default=0)
    ordered = [own[i] for i in range(most) for own in functions if i < len(own)]
    return np.array(ordered).reshape(-1, n_rows)
