"""A selection in a notebook: the answer, its steps, and the verdicts to unfold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display import wording
from infosift.display.wording import estimate, probability
from infosift.results.path import FeatureRow, feature_rows

if TYPE_CHECKING:
    from jinja2 import Template

    from infosift.results.selection import Selection

_MOST_NAMES, _MOST_ROWS = 20, 50


def as_html(selection: Selection) -> str:
    """Render a selection as a fragment of a page, in the colours of the page around it."""
    rows = sorted(feature_rows(selection), key=_in_order)
    return load_template(Path(__file__).parent / "notebook.html.jinja").render(
        answer=wording.answer(selection, _MOST_NAMES),
        unit=selection.criterion_unit or selection.criterion_measure,
        steps=[wording.step_cells(selection, step) for step in selection.steps],
        sentences=[
            *wording.explained(selection),
            *wording.why_stopped(selection),
            *wording.limits(selection),
        ],
        warnings=[warning.message for warning in selection.warnings],
        hints=[*wording.meanings(rows), *wording.every_informative(selection)],
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
