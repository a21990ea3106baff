"""How well models predict from the features that selectors choose, on real data, rows left out throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from time import process_time
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from infosift import comparison
from infosift.arrays import FloatArray, IntArray
from studies.data_files import load
from studies.outcome import Outcome, Setting, Table
from studies.selectors import (
    DEFAULT,
    FOR_PREDICTION,
    OF_GIVEN_SIZE,
    OURS,
    forest_model,
    holds_classes,
    neighbors_model,
    prepare,
    require_installed,
    select_by,
)

_FOLDS = 5
_ITERATIONS = 2000
_PENALTIES_OF_CLASSES = np.logspace(-4, 4, 13)
_FEW = 30
_ALL = "all features"
NAMES = ("housing", "nitrogen", "tecator", "diabetes", "sonar", "colon", "breast cancer")
# Without mlxtend's search, which would go on to the last of 2,000 features.
WHO = (_ALL, *OURS, FOR_PREDICTION, "Boruta", "scikit-learn sequential", "L1 path", *OF_GIVEN_SIZE)
_QUICK = (_ALL, DEFAULT, FOR_PREDICTION, *OF_GIVEN_SIZE)
_REMARKS = (
    "Features are selected without the test rows. The error of numbers is the root mean square over the standard "
    "deviation of the target, that of classes the share of wrong ones, each with the standard error of the mean "
    "over folds. Seconds are those of the processor.",
    "Selectors that need a number of features are given that of our default on the same rows.",
)

Data = tuple[FloatArray, np.ndarray]
Fold = dict[str, float]
# Means over folds, and the folds themselves under "by fold".
Column = dict[str, Any]


def linear_model(y: np.ndarray) -> Any:
    """Return a linear model with an L2 penalty chosen by cross-validation."""
    if not holds_classes(y):
        return comparison.ridge_model(y, has_classes=False, seed=0)
    logistic = LogisticRegressionCV(
        Cs=1 / _PENALTIES_OF_CLASSES,
        l1_ratios=(0.0,),
        cv=_FOLDS,
        scoring="neg_log_loss",
        max_iter=_ITERATIONS,
        use_legacy_attributes=False,
    )
    return make_pipeline(StandardScaler(), logistic)


# From the target, which is of numbers or classes, and a seed to a model.
MODELS: dict[str, Callable[[np.ndarray, int], Any]] = {
    "nearest neighbours": lambda y, seed: neighbors_model(y),
    "random forest": forest_model,
    "linear model": lambda y, seed: linear_model(y),
}


def run(setting: Setting) -> Outcome:
    """Select features on four fifths of the rows and predict the others, in turn."""
    names, who = (NAMES[3:4], _QUICK) if setting.quick else (NAMES, WHO)
    require_installed(who)
    data = {name: load(name, setting.data) for name in names}
    numbers: dict[str, dict[str, Column]] = {name: {} for name in names}
    for name, one in setting.track(list(product(names, who)), "data sets and selectors"):
        sizes = numbers_of_features(numbers[name][DEFAULT]) if one in OF_GIVEN_SIZE else ()
        numbers[name][one] = column(data[name], one, sizes, 1 if setting.quick else _FOLDS, setting.map)
    return outcome(numbers)


def column(
    data: Data,
    who: str,
    sizes: Sequence[int] = (),
    n_folds: int = _FOLDS,
    map_: Callable[..., Iterable[Fold]] = map,
) -> Column:
    """Select by one selector on the first folds; ``sizes`` are the numbers of features to keep, if needed."""
    numbers = [sizes[fold] if sizes else None for fold in range(n_folds)]
    runs = list(map_(partial(_one, data, who), range(n_folds), numbers))
    return {**{key: fmean(run[key] for run in runs) for key in runs[0]}, "by fold": runs}


def numbers_of_features(done: Column) -> list[int]:
    """Return how many features were selected on each fold."""
    return [int(fold["features"]) for fold in done["by fold"]]


def outcome(numbers: dict[str, dict[str, Column]]) -> Outcome:
    """Return the tables of columns, by data set and selector, from one run or several."""
    ratios = {who: by_model for who in (DEFAULT, FOR_PREDICTION) if (by_model := _ratios(numbers, who))}
    tables = [
        *(_table(f"Error of {model}, test rows", model, numbers, "{:.3f}", " ± {:.3f}") for model in MODELS),
        _table("Number of features", "features", numbers, "{:.1f}"),
        _table("CPU seconds to select, one thread", "CPU seconds", numbers, "{:.1f}"),
        *(_table_of_ratios(who, by_model) for who, by_model in ratios.items()),
    ]
    return Outcome("prediction", tuple(tables), {"data sets": numbers, "ratios": ratios}, remarks=_REMARKS)


def error_on(model: Any, X: FloatArray, y: np.ndarray, train: IntArray, test: IntArray) -> float:
    """Return the share of wrong classes, or the root mean square over the standard deviation of the target."""
    if X.shape[1] == 0:
        model, X = (DummyClassifier() if holds_classes(y) else DummyRegressor()), np.zeros((len(y), 1))
    predicted = model.fit(X[train], y[train]).predict(X[test])
    if holds_classes(y):
        return float(np.mean(predicted != y[test]))
    return float(np.sqrt(np.mean((predicted - y[test]) ** 2)) / y.std())


def _one(data: Data, who: str, fold: int, n_features: int | None = None) -> Fold:
    X, y = data
    splitter = (StratifiedKFold if holds_classes(y) else KFold)(_FOLDS, shuffle=True, random_state=0)
    train, test = list(splitter.split(X, y))[fold]
    prepare(who)
    with threadpool_limits(1):
        started = process_time()
        selected = sorted(select_by(who, X[train], y[train], fold, n_features))
        seconds = process_time() - started
        errors = {name: error_on(model(y, fold), X[:, selected], y, train, test) for name, model in MODELS.items()}
    return {**errors, "features": float(len(selected)), "CPU seconds": seconds}


def _table(
    title: str, key: str, numbers: dict[str, dict[str, Column]], form: str, form_of_error: str = ""
) -> Table:
    who = [one for one in WHO if any(one in by for by in numbers.values())]
    rows = tuple(
        (name, *(_shown(by.get(one), key, form, form_of_error) for one in who)) for name, by in numbers.items()
    )
    n_folds = max(len(column["by fold"]) for by in numbers.values() for column in by.values())
    return Table(f"{title}, mean of {n_folds} fold{'s' * (n_folds > 1)}", ("data", *who), rows)


def _shown(column: Column | None, key: str, form: str, form_of_error: str) -> str:
    """Return a mean over folds, with its standard error where there are several."""
    if column is None:
        return "–"
    values = [fold[key] for fold in column["by fold"]]
    error = form_of_error.format(stdev(values) / sqrt(len(values))) if len(values) > 1 else ""
    return form.format(column[key]) + error


def _ratios(numbers: dict[str, dict[str, Column]], who: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the error of one of ours over that of the best peer with few features, by model and data set."""
    ratios: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, by), model in product(numbers.items(), MODELS):
        peers = {
            one: column[model]
            for one, column in by.items()
            if one not in (_ALL, *OURS, FOR_PREDICTION) and column["features"] <= _FEW
        }
        if who in by and peers:
            best = min(peers, key=lambda one: peers[one])
            ratios.setdefault(model, {})[name] = {"ratio": _over(by[who][model], peers[best]), "peer": best}
    return ratios


def _over(ours: float, theirs: float) -> float:
    if theirs == 0:
        return 1.0 if ours == 0 else float("inf")
    return ours / theirs


def _table_of_ratios(who: str, ratios: dict[str, dict[str, dict[str, Any]]]) -> Table:
    by_model = list(ratios.values())
    values = [{name: one["ratio"] for name, one in by_name.items()} for by_name in by_model]
    worst = [max(by_name, key=lambda name: by_name[name]) for by_name in values]
    with np.errstate(divide="ignore"):  # an error of zero
        means = [float(np.exp(np.mean(np.log(list(by_name.values()))))) for by_name in values]
    rows = [
        (name, *(f"{by_name[name]['ratio']:.3f} ({by_name[name]['peer']})" for by_name in by_model))
        for name in by_model[0]
    ]
    return Table(
        f"Error of {who} over that of the best peer with at most {_FEW} features",
        ("data", *ratios),
        (
            *rows,
            ("geometric mean", *(f"{mean:.3f}" for mean in means)),
            ("worst", *(f"{by_name[name]:.3f} ({name})" for by_name, name in zip(values, worst, strict=True))),
        ),
    )
