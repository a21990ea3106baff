"""Models by short name, and the columns of a table as the numbers that a model takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import isqrt
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

TREES = 300
_TREES_OF_A_CHECK = 100
_SMALLEST_LEAF = 5
_NEIGHBORS = 5
_FOLDS = 5
_ROUNDS = 2000
_MOST_CATEGORIES = 50
_PENALTIES_OF_NUMBERS = np.logspace(-6, 6, 49)
_PENALTIES_OF_CLASSES = np.logspace(-4, 4, 9)


def forest_model(has_classes: bool, seed: int, n_trees: int = TREES, leaf: int = 1) -> Any:
    """Return a random forest whose leaves have at least so many rows."""
    forest = RandomForestClassifier if has_classes else RandomForestRegressor
    return forest(n_trees, min_samples_leaf=leaf, random_state=seed, n_jobs=1)


def neighbors_model(has_classes: bool, n_neighbors: int = _NEIGHBORS) -> Any:
    """Return a model by nearest neighbours of standardised features."""
    neighbors = KNeighborsClassifier if has_classes else KNeighborsRegressor
    return make_pipeline(StandardScaler(), neighbors(n_neighbors))


def ridge_model() -> Any:
    """Return a linear model of numbers whose squared penalty is chosen by leave-one-out."""
    return make_pipeline(StandardScaler(), RidgeCV(_PENALTIES_OF_NUMBERS))


def logistic_model(y: np.ndarray, seed: int) -> Any:
    """Return a linear model of classes whose squared penalty is chosen by cross-validation on the rows of y.

    Every fold has every class. Where a class has a single row there are no such folds, and the penalty is 1.
    """
    n_folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    logistic: Any = LogisticRegression(max_iter=_ROUNDS)
    if n_folds > 1:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        logistic = GridSearchCV(logistic, {"C": 1 / _PENALTIES_OF_CLASSES[::-1]}, cv=folds, scoring="neg_log_loss")
    return make_pipeline(StandardScaler(), logistic)


def _linear(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    return logistic_model(y, seed) if has_classes else ridge_model()


def _forest(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    # Trees that grow to single rows learn noise by heart, the more so the fewer features they have to split by:
    # a right but small subset would look bad. Half the root of the rows grows, yet is ever less of them.
    return forest_model(has_classes, seed, _TREES_OF_A_CHECK, max(_SMALLEST_LEAF, isqrt(len(y)) // 2))


def _neighbors(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    return neighbors_model(has_classes, min(_NEIGHBORS, len(y)))


# Each takes the target of the training rows, whether it has classes, and a seed.
MODELS: dict[str, Callable[[np.ndarray, bool, int], Any]] = {
    "ridge": _linear,
    "forest": _forest,
    "neighbors": _neighbors,
}


def words_for(name: str, has_classes: bool) -> str:
    """Return what a short name stands for."""
    linear = "logistic regression" if has_classes else "ridge regression"
    return {"ridge": linear, "forest": "a random forest", "neighbors": "nearest neighbours"}[name]


def dummy_model(has_classes: bool) -> Any:
    """Return a model that predicts the mean, or the most frequent class, whatever the features."""
    return DummyClassifier() if has_classes else DummyRegressor()


def on_numbers(model: Any, columns: Sequence[int], categories: Collection[int]) -> Any:
    """Return a model on some columns of a table, which are in the place of their positions.

    Gaps in numbers are filled by the mean of the rows that the model is fitted to. Categories become columns of 0
    and 1; a gap is a category of its own. Of many categories, the rare ones are one.
    """
    places = {kind: [i for i, one in enumerate(columns) if (one in categories) == kind] for kind in (False, True)}
    one_hot = OneHotEncoder(
        max_categories=_MOST_CATEGORIES, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    filled = SimpleImputer(keep_empty_features=True)
    as_numbers = ColumnTransformer([("numbers", filled, places[False]), ("categories", one_hot, places[True])])
    return make_pipeline(as_numbers, model)
