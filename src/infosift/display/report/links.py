"""What the parts of a page are about, so that a feature chosen in one is found in all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infosift.display.plots.canvas import Display
    from infosift.results.selection import Selection


class Links:
    """Features by their places in the table, as the parts of a page name them."""

    def __init__(self, selection: Selection) -> None:
        own = {name: place for place, name in enumerate(selection.feature_names, start=1)}
        self._places = {step.feature: tuple(column + 1 for column in step.columns) for step in selection.steps}
        for group, members in selection.settings.feature_groups:
            self._places[group] = tuple(own[name] for name in members)
        self._places |= {name: (place,) for name, place in own.items()}

    def of(self, *names: str) -> str:
        """Return the places of features, of groups and of pairs that entered together, as one text."""
        return " ".join(str(place) for name in names for place in self._places[name])


def address_of(name: str) -> str:
    """Return where a page has all that there is to say about a feature."""
    return f"#feature={quote(name, safe='', errors='replace')}"


def spots(display: Display, links: Links) -> list[dict[str, Any]]:
    """Return where each line of a drawn display lies, in percent of the picture, and which features it is about.

    Columns come first, so that rows lie on top of them where they cross.
    """
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    to_picture = (display.ax_.transData - figure.transFigure).transform
    left, bottom, right, top = _with_names(display.ax_, figure)
    found = []
    for place, names in display.columns.items():
        begin, end = (to_picture((place + aside, 0))[0] for aside in (-0.5, 0.5))
        found.append(_spot(names, links, begin, end, bottom, top))
    for place, names in display.rows.items():
        below, above = (to_picture((0, place + aside))[1] for aside in (0.5, -0.5))
        found.append(_spot(names, links, left, right, below, above))
    return found


def _with_names(ax: Axes, figure: Figure) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of axes with the names on them, as shares of a picture."""
    inside = ax.get_window_extent()
    left = min([inside.x0, *(label.get_window_extent().x0 for label in ax.get_yticklabels())])
    bottom = min([inside.y0, *(label.get_window_extent().y0 for label in ax.get_xticklabels())])
    (left, bottom), (right, top) = figure.transFigure.inverted().transform([(left, bottom), inside.max])
    return left, bottom, right, top


def _spot(
    names: tuple[str, ...], links: Links, left: float, right: float, bottom: float, top: float
) -> dict[str, Any]:
    sides = {"left": left, "top": 1 - top, "width": right - left, "height": top - bottom}
    label = names[0] if len(names) == 1 else ""
    return {"label": label, "about": links.of(*names), **{side: f"{100 * at:.2f}" for side, at in sides.items()}}


def scale(display: Display) -> str:
    """Return two heights in percent of a drawn display, those of the ends of its axis, and the values there."""
    low, high = display.ax_.get_ylim()
    figure = display.ax_.get_figure(root=True)
    assert figure is not None
    to_picture = (display.ax_.transData - figure.transFigure).transform
    return " ".join(
        f"{number:.6g}" for end in (low, high) for number in (end, 100 - 100 * to_picture((1, end))[1])
    )
