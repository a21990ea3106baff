"""A selection as pictures: each display keeps the numbers it draws. Matplotlib is loaded when one is drawn."""

from __future__ import annotations

from typing import Any

from infosift.display.plots.canvas import Display
from infosift.display.plots.effects import EffectsDisplay
from infosift.display.plots.neighbors import NeighborsDisplay
from infosift.display.plots.path import PathDisplay, RankingDisplay
from infosift.display.plots.spectrum import SpectrumDisplay
from infosift.display.plots.stability import ComparisonDisplay, SizesDisplay, StabilityDisplay
from infosift.display.plots.survival import SurvivalDisplay
from infosift.display.plots.verdicts import RedundancyDisplay, VerdictsDisplay
from infosift.errors import require_choice
from infosift.results.selection import Selection

__all__ = [
    "ComparisonDisplay",
    "EffectsDisplay",
    "NeighborsDisplay",
    "PathDisplay",
    "RankingDisplay",
    "RedundancyDisplay",
    "SizesDisplay",
    "SpectrumDisplay",
    "StabilityDisplay",
    "SurvivalDisplay",
    "VerdictsDisplay",
    "draw",
]

_KINDS: dict[str, Any] = {
    "effects": EffectsDisplay,
    "path": PathDisplay,
    "neighbors": NeighborsDisplay,
    "ranking": RankingDisplay,
    "verdicts": VerdictsDisplay,
    "redundancy": RedundancyDisplay,
    "survival": SurvivalDisplay,
}


def draw(selection: Selection, kind: str, ax: Any = None) -> Display:
    """Draw a selection by the name of a kind of display."""
    require_choice("kind", kind, tuple(_KINDS))
    display: Display = _KINDS[kind].from_selection(selection).plot(ax)
    return display
