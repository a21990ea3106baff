"""The verdict on each feature, over its p-value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    Display,
    Lines,
    draw_bars,
    height_of_rows,
    lines_of,
    name_rows,
)
from infosift.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results.selection import Selection

_MOST_ROWS = 40
# Marker, filling and edge: in grey print the shape shows what the colour does not.
_MARKS = {
    "selected": ("o", BLUE, BLUE),
    "redundant": ("s", ORANGE, ORANGE),
    "undecided": ("D", "white", BLUE),
    "irrelevant": ("v", PALE, GREY),
}


@dataclass(eq=False)
class VerdictsDisplay(Display):
    """The verdict on each feature over its p-value: those selected first, then the others by their p-values.

    Parameters
    ----------
    names : tuple of str
        Features.
    verdicts : tuple of {"selected", "redundant", "undecided", "irrelevant"}
        What was found about each.
    p_values : ndarray
        That of its step where a feature was selected, and otherwise that of the feature alone; adjusted for the
        number of candidates.
    unadjusted_p_values : ndarray
        The same as if each were the only candidate; NaN where there is none.
    alpha : float
        The significance level.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, VerdictsDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1] ** 2)
    >>> display = VerdictsDisplay.from_selection(selector.selection_)
    >>> display.names[0], display.verdicts[0]
    ('x1', 'selected')
    """

    names: tuple[str, ...]
    verdicts: tuple[str, ...]
    p_values: FloatArray
    unadjusted_p_values: FloatArray
    alpha: float

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the verdicts on all features that could be selected."""
        if not selection.verdicts:
            raise InputError(
                'The selection has no verdicts to draw: they come with method="calibrated", where features vary.'
            )
        ordered = sorted(
            selection.verdicts,
            key=lambda said: (said.verdict != "selected", said.p_value, said.unadjusted_p_value or 0.0),
        )
        return cls(
            names=tuple(said.feature for said in ordered),
            verdicts=tuple(said.verdict for said in ordered),
            p_values=np.array([said.p_value for said in ordered]),
            unadjusted_p_values=np.array([said.unadjusted_p_value for said in ordered], dtype=np.float64),
            alpha=selection.settings.alpha,
        )

    @property
    def rows(self) -> Lines:
        """The features that are drawn, from the top down, and those that are not."""
        return lines_of(self.names, _MOST_ROWS)

    def _size(self) -> tuple[float, float]:
        return (6.4, height_of_rows(min(len(self.names), _MOST_ROWS + 1)))

    def _draw(self, ax: Axes) -> None:
        evidence = -np.log10(self.p_values[:_MOST_ROWS])
        unadjusted = -np.log10(self.unadjusted_p_values[:_MOST_ROWS])
        places = np.arange(len(evidence))
        draw_bars(ax, 0, evidence, places, color=PALE, lw=1.5, zorder=1)
        ax.axvline(-np.log10(self.alpha), color=GREY, ls="--", lw=1.2, zorder=1, label=f"alpha = {self.alpha:g}")
        differs = ~np.isclose(unadjusted, evidence) & ~np.isnan(unadjusted)
        if differs.any():
            ax.plot(unadjusted[differs], places[differs], "|", color=GREY, ms=8, label="unadjusted p", zorder=1)
        for verdict, (marker, filling, edge) in _MARKS.items():
            said = np.array([found == verdict for found in self.verdicts[:_MOST_ROWS]])
            if said.any():
                ax.plot(evidence[said], places[said], marker, mfc=filling, mec=edge, ms=7, label=verdict)
        ax.set(xlabel="$-\\log_{10}\\,p$\n(of its step where selected, else of the feature alone; adjusted)")
        more = len(self.names) - len(places)
        name_rows(ax, self.names[:_MOST_ROWS], f"and {more} more" if more else "")
