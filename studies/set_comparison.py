"""Sets of features compared by the test error of the paper's model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone

from infosift.arrays import FloatArray, IntArray
from infosift.results.selection import Selection
from infosift.selector import MutualInfoSelector
from studies.outcome import Table
from studies.rbfn import RBFNRegressor

SETS = ("selected", "peak", "all", "calibrated")
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Comparison:
    """A selection by each method on the training rows, and the test errors of models on sets of features."""

    selection: Selection
    calibrated: Selection
    rmse: dict[str, float]

    @property
    def numbers(self) -> dict[str, Any]:
        """Everything that a reader may want to look up."""
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
    told = [
        f"Mean test error of the selected features {selected.mean():.4g}, {relation} that of all features "
        f"{everything.mean():.4g}; better on {int(np.sum((gaps < 0) & ~same))} of {len(gaps)}."
    ]
    if same.any():
        told.append(f"All features were selected on {int(same.sum())}.")
    if worse:
        told.append(f"Worse on {', '.join(worse)}.")
    return " ".join(told)


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
