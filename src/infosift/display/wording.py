"""Words and sentences that terminal, notebook and report share, so that all of them say the same.

Numbers, lists and names come first, then sentences about a selection, about its choice of k, about a comparison of
subsets by a model and about selection frequencies over half-samples.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.errors import Hint, listing
from infosift.registry import NULLS
from infosift.results.path import FeatureRow, compared_p_value
from infosift.results.selection import DETECTED_OF_TEN
from infosift.results.steps import ProcedureDescription

if TYPE_CHECKING:
    from infosift.results import (
        Importance,
        NeighborChoice,
        Selection,
        Stability,
        Step,
        SubsetComparison,
        SubsetScores,
    )

CAUTION = (
    "P-values are those of single tests. They are adjusted neither for testing the best of many features nor for "
    "choices made on the same rows, such as that of the number of neighbours, so false positives are more likely "
    "than alpha. The calibrated method controls the family-wise error."
)
SINGLE_TEST = (
    "The p-value is that of a single test of this feature, not adjusted for the number of features that are "
    "tested: of 100 irrelevant ones, about {passing} pass at alpha = {alpha}. Those of infosift select are "
    "adjusted."
)
FALLING = (
    "The estimate tends to fall as features are added, so what a feature adds may look small or even negative; "
    "the test allows for that."
)
# The mark of each verdict, as in the figure of verdicts, and its meaning, in the order of the table of features.
VERDICTS = {
    "kept": ("★", "in from the start, as set by keep"),
    "selected": ("●", "significantly informative: given the others selected, or on its own for a filter"),
    "redundant": ("■", "informative alone, but adds nothing detectable to the selected ones"),
    "undecided": ("◇", "p too near alpha to tell, or informative alone and not settled given the selected ones"),
    "not shown": ("▽", "p clearly above alpha, which is no proof that it is irrelevant"),
    "not selected": ("○", "a candidate, but never the best of a step, or not significant"),
    "not reached": ("○", "nothing was decided before the run ended"),
    "not tested": ("–", "constant, near-unique or a duplicate"),
    "ignored": ("–", "left out, as set by ignore"),
}
# The verdicts on features that are not selected; a method without them has "not selected" instead.
OTHER_VERDICTS = ("redundant", "undecided", "not shown")
# The mark of each outcome of a step.
MARKS = {"selected": "●", "not significant": "◐", "removed": "■", "needed": "●", "not selected": "○"}
# How many names a sentence lists before it counts the others.
MOST_NAMES = 12

_TEST_STATISTICS = {
    "series": "series of polynomials of ranks",
    "neighbours": "nearest neighbours",
    "pairs": "pairs of features",
}
# What the structural parameter of a criterion counts.
_NOUNS = {"n_neighbors": "neighbour", "bins": "bin"}
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"
_FROM_RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO"}
_DECIMALS = 3  # of estimates, wherever they are shown
# Power is worth a sentence where only stronger correlations are detectable; the largest that a sentence names.
_NOTABLE_CORRELATION, _LARGEST_CORRELATION = 0.3, 0.95


def probability(p: float | None) -> str:
    """Write a probability with three decimals; None, where there is no test, is empty."""
    if p is None:
        return ""
    return "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def at_most(p: float) -> str:
    """Write an upper bound of a p-value."""
    return f"p at most {probability(p)}".replace("at most <", "below ")


def at_least(p: float) -> str:
    """Write a lower bound of a p-value."""
    return f"p at least {p:.3f}"


def interval(p_low: float, p_high: float) -> str:
    """Write the confidence interval of a p-value."""
    return f"{probability(p_low)} to {probability(p_high)}"


def signed(number: str) -> str:
    """Write a number with a true minus sign."""
    return number.replace("-", "−")


def estimate(value: float | None, sign: str = "") -> str:
    """Write an estimate with three decimals and a true minus sign; None is empty."""
    return "" if value is None else signed(f"{value:{sign}.{_DECIMALS}f}")


def percent(share: float) -> str:
    """Write a share in percent, with a decimal where it has one."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def count(number: float, noun: str) -> str:
    """Write a number and its noun, such as "1 feature" and "2,000 features"."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: float, noun: str) -> str:
    """Return the form of a noun that follows a number."""
    return noun if number == 1 else f"{noun}{'e' * noun.endswith('s')}s"


def capitalized(sentence: str) -> str:
    """Begin a sentence with a capital letter, and leave the others as they are."""
    return sentence[:1].upper() + sentence[1:]


def series(words: Sequence[str]) -> str:
    """Join words as "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def in_a_sentence(name: str) -> str:
    """Isolate a name written from right to left, so that words around it keep their order; quote a blank one."""
    if not name.strip():
        return f'"{name}"'
    if any(unicodedata.bidirectional(letter) in _FROM_RIGHT_TO_LEFT for letter in name):
        return f"{_ISOLATE}{name}{_END_OF_ISOLATE}"
    return name


