"""Run a study: ``python -m studies friedman``, in a copy of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import studies
from infosift.cli.options import workers
from infosift.cli.output import errors_in_one_sentence, writing
from infosift.errors import InputError
from infosift.progress import end_at_once, raise_from_here

app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False, add_completion=False)
StudyName = Enum("StudyName", {name: name for name in studies.NAMES})  # type: ignore[misc]


@app.command()
def study(
    name: Annotated[StudyName, typer.Argument(help="Which study to run.", show_default=False)],
    data: Annotated[
        Path | None,
        typer.Option(envvar="INFOSIFT_DATA", help="Folder of the data files, where a study needs any."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for tables, figures and numbers.", show_default="study-NAME")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run a small version, as a trial.")] = False,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes or threads; -1 is one per core.")] = -1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Run on the Dask cluster of this scheduler; local starts --jobs workers here."
        ),
    ] = None,
) -> None:
    """Run a study: one of the paper's experiments, next to its printed figures, or one of the methods.

    Example: [bold]python -m studies friedman[/bold]
    """
    raise_from_here()
    with errors_in_one_sentence():
        folder = out or Path(f"study-{name.value}")
        with _folder_of_results(folder):
            runs = studies.Runs(file := folder / f"{name.value}.runs")
            if runs.n_before:
                kept = f"{file} has {runs.n_before} run{'s' * (runs.n_before > 1)} of an earlier start"
                typer.echo(f"{kept}: these are not repeated. Remove the file to start anew.", err=True)
            with _progress_bars() as track, workers(scheduler, jobs) as n_jobs:
                setting = studies.Setting(quick=quick, data=data, n_jobs=n_jobs, track=track, runs=runs)
                outcome = studies.run(name.value, setting)
            _print(outcome, Console())
            with writing(folder, "Tables, figures and numbers"):
                outcome.save(folder)


@contextmanager
def _folder_of_results(folder: Path) -> Iterator[None]:
    """Create the folder before the study starts; remove it if the study leaves it empty."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be a folder for the results ({error.strerror}).") from error
    try:
        yield
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


@contextmanager
def _progress_bars() -> Iterator[studies.Track[Any]]:
    """Show progress and the remaining time on standard error; nothing where that is no terminal."""
    with Progress(*Progress.get_default_columns(), console=Console(stderr=True), transient=True) as progress:
        yield lambda items, label: progress.track(items, description=label)


def _print(outcome: studies.Outcome, console: Console) -> None:
    for table in outcome.tables:
        shown = Table(title=table.title, title_justify="left")
        for number, column in enumerate(table.columns):
            shown.add_column(column, justify="left" if number == 0 else "right")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    for remark in outcome.remarks:
        console.print(Text(remark))


if __name__ == "__main__":
    end_at_once()
    app(prog_name="python -m studies")
