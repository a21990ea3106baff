"""The command that shows how often features of a file are selected over half-samples of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infosift.cli import options
from infosift.cli.clusters import working_on
from infosift.cli.extras import measure_stability
from infosift.cli.fitting import common_parameters, is_shown, require_values
from infosift.cli.running import (
    console_beside,
    failing_in_one_sentence,
    require_drawable,
    require_possible,
    write_each,
    write_picture,
    write_text,
)
from infosift.cli.sources import Source, reads_a_file
from infosift.cli.spreadsheets import write_csv
from infosift.cli.tables import Columns, read_table

if TYPE_CHECKING:
    from infosift.results.stability import Stability


@reads_a_file
def stability(
    source: Source,
    target: options.Target,
    resamples: options.Resamples = options.RESAMPLES,
    alpha: options.Alpha = 0.05,
    ignore: options.Ignore = None,
    missing: options.HowMissing = options.Missing.error,
    keep: options.Keep = None,
    feature_groups: options.FeatureGroups = None,
    min_features: options.MinFeatures = 0,
    max_features: options.MaxFeatures = None,
    groups: options.Groups = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    scale: options.HowScaled = options.Scale.standard,
    method: options.HowTested = options.Method.calibrated,
    search: options.HowSearched = options.Search.forward,
    control: options.HowControlled = None,
    criterion: options.Estimate = options.Criterion.ksg,
    json: options.Json = None,
    csv: options.FrequenciesCsv = None,
    csv_escape: options.CsvEscape = False,
    plot: options.FrequenciesPlot = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    scheduler: options.Scheduler = None,
    checkpoint: options.CheckpointFile = None,
    progress: options.Progress = None,
    quiet: options.Quiet = False,
) -> None:
    """Show how often each feature of a file is selected over half-samples of its rows.

    Half-samples come in pairs without a row in common. A bound says how many
    features reach a frequency by chance.

    Example: [bold]infosift stability houses.csv --target price --checkpoint halves.json[/bold]
    """
    with failing_in_one_sentence():
        inputs = {"the data": Path(source.file), "the file of feature groups": feature_groups}
        require_possible({"--json": json, "--csv": csv}, {"--plot": plot, "--checkpoint": checkpoint}, inputs)
        require_drawable(plot)
        named = Columns(keep=keep or [], ignore=ignore or [], categorical=categorical or [], groups=groups)
        table = read_table(source, target, named, quiet)
        require_values(table, missing.value)
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            "criterion": criterion.value,
            **common_parameters(table, target, target_kind, search, control, feature_groups),
            "scale": scale.value,
            "missing": missing.value,
            "min_features": min_features,
            "max_features": max_features,
            "random_state": seed,
            "verbose": is_shown(progress, quiet),
        }
        console = None if quiet else console_beside(json, csv)
        with working_on(scheduler, jobs) as parameters["n_jobs"]:
            found = measure_stability(table, parameters, resamples, checkpoint, console)
        write_each(_writers(found, json, csv, csv_escape, plot, quiet))


def _writers(
    found: Stability, json: Path | None, csv: Path | None, csv_escape: bool, plot: Path | None, quiet: bool
) -> Iterator[Callable[[], None]]:
    if json is not None:
        yield lambda: write_text(json, found.to_json(indent=1), "Evidence", quiet)
    if csv is not None:
        yield lambda: write_csv(csv, found.to_frame(library="polars"), "Frequencies", csv_escape, quiet)
    if plot is not None:
        yield lambda: write_picture(found.plot(), plot, quiet)
