"""The command that selects features of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from infosift.cli import options
from infosift.cli.clusters import working_on
from infosift.cli.extras import Extras
from infosift.cli.fitting import (
    common_parameters,
    cut_short,
    fit,
    is_empty_handed,
    is_shown,
    method_asked_for,
    show,
    stop_if_cut_short,
)
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
from infosift.cli.tables import Columns, Table, read_table
from infosift.cli.viewing import open_in_browser, temporary_page, write_report

if TYPE_CHECKING:
    from infosift.results.selection import Selection


@reads_a_file
def select(
    source: Source,
    target: options.Target,
    alpha: options.Alpha = 0.05,
    ignore: options.Ignore = None,
    missing: options.HowMissing = options.Missing.error,
    report: options.Report = None,
    open_report: options.OpenReport = False,
    keep: options.Keep = None,
    feature_groups: options.FeatureGroups = None,
    min_features: options.MinFeatures = 0,
    max_features: options.MaxFeatures = None,
    groups: options.Groups = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    scale: options.HowScaled = options.Scale.standard,
    method: options.HowTested = options.Method.calibrated,
    null: options.HowDrawn = None,
    search: options.HowSearched = options.Search.forward,
    control: options.HowControlled = None,
    criterion: options.Estimate = options.Criterion.ksg,
    json: options.Json = None,
    csv: options.Csv = None,
    csv_escape: options.CsvEscape = False,
    plot: options.Plot = None,
    check_model: options.CheckModel = None,
    stability: options.StabilityToo = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    scheduler: options.Scheduler = None,
    checkpoint: options.CheckpointFile = None,
    progress: options.Progress = None,
    quiet: options.Quiet = False,
) -> None:
    """Select the features of a file that together are most informative about a target.

    Example: [bold]infosift select houses.csv --target price --ignore id --report houses.html[/bold]
    """
    with failing_in_one_sentence():
        files = _Files(source.file, json, csv, csv_escape, report, plot, open_report)
        files = files.if_possible(feature_groups, checkpoint)
        extras = Extras(check_model, stability).if_shown(quiet, files.has_report)
        named = Columns(keep=keep or [], ignore=ignore or [], categorical=categorical or [], groups=groups)
        table = read_table(source, target, named, quiet, by_workers=scheduler is not None)
        parameters: dict[str, Any] = {
            "alpha": alpha,
            "method": method_asked_for(method, null),
            "criterion": criterion.value,
            **common_parameters(table, target, target_kind, search, control, feature_groups),
            "scale": scale.value,
            "missing": missing.value,
            "min_features": min_features,
            "max_features": max_features,
            "time_limit": time_limit,
            "random_state": seed,
            "checkpoint": checkpoint,
            "verbose": is_shown(progress, quiet),
        }
        with working_on(scheduler, jobs) as parameters["n_jobs"]:
            _show_and_write(table, parameters, files, extras, quiet)


def _show_and_write(table: Table, parameters: dict[str, Any], files: _Files, extras: Extras, quiet: bool) -> None:
    """Print the selection and what is asked for besides it, and write the files whatever comes of that."""
    selection = fit(table, parameters, quiet)
    console = console_beside(files.json, files.csv)
    if not quiet and not is_empty_handed(selection):
        show(selection, console)
    found: dict[str, Any] = {}
    try:
        if cut_short(selection) is None:
            for name, result in extras.found(table, parameters, None if quiet else console):
                found[name] = result
    finally:
        files.write(selection, table, found, quiet)
    stop_if_cut_short(selection)
    if files.opens_report:
        open_in_browser(files.page)


@dataclass(frozen=True)
class _Files:
    """Where results are to be written, and the data that they must not overwrite."""

    data: str
    json: Path | None
    csv: Path | None
    csv_escape: bool
    report: Path | None
    plot: Path | None
    opens_report: bool

    @property
    def has_report(self) -> bool:
        """Whether there is to be a report, in a file of a name or a temporary one."""
        return self.opens_report or self.report is not None

    @cached_property
    def page(self) -> Path:
        """Where the report is to be written."""
        return self.report or temporary_page(Path(self.data))

    def if_possible(self, feature_groups: Path | None, checkpoint: Path | None) -> Self:
        """Return the same; refuse, before the work begins, what could not be written."""
        require_possible(
            {"--json": self.json, "--csv": self.csv},
            {"--report": self.report, "--plot": self.plot, "--checkpoint": checkpoint},
            {"the data": Path(self.data), "the file of feature groups": feature_groups},
        )
        require_drawable(self.plot, needed=self.has_report)
        return self

    def write(self, selection: Selection, table: Table, besides: dict[str, Any], quiet: bool) -> None:
        """Write the results that are asked for; what was found besides the selection goes into the report."""
        write_each(self._writers(selection, table, besides, quiet))

    def _writers(
        self, selection: Selection, table: Table, besides: dict[str, Any], quiet: bool
    ) -> Iterator[Callable[[], None]]:
        if (json := self.json) is not None:
            yield lambda: write_text(json, selection.to_json(indent=1), "Evidence", quiet)
        if (csv := self.csv) is not None:
            chosen = table.chosen(selection.names).with_columns(table.target)
            yield lambda: write_csv(csv, chosen, "Selected features", self.csv_escape, quiet)
        if self.has_report:
            yield lambda: write_report(selection, self.page, besides, quiet)
        if (plot := self.plot) is not None:
            yield lambda: write_picture(selection.plot(), plot, quiet)
