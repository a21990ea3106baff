"""What a page shows of a model on the selected features and on all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infosift.display.comparison import cells, how
from infosift.display.phrases import name_of_subset
from infosift.display.report.figures import comparison_figure
from infosift.display.report.links import Links
from infosift.errors import InputError

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection


def about_check(selection: Selection, check: SubsetComparison) -> dict[str, Any]:
    """Return numbers, words and figure; refuse a check of other features or another target."""
    if (check.feature_names, check.target_name) != (selection.feature_names, selection.target_name):
        raise InputError(
            "check is about other features or another target than the selection: give that of the same table."
        )
    return {
        "summary": check.summary,
        "measure": check.measure,
        "rows": [{"subset": name_of_subset(one.subset), **cells(one)} for one in check.subsets],
        "how": how(check),
        "features": _features(selection, check),
        "n_folds": check.n_folds,
        "figure": comparison_figure(check),
    }


def _features(selection: Selection, check: SubsetComparison) -> list[dict[str, Any]]:
    """Return in how many folds each feature was selected and in the peak, those that ever were."""
    links, on_all_rows = Links(selection), set(selection.names)
    selected, peak = (dict(check[subset].chosen) for subset in ("selected", "peak"))
    return [
        {
            "feature": name,
            "about": links.of(name),
            "selected": selected.get(name, 0),
            "peak": peak.get(name, 0),
            "is_selected": name in on_all_rows,
        }
        for name in {**selected, **peak}
    ]
