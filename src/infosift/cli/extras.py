"""What can be asked for besides a selection: a check by a model, and its stability over half-samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from infosift.cli import options
from infosift.cli.running import warnings_as_notes
from infosift.errors import DataWarning, InputError
from infosift.progress import raise_from_here

if TYPE_CHECKING:
    from rich.console import Console

    from infosift.cli.tables import Table
    from infosift.results.comparison import SubsetComparison
    from infosift.results.stability import Stability


@dataclass(frozen=True)
class Extras:
    """What is asked for besides a selection; None is nothing."""

    check_model: options.Model | None
    stability: int | None

    def if_shown(self, quiet: bool, has_report: bool) -> Self:
        """Return the same; refuse, before the work begins, what nobody would see."""
        asked = {"--check-model": self.check_model, "--stability": self.stability}
        for option, value in asked.items():
            if value is not None and quiet and not has_report:
                raise InputError(
                    f"{option} shows nothing with --quiet and without --report: leave one of them out."
                )
        return self

    def found(
        self, table: Table, parameters: dict[str, Any], console: Console | None
    ) -> Iterator[tuple[str, Any]]:
        """Yield, as soon as it is worked out and printed, each thing with the name that a report has for it."""
        if self.check_model is None and self.stability is None:
            return
        table = table.in_memory()  # models, and refits beside each other, need all features of some rows
        if self.check_model is not None:
            yield "check", check_by_model(table, parameters, self.check_model.value, console)
        if self.stability is not None:
            yield "stability", measure_stability(table, parameters, self.stability, None, console)


def check_by_model(
    table: Table, parameters: dict[str, Any], model: str, console: Console | None
) -> SubsetComparison:
    """Compare the selected features with others by a model, and print what is found, unless nowhere."""
    from infosift.comparison import compare_subsets
    from infosift.display.terminal import print_comparison
    from infosift.selector import MutualInfoSelector

    selector: Any = MutualInfoSelector(**parameters)
    of_run = {"random_state": parameters["random_state"], "n_jobs": parameters["n_jobs"]}
    with warnings_as_notes(quiet=console is None):
        warnings.simplefilter("ignore", DataWarning)  # they were said of all rows
        check = compare_subsets(
            table.features, table.target, model, selector=selector, groups=table.row_groups, **of_run
        )
    if console is not None:
        print_comparison(check, console)
    return check


def measure_stability(
    table: Table, parameters: dict[str, Any], n_resamples: int, checkpoint: Path | None, console: Console | None
) -> Stability:
    """Select on half-samples, and print how often each feature is selected, unless nowhere."""
    from infosift.display.terminal import print_stability
    from infosift.selector import MutualInfoSelector
    from infosift.stability import selection_stability

    selector: Any = MutualInfoSelector(**parameters)
    of_run = {name: parameters[name] for name in ("random_state", "n_jobs", "verbose")}
    raise_from_here()
    with warnings_as_notes(quiet=console is None):
        warnings.simplefilter("ignore", DataWarning)  # they were said of all rows
        stability = selection_stability(
            selector,
            table.features,
            table.target,
            n_resamples=n_resamples,
            groups=table.row_groups,
            checkpoint=checkpoint,
            **of_run,
        )
    if console is not None:
        print_stability(stability, console)
    return stability
