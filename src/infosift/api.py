"""The pieces of the procedure as functions on arrays and data frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from infosift import neighbors
from infosift.arguments import Kinds, make_scorer, read_given, read_pair, read_same_length, score_columns
from infosift.arrays import FloatArray, IntArray
from infosift.checks import (
    InputError,
    require_choice,
    require_count,
    require_finite_number,
    require_level,
)
from infosift.contest import MOST_CLASSES
from infosift.criteria import KSG, criterion_named
from infosift.engine import Question, ThreadEngine
from infosift.evidence import FoldEstimates, NeighborChoice, PermutationTest
from infosift.nulls import judge, null_scores, permutations_for
from infosift.residuals import Smoother
from infosift.streams import SeedLike, resolve_seed
from infosift.surrogates import NULLS, surrogates_of
from infosift.table import make_table
from infosift.unexplained import residual_targets

# Between 3, which has least bias, and the 15 to 20 that have least variance.
DEFAULT_NEIGHBORS = 6


def mutual_information(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = DEFAULT_NEIGHBORS,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = 0,
) -> float:
    """Estimate the mutual information of all columns of X together with all columns of y, in nats.

    Parameters
    ----------
    X, y : array-like or data frame
        Any number of columns each, of numbers or categories, with the same number of rows. Each column of numbers
        is brought to unit spread.
    n_neighbors : int
        Number of neighbours: fewer means less bias, more means less variance.
    variant : {1, 2}
        Which estimator of Kraskov, Stögbauer and Grassberger (2004) to use; 2 is for numbers only.
    discrete_features : "auto", bool, mask, or names or positions
        Which columns of X hold categories; text always does. "auto" adds those with two values, True all.
    discrete_target : "auto" or bool
        Whether y holds classes; text always does. "auto" adds whole numbers with few different values.
    random_state : int, NumPy generator or None
        Seed of the noise of 1e-10 that tells repeated values apart; data without any do not need it.

    Returns
    -------
    float
        The estimate. It is not clipped: for independent columns it is as often negative as positive.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> y = x + rng.normal(size=2000)  # true value: log(2) / 2 = 0.347
    >>> round(mutual_information(x, y), 2)
    0.33
    """
    kinds = Kinds(discrete_features, discrete_target, KSG(variant))
    columns, target = read_pair(X, y, kinds, resolve_seed(random_state))
    scorer = make_scorer(n_neighbors, variant, None, target.shape[1])
    return float(score_columns(scorer, columns[:1], columns[1:], target)[0])


def score_candidates(
    C: Any,
    y: Any,
    given: Any = None,
    *,
    n_neighbors: int = DEFAULT_NEIGHBORS,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> FloatArray:
    """Estimate the mutual information of ``given`` plus each column of C with y, in nats.

    Parameters
    ----------
    C, y, given : array-like or data frame
        The candidate columns, the target (one or several columns) and the columns that go with each candidate
        (None for none), all with the same number of rows.
    n_neighbors, variant, discrete_features, discrete_target, random_state
        As in ``mutual_information``; ``discrete_features`` is about C, the given columns are judged by "auto".
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Returns
    -------
    ndarray
        One score per column of C.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> y = C[:, 0] + C[:, 2] + 0.5 * rng.normal(size=500)
    >>> score_candidates(C, y, given=C[:, [0]]).argmax()
    np.int64(2)
    """
    seed = resolve_seed(random_state)
    kinds = Kinds(discrete_features, discrete_target, KSG(variant))
    candidates, target = read_pair(C, y, kinds, seed)
    scorer = make_scorer(n_neighbors, variant, n_jobs, target.shape[1])
    return score_columns(scorer, candidates, read_given(given, target, kinds, seed), target)


def resample_mutual_information(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = DEFAULT_NEIGHBORS,
    n_folds: int = 30,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> FoldEstimates:
    """Estimate the mutual information of X with y on the rows without each of K folds: its mean and variance.

    Parameters
    ----------
    X, y, n_neighbors, variant, discrete_features, discrete_target
        As in ``mutual_information``.
    n_folds : int
        Number of folds into which the rows are partitioned at random.
    random_state : int, NumPy generator or None
        Seed of the partition.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import resample_mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> folds = resample_mutual_information(x, x + rng.normal(size=300), n_folds=20, random_state=0)
    >>> len(folds.estimates), folds.variance < 0.001
    (20, True)
    """
    seed = resolve_seed(random_state)
    columns, target = read_pair(X, y, Kinds(discrete_features, discrete_target, KSG(variant)), seed)
    n_folds = require_count("n_folds", n_folds, least=2)
    rows_left = target.shape[1] - -(-target.shape[1] // n_folds)
    scorer = make_scorer(n_neighbors, variant, n_jobs, rows_left)
    question = Question(columns[:1], columns[1:], target)
    return neighbors.resample(question, n_neighbors, n_folds, scorer.criterion, scorer.engine, seed)


def choose_n_neighbors(
    X: Any,
    y: Any,
    *,
    max_neighbors: int = 20,
    n_folds: int = 30,
    t_threshold: float | None = None,
    criterion: str = "ksg",
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> NeighborChoice:
    """Choose the number of neighbours by which the columns of X and their shuffled copies differ most.

    For each column and each number of neighbours, its mutual information with y is estimated on the rows without
    each of K folds, as it is and shuffled; t is the difference of the two means in units of their spread.

    Parameters
    ----------
    X, y : array-like or data frame
        The columns and the target.
    max_neighbors : int
        The numbers from 1 to this are compared, or to half of the rows where that is less.
    n_folds : int
        Number of folds; the paper advises 20 to 30.
    t_threshold : float or None
        None: the largest t over all columns decides, the published rule. A number: the largest mean of t over the
        columns whose t is above it, or the largest t where there is none.
    criterion : {"ksg", "ksg2"}
        The estimator, variant 1 or 2.
    discrete_features, discrete_target
        As in ``mutual_information``.
    random_state : int, NumPy generator or None
        Seed of the folds and the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_n_neighbors
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> choice = choose_n_neighbors(X, X[:, 1] + rng.normal(size=100), random_state=0)
    >>> choice.feature, choice.t.shape
    ('x1', (3, 20))
    """
    seed = resolve_seed(random_state)
    chosen = criterion_named(criterion)
    features, targets = read_same_length(X, y, Kinds(discrete_features, discrete_target, chosen))
    table = make_table(features, targets, seed, takes_categories=chosen.takes_categories)
    if not table.usable:
        raise ValueError(
            "Every column of X is constant, so there is nothing to choose the number of neighbours by."
        )
    return neighbors.choose(
        table,
        chosen,
        ThreadEngine(n_jobs),
        max_neighbors=require_count("max_neighbors", max_neighbors, least=1),
        n_folds=require_count("n_folds", n_folds, least=2),
        t_threshold=None if t_threshold is None else require_finite_number("t_threshold", t_threshold),
        seed=seed,
    )


def permutation_test(
    x: Any,
    y: Any,
    given: Any = None,
    *,
    alpha: float = 0.05,
    n_permutations: int | str = "auto",
    null: str = "residual",
    n_neighbors: int = DEFAULT_NEIGHBORS,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> PermutationTest:
    """Test whether x, beside the given columns, tells more about y than copies of x that tell nothing more.

    Parameters
    ----------
    x : array-like
        One column.
    y, given : array-like or data frame
        The target and the columns that go with x (None for none).
    alpha : float
        Significance level, which sets the threshold.
    n_permutations : int or "auto"
        Number of copies; "auto" is the smallest from 50 on that makes alpha exact.
    null : {"residual", "local", "shuffle"}
        How the copies are drawn beside given columns: x is predicted from them and what is left is shuffled
        among rows alike in them; each row has the value of a near one (Runge 2018); or all rows are shuffled, as
        in the published method, which also takes away the tie of x to the given columns. With "residual" the score
        is about what the given columns leave unexplained of y. Without given columns, all three shuffle.
    n_neighbors, variant, discrete_features, discrete_target
        As in ``mutual_information``; ``discrete_features`` is about x, the given columns are judged by "auto".
    random_state : int, NumPy generator or None
        Seed of the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import permutation_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=100)
    >>> test = permutation_test(x, x**2 + rng.normal(size=100), random_state=0)
    >>> test.significant, test.n_permutations
    (True, 59)
    """
    alpha = require_level(alpha)
    require_choice("null", null, NULLS)
    count = permutations_for(alpha, n_permutations)
    seed = resolve_seed(random_state)
    kinds = Kinds(discrete_features, discrete_target, KSG(variant))
    column, target = read_pair(x, y, kinds, seed)
    if len(column) != 1:
        raise InputError(f"x must be one column, and it has {len(column)}.")
    given_columns = read_given(given, target, kinds, seed)
    scorer = make_scorer(n_neighbors, variant, n_jobs, target.shape[1])

    smoother = Smoother(given_columns, seed, scorer.engine) if null == "residual" and len(given_columns) else None
    surrogates = surrogates_of(column, null, given_columns, smoother, seed, 0, scorer.engine)
    asked = target[None] if smoother is None else residual_targets(target, smoother, MOST_CLASSES, seed)

    def score(candidates: FloatArray) -> FloatArray:
        scores = [score_columns(scorer, candidates, given_columns, version) for version in asked]
        return np.asarray(np.mean(scores, axis=0))

    def score_draws(draws: range, orders: IntArray) -> FloatArray:
        return score(np.concatenate([surrogates.draw(*drawn) for drawn in zip(draws, orders, strict=True)]))

    return judge(score(column)[0], null_scores(score_draws, target.shape[1], count, seed, step=0), alpha)
