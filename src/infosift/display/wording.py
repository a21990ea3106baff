"""Phrases that the terminal and the report share: probabilities, counts, and a caution."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from infosift.errors import listing
from infosift.inference.diagnostics import FOUND_OF_TEN
from infosift.results.selection import Selection
from infosift.results.stability import rounded_up
from infosift.results.steps import Step

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison, SubsetScores
    from infosift.results.stability import Stability

CAUTION = (
    "P-values are those of single tests. They are adjusted neither for testing the best of many features nor for "
    "choices made on the same rows, such as that of the number of neighbours, so false positives are more likely "
    "than alpha. The calibrated method controls the family-wise error."
)
SINGLE_TEST = (
    "The p-value is that of a single test of this feature, not adjusted for the number of features that are "
    "looked at: of 100 irrelevant ones, about {passing} pass at alpha = {alpha}. Those of infosift select are "
    "adjusted."
)
FALLING = (
    "The estimate tends to fall as features are added, so what a feature adds may look small or even negative; "
    "the test allows for that."
)
# What the tests that share alpha look at.
_TESTS = {
    "series": "series of polynomials of ranks",
    "neighbours": "nearest neighbours",
    "pairs": "pairs of features",
}
# What the structural parameter of a criterion counts.
_NOUNS = {"n_neighbors": "neighbour", "bins": "bin"}
_PARAMETERS = {"n_neighbors": "number of neighbours", "bins": "number of bins"}
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"
_FROM_RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO"}
# The marks are those of the figure of verdicts.
MARKS = {"selected": "●", "not significant": "◐", "removed": "■", "needed": "●", "not selected": "○"}
_DECIMALS = 3  # of estimates, wherever they are shown
# What the verdicts on features that are not selected do and do not say.
MEANINGS = {
    "redundant": "informative alone, but adds nothing detectable to the selected ones",
    "undecided": "p too near alpha to tell, or informative alone and not settled beside the selected ones",
    "irrelevant": "not shown to be informative: p clearly above alpha",
}
# Where only stronger correlations are found, or nothing is, the power is worth a sentence.
_NOTABLE = 0.3
_HARDLY_ANY = 0.95
_LISTED_FEATURES = 12


def probability(p: float) -> str:
    """Return a probability with three decimals."""
    return "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def at_most(p: float) -> str:
    """Return what an upper bound says."""
    return f"p at most {probability(p)}".replace("at most <", "below ")


def at_least(p: float) -> str:
    """Return what a lower bound says."""
    return f"p at least {p:.3f}"


def signed(number: str) -> str:
    """Return a number with a true minus sign."""
    return number.replace("-", "−")


def count(number: float, noun: str) -> str:
    """Return a number and its noun, such as "1 feature" and "2,000 features"."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: float, noun: str) -> str:
    """Return a noun as it stands beside a number."""
    return noun if number == 1 else f"{noun}{'e' * noun.endswith('s')}s"


def series(words: Sequence[str]) -> str:
    """Return words as "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def in_a_sentence(name: str) -> str:
    """Return a name such that what stands around it keeps its place, and that an empty one is seen."""
    if not name.strip():
        return f'"{name}"'
    if any(unicodedata.bidirectional(letter) in _FROM_RIGHT_TO_LEFT for letter in name):
        return f"{_ISOLATE}{name}{_END_OF_ISOLATE}"
    return name


def the_target(name: str) -> str:
    """Return what to call the target in a sentence; without a name of its own it is called "target"."""
    return "the target" if name == "target" else in_a_sentence(name)


def range_of(numbers: Iterable[int]) -> str:
    """Return the smallest and the largest of some numbers, such as "57 to 1,023"."""
    listed = sorted(set(numbers))
    return " to ".join(f"{number:,}" for number in dict.fromkeys((listed[0], listed[-1])))


def levels(alpha: float, shares: Sequence[tuple[str, float]]) -> str:
    """Return how alpha was divided, such as "0.0325 for series, 0.01 for neighbours"; empty if it was not."""
    divided = [f"{alpha * share:g} for {_TESTS.get(tests, tests)}" for tests, share in shares]
    return ", ".join(divided) if len(divided) > 1 else ""


def name_of_subset(subset: str) -> str:
    """Return what to call a subset of the features that a model is fitted to."""
    return {"none": "no features"}.get(subset, subset)


def named(parameter: str) -> str:
    """Return what to call the structural parameter of a criterion, such as "number of neighbours"."""
    return _PARAMETERS.get(parameter, parameter)


def values_of(parameter: str, values: Sequence[float]) -> str:
    """Return values of a criterion's parameter, such as "10 and 20 neighbours"; empty where there are none."""
    listed = series([str(value) for value in values])
    if not listed or parameter not in _NOUNS:
        return f"{parameter} {listed}" if listed else ""
    return f"{listed} {plural(values[-1], _NOUNS[parameter])}"


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
    if any(warning.kind == "order" for warning in selection.warnings) and selection.error_rate:
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


