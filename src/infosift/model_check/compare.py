"""Subsets of the features, and none of them, compared by a model, with the selection inside each fold."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import clone

from infosift.arrays import FloatArray, IntArray
from infosift.errors import DataWarning, InputError
from infosift.model_check.data import Columns, Data, Fold, divide, read, rows_of
from infosift.model_check.trial import Trial, model_asked_for, scorer_asked_for
from infosift.random_streams import SeedLike, resolve_seed
from infosift.results.comparison import SubsetComparison, SubsetScores
from infosift.selector import MutualInfoSelector


def compare_subsets(
    X: Any,
    y: Any,
    model: Any,
    *,
    selector: MutualInfoSelector | None = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> SubsetComparison:
    """Compare, by cross-validation, a model on the selected features with one on the peak and one on all features.

    The selection is part of what is validated: in each fold, features are selected on the training rows only. The
    peak is the subset with the most information on the path of the search, ``selection_.peak``. A constant guess,
    from no features, shows whether any of them helps at all.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        Features: numbers, text or categories.
    y : array-like of shape (n_rows,)
        The target, numbers or classes.
    model : {"ridge", "forest", "neighbors"} or scikit-learn estimator
        What predicts. "ridge" is a linear model, for classes a logistic regression, whose penalty is chosen within
        the training rows; "forest" a random forest of 100 trees, whose leaves have at least five rows and at least
        half the root of the number of rows; "neighbors" the five nearest. The model gets numbers: categories
        become columns of 0 and 1, of which the rare ones of more than 50 share one.
    selector : MutualInfoSelector or None, default=None
        The selector, which is cloned in each fold; None is one with default parameters. With ``missing="drop"``,
        rows with a missing value are dropped for all subsets alike. With ``missing="partial"`` they are kept; for
        the model, missing numbers are the mean of the training rows, and missing categories one of their own.
        Features in ``ignore`` are in no subset. ``time_limit`` holds for each fold, ``checkpoint`` is not used.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds, at random, for classes with their proportions kept; with ``groups``, whole groups.
        Otherwise as in scikit-learn.
    scoring : str, callable or None, default=None
        A score of scikit-learn, by name or as ``scorer(model, X, y)``; None is R² for numbers. For classes it is
        the area under the ROC curve, of more than two the mean of each against the others; where a fold lacks a
        class or the model gives no probabilities, accuracy.
    groups : array-like of shape (n_rows,) or None, default=None
        Which rows belong together. No group is in training and test rows at once.
    random_state : int, NumPy generator or None, default=0
        Seed of the folds, and of selector and model where their own is None. It fixes the result, whatever
        ``n_jobs``.
    n_jobs : int or None, default=None
        Number of threads; None is that of the selector, and 1 for models.

    Returns
    -------
    SubsetComparison
        Scores of each subset, fold by fold, their differences, and how often each feature was selected.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import compare_subsets
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> comparison = compare_subsets(X, y, "ridge")
    >>> comparison["selected"].n_features, comparison["all"].n_features
    ((2, 4, 2, 3, 3), (10, 10, 10, 10, 10))
    >>> round(comparison["selected"].mean, 2), round(comparison["all"].mean, 2)
    (0.45, 0.49)
    """
    seed = resolve_seed(random_state)
    selector = _ready(MutualInfoSelector() if selector is None else selector, seed, n_jobs)
    data = read(X, y, groups, selector)
    make_model, words = model_asked_for(model, data, seed)
    folds = divide(cv, data, seed)
    scorer, measure = scorer_asked_for(scoring, data, folds, make_model(data.target))
    found = [_select(selector, X, data, number, train) for number, (train, _) in enumerate(folds, start=1)]
    trial = Trial(data, folds, make_model, scorer)
    scores = trial.scores([subset for subset, _ in found], n_jobs, selector.verbose)
    return SubsetComparison(
        feature_names=data.features.names,
        target_name=data.target_name,
        model=words,
        measure=measure,
        subsets=tuple(_summed_up(name, [subset for subset, _ in found], scores, folds, data) for name in scores),
        n_classes=data.n_classes,
        n_rows=len(data.rows),
        n_rows_dropped=data.features.n_rows - len(data.rows),
        n_gaps=int(np.isnan(data.values(data.usable)).sum()),
        n_row_groups=None if data.row_groups is None else len(np.unique(data.row_groups)),
        n_partial_folds=sum(is_partial for _, is_partial in found),
        seed=seed,
        version=version("infosift"),
    )


def _ready(selector: Any, seed: int, n_jobs: int | None) -> MutualInfoSelector:
    """Return a copy of a selector that selects the same whenever it is fitted."""
    if not isinstance(selector, MutualInfoSelector):
        raise InputError(f"selector must be a MutualInfoSelector, not {selector!r}.")
    own: MutualInfoSelector = clone(selector)
    more = {"random_state": seed} if own.random_state is None else {}
    more |= {} if n_jobs is None else {"n_jobs": n_jobs}
    return own.set_params(checkpoint=None, **more)


def _select(
    selector: MutualInfoSelector, X: Any, data: Data, number: int, train: IntArray
) -> tuple[dict[str, Columns], bool]:
    """Return the columns of each subset, by a selection on training rows, and whether that ended early."""
    own = clone(selector).set_params(discrete_target=data.has_classes)
    groups = None if data.row_groups is None else data.row_groups[train]
    with warnings.catch_warnings():
        # Of a fold it is no news what its data are like, but for a feature that gives the target away.
        warnings.filterwarnings("ignore", message="(?!.*nearly alone)", category=DataWarning)
        try:
            own.fit(rows_of(X, data.rows[train]), data.target[train], groups=groups)
        except InputError as error:
            raise InputError(f"Without the rows of fold {number}: {error}") from error
    selection = own.selection_
    subsets = {"selected": selection.indices, "peak": selection.peak.indices, "all": data.usable, "none": ()}
    return {name: tuple(sorted(columns)) for name, columns in subsets.items()}, selection.is_partial


def _summed_up(
    name: str,
    found: Sequence[dict[str, Columns]],
    scores: dict[str, FloatArray],
    folds: Sequence[Fold],
    data: Data,
) -> SubsetScores:
    own = scores[name]
    differences, gains = own - scores["all"], own - scores["none"]
    # Folds share training rows: the variance of their mean is larger than that of independent ones.
    overlap = float(np.mean([len(test) / len(train) for train, test in folds]))
    factor = np.sqrt(1 / len(folds) + overlap)
    counts = Counter(column for subsets in found for column in subsets[name])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return SubsetScores(
        subset=name,
        scores=own,
        mean=float(own.mean()),
        spread=float(own.std(ddof=1)),
        n_features=tuple(len(subsets[name]) for subsets in found),
        chosen=tuple((data.features.names[column], count) for column, count in ranked),
        difference=float(differences.mean()),
        standard_error=float(factor * differences.std(ddof=1)),
        gain=float(gains.mean()),
        gain_error=float(factor * gains.std(ddof=1)),
    )
