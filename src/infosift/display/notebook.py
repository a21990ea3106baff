"""A selection as a notebook shows it: the answer, its steps, and the verdicts to unfold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display.wording import (
    MEANINGS,
    every_informative,
    explained,
    falling,
    headline,
    limits,
    outcome,
    probability,
    selected,
    signed,
)
from infosift.errors import listing
from infosift.results.feature_table import FeatureRow, feature_rows
from infosift.results.selection import Selection

if TYPE_CHECKING:
    from jinja2 import Template

_MOST_NAMES, _MOST_ROWS = 20, 50


def as_html(selection: Selection) -> str:
    """Return a selection as a piece of a page, in the colours of what stands around it."""
    names = selected(selection)
    rows = sorted(feature_rows(selection), key=lambda row: (row.step is None, row.step or 0, _p_value(row)))
    unit = selection.criterion_unit or selection.criterion_measure
    return template(Path(__file__).parent / "notebook.html.jinja").render(
        answer=f"{headline(selection)}: {listing(names, _MOST_NAMES)}." if names else headline(selection),
        unit=unit,
        steps=[
            {
                "feature": step.feature,
                "information": signed(f"{step.information:.3f}"),
                "p": probability(step.p_value),
                "outcome": outcome(selection, step),
            }
            for step in selection.steps
        ],
        sentences=[
            *falling(selection),
            f"The search stopped because {selection.stopped}.",
            *explained(selection),
            *limits(selection),
        ],
        warnings=[warning.message for warning in selection.warnings],
        meanings=_meanings(rows),
        hints=every_informative(selection, 'search="filter"'),
        features=[_shown(row) for row in rows[:_MOST_ROWS]],
        n_features=len(rows),
        n_more=len(rows[_MOST_ROWS:]),
    )


def _meanings(rows: list[FeatureRow]) -> str:
    """Return what the verdicts say that there are, besides that of selected features."""
    used = {row.verdict for row in rows}
    said = "; ".join(f"{verdict}: {meaning}" for verdict, meaning in MEANINGS.items() if verdict in used)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _p_value(row: FeatureRow) -> float:
    return 2.0 if row.p_value is None else row.p_value


def _shown(row: FeatureRow) -> dict[str, str]:
    with_which = f"with {', '.join(row.redundant_with)}" if row.redundant_with else ""
    return {
        "feature": row.feature,
        "verdict": row.verdict,
        "p": "" if row.p_value is None else probability(row.p_value),
        "information": "" if row.information is None else signed(f"{row.information:.3f}"),
        "why": "; ".join(part for part in (with_which, row.note) if part),
    }


def template(path: Path) -> Template:
    """Return a template, which refuses to be rendered without all that it names."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(path.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(path.name)
