"""A selection as a page to hand on (its content as a dictionary first, then a template), and in a notebook."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infosift.display import in_both, wording
from infosift.display.report.features import accounts, feature_lines
from infosift.display.report.figures import Links, comparison_figure, figures, stability_figure
from infosift.display.report.methods_section import PAPER_DOI, bibtex, methods_paragraph
from infosift.display.report.reproduce import command, python_line, settings_table, without_option
from infosift.display.wording import (
    estimate,
    in_a_sentence,
    named,
    percent,
    probability,
    series,
    signed,
    values_of,
)
from infosift.errors import InputError, in_words
from infosift.io import write_file
from infosift.results.path import FeatureRow, feature_rows

if TYPE_CHECKING:
    from jinja2 import Template

    from infosift.results import NeighborChoice, Selection, Stability, Step, SubsetComparison

__all__ = ["as_html", "render", "summarise", "write_report"]
# Below this number of rows power is small, which the page states where it cannot be computed.
_FEW_ROWS = 50
# Of the answer and of the verdicts in a notebook.
_MOST_NAMES, _MOST_ROWS = 20, 50


def write_report(
    selection: Selection,
    path: str | PathLike[str],
    check: SubsetComparison | None = None,
    stability: Stability | None = None,
) -> None:
    """Write a selection as one HTML file that needs nothing else."""
    # A name may hold a lone surrogate, half a character, which UTF-8 cannot encode.
    write_file(path, render(selection, check, stability).encode(errors="replace"))


def render(selection: Selection, check: SubsetComparison | None = None, stability: Stability | None = None) -> str:
    """Render the page; equal selections, checks by a model and stabilities give the same text."""
    table = (selection.feature_names, selection.target_name)
    for name, result in (("check", check), ("stability", stability)):
        if result is not None and (result.feature_names, result.target_name) != table:
            raise InputError(
                f"{name} is about other features or another target than the selection: give that of the same "
                "table."
            )
    content = summarise(selection)
    return load_template(Path(__file__).parent / "page.html.jinja").render(
        content,
        selection=selection,
        check=None if check is None else _about_check(selection, check),
        stability=None if stability is None else _about_stability(selection, stability),
        figures=figures(selection),
        accounts=accounts(selection, content["features"], check, stability),
    )


def summarise(selection: Selection) -> dict[str, Any]:
    """Return all that the page shows of a selection, numbers and words, in the order of the page."""
    lines, groups = feature_lines(selection), dict(selection.settings.feature_groups)
    verdicts = {line["verdict"] for line in lines}
    return {
        "first_step": _score_of_first_step(selection),
        "in_nats": all(step.information_threshold is not None for step in selection.steps),
        "answer": wording.answer(selection),
        "more": _below_the_answer(selection, [line["verdict"] for line in lines]),
        "warnings": [
            {"title": warning.title, "sentence": in_words(warning.parts, in_both)}
            for warning in selection.warnings
            if warning.title
        ],
        "explained": wording.explained(selection),
        "for_prediction": wording.for_prediction(selection, in_both),
        "steps": _steps(selection),
        "whose_information": wording.whose_information(selection),
        "has_gains": wording.is_path(selection),
        "falling": wording.FALLING,
        "measure": wording.name_of_measure(selection),
        "removes": any(step.action == "remove" for step in selection.steps),
        "features": lines,
        "verdicts": {name: meaning for name, meaning in wording.VERDICTS.items() if name in verdicts},
        "has_redundant": any(line["redundant_with"] for line in lines),
        "neighbors": _neighbors(selection),
        "parameter": named(selection.criterion_parameter) or "parameter of the criterion",
        "facts": _facts(selection),
        "cautions": _cautions(selection),
        "settings": settings_table(selection),
        "python": python_line(selection),
        "command": command(selection),
        "without_option": without_option(selection),
        "feature_groups": json.dumps(groups, ensure_ascii=False) if groups else "",
        "methods": methods_paragraph(selection),
        "bibtex": bibtex(selection),
        "doi": PAPER_DOI,
    }


def _score_of_first_step(selection: Selection) -> str:
    """Name the numbers of the candidates of the first step."""
    if not selection.steps or len(selection.steps[0].candidate_statistics):
        return "statistic above surrogates, in standard deviations"
    unit = selection.criterion_unit
    return f"{wording.name_of_measure(selection)}{f' in {unit}' if unit else ''}"


def _below_the_answer(selection: Selection, verdicts: list[str]) -> list[str]:
    """Return the sentences below the answer; that a run was ended early stands in a notice above them."""
    sentences = wording.error_bound(selection) if selection.steps else []
    counts = [(name, verdicts.count(name)) for name in wording.OTHER_VERDICTS if name in verdicts]
    if counts:
        which = "The other features" if {"selected", "kept"} & set(verdicts) else "All features"
        sentences.append(f"{which}: {', '.join(f'{number:,} {name}' for name, number in counts)}.")
    sentences += [*wording.limits(selection), *wording.every_informative(selection, in_both)]
    return [
        *sentences,
        *wording.survival(selection),
        *([] if selection.is_partial else wording.why_stopped(selection)),
        *wording.about_search(selection),
    ]


def _steps(selection: Selection) -> list[dict[str, Any]]:
    """Return the steps, each with what it adds to the information of the one before."""
    has_gains, links = wording.is_path(selection), Links(selection)
    before = 0.0 if has_gains and not selection.settings.keep else None
    rows = []
    for step in selection.steps:
        cells = wording.step_cells(selection, step)
        rows.append(
            {
                **cells,
                "mark": wording.MARKS[cells["outcome"]],
                "adds": "" if before is None else estimate(step.information - before, "+"),
                "p_value": probability(step.p_value),  # the page shows the level of each test beside it
                "interval": wording.interval(step.p_low, step.p_high),
                "alpha": f"{step.alpha:g}",
                "sureness": _sureness(step),
                "n_permutations": step.n_permutations,
                "accepted": step.accepted,
                "about": links.of(step.feature),
            }
        )
        before = step.information if has_gains else None
    return rows


def _sureness(step: Step) -> str:
    """Write the bound of the p-value that lies on the same side of the level, or else the p-value."""
    if step.p_high <= step.alpha:
        return wording.at_most(step.p_high)
    return wording.at_least(step.p_low) if step.p_low > step.alpha else f"p = {probability(step.p_value)}"


def _neighbors(selection: Selection) -> dict[str, Any]:
    """Describe how the criterion's parameter was chosen, with the values compared where resampling chose one."""
    parameter, values = selection.criterion_parameter, selection.criterion_values
    if selection.neighbors is not None:
        rows = [{**row, "t": signed(f"{row['t']:.1f}")} for row in wording.choice_rows(selection.neighbors)]
        return {"sentence": _how_chosen(selection, selection.neighbors), "table": rows}
    if values and selection.survival is not None:
        sentence = f"{values_of(parameter, values)}, in estimates of information only: no test uses them."
    elif values:
        sentence = f"{values_of(parameter, values)}, {_why_these_values(selection)}."
    elif selection.steps:
        sentence = f"{selection.settings.criterion.name} has no parameter to choose."
    else:
        sentence = f"No feature was tested, so there was no {named(parameter)} to choose."
    return {"sentence": sentence, "table": []}


