"""What a selection could not show, and why a single test may seem to contradict a verdict."""

from __future__ import annotations

from infosift.display.phrases import count, the_target
from infosift.inference.detectable import FOUND_OF_TEN
from infosift.results.selection import Selection

# Where only stronger correlations are found, or nothing is, the power is worth a sentence.
_NOTABLE = 0.3
_HARDLY_ANY = 0.95


def limits(selection: Selection) -> list[str]:
    """Return what is to be said below the verdicts."""
    return [*power(selection), *unadjusted(selection)]


def unadjusted(selection: Selection) -> list[str]:
    """Return how many irrelevant features a test of each alone would call significant, where there are such."""
    alpha = selection.settings.alpha
    irrelevant = [said for said in selection.verdicts if said.verdict == "irrelevant"]
    p_values = [said.unadjusted_p_value for said in irrelevant]
    number = sum(p_value is not None and p_value <= alpha for p_value in p_values)
    if not number:
        return []
    expected = alpha * len(irrelevant)
    return [
        f"Verdicts rest on p-values adjusted for {count(irrelevant[0].n_candidates, 'feature')}. Unadjusted, as "
        f"if each were the only one, {number:,} of the {count(len(irrelevant), 'irrelevant feature')} "
        f"{'has' if number == 1 else 'have'} p at most {alpha:g}; chance alone gives about "
        f"{expected:.{1 if expected < 10 else 0}f}."
    ]


def power(selection: Selection) -> list[str]:
    """Return how strong a dependence had to be to be found, where that is strong or nothing was selected.

    Where it is so strong that there is a warning of it, that says it all.
    """
    least = selection.smallest_detectable_correlation
    if any(notice.kind == "power" for notice in selection.warnings):
        return []
    if least is None or not selection.steps or (least < _NOTABLE and selection.accepted):
        return []
    rows = selection.n_rows_tested or selection.n_rows
    given = ", conditional on those kept," if selection.settings.keep else ""
    size = f"more than {_HARDLY_ANY:g}" if least > _HARDLY_ANY else f"about {least:.2f}"
    return [
        f"With {count(rows, 'row')} and {count(len(selection.steps[0].candidates), 'feature')}, a feature had to "
        f"have a rank correlation of {size} with {_with_what(selection)}{given} to be found in {FOUND_OF_TEN} "
        "of 10 such tables."
    ]


def _with_what(selection: Selection) -> str:
    if len(selection.n_classes) > 1:
        return "one of the targets"
    (classes,) = selection.n_classes
    return the_target(selection.target_name) if classes is None or classes == 2 else "one of the classes"
