"""What a page shows of how often features are selected over half-samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infosift.display.report.figures import stability_figure
from infosift.display.report.links import Links
from infosift.display.stability import by_chance, has_bounds, how, percent, stand_ins_of
from infosift.errors import InputError

if TYPE_CHECKING:
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability


def about_stability(selection: Selection, stability: Stability) -> dict[str, Any]:
    """Return numbers, words and figure; refuse those of other features or another target."""
    if (stability.feature_names, stability.target_name) != (selection.feature_names, selection.target_name):
        raise InputError(
            "stability is about other features or another target than the selection: give that of the same table."
        )
    links = Links(selection)
    ever = [name for name in stability.ranking if stability.frequency(name) > 0]
    never_but_selected = [name for name in selection.names if name not in ever]
    return {
        "summary": stability.summary,
        "rows": [
            {
                "feature": name,
                "about": links.of(name),
                "is_selected": name in selection.names,
                "frequency": percent(stability.frequency(name)),
                "by_chance": by_chance(stability, name),
                "stand_ins": stand_ins_of(stability, name),
            }
            for name in [*ever, *never_but_selected]
        ],
        "has_bounds": has_bounds(stability),
        "has_groups": bool(stability.groups),
        "how": how(stability),
        "figure": stability_figure(stability, links),
    }