def _why_these_values(selection: Selection) -> str:
    """State why these values of the criterion's parameter were used, where resampling chose none."""
    given = selection.settings.criterion.parameters
    if len(selection.criterion_values) > 1:
        return "tested at once; the p-values allow for that"
    if given.get(selection.criterion_parameter) != "auto":
        return "as given"
    if selection.settings.criterion.name != "KSG":
        return "by the rule of the criterion"
    limit = "max_neighbors allows" if selection.n_neighbors == given.get("max_neighbors") else "so few rows allow"
    return f"as many as {limit}"


def _how_chosen(selection: Selection, choice: NeighborChoice) -> str:
    """State which value of the criterion's parameter resampling chose, and by which rule."""
    sampled = f", on {selection.n_rows_sampled:,} of the rows" if selection.n_rows_sampled else ""
    separates = f"{in_a_sentence(choice.feature)} best from its shuffled surrogates"
    if choice.t_threshold is not None:
        separates = f"the features with t above {choice.t_threshold:g} best from shuffled surrogates"
    return (
        f"{values_of(selection.criterion_parameter, (choice.n_neighbors,))}: this number separates {separates}, "
        f"by resampling with {choice.n_folds} folds{sampled}. t is the difference of the two means, in standard "
        "deviations."
    )


def _facts(selection: Selection) -> list[tuple[str, str]]:
    """Return facts about the data, each with its label."""
    settings = selection.settings
    duplicates = [f"{in_a_sentence(name)} (of {in_a_sentence(other)})" for name, other in selection.duplicates]
    numbers = {
        "rows used": selection.n_rows,
        "rows tested, a random sample": selection.n_rows_tested,
        "rows dropped for missing values": selection.n_rows_dropped,
        "features": len(selection.feature_names),
    }
    lists = {
        "kept from the start": settings.keep,
        "ignored": settings.ignore,
        "discrete": selection.discrete,
        "constant": selection.constant,
        "duplicates": duplicates,
        "near-unique": selection.near_unique,
        "feature groups": [name for name, _ in settings.feature_groups],
    }
    facts = [(label, f"{number:,}") for label, number in numbers.items() if number is not None]
    facts.append(("target", f"{in_a_sentence(selection.target_name)} ({series(list(selection.target_kinds))})"))
    facts += [
        (label, f"{len(names):,}: {wording.names_in_a_sentence(names)}") for label, names in lists.items() if names
    ]
    if settings.n_row_groups is not None:
        facts.append(("row groups", f"{settings.n_row_groups:,}"))
    return facts


