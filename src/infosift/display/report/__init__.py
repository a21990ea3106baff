"""A selection as a page to hand on: its content as a dictionary first, then a template."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.display.hints import in_both
from infosift.display.notebook import template
from infosift.display.report.features import accounts, features, used_verdicts
from infosift.display.report.figures import Links, comparison_figure, figures, stability_figure
from infosift.display.report.methods_section import PAPER_DOI, bibtex, paragraph
from infosift.display.report.reproduce import command, command_notes, python_line, settings_table, with_options
from infosift.display.wording import (
    CAUTION,
    FALLING,
    MARKS,
    at_least,
    at_most,
    by_chance,
    cells,
    error_bound,
    every_informative,
    explained,
    has_bounds,
    headline,
    how_compared,
    how_resampled,
    in_a_sentence,
    is_path,
    limits,
    limits_of_explained,
    measured,
    name_of_measure,
    name_of_subset,
    named,
    outcome,
    percent,
    power,
    probability,
    selected,
    series,
    signed,
    substitutes_of,
    values_of,
    whose_information,
)
from infosift.errors import InputError, in_words, listing
from infosift.io import write_file

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability
    from infosift.results.steps import NeighborChoice, Step

__all__ = ["render", "summarise", "write_report"]
_FEW_ROWS = 50
_MOST_NAMES = 12


def write_report(
    selection: Selection,
    path: str | PathLike[str],
    check: SubsetComparison | None = None,
    stability: Stability | None = None,
) -> None:
    """Write a selection as one HTML file that needs nothing else."""
    # A name may hold half a character, which a file cannot.
    write_file(path, render(selection, check, stability).encode(errors="replace"))


def render(selection: Selection, check: SubsetComparison | None = None, stability: Stability | None = None) -> str:
    """Return the page; the same selection, check by a model and stability give the same text."""
    page = template(Path(__file__).parent / "page.html.jinja")
    about_model = None if check is None else about_check(selection, check)
    about_halves = None if stability is None else about_stability(selection, stability)
    content = summarise(selection)
    return page.render(
        content,
        figures=figures(selection),
        check=about_model,
        stability=about_halves,
        accounts=accounts(selection, content["features"], check, stability),
    )


def summarise(selection: Selection) -> dict[str, Any]:
    """Return all that is shown, in the order in which it is."""
    lines = features(selection)
    return {
        "target": selection.target_name,
        "method": f"{selection.settings.method.name.lower()} method",
        "adjusted": selection.adjusted,
        "first_step": _first_step(selection),
        "in_nats": all(step.information_threshold is not None for step in selection.steps),
        "version": selection.version,
        "answer": _answer(selection),
        "more": _more(selection, lines),
        "partial": _partial(selection),
        "warnings": _warnings(selection),
        "left": [*explained(selection), *limits_of_explained(selection)],
        "steps": _steps(selection),
        "whose_information": whose_information(selection),
        "has_gains": is_path(selection),
        "falling": FALLING,
        "measure": name_of_measure(selection),
        "unit": selection.criterion_unit,
        "removes": any(step.action == "remove" for step in selection.steps),
        "features": lines,
        "verdicts": used_verdicts(lines),
        "has_redundant": any(line["redundant_with"] for line in lines),
        "neighbors": _neighbors(selection),
        "parameter": named(selection.criterion_parameter) or "parameter of the criterion",
        "facts": _facts(selection),
        "cautions": _cautions(selection),
        "settings": settings_table(selection),
        "python": python_line(selection),
        "command": command(selection),
        "command_notes": command_notes(selection),
        "methods": paragraph(selection),
        "bibtex": bibtex(selection),
        "doi": PAPER_DOI,
    }


def _first_step(selection: Selection) -> str:
    """Return what the numbers of the first step are."""
    if selection.steps and len(selection.steps[0].candidate_statistics) == 0:
        return (
            f"{name_of_measure(selection)}{f' in {selection.criterion_unit}' if selection.criterion_unit else ''}"
        )
    return "statistic above surrogates, in standard deviations"


def _names(names: Any, most: int = _MOST_NAMES) -> str:
    return listing([in_a_sentence(name) for name in names], most)


def _answer(selection: Selection) -> str:
    names = selected(selection)
    return f"{headline(selection)}: {listing(names, _MOST_NAMES)}." if names else headline(selection)


def _more(selection: Selection, lines: list[dict[str, Any]]) -> list[str]:
    """Return the sentences below the answer."""
    said = []
    bound = error_bound(selection)
    if bound is not None and selection.steps:
        said.append(bound)
    said += _other_verdicts(lines)
    said += limits(selection)
    said += every_informative(selection, with_options('search="filter"'))
    for replacement in selection.replacements:
        said.append(
            f"{in_a_sentence(replacement.feature)} replaced {series(replacement.replaced)}: "
            "it is as informative as both."
        )
    if selection.removed:
        said.append(f"Removed, since the others carry the same information: {_names(selection.removed)}.")
    if not selection.is_partial:
        said.append(f"The search stopped because {selection.stopped}.")
    if not selection.adjusted and selection.conditional and len(selection.steps) > 1:
        peak = selection.peak
        at_peak = measured(selection, peak.information or 0.0)
        said.append(f"The {name_of_measure(selection)} peaks ({at_peak}) with {_names(peak.names)}.")
    return said


def _other_verdicts(lines: list[dict[str, Any]]) -> list[str]:
    verdicts = [line["verdict"] for line in lines]
    found = [(name, verdicts.count(name)) for name in ("redundant", "undecided", "irrelevant") if name in verdicts]
    if not found:
        return []
    verb = "is" if found[0][1] == 1 else "are"
    parts = [f"{number:,}{f' {verb}' if place == 0 else ''} {name}" for place, (name, number) in enumerate(found)]
    others = "the other features" if {"selected", "kept"} & set(verdicts) else "all features"
    return [f"Of {others}, {series(parts)}."]


def _partial(selection: Selection) -> str | None:
    if not selection.is_partial:
        return None
    return (
        f"The run was ended by {selection.ended_by} before it was done. What is shown was decided by then and "
        "holds; more features may follow when it is run to its end."
    )


def _warnings(selection: Selection) -> list[dict[str, str]]:
    """Return what is to be known about the data; features that are not tested are among the facts below."""
    return [
        {"title": warning.title, "sentence": in_words(warning.parts, in_both)}
        for warning in selection.warnings
        if warning.title
    ]


def _steps(selection: Selection) -> list[dict[str, Any]]:
    goes_on, links = is_path(selection), Links(selection)
    before = 0.0 if goes_on and not selection.settings.keep else None
    shown = []
    for number, step in enumerate(selection.steps, start=1):
        adds = None if before is None else step.information - before
        shown.append({**_step(number, step, adds, outcome(selection, step)), "about": links.of(step.feature)})
        before = step.information if goes_on else None
    return shown


def _step(number: int, step: Step, adds: float | None, verdict: str) -> dict[str, Any]:
    in_nats = step.information_threshold is not None
    return {
        "number": number,
        "feature": step.feature,
        "verdict": verdict,
        "mark": MARKS[verdict],
        "information": signed(f"{step.information:.3f}"),
        "adds": "" if adds is None else signed(f"{adds:+.3f}"),
        "statistic": signed(f"{step.statistic:.2f}"),
        "threshold": signed(f"{step.information_threshold:.3f}" if in_nats else f"{step.threshold:.2f}"),
        "sureness": _sureness(step),
        "p_value": probability(step.p_value),
        "alpha": f"{step.alpha:g}",
        "interval": f"{probability(step.p_low)} to {probability(step.p_high)}",
        "n_permutations": step.n_permutations,
        "accepted": step.accepted,
    }


def _sureness(step: Step) -> str:
    """Return the bound of the p-value that is on the same side of the level, or else the p-value."""
    if step.p_high <= step.alpha:
        return at_most(step.p_high)
    return at_least(step.p_low) if step.p_low > step.alpha else f"p = {probability(step.p_value)}"


def _neighbors(selection: Selection) -> dict[str, Any]:
    if selection.neighbors is not None:
        return _choice(selection, selection.neighbors)
    values = selection.criterion_values
    if selection.steps and not values:
        sentence = f"{selection.settings.criterion.name} has no parameter to choose."
    elif not values:
        sentence = f"No feature was tested, so there was no {named(selection.criterion_parameter)} to choose."
    else:
        sentence = f"{values_of(selection.criterion_parameter, values)}, {_why(selection)}."
    return {"sentence": sentence, "table": []}


def _why(selection: Selection) -> str:
    """Return why these values of the criterion's parameter were used, where resampling chose none."""
    given = selection.settings.criterion.parameters
    if len(selection.criterion_values) > 1:
        return "tested at once; the p-values allow for that"
    if given.get(selection.criterion_parameter) != "auto":
        return "as given"
    if selection.settings.criterion.name != "KSG":
        return "by the rule of the criterion"
    limit = "max_neighbors allows" if selection.n_neighbors == given.get("max_neighbors") else "so few rows allow"
    return f"as many as {limit}"


