"""The search step by step, with its thresholds: the figure of the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.display.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results.selection import Selection

_MOST_LABELS = 20
_DONE = {"add": "added", "remove": "removed"}
_ALONE = "of each feature alone"


@dataclass(eq=False)
class PathDisplay(canvas.Display):
    """Each step as a circle, its threshold as a bar, the halt and the peak of the information.

    Where a threshold is one of the criterion, as in the published method, so is the scale. Otherwise it is the
    statistic of the test, and the information stands above each step.

    Parameters
    ----------
    features : tuple of str
        What each step is about.
    statistics, thresholds : ndarray
        In standard deviations above the surrogates.
    information : ndarray
        Of all features so far together with those of the step, in nats.
    information_thresholds : ndarray or None
        The information that would be significant, in nats; None where the statistic combines several estimates.
    accepted : tuple of bool
        Whether a step added or removed its feature.
    stayed : tuple of bool
        Whether what a step added is still selected at the end.
    action : {"added", "removed", "added or removed"}
        What the steps did.
    whose : str
        What the information is that of.
    measure, unit : str
        What the criterion measures, and its unit; "" for a share.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import PathDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1] ** 2)
    >>> PathDisplay.from_selection(selector.selection_).features
    ('x1',)
    """

    features: tuple[str, ...]
    statistics: FloatArray
    thresholds: FloatArray
    information: FloatArray
    information_thresholds: FloatArray | None
    accepted: tuple[bool, ...]
    stayed: tuple[bool, ...]
    action: str = "added"
    whose: str = "of all features so far"
    measure: str = "mutual information"
    unit: str = "nats"

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the numbers of all steps."""
        steps = selection.steps
        limits = [step.information_threshold for step in steps]
        return cls(
            features=tuple(step.feature for step in steps),
            statistics=np.array([step.statistic for step in steps]),
            thresholds=np.array([step.threshold for step in steps]),
            information=np.array([step.information for step in steps]),
            information_thresholds=None if None in limits else np.array(limits, dtype=np.float64),
            accepted=tuple(step.accepted for step in steps),
            stayed=tuple(selection.stayed(step) for step in steps),
            whose=_whose(selection),
            measure=selection.criterion_measure,
            unit=selection.criterion_unit,
            action=" or ".join(sorted({_DONE[step.action] for step in steps})) or "added",
        )

    @property
    def in_nats(self) -> bool:
        """Whether the scale is that of the information."""
        return self.information_thresholds is not None

    @property
    def _heights(self) -> FloatArray:
        return self.information if self.in_nats else self.statistics

    @property
    def _bars(self) -> FloatArray:
        return self.thresholds if self.information_thresholds is None else self.information_thresholds

    @property
    def columns(self) -> canvas.Lines:
        """What each step is about: a feature, a group or a pair."""
        return {place: (name,) for place, name in enumerate(self.features, start=1)}

    def _size(self) -> tuple[float, float]:
        longest = max((len(canvas.as_written(name)) for name in self.features), default=0)
        return (6.4, 4.0 + 0.06 * longest)

    def _draw(self, ax: Axes) -> None:
        if not self.features:
            canvas.write_sentence(ax, "No feature was tested.")
            return
        places = np.arange(1, len(self.features) + 1)
        self._draw_circles(ax, places)
        canvas.draw_bars(ax, places - 0.3, places + 0.3, self._bars, color=canvas.ORANGE, lw=2, label="threshold")
        rejected = np.flatnonzero(~np.array(self.accepted))
        if len(rejected):
            ax.axvline(places[rejected[-1]] - 0.5, color=canvas.GREY, ls="--", lw=1, label="halt")
        if self.whose != _ALONE:
            peak = int(np.argmax(self.information))
            ring = "peak" if self.in_nats else "peak of the information"
            ax.plot(places[peak], self._heights[peak], "o", ms=12, mfc="none", mec=canvas.GREY, label=ring)
        label = canvas.label_of_scores(self.measure * self.in_nats, self.unit)
        ax.set(xlabel=f"feature {self.action}", ylabel=label.replace(" (", "\n("))
        aside = max(0.6, 0.02 * len(places))
        ax.set_xlim(1 - aside, len(places) + aside)
        ax.margins(y=0.12)
        self._label_steps(ax, places)

    def _draw_circles(self, ax: Axes, places: IntArray) -> None:
        accepted, stayed = np.array(self.accepted), np.array(self.stayed)
        size = 6 if len(places) <= _MOST_LABELS else 3
        name = self.measure if self.in_nats else "statistic"
        for which, marker, filling, label in (
            (stayed, "o", canvas.BLUE, name),
            (accepted & ~stayed, "X", canvas.GREY, "removed"),
            (~accepted, "o", "white", "needed" if self.action == "removed" else "rejected"),
        ):
            if which.any():
                ax.plot(
                    places[which], self._heights[which], marker, ms=size, mec=canvas.BLUE, mfc=filling, label=label
                )

    def _label_steps(self, ax: Axes, places: IntArray) -> None:
        shown = slice(None, None, math.ceil(len(places) / _MOST_LABELS))
        names = [canvas.as_written(name) for name in self.features[shown]]
        ax.set_xticks(places[shown], names, rotation=45, ha="right", rotation_mode="anchor")
        if not self.in_nats:
            above = ax.secondary_xaxis("top")
            above.set_xticks(places[shown], [f"{nats:.2f}" for nats in self.information[shown]])
            above.tick_params(length=0, labelsize="small", labelcolor=canvas.GREY)
            name = f"information {self.whose} (nats)" if self.unit == "nats" else f"{self.measure} {self.whose}"
            above.set_xlabel(name, color=canvas.GREY, fontsize="small")


def _whose(selection: Selection) -> str:
    if not selection.conditional:
        return _ALONE
    return "of all features left" if selection.start else "of all features so far"
