"""Tables and the picture of the pages, made from ``docs/results``: ``python -m benchmarks.pages`` writes them.

A page has regions: what stands between ``<!-- table: NAME -->`` and ``<!-- end -->`` is replaced by the tables of
that name. Sentences are not generated: a figure in one is typed by hand, and links to the table that shows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from studies import power, prediction, simulated, survival
from studies.outcome import Table, per_cent
from studies.selectors import DEFAULT

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PICTURE = ROOT / "docs" / "power.svg"
_REGION = re.compile(r"(?P<start><!-- table: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end -->)", re.S)
# Commands that write a file of results; the others are written by the study of their name.
_COMMANDS = {
    "benchmarks": "python -m benchmarks --only default",
    "large": "python -m benchmarks --only large",
}
# Kinds of dependence and features that are uninformative given x0, by their names in the studies.
_KINDS = {
    "Friedman": "the paper's problem, five features",
    "linear": "linear, three features",
    "heteroscedastic": "x0 + exp(0.7 x1) noise",
    "circular": "circle",
    "exclusive or": "exclusive or of two signs",
    "multiplicative": "product of two features",
    "threshold": "thresholds, three features",
    "heavy-tailed noise": "x0 + absolute x1 + heavy-tailed noise",
}
_UNINFORMATIVE = {
    "sixty binary features": "sixty binary features of noise, two classes, n = 120",
    "a child of a step": "a noisy step of x0, as the target is, n = 200",
    "a child of a wave": "a noisy fast wave of x0, as the target is, n = 200",
    "a child whose spread depends on it, classes": "noise whose spread grows with x0, two classes, n = 150",
    "a child that is zero where it is, classes": (
        "a noisy multiple of x0, zero like it in four of ten rows, two classes, n = 150"
    ),
    "a child and a target whose spreads vanish with it": (
        "noise whose spread vanishes with x0, as that of the target does, n = 150"
    ),
    "a child and a target whose noise has two humps or one with it": (
        "noise of two humps where x0 is positive and one elsewhere, as that of the target is, n = 150"
    ),
    "a child of long tails": "x0 with very heavy tails (Cauchy), and a child of it without, n = 150",
}
# Columns of the picture.
_SELECTORS = {
    DEFAULT: "infosift",
    "Boruta": "Boruta",
    "scikit-learn sequential": "scikit-learn\nsequential",
    "mlxtend sequential": "mlxtend\nsequential",
    "L1 path": "L1 path",
    "mRMR, given the number": "mRMR, given\nthe number",
    "dCRT, lasso": "dCRT\n(lasso)",
    "dCRT, forest": "dCRT\n(forest)",
    "knockoffs": "knockoffs",
}
_WIDTHS = (32, 256, 2_048)  # of tables in which features matter together
_LIGHT = 55  # per cent, up to which numbers are written in black


@cache
def results_of(name: str) -> Any:
    """Return the numbers of a study or a benchmark."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        command = _COMMANDS.get(name, f"python -m studies {name}")
        raise SystemExit(f"{file} is not there: {command} --out {RESULTS} writes it.")
    return json.loads(file.read_text(encoding="utf-8"))


def _power(page: str, *n_rows: str) -> list[Table]:
    """Return the shares of exact runs for all numbers of rows, or those of complete and of clean runs for some."""
    rows = results_of("power")["rows"]
    if n_rows:
        return [power.tables(n, rows[n], page)[1] for n in n_rows]
    return [power.tables(n, by_kind, page)[0] for n, by_kind in rows.items()]


def _rates(title: str, situation: str, counted: Mapping[str, str], names: Mapping[str, str]) -> list[Table]:
    """Return what the study of calibration counted: headings by count, labels by situation."""
    numbers = results_of("calibration")
    rows = [
        (label, *(_cell(numbers[name], count) for count in counted), str(numbers[name]["runs"]))
        for name, label in names.items()
    ]
    return [Table(title, (situation, *counted.values(), "runs"), tuple(rows))]


def _cell(counts: Mapping[str, float], name: str) -> str:
    """Return a share of runs in per cent with its interval, or a mean over runs."""
    if name not in counts:
        return "–"
    if name in ("redundant", "groups"):
        return f"{counts[name]:.2f}"
    return per_cent(counts[name], int(counts["runs"]), digits=1 if counts["runs"] > 100 else 0)