def _choice(selection: Selection, choice: NeighborChoice) -> dict[str, Any]:
    sampled = f", on {selection.n_rows_sampled:,} of the rows" if selection.n_rows_sampled else ""
    rule = (
        f"this number separates {in_a_sentence(choice.feature)} best from its shuffled copies"
        if choice.t_threshold is None
        else f"this number separates the features with t above {choice.t_threshold:g} best from shuffled copies"
    )
    sentence = (
        f"{values_of(selection.criterion_parameter, (choice.n_neighbors,))}: {rule}, by resampling with "
        f"{choice.n_folds} folds{sampled}. "
        "t is the difference of the two means, in standard deviations."
    )
    table = []
    for k, t in zip(choice.candidates, choice.t.T, strict=True):
        best = int(np.nanargmax(t))
        row = {"k": k, "t": signed(f"{t[best]:.1f}"), "feature": choice.feature_names[best]}
        table.append({**row, "is_chosen": k == choice.n_neighbors})
    return {"sentence": sentence, "table": table}


def _facts(selection: Selection) -> list[tuple[str, str]]:
    settings = selection.settings
    kinds = ["numbers" if classes is None else f"{classes} classes" for classes in selection.n_classes]
    facts = [
        ("rows used", f"{selection.n_rows:,}"),
        *([("rows tested, a random sample", f"{selection.n_rows_tested:,}")] if selection.n_rows_tested else []),
        ("rows dropped for missing values", f"{selection.n_rows_dropped:,}"),
        ("features", f"{len(selection.feature_names):,}"),
        ("target", f"{in_a_sentence(selection.target_name)} ({series(kinds)})"),
    ]
    duplicates = [f"{in_a_sentence(name)} (of {in_a_sentence(other)})" for name, other in selection.duplicates]
    lists = {
        "kept from the start": settings.keep,
        "ignored": settings.ignore,
        "discrete": selection.discrete,
        "constant": selection.constant,
        "duplicates": duplicates,
        "near-unique": selection.near_unique,
        "feature groups": [name for name, _ in settings.feature_groups],
    }
    facts += [(label, f"{len(names):,}: {_names(names)}") for label, names in lists.items() if names]
    if settings.n_row_groups is not None:
        facts.append(("row groups", f"{settings.n_row_groups:,}"))
    return facts


def _cautions(selection: Selection) -> list[str]:
    said = []
    if not selection.adjusted and len(selection.feature_names) > 1 and selected(selection):
        said.append(CAUTION)
    has_power_said = power(selection) or any(warning.kind == "power" for warning in selection.warnings)
    if selection.n_rows < _FEW_ROWS and not has_power_said:
        said.append(
            f"There are only {selection.n_rows} rows, which limits power: only strong dependence can be detected, "
            "so a feature that is not selected may still matter."
        )
    return said


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
        "how": how_compared(check),
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
                "substitutes": substitutes_of(stability, name),
            }
            for name in [*ever, *never_but_selected]
        ],
        "has_bounds": has_bounds(stability),
        "has_groups": bool(stability.groups),
        "how": how_resampled(stability),
        "figure": stability_figure(stability, links),
    }
