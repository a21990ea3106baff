"""Sections 3 and 4.1 of the paper: what the number of neighbours does to the estimate, and how it is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, GREY, ORANGE, new_figure
from infosift.display.plots.neighbors import draw_distributions
from infosift.functions import choose_n_neighbors, score_candidates
from studies.friedman import INFORMATIVE, NAMES, whole_path
from studies.outcome import Outcome, Setting, Table
from studies.simulated import draw_friedman

_SEVERAL = (1, 2, 3, 5, 7, 10, 15, 20)
_RANGE = tuple(range(1, 21))
_RELEVANT, _USELESS = 3, 9  # X4 and X10


def run(setting: Setting) -> Outcome:
    """Estimate for many numbers of neighbours, on one data set and on a hundred."""
    X, y = draw_friedman(0)
    alone = {k: score_candidates(X, y, n_neighbors=k) for k in _SEVERAL}
    paths = {k: whole_path(X, y, k) for k in setting.track(_SEVERAL, "forward paths")}
    seeds = range(8 if setting.quick else 100)
    spread = np.stack([_two_features(seed) for seed in setting.track(seeds, "data sets")])
    choice = choose_n_neighbors(X, y, random_state=0, n_jobs=setting.n_jobs)
    low, high = np.percentile(spread, [1, 99], axis=0)
    numbers: dict[str, Any] = {
        "mutual information by k": {k: values.tolist() for k, values in alone.items()},
        "forward paths by k": {
            k: {"features": [NAMES[c] for c in order], "scores": scores} for k, (order, scores) in paths.items()
        },
        "k": list(_RANGE),
        "X4": {"mean": spread[:, 0].mean(0).tolist(), "1 %": low[0].tolist(), "99 %": high[0].tolist()},
        "X10": {"mean": spread[:, 1].mean(0).tolist(), "1 %": low[1].tolist(), "99 %": high[1].tolist()},
        "n_neighbors": choice.n_neighbors,
        "feature": NAMES[choice.feature_names.index(choice.feature)],
        "estimates": choice.estimates.tolist(),
        "shuffled_estimates": choice.shuffled_estimates.tolist(),
    }
    figures = {
        "by-k": _mutual_information_by_k(alone),
        "forward-by-k": _forward_by_k(paths),
        "bias-variance": _bias_and_variance(spread, low, high),
        "distributions": _distributions(choice, numbers["feature"]),
    }
    return Outcome("sensitivity", _tables(paths, spread, low, high), numbers, figures)


def _two_features(seed: int) -> FloatArray:
    X, y = draw_friedman(seed)
    both = X[:, [_RELEVANT, _USELESS]]
    return np.stack([score_candidates(both, y, n_neighbors=k) for k in _RANGE], axis=1)


def _tables(paths: Any, spread: FloatArray, low: FloatArray, high: FloatArray) -> tuple[Table, ...]:
    shown = [_RANGE.index(k) for k in _SEVERAL]
    rows = []
    for k, (order, scores) in paths.items():
        peak = int(np.argmax(scores)) + 1
        first_five = {NAMES[column] for column in order[:5]}
        rows.append(
            (str(k), " ".join(NAMES[c] for c in order), str(peak), "yes" if first_five == INFORMATIVE else "no")
        )
    return (
        Table(
            "Forward search for several k, one data set",
            ("k", "order of the features", "size at the peak", "first five are the informative ones"),
            tuple(rows),
        ),
        Table(
            f"Estimates over {len(spread)} data sets: mean, and 1 % to 99 % percentiles",
            ("k", "X4 (relevant)", "X10 (useless)", "apart"),
            tuple(
                (
                    str(_RANGE[i]),
                    f"{spread[:, 0, i].mean():.3f} ({low[0, i]:.3f} to {high[0, i]:.3f})",
                    f"{spread[:, 1, i].mean():.3f} ({low[1, i]:.3f} to {high[1, i]:.3f})",
                    "yes" if low[0, i] > high[1, i] else "no",
                )
                for i in shown
            ),
        ),
    )


def _mutual_information_by_k(alone: dict[int, FloatArray]) -> Any:
    figure, grid = new_figure(2, 4, (9.6, 4.8), sharey=True)
    colors = [BLUE if name in INFORMATIVE else ORANGE for name in NAMES]
    for axes, (k, values) in zip(grid.flat, alone.items(), strict=True):
        axes.bar(range(1, 11), values, color=colors)
        axes.axhline(0, color=GREY, lw=0.8)
        axes.set(title=f"k = {k}", xticks=range(1, 11))
    figure.suptitle("Mutual information of each feature with the target; X1 to X5 (dark) are informative")
    return figure


def _forward_by_k(paths: Any) -> Any:
    figure, grid = new_figure(2, 4, (9.6, 5.2))
    for axes, (k, (order, scores)) in zip(grid.flat, paths.items(), strict=True):
        axes.plot(range(1, 11), scores, "o-", color=BLUE, ms=4)
        axes.plot(int(np.argmax(scores)) + 1, max(scores), "o", ms=10, mfc="none", mec=GREY)
        axes.set(title=f"k = {k}")
        axes.set_xticks(range(1, 11), [str(column + 1) for column in order])
    figure.suptitle("Forward search: information of the subset; below, the feature added; the ring is the peak")
    return figure


def _bias_and_variance(spread: FloatArray, low: FloatArray, high: FloatArray) -> Any:
    figure, axes = new_figure()
    for i, (name, color, style) in enumerate((("X4", BLUE, "-"), ("X10", ORANGE, "--"))):
        axes.fill_between(_RANGE, low[i], high[i], color=color, alpha=0.2, lw=0)
        axes.plot(_RANGE, spread[:, i].mean(0), style, color=color, label=f"{name}: mean, 1 % to 99 %")
    axes.axhline(0, color=GREY, lw=0.8)
    axes.set(xlabel="number of neighbours k", ylabel="mutual information (nats)", xticks=range(2, 21, 2))
    axes.legend(frameon=False)
    return figure


def _distributions(choice: Any, feature: str) -> Any:
    figure, axes = new_figure()
    draw_distributions(axes, choice.estimates, choice.shuffled_estimates)
    axes.set_title(f"{feature} at the chosen k = {choice.n_neighbors}")
    return figure