def names_in_a_sentence(names: Iterable[str]) -> str:
    """List the first names and count the others."""
    return listing([in_a_sentence(name) for name in names], MOST_NAMES)


def the_target(name: str) -> str:
    """Name the target in a sentence; a target without a name of its own is called "target"."""
    return "the target" if name == "target" else in_a_sentence(name)


def target_of(selection: Selection) -> str:
    """Name the target of a selection in a sentence, with the event where it is a time until one."""
    if selection.survival is None:
        return the_target(selection.target_name)
    return f"{in_a_sentence(selection.target_name)} until {in_a_sentence(selection.survival.event)}"


def range_of(numbers: Iterable[int]) -> str:
    """Write the smallest and the largest of numbers, such as "57 to 1,023"."""
    listed = sorted(set(numbers))
    return " to ".join(f"{number:,}" for number in dict.fromkeys((listed[0], listed[-1])))


def levels(alpha: float, shares: Sequence[tuple[str, float]]) -> str:
    """Write how alpha is divided among test statistics; empty where it is not."""
    divided = [f"{alpha * share:g} for {_TEST_STATISTICS.get(name, name)}" for name, share in shares]
    return ", ".join(divided) if len(divided) > 1 else ""


def levels_of(selection: Selection) -> str:
    """Write how alpha is divided among the test statistics that a selection uses."""
    left_out = procedure_of(selection).left_out
    used = [(name, share) for name, share in selection.alpha_shares if name not in left_out]
    return levels(selection.settings.alpha, used)


def procedure_of(selection: Selection) -> ProcedureDescription:
    """Return how features were tested; results of version 0.1 do not have it, but the name of their null."""
    if selection.procedure is not None:
        return selection.procedure
    null = NULLS.get(selection.settings.method.parameters.get("null", ""))
    if null is None:
        return ProcedureDescription()
    return replace(null.procedure(selection.settings.n_row_groups is not None), marginal_statistics=("series",))


def draws(selection: Selection) -> str:
    """Count the surrogates of the steps, such as "99 to 199 permutations"; other nulls draw shifts."""
    return f"{range_of(step.n_permutations for step in selection.steps)} {procedure_of(selection).draws}"


def name_of_subset(subset: str) -> str:
    """Name a subset of the features that a model is fitted to."""
    return {"none": "no features", "for_prediction": "for prediction"}.get(subset, subset)


def named(parameter: str) -> str:
    """Name the structural parameter of a criterion, such as "number of neighbours"."""
    return f"number of {_NOUNS[parameter]}s" if parameter in _NOUNS else parameter


def values_of(parameter: str, values: Sequence[float]) -> str:
    """Write values of a criterion's parameter, such as "10 and 20 neighbours"; empty where there are none."""
    listed = series([str(value) for value in values])
    if not listed or parameter not in _NOUNS:
        return f"{parameter} {listed}" if listed else ""
    return f"{listed} {plural(values[-1], _NOUNS[parameter])}"


def name_of_measure(selection: Selection) -> str:
    """Name what the criterion measures, in short where it is an information."""
    return "information" if selection.criterion_unit == "nats" else selection.criterion_measure


