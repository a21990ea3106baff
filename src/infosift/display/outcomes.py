"""What became of a step, in the words that terminal, figures and report share."""

from __future__ import annotations

from infosift.results.selection import Selection
from infosift.results.steps import Step

# The marks are those of the figure of verdicts.
MARKS = {"selected": "●", "not significant": "◐", "removed": "■", "needed": "●", "not selected": "○"}


def outcome(selection: Selection, step: Step) -> str:
    """Return whether what a step is about was selected, removed, needed or neither.

    "not significant" is what was selected only because so many features were asked for.
    """
    if step.action == "remove":
        return "removed" if step.accepted else "needed"
    if not step.accepted:
        return "not selected"
    if not selection.stayed(step):
        return "removed"
    return "selected" if step.significant else "not significant"


def measured(selection: Selection, value: float) -> str:
    """Return a value of the criterion with its unit, such as "0.210 nats"."""
    return f"{value:.3f} {selection.criterion_unit}".rstrip()


def name_of_measure(selection: Selection) -> str:
    """Return what the criterion measures, in short where it is an information."""
    return "information" if selection.criterion_unit == "nats" else selection.criterion_measure


def whose_information(selection: Selection) -> str:
    """Return what the information of a step is that of."""
    if selection.start:
        return "of all features left, this one included"
    if not selection.conditional:
        beside = " together with those kept" if selection.settings.keep else " alone"
        return f"of the feature{beside}"
    return "of the feature together with those above"


def error_bound(selection: Selection) -> str | None:
    """Return what alpha bounds, in a sentence; None where p-values are those of single tests."""
    level = f"{100 * selection.settings.alpha:g} %"
    given = " conditional on those kept" if selection.settings.keep else ""
    if selection.error_rate == "family-wise error":
        return (
            f"Family-wise error: if no feature were informative{given}, the probability of selecting any would be "
            f"at most {level}."
        )
    if selection.error_rate == "false discovery rate":
        return f"False discovery rate: of the features selected, {level} at most are expected to be irrelevant."
    return None
