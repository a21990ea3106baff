"""The radial basis function network of the paper, and sets of features compared by its test error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from infosift.arrays import FloatArray, IntArray
from infosift.errors import InputError
from infosift.results.selection import Selection
from infosift.selector import MutualInfoSelector
from studies.outcome import Table

SETS = ("selected", "peak", "all", "calibrated")

_SHARES_OF_ROWS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 3 / 8)
# Wide units are nearly alike, and what tells them apart is noise; directions this much smaller are left out of the
# least squares. Without this, predictions far from all centres can be far from all targets.
_SMALLEST_SINGULAR_VALUE = 1e-3
# Relative difference of two errors below which they are of the same features in another order.
_ROUNDING = 1e-9


class RBFNRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian units on the centres of clusters, as wide as the clusters are, with a linear output.

    The method of Benoudjit and Verleysen (Neural Processing Letters 18, 2003): centres by vector quantisation
    (k-means), the width of a unit a common factor times the standard deviation of its cluster, the factor and the
    number of centres by cross-validation, the output weights by least squares. Columns are standardised first.

    Parameters
    ----------
    n_centers : "auto", int or sequence of int, default="auto"
        Numbers of centres to compare. "auto" takes shares of the rows from 1/64 to 3/8.
    width_factors : float or sequence of float
        Factors to compare.
    cv : int, default=5
        Number of folds.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the clusters.

    Attributes
    ----------
    n_centers_ : int
        Number of centres chosen.
    width_factor_ : float
        Factor chosen.
    cv_errors_ : ndarray of shape (numbers of centres, factors)
        Root mean squared errors of the cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from studies.rbfn import RBFNRegressor
    >>> X, y = make_friedman1(200, 5, random_state=0)
    >>> RBFNRegressor(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_centers: str | int | Sequence[int] = "auto",
        width_factors: float | Sequence[float] = (1.0, 1.5, 2.0, 3.0, 4.5, 7.0, 10.0, 15.0),
        *,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.width_factors = width_factors
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RBFNRegressor:
        """Choose the number of centres and the width, and fit the network to all rows."""
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_samples=2, dtype=np.float64)
        y = np.asarray(y, dtype=np.float64)
        self._mean, spread = X.mean(axis=0), X.std(axis=0)
        self._spread = np.where(spread > 0, spread, 1.0)
        X = (X - self._mean) / self._spread
        factors = np.atleast_1d(np.asarray(self.width_factors, dtype=np.float64))
        if factors.size == 0 or not (factors > 0).all():
            raise InputError(f"width_factors must be positive numbers, not {self.width_factors!r}.")
        random = check_random_state(self.random_state)
        folds = list(_folds(len(y), self.cv, random))
        seed = int(random.randint(2**31 - 1))
        numbers = self._numbers_of_centers(len(y), min(len(np.unique(X[train], axis=0)) for train, _ in folds))

        with threadpool_limits(1):  # many small problems: threads would wait for each other more than work
            self.cv_errors_ = _cross_validated_errors(X, y, folds, numbers, factors, seed)
            best = np.unravel_index(np.argmin(self.cv_errors_), self.cv_errors_.shape)
            self.n_centers_, self.width_factor_ = numbers[int(best[0])], float(factors[best[1]])
            self._units = _Units.around_clusters(X, self.n_centers_, seed)
            outputs = self._units.outputs(self._units.squared_distances(X), self.width_factor_)
            self._weights = _least_squares(outputs, y)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict the target."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        distances = self._units.squared_distances((X - self._mean) / self._spread)
        return np.asarray(self._units.outputs(distances, self.width_factor_) @ self._weights)

    def _numbers_of_centers(self, n_rows: int, most: int) -> list[int]:
        if isinstance(self.n_centers, str):
            if self.n_centers != "auto":
                raise InputError(f'n_centers must be "auto" or numbers of centres, not {self.n_centers!r}.')
            numbers = [max(1, round(share * n_rows)) for share in _SHARES_OF_ROWS]
        else:
            numbers = [int(number) for number in np.atleast_1d(self.n_centers)]
            if not numbers or min(numbers) < 1:
                raise InputError(f"n_centers must be at least 1, not {self.n_centers!r}.")
        return sorted({min(number, most) for number in numbers})


@dataclass(frozen=True)
class _Units:
    centers: FloatArray
    spreads: FloatArray

    @classmethod
    def around_clusters(cls, X: FloatArray, number: int, seed: int) -> _Units:
        clusters = KMeans(number, n_init=1, random_state=seed).fit(X)
        sizes = np.bincount(clusters.labels_, minlength=number)
        squares = np.sum((X - clusters.cluster_centers_[clusters.labels_]) ** 2, axis=1)
        variances = np.bincount(clusters.labels_, squares, minlength=number) / np.maximum(sizes, 1)
        # The cluster of a single row has no width of its own; it gets that of the others.
        wide = variances > 0
        variances[~wide] = variances[wide].mean() if wide.any() else 1.0
        return cls(clusters.cluster_centers_, np.sqrt(variances))

    def squared_distances(self, X: FloatArray) -> FloatArray:
        return np.asarray(cdist(X, self.centers, "sqeuclidean"))

    def outputs(self, squared_distances: FloatArray, factor: float) -> FloatArray:
        """Return the outputs of the units, after a constant one."""
        active = np.exp(squared_distances / (-2.0 * (factor * self.spreads) ** 2))
        return np.column_stack([np.ones(len(active)), active])


def _cross_validated_errors(
    X: FloatArray,
    y: FloatArray,
    folds: Sequence[tuple[IntArray, IntArray]],
    numbers: Sequence[int],
    factors: FloatArray,
    seed: int,
) -> FloatArray:
    """Return the root mean squared errors by number of centres and width."""
    squares = np.zeros((len(numbers), len(factors)))
    for train, test in folds:
        for i, number in enumerate(numbers):
            units = _Units.around_clusters(X[train], number, seed)
            near, far = units.squared_distances(X[train]), units.squared_distances(X[test])
            for j, factor in enumerate(factors):
                weights = _least_squares(units.outputs(near, factor), y[train])
                squares[i, j] += np.sum((y[test] - units.outputs(far, factor) @ weights) ** 2)
    return np.asarray(np.sqrt(squares / len(y)))


def _least_squares(outputs: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.lstsq(outputs, y, rcond=_SMALLEST_SINGULAR_VALUE)[0])


def _folds(n_rows: int, n_folds: int, random: np.random.RandomState) -> Iterator[tuple[IntArray, IntArray]]:
    if not isinstance(n_folds, Integral) or n_folds < 2:
        raise InputError(f"cv must be a number of folds from 2 on, not {n_folds!r}.")
    yield from KFold(min(int(n_folds), n_rows), shuffle=True, random_state=random).split(np.empty(n_rows))


@dataclass(frozen=True)
class Comparison:
    """A selection by each method on the training rows, and the test errors of models on sets of features."""

    selection: Selection
    calibrated: Selection
    rmse: dict[str, float]

    @property
    def numbers(self) -> dict[str, Any]:
        """The selections and the errors, for JSON."""
        return {
            "n_neighbors": self.selection.n_neighbors,
            "selected": list(self.selection.names),
            "peak": list(self.selection.peak.names),
            "calibrated": list(self.calibrated.names),
            "rmse": self.rmse,
        }


def compare(
    train: tuple[pl.DataFrame, FloatArray],
    test: tuple[pl.DataFrame, FloatArray],
    selector: MutualInfoSelector,
    cv: int,
    seed: int,
) -> Comparison:
    """Select features on the training rows; fit a network to each set; measure its error on the test rows."""
    selection = selector.fit(*train).selection_
    calibrated = clone(selector).set_params(method="calibrated").fit(*train).selection_
    features = {
        "selected": selection.names,
        "peak": selection.peak.names,
        "all": tuple(train[0].columns),
        "calibrated": calibrated.names,
    }
    errors = {name: _test_error(train, test, features[name], cv, seed) for name in SETS}
    return Comparison(selection, calibrated, errors)


def _test_error(
    train: tuple[pl.DataFrame, FloatArray],
    test: tuple[pl.DataFrame, FloatArray],
    features: Sequence[str],
    cv: int,
    seed: int,
) -> float:
    if not features:
        return float(np.sqrt(np.mean((test[1] - train[1].mean()) ** 2)))
    model = RBFNRegressor(cv=cv, random_state=seed).fit(train[0].select(features).to_numpy(), train[1])
    return float(np.sqrt(np.mean((test[1] - model.predict(test[0].select(features).to_numpy())) ** 2)))


def random_split(n_rows: int, n_train: int, seed: int) -> tuple[IntArray, IntArray]:
    """Return rows to train and to test on."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return np.sort(order[:n_train]), np.sort(order[n_train:])