def whose_information(selection: Selection) -> str:
    """Name the features whose information a step shows."""
    if selection.start:
        return "of all features left, this one included"
    if selection.conditional:
        return "of the feature together with those above"
    return f"of the feature {'together with those kept' if selection.settings.keep else 'alone'}"


def has_warning(selection: Selection, kind: str) -> bool:
    """Tell whether a selection has a data warning of a kind."""
    return any(warning.kind == kind for warning in selection.warnings)


def headline(selection: Selection) -> str:
    """State how much was selected, or why nothing was; ``selected_units`` are the names that follow it."""
    target, kept = target_of(selection), selection.settings.keep
    total = sum(name not in kept for name in selection.feature_names)
    features = count(total, "feature")
    if not selection.steps:
        if selection.is_partial:
            return f"The run ended before any feature was tested for {target}."
        if total == 0:
            return f"All features are kept from the start, so there is none to select for {target}."
        return f"None of the {features} could be tested, so nothing can be said about {target}."
    n_selected = sum(name not in kept for name in selection.names)
    so_far = "so far, " if selection.is_partial else ""
    given = f"conditional on {series([in_a_sentence(name) for name in kept])}, " if kept else ""
    how_many = (
        f"{n_selected:,} of {features} selected for {target}"
        if n_selected
        else f"none of the {features} is significantly informative about {target}."
    )
    return capitalized(so_far + given + how_many)


def selected_units(selection: Selection) -> list[str]:
    """Name the selected features except those kept from the start; a group has its members in brackets."""
    groups = {name: (group, members) for group, members in selection.settings.feature_groups for name in members}
    units = []
    for feature in selection.names:
        if feature not in selection.settings.keep:
            name, members = groups.get(feature, (feature, ()))
            in_brackets = f" ({', '.join(map(in_a_sentence, members))})" if members else ""
            units.append(in_a_sentence(name) + in_brackets)
    return list(dict.fromkeys(units))


def answer(selection: Selection, most: int = MOST_NAMES) -> str:
    """State the answer in one sentence, with the names of the first selected features."""
    names = selected_units(selection)
    return f"{headline(selection)}: {listing(names, most)}." if names else headline(selection)


def outcome(selection: Selection, step: Step) -> str:
    """Return the outcome of a step: selected, not significant, removed, needed or not selected.

    "not significant" is a feature that was selected only to reach ``min_features``.
    """
    if step.action == "remove":
        return "removed" if step.accepted else "needed"
    if not step.accepted:
        return "not selected"
    if not selection.stayed(step):
        return "removed"
    return "selected" if step.significant else "not significant"


def step_cells(selection: Selection, step: Step) -> dict[str, str]:
    """Write the numbers of a step; a threshold is one of the criterion, else of the test statistic.

    P-values are as they compare with alpha.
    """
    in_nats = step.information_threshold is not None
    return {
        "feature": step.feature,
        "outcome": outcome(selection, step),
        "information": estimate(step.information),
        "statistic": signed(f"{step.statistic:.2f}"),
        "threshold": estimate(step.information_threshold) if in_nats else signed(f"{step.threshold:.2f}"),
        "p_value": probability(compared_p_value(selection, step)),
        "interval": interval(
            compared_p_value(selection, step, step.p_low), compared_p_value(selection, step, step.p_high)
        ),
    }


def is_path(selection: Selection) -> bool:
    """Tell whether each step adds to the features of the one before."""
    return selection.conditional and not selection.start


def falling(selection: Selection) -> list[str]:
    """Explain an estimate that is smaller than at the step before, where one is."""
    path = [round(step.information, _DECIMALS) for step in selection.steps]
    return [FALLING] if is_path(selection) and any(after < before for before, after in pairwise(path)) else []


def why_stopped(selection: Selection) -> list[str]:
    """State why the search stopped, unless nothing was selected, which says it."""
    is_clear = selection.steps and not selection.is_partial and not selected_units(selection)
    return [] if is_clear else [f"The search stopped because {selection.stopped}."]


