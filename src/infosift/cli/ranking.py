"""The command that puts the features of a file in order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from infosift.cli import options
from infosift.cli.running import failing_in_one_sentence, require_writable, writing
from infosift.cli.selecting import Columns, fit, is_shown, read_table, stop_if_interrupted


def rank(
    file: options.File,
    target: options.Target,
    alpha: options.Alpha = 0.05,
    method: options.HowTested = options.Method.calibrated,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    missing: options.HowMissing = options.Missing.error,
    min_features: options.MinFeatures = 0,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    csv: Annotated[
        Path | None, typer.Option(help="Write the features in their order to this file.", show_default=False)
    ] = None,
    progress: options.Progress = None,
) -> None:
    """Put all features of a file in order: those selected, then the others by what they would add to these.

    With --min-features the search itself goes on to that many, which takes
    longer and accounts for what each one adds to those before it.

    Example: [bold]infosift rank houses.csv --target price[/bold]
    """
    with failing_in_one_sentence():
        require_writable(csv, besides=Path(file))
        table = read_table(file, target, Columns([], ignore or [], categorical or [], None))
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            **options.discrete(categorical, table.features.columns, target, target_kind),
            "missing": missing.value,
            "min_features": min_features,
            "time_limit": time_limit,
            "random_state": seed,
            "n_jobs": jobs,
            "verbose": is_shown(progress, quiet=False),
        }
        selection = fit(table, parameters, first_row=1)
        from infosift.display.terminal import print_ranking

        print_ranking(selection, Console())
        if csv is not None:
            import polars as pl

            ranks = range(1, len(selection.ranking) + 1)
            with writing(csv, "Ranking"):
                pl.DataFrame({"rank": ranks, "feature": selection.ranking}).write_csv(csv)
    stop_if_interrupted(selection)
