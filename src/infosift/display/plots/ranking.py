"""The candidates of the first step, from the best down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PALE, RowsDisplay, label_of_scores, write_sentence
from infosift.inference.permutation import threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Selection, Step


@dataclass(eq=False)
class RankingDisplay(RowsDisplay):
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
            write_sentence(ax, "No feature was tested.")
            return
        scores, selected = self.scores[: self.most_rows], np.array(self.selected[: self.most_rows])
        places = np.arange(len(scores))
        for drawn, label, color, edge, hatch in (
            (selected, "selected", BLUE, BLUE, ""),
            (~selected, "not selected", PALE, GREY, "////"),
        ):
            if drawn.any():
                ax.barh(places[drawn], scores[drawn], color=color, edgecolor=edge, hatch=hatch, label=label)
        if self.threshold is not None:
            ax.axvline(self.threshold, color=ORANGE, lw=2, ls="--", label="threshold")
        ax.axvline(0, color=GREY, lw=0.8)
        ax.set(xlabel=f"first step: {label_of_scores(self.measure * self.in_nats, self.unit)}")
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