def about_search(selection: Selection) -> list[str]:
    """State where the information peaks, if it does not decide, and what was replaced and removed at the end."""
    sentences = []
    if not selection.adjusted and selection.conditional and len(selection.steps) > 1:
        peak = selection.peak
        at_peak = f"{estimate(peak.information)} {selection.criterion_unit}".rstrip()
        sentences.append(
            f"The {name_of_measure(selection)} peaks ({at_peak}) with {names_in_a_sentence(peak.names)}."
        )
    for replacement in selection.replacements:
        replaced = series([in_a_sentence(name) for name in replacement.replaced])
        sentences.append(
            f"{in_a_sentence(replacement.feature)} replaced {replaced}: it is as informative as both."
        )
    if selection.removed:
        removed = names_in_a_sentence(selection.removed)
        sentences.append(f"Removed, since the others carry the same information: {removed}.")
    return sentences


def meanings(rows: Iterable[FeatureRow]) -> list[str]:
    """Explain the verdicts on features that are not selected, where there are such."""
    present = {row.verdict for row in rows}
    explained = "; ".join(f"{name}: {VERDICTS[name][1]}" for name in OTHER_VERDICTS if name in present)
    return [capitalized(f"{explained}.")] if explained else []


def reason(row: FeatureRow) -> str:
    """State what a redundant feature is redundant with, and what else explains a verdict."""
    carriers = f"with {', '.join(row.redundant_with)}" if row.redundant_with else ""
    return "; ".join(filter(None, [carriers, row.note]))


def every_informative(selection: Selection, words: Callable[[Hint], str] = str) -> list[str]:
    """Name the setting that selects redundant features too, where there are some, in the words of a surface."""
    if not any(one.verdict == "redundant" for one in selection.verdicts):
        return []
    setting = words(Hint("search", "filter"))
    return [f"To list every informative feature, redundant ones too: {setting}."]


def for_prediction(selection: Selection, words: Callable[[Hint], str] = str) -> list[str]:
    """Name the features to predict with apart from those selected, or where they are no goal, how to get them."""
    answer = selection.for_prediction
    if answer is None:
        return []
    if not answer.names:
        return ["For prediction: none. No features predict better than the mean of the target does."]
    if not answer.added:
        return ["For prediction: the selected features; no others lower the cross-validated error."]
    size = max(size for size in answer.sizes if size <= len(answer.names))
    saved = 100 * (1 - float(answer.errors[answer.sizes.index(size)]))
    if selection.settings.goal == "explain":
        more = f"{len(answer.added)} more feature{'s' * (len(answer.added) > 1)}"
        setting = words(Hint("goal", "predict"))
        return [f"For a model that predicts best, {more} may help, which no test shows to matter: {setting}."]
    return [
        f"For prediction, besides the selected ones: {', '.join(answer.added)}.",
        f"No test shows that these matter: they are the first by {answer.source}, with which generic models "
        f"predict best in nested cross-validation (squared error {saved:.0f} % below that of no features).",
    ]


def error_bound(selection: Selection) -> list[str]:
    """State the error rate that alpha bounds; nothing where p-values are those of single tests."""
    rate, level = selection.error_rate, f"{100 * selection.settings.alpha:g} %"
    if not rate:
        return []
    if has_warning(selection, "order"):
        bound = f"at most {level} for rows that do not depend on each other. These do, so it is likely larger."
    elif rate == "family-wise error":
        given = " conditional on those kept" if selection.settings.keep else ""
        bound = (
            f"if no feature were informative{given}, the probability of selecting any would be at most {level}."
        )
    else:
        bound = f"of the features selected, {level} at most are expected to be irrelevant."
    return [f"{rate.capitalize()}: {bound}"]


def limits(selection: Selection) -> list[str]:
    """State what the tests could not detect, and why a single test may seem to contradict a verdict."""
    return [*power(selection), *unadjusted(selection)]


