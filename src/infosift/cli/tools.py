"""Commands for single steps of the procedure, for reports of stored results, and a demonstration."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from infosift.cli import options, output
from infosift.cli.input_file import InputTable, read_table
from infosift.cli.select import fit
from infosift.errors import InputError

_UNKNOWN_JSON = (
    "is not JSON that infosift wrote: give a file of --json, or of to_json() of a Selection, Stability or "
    "SubsetComparison."
)
_NEXT_COMMANDS = """
What to do next:
  infosift select FILE.csv --target COLUMN --open  # a table of yours, with a report in a browser
  infosift select FILE.csv --target COLUMN --search filter  # all that is informative
  infosift select --help  # identifiers, gaps, groups of rows, other formats, a check by a model"""


@dataclass(frozen=True, kw_only=True)
class NeighborsCommand(options.InputFile):
    """Show which number of neighbours the published method would choose, and why.

    Example: [bold]infosift neighbors houses.csv --target price[/bold]
    """

    ignore: options.Ignore = None
    missing: options.Missing = "partial"
    json: options.Json = None
    plot: Annotated[Path | None, options.plot_option("the choice")] = None
    seed: options.Seed = 0
    jobs: options.Jobs = -1

    def run(self) -> None:
        """Read the file, choose the number, write and print the choice."""
        from infosift import choose_n_neighbors
        from infosift.display.terminal import print_choice

        output.require_writable({"--json": self.json}, {"--plot": self.plot}, {"the data": Path(self.file)})
        output.require_drawable(self.plot)
        table = read_table(self, ignore=self.ignore)
        discrete = self.discrete(table.roles.categorical, table.names)
        choice = choose_n_neighbors(
            table.features,
            table.target,
            missing=self.missing,
            random_state=self.seed,
            n_jobs=self.jobs,
            **discrete,
        )
        if self.json is not None:
            output.write_text(self.json, choice.to_json(indent=1), "Evidence")
        if self.plot is not None:
            from infosift.display.plots import NeighborsDisplay

            output.write_picture(NeighborsDisplay.from_choice(choice).plot(), self.plot)
        print_choice(choice, output.console_for(self.json))


@dataclass(frozen=True, kw_only=True)
class TestCommand(options.InputFile):
    """Test whether a feature is informative about the target, conditional on others where these are given.

    The p-value is that of a single test by nearest neighbours. It is not
    adjusted for the number of features, as those of infosift select are.

    Example: [bold]infosift test houses.csv garden --given area,rooms --target price[/bold]
    """

    feature: Annotated[str, typer.Argument(help="The feature to test.", show_default=False)]
    given: Annotated[
        list[str] | None, options.option("Features to condition on, with commas or repeated.", metavar="NAMES")
    ] = None
    alpha: options.Alpha = 0.05
    missing: options.Missing = "partial"
    null: Annotated[str, options.choice("null", options.TESTS)] = "residual"
    n_neighbors: options.NumberOfNeighbors = None
    json: options.Json = None
    seed: options.Seed = 0
    jobs: options.Jobs = -1

    def run(self) -> None:
        """Read the file, test the feature, write and print the result."""
        from infosift import permutation_test
        from infosift.display.terminal import print_test

        output.require_writable({"--json": self.json}, {}, {"the data": Path(self.file)})
        table = read_table(self, features=[self.feature], given=self.given)
        given, tested = table.roles.given, _only(table.roles.features)
        result = permutation_test(
            table.columns([tested]),
            table.target,
            table.columns(given) if given else None,
            alpha=self.alpha,
            null=self.null,
            missing=self.missing,
            random_state=self.seed,
            n_jobs=self.jobs,
            n_neighbors=self.n_neighbors,
            **self.discrete(table.roles.categorical, [tested]),
        )
        if self.json is not None:
            output.write_text(self.json, result.to_json(indent=1), "Evidence")
        print_test(result, tested, given, self.target, output.console_for(self.json))


def _only(features: list[str]) -> str:
    if len(features) != 1:
        raise InputError(
            f"Features are tested one by one, and there are {len(features)}: name one, and others by --given."
        )
    return features[0]