def _cautions(selection: Selection) -> list[str]:
    """Caution about p-values of single tests, and about few rows where nothing else states the power."""
    cautions = wording.caution(selection)
    is_power_stated = wording.power(selection) or wording.has_warning(selection, "power")
    if selection.n_rows < _FEW_ROWS and not is_power_stated:
        cautions.append(
            f"There are only {selection.n_rows} rows, which limits power: only strong dependence can be detected, "
            "so a feature that is not selected may still matter."
        )
    return cautions


def _about_check(selection: Selection, check: SubsetComparison) -> dict[str, Any]:
    """Return numbers, words and figure of a model on the selected features and on all."""
    links = Links(selection)
    selected, advised = (check.in_folds(subset) for subset in ("selected", "for_prediction"))
    return {
        "summary": check.summary,
        "measure": check.measure,
        "rows": [
            {"subset": wording.name_of_subset(one.subset), **wording.comparison_cells(one)}
            for one in check.subsets
        ],
        "how": wording.how_compared(check),
        "features": [
            {**links.row(name), "selected": selected.get(name, 0), "advised": advised.get(name, 0)}
            for name in {**selected, **advised}
        ],
        "n_folds": check.n_folds,
        "figure": comparison_figure(check),
    }


def _about_stability(selection: Selection, stability: Stability) -> dict[str, Any]:
    """Return numbers, words and figure of selection over half-samples."""
    links, ever = Links(selection), stability.ever_selected
    return {
        "summary": stability.summary,
        "rows": [
            {
                **links.row(name),
                "frequency": percent(stability.frequency(name)),
                "by_chance": wording.by_chance(stability, name),
                "substitutes": wording.substitutes_of(stability, name),
            }
            for name in dict.fromkeys([*ever, *selection.names])
        ],
        "has_bounds": wording.has_bounds(stability),
        "has_groups": bool(stability.groups),
        "how": wording.how_resampled(stability),
        "figure": stability_figure(stability, links),
    }


def as_html(selection: Selection) -> str:
    """Render a selection as a fragment of a page, such as a notebook: answer, steps, and verdicts to unfold."""
    rows = sorted(feature_rows(selection), key=_in_order)
    return load_template(Path(__file__).parent / "notebook.html.jinja").render(
        answer=wording.answer(selection, _MOST_NAMES),
        unit=selection.criterion_unit or selection.criterion_measure,
        steps=[wording.step_cells(selection, step) for step in selection.steps],
        sentences=[
            *wording.explained(selection),
            *wording.survival(selection),
            *wording.why_stopped(selection),
            *wording.limits(selection),
        ],
        warnings=[warning.message for warning in selection.warnings],
        hints=[
            *wording.meanings(rows),
            *wording.every_informative(selection),
            *wording.for_prediction(selection),
        ],
        features=[(row, wording.reason(row)) for row in rows[:_MOST_ROWS]],
        n_features=len(rows),
    )


def _in_order(row: FeatureRow) -> tuple[bool, int, float]:
    """Order features with a step by it, and the others by their p-values."""
    return row.step is None, row.step or 0, 2.0 if row.p_value is None else row.p_value


def load_template(path: Path) -> Template:
    """Load a template of a page, which escapes all that it is given and refuses to be rendered without any of it.

    In templates the filters ``probability`` and ``estimate`` write numbers as the terminal does.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(path.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"probability": probability, "estimate": estimate}
    return environment.get_template(path.name)
