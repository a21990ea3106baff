"""How much of the target the selected features explain, in plain words."""

from __future__ import annotations

from infosift.display.phrases import count, the_target
from infosift.results.selection import Selection


def explained(selection: Selection) -> list[str]:
    """Return what the selected features explain and what any model must miss; nothing where it is not known."""
    found, target = selection.explained, the_target(selection.target_name)
    if found is None:
        return []
    many = len(selection.names) > 1
    they, only = (
        ("The selected features together explain", "these features")
        if many
        else ("The selected feature explains", "this feature")
    )
    if found.least_error is None:
        return [
            f"{they} about {100 * found.share:.0f} % of the variance of {target}, put on a normal scale; no model "
            f"of only {only} is expected to explain more."
        ]
    return [
        f"{they} about {100 * found.share:.0f} % of the uncertainty (entropy) about {target}. No model of only "
        f"{only} is expected to be wrong in fewer than about {_percent(found.least_error)} of new rows; always "
        f"guessing the largest class is wrong in {_percent(found.error_of_guessing or 0.0)}."
    ]


def limits_of_explained(selection: Selection) -> list[str]:
    """Return what the estimate rests on, and what may lie in the rest."""
    found = selection.explained
    if found is None:
        return []
    by = "the Gaussian bound" if found.least_error is None else "Fano's inequality"
    return [
        f"This is an estimate from {count(selection.n_rows, 'row')}: {found.information:.3f} nats of information, "
        f"from which the limit for models follows by {by}. With few rows or many selected features the estimate "
        "is low, and a model may do better than this says.",
        "What is left is noise, or depends on what the table does not hold, or is too weak to be seen in so many "
        "rows.",
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.{1 if share < 0.095 else 0}f} %"