@dataclass(frozen=True, kw_only=True)
class ScoreCommand(options.InputFile):
    """Print the mutual information of a subset of features with the target, in nats.

    The estimate depends on the number of neighbours. It differs from that of
    infosift select, which takes the mean over several numbers of them.

    Example: [bold]infosift score houses.csv area,rooms --target price[/bold]
    """

    features: Annotated[
        list[str], typer.Argument(help="Features, apart or with commas between them.", show_default=False)
    ]
    missing: options.Missing = "partial"
    n_neighbors: options.NumberOfNeighbors = None

    def run(self) -> None:
        """Read the file, estimate and print."""
        from infosift import KSG, mutual_information

        table = read_table(self, features=self.features)
        features = table.roles.features
        columns = table.columns(features)
        all_columns = table.with_target(features).fill_nan(None)
        used = all_columns.drop_nulls(None if self.missing == "drop" else self.target)
        k = KSG().default_value(len(used)) if self.n_neighbors is None else self.n_neighbors
        discrete = self.discrete(table.roles.categorical, features)
        information = mutual_information(columns, table.target, n_neighbors=k, missing=self.missing, **discrete)
        typer.echo(f"{information:.4f} nats ({k} neighbour{'s' * (k != 1)})")


@dataclass(frozen=True, kw_only=True)
class ViewCommand:
    """Show a selection that was written as JSON, as a report in a browser.

    Example: [bold]infosift view houses.json[/bold]
    """

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The file of infosift select --json, and those of infosift stability --json and of a check by a "
            "model (SubsetComparison.to_json) of the same table where there are some, in any order.",
            show_default=False,
        ),
    ]
    report: Annotated[
        Path | None, options.option("Write the report to this file.", show_default="a temporary one")
    ] = None
    quiet: options.Quiet = False

    def run(self) -> None:
        """Read the results, write the report and open it."""
        inputs = {f"number {place} of the files to show": file for place, file in enumerate(self.files, start=1)}
        output.require_writable({}, {"--report": self.report}, inputs)
        output.require_drawable(None, has_report=True)
        results: dict[str, Any] = {}
        for file in self.files:
            name, result = _read_result(file)
            if name in results:
                raise InputError(f"{file} is a second {type(result).__name__}: give one.")
            results[name] = result
        if "selection" not in results:
            raise InputError("None of the files is a selection: give the file of infosift select --json too.")
        page = self.report or output.temporary_page(self.files[0].stem)
        output.write_report(results.pop("selection"), page, results, self.quiet)
        output.open_in_browser(page)


def _read_result(file: Path) -> tuple[str, Any]:
    """Read a stored result, and return it with the name that a report has for it."""
    from infosift.results import Selection, Stability, SubsetComparison

    kinds: dict[str, Any] = {"selection": Selection, "stability": Stability, "check": SubsetComparison}
    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InputError(f"{file} {_UNKNOWN_JSON}") from error
    written_as = content.get("infosift") if isinstance(content, dict) else None
    name = next((name for name, kind in kinds.items() if kind.__name__ == written_as), None)
    if name is None:
        raise InputError(f"{file} {_UNKNOWN_JSON}")
    try:
        return name, kinds[name].from_json(text)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error


@dataclass(frozen=True, kw_only=True)
class DemoCommand:
    """Select features of the diabetes data that come with scikit-learn.

    Example: [bold]infosift demo --open[/bold]
    """

    open_report: options.OpenReport = False
    jobs: options.Jobs = -1

    def run(self) -> None:
        """Select, and print the selection, a bar chart and what to try next."""
        import polars as pl
        from sklearn.datasets import load_diabetes

        from infosift.display.terminal import print_bars, print_selection

        output.require_drawable(None, self.open_report)
        data, console = load_diabetes(), Console()
        features = pl.DataFrame(data.data, schema=list(data.feature_names))
        typer.echo("Ten measurements of 442 people with diabetes; the target is its progression within a year.\n")
        target = pl.Series("progression", data.target)
        table = InputTable(features, target, target.to_frame())
        selection = fit(table, {"random_state": 0, "n_jobs": self.jobs})
        print_selection(selection, console)
        console.print()
        print_bars(selection, console)
        typer.echo(_NEXT_COMMANDS)
        if self.open_report:
            page = output.temporary_page("diabetes")
            output.write_report(selection, page, {})
            output.open_in_browser(page)
