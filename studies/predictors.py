"""Models that predict from the features that a selector chose, and their error on rows left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infosift import comparison
from infosift.arrays import FloatArray, IntArray

_FOLDS = 5
_ROUNDS = 2000
_PENALTIES_OF_CLASSES = np.logspace(-4, 4, 13)


def holds_classes(y: np.ndarray) -> bool:
    """Tell whether a target of a study is one of classes."""
    return bool(np.issubdtype(y.dtype, np.integer))


def neighbors_model(y: np.ndarray) -> Any:
    """Return a model by five nearest neighbours."""
    return comparison.neighbors_model(holds_classes(y))


def forest_model(y: np.ndarray, seed: int, n_trees: int = comparison.TREES) -> Any:
    """Return a random forest."""
    return comparison.forest_model(holds_classes(y), seed, n_trees)


def linear_model(y: np.ndarray) -> Any:
    """Return a linear model whose squared penalty is chosen by cross-validation."""
    if not holds_classes(y):
        return comparison.ridge_model()
    logistic = LogisticRegressionCV(
        Cs=1 / _PENALTIES_OF_CLASSES,
        l1_ratios=(0.0,),
        cv=_FOLDS,
        scoring="neg_log_loss",
        max_iter=_ROUNDS,
        use_legacy_attributes=False,
    )
    return make_pipeline(StandardScaler(), logistic)


# Each takes the target, which says whether there are classes, and a seed.
MODELS: dict[str, Callable[[np.ndarray, int], Any]] = {
    "nearest neighbours": lambda y, seed: neighbors_model(y),
    "random forest": forest_model,
    "linear model": lambda y, seed: linear_model(y),
}


def error_on(model: Any, X: FloatArray, y: np.ndarray, train: IntArray, test: IntArray) -> float:
    """Return the share of wrong classes, or the root mean square over the standard deviation of the target."""
    if X.shape[1] == 0:
        model, X = comparison.dummy_model(holds_classes(y)), np.zeros((len(y), 1))
    predicted = model.fit(X[train], y[train]).predict(X[test])
    if holds_classes(y):
        return float(np.mean(predicted != y[test]))
    return float(np.sqrt(np.mean((predicted - y[test]) ** 2)) / y.std())
