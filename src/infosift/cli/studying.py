"""Commands that show what the package does: a demonstration, and the experiments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from infosift import studies
from infosift.cli import options
from infosift.cli.clusters import working_on
from infosift.cli.fitting import fit, show
from infosift.cli.running import failing_in_one_sentence, folder_of_results, require_drawable, writing
from infosift.cli.tables import Table
from infosift.cli.viewing import open_in_browser, temporary_page, write_report
from infosift.display.phrases import count
from infosift.interrupts import raise_from_here

StudyName = Enum("StudyName", {name: name for name in studies.NAMES})  # type: ignore[misc]


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

        from infosift.display.bars import print_bars

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


def study(
    name: Annotated[StudyName, typer.Argument(help="Which experiment to run.", show_default=False)],
    data: Annotated[
        Path | None, typer.Option(envvar="INFOSIFT_DATA", help="Folder of the data sets, where it takes any.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for tables, figures and numbers.", show_default="study-NAME")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, to see that it runs.")] = False,
    jobs: options.Jobs = -1,
    scheduler: options.Scheduler = None,
) -> None:
    """Run an experiment: one of the paper's, next to its published numbers, or one on the methods themselves.

    Example: [bold]infosift study friedman[/bold]
    """
    with failing_in_one_sentence():
        folder = out or Path(f"study-{name.value}")
        import infosift.selector  # noqa: F401  # what takes long to import, before a folder is made

        raise_from_here()
        with folder_of_results(folder):
            runs = studies.Runs(file := folder / f"{name.value}.runs")
            if runs.n_before:
                kept = f"{file} has {count(runs.n_before, 'run')} of an earlier start"
                typer.echo(f"{kept}: what was done is not done again. Remove it to start anew.", err=True)
            with _progress_bars() as track, working_on(scheduler, jobs) as n_jobs:
                setting = studies.Setting(quick=quick, data=data, n_jobs=n_jobs, track=track, runs=runs)
                outcome = studies.run(name.value, setting)
            _print_outcome(outcome, Console())
            with writing(folder, "Tables, figures and numbers"):
                outcome.save(folder)


def _print_outcome(outcome: studies.Outcome, console: Console) -> None:
    """Print the tables of a study and what is to be said about them."""
    from rich.table import Table as RichTable

    for table in outcome.tables:
        shown = RichTable(title=table.title, title_justify="left")
        for number, column in enumerate(table.columns):
            shown.add_column(column, justify="left" if number == 0 else "right")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    for remark in outcome.remarks:
        console.print(Text(remark))


@contextmanager
def _progress_bars() -> Iterator[studies.Track[Any]]:
    """Show how far a study has come, and how long it will take; nothing where there is no terminal."""
    from rich.progress import Progress

    with Progress(*Progress.get_default_columns(), console=Console(stderr=True), transient=True) as progress:
        yield lambda items, label: progress.track(items, description=label)
