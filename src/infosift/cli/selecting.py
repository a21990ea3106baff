"""The command that selects features of a file."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

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
from infosift.errors import DataWarning, InputError

if TYPE_CHECKING:
    import polars as pl

    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection


def select(
    file: options.File,
    target: options.Target,
    alpha: options.Alpha = 0.05,
    method: options.HowTested = options.Method.calibrated,
    null: options.HowDrawn = None,
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
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
    csv: options.Csv = None,
    report: options.Report = None,
    plot: options.Plot = None,
    check_model: options.CheckModel = None,
    checkpoint: options.CheckpointFile = None,
    progress: options.Progress = None,
    quiet: options.Quiet = False,
) -> None:
    """Select the features of a file that together are most informative about a target.

    Example: [bold]infosift select houses.csv --target price --ignore id --report houses.html[/bold]
    """
    with failing_in_one_sentence():
        files = _Files(json, csv, report, plot)
        files.require_possible(Path(file), checkpoint)
        _require_shown(check_model, quiet, report)
        table = read_table(file, target, Columns(keep or [], ignore or [], categorical or [], groups))
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": _method(method, null),
            "search": _search(search, control),
            "criterion": criterion.value,
            **options.discrete(categorical, table.features.columns, target, target_kind),
            "keep": keep,
            "feature_groups": _read_feature_groups(feature_groups),
            "scale": scale.value,
            "missing": missing.value,
            "min_features": min_features,
            "max_features": max_features,
            "time_limit": time_limit,
            "random_state": seed,
            "n_jobs": jobs,
            "checkpoint": checkpoint,
            "verbose": is_shown(progress, quiet),
        }
        selection = fit(table, parameters, quiet, first_row=1)
        # What is ignored was not read, but whoever repeats the run should know.
        selection = replace(selection, settings=replace(selection.settings, ignore=tuple(ignore or ())))
        _show_and_write(selection, table, parameters, files, check_model, quiet)
    stop_if_interrupted(selection)


def _show_and_write(
    selection: Selection,
    table: Table,
    parameters: dict[str, Any],
    files: _Files,
    check_model: options.Model | None,
    quiet: bool,
) -> None:
    """Print a selection, check it by a model if asked to, and write the files whatever comes of that."""
    if not quiet:
        show(selection)
    check = None
    try:
        if check_model is not None and not _is_interrupted(selection):
            check = _check(table, parameters, check_model.value, quiet)
    finally:
        files.write(selection, table, check, quiet)


def _method(method: options.Method, null: options.NullOfSearch | None) -> Any:
    if null is None:
        return method.value
    if method is not options.Method.calibrated:
        raise InputError("--null is for --method calibrated: leave one of them out.")
    from infosift import Calibrated

    return Calibrated(null=null.value)


def _search(search: options.Search, control: options.Control | None) -> Any:
    if control is None:
        return search.value
    if search is not options.Search.filter:
        raise InputError("--control is for --search filter: say that, or leave --control out.")
    from infosift import Filter

    return Filter(control=None if control is options.Control.none else control.value)


@dataclass(frozen=True)
class Columns:
    """Columns that options name."""

    keep: list[str]
    ignore: list[str]
    categorical: list[str]
    groups: str | None


@dataclass(frozen=True)
class Table:
    """The features of a file, its target, and the groups of its rows."""

    features: pl.DataFrame
    target: pl.Series
    row_groups: pl.Series | None = None


def read_table(file: str, target: str, named: Columns) -> Table:
    """Read the features of a file, its target and the groups of its rows."""
    from infosift.data.readers import read_file

    if target in named.keep:
        raise InputError(f'"{target}" is the target, so it cannot be kept as a feature.')
    if target == named.groups:
        raise InputError(f'"{target}" is the target, so it cannot say which rows belong together.')
    if named.groups in (*named.keep, *named.categorical):
        raise InputError(f'"{named.groups}" says which rows belong together, so it cannot be a feature.')
    groups = [] if named.groups is None else [named.groups]
    features, values = read_file(file, target, named.ignore, [*named.categorical, *named.keep], groups)
    if named.groups is None:
        return Table(features, values)
    if features.width == 1:
        raise InputError(f'"{named.groups}" says which rows belong together, and there is no other feature left.')
    row_groups = features[named.groups]
    _require_groups(row_groups)
    return Table(features.drop(named.groups), values, row_groups)


def _require_groups(row_groups: pl.Series) -> None:
    """Refuse rows of no group; the rows of a file are counted from 1."""
    gaps = row_groups.is_null()
    if row_groups.dtype.is_float():
        gaps |= row_groups.is_nan().fill_null(True)
    if gaps.any():
        place = f"row {(gaps.arg_max() or 0) + 1} (the first row is 1)"
        raise InputError(f'The groups "{row_groups.name}" have no value in {place}: fill it in first.')


def _read_feature_groups(file: Path | None) -> dict[str, list[str]] | None:
    from infosift.data.readers import read_groups_file

    return None if file is None else read_groups_file(file)


def is_shown(progress: bool | None, quiet: bool) -> bool:
    """Tell whether progress is shown: as asked, or else in a terminal."""
    return Console(stderr=True).is_terminal and not quiet if progress is None else progress


def fit(table: Table, parameters: dict[str, Any], quiet: bool = False, first_row: int = 0) -> Selection:
    """Return the selection; where it is interrupted, what was decided by then."""
    from infosift.data.frames import read_columns, require_finite
    from infosift.selector import MutualInfoSelector

    if parameters.get("missing", "error") == "error":
        or_else = ", or drop such rows with --missing drop"
        require_finite(read_columns(table.target), "The target", first_row, or_else=or_else)
        require_finite(read_columns(table.features), first_row=first_row, or_else=or_else)
    selector: Any = MutualInfoSelector(**parameters)
    with warnings_as_notes(quiet):
        try:
            selector.fit(table.features, table.target, groups=table.row_groups)
        except KeyboardInterrupt:
            if not hasattr(selector, "selection_") or not selector.selection_.steps:
                raise
    selection: Selection = selector.selection_
    return selection


def show(selection: Selection) -> None:
    """Print a selection."""
    from infosift.display.terminal import print_selection

    print_selection(selection, Console())


def _require_shown(check_model: options.Model | None, quiet: bool, report: Path | None) -> None:
    if check_model is not None and quiet and report is None:
        raise InputError("--check-model shows nothing with --quiet and without --report: leave one of them out.")


def _check(table: Table, parameters: dict[str, Any], model: str, quiet: bool) -> SubsetComparison:
    """Compare the selected features with others by a model, and print what is found."""
    from infosift.display.comparison import print_comparison
    from infosift.model_check.compare import compare_subsets
    from infosift.selector import MutualInfoSelector

    selector: Any = MutualInfoSelector(**parameters)
    of_run = {"random_state": parameters["random_state"], "n_jobs": parameters["n_jobs"]}
    with warnings_as_notes(quiet):
        warnings.simplefilter("ignore", DataWarning)  # they were said of all rows
        check = compare_subsets(
            table.features, table.target, model, selector=selector, groups=table.row_groups, **of_run
        )
    if not quiet:
        print_comparison(check, Console())
    return check


@dataclass(frozen=True)
class _Files:
    """Where results are to be written."""

    json: Path | None
    csv: Path | None
    report: Path | None
    plot: Path | None

    def require_possible(self, data: Path, checkpoint: Path | None) -> None:
        """Refuse, before the work begins, what could not be written."""
        for path in (self.json, self.csv, self.report, self.plot, checkpoint):
            require_writable(path, besides=data)
        require_drawable(self.plot, needed=self.report is not None)

    def write(self, selection: Selection, table: Table, check: SubsetComparison | None, quiet: bool) -> None:
        """Write the results that are asked for."""
        if self.json is not None:
            with writing(self.json, "Evidence", quiet):
                self.json.write_text(selection.to_json(indent=1), encoding="utf-8")
        if self.csv is not None:
            with writing(self.csv, "Selected features", quiet):
                table.features.select(selection.names).with_columns(table.target).write_csv(self.csv)
        if self.report is not None:
            with writing(self.report, "Report", quiet):
                selection.report(self.report, check=check)
        if self.plot is not None:
            with writing(self.plot, "Picture", quiet):
                save_picture(selection.plot(), self.plot)


def stop_if_interrupted(selection: Selection) -> None:
    """End with the exit code of an interrupt where there was one."""
    if _is_interrupted(selection):
        stop("Interrupted: what is above was decided before.", INTERRUPTED)


def _is_interrupted(selection: Selection) -> bool:
    from infosift.results.selection import INTERRUPT

    return selection.ended_by == INTERRUPT
