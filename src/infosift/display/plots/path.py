"""The search step by step, with its thresholds: the figure of the paper; and the candidates of its first step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.display.plots import canvas
from infosift.inference.permutation import threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Selection, Step

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
        whose = "of all features left" if selection.start else "of all features so far"
        return cls(
            features=tuple(step.feature for step in steps),
            statistics=np.array([step.statistic for step in steps]),
            thresholds=np.array([step.threshold for step in steps]),
            information=np.array([step.information for step in steps]),
            information_thresholds=None if None in limits else np.array(limits, dtype=np.float64),
            accepted=tuple(step.accepted for step in steps),
            stayed=tuple(selection.stayed(step) for step in steps),
            whose=whose if selection.conditional else _ALONE,
            measure=selection.criterion_measure,
            unit=selection.criterion_unit,
            action=" or ".join(sorted({_DONE[step.action] for step in steps})) or "added",
        )

    @property
    def in_nats(self) -> bool:
        """Whether the scale is that of the information."""
        return self.information_thresholds is not None

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
        places, heights, bars = np.arange(1, len(self.features) + 1), self.statistics, self.thresholds
        if self.information_thresholds is not None:
            heights, bars = self.information, self.information_thresholds
        self._draw_circles(ax, places, heights)
        canvas.draw_bars(ax, places - 0.3, places + 0.3, bars, color=canvas.ORANGE, lw=2, label="threshold")
        rejected = np.flatnonzero(~np.array(self.accepted))
        if len(rejected):
            ax.axvline(places[rejected[-1]] - 0.5, color=canvas.GREY, ls="--", lw=1, label="halt")
        if self.whose != _ALONE:
            peak = int(np.argmax(self.information))
            ring = "peak" if self.in_nats else "peak of the information"
            ax.plot(places[peak], heights[peak], "o", ms=12, mfc="none", mec=canvas.GREY, label=ring)
        label = canvas.label_of_scores(self.measure * self.in_nats, self.unit)
        ax.set(xlabel=f"feature {self.action}", ylabel=label.replace(" (", "\n("))
        aside = max(0.6, 0.02 * len(places))
        ax.set_xlim(1 - aside, len(places) + aside)
        ax.margins(y=0.12)
        self._label_steps(ax, places)

    def _draw_circles(self, ax: Axes, places: IntArray, heights: FloatArray) -> None:
        accepted, stayed = np.array(self.accepted), np.array(self.stayed)
        size = 6 if len(places) <= _MOST_LABELS else 3
        name = self.measure if self.in_nats else "statistic"
        for which, marker, filling, label in (
            (stayed, "o", canvas.BLUE, name),
            (accepted & ~stayed, "X", canvas.GREY, "removed"),
            (~accepted, "o", "white", "needed" if self.action == "removed" else "rejected"),
        ):
            if which.any():
                ax.plot(places[which], heights[which], marker, ms=size, mec=canvas.BLUE, mfc=filling, label=label)

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


@dataclass(eq=False)
class RankingDisplay(canvas.RowsDisplay):
    """The candidates of the first step from the best down, with the threshold of that step.

    Parameters
    ----------
    names : tuple of str
        Features, or groups of them.
    scores : ndarray
        Descending: information in nats, or statistics in standard deviations.
    selected : tuple of bool
        Which of them are in the selection.
    threshold : float or None
        What the best must exceed; None where nothing was tested.
    in_nats : bool
        Which of the two the scores are.
    measure, unit : str
        What the criterion measures, and its unit; "" for a share.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import RankingDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1] ** 2)
    >>> display = RankingDisplay.from_selection(selector.selection_)
    >>> display.names[0], display.selected
    ('x1', (True, False, False))
    """

    most_rows: ClassVar[int] = 30

    scores: FloatArray
    selected: tuple[bool, ...]
    threshold: float | None
    in_nats: bool
    measure: str = "mutual information"
    unit: str = "nats"

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the scores of the first step."""
        if not selection.steps or selection.start:
            return cls(names=(), scores=np.array([]), selected=(), threshold=None, in_nats=True)
        first = selection.steps[0]
        in_nats = len(first.candidate_statistics) == 0
        scores = first.candidate_information if in_nats else first.candidate_statistics
        order = np.argsort(-scores, kind="stable")
        columns, selected = [first.candidates[place] for place in order], set(selection.indices)
        in_group = {column: name for name, members in selection.settings.feature_groups for column in members}
        unit_of = {i: in_group.get(selection.feature_names[i], selection.feature_names[i]) for i in columns}
        return cls(
            names=tuple(unit_of[i] for i in columns),
            scores=scores[order],
            selected=tuple(i in selected for i in columns),
            threshold=first.information_threshold if in_nats else _threshold(selection, first),
            in_nats=in_nats,
            measure=selection.criterion_measure,
            unit=selection.criterion_unit,
        )

    def _size(self) -> tuple[float, float]:
        return super()._size() if self.names else (6.4, 4.0)

    def _draw(self, ax: Axes) -> None:
        if not self.names:
            canvas.write_sentence(ax, "No feature was tested.")
            return
        scores, selected = self.scores[: self.most_rows], np.array(self.selected[: self.most_rows])
        places = np.arange(len(scores))
        for drawn, label, color, edge, hatch in (
            (selected, "selected", canvas.BLUE, canvas.BLUE, ""),
            (~selected, "not selected", canvas.PALE, canvas.GREY, "////"),
        ):
            if drawn.any():
                ax.barh(places[drawn], scores[drawn], color=color, edgecolor=edge, hatch=hatch, label=label)
        if self.threshold is not None:
            ax.axvline(self.threshold, color=canvas.ORANGE, lw=2, ls="--", label="threshold")
        ax.axvline(0, color=canvas.GREY, lw=0.8)
        ax.set(xlabel=f"first step: {canvas.label_of_scores(self.measure * self.in_nats, self.unit)}")
        also_selected = sum(self.selected[self.most_rows :])
        self._name_rows(ax, f", {also_selected} of them selected" if also_selected else "")


def _threshold(selection: Selection, first: Step) -> float | None:
    """Return what single candidates had to exceed, also where the step is about another test or a pair.

    None where that is not the same for all.
    """
    if selection.error_rate != "family-wise error":
        return None
    if not selection.alpha_shares:
        return first.threshold
    _, share = selection.alpha_shares[0]
    return threshold(first.candidate_null, selection.settings.alpha * share)
