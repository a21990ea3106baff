"""The commands that select features of a file, put all of them in order, or select on half-samples of its rows."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import infosift
from infosift.cli import options, output
from infosift.cli.input_file import InputTable, read_table
from infosift.errors import DataWarning, InputError
from infosift.progress import INTERRUPTED, raise_from_here

OUT_OF_TIME = 124  # as of the command timeout
_CUT_SHORT = {
    INTERRUPTED: "Interrupted: what is above was decided before.",
    OUT_OF_TIME: "The time limit ended the run before anything was decided: raise --time-limit.",
}


@dataclass(frozen=True, kw_only=True)
class SelectCommand(options.SelectionOptions):
    """Select the features of a file that together are most informative about a target.

    Example: [bold]infosift select houses.csv --target price --ignore id --report houses.html[/bold]
    """

    report: Annotated[Path | None, options.option("A report to hand on, one HTML file.", metavar="FILE")] = None
    open_report: options.OpenReport = False
    csv: Annotated[Path | None, options.csv_option("The selected features and the target")] = None
    check_model: Annotated[str | None, options.choice("check_model", panel=options.RESULTS)] = None
    stability: Annotated[
        int | None,
        options.option(
            f"Also show how often features are selected over N half-samples ({options.RESAMPLES} by default).",
            options.RESULTS,
            "[N]",
        ),
    ] = None
    verbose: Annotated[
        bool,
        options.option(
            "Also print the numbers of each step, and how features were tested.",
            options.RESULTS,
            names=("--verbose",),
        ),
    ] = False
    time_limit: options.TimeLimit = None

    def run(self) -> None:
        """Read the file, select, write and print the results."""
        output.require_files(self, {"--report": self.report}, has_report=self._has_report)
        self._require_shown()
        if self.check_model is not None and (self.check_model == "cox") != bool(self.time):
            needed = "--check-model cox" if self.time else "another --check-model than cox"
            raise InputError(
                f"{'A censored target' if self.time else 'A target that is not censored'} needs {needed}."
            )
        table = read_table(
            self, keep=self.keep, ignore=self.ignore, groups=self.groups, by_workers=self.scheduler is not None
        )
        parameters = {**self.parameters(table), "time_limit": self.time_limit, "checkpoint": self.checkpoint}
        with options.workers(self.scheduler, self.jobs) as parameters["n_jobs"]:
            self._select(table, parameters)

    def _select(self, table: InputTable, parameters: dict[str, Any]) -> None:
        """Write the files, also where other results fail, then print the selection and its other results.

        Only a report waits for the others: without one they follow the printed selection, each when it is there.
        """
        from infosift.display.terminal import print_comparison, print_selection, print_stability

        selection = fit(table, parameters)
        code, in_report = exit_code(selection), dict[str, Any]()
        others = iter(()) if code else self._others(table, parameters)
        try:
            if self._has_report:
                in_report.update(others)
        finally:
            output.write_results(
                self,
                selection,
                table=lambda: (
                    table.with_target(selection.answer.names),
                    "Selected features",
                ),
                picture=lambda: selection.plot("path" if selection.effects is None else "effects"),
                more=[lambda: output.write_report(selection, self._page, in_report, self.quiet)]
                * self._has_report,
                show=None if code == OUT_OF_TIME else partial(print_selection, selection, verbose=self.verbose),
            )
        printers: dict[str, Any] = {"check": print_comparison, "stability": print_stability}
        for name, result in chain(in_report.items(), others):
            if not self.quiet:
                printers[name](result, output.console_for(self.json, self.csv))
        stop_if_cut_short(selection)
        if self.open_report:
            output.open_in_browser(self._page)

    def _others(self, table: InputTable, parameters: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield other results as soon as they are there, with the names that a report has for them."""
        if self.check_model is None and self.stability is None:
            return
        table = table.in_memory()  # models, and selections on half-samples, need all features of a row
        if self.check_model is not None:
            from infosift.comparison import compare_subsets

            yield "check", resample(compare_subsets, table, parameters, model=self.check_model)
        if self.stability is not None:
            from infosift.stability import selection_stability

            more = {"n_resamples": self.stability, "verbose": parameters["verbose"]}
            yield "stability", resample(selection_stability, table, parameters, **more)

    @property
    def _has_report(self) -> bool:
        return self.open_report or self.report is not None

    @cached_property
    def _page(self) -> Path:
        """Where the report is written."""
        return self.report or output.temporary_page("report" if self.file == "-" else Path(self.file).stem)

    def _require_shown(self) -> None:
        """Refuse half-samples without a pair, and results that would be shown nowhere."""
        if self.stability is not None and (self.stability < 2 or self.stability % 2):
            raise InputError(
                f"--stability must be an even number of half-samples, at least 2, not {self.stability}."
            )
        for name, value in {"--check-model": self.check_model, "--stability": self.stability}.items():
            if value is not None and self.quiet and not self._has_report:
                raise InputError(f"{name} shows nothing with --quiet and without --report: leave one of them out.")


