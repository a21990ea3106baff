"""What became of a step, in the words that terminal, figures and report share."""

from __future__ import annotations

from itertools import pairwise

from infosift.display.phrases import FALLING
from infosift.results.selection import Selection
from infosift.results.steps import Step

# The marks are those of the figure of verdicts.
MARKS = {"selected": "●", "not significant": "◐", "removed": "■", "needed": "●", "not selected": "○"}

_DECIMALS = 3  # of estimates, wherever they are shown
# What the verdicts on features that are not selected do and do not say.
MEANINGS = {
    "redundant": "informative alone, but adds nothing detectable to the selected ones",
    "undecided": "p too near alpha to tell, or informative alone and not settled beside the selected ones",
    "irrelevant": "not shown to be informative: p clearly above alpha",
}


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
    return f"{value:.{_DECIMALS}f} {selection.criterion_unit}".rstrip()


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


def is_path(selection: Selection) -> bool:
    """Tell whether a step goes on from the one before."""
    return selection.conditional and not selection.start


def falling(selection: Selection) -> list[str]:
    """Return how to read an estimate that is smaller than at the step before, where one is."""
    path = [round(step.information, _DECIMALS) for step in selection.steps]
    return [FALLING] if is_path(selection) and any(after < before for before, after in pairwise(path)) else []


def every_informative(selection: Selection, how: str) -> list[str]:
    """Return how redundant features are selected too, where there are some."""
    if not any(said.verdict == "redundant" for said in selection.verdicts):
        return []
    return [f"To list every informative feature, redundant ones too: {how}."]


def error_bound(selection: Selection) -> str | None:
    """Return what alpha bounds, in a sentence; None where p-values are those of single tests."""
    level = f"{100 * selection.settings.alpha:g} %"
    if any(notice.kind == "order" for notice in selection.warnings) and selection.error_rate:
        name = selection.error_rate.capitalize()
        return (
            f"{name}: at most {level} for rows that do not depend on each other. These do, so it is likely larger."
        )
    given = " conditional on those kept" if selection.settings.keep else ""
    if selection.error_rate == "family-wise error":
        return (
            f"Family-wise error: if no feature were informative{given}, the probability of selecting any would be "
            f"at most {level}."
        )
    if selection.error_rate == "false discovery rate":
        return f"False discovery rate: of the features selected, {level} at most are expected to be irrelevant."
    return None
