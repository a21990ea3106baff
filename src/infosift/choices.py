"""What to measure by, chosen from the data: the number of neighbours, and the criterion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from infosift.criteria import CRITERIA, KSG, Criterion, as_criterion
from infosift.data.groups import sample_rows
from infosift.data.table import Table, make_table
from infosift.data.validation import Discrete, read_same_length
from infosift.engines.active import active_engine
from infosift.errors import InputError, require_count, require_finite_number
from infosift.random_streams import SeedLike, resolve_seed
from infosift.results.criterion_choice import CriterionChoice
from infosift.results.steps import NeighborChoice
from infosift.search.choose_criterion import compare
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
    table = _table(X, y, criterion, discrete_features, discrete_target, seed)
    resampling = Resampling(
        n_folds=require_count("n_folds", n_folds, least=2),
        t_threshold=None if t_threshold is None else require_finite_number("t_threshold", t_threshold),
        seed=seed,
    )
    return choose_value(table, criterion, resampling, active_engine(n_jobs))


def choose_criterion(
    X: Any,
    y: Any,
    criteria: Any = None,
    *,
    n_folds: int = 30,
    n_halves: int = 6,
    max_rows: int = 500,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> CriterionChoice:
    """Choose the criterion that best separates features from their shuffled copies.

    What the published method does to choose the number of neighbours chooses among criteria too, since t has no
    unit: each feature is scored on the rows without each of K folds, as it is and shuffled, and t is the
    difference of the two means in units of their spread. The t of a criterion is the largest over all features and
    all values of its structural parameter, and the criterion with the largest t is chosen. How far to trust that
    is worked out on random halves of the rows: the documentation of the result says how to read it.

    The choice is about features one by one, and above all about the one with the strongest dependence: where that
    is monotone, a criterion that sees little else may win, since its estimate varies little. It does not say which
    criterion is best for a subset, or for weaker features. Criteria that compare many values have more chances of
    a large t, also where there is nothing to see.

    Parameters
    ----------
    X, y : array-like or data frame
        The features and the target.
    criteria : None, or list of str and criteria
        What to compare: short names and objects. None is all there are, without those for numbers only where a
        feature or the target is discrete. An object with a given parameter is compared with that value only.
    n_folds : int
        Number of folds; the paper advises 20 to 30.
    n_halves : int
        Number of random halves of the rows on which the comparison is made again; an even number.
    max_rows : int
        Of a longer table so many rows, drawn at random, are looked at: the time of some criteria grows with the
        square of the rows.
    discrete_features, discrete_target
        As in ``mutual_information``.
    random_state : int, NumPy generator or None
        Seed of the folds and the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, choose_criterion
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> choice = choose_criterion(X, np.sin(3 * X[:, 1]), ["ksg", "gaussian-copula"], n_folds=10, random_state=0)
    >>> choice.criterion, choice.share
    ('ksg', 1.0)
    >>> selector = MutualInfoSelector(method="published", criterion=choice.criterion)
    """
    seed = resolve_seed(random_state)
    compared = _criteria(criteria)
    resampling = Resampling(require_count("n_folds", n_folds, least=2), None, seed)
    max_rows = require_count("max_rows", max_rows, least=12)
    if require_count("n_halves", n_halves, least=2) % 2:
        raise InputError(f"n_halves must be even, not {n_halves}: each half has another that shares no row.")
    tables = {}
    for name, criterion in compared.items():
        try:
            tables[name] = _table(X, y, criterion, discrete_features, discrete_target, seed)
        except InputError:
            if criteria is not None or criterion.takes_categories:
                raise
    rows = sample_rows(next(iter(tables.values())).n_rows, seed, None, max_rows)
    return compare(
        {name: table.take(rows) for name, table in tables.items()},
        {name: compared[name] for name in tables},
        resampling,
        n_halves,
        active_engine(n_jobs),
    )


def _criteria(asked: Any) -> dict[str, Criterion]:
    """Return the criteria to compare by name; an object is called as it is written."""
    if asked is None:
        return dict(CRITERIA)
    if isinstance(asked, str) or not isinstance(asked, Iterable):
        raise InputError(
            f'criteria must be a list of names and objects, such as ["ksg", "series"], not {asked!r}.'
        )
    named = {one if isinstance(one, str) else repr(one): as_criterion(one) for one in asked}
    if not named:
        raise InputError("criteria is an empty list: give those to compare, or None for all.")
    return named


def _table(
    X: Any, y: Any, criterion: Criterion, discrete_features: Any, discrete_target: bool | str, seed: int
) -> Table:
    """Return the data as a criterion wants them; there must be a feature to choose by."""
    discrete = Discrete.for_criterion(criterion, discrete_features, discrete_target)
    features, targets = read_same_length(X, y, discrete)
    table = make_table(
        features,
        targets,
        seed,
        takes_categories=discrete.are_taken,
        special_apart=discrete.special_apart,
    )
    if not table.usable:
        wanted = criterion.parameter_in_words or "a criterion"
        raise InputError(
            f"Every feature is constant, so there is nothing to choose {wanted} by: give one that varies."
        )
    return table
