"""Selectors to compare, ours and those of others: each takes features and a target and says which to keep."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infosift.arrays import FloatArray
from infosift.errors import InputError
from infosift.selector import MutualInfoSelector

# Takes features, a target (classes are integers) and a seed; returns positions of features.
Choose: TypeAlias = Callable[[FloatArray, np.ndarray, int], frozenset[int]]
_ROUNDS = 50
_DEPTH = 5
_LEAST_GAIN = 0.01
_FOLDS = 5


def require_rivals() -> None:
    """Refuse with a hint where those of others are not installed."""
    missing = [name for name in ("boruta", "mlxtend") if find_spec(name) is None]
    if missing:
        raise InputError(f'The comparison needs {" and ".join(missing)}: pip install "infosift[study]".')


def holds_classes(y: np.ndarray) -> bool:
    """Tell whether a target of a study is one of classes."""
    return bool(np.issubdtype(y.dtype, np.integer))


def neighbors_model(y: np.ndarray) -> Any:
    """Return a model by five nearest neighbours."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier() if holds_classes(y) else KNeighborsRegressor())


def _ours(method: str) -> Choose:
    def choose(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
        selector = MutualInfoSelector(
            method=method, random_state=seed, n_jobs=1, discrete_target=holds_classes(y), discrete_features=False
        )
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="(?s)(Constant|Near-unique|Duplicates)", category=UserWarning
            )
            return frozenset(selector.fit(X, y).selection_.indices)

    return choose


def _all(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    return frozenset(range(X.shape[1]))


def _boruta(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    from boruta import BorutaPy

    forest = RandomForestClassifier if holds_classes(y) else RandomForestRegressor
    selector = BorutaPy(
        forest(max_depth=_DEPTH, n_jobs=1), n_estimators="auto", max_iter=_ROUNDS, random_state=seed
    )
    return frozenset(np.flatnonzero(selector.fit(X, y).support_).tolist())


def _sequential(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    selector = SequentialFeatureSelector(neighbors_model(y), tol=_LEAST_GAIN, cv=_FOLDS)
    return frozenset(np.flatnonzero(selector.fit(X, y).get_support()).tolist())


def _parsimonious(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    from mlxtend.feature_selection import SequentialFeatureSelector as Sequential

    model = clone(neighbors_model(y))
    scoring = "accuracy" if holds_classes(y) else "r2"
    selector = Sequential(model, k_features="parsimonious", scoring=scoring, cv=_FOLDS)
    return frozenset(selector.fit(X, y).k_feature_idx_)


SELECTORS: dict[str, Choose] = {
    "all features": _all,
    "published": _ours("published"),
    "calibrated": _ours("calibrated"),
    "Boruta": _boruta,
    "scikit-learn sequential": _sequential,
    "mlxtend sequential": _parsimonious,
}
