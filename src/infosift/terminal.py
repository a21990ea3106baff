"""A Selection as a person reads it in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from infosift.result import Selection, Step


def print_selection(selection: Selection, console: Console) -> None:
    """Print the answer, then the evidence."""
    chosen = ", ".join(selection.names) or "none"
    total = len(selection.feature_names)
    console.print(
        f"[bold]{len(selection.names)} of {total} columns chosen for {escape(selection.target_name)}:[/bold] "
        f"{escape(chosen)}"
    )
    if selection.steps:
        console.print(_steps_table(selection.steps))
    console.print(f"The search ended because {escape(selection.stopped)}.")
    console.print(_how(selection), style="dim")


def _steps_table(steps: tuple[Step, ...]) -> Table:
    table = Table(caption="information of a column together with all above it, in nats", caption_justify="left")
    table.add_column("step", justify="right")
    table.add_column("column", overflow="fold")
    table.add_column("information", justify="right")
    table.add_column("threshold", justify="right")
    table.add_column("p-value", justify="right")
    table.add_column("95 % interval", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for number, step in enumerate(steps, start=1):
        table.add_row(
            str(number),
            escape(step.feature),
            f"{step.score:.3f}",
            f"{step.threshold:.3f}",
            f"{step.p_value:.3f}",
            f"{step.p_low:.3f}–{step.p_high:.3f}",
            "[green]chosen[/green]" if step.accepted else "[red]halt[/red]",
        )
    return table


def _how(selection: Selection) -> str:
    settings = selection.settings
    chosen = f" (chosen by {selection.neighbors.feature})" if selection.neighbors else ""
    return (
        f"{selection.n_rows} rows, {selection.n_neighbors} neighbours{chosen}, "
        f"{settings.n_permutations} permutations a step, alpha = {settings.alpha:g}, seed {settings.seed}"
    )
