"""What each column tells by itself: the scores of the first step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    Display,
    height_of_rows,
    label_of_scores,
    name_rows,
    say,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.result import Selection

_MOST_BARS = 30


@dataclass(eq=False)
class RankingDisplay(Display):
    """The candidates of the first step from the best down, beside the threshold of that step.

    Parameters
    ----------
    names : tuple of str
        Columns, or groups of them.
    scores : ndarray
        Their scores, descending, in nats (published) or in standard deviations (calibrated).
    chosen : tuple of bool
        Which of them are in the selection.
    threshold : float or None
        What the best must exceed; None where there is no such number for single candidates, since a pair of them
        was taken first.
    method : {"calibrated", "published"}
        Which says what the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, RankingDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1])
    >>> display = RankingDisplay.from_selection(selector.selection_)
    >>> display.names[0], display.chosen
    ('x1', (True, False, False))
    """

    names: tuple[str, ...]
    scores: FloatArray
    chosen: tuple[bool, ...]
    threshold: float | None
    method: str

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the scores of the first step."""
        method = selection.settings.method
        if not selection.steps:
            return cls(names=(), scores=np.array([]), chosen=(), threshold=None, method=method)
        first = selection.steps[0]
        order = np.argsort(-first.candidate_scores, kind="stable")
        columns, chosen = [first.candidates[place] for place in order], set(selection.indices)
        in_group = {column: name for name, members in selection.settings.groups for column in members}
        unit_of = {i: in_group.get(selection.feature_names[i], selection.feature_names[i]) for i in columns}
        return cls(
            names=tuple(unit_of[i] for i in columns),
            scores=first.candidate_scores[order],
            chosen=tuple(i in chosen for i in columns),
            # The threshold of a pair is that of the best of all pairs.
            threshold=first.threshold if unit_of[first.index] == first.feature else None,
            method=method,
        )

    def _size(self) -> tuple[float, float]:
        return (6.4, height_of_rows(min(len(self.names), _MOST_BARS + 1)) if self.names else 4.0)

    def _draw(self, ax: Axes) -> None:
        if not self.names:
            say(ax, "No column was tested.")
            return
        places, scores = np.arange(len(self.names))[:_MOST_BARS], self.scores[:_MOST_BARS]
        chosen = np.array(self.chosen[:_MOST_BARS])
        if chosen.any():
            ax.barh(places[chosen], scores[chosen], color=BLUE, edgecolor=BLUE, label="chosen")
        if not chosen.all():
            ax.barh(places[~chosen], scores[~chosen], color=PALE, edgecolor=GREY, hatch="////", label="not chosen")
        if self.threshold is not None:
            ax.axvline(self.threshold, color=ORANGE, lw=2, ls="--", label="threshold")
        ax.axvline(0, color=GREY, lw=0.8)
        ax.set(xlabel=f"first step: {label_of_scores(self.method)}")
        name_rows(ax, self.names[:_MOST_BARS], self._rest())

    def _rest(self) -> str:
        left = self.chosen[_MOST_BARS:]
        if not left:
            return ""
        return f"and {len(left)} more" + (f", {sum(left)} of them chosen" if any(left) else "")