def headline(selection: Selection) -> str:
    """Return how much was selected, or why nothing was; ``selected`` are the names that follow it."""
    target, n_selected = the_target(selection.target_name), len(_selected_features(selection))
    kept = selection.settings.keep
    total = sum(name not in kept for name in selection.feature_names)
    if not selection.steps:
        return _nothing_tested(selection, total, target)
    given = f"conditional on {series([in_a_sentence(name) for name in kept])}, " if kept else ""
    so_far = "so far, " if selection.is_partial else ""
    said = (
        f"{n_selected:,} of {count(total, 'feature')} selected for {target}"
        if n_selected
        else f"none of the {count(total, 'feature')} is significantly informative about {target}."
    )
    sentence = so_far + given + said
    return sentence[0].upper() + sentence[1:]


def _nothing_tested(selection: Selection, total: int, target: str) -> str:
    if selection.is_partial:
        return f"The run ended before any feature was tested for {target}."
    if total == 0:
        return f"All features are kept from the start, so there is none to select for {target}."
    return f"None of the {count(total, 'feature')} could be tested, so nothing can be said about {target}."


def selected(selection: Selection) -> list[str]:
    """Return what was selected, features kept from the start aside; of a group, its name and features."""
    groups = {name: (group, names) for group, names in selection.settings.feature_groups for name in names}
    said: dict[str, None] = {}
    for feature in _selected_features(selection):
        name, names = groups.get(feature, (feature, ()))
        members = f" ({', '.join(map(in_a_sentence, names))})" if names else ""
        said[in_a_sentence(name) + members] = None
    return list(said)


def _selected_features(selection: Selection) -> list[str]:
    return [name for name in selection.names if name not in selection.settings.keep]


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
    if any(warning.kind == "power" for warning in selection.warnings):
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


def cells(one: SubsetScores) -> dict[str, tuple[str, str]]:
    """Return number of features, score and difference to all, each with its range, spread or standard error."""
    sizes = f"({range_of(one.n_features)})" if len(set(one.n_features)) > 1 else ""
    gap = (f"{one.difference:+.3f}", f"± {one.standard_error:.3f}") if one.subset != "all" else ("", "")
    return {
        "features": (f"{one.mean_n_features:,.1f}".removesuffix(".0"), sizes),
        "score": (signed(f"{one.mean:.3f}"), f"± {one.spread:.3f}"),
        "difference": (signed(gap[0]), gap[1]),
    }


def how_compared(comparison: SubsetComparison) -> str:
    """Return what the numbers are, and how they came about."""
    groups = "" if comparison.n_row_groups is None else f" of {count(comparison.n_row_groups, 'row group')}"
    return (
        f"{comparison.measure} of {comparison.model} on rows left out: mean ± standard deviation over "
        f"{comparison.n_folds} folds{groups}, each with a selection of its own on the other rows. "
        "Differences have their standard error. No features: each row gets the same guess."
    )


def how_often(comparison: SubsetComparison) -> str:
    """Return in how many folds each feature was selected; empty where none ever was."""
    by_count: dict[int, list[str]] = {}
    for name, number in comparison["selected"].chosen:
        by_count.setdefault(number, []).append(in_a_sentence(name))
    if not by_count:
        return ""
    said = [f"in {number}: {listing(names, _LISTED_FEATURES)}" for number, names in by_count.items()]
    said[0] = said[0].replace(":", f" of {count(comparison.n_folds, 'fold')}:", 1)
    return f"Selected {'; '.join(said)}."


def percent(frequency: float) -> str:
    """Return a frequency in percent, with a decimal where it has one."""
    return f"{100 * frequency:.1f}".removesuffix(".0") + " %"


def by_chance(stability: Stability, name: str) -> str:
    """Return the bound at the frequency of a feature; empty where there is none, as for what is kept."""
    frequency = stability.frequency(name)
    if name in stability.settings.keep:
        return "kept"
    return f"at most {rounded_up(stability.bound(frequency)):.2f}" if frequency > 0.5 else ""


def has_bounds(stability: Stability) -> bool:
    """Tell whether there is a bound, or something else, to say beside any frequency."""
    return any(by_chance(stability, name) for name in stability.feature_names)


def substitutes_of(stability: Stability, name: str) -> list[str]:
    """Return the features that a feature replaces and is replaced by."""
    for group in stability.groups:
        if name in group.features:
            return [other for other in group.features if other != name]
    return []


def how_resampled(stability: Stability) -> str:
    """Return what the numbers are, and how they came about."""
    groups = "" if stability.n_row_groups is None else f" of {count(stability.n_row_groups, 'row group')}"
    bounds = (
        "By chance: how many irrelevant features are expected to reach such a share, for those above one half. "
    )
    bounds = bounds if has_bounds(stability) else ""
    mean = f"{stability.mean_selected:.1f} of {count(stability.n_candidates, 'candidate')}"
    return (
        f"Share of {stability.n_resamples} half-samples{groups} on which a feature is selected; on average {mean} "
        f"are. Half-samples come in pairs without a row in common. {bounds}A half has fewer rows, so weaker "
        "features are selected less often than on all rows."
    )
