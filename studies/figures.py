"""The figure that the studies share."""

from __future__ import annotations

from typing import Any

from infosift.display.plots import PathDisplay
from infosift.results.selection import Selection


def forward_search(selection: Selection, title: str) -> Any:
    """Draw the steps of a search under a title."""
    display = PathDisplay.from_selection(selection).plot()
    display.ax_.set_title(title)
    return display.figure_
