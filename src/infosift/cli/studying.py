"""Commands that show what the package does: a demonstration, and the experiments."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from infosift import studies
from infosift.cli import options
from infosift.cli.running import failing_in_one_sentence, folder_of_results
from infosift.cli.selecting import fit, show

StudyName = Enum("StudyName", {name: name for name in studies.NAMES})  # type: ignore[misc]


def demo(jobs: options.Jobs = -1) -> None:
    """Choose columns of the diabetes data that come with scikit-learn.

    Example: [bold]infosift demo[/bold]
    """
    with failing_in_one_sentence():
        import polars as pl
        from sklearn.datasets import load_diabetes

        data = load_diabetes()
        features = pl.DataFrame(data.data, schema=list(data.feature_names))
        progression = pl.Series("progression", data.target)
        typer.echo("Ten measurements of 442 people with diabetes; the target is its progression within a year.\n")
        show(fit(features, progression, {"random_state": 0, "n_jobs": jobs}))


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
) -> None:
    """Run an experiment: one of the paper's, its figures beside ours, or one on the methods themselves.

    Example: [bold]infosift study friedman[/bold]
    """
    with failing_in_one_sentence():
        from infosift.terminal import print_study, progress_bars

        folder = out or Path(f"study-{name.value}")
        with folder_of_results(folder):
            with progress_bars() as track:
                setting = studies.Setting(quick=quick, data=data, n_jobs=jobs, track=track)
                outcome = studies.run(name.value, setting)
            print_study(outcome, Console())
            outcome.save(folder)
        Console(stderr=True).print(Text(f"Tables, figures and numbers written to {folder}", style="dim"))
