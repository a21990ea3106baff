"""The command line: arguments to a table, to the selector, to files and the terminal."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from infosift import studies
from infosift.checks import InputError

if TYPE_CHECKING:
    from infosift.result import Selection, Step

app = typer.Typer(
    name="infosift",
    help="Choose the columns of a table that together tell most about a target, and say how sure that is.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

StudyName = Enum("StudyName", {name: name for name in studies.NAMES})  # type: ignore[misc]


class Missing(Enum):
    """What to do with missing values."""

    error = "error"
    drop = "drop"
    partial = "partial"


class Method(Enum):
    """Which procedure chooses."""

    calibrated = "calibrated"
    published = "published"


BAD_INPUT = 2
INTERRUPTED = 130

AlphaOption = Annotated[float, typer.Option(help="Significance level of each step, between 0 and 1.")]
JobsOption = Annotated[int, typer.Option(help="Number of threads; -1 is one per core.")]


@app.command()
def select(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file with a header row.")],
    target: Annotated[str, typer.Option(help="The column to tell something about.")],
    alpha: AlphaOption = 0.05,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    missing: Annotated[
        Missing,
        typer.Option(
            help="Where there are missing values: refuse, leave out the rows, or compare rows in what they have."
        ),
    ] = Missing.error,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="A column of numbers that are categories; may be repeated. Text always is."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="The one whose error rates hold, or the published procedure.")
    ] = Method.calibrated,
    seed: Annotated[int, typer.Option(help="Seed that fixes the result.", min=0)] = 0,
    json: Annotated[Path | None, typer.Option(help="Write all the evidence to this file.")] = None,
    jobs: JobsOption = -1,
) -> None:
    """Choose columns of a file.

    Example: [bold]infosift select houses.csv --target price --drop id[/bold]
    """
    with _failing_in_one_sentence():
        from infosift.files import read_file

        if json is not None:
            _require_writable(json, besides=file)
        features, values = read_file(file, target, drop or (), categorical or ())
        options: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            "missing": missing.value,
            "random_state": seed,
            "n_jobs": jobs,
        }
        if categorical:
            options |= {
                "discrete_features": [name for name in categorical if name != target],
                "discrete_target": True if target in categorical else "auto",
            }
        selection = _run(features, values, options, first_row=1)
        _show(selection)
        if json is not None:
            _write(json, selection.to_json(indent=1))


@app.command()
def demo(jobs: JobsOption = -1) -> None:
    """Choose columns of the diabetes data that come with scikit-learn."""
    with _failing_in_one_sentence():
        import polars as pl
        from sklearn.datasets import load_diabetes

        data = load_diabetes()
        features = pl.DataFrame(data.data, schema=list(data.feature_names))
        progression = pl.Series("progression", data.target)
        typer.echo("Ten measurements of 442 people with diabetes; the target is its progression within a year.\n")
        _show(_run(features, progression, {"random_state": 0, "n_jobs": jobs}))


@app.command()
def study(
    name: Annotated[StudyName, typer.Argument(help="Which experiment of the paper to repeat.")],
    data: Annotated[
        Path | None, typer.Option(envvar="INFOSIFT_DATA", help="Folder of the data sets, for the last three.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for tables, figures and numbers.", show_default="study-NAME")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, to see that it runs.")] = False,
    jobs: JobsOption = -1,
) -> None:
    """Repeat an experiment of the paper and print its figures beside ours.

    Example: [bold]infosift study friedman[/bold]
    """
    with _failing_in_one_sentence():
        from infosift.terminal import print_study, progress_bars

        folder = out or Path(f"study-{name.value}")
        with _folder_of_results(folder):
            with progress_bars() as track:
                setting = studies.Setting(quick=quick, data=data, n_jobs=jobs, track=track)
                outcome = studies.run(name.value, setting)
            print_study(outcome, Console())
            outcome.save(folder)
        Console(stderr=True).print(Text(f"Tables, figures and numbers written to {folder}", style="dim"))


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"infosift {version_of('infosift')}")
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")  # a name the terminal cannot show is no reason to fail
    try:
        app()
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        # Where the key is pressed during an import, Python takes the interrupt for unhandled and ends by a signal.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _run(features: Any, values: Any, options: dict[str, Any], first_row: int = 0) -> Selection:
    from infosift.inputs import read_columns, require_finite
    from infosift.selector import MutualInfoSelector

    if options.get("missing", "error") == "error":
        require_finite(read_columns(values), "The target", first_row)
        require_finite(read_columns(features), first_row=first_row)
    with _progress() as on_step, _warnings_as_notes():
        return MutualInfoSelector(**options, callback=on_step).fit(features, values).selection_


def _show(selection: Selection) -> None:
    from infosift.terminal import print_selection

    print_selection(selection, Console())


def _require_writable(path: Path, besides: Path) -> None:
    if path.exists() and besides.exists() and path.samefile(besides):
        raise InputError(f"{path} is the data: give another file for the evidence.")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file for the evidence.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} to.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path} may not be written: give another file for the evidence.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"The evidence could not be written to {path} ({error.strerror}).") from error
    Console(stderr=True).print(Text(f"Evidence written to {path}", style="dim"))


@contextmanager
def _folder_of_results(folder: Path) -> Iterator[None]:
    """Make a folder before the work begins; where there are no results in the end, leave none behind."""
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
def _progress() -> Iterator[Callable[[Step], None]]:
    """Show on a terminal what is being done and what is chosen so far."""
    with Console(stderr=True).status("looking for the first column …") as status:
        chosen: list[str] = []

        def on_step(step: Step) -> None:
            if step.accepted:
                chosen.append(step.feature)
                status.update(Text(f"step {len(chosen) + 1}, after {', '.join(chosen)} …"))

        yield on_step


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        Console(stderr=True).print(Text(f"Note: {warning.message}", style="yellow"))


@contextmanager
def _failing_in_one_sentence() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        _stop(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        _stop("Interrupted.", INTERRUPTED)


def _stop(message: str, code: int) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(Text(message, style="red"))
    raise typer.Exit(code)
