"""The command that measures how often features of a file are selected over half-samples of its rows."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from infosift.cli.input_file import InputTable, read_table
from infosift.cli.options import RESAMPLES, SelectionOptions, csv_option, option, plot_option, workers
from infosift.cli.output import console_for, require_files, write_results
from infosift.errors import DataWarning
from infosift.progress import raise_from_here

if TYPE_CHECKING:
    from rich.console import Console

    from infosift.results.stability import Stability


@dataclass(frozen=True, kw_only=True)
class StabilityCommand(SelectionOptions):
    """Show how often each feature of a file is selected over half-samples of its rows.

    Half-samples come in pairs without a row in common. A bound says how many
    features reach a frequency by chance.

    Example: [bold]infosift stability houses.csv --target price --checkpoint halves.json[/bold]
    """

    resamples: Annotated[int, option(metavar="N", help="Half-samples, an even number.")] = RESAMPLES
    csv: Annotated[Path | None, csv_option("The frequencies")] = None
    plot: Annotated[Path | None, plot_option("the frequencies")] = None

    def run(self) -> None:
        """Read the file, select on half-samples, print the frequencies and write what is to be written."""
        require_files(self)
        table = read_table(self, keep=self.keep, ignore=self.ignore, groups=self.groups)
        parameters = self.parameters(table)
        console = None if self.quiet else console_for(self.json, self.csv)
        with workers(self.scheduler, self.jobs) as parameters["n_jobs"]:
            stability = measure_stability(table, parameters, self.resamples, console, self.checkpoint)
        write_results(
            self,
            stability,
            table=lambda: (stability.to_frame(library="polars"), "Frequencies"),
            picture=stability.plot,
        )


def measure_stability(
    table: InputTable,
    parameters: dict[str, Any],
    n_resamples: int,
    console: "Console | None",
    checkpoint: Path | None = None,
) -> "Stability":
    """Select on half-samples, and print how often each feature is selected where there is a console."""
    from infosift.display.terminal import print_stability
    from infosift.selector import MutualInfoSelector
    from infosift.stability import selection_stability

    selector: Any = MutualInfoSelector(**parameters)
    raise_from_here()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # a selection on all rows has them
        stability = selection_stability(
            selector,
            table.features,
            table.target,
            n_resamples=n_resamples,
            groups=table.row_groups,
            random_state=parameters["random_state"],
            n_jobs=parameters["n_jobs"],
            verbose=parameters["verbose"],
            checkpoint=checkpoint,
        )
    if console is not None:
        print_stability(stability, console)
    return stability
