"""A selection as a page to hand on: its content as a dictionary first, then a template."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from infosift.display.report.figures import figures
from infosift.display.report.summary import summarise

if TYPE_CHECKING:
    from infosift.results.selection import Selection

__all__ = ["render", "summarise", "write_report"]


def write_report(selection: Selection, path: str | PathLike[str]) -> None:
    """Write a selection as one HTML file that needs nothing else."""
    # A name may hold half a character, which a file cannot.
    Path(path).write_text(render(selection), encoding="utf-8", errors="replace", newline="\n")


def render(selection: Selection) -> str:
    """Return the page; the same selection gives the same text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html.jinja")
    return page.render(summarise(selection), figures=figures(selection))
