"""What a person reads in a terminal: a Selection, the outcome of a study, and how far a study has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from infosift.answer import chosen, headline
from infosift.checks import listing
from infosift.evidence import ColumnVerdict, NeighborChoice, PermutationTest, Step
from infosift.result import Selection
from infosift.studies.outcome import Outcome, Track
from infosift.words import CAUTION, probability


def print_selection(selection: Selection, console: Console) -> None:
    """Print the answer, then the evidence; names are shown as they are, whatever characters they have."""
    names = chosen(selection)
    console.print(
        Text(headline(selection) + ": " * bool(names), style="bold") + Text(", ".join(names), style="not bold")
    )
    if selection.steps:
        console.print(_steps_table(selection, console.width))
    console.print(Text(f"The search ended because {selection.stopped}."))
    if len(selection.steps) > 1 and selection.settings.method == "published":
        peak = selection.peak
        console.print(Text(f"The information is highest ({peak.score:.3f}) with {', '.join(peak.names)}."))
    for exchange in selection.exchanges:
        first, second = exchange.in_place_of
        console.print(
            Text(f"{exchange.feature} took the place of {first} and {second}: it tells as much as both.")
        )
    if selection.pruned:
        console.print(Text(f"Left out again, since the others tell as much: {', '.join(selection.pruned)}."))
    for verdict in ("redundant", "irrelevant", "undecided"):
        said = [_with_reason(column) for column in selection.verdicts if column.verdict == verdict]
        if said:
            console.print(
                Text(f"{verdict.capitalize()}: ", style="bold") + Text(listing(said, most=12), "not bold")
            )
    console.print(Text(_how(selection), style="dim"))
    if selection.settings.method == "published" and len(selection.feature_names) > 1 and selection.names:
        console.print(Text(CAUTION, style="dim"))


def _with_reason(column: ColumnVerdict) -> str:
    reason = f" (with {', '.join(column.redundant_with)})" if column.redundant_with else ""
    return f"{column.feature}{reason}"


_LEAST_WIDTH_OF_EXCESS = 50


def _steps_table(selection: Selection, width: int) -> Table:
    method = selection.settings.method
    caption = "nats: information of a column together with all above it"
    if method == "calibrated":
        caption += "; excess: over its surrogates, in standard deviations"
    table = Table(caption=caption, caption_justify="left")
    columns: dict[str, Callable[[int, Step], str | Text]] = {
        "step": lambda number, step: str(number),
        "column": lambda number, step: Text(step.feature),
        "nats": lambda number, step: f"{step.information:.3f}",
        "excess": lambda number, step: f"{step.score:.2f}",
        "threshold": lambda number, step: f"{step.threshold:.3f}",
        "p-value": lambda number, step: probability(step.p_value),
        "95 % interval": lambda number, step: f"{probability(step.p_low)} to {probability(step.p_high)}",
        "verdict": lambda number, step: _verdict(selection, step),
    }
    if method == "published" or width < _LEAST_WIDTH_OF_EXCESS:
        del columns["excess"]
    spare = width - 9 * ("excess" in columns)
    for name, least_width in {"95 % interval": 76, "step": 58, "threshold": 51}.items():
        if spare < least_width:
            del columns[name]
    for name in columns:
        if name == "column":
            table.add_column(name, overflow="fold", min_width=6)
        else:
            table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for number, step in enumerate(selection.steps, start=1):
        table.add_row(*(cell(number, step) for cell in columns.values()))
    return table


def _verdict(selection: Selection, step: Step) -> str:
    if not step.accepted:
        return "[red]halt[/red]"
    return "[green]chosen[/green]" if selection.stayed(step) else "[yellow]left out again[/yellow]"


def _how(selection: Selection) -> str:
    settings = selection.settings
    dropped = f" ({selection.n_dropped} more had missing values)" if selection.n_dropped else ""
    parts = [f"{selection.n_rows} rows{dropped}"]
    parts += [f"{count} classes" for count in selection.n_classes if count is not None]
    if selection.discrete:
        parts.append(f"{len(selection.discrete)} discrete column{'s' * (len(selection.discrete) > 1)}")
    if selection.steps:
        sampled = f" on {selection.n_rows_sampled} of the rows" if selection.n_rows_sampled else ""
        by = f" (chosen by {selection.neighbors.feature}{sampled})" if selection.neighbors else ""
        if selection.n_neighbors is not None:
            parts.append(f"{selection.n_neighbors} neighbour{'s' * (selection.n_neighbors != 1)}{by}")
        if settings.n_permutations is not None:
            parts.append(f"{settings.n_permutations} permutations a step")
    return ", ".join([*parts, f"alpha = {settings.alpha:g}", f"seed {settings.seed}"])


def print_choice(choice: NeighborChoice, console: Console) -> None:
    """Print the number of neighbours chosen, and how far columns and their shuffled copies are apart for each."""
    console.print(
        Text(f"{choice.n_neighbors} neighbour{'s' * (choice.n_neighbors > 1)}", style="bold")
        + Text(f": there {choice.feature} and its shuffled copies differ most.", style="not bold")
    )
    table = Table(caption="t: how far apart, in standard deviations", caption_justify="left")
    for name in ("neighbours", "largest t", "of column"):
        table.add_column(name, justify="left" if name == "of column" else "right")
    for k, t in zip(choice.candidates, choice.t.T, strict=True):
        best = int(np.nanargmax(t))
        row = (str(k), f"{t[best]:.2f}", Text(choice.feature_names[best]))
        table.add_row(*row, style="bold" if k == choice.n_neighbors else None)
    console.print(table)
    console.print(Text(f"{choice.n_rows} rows, {choice.n_folds} folds", style="dim"))


def print_test(test: PermutationTest, column: str, given: list[str], target: str, console: Console) -> None:
    """Print what a permutation test says."""
    beside = f" beside {', '.join(given)}" if given else ""
    says = "tells something" if test.significant else "is not seen to tell anything"
    more = " more" if given else ""
    console.print(Text(f"{column} {says}{more} about {target}{beside}.", style="bold"))
    shown = {
        "information": f"{test.score:.4f} nats",
        "threshold": f"{test.threshold:.4f} nats",
        "p-value": f"{probability(test.p_value)} ({probability(test.p_low)} to {probability(test.p_high)})",
        "copies": str(test.n_permutations),
    }
    for name, value in shown.items():
        console.print(Text(f"  {name:12} {value}"))


def print_study(outcome: Outcome, console: Console) -> None:
    """Print the tables of a study and what is to be said about them."""
    for table in outcome.tables:
        shown = Table(title=table.title, title_justify="left")
        for number, column in enumerate(table.columns):
            shown.add_column(column, justify="left" if number == 0 else "right")
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    for remark in outcome.remarks:
        console.print(Text(remark))


@contextmanager
def progress_bars() -> Iterator[Track[Any]]:
    """Show how far a study has come, and how long it will take; nothing where there is no terminal."""
    with Progress(*Progress.get_default_columns(), console=Console(stderr=True), transient=True) as progress:
        yield lambda items, label: progress.track(items, description=label)
