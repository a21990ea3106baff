"""All that a report shows of a selection, numbers and words, as a plain dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.answer import chosen, headline
from infosift.calibrated import neighbors_for
from infosift.checks import listing
from infosift.report.columns import columns, used_verdicts
from infosift.report.methods import PAPER_DOI, bibtex, paragraph
from infosift.report.repeat import command, command_notes, python_line, settings_table
from infosift.words import (
    CAUTION,
    at_least,
    at_most,
    count,
    in_a_sentence,
    plural,
    probability,
    series,
    signed,
)

if TYPE_CHECKING:
    from infosift.evidence import NeighborChoice, Step
    from infosift.result import Selection

_FEW_ROWS = 50
_MANY_DROPPED = 0.1
_MOST_NAMES = 12


def summarise(selection: Selection) -> dict[str, Any]:
    """Return all that is shown, in the order in which it is."""
    lines = columns(selection)
    return {
        "target": selection.target_name,
        "method": selection.settings.method,
        "version": selection.version,
        "answer": _answer(selection),
        "more": _more(selection, lines),
        "partial": _partial(selection),
        "steps": _steps(selection),
        "columns": lines,
        "verdicts": used_verdicts(lines),
        "has_redundant": any(line["redundant_with"] for line in lines),
        "neighbors": _neighbors(selection),
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


def _names(names: Any, most: int = _MOST_NAMES) -> str:
    return listing([in_a_sentence(name) for name in names], most)


def _answer(selection: Selection) -> str:
    names = chosen(selection)
    return f"{headline(selection)}: {listing(names, _MOST_NAMES)}." if names else headline(selection)


def _more(selection: Selection, lines: list[dict[str, Any]]) -> list[str]:
    """Return the sentences below the answer."""
    said = []
    if selection.settings.method == "calibrated" and selection.steps:
        said.append(
            f"If no column told anything, one would be chosen with a chance of at most "
            f"{100 * selection.settings.alpha:g} %."
        )
    said += _other_verdicts(lines)
    for exchange in selection.exchanges:
        said.append(
            f"{in_a_sentence(exchange.feature)} took the place of {series(exchange.in_place_of)}: "
            "it tells as much as both."
        )
    if selection.pruned:
        said.append(f"Left out again, since the others tell as much: {_names(selection.pruned)}.")
    if not selection.is_partial:
        said.append(f"The search ended because {selection.stopped}.")
    if selection.settings.method == "published" and len(selection.steps) > 1:
        peak = selection.peak
        said.append(f"The information is highest ({peak.score:.3f} nats) with {_names(peak.names)}.")
    return said


def _other_verdicts(lines: list[dict[str, Any]]) -> list[str]:
    verdicts = [line["verdict"] for line in lines]
    found = [(name, verdicts.count(name)) for name in ("redundant", "undecided", "irrelevant") if name in verdicts]
    if not found:
        return []
    verb = "is" if found[0][1] == 1 else "are"
    parts = [f"{number:,}{f' {verb}' if place == 0 else ''} {name}" for place, (name, number) in enumerate(found)]
    others = "the other columns" if {"chosen", "kept"} & set(verdicts) else "all columns"
    return [f"Of {others}, {series(parts)}."]


def _partial(selection: Selection) -> str | None:
    if not selection.is_partial:
        return None
    return (
        f"The run was ended by {selection.ended_by} before it was done. What is shown was decided by then and "
        "holds; more columns may follow when it is run to its end."
    )


def _steps(selection: Selection) -> list[dict[str, Any]]:
    before = None if selection.settings.keep else 0.0
    shown = []
    for number, step in enumerate(selection.steps, start=1):
        adds = None if before is None else step.information - before
        shown.append(_step(number, step, adds, selection.stayed(step)))
        before = step.information
    return shown


def _step(number: int, step: Step, adds: float | None, stayed: bool) -> dict[str, Any]:
    verdict = ("chosen" if stayed else "left out again") if step.accepted else "not chosen"
    return {
        "number": number,
        "feature": step.feature,
        "verdict": verdict,
        "mark": {"chosen": "●", "left out again": "■"}.get(verdict, "○"),
        "information": signed(f"{step.information:.3f}"),
        "adds": "" if adds is None else signed(f"{adds:+.3f}"),
        "score": signed(f"{step.score:.2f}"),
        "threshold": signed(f"{step.threshold:.{3 if step.score == step.information else 2}f}"),
        "sureness": at_most(step.p_high) if step.accepted else at_least(step.p_low),
        "p_value": probability(step.p_value),
        "interval": f"{probability(step.p_low)} to {probability(step.p_high)}",
        "n_permutations": step.n_permutations,
        "accepted": step.accepted,
    }


def _neighbors(selection: Selection) -> dict[str, Any]:
    choice, settings = selection.neighbors, selection.settings
    if choice is not None:
        return _choice(selection, choice)
    if settings.n_neighbors is not None:
        sentence = f"{count(settings.n_neighbors, 'neighbour')}, as given."
    elif not selection.steps:
        sentence = "No column was tested, so there was no number of neighbours to choose."
    else:
        tried = [str(k) for k in neighbors_for(selection.n_rows, None)]
        together = ", tried at once; the test allows for that" if len(tried) > 1 else ""
        sentence = f"{series(tried)} {plural(int(tried[-1]), 'neighbour')}{together}."
    return {"sentence": sentence, "table": []}


def _choice(selection: Selection, choice: NeighborChoice) -> dict[str, Any]:
    sampled = f", on {selection.n_rows_sampled:,} of the rows" if selection.n_rows_sampled else ""
    rule = (
        f"there {in_a_sentence(choice.feature)} and its shuffled copies differ most"
        if choice.t_threshold is None
        else f"there the columns with t above {choice.t_threshold:g} differ most from their shuffled copies"
    )
    sentence = (
        f"{count(choice.n_neighbors, 'neighbour')}: {rule}, by resampling with {choice.n_folds} folds{sampled}. "
        "t is how far apart the two are, in standard deviations."
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
        ("rows left out for missing values", f"{selection.n_dropped:,}"),
        ("columns", f"{len(selection.feature_names):,}"),
        ("target", f"{in_a_sentence(selection.target_name)} ({series(kinds)})"),
    ]
    repeats = [f"{in_a_sentence(name)} (of {in_a_sentence(other)})" for name, other in selection.duplicates]
    lists = {
        "kept from the start": settings.keep,
        "ignored": settings.ignore,
        "taken as categories": selection.discrete,
        "constant": selection.constant,
        "repeats": repeats,
        "name the rows": selection.identifiers,
        "groups": [name for name, _ in settings.groups],
    }
    facts += [(label, f"{len(names):,}: {_names(names)}") for label, names in lists.items() if names]
    if settings.n_blocks is not None:
        facts.append(("blocks of rows", f"{settings.n_blocks:,}"))
    return facts


def _cautions(selection: Selection) -> list[str]:
    said = []
    if selection.settings.method == "published" and len(selection.feature_names) > 1 and chosen(selection):
        said.append(CAUTION)
    if selection.n_rows < _FEW_ROWS:
        said.append(
            f"There are only {selection.n_rows} rows: a column that is not chosen may still matter, since only "
            "strong ties can be seen in so few."
        )
    if selection.n_dropped > _MANY_DROPPED * (selection.n_rows + selection.n_dropped):
        said.append(
            f"{count(selection.n_dropped, 'row')} of {selection.n_rows + selection.n_dropped:,} had missing "
            "values and were left out: where these rows differ from the others, the answer may not hold for them."
        )
    return said
