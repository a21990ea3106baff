"""What studies wrote to ``docs/results``, for the pages that quote it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from infosift.studies import power
from infosift.studies.rivals import DEFAULT

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
KINDS_TO_FIND = tuple(kind for kind in power.KINDS if kind != power.NOISE)


@cache
def numbers_of(name: str) -> Any:
    """Return the numbers that a study wrote."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        raise SystemExit(f"{file} is not there: infosift study {name} --out {RESULTS} writes it.")
    return json.loads(file.read_text(encoding="utf-8"))


def exact(n_rows: int, kind: str, who: str) -> int:
    """Return the share of runs in which exactly the relevant features were selected, in per cent."""
    return round(100 * numbers_of("power")["rows"][str(n_rows)][kind][who]["exact"])


def found_all(n_rows: int, kind: str, who: str) -> int:
    """Return the share of runs in which all relevant features were selected, in per cent."""
    return round(100 * numbers_of("power")["rows"][str(n_rows)][kind][who]["all"])


def exact_over(n_rows: int, *who: str, kinds: Iterable[str] = KINDS_TO_FIND) -> tuple[int, int]:
    """Return the least and the largest share of exact runs over kinds of dependence and selectors."""
    shares = [exact(n_rows, kind, one) for kind in kinds for one in who]
    return min(shares), max(shares)


def false_beside(n_rows: int, who: str) -> tuple[int, int]:
    """Return the least and the largest share of runs with a feature that is not relevant, in per cent."""
    by_kind = numbers_of("power")["rows"][str(n_rows)]
    shares = [round(100 * (1 - by_kind[kind][who]["clean"])) for kind in KINDS_TO_FIND]
    return min(shares), max(shares)


def from_noise(n_rows: int, who: str) -> int:
    """Return the share of runs in which something was selected where there was nothing to find, in per cent."""
    return round(100 * (1 - numbers_of("power")["rows"][str(n_rows)][power.NOISE][who]["clean"]))


def n_runs_of(who: str) -> int:
    """Return on how many data sets of each kind a selector was run."""
    counts = {by_who[who]["runs"] for by in numbers_of("power")["rows"].values() for by_who in by.values()}
    if len(counts) != 1:
        raise SystemExit(f"{who} was not run as often on every kind of data sets.")
    return int(counts.pop())


def seconds_over_ours(n_rows: int, who: str) -> float:
    """Return how many times as much processor time a selector takes as our default."""
    by_kind = numbers_of("power")["rows"][str(n_rows)].values()
    theirs, ours = (fmean(by_who[one]["CPU seconds"] for by_who in by_kind) for one in (who, DEFAULT))
    return theirs / ours
