"""A selection as a page to hand on: its content as a dictionary first, then a template."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display.report.accounts import accounts
from infosift.display.report.check import about_check
from infosift.display.report.figures import figures
from infosift.display.report.stability import about_stability
from infosift.display.report.summary import summarise
from infosift.display.templates import template
from infosift.files import write_file

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability

__all__ = ["render", "summarise", "write_report"]


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
