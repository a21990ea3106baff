"""Selectors to compare, ours and those of other packages, each a function from features and target to positions.

Also here: two orders of features that have no package to take (the L1 path cut at a number of features, mRMR), and
the models that sequential searches wrap.
"""

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
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SequentialFeatureSelector, f_classif, f_regression
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, lars_path
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from infosift import comparison
from infosift.arrays import FloatArray
from infosift.errors import DataWarning, InputError
from infosift.selector import MutualInfoSelector

# From features, a target (classes are integers) and a seed to positions of features.
Choose: TypeAlias = Callable[[FloatArray, np.ndarray, int], frozenset[int]]
# The same with a number of features in place of the seed.
ChooseSoMany: TypeAlias = Callable[[FloatArray, np.ndarray, int], frozenset[int]]
_FOLDS = 5
# Boruta: its documentation recommends a depth of 3 to 7.
_BORUTA_ROUNDS, _BORUTA_DEPTH = 50, 5
# The sequential search: the least gain of the cross-validated score.
_LEAST_GAIN = 0.01
# The L1 path: penalties of classes are inverse weights of errors, as in scikit-learn. liblinear also penalises
# the intercept, by this much less.
_L1_ITERATIONS = 5000
_WEIGHTS_OF_ERRORS = np.logspace(-3, 2, 16)
_INTERCEPT_SCALING = 10.0
_DECADES_OF_WEIGHTS, _HALVINGS = 5, 20
# mRMR: the least redundancy to divide by, as in the package mrmr-selection.
_LEAST_REDUNDANCY = 0.001
# Tests with error control.
_FAMILY_WISE_ERROR = 0.05
_FALSE_DISCOVERY_RATE = 0.2
_TREES_OF_A_TEST = 100