def unadjusted(selection: Selection) -> list[str]:
    """Count the features not shown that a test of each alone would call significant, where there are such."""
    alpha = selection.settings.alpha
    not_shown = [one for one in selection.verdicts if one.verdict == "not shown"]
    p_values = [one.unadjusted_p_value for one in not_shown]
    number = sum(p_value is not None and p_value <= alpha for p_value in p_values)
    if not number:
        return []
    expected = alpha * len(not_shown)
    return [
        f"Verdicts rest on p-values adjusted for {count(not_shown[0].n_candidates, 'feature')}. Unadjusted, as "
        f"if each were the only one, {number:,} of the {count(len(not_shown), 'feature')} not shown "
        f"{'has' if number == 1 else 'have'} p at most {alpha:g}; chance alone gives about "
        f"{expected:.{1 if expected < 10 else 0}f}."
    ]


def power(selection: Selection) -> list[str]:
    """State how strong a dependence had to be to be detected, where that is strong or nothing was selected.

    A data warning of too few rows states it already.
    """
    least = selection.smallest_detectable_correlation
    if least is None or not selection.steps or has_warning(selection, "power"):
        return []
    if least < _NOTABLE_CORRELATION and selection.accepted:
        return []
    size = f"about {least:.2f}" if least <= _LARGEST_CORRELATION else f"more than {_LARGEST_CORRELATION:g}"
    target, classes = the_target(selection.target_name), selection.n_classes
    if len(classes) > 1:
        target = "one of the targets"
    elif classes[0] != 2 and selection.target_kinds[0] == f"{classes[0]} classes":
        target = "one of the classes"
    given = ", conditional on those kept," if selection.settings.keep else ""
    return [
        f"With {count(selection.n_rows_tested or selection.n_rows, 'row')} and "
        f"{count(len(selection.steps[0].candidates), 'feature')}, a feature had to have a rank correlation of "
        f"{size} with {target}{given} to be detected in {DETECTED_OF_TEN} of 10 such tables."
    ]


def caution(selection: Selection) -> list[str]:
    """Caution about p-values of single tests, where features were selected by them."""
    is_best_of_many = not selection.adjusted and len(selection.feature_names) > 1 and selected_units(selection)
    return [CAUTION] if is_best_of_many else []


def explained(selection: Selection) -> list[str]:
    """State how much of the target the selected features explain, with its interval."""
    share, target = selection.explained, the_target(selection.target_name)
    if share is None:
        return []
    they = "features together explain" if len(selection.names) > 1 else "feature explains"
    within = (
        ""
        if share.interval is None
        else " (95 % interval {:.0f} to {:.0f} %)".format(*100 * np.array(share.interval))
    )
    of = (
        f"variance of {target}, put on a normal scale"
        if share.entropy is None
        else f"uncertainty (entropy) about {target}"
    )
    return [f"The selected {they} about {100 * share.share:.0f} %{within} of the {of}."]


def size_in_words(importance: Importance) -> str:
    """Write a share of the variance with its interval, such as "6 % (3 to 9)"."""
    value, low, high = (100 * number for number in (importance.importance, importance.low, importance.high))
    digits = 0 if high >= 10 else 1
    return f"{value:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f})"


def sizes(selection: Selection) -> list[str]:
    """Explain the sizes of effects, where there are some."""
    if selection.effects is None or not selection.effects.importance:
        return []
    return [
        f"Size: the share of the variance of {target_of(selection)} that the other selected features do not "
        "explain, with a 95 % interval."
    ]


def shape_in_words(selection: Selection, feature: str) -> str:
    """Name the shapes of the effect of a feature, by class or target where there are several."""
    if selection.effects is None:
        return ""
    curves = [curve for curve in selection.effects.curves if curve.feature == feature and curve.shape]
    if len(curves) <= 1:
        return curves[0].shape if curves else ""
    return ", ".join(f"{curve.outcome.removeprefix('probability of ')} {curve.shape}" for curve in curves)


