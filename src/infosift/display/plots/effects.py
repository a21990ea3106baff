"""The effects of the selected features: curves with bands over the data, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PALE, PanelsDisplay, as_written
from infosift.display.wording import size_in_words
from infosift.errors import InputError
from infosift.results.steps import EffectCurve, Importance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Selection

_MOST_PANELS = 12
_LARGEST = 1e300
_PROBABILITY = "probability of "
_STYLES = ((BLUE, "-"), (ORANGE, "--"), (GREY, "-."))


@dataclass(eq=False)
class EffectsDisplay(PanelsDisplay):
    """What each selected feature does to the target, the others at their mean: curve, 95 % band and data.

    Points are partial residuals: the effect of the feature plus what no feature explains.

    Parameters
    ----------
    curves : tuple of EffectCurve
        The curves, feature by feature.
    importance : tuple of Importance
        The sizes.
    target : str
        What the target is called.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import EffectsDisplay
    >>> selector = MutualInfoSelector(random_state=0).fit(*load_diabetes(return_X_y=True))
    >>> EffectsDisplay.from_selection(selector.selection_).features
    ('x2', 'x8', 'x3', 'x6', 'x1')
    """

    curves: tuple[EffectCurve, ...]
    importance: tuple[Importance, ...]
    target: str

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the effects of the selected features."""
        if selection.effects is None:
            raise InputError("There are no effects to draw: nothing is selected, or in too few rows.")
        return cls(selection.effects.curves, selection.effects.importance, selection.target_name)

    @property
    def features(self) -> tuple[str, ...]:
        """The features that are drawn, each once."""
        return tuple(dict.fromkeys(curve.feature for curve in self.curves))[:_MOST_PANELS]

    def _draw(self, ax: Axes) -> None:
        sizes = {name: size_in_words(one) for one in self.importance for name in one.features}
        outcomes = list(dict.fromkeys(curve.outcome for curve in self.curves))
        label = self.target if len(outcomes) > 1 else outcomes[0]
        if len(outcomes) > 1 and outcomes[0].startswith(_PROBABILITY):
            label = f"probability ({self.target})"
        for feature, panel in self._new_panels(ax, label):
            self._draw_panel(panel, [_drawable(curve) for curve in self.curves if curve.feature == feature])
            panel.set_title(f"{as_written(feature)}: {sizes.get(feature, '')}", fontsize="small")

    def _draw_panel(self, panel: Axes, curves: list[EffectCurve]) -> None:
        for place, curve in enumerate(curves):
            colour, dashes = _STYLES[place % len(_STYLES)]
            if len(curve.rows) and len(curves) == 1:
                panel.plot(curve.rows, curve.partial_residuals, ".", ms=2.5, color=PALE, zorder=0)
            label = as_written(curve.outcome.removeprefix(_PROBABILITY))
            if curve.categories:
                places = curve.values + 0.12 * (place - (len(curves) - 1) / 2)
                bars = [curve.fitted - curve.low, curve.high - curve.fitted]
                panel.errorbar(places, curve.fitted, bars, fmt="o", ms=5, color=colour, capsize=3, label=label)
                panel.set_xticks(curve.values, [as_written(name) for name in curve.categories])
            else:
                panel.fill_between(curve.values, curve.low, curve.high, color=colour, alpha=0.2, lw=0)
                panel.plot(curve.values, curve.fitted, color=colour, ls=dashes, lw=1.8, label=label)
        if len(curves) > 1:
            panel.legend(loc="best", framealpha=0.7, edgecolor="none", fontsize="x-small")


def _drawable(curve: EffectCurve) -> EffectCurve:
    """Return a curve without the largest numbers that there are, whose differences matplotlib could not hold."""
    names = ("values", "fitted", "low", "high", "rows", "partial_residuals")
    return replace(curve, **{name: np.clip(getattr(curve, name), -_LARGEST, _LARGEST) for name in names})
