"""What studies and benchmarks wrote to ``docs/results``, for the pages that quote it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from studies import power
from studies.selectors import DEFAULT, OURS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
KINDS_TO_FIND = tuple(kind for kind in power.KINDS if kind != power.NOISE)
TOGETHER = ("circular", "exclusive or", "multiplicative")
SEQUENTIAL = ("scikit-learn sequential", "mlxtend sequential")
DISTILLED = ("dCRT, lasso", "dCRT, forest")
CONTROLLED = (*DISTILLED, "knockoffs", "knockoffs+")
# Which command writes a file; all others are of studies.
_COMMANDS = {
    "benchmarks": "python -m benchmarks --only default",
    "large": "python -m benchmarks --only large",
}


@cache
def numbers_of(name: str) -> Any:
    """Return the numbers that a study wrote, or the benchmarks."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        command = _COMMANDS.get(name, f"python -m studies {name}")
        raise SystemExit(f"{file} is not there: {command} --out {RESULTS} writes it.")
    return json.loads(file.read_text(encoding="utf-8"))


def of_power(n_rows: int, kind: str, who: str, counted: str) -> int:
    """Return a share of runs of the study of power, in per cent.

    Those in which exactly the relevant features were selected ("exact"), all of them ("all"), no other ("clean").
    """
    return round(100 * numbers_of("power")["rows"][str(n_rows)][kind][who][counted])


def exact(n_rows: int, kind: str, who: str) -> int:
    """Return the share of runs in which exactly the relevant features were selected, in per cent."""
    return of_power(n_rows, kind, who, "exact")


def exact_over(n_rows: int, *who: str, kinds: Iterable[str] = KINDS_TO_FIND) -> tuple[int, int]:
    """Return the least and the largest share of exact runs over kinds of dependence and selectors."""
    shares = [exact(n_rows, kind, one) for kind in kinds for one in who]
    return min(shares), max(shares)


def kinds_won(n_rows: int) -> tuple[int, int]:
    """Return in how many kinds of dependence, and of how many, our default is exact more often than all others."""
    others = [who for who in power.WHO if who not in OURS]
    won = [exact(n_rows, kind, DEFAULT) > exact_over(n_rows, *others, kinds=[kind])[1] for kind in KINDS_TO_FIND]
    return sum(won), len(won)


def false_beside(n_rows: int, who: str) -> tuple[int, int]:
    """Return the least and the largest share of runs with a feature that is not relevant, in per cent."""
    shares = [100 - of_power(n_rows, kind, who, "clean") for kind in KINDS_TO_FIND]
    return min(shares), max(shares)


def from_noise(n_rows: int, who: str) -> int:
    """Return the share of runs in which something was selected where there was nothing to find, in per cent."""
    return 100 - of_power(n_rows, power.NOISE, who, "clean")


def n_runs_of(who: str) -> int:
    """Return on how many data sets of each kind a selector was run."""
    counts = {by_who[who]["runs"] for by in numbers_of("power")["rows"].values() for by_who in by.values()}
    if len(counts) != 1:
        raise SystemExit(f"{who} was not run as often on every kind of data sets.")
    return int(counts.pop())


def seconds_a_run(n_rows: int, who: str) -> float:
    """Return the processor time of a run of the study of power, over all kinds of dependence."""
    by_kind = numbers_of("power")["rows"][str(n_rows)].values()
    return fmean(by_who[who]["CPU seconds"] for by_who in by_kind if who in by_who)


def seconds_over_ours(n_rows: int, who: str) -> float:
    """Return how many times as much processor time a selector takes as our default."""
    return seconds_a_run(n_rows, who) / seconds_a_run(n_rows, DEFAULT)


def calibration(situation: str, counted: str) -> float:
    """Return what the study of calibration counted."""
    return float(numbers_of("calibration")[situation][counted])


def prediction(data: str, who: str, what: str) -> float:
    """Return a mean over folds of the study of prediction: the error of a model, or another figure."""
    return float(numbers_of("prediction")["data sets"][data][who][what])


def results_against(peer: str) -> list[dict[str, Any]]:
    """Return the benchmarks of the default beside a peer."""
    found = numbers_of("benchmarks")["results"]
    return [result for result in found if result["peer"] == peer and result["work"].startswith("default")]


def large_table(n_rows: int, n_features: int) -> dict[str, Any]:
    """Return what a default selection on a large table took."""
    found = numbers_of("large")["large tables"]
    return next(table for table in found if (table["rows"], table["features"]) == (n_rows, n_features))