def survival(selection: Selection) -> list[str]:
    """Count the events of a censored target, and state how well the features to predict with rank its times."""
    if selection.survival is None:
        return []
    n_events, answer = selection.survival.n_events, selection.for_prediction
    sentences = [f"{n_events:,} of {count(selection.n_rows, 'row')} have the event; the others are censored."]
    if not selection.survival.n_censored:
        sentences = [f"All {count(selection.n_rows, 'row')} have the event; none is censored."]
    if answer is not None and answer.concordance is not None:
        sentences.append(
            f"In nested cross-validation, models of {count(len(answer.names), 'feature')} rank the times of two "
            f"rows rightly in {100 * answer.concordance:.0f} % of pairs (concordance; 50 % is a guess)."
        )
    return sentences


def choice_rows(choice: NeighborChoice) -> list[dict[str, Any]]:
    """Return each value that was compared, with its largest t and the feature that has it."""
    rows = []
    for value, t in zip(choice.candidates, choice.t.T, strict=True):
        best = int(np.nanargmax(t))
        is_chosen = value == choice.n_neighbors
        rows.append({"k": value, "t": t[best], "feature": choice.feature_names[best], "is_chosen": is_chosen})
    return rows


def comparison_cells(scores: SubsetScores) -> dict[str, tuple[str, str]]:
    """Write the number of features, score and difference to all, each with its range, spread or standard error."""
    is_all = scores.subset == "all"
    return {
        "features": (
            f"{scores.mean_n_features:,.1f}".removesuffix(".0"),
            f"({range_of(scores.n_features)})" if len(set(scores.n_features)) > 1 else "",
        ),
        "score": (estimate(scores.mean), f"± {scores.spread:.3f}"),
        "difference": ("", "") if is_all else (estimate(scores.difference, "+"), f"± {scores.standard_error:.3f}"),
    }


def how_compared(comparison: SubsetComparison) -> str:
    """Describe the numbers of a comparison of subsets."""
    groups = "" if comparison.n_row_groups is None else f" of {count(comparison.n_row_groups, 'row group')}"
    return (
        f"{capitalized(comparison.measure)} of {comparison.model} on rows left out: mean ± standard deviation "
        f"over {comparison.n_folds} folds{groups}, each with a selection of its own on the other rows. "
        "Differences have their standard error. No features: each row gets the same guess."
    )


def how_often(comparison: SubsetComparison) -> str:
    """State in how many folds each feature was selected; empty where none ever was."""
    by_count: dict[int, list[str]] = {}
    for name, number in comparison["selected"].chosen:
        by_count.setdefault(number, []).append(name)
    of_folds = f" of {count(comparison.n_folds, 'fold')}"
    parts = [
        f"in {number}{'' if place else of_folds}: {names_in_a_sentence(names)}"
        for place, (number, names) in enumerate(by_count.items())
    ]
    return f"Selected {'; '.join(parts)}." if parts else ""


def by_chance(stability: Stability, name: str) -> str:
    """Write the bound at the frequency of a feature; empty where there is none, as for what is kept."""
    frequency = stability.frequency(name)
    if name in stability.settings.keep:
        return "kept"
    return f"at most {stability.rounded_bound(frequency):.2f}" if frequency > 0.5 else ""


def has_bounds(stability: Stability) -> bool:
    """Tell whether any frequency has a bound, or is of a feature that is kept."""
    return any(by_chance(stability, name) for name in stability.feature_names)


def substitutes_of(stability: Stability, name: str) -> list[str]:
    """Return the features that a feature replaces and is replaced by."""
    groups = (group.features for group in stability.groups if name in group.features)
    return [other for other in next(groups, ()) if other != name]


def how_resampled(stability: Stability) -> str:
    """Describe the numbers of selection over half-samples."""
    groups = "" if stability.n_row_groups is None else f" of {count(stability.n_row_groups, 'row group')}"
    bounds = (
        "By chance: how many irrelevant features are expected to reach such a share, for those above one half. "
        if has_bounds(stability)
        else ""
    )
    mean = f"{stability.mean_selected:.1f} of {count(stability.n_candidates, 'candidate')}"
    return (
        f"Share of {stability.n_resamples} half-samples{groups} on which a feature is selected; on average {mean} "
        f"are. Half-samples come in pairs without a row in common. {bounds}A half has fewer rows, so weaker "
        "features are selected less often than on all rows."
    )
