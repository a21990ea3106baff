"""The command that shows how often features of a file are selected over half-samples of its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from infosift.cli import options
from infosift.cli.extras import measure_stability
from infosift.cli.running import (
    console_beside,
    failing_in_one_sentence,
    require_drawable,
    require_one_on_standard_output,
    require_writable,
    save_picture,
    write_text,
    writing,
)
from infosift.cli.selecting import is_shown, read_feature_groups, require_values, search_asked_for
from infosift.cli.tables import Columns, read_table


def stability(
    file: options.File,
    target: options.Target,
    encoding: options.Encoding = None,
    comment: options.Comment = None,
    dates: options.HowDates = options.Dates.days,
    resamples: options.Resamples = options.RESAMPLES,
    alpha: options.Alpha = 0.05,
    method: options.HowTested = options.Method.calibrated,
    search: options.HowSearched = options.Search.forward,
    control: options.HowControlled = None,
    criterion: options.Estimate = options.Criterion.ksg,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    feature_groups: options.FeatureGroups = None,
    groups: options.Groups = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    scale: options.HowScaled = options.Scale.standard,
    missing: options.HowMissing = options.Missing.error,
    min_features: options.MinFeatures = 0,
    max_features: options.MaxFeatures = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write the frequencies to this file.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the frequencies to this file: .png, .svg or .pdf.", show_default=False),
    ] = None,
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
        _require_possible(Path(file), [json, csv], plot, checkpoint)
        named = Columns(keep=keep or [], ignore=ignore or [], categorical=categorical or [], groups=groups)
        table = read_table(options.Source(file, encoding, comment, dates), target, named, quiet)
        require_values(table, missing.value)
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": method.value,
            "search": search_asked_for(search, control),
            "criterion": criterion.value,
            **options.discrete(table.named.categorical, table.features.columns, target, target_kind),
            "keep": table.named.keep or None,
            "feature_groups": read_feature_groups(feature_groups),
            "scale": scale.value,
            "missing": missing.value,
            "min_features": min_features,
            "max_features": max_features,
            "random_state": seed,
            "n_jobs": jobs,
            "verbose": is_shown(progress, quiet),
        }
        console = None if quiet else console_beside(json, csv)
        found = measure_stability(table, parameters, resamples, checkpoint, console)
        _write(found, json, csv, plot, quiet)


def _require_possible(data: Path, texts: list[Path | None], plot: Path | None, checkpoint: Path | None) -> None:
    """Refuse, before the work begins, what could not be written."""
    require_one_on_standard_output(texts, [plot, checkpoint])
    for path in (*texts, plot, checkpoint):
        require_writable(path, besides=data)
    require_drawable(plot)


def _write(found: Any, json: Path | None, csv: Path | None, plot: Path | None, quiet: bool) -> None:
    if json is not None:
        write_text(json, found.to_json(indent=1), "Evidence", quiet)
    if csv is not None:
        write_text(csv, found.to_frame(library="polars").write_csv(), "Frequencies", quiet)
    if plot is not None:
        with writing(plot, "Picture", quiet):
            save_picture(found.plot(), plot)
