"""The command that puts the features of a file in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from infosift.cli import options
from infosift.cli.fitting import fit, is_empty_handed, is_shown, stop_if_cut_short
from infosift.cli.running import console_beside, failing_in_one_sentence, require_possible
from infosift.cli.sources import Source, reads_a_file
from infosift.cli.spreadsheets import write_csv
from infosift.cli.tables import Columns, read_table


@reads_a_file
def rank(
    source: Source,
    target: options.Target,
    alpha: options.Alpha = 0.05,
    ignore: options.Ignore = None,
    missing: options.HowMissing = options.Missing.error,
    min_features: options.MinFeatures = 0,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    method: options.HowTested = options.Method.calibrated,
    csv: options.RankingCsv = None,
    csv_escape: options.CsvEscape = False,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    progress: options.Progress = None,
) -> None:
    """Put all features of a file in order: those selected, then the others by what they would add to these.

    With --min-features the search itself goes on to that many, which takes
    longer and accounts for what each one adds to those before it.

    Example: [bold]infosift rank houses.csv --target price[/bold]
    """
    with failing_in_one_sentence():
        require_possible({"--csv": csv}, {}, {"the data": Path(source.file)})
        named = Columns(ignore=ignore or [], categorical=categorical or [])
        table = read_table(source, target, named)
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            **options.discrete(table.named.categorical, table.names, target, target_kind),
            "missing": missing.value,
            "min_features": min_features,
            "time_limit": time_limit,
            "random_state": seed,
            "n_jobs": jobs,
            "verbose": is_shown(progress, quiet=False),
        }
        selection = fit(table, parameters)
        from infosift.display.terminal import print_ranking

        if not is_empty_handed(selection):
            print_ranking(selection, console_beside(csv))
        if csv is not None:
            import polars as pl

            ranks = range(1, len(selection.ranking) + 1)
            ranking = pl.DataFrame({"rank": ranks, "feature": selection.ranking})
            write_csv(csv, ranking, "Ranking", csv_escape)
    stop_if_cut_short(selection)
