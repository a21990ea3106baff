"""How well models predict from the features that selectors choose, on real data, rows left out throughout."""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from infosift.arrays import FloatArray
from infosift.studies.data import COLON, HOUSING, NITROGEN, SONAR, TECATOR
from infosift.studies.outcome import Outcome, Setting, Table
from infosift.studies.rivals import SELECTORS, holds_classes, neighbors_model, require_rivals

_FOLDS = 5
_TREES = 300
_WHO = [name for name in SELECTORS if name != "mlxtend sequential"]  # it would go on to the last of 2,000 features
_MODELS = ("nearest neighbours", "random forest")

Data = tuple[FloatArray, np.ndarray]


def load(name: str, folder: Path | None) -> Data:
    """Return the features and the target of a data set; classes are integers."""
    if name == "diabetes":
        return load_diabetes(return_X_y=True)  # type: ignore[no-any-return]
    if name == "breast cancer":
        return load_breast_cancer(return_X_y=True)  # type: ignore[no-any-return]
    file, target, others = {
        "housing": (HOUSING, "MEDV", ()),
        "nitrogen": (NITROGEN, "N", ("C", "S", "FERT")),
        "tecator": (TECATOR, "fat", ("moisture", "protein")),
        "sonar": (SONAR, "mine", ()),
        "colon": (COLON, "Y", ()),
    }[name]
    frame = file.read(folder)
    X = frame.drop(target, *others).to_numpy().astype(np.float64)
    y = frame[target].to_numpy()
    return np.log(X) if file is COLON else X, y.astype(np.int64 if file in (SONAR, COLON) else np.float64)


_NAMES = ("housing", "nitrogen", "tecator", "diabetes", "sonar", "colon", "breast cancer")


def run(setting: Setting) -> Outcome:
    """Select features on four fifths of the rows and predict the others, in turn."""
    require_rivals()
    names = ("diabetes",) if setting.quick else _NAMES
    data = {name: load(name, setting.data) for name in names}
    folds = range(1 if setting.quick else _FOLDS)
    who = _WHO[:3] if setting.quick else _WHO
    numbers: dict[str, Any] = {name: {} for name in names}
    with setting.processes() as pool:
        for name, selector in setting.track(list(product(names, who)), "data sets and selectors"):
            runs = list(pool.map(partial(_one, data[name], selector), folds))
            numbers[name][selector] = {key: fmean(run[key] for run in runs) for key in runs[0]}
    tables = (
        *(_table(f"Error of {model}, test rows", model, numbers, who, "{:.3f}") for model in _MODELS),
        _table("Number of features", "features", numbers, who, "{:.1f}"),
        _table("Seconds to select, one thread", "seconds", numbers, who, "{:.1f}"),
    )
    return Outcome(
        "prediction",
        tables,
        numbers,
        remarks=(
            f"Means over {len(folds)} fold{'s' * (len(folds) > 1)}; features are selected without the test rows. "
            "The error of numbers is the root mean square over the standard deviation of the target, that of "
            "classes the share of wrong ones.",
        ),
    )


def _one(data: Data, selector: str, fold: int) -> dict[str, float]:
    X, y = data
    splitter = (StratifiedKFold if holds_classes(y) else KFold)(_FOLDS, shuffle=True, random_state=0)
    train, test = list(splitter.split(X, y))[fold]
    with threadpool_limits(1):
        started = perf_counter()
        selected = sorted(SELECTORS[selector](X[train], y[train], fold))
        seconds = perf_counter() - started
        errors = {
            name: _error(model, X[:, selected], y, train, test)
            for name, model in zip(_MODELS, (neighbors_model(y), _forest(y, fold)), strict=True)
        }
    return {**errors, "features": float(len(selected)), "seconds": seconds}


def _forest(y: np.ndarray, seed: int) -> Any:
    forest = RandomForestClassifier if holds_classes(y) else RandomForestRegressor
    return forest(_TREES, random_state=seed, n_jobs=1)


def _error(model: Any, X: FloatArray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    if X.shape[1] == 0:
        model, X = (DummyClassifier() if holds_classes(y) else DummyRegressor()), np.zeros((len(y), 1))
    predicted = model.fit(X[train], y[train]).predict(X[test])
    if holds_classes(y):
        return float(np.mean(predicted != y[test]))
    return float(np.sqrt(np.mean((predicted - y[test]) ** 2)) / y.std())


def _table(title: str, key: str, numbers: dict[str, Any], who: list[str], form: str) -> Table:
    rows = tuple((name, *(form.format(by[one][key]) for one in who)) for name, by in numbers.items())
    return Table(title, ("data", *who), rows)
