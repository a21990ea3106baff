"""Run everything, print the table of ratios, write JSON and a plot."""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import criteria, large, peers, selections, stability, workloads
from benchmarks.timing import Result

EXPONENT_BARS = {"one column": 1.15, "given 3 columns": 1.5}
WORKS = {
    "one-column": workloads.one_column,
    "given": workloads.given_subset,
    "permutations": workloads.permutations,
    "published": workloads.whole_selection,
    "default": selections.default_selection,
    "criteria": criteria.criteria,
    "stability": stability.stability,
}
OTHER_WORKS = ("large", "growth")


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, to see that everything runs")
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"), help="folder for JSON and plot")
    parser.add_argument("--only", choices=[*WORKS, *OTHER_WORKS], nargs="+", help="some of the runs")
    arguments = parser.parse_args()
    wanted = arguments.only or [*WORKS, *OTHER_WORKS]
    size = workloads.SMOKE if arguments.smoke else workloads.Size()
    terminal = Console()
    console = terminal if terminal.is_terminal else Console(width=150)

    versions = peers.versions()
    shown = ", ".join(f"{name} {number or 'not installed'}" for name, number in versions.items())
    console.print(f"{platform.machine()}, Python {platform.python_version()}, {shown}", style="dim")
    results: list[Result] = []
    for work in (work for name, work in WORKS.items() if name in wanted):
        console.print(f"… {work.__doc__.splitlines()[0]}", style="dim")
        results += work(size)
    curves = {}
    if "growth" in wanted:
        console.print("… growth with n", style="dim")
        curves = workloads.growth(size)

    if results:
        console.print(_table(results))
    for name, curve in curves.items():
        (shortest, _), (longest, _) = curve[0], curve[-1]
        slope = workloads.exponent(curve)
        console.print(
            f"{name}: cost grows as n^{slope:.2f} from {shortest:,} to {longest:,} rows"
            f" (at most: {EXPONENT_BARS[name]})"
        )
    if results or curves:
        content = {"versions": versions, "results": [result.to_dict() for result in results], "growth": curves}
        _write(content, arguments.out / "benchmarks.json")
    if curves:
        _plot(curves, arguments.out / "growth.svg", console)
    if "large" in wanted:
        tables = _large(size, console)
        _write({"versions": versions, "large tables": tables}, arguments.out / "large.json")
    console.print(f"Written to {arguments.out}", style="dim")


def _large(size: workloads.Size, console: Console) -> list[dict[str, Any]]:
    """Time the default selection on large tables."""
    console.print("… default selection on large tables", style="dim")
    tables = [large.measure(*shape) for shape in size.large_tables]
    for table in tables:
        console.print(
            f"{table['rows']:,} × {table['features']:,}, {table['threads']} threads: "
            f"{_duration(table['seconds'])}, peak {table['peak megabytes']:,.0f} MB, {table['selected']} selected"
        )
    return tables


def _write(content: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _table(results: list[Result]) -> Table:
    table = Table(title="one thread each and wall time, medians of interleaved repeats, unless noted")
    for name in ("work", "against", "infosift", "peer", "times faster", "at least", "note"):
        table.add_column(name, justify="left" if name in ("work", "against", "note") else "right")
    for result in results:
        table.add_row(
            result.work,
            result.peer,
            _duration(result.ours_seconds),
            "–" if result.peer_seconds is None else _duration(result.peer_seconds),
            "–" if result.ratio is None else f"{result.ratio:.3g}",
            "" if result.bar is None else f"{result.bar:g}",
            result.note,
        )
    return table


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def _plot(curves: dict[str, list[tuple[int, float]]], path: Path, console: Console) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        console.print("No plot: matplotlib is not installed", style="dim")
        return
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for (name, curve), style in zip(curves.items(), ("o-", "s--"), strict=True):
        lengths, costs = zip(*curve, strict=True)
        axes.loglog(
            lengths, [1e3 * cost for cost in costs], style, label=f"{name}: n^{workloads.exponent(curve):.2f}"
        )
    axes.set(xlabel="rows", ylabel="milliseconds per candidate", title="Cost of one score (k = 10, one thread)")
    axes.grid(which="major", alpha=0.3)
    axes.legend()
    figure.savefig(path)


if __name__ == "__main__":
    main()