def require_installed(who: Iterable[str]) -> None:
    """Raise an error that names the packages which these selectors need and which are not installed."""
    needed = dict.fromkeys(_MODULES[name].split(".")[0] for name in who if name in _MODULES)
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        listed = " and ".join([", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing)
        raise InputError(f'The comparison needs {listed}: pip install ".[study]".')


def prepare(who: str) -> None:
    """Import the package of a selector, so that the time of the import is not measured as its own."""
    if who in _MODULES:
        import_module(_MODULES[who])


def select_by(who: str, X: FloatArray, y: np.ndarray, seed: int, n_features: int | None = None) -> frozenset[int]:
    """Return the features that a selector keeps; those of ``OF_GIVEN_SIZE`` keep ``n_features``."""
    if who not in OF_GIVEN_SIZE:
        return SELECTORS[who](X, y, seed)
    if n_features is None:
        raise ValueError(f"{who} needs a number of features: give n_features.")
    return OF_GIVEN_SIZE[who](X, y, n_features)


def holds_classes(y: np.ndarray) -> bool:
    """Return whether a target is of classes, which are integers."""
    return bool(np.issubdtype(y.dtype, np.integer))


def neighbors_model(y: np.ndarray) -> Any:
    """Return five nearest neighbours, for numbers or classes."""
    return comparison.neighbors_model(y, holds_classes(y), seed=0)


def forest_model(y: np.ndarray, seed: int, n_trees: int = 300) -> Any:
    """Return a random forest, for numbers or classes."""
    forest = RandomForestClassifier if holds_classes(y) else RandomForestRegressor
    return forest(n_trees, random_state=seed, n_jobs=1)


def _ours(method: str, goal: str = "explain") -> Choose:
    def choose(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
        selector = MutualInfoSelector(
            method=method,
            goal=goal,
            random_state=seed,
            n_jobs=1,
            discrete_target=holds_classes(y),
            discrete_features=False,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return frozenset(selector.fit(X, y).selected_.tolist())

    return choose


def _all(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    return frozenset(range(X.shape[1]))


def _boruta(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    from boruta import BorutaPy

    forest = RandomForestClassifier if holds_classes(y) else RandomForestRegressor
    selector = BorutaPy(
        forest(max_depth=_BORUTA_DEPTH, n_jobs=1), n_estimators="auto", max_iter=_BORUTA_ROUNDS, random_state=seed
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


def l1_path(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    """Keep the features with a coefficient in a linear model, its L1 penalty chosen by cross-validation."""
    scaled = StandardScaler().fit_transform(X)
    splitter = (StratifiedKFold if holds_classes(y) else KFold)(_FOLDS, shuffle=True, random_state=seed)
    with _without_convergence_warnings():
        if not holds_classes(y):
            coefficients = LassoCV(cv=splitter, max_iter=_L1_ITERATIONS).fit(scaled, y).coef_
            return frozenset(np.flatnonzero(coefficients).tolist())
        model = LogisticRegressionCV(
            Cs=_WEIGHTS_OF_ERRORS,
            l1_ratios=(1.0,),
            solver=_solver(y),
            intercept_scaling=_INTERCEPT_SCALING,
            cv=splitter,
            scoring="neg_log_loss",
            max_iter=_L1_ITERATIONS,
            random_state=seed,
            use_legacy_attributes=False,
        )
        return frozenset(np.flatnonzero(np.abs(model.fit(scaled, y).coef_).max(axis=0)).tolist())


def l1_path_of(X: FloatArray, y: np.ndarray, n_features: int) -> frozenset[int]:
    """Keep the features of a linear model at the strongest L1 penalty that leaves ``n_features`` of them."""
    if n_features == 0:
        return frozenset()
    scaled = StandardScaler().fit_transform(X)
    with _without_convergence_warnings():
        path = _path_of_classes if holds_classes(y) else _path_of_numbers
        strength = path(scaled, y, n_features)
    largest = np.argsort(-strength, kind="stable")[:n_features]
    return frozenset(largest[strength[largest] > 0].tolist())


def mrmr(X: FloatArray, y: np.ndarray, n_features: int) -> frozenset[int]:
    """Select by minimum redundancy and maximum relevance (mRMR): add the feature with the largest quotient.

    Relevance is the F-statistic with the target, redundancy the mean absolute correlation with the features
    selected: the defaults of the package mrmr-selection. That package is under the GPL and silences all warnings
    of the process that imports it, so this is an own implementation, and a test compares the two.
    """
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")  # constant columns, which have no relevance
        relevance = np.nan_to_num((f_classif if holds_classes(y) else f_regression)(X, y)[0])
    scaled = StandardScaler().fit_transform(X) / np.sqrt(len(X))
    left = np.flatnonzero(relevance > 0).tolist()
    redundancy = np.zeros(X.shape[1])
    selected: list[int] = []
    while left and len(selected) < n_features:
        mean_redundancy = redundancy[left] / len(selected) if selected else np.ones(len(left))
        best = left.pop(int(np.argmax(relevance[left] / mean_redundancy)))
        selected.append(best)
        redundancy += np.maximum(np.abs(scaled.T @ scaled[:, best]), _LEAST_REDUNDANCY)
    return frozenset(selected)


def _path_of_numbers(scaled: FloatArray, y: FloatArray, n_features: int) -> FloatArray:
    coefficients = np.abs(lars_path(scaled, y - y.mean(), method="lasso")[2])
    sizes = np.count_nonzero(coefficients, axis=0)
    return np.asarray(coefficients[:, np.argmax(np.minimum(sizes, n_features))])


def _path_of_classes(scaled: FloatArray, y: np.ndarray, n_features: int) -> FloatArray:
    def strength(weight: float) -> FloatArray:
        model = LogisticRegression(
            C=10**weight,
            l1_ratio=1.0,
            solver=_solver(y),
            intercept_scaling=_INTERCEPT_SCALING,
            max_iter=_L1_ITERATIONS,
            random_state=0,
        )
        return np.asarray(np.abs(model.fit(scaled, y).coef_).max(axis=0))

    low = float(np.log10(l1_min_c(scaled, y, loss="log", intercept_scaling=_INTERCEPT_SCALING)))
    high = low + _DECADES_OF_WEIGHTS
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.count_nonzero(strength(middle)) >= n_features:
            high = middle
        else:
            low = middle
    return strength(high)


def _solver(y: np.ndarray) -> str:
    return "liblinear" if len(np.unique(y)) == 2 else "saga"


@contextmanager
def _without_convergence_warnings() -> Iterator[None]:
    """Ignore fits that have not converged, as those of near copies never do."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        yield


DEFAULT = "calibrated"
OURS = ("published", DEFAULT)
FOR_PREDICTION = "calibrated, for prediction"
SELECTORS: dict[str, Choose] = {
    "all features": _all,
    **{method: _ours(method) for method in OURS},
    FOR_PREDICTION: _ours(DEFAULT, "predict"),
    "Boruta": _boruta,
    "scikit-learn sequential": _sequential,
    "mlxtend sequential": _parsimonious,
    "L1 path": l1_path,
    "dCRT, lasso": _distilled(lambda y, seed: LassoCV(cv=_FOLDS, random_state=seed)),
    "dCRT, forest": _distilled(lambda y, seed: forest_model(y, seed, _TREES_OF_A_TEST)),
    "knockoffs": _knockoffs(offset=0),
    "knockoffs+": _knockoffs(offset=1),
}
OF_GIVEN_SIZE: dict[str, ChooseSoMany] = {"L1 path, given the number": l1_path_of, "mRMR, given the number": mrmr}
_MODULES = {
    "Boruta": "boruta",
    "mlxtend sequential": "mlxtend.feature_selection",
    "dCRT, lasso": "hidimstat",
    "dCRT, forest": "hidimstat",
    "knockoffs": "knockpy",
    "knockoffs+": "knockpy",
}
