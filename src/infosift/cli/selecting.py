"""The command that chooses columns of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from infosift.checks import InputError
from infosift.cli import options
from infosift.cli.running import (
    INTERRUPTED,
    failing_in_one_sentence,
    require_drawable,
    require_writable,
    save_picture,
    stop,
    warnings_as_notes,
    writing,
)

if TYPE_CHECKING:
    import polars as pl

    from infosift.result import Selection


def select(
    file: options.File,
    target: options.Target,
    alpha: options.Alpha = 0.05,
    method: Annotated[
        options.Method, typer.Option(help="The one whose error rates hold, or the published procedure.")
    ] = options.Method.calibrated,
    criterion: Annotated[
        options.Criterion, typer.Option(help="The estimate: variant 1 or 2 of Kraskov et al.")
    ] = options.Criterion.ksg,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    groups: options.Groups = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    missing: options.HowMissing = options.Missing.error,
    max_features: Annotated[
        int | None, typer.Option(min=1, help="Stop when so many columns are chosen.", show_default=False)
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after so many seconds.", show_default=False)
    ] = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write the chosen columns and the target, all rows, to this file.", show_default=False),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report to hand on, one HTML file.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the search to this file: .png, .svg or .pdf.", show_default=False)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Write decisions to this file, and go on from it if it is there.", show_default=False),
    ] = None,
    progress: Annotated[
        bool | None, typer.Option(help="Whether to show what is being done.", show_default="in a terminal")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Choose the columns of a file that together tell most about a target.

    Example: [bold]infosift select houses.csv --target price --ignore id --report houses.html[/bold]
    """
    with failing_in_one_sentence():
        from infosift.files import read_file, read_groups_file
        from infosift.result import INTERRUPT

        for path in (json, csv, report, plot, checkpoint):
            require_writable(path, besides=Path(file))
        require_drawable(plot, needed=report is not None)
        if target in (keep or ()):
            raise InputError(f'"{target}" is the target, so it cannot be kept as a column.')
        if missing is options.Missing.partial and method is options.Method.calibrated:
            raise InputError("--missing partial needs --method published: the calibrated one needs whole rows.")
        frame, values = read_file(file, target, ignore or (), [*(categorical or ()), *(keep or ())])
        settings: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            "criterion": criterion.value,
            **options.kinds(categorical, frame.columns, target, target_kind),
            "keep": keep,
            "groups": None if groups is None else read_groups_file(groups),
            "missing": missing.value,
            "max_features": max_features,
            "time_limit": time_limit,
            "random_state": seed,
            "n_jobs": jobs,
            "checkpoint": checkpoint,
            "progress": _is_shown(progress, quiet),
        }
        selection = fit(frame, values, settings, quiet, first_row=1)
        # What is ignored was not read, but whoever repeats the run should know.
        selection = replace(selection, settings=replace(selection.settings, ignore=tuple(ignore or ())))
        if not quiet:
            show(selection)
        if json is not None:
            with writing(json, "Evidence", quiet):
                json.write_text(selection.to_json(indent=1), encoding="utf-8")
        if csv is not None:
            with writing(csv, "Columns", quiet):
                frame.select(selection.names).with_columns(values).write_csv(csv)
        if report is not None:
            with writing(report, "Report", quiet):
                selection.report(report)
        if plot is not None:
            with writing(plot, "Picture", quiet):
                save_picture(selection.plot(), plot)
    if selection.ended_by == INTERRUPT:
        stop("Interrupted: what is above was decided before.", INTERRUPTED)


def _is_shown(progress: bool | None, quiet: bool) -> bool:
    return Console(stderr=True).is_terminal and not quiet if progress is None else progress


def fit(
    features: pl.DataFrame, values: pl.Series, settings: dict[str, Any], quiet: bool = False, first_row: int = 0
) -> Selection:
    """Return the selection; where it is interrupted, what was decided by then."""
    from infosift.inputs import read_columns, require_finite
    from infosift.selector import MutualInfoSelector

    if settings.get("missing", "error") == "error":
        or_else = ", or leave out such rows with --missing drop"
        require_finite(read_columns(values), "The target", first_row, or_else=or_else)
        require_finite(read_columns(features), first_row=first_row, or_else=or_else)
    selector = MutualInfoSelector(**settings)
    with warnings_as_notes(quiet):
        try:
            selector.fit(features, values)
        except KeyboardInterrupt:
            if not hasattr(selector, "selection_") or not selector.selection_.steps:
                raise
    return selector.selection_


def show(selection: Selection) -> None:
    """Print a selection."""
    from infosift.terminal import print_selection

    print_selection(selection, Console())
