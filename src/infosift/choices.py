"""What to measure by, chosen from the data: the number of neighbours, and the criterion."""

from __future__ import annotations

from typing import Any

from infosift.criteria import KSG
from infosift.data.arguments import Discrete, read_same_length
from infosift.data.table import make_table
from infosift.engines.threads import ThreadEngine
from infosift.errors import InputError, require_count, require_finite_number
from infosift.random_streams import SeedLike, resolve_seed
from infosift.results.steps import NeighborChoice
from infosift.search.choose_k import Resampling, choose_value


def choose_n_neighbors(
    X: Any,
    y: Any,
    *,
    max_neighbors: int = 20,
    n_folds: int = 30,
    t_threshold: float | None = None,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> NeighborChoice:
    """Choose the number of neighbours that best separates features from their shuffled copies.

    For each feature and each number of neighbours, its mutual information with y is estimated on the rows without
    each of K folds, as it is and shuffled; t is the difference of the two means in units of their spread.

    Parameters
    ----------
    X, y : array-like or data frame
        The features and the target.
    max_neighbors : int
        The numbers from 1 to this are compared, or to half of the rows where that is less.
    n_folds : int
        Number of folds; the paper advises 20 to 30.
    t_threshold : float or None
        None: the largest t over all features decides, the published rule. A number: the largest mean of t over the
        features whose t is above it, or the largest t where there is none.
    variant, discrete_features, discrete_target
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
    criterion = KSG(max_neighbors=max_neighbors, variant=variant)
    criterion.check()
    discrete = Discrete.for_criterion(criterion, discrete_features, discrete_target)
    features, targets = read_same_length(X, y, discrete)
    table = make_table(features, targets, seed, takes_categories=criterion.takes_categories)
    if not table.usable:
        raise InputError(
            "Every feature is constant, so there is nothing to choose the number of neighbours by: give one that "
            "varies."
        )
    resampling = Resampling(
        n_folds=require_count("n_folds", n_folds, least=2),
        t_threshold=None if t_threshold is None else require_finite_number("t_threshold", t_threshold),
        seed=seed,
    )
    return choose_value(table, criterion, resampling, ThreadEngine(n_jobs))
