"""Selectors to compare, ours and those of others: each takes features and a target and says which to keep."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LassoCV

from infosift.arrays import FloatArray
from infosift.errors import InputError
from infosift.selector import MutualInfoSelector
from studies.predictors import forest_model, holds_classes, neighbors_model
from studies.rankings import l1_path, l1_path_of, mrmr

# Takes features, a target (classes are integers) and a seed; returns positions of features.
Choose: TypeAlias = Callable[[FloatArray, np.ndarray, int], frozenset[int]]
# The same with a number of features instead of a seed.
ChooseSoMany: TypeAlias = Callable[[FloatArray, np.ndarray, int], frozenset[int]]
_ROUNDS = 50
_DEPTH = 5
_LEAST_GAIN = 0.01
_FOLDS = 5
_FAMILY_WISE_ERROR = 0.05
_FALSE_DISCOVERY_RATE = 0.2
_TREES_OF_A_TEST = 100


def require_rivals(who: Iterable[str]) -> None:
    """Refuse with a hint where packages that these selectors need are not installed."""
    needed = dict.fromkeys(_MODULES[name].split(".")[0] for name in who if name in _MODULES)
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        listed = " and ".join([", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing)
        raise InputError(f'The comparison needs {listed}: pip install ".[study]".')


def prepare(who: str) -> None:
    """Import what a selector needs, so that nobody takes the time of an import for its own."""
    if who in _MODULES:
        import_module(_MODULES[who])


def chosen_by(who: str, X: FloatArray, y: np.ndarray, seed: int, n_features: int | None = None) -> frozenset[int]:
    """Let a selector choose; those of ``TOLD`` are told how many features to keep."""
    if who not in TOLD:
        return SELECTORS[who](X, y, seed)
    if n_features is None:
        raise ValueError(f"{who} must be told a number of features.")
    return TOLD[who](X, y, n_features)


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


def _distilled(model: Callable[[np.ndarray, int], Any]) -> Choose:
    """Return hidimstat's distilled conditional randomisation test, for a target of numbers.

    The model predicts the target from the other features, a lasso each feature from the others. All features are
    tested: its screening would keep a tenth of them, and replace the model by a lasso. Its p-values are adjusted
    by Bonferroni, so that the family-wise error is ours.
    """

    def choose(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
        from hidimstat import D0CRT

        test = D0CRT(model(y, seed), screening_threshold=None, random_state=seed, n_jobs=1)
        test.fit_importance(X, y)
        return frozenset(np.flatnonzero(test.fwer_selection(_FAMILY_WISE_ERROR, n_tests=X.shape[1])).tolist())

    return choose


def _knockoffs(offset: int) -> Choose:
    """Return knockpy's Gaussian knockoffs with its lasso statistic.

    With an offset of 1 the false discovery rate is controlled, and at a rate of 0.2 fewer than five features are
    never selected. With an offset of 0 the number can be any, and a modified rate is controlled.
    """

    def choose(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
        from knockpy import KnockoffFilter
        from knockpy.knockoff_stats import data_dependent_threshhold

        knockoffs = KnockoffFilter(fstat="lasso", ksampler="gaussian")
        with _drawing_by(seed):
            knockoffs.forward(X, y, fdr=_FALSE_DISCOVERY_RATE)
        statistics = knockoffs.W
        least = data_dependent_threshhold(statistics, fdr=_FALSE_DISCOVERY_RATE, offset=offset)
        return frozenset(np.flatnonzero(statistics >= least).tolist())

    return choose


@contextmanager
def _drawing_by(seed: int) -> Iterator[None]:
    """Seed NumPy's global stream, which is what knockpy draws from, and put it back."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


DEFAULT = "calibrated"
OURS = ("published", DEFAULT)
SELECTORS: dict[str, Choose] = {
    "all features": _all,
    **{method: _ours(method) for method in OURS},
    "Boruta": _boruta,
    "scikit-learn sequential": _sequential,
    "mlxtend sequential": _parsimonious,
    "L1 path": l1_path,
    "dCRT, lasso": _distilled(lambda y, seed: LassoCV(cv=_FOLDS, random_state=seed)),
    "dCRT, forest": _distilled(lambda y, seed: forest_model(y, seed, _TREES_OF_A_TEST)),
    "knockoffs": _knockoffs(offset=0),
    "knockoffs+": _knockoffs(offset=1),
}
TOLD: dict[str, ChooseSoMany] = {"L1 path, told the number": l1_path_of, "mRMR, told the number": mrmr}
_MODULES = {
    "Boruta": "boruta",
    "mlxtend sequential": "mlxtend.feature_selection",
    "dCRT, lasso": "hidimstat",
    "dCRT, forest": "hidimstat",
    "knockoffs": "knockpy",
    "knockoffs+": "knockpy",
}
