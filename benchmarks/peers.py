"""The same work done by others: scikit-learn, a textbook KD-tree, tigramite, ennemi, infomeasure."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma

PACKAGES = (
    "infosift",
    "numpy",
    "scipy",
    "scikit-learn",
    "tigramite",
    "ennemi",
    "infomeasure",
    "mlxtend",
    "Boruta",
)


def versions() -> dict[str, str | None]:
    """Return the versions of the packages that take part; None for those not installed."""
    return {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def installed(name: str) -> bool:
    """Tell whether a package is there to compare with."""
    return _version(name) is not None


def kd_tree_ksg(X: np.ndarray, y: np.ndarray, neighbors: Sequence[int]) -> list[float]:
    """Estimate MI(X; y) by KSG 1 as textbooks write it: three KD-trees, every k from one joint query."""
    joint = np.column_stack([X, y])
    distances = cKDTree(joint).query(joint, k=max(neighbors) + 1, p=np.inf)[0]
    x_tree, y_tree = cKDTree(X), cKDTree(y[:, None])
    n = len(y)
    estimates = []
    for k in neighbors:
        radius = np.nextafter(distances[:, k], 0)
        in_x = x_tree.query_ball_point(X, radius, p=np.inf, return_length=True) - 1
        in_y = y_tree.query_ball_point(y[:, None], radius, p=np.inf, return_length=True) - 1
        means = np.mean(digamma(in_x + 1) + digamma(in_y + 1))
        estimates.append(float(digamma(k) + digamma(n) - means))
    return estimates


def tigramite_test(x: np.ndarray, y: np.ndarray, given: np.ndarray, k: int, shuffles: int) -> Any:
    """Run tigramite's conditional-independence test by nearest neighbours, with its local permutations."""
    from tigramite.independence_tests.cmiknn import CMIknn

    test = CMIknn(knn=k, sig_samples=shuffles, transform="standardize", workers=1)
    array = np.column_stack([x, y, given]).T
    roles = np.array([0, 1] + [2] * given.shape[1])
    value = test.get_dependence_measure(array, roles)
    return test.get_shuffle_significance(array, roles, value)


def ennemi_scores(C: np.ndarray, y: np.ndarray, k: int) -> Any:
    """Score single columns by ennemi."""
    from ennemi import estimate_mi

    return estimate_mi(y, C, k=k, max_threads=1)


def infomeasure_scores(C: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    """Score single columns by infomeasure."""
    from infomeasure import mutual_information

    return [float(mutual_information(c, y, approach="ksg", k=k)) for c in C.T]


def boruta_selection(X: np.ndarray, y: np.ndarray) -> Any:
    """Select by Boruta: 50 rounds of random forests on the columns and shuffled versions of them."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(max_depth=5, n_jobs=1, random_state=0)
    return BorutaPy(forest, n_estimators=100, max_iter=50, random_state=0).fit(X, y)


def mlxtend_selection(X: np.ndarray, y: np.ndarray, n_features: int) -> Any:
    """Select so many columns by mlxtend's forward search around 5-nearest neighbours, cross-validated."""
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.neighbors import KNeighborsRegressor

    return SequentialFeatureSelector(KNeighborsRegressor(), k_features=n_features, scoring="r2", cv=5).fit(X, y)