def mean_and_spread(comparisons: Sequence[Comparison], value: Callable[[Comparison], float]) -> str:
    """Return mean ± standard deviation over comparisons."""
    values = np.array([value(comparison) for comparison in comparisons])
    return f"{values.mean():.3g} ± {values.std(ddof=1):.2g}"


def errors_over_splits(
    title: str, comparisons: Sequence[Comparison], printed: dict[str, tuple[str, str]]
) -> Table:
    """Return a table of test errors and numbers of features, with what the paper printed (features, error)."""
    sizes: dict[str, Callable[[Comparison], float]] = {
        "selected": lambda c: len(c.selection.names),
        "peak": lambda c: len(c.selection.peak.names),
        "all": lambda c: len(c.selection.feature_names),
        "calibrated": lambda c: len(c.calibrated.names),
    }
    printed = {**printed, "calibrated": ("", "")}
    rows = tuple(
        (
            name,
            printed[name][0],
            mean_and_spread(comparisons, sizes[name]) if name != "all" else str(int(sizes[name](comparisons[0]))),
            printed[name][1],
            mean_and_spread(comparisons, partial(_error_of, name)),
        )
        for name in SETS
    )
    return Table(title, ("features", "number, paper", "number, ours", "error, paper", "test RMSE, ours"), rows)


