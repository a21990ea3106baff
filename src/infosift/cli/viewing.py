"""The command that shows what was found before, as a page in a browser."""

from __future__ import annotations

import json
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from infosift.cli import options
from infosift.cli.running import (
    STANDARD_OUTPUT,
    failing_in_one_sentence,
    require_drawable,
    require_possible,
    writing,
)
from infosift.errors import InputError

if TYPE_CHECKING:
    from infosift.results.selection import Selection

_NOT_OURS = (
    "is not JSON that infosift wrote: give a file of --json, or of to_json() of a Selection, Stability or "
    "SubsetComparison."
)


def view(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The file of infosift select --json, and those of infosift stability --json and of a check by a "
            "model (SubsetComparison.to_json) of the same table where there are some, in any order.",
            show_default=False,
        ),
    ],
    report: Annotated[
        Path | None,
        typer.Option(help="Write the report to this file.", show_default="a temporary one"),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Show a selection that was written as JSON, as a report in a browser.

    Example: [bold]infosift view houses.json[/bold]
    """
    with failing_in_one_sentence():
        require_possible(
            {},
            {"--report": report},
            {f"number {place} of the files to show": file for place, file in enumerate(files, start=1)},
        )
        require_drawable(None, needed=True)
        found = _read_all(files)
        page = report or temporary_page(files[0])
        write_report(found.pop("selection"), page, found, quiet)
        open_in_browser(page)


def _read_all(files: list[Path]) -> dict[str, Any]:
    """Return what files hold, by the names that a report has for it."""
    found: dict[str, Any] = {}
    for file in files:
        name, result = _read(file)
        if name in found:
            raise InputError(f"{file} is a second {type(result).__name__}: give one.")
        found[name] = result
    if "selection" not in found:
        raise InputError("None of the files is a selection: give the file of infosift select --json too.")
    return found


def _read(file: Path) -> tuple[str, Any]:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability

    kinds: dict[str, tuple[str, Any]] = {
        "Selection": ("selection", Selection),
        "Stability": ("stability", Stability),
        "SubsetComparison": ("check", SubsetComparison),
    }
    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InputError(f"{file} {_NOT_OURS}") from error
    written_as = content.get("infosift") if isinstance(content, dict) else None
    if not isinstance(written_as, str) or written_as not in kinds:
        raise InputError(f"{file} {_NOT_OURS}")
    name, kind = kinds[written_as]
    try:
        return name, kind.from_json(text)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error


def write_report(selection: Selection, page: Path, besides: dict[str, Any], quiet: bool) -> None:
    """Write a selection, and what was found besides it, as a page."""
    with writing(page, "Report", quiet):
        selection.report(page, **besides)


def temporary_page(like: Path) -> Path:
    """Return where to write a report that nobody asked to keep, named like some file."""
    name = "report" if like == STANDARD_OUTPUT else like.stem
    return Path(tempfile.mkdtemp(prefix="infosift-")) / f"{name}.html"


def open_in_browser(page: Path) -> None:
    """Open a page in the default browser; where there is none, say where the page is."""
    try:
        is_open = webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        is_open = False
    if not is_open:
        sentence = f"No browser could be opened: open {page} in one."
        Console(stderr=True, soft_wrap=True).print(Text(sentence, style="yellow"))