def _noise() -> list[Table]:
    names = {f"pure noise, d = {d}": str(d) for d in (1, 10, 50, 200)}
    title = "Pure noise, n = 100: runs in which anything is selected, in per cent"
    return _rates(title, "features", {"any": "false positives"}, names)


def _redundant() -> list[Table]:
    copies = {f"Friedman and five noisy copies, n = {n}": f"five noisy copies of X4, n = {n}" for n in (100, 300)}
    return _rates(
        "The paper's problem with copies of a relevant feature",
        "copies",
        {
            "redundant": "redundant features, mean",
            "repeated": "runs with any, %",
            "groups": "of the five found, mean",
        },
        {
            **copies,
            "five noisy copies, n = 300, 20 % missing": "five noisy copies of X4, n = 300, 20 % of values missing",
            "a copy but for 1e-9": "a copy of X4 that differs by 1e-9, n = 100",
        },
    )


def _kinds() -> list[Table]:
    """Return how often the default is clean, complete and exact for each kind of dependence."""
    rows, sizes = results_of("power")["rows"], ("100", "300")
    shares = [(label, *(_three(rows[n][kind][DEFAULT]) for n in sizes)) for kind, label in _KINDS.items()]
    title = "Runs without a false positive / with all relevant features / exact, in per cent, of 100"
    return [Table(title, ("kind of dependence, ten features", *(f"n = {n}" for n in sizes)), tuple(shares))]


def _three(counts: Mapping[str, float]) -> str:
    return " / ".join(f"{100 * counts[name]:.0f}" for name in ("clean", "all", "exact"))


def _uninformative() -> list[Table]:
    names = {f"given x0: {name}": label for name, label in _UNINFORMATIVE.items()}
    names["correlated noise"] = "thirty features of noise with correlations of 0.9, two relevant ones, n = 100"
    title = "Features that are uninformative given the relevant one: runs in which none is selected, in per cent"
    return _rates(title, "features besides x0, which is relevant", {"clean": "clean"}, names)


def _together() -> list[Table]:
    """Return how often features that matter only together are found whole, among few and many others."""
    numbers = results_of("calibration")
    rows = [
        (name, *(_cell(numbers.get(f"{name}, n = 833, d = {d:,}", {}), "exact") for d in _WIDTHS))
        for name in simulated.TOGETHER
    ]
    title = "Classes of 833 rows: runs with exactly the relevant features, in per cent of 20"
    return [Table(title, ("class", *(f"{d:,} features" for d in _WIDTHS)), tuple(rows))]


def _missing() -> list[Table]:
    numbers, shares = results_of("calibration"), (5, 20)
    clean = "given x0: a child of a step, {} % missing"
    cells = {
        "pure noise, ten features, n = 100: anything selected": ("pure noise, d = 10, {} % missing", "any"),
        "a noisy step of x0, as the target is, n = 200: clean": (clean, "clean"),
    }
    rows = [
        (label, *(_cell(numbers[name.format(share)], count) for share in shares))
        for label, (name, count) in cells.items()
    ]
    rows += [
        (
            f"the paper's problem, n = {n}: clean / all five / exact",
            *(_three(numbers[f"Friedman, n = {n}, {share} % missing"]) for share in shares),
        )
        for n in (100, 300)
    ]
    headings = ("situation", *(f"{share} % missing" for share in shares))
    return [Table("Values missing at random: shares of runs in per cent", headings, tuple(rows))]


def _row_groups() -> list[Table]:
    names = {
        f"given x0: 30 people of {rows} rows, {share} % of the variance between them": f"{rows}; {share} %"
        for rows in ("6", "2 to 10")
        for share in (30, 90)
    }
    title = "Thirty people, one relevant feature of five: runs in which no other is selected, in per cent"
    return _rates(title, "rows of a person; variance between people", {"clean": "clean"}, names)


def _series() -> list[Table]:
    names = {
        f"series with persistence {persistence}, n = {n}, d = {d}, shifted in time": f"{d}; {persistence}; {n}"
        for persistence in (0.8, 0.98)
        for n, d in ((200, 8), (300, 6))
    }
    title = "Independent series, circular shifts: runs in which anything is selected, in per cent"
    return _rates(title, "series; persistence; rows", {"any": "false positives"}, names)


