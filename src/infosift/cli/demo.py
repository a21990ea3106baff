"""The command that shows what the package does, on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from infosift.cli import options
from infosift.cli.fitting import fit, show
from infosift.cli.running import failing_in_one_sentence, require_drawable
from infosift.cli.tables import Table
from infosift.cli.viewing import open_in_browser, temporary_page, write_report

_NEXT = (
    ("infosift select FILE.csv --target COLUMN --open", "a table of yours, with a report in a browser"),
    ("infosift select FILE.csv --target COLUMN --search filter", "all that is informative"),
    ("infosift select --help", "identifiers, gaps, groups of rows, other formats, a check by a model"),
)


def demo(
    open_report: Annotated[bool, typer.Option("--open", help="Show the report in a browser too.")] = False,
    jobs: options.Jobs = -1,
) -> None:
    """Select features of the diabetes data that come with scikit-learn.

    Example: [bold]infosift demo --open[/bold]
    """
    with failing_in_one_sentence():
        import polars as pl
        from sklearn.datasets import load_diabetes

        from infosift.display.terminal import print_bars

        if open_report:
            require_drawable(None, needed=True)
        data, console = load_diabetes(), Console()
        features = pl.DataFrame(data.data, schema=list(data.feature_names))
        progression = pl.Series("progression", data.target)
        typer.echo("Ten measurements of 442 people with diabetes; the target is its progression within a year.\n")
        selection = fit(Table(features, progression), {"random_state": 0, "n_jobs": jobs})
        show(selection, console)
        console.print()
        print_bars(selection, console)
        typer.echo("\nWhat to do next:")
        for command, what in _NEXT:
            typer.echo(f"  {command}  # {what}")
        if open_report:
            page = temporary_page(Path("diabetes"))
            write_report(selection, page, {}, quiet=False)
            open_in_browser(page)
