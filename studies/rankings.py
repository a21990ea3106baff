"""Selectors that put features in an order: the L1 path and mRMR, cut by cross-validation or at a given number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, lars_path
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from infosift.arrays import FloatArray
from studies.predictors import holds_classes

_FOLDS = 5
_ROUNDS = 5000
_WEIGHTS_OF_ERRORS = np.logspace(-3, 2, 16)  # the inverse of the penalty, as scikit-learn has it for classes
_INTERCEPT_SCALING = 10.0  # liblinear also penalises the intercept, by this much less
_DECADES_OF_WEIGHTS = 5
_HALVINGS = 20
_LEAST_REDUNDANCY = 0.001


def l1_path(X: FloatArray, y: np.ndarray, seed: int) -> frozenset[int]:
    """Keep the features with a coefficient in a linear model, its L1 penalty chosen by cross-validation."""
    scaled = StandardScaler().fit_transform(X)
    splitter = (StratifiedKFold if holds_classes(y) else KFold)(_FOLDS, shuffle=True, random_state=seed)
    with _convergence_as_it_may_be():
        if not holds_classes(y):
            coefficients = LassoCV(cv=splitter, max_iter=_ROUNDS).fit(scaled, y).coef_
            return frozenset(np.flatnonzero(coefficients).tolist())
        model = LogisticRegressionCV(
            Cs=_WEIGHTS_OF_ERRORS,
            l1_ratios=(1.0,),
            solver=_solver(y),
            intercept_scaling=_INTERCEPT_SCALING,
            cv=splitter,
            scoring="neg_log_loss",
            max_iter=_ROUNDS,
            random_state=seed,
            use_legacy_attributes=False,
        )
        return frozenset(np.flatnonzero(np.abs(model.fit(scaled, y).coef_).max(axis=0)).tolist())


def l1_path_of(X: FloatArray, y: np.ndarray, n_features: int) -> frozenset[int]:
    """Keep the features in a linear model at the strongest L1 penalty that leaves that many."""
    if n_features == 0:
        return frozenset()
    scaled = StandardScaler().fit_transform(X)
    with _convergence_as_it_may_be():
        path = _path_of_classes if holds_classes(y) else _path_of_numbers
        strength = path(scaled, y, n_features)
    largest = np.argsort(-strength, kind="stable")[:n_features]
    return frozenset(largest[strength[largest] > 0].tolist())


def mrmr(X: FloatArray, y: np.ndarray, n_features: int) -> frozenset[int]:
    """Add, so many times, the feature with the most relevance over redundancy.

    Relevance is the F-statistic with the target, redundancy the mean absolute correlation with the features
    selected: the defaults of the package mrmr-selection. This is our own form of it, held to the package by a
    test: that one is under the GPL and silences all warnings of the process that imports it.
    """
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")  # constant columns, which have no relevance
        relevance = np.nan_to_num((f_classif if holds_classes(y) else f_regression)(X, y)[0])
    scaled = StandardScaler().fit_transform(X) / np.sqrt(len(X))
    left = np.flatnonzero(relevance > 0).tolist()
    redundancy = np.zeros(X.shape[1])
    selected: list[int] = []
    while left and len(selected) < n_features:
        beside = redundancy[left] / len(selected) if selected else np.ones(len(left))
        best = left.pop(int(np.argmax(relevance[left] / beside)))
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
            max_iter=_ROUNDS,
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
def _convergence_as_it_may_be() -> Iterator[None]:
    """Keep quiet about fits that are not yet at their optimum, as those of near copies never are."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        yield
