"""How a run went, as a paragraph for the methods section of a paper, and what to cite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display import wording
from infosift.display.wording import count, in_a_sentence, named, probability, series, values_of

if TYPE_CHECKING:
    from infosift.results.selection import Selection

PAPER_DOI = "10.1016/j.neucom.2006.11.019"
_PAPER = "François et al. (2007)"
_SERIES = "an orthogonal series in Legendre polynomials of their ranks"
_SERIES_OF_CENSORED = (
    "Legendre polynomials and steps of its ranks against the martingale residual of the target, weighted as in "
    "the log-rank test and by late against early events, each coefficient in units of its own standard deviation "
    "(Janssen 1997), which allows for censoring that depends on features"
)
_SCALES = {
    "standard": "scaled to unit variance",
    "rank": "scaled to normal quantiles of their ranks",
    "none": "and target in their own units",
}
_CONTROLS = {
    "family-wise error": "the maximum over all features (Westfall and Young 1993)",
    "false discovery rate": "the procedure of Benjamini and Hochberg (1995)",
}


def bibtex(selection: Selection) -> str:
    """Return entries for the paper, the estimate and the software."""
    entries = (Path(__file__).parent / "references.bib").read_text(encoding="utf-8")
    return entries.replace("VERSION", selection.version).rstrip()


def methods_paragraph(selection: Selection) -> str:
    """Describe what was done and selected, in the words and with the numbers of a methods section."""
    sentences = [_data(selection), _criterion(selection) if selection.survival is None else _events(selection)]
    if selection.steps:
        if not selection.conditional:
            sentences += _filter(selection)
        else:
            sentences += _adjusted_tests(selection) if selection.adjusted else _single_tests(selection)
        if selection.settings.n_row_groups is not None:
            sentences.append(f"Rows were permuted in {selection.settings.n_row_groups:,} groups, each as a whole.")
        if wording.has_warning(selection, "order"):
            sentences.append("Rows depended on those next to them, so p-values are too small.")
    sentences += [_selected(selection), *wording.power(selection)]
    return " ".join([*sentences, f"The random seed was {selection.settings.seed}."])


def _data(selection: Selection) -> str:
    """Describe the procedure, the candidates and the observations."""
    settings, target = selection.settings, wording.target_of(selection)
    method = f"the {settings.method.name.lower()} method"
    extends = selection.adjusted or "null" in settings.method.parameters
    procedure = f"{method}, which extends that of {_PAPER}" if extends else f"{method} of {_PAPER}"
    duplicates = {name for name, _ in selection.duplicates}
    untested = {*selection.constant, *duplicates, *selection.near_unique} - {*settings.keep}
    others = {*settings.keep, *settings.ignore, *untested}
    candidates = count(sum(name not in others for name in selection.feature_names), "candidate feature")
    more = f" ({len(untested):,} more were constant, duplicates or near-unique)" if untested else ""
    dropped = f" ({selection.n_rows_dropped:,} more had missing values)" if selection.n_rows_dropped else ""
    kept = f" {series(settings.keep)} {'was' if len(settings.keep) == 1 else 'were'} included from the start."
    return (
        f"Features informative about {target} were selected with infosift {selection.version} by {procedure}, "
        f"from {candidates}{more} and {count(selection.n_rows, 'observation')}{dropped}."
        f"{kept if settings.keep else ''}"
    )


def _criterion(selection: Selection) -> str:
    """Name the criterion, its estimator and the scale of the features."""
    criterion, scaled = selection.settings.criterion, _SCALES[selection.settings.scale]
    if criterion.name != "KSG":
        return f"The criterion was {criterion.name} ({selection.criterion_measure}), with features {scaled}."
    variant = "second" if criterion.parameters.get("variant") == 2 else "first"
    has_categories = selection.discrete or any(classes is not None for classes in selection.n_classes)
    categories = ", extended to categories after Ross 2014" if has_categories else ""
    by = f"from nearest neighbours (Kraskov et al. 2004, {variant} estimator{categories})"
    return f"Mutual information was estimated {by}, with features {scaled}."


def _events(selection: Selection) -> str:
    """Count the events of a censored target."""
    number = 0 if selection.survival is None else selection.survival.n_events
    return f"The event was observed in {count(number, 'row')}; the other times were right-censored."


def _measure(selection: Selection, with_values: bool = False) -> str:
    """Name what the criterion measures, with the criterion where that does not imply it, and its parameter."""
    name, measure = selection.settings.criterion.name, selection.criterion_measure
    measure = measure if name == "KSG" else f"{measure} ({name})"
    used = values_of(selection.criterion_parameter, selection.criterion_values) if with_values else ""
    return f"{measure} with {used}" if used else measure


def _permutations(selection: Selection, each: str = "step") -> str:
    return f"{wording.draws(selection)} were drawn per {each}."


def _search(selection: Selection) -> str:
    name = selection.settings.search.name.lower()
    return f"A {name} search" if name in ("forward", "backward", "floating") else "The search"


def _adjusted_tests(selection: Selection) -> list[str]:
    """Describe conditional tests whose p-values are adjusted for the number of candidates."""
    alpha, divided = selection.settings.alpha, wording.levels_of(selection)
    others, pairs = ("other", "") if selection.start else ("selected", "; then by products of pairs")
    criterion = f"{_measure(selection, with_values=True)}{pairs}"
    procedure = wording.procedure_of(selection)
    if selection.survival is not None:
        pairs = "; where that was not significant, by products of pairs" if pairs else ""
        tests = (
            f"{_search(selection)} tested the residual of each candidate by {_SERIES_OF_CENSORED}, both given the "
            f"{others} features (kernel ridge regression){pairs}."
        )
    elif procedure.projects_off_subset:
        tests = (
            f"{_search(selection)} tested each candidate by {_SERIES}, with those of candidate and target "
            f"projected off functions of the {others} features; while there were none, also by {criterion}."
        )
    else:
        has_classes = any(classes is not None for classes in selection.n_classes)
        residuals = "randomised quantile residuals, Dunn and Smyth 1996, from" if has_classes else "residuals of"
        tests = (
            f"{_search(selection)} tested the residual of each candidate against that of the target, both given "
            f"the {others} features ({residuals} kernel ridge regression): first by {_SERIES}; where that was not "
            f"significant, by {criterion}."
        )
    surrogates, permutations = f"surrogates {procedure.surrogates}".rstrip(), _permutations(selection)
    if selection.start:
        return [
            tests,
            f"Each feature was compared with {surrogates}, and the least needed removed while it was not "
            f"significant at {alpha:g} divided by the number of features left (Bonferroni); {permutations}",
        ]
    levels = f"{alpha:g}{f' ({divided})' if divided else ''}"
    if selection.error_rate == "false discovery rate":
        control = (
            ". Features were added as long as the mean of -log(1 - p) over the steps was, there or later on, at "
            f"most {levels}: the estimated false discovery rate (ForwardStop, G'Sell and others 2016)"
        )
    else:
        control = f", which controls the family-wise error of each step at {levels}"
    sentences = [
        tests,
        f"The best candidate was compared with {surrogates}. Its p-value is that of the maximum over all "
        f"candidates (Westfall and Young 1993){control}; {permutations}",
    ]
    if len(selection.accepted) > 1 and not selection.is_partial:
        sentences.append("At the end, selected features that added nothing to the others were removed.")
    return sentences


def _filter(selection: Selection) -> list[str]:
    """Describe tests of each feature on its own."""
    alpha, rate = selection.settings.alpha, selection.error_rate
    by_series = _SERIES if selection.survival is None else _SERIES_OF_CENSORED
    statistics = {"series": by_series, "neighbours": _measure(selection, with_values=True)}
    used = wording.procedure_of(selection).marginal_statistics
    by = " and by ".join(statistics.get(name, name) for name in used) or _measure(selection)
    control = f"{_CONTROLS[rate]}, which controls the {rate}," if rate else "none, each feature"
    return [
        f"Each feature was tested on its own, by {by}; {_permutations(selection, 'feature')} "
        f"Adjustment for the number of features: {control} at {alpha:g}."
    ]


def _single_tests(selection: Selection) -> list[str]:
    """Describe the choice of k and conditional tests of the best candidate alone, as published."""
    choice, sentences = selection.neighbors, []
    if choice is not None:
        first, *_, last = choice.candidates
        sentences.append(
            f"The {named(selection.criterion_parameter)}, {choice.n_neighbors}, was chosen from {first} to {last} "
            f"by resampling with {choice.n_folds} folds, as that which best separated features from permuted "
            "surrogates of them."
        )
    elif selection.n_neighbors is not None:
        sentences.append(f"The number of neighbours was set to {selection.n_neighbors}.")
    steps = (
        f"In {_search(selection).lower()}, the feature with the largest joint {_measure(selection)} with the "
        "target was compared at each step with permuted surrogates of itself, and the search was halted when it "
        "did not exceed them"
    )
    if selection.start:
        steps = (
            f"A backward search removed, at each step, the feature without which {_measure(selection)} was "
            "largest, and halted when the feature did better than permuted surrogates of it"
        )
    return [
        *sentences,
        f"{steps} at the level {selection.settings.alpha:g}; {_permutations(selection)}",
        "The p-values are those of single tests, not adjusted for multiple testing.",
    ]


def _selected(selection: Selection) -> str:
    """List the selected features in their order with p-values, and what was replaced or removed afterwards."""
    if selection.start:
        left = [in_a_sentence(name) for name in selection.names]
        return f"Selected were {series(left)}." if left else "No feature was selected."
    if not selection.steps:
        return "No feature was tested." if selection.is_partial else "No feature could be tested."
    added = [step for step in selection.accepted if step.action == "add"]
    features = [
        f"{in_a_sentence(step.feature)} (p = {probability(step.p_value)})".replace("= <", "< ") for step in added
    ]
    parts = ["No feature was selected"]
    if features:
        were = "Selected was" if len(features) == 1 else "Selected, in this order, were"
        parts = [f"{were} {series(features)}"]
        groups = dict(selection.settings.feature_groups)
        for name in (step.feature for step in selection.accepted if step.feature in groups):
            members = series([in_a_sentence(member) for member in groups[name]])
            parts.append(f"{in_a_sentence(name)} stands for {members}")
        for replacement in selection.replacements:
            parts.append(f"{in_a_sentence(replacement.feature)} then replaced {series(replacement.replaced)}")
        if removed := [in_a_sentence(name) for name in selection.removed]:
            parts.append(f"{series(removed)} {'was' if len(removed) == 1 else 'were'} then removed")
    if selection.is_partial:
        parts.append(f"the search was ended by {selection.ended_by}")
    return f"{'; '.join(parts)}."
