"""The search step by step, beside its thresholds: the figure of the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.plots.canvas import BLUE, GREY, ORANGE, Display, as_written, draw_bars, label_of_scores, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.result import Selection

_MOST_LABELS = 20


@dataclass(eq=False)
class PathDisplay(Display):
    """The score of each step as a circle, its threshold as a bar, the halt and the peak of the information.

    By the published method a score is the information of all columns so far. By the calibrated one it is an excess
    over surrogates, and the information stands above each step.

    Parameters
    ----------
    features : tuple of str
        What each step is about.
    scores, thresholds : ndarray
        In nats (published) or in standard deviations (calibrated).
    information : ndarray
        Of all columns so far together with those of the step, in nats.
    accepted : tuple of bool
        Whether a step added its columns; only the last may not have.
    stayed : tuple of bool
        Whether what a step added was not left out again in the end.
    method : {"calibrated", "published"}
        Which says what the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, PathDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1])
    >>> PathDisplay.from_selection(selector.selection_).features
    ('x1',)
    """

    features: tuple[str, ...]
    scores: FloatArray
    thresholds: FloatArray
    information: FloatArray
    accepted: tuple[bool, ...]
    stayed: tuple[bool, ...]
    method: str

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the numbers of all steps."""
        steps = selection.steps
        return cls(
            features=tuple(step.feature for step in steps),
            scores=np.array([step.score for step in steps]),
            thresholds=np.array([step.threshold for step in steps]),
            information=np.array([step.information for step in steps]),
            accepted=tuple(step.accepted for step in steps),
            stayed=tuple(selection.stayed(step) for step in steps),
            method=selection.settings.method,
        )

    def _size(self) -> tuple[float, float]:
        longest = max((len(as_written(name)) for name in self.features), default=0)
        return (6.4, 4.0 + 0.06 * longest)

    def _draw(self, ax: Axes) -> None:
        if not self.features:
            say(ax, "No column was tested.")
            return
        places = np.arange(1, len(self.features) + 1)
        self._draw_circles(ax, places)
        draw_bars(ax, places - 0.3, places + 0.3, self.thresholds, color=ORANGE, lw=2, label="threshold")
        if not self.accepted[-1]:
            ax.axvline(len(places) - 0.5, color=GREY, ls="--", lw=1, label="halt")
        peak = int(np.argmax(self.information))
        ring = "peak" if self.method == "published" else "peak of the information"
        ax.plot(places[peak], self.scores[peak], "o", ms=12, mfc="none", mec=GREY, label=ring)
        ax.set(xlabel="column added", ylabel=label_of_scores(self.method).replace(" (", "\n("))
        aside = max(0.6, 0.02 * len(places))
        ax.set_xlim(1 - aside, len(places) + aside)
        ax.margins(y=0.12)
        self._label_steps(ax, places)

    def _draw_circles(self, ax: Axes, places: IntArray) -> None:
        accepted, stayed = np.array(self.accepted), np.array(self.stayed)
        size = 6 if len(places) <= _MOST_LABELS else 3
        name = "mutual information" if self.method == "published" else "excess"
        for which, marker, filling, label in (
            (stayed, "o", BLUE, name),
            (accepted & ~stayed, "X", GREY, "left out again"),
            (~accepted, "o", "white", "rejected"),
        ):
            if which.any():
                ax.plot(places[which], self.scores[which], marker, ms=size, mec=BLUE, mfc=filling, label=label)

    def _label_steps(self, ax: Axes, places: IntArray) -> None:
        shown = slice(None, None, math.ceil(len(places) / _MOST_LABELS))
        names = [as_written(name) for name in self.features[shown]]
        ax.set_xticks(places[shown], names, rotation=45, ha="right", rotation_mode="anchor")
        if self.method == "calibrated":
            above = ax.secondary_xaxis("top")
            above.set_xticks(places[shown], [f"{nats:.2f}" for nats in self.information[shown]])
            above.tick_params(length=0, labelsize="small", labelcolor=GREY)
            above.set_xlabel("information of all columns so far (nats)", color=GREY, fontsize="small")
