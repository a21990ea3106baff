"""The figures of the paper. Matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.checks import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.result import Selection

# Told apart by people who do not see red and green apart, and in grey print by their lightness.
BLUE, ORANGE, GREY = "#0b559f", "#e08214", "#777777"


def require_matplotlib() -> None:
    """Refuse early, rather than after a long run."""
    if find_spec("matplotlib") is None:
        raise InputError('The figures need matplotlib: pip install "infosift[plot]".')


def new_figure(rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.4, 4.0), **options: Any) -> Any:
    """Return a figure and its axes, without any window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def forward_search(selection: Selection, title: str, most_labels: int = 15) -> Any:
    """Draw the information of the growing subset as circles, the thresholds as bars, the halt and the peak."""
    figure, axes = new_figure()
    steps = selection.steps
    places = np.arange(1, len(steps) + 1)
    axes.hlines(
        [step.threshold for step in steps], places - 0.3, places + 0.3, color=ORANGE, lw=2, label="threshold"
    )
    axes.plot(places, [step.score for step in steps], "o", color=BLUE, label="mutual information")
    if steps and not steps[-1].accepted:
        axes.axvline(len(steps) - 0.5, color=GREY, ls="--", lw=1, label="halt")
    peak = len(selection.peak.names)
    axes.plot(peak, steps[peak - 1].score, "o", ms=12, mfc="none", mec=GREY, label="peak")
    if len(steps) <= most_labels:
        axes.set_xticks(places, [step.feature for step in steps], rotation=45, ha="right")
    axes.set(xlabel="column added", ylabel="mutual information with the target (nats)", title=title)
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure


def two_distributions(axes: Axes, estimates: Any, shuffled: Any) -> None:
    """Draw the resampling distributions of a feature and of its shuffled copies."""
    edges = np.histogram_bin_edges(np.concatenate([estimates, shuffled]), bins=24).tolist()
    axes.hist(shuffled, edges, color=ORANGE, label="shuffled copies")
    axes.hist(estimates, edges, color=BLUE, label="the feature")
    axes.set(xlabel="mutual information (nats)", ylabel="number of folds")
    axes.legend(frameon=False)
