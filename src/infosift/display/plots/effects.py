"""The effects of the selected features: curves with bands over the data, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PALE, Display, as_written
from infosift.display.wording import size_in_words
from infosift.errors import InputError
from infosift.results.steps import EffectCurve, Importance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Selection

_PER_ROW, _MOST_PANELS = 3, 12
_WIDTH, _HEIGHT, _MARGIN = 3.1, 2.6, 0.17  # inches, inches and share of a panel
_PROBABILITY = "probability of "
_STYLES = ((BLUE, "-"), (ORANGE, "--"), (GREY, "-."))


@dataclass(eq=False)
class EffectsDisplay(Display):
    """What each selected feature does to the target, the others at their mean: curve, 95 % band and data.

    Points are partial residuals: the effect of the feature plus what no feature explains. Once drawn, ``panels_``
    are the axes of the features inside ``ax_``.

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

    @property
    def _n_rows(self) -> int:
        return max(1, -(-len(self.features) // _PER_ROW))

    def _size(self) -> tuple[float, float]:
        return (_WIDTH * min(_PER_ROW, max(2, len(self.features))), 0.3 + _HEIGHT * self._n_rows)

    def _draw(self, ax: Axes) -> None:
        ax.set_axis_off()
        n_columns = min(_PER_ROW, max(2, len(self.features)))
        width, height = 1 / n_columns, 1 / self._n_rows
        sizes = {name: size_in_words(one) for one in self.importance for name in one.features}
        self.panels_ = []
        for place, feature in enumerate(self.features):
            row, column = divmod(place, n_columns)
            corner = (column * width + width * _MARGIN / 2, 1 - (row + 1) * height + height * _MARGIN)
            panel = ax.inset_axes((*corner, width * (1 - _MARGIN), height * (1 - 2 * _MARGIN)))
            own = [curve for curve in self.curves if curve.feature == feature]
            self._draw_panel(panel, own)
            panel.set_title(f"{as_written(feature)}: {sizes.get(feature, '')}", fontsize="small")
            if column == 0:
                are_shares = own[0].outcome.startswith(_PROBABILITY)
                several = f"probability ({self.target})" if are_shares else self.target
                panel.set_ylabel(as_written(several if len(own) > 1 else own[0].outcome), fontsize="small")
            self.panels_.append(panel)

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
        panel.tick_params(labelsize="x-small")
        if len(curves) > 1:
            panel.legend(loc="best", framealpha=0.7, edgecolor="none", fontsize="x-small")
