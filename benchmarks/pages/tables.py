"""Tables of the files by title, in Markdown, as pages show them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from benchmarks.pages.results import numbers_of, results_against
from studies import power, prediction
from studies.outcome import Table

_SEQUENTIAL = "scikit-learn sequential"


@cache
def tables() -> dict[str, str]:
    """Return all tables that pages show."""
    found = [
        *power.outcome(numbers_of("power")["rows"]).tables,
        *prediction.outcome(numbers_of("prediction")["data sets"]).tables,
        *_of_benchmarks(),
    ]
    return {table.title: f"{table.to_markdown()}\n" for table in found}


def _of_benchmarks() -> Iterator[Table]:
    yield Table(
        "CPU time of the default and of a sequential search",
        ("data", "default", "sequential search", "ratio"),
        tuple(
            (
                result["work"].removeprefix("default selection, "),
                f"{result['ours_seconds']:.1f} s",
                f"{result['peer_seconds']:.1f} s",
                f"{result['ours_seconds'] / result['peer_seconds']:.1f}",
            )
            for result in results_against(_SEQUENTIAL)
        ),
    )
    yield Table(
        "The default on large tables, two threads",
        ("table", "time", "peak memory of the process"),
        tuple(
            (
                f"{table['rows']:,} × {table['features']:,}",
                f"{table['seconds']:.0f} s",
                f"{table['peak megabytes'] / 1000:.1f} GB",
            )
            for table in numbers_of("large")["large tables"]
        ),
    )
