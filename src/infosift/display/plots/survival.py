"""Survival curves of the selected features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PanelsDisplay, as_written, write_sentence
from infosift.errors import InputError
from infosift.results.steps import SurvivalCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Selection

# Three thirds differ in lightness and in their dashes; more categories than three begin again, as thin lines.
_STYLES = ((BLUE, "-"), (GREY, "--"), (ORANGE, "-."))


@dataclass(eq=False)
class SurvivalDisplay(PanelsDisplay):
    """The share of rows without the event over time (Kaplan and Meier), by values of each selected feature.

    Parameters
    ----------
    curves : tuple of SurvivalCurve
        For each feature the curves of its thirds or categories, one after the other.
    time, event : str
        What the target and the event are called.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, censored_target
    >>> from infosift.display.plots import SurvivalDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = censored_target(rng.uniform(size=100) < 0.7, rng.exponential(np.exp(-2 * X[:, 1])))
    >>> selection = MutualInfoSelector(random_state=0).fit(X, y).selection_
    >>> [curve.values for curve in SurvivalDisplay.from_selection(selection).curves]
    ['lowest third', 'middle third', 'highest third']
    """

    curves: tuple[SurvivalCurve, ...]
    time: str
    event: str

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the curves of the selected features."""
        survival = selection.survival
        if survival is None:
            raise InputError(
                f'The target "{selection.target_name}" is not censored, so there are no survival curves: draw '
                'another kind, such as "path".'
            )
        return cls(curves=survival.curves, time=selection.target_name, event=survival.event)

    @property
    def features(self) -> tuple[str, ...]:
        """The features, each once."""
        return tuple(dict.fromkeys(curve.feature for curve in self.curves))

    def _draw(self, ax: Axes) -> None:
        self.panels_ = []
        if not self.curves:
            write_sentence(ax, "Nothing is selected.")
            return
        for feature, panel in self._new_panels(ax, "share without the event"):
            self._draw_panel(panel, [curve for curve in self.curves if curve.feature == feature])
            panel.set_xlabel(as_written(self.time), fontsize="small")

    def _draw_panel(self, panel: Axes, curves: list[SurvivalCurve]) -> None:
        for place, curve in enumerate(curves):
            colour, dashes = _STYLES[place % len(_STYLES)]
            label = f"{as_written(curve.values)} ({curve.n_events:,} of {curve.n_rows:,})"
            thin = 1.0 if place >= len(_STYLES) else 1.8
            panel.plot(
                curve.times, curve.shares, color=colour, ls=dashes, lw=thin, drawstyle="steps-post", label=label
            )
        panel.set_title(as_written(curves[0].feature), fontsize="medium")
        panel.set(ylim=(0, 1.02), xlim=(0, None))
        panel.legend(loc="best", framealpha=0.7, edgecolor="none", fontsize="x-small")