def _default_times() -> list[Table]:
    """Return the processor time of the default, and of peers in multiples of it, on everyday tables."""
    by_work: dict[str, dict[str, Any]] = {}
    for result in results_of("benchmarks")["results"]:
        by_work.setdefault(result["work"].removeprefix("default selection, "), {})[result["peer"]] = result
    peers = list(dict.fromkeys(peer for by_peer in by_work.values() for peer in by_peer))
    rows = tuple(
        (
            work,
            f"{next(iter(by_peer.values()))['ours_seconds']:.1f} s",
            *(_multiple(by_peer[peer]["ratio"]) if peer in by_peer else "–" for peer in peers),
        )
        for work, by_peer in by_work.items()
    )
    return [Table("CPU time of the default, and of others as multiples of it", ("data", "default", *peers), rows)]


def _multiple(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 0.1 else "< 0.1"


def _large_tables() -> list[Table]:
    rows = tuple(
        (
            f"{table['rows']:,} × {table['features']:,}",
            f"{table['seconds']:.0f} s",
            f"{table['peak megabytes'] / 1000:.1f} GB",
        )
        for table in results_of("large")["large tables"]
    )
    return [
        Table("The default on large tables, two threads", ("table", "time", "peak memory of the process"), rows)
    ]


def _survival(place: int) -> list[Table]:
    """Return a table of the study of times until an event."""
    numbers = results_of("survival")
    return [survival.tables(numbers["counts"], numbers["concordance"])[place]]


TABLES: dict[str, Callable[[], list[Table]]] = {
    "power-searches": lambda: _power("searches"),
    "power-error-control": lambda: _power("error control"),
    "power-complete-and-clean": lambda: _power("searches", "100") + _power("error control", "100"),
    "prediction": lambda: list(prediction.outcome(results_of("prediction")["data sets"]).tables),
    "noise": _noise,
    "redundant": _redundant,
    "kinds": _kinds,
    "uninformative": _uninformative,
    "together": _together,
    "missing": _missing,
    "row-groups": _row_groups,
    "series": _series,
    "survival-levels": lambda: _survival(0),
    "survival-power": lambda: _survival(1),
    "survival-concordance": lambda: _survival(2),
    "default-times": _default_times,
    "large-tables": _large_tables,
}


def filled(text: str) -> str:
    """Return a page with the tables of its regions."""

    def region(found: re.Match[str]) -> str:
        if found["name"] not in TABLES:
            raise SystemExit(f"There is no table {found['name']}: give one of {', '.join(TABLES)}.")
        tables = "\n\n".join(table.to_markdown() for table in TABLES[found["name"]]())
        return f"{found['start']}\n{tables}\n\n{found['end']}"

    return _REGION.sub(region, text)


def draw_power(path: Path = PICTURE, n_rows: str = "100") -> None:
    """Draw the shares of exact runs, kinds of dependence by selectors, as SVG with its text as text."""
    import matplotlib
    from matplotlib.figure import Figure

    by_kind = results_of("power")["rows"][n_rows]
    cells = [[by.get(who) for who in _SELECTORS] for by in by_kind.values()]
    shares = np.array([[np.nan if cell is None else 100 * cell["exact"] for cell in row] for row in cells])
    figure = Figure(figsize=(8.6, 4.4), layout="constrained")
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=100, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        shown = "–" if np.isnan(share) else f"{share:.0f}"
        style = {"color": "white" if share > _LIGHT else "black", "weight": "bold" if column == 0 else "normal"}
        ax.text(column, row, shown, ha="center", va="center", **style)
    ax.set_xticks(range(len(_SELECTORS)), list(_SELECTORS.values()), fontsize=9)
    ax.set_yticks(range(len(by_kind)), list(by_kind))
    ax.xaxis.tick_top()
    ax.get_xticklabels()[0].set_weight("bold")
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(_SELECTORS) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(by_kind) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.axhline(len(by_kind) - 1.5, color="white", linewidth=8)  # above the tables with nothing to find
    ax.tick_params(which="both", length=0)
    ours, others = (
        max(cell["runs"] for row in cells for cell in row[span] if cell) for span in (slice(1), slice(1, None))
    )
    ax.set_xlabel(
        f"runs that select exactly the relevant features, in per cent\n"
        f"simulated tables of {n_rows} rows and 10 features; infosift: {ours} runs, others: {others}"
    )
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "infosift", "font.family": "sans-serif"}):
        figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    """Write the tables into all pages, and draw the picture."""
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        if (after := filled(before)) != before:
            page.write_text(after, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: new tables")
    draw_power()


if __name__ == "__main__":
    main()
