"""A selection as a page to hand on: its content as a dictionary first, then a template."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display.report.check import about_check
from infosift.display.report.figures import figures
from infosift.display.report.summary import summarise

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection

__all__ = ["render", "summarise", "write_report"]


def write_report(selection: Selection, path: str | PathLike[str], check: SubsetComparison | None = None) -> None:
    """Write a selection as one HTML file that needs nothing else."""
    # A name may hold half a character, which a file cannot.
    Path(path).write_text(render(selection, check), encoding="utf-8", errors="replace", newline="\n")


def render(selection: Selection, check: SubsetComparison | None = None) -> str:
    """Return the page; the same selection, and check by a model, give the same text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html.jinja")
    about_model = None if check is None else about_check(selection, check)
    return page.render(summarise(selection), figures=figures(selection), check=about_model)