def _error_of(name: str, comparison: Comparison) -> float:
    return comparison.rmse[name]


def range_of_k(comparisons: Sequence[Comparison]) -> str:
    """Return the smallest and the largest number of neighbours chosen."""
    selected = [comparison.selection.n_neighbors or 0 for comparison in comparisons]
    return f"{min(selected)} to {max(selected)}"


def verdict(comparisons: Sequence[Comparison], names: Sequence[str]) -> str:
    """Say whether the selected features do better than all, on average and where not."""
    selected, everything = (np.array([c.rmse[name] for c in comparisons]) for name in ("selected", "all"))
    gaps = selected - everything
    same = np.abs(gaps) <= _ROUNDING * everything  # all features selected, in another order
    worse = [
        f"{name} (by {gap:.3g})"
        for name, gap, equal in zip(names, gaps, same, strict=True)
        if gap > 0 and not equal
    ]
    relation = "equal to" if same.all() else "below" if selected.mean() < everything.mean() else "not below"
    sentences = [
        f"Mean test error of the selected features {selected.mean():.4g}, {relation} that of all features "
        f"{everything.mean():.4g}; better on {int(np.sum((gaps < 0) & ~same))} of {len(gaps)}."
    ]
    if same.any():
        sentences.append(f"All features were selected on {int(same.sum())}.")
    if worse:
        sentences.append(f"Worse on {', '.join(worse)}.")
    return " ".join(sentences)


def notable_features(comparisons: Sequence[Comparison], at_most: int = 12) -> Table:
    """Return how often each feature was selected, the most frequent first."""
    counts: dict[str, int] = {}
    for comparison in comparisons:
        for name in comparison.selection.names:
            counts[name] = counts.get(name, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:at_most]
    return Table(
        "Features selected most often",
        ("feature", f"of {len(comparisons)}"),
        tuple((name, str(count)) for name, count in ranked),
    )