@dataclass(frozen=True, kw_only=True)
class RankCommand(options.SelectionOptions):
    """Put all features of a file in order: those selected, then the others by what they would add to these.

    With --min-features the search itself goes on to that many, which takes
    longer and accounts for what each one adds to those before it.

    Example: [bold]infosift rank houses.csv --target price[/bold]
    """

    csv: Annotated[Path | None, options.csv_option("The features in their order")] = None
    plot: Annotated[Path | None, options.plot_option("the order")] = None
    time_limit: options.TimeLimit = None

    def run(self) -> None:
        """Read the file, select, write and print the results."""
        import polars as pl

        from infosift.display.terminal import print_ranking

        output.require_files(self)
        table = read_table(self, keep=self.keep, ignore=self.ignore, groups=self.groups)
        parameters = {**self.parameters(table), "time_limit": self.time_limit, "checkpoint": self.checkpoint}
        with options.workers(self.scheduler, self.jobs) as parameters["n_jobs"]:
            selection = fit(table, parameters)
        output.write_results(
            self,
            selection,
            table=lambda: (pl.DataFrame({"feature": selection.ranking}).with_row_index("rank", 1), "Ranking"),
            picture=lambda: selection.plot("ranking"),
            show=None if exit_code(selection) == OUT_OF_TIME else partial(print_ranking, selection),
        )
        stop_if_cut_short(selection)


@dataclass(frozen=True, kw_only=True)
class StabilityCommand(options.SelectionOptions):
    """Show how often each feature of a file is selected over half-samples of its rows.

    Half-samples come in pairs without a row in common. A bound says how many
    features reach a frequency by chance.

    Example: [bold]infosift stability houses.csv --target price --checkpoint halves.json[/bold]
    """

    resamples: Annotated[int, options.option("Half-samples, an even number.", metavar="N")] = options.RESAMPLES
    csv: Annotated[Path | None, options.csv_option("The frequencies")] = None
    plot: Annotated[Path | None, options.plot_option("the frequencies")] = None

    def run(self) -> None:
        """Read the file, select on half-samples, write and print the frequencies."""
        from infosift.display.terminal import print_stability
        from infosift.stability import selection_stability

        output.require_files(self)
        table = read_table(self, keep=self.keep, ignore=self.ignore, groups=self.groups)
        parameters = self.parameters(table)
        with options.workers(self.scheduler, self.jobs) as parameters["n_jobs"]:
            more = {"n_resamples": self.resamples, "verbose": parameters["verbose"], "checkpoint": self.checkpoint}
            stability = resample(selection_stability, table, parameters, **more)
        output.write_results(
            self,
            stability,
            table=lambda: (stability.to_frame(library="polars"), "Frequencies"),
            picture=stability.plot,
            show=partial(print_stability, stability),
        )


def fit(table: InputTable, parameters: dict[str, Any]) -> "infosift.Selection":
    """Select features; where that is interrupted, return what was decided by then."""
    selector: Any = infosift.MutualInfoSelector(**parameters)
    raise_from_here()
    try:
        selector.fit(table.features, table.target, groups=table.row_groups)
    except KeyboardInterrupt:
        if not hasattr(selector, "selection_") or not selector.selection_.steps:
            raise
    selection: infosift.Selection = selector.selection_
    # Ignored columns were not read, but are part of what repeats the run.
    return replace(selection, settings=replace(selection.settings, ignore=tuple(table.roles.ignore)))


def exit_code(selection: "infosift.Selection") -> int:
    """Return the exit code of a run: 0, or that of an interrupt or of no time to decide anything."""
    from infosift.results.selection import INTERRUPT, TIME_LIMIT

    if selection.ended_by == TIME_LIMIT and not selection.steps:
        return OUT_OF_TIME
    return INTERRUPTED if selection.ended_by == INTERRUPT else 0


def stop_if_cut_short(selection: "infosift.Selection") -> None:
    """End with a sentence where a run was interrupted, or had no time to decide anything."""
    if code := exit_code(selection):
        output.stop(_CUT_SHORT[code], code)


def resample(function: Callable[..., Any], table: InputTable, parameters: dict[str, Any], **more: Any) -> Any:
    """Select on folds or half-samples by a function of the library, with the parameters of a selector."""
    selector: Any = infosift.MutualInfoSelector(**parameters)
    raise_from_here()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # a selection on all rows has them
        return function(
            X=table.features,
            y=table.target,
            selector=selector,
            groups=table.row_groups,
            random_state=parameters["random_state"],
            n_jobs=parameters["n_jobs"],
            **more,
        )
