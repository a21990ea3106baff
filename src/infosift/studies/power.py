"""What selectors find over kinds of dependence, ours and those of others."""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import fmean
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

from infosift.studies import dependence
from infosift.studies.outcome import Outcome, Setting, Table
from infosift.studies.rivals import SELECTORS, require_rivals

_ROWS = (50, 100, 300)
_WHO = [name for name in SELECTORS if name != "all features"]
_NOISE = "nothing to find"


def run(setting: Setting) -> Outcome:
    """Let every selector choose on the same data sets, and count."""
    require_rivals()
    n_runs = 2 if setting.quick else 20
    sizes = _ROWS[:1] if setting.quick else _ROWS
    kinds = ["Friedman", *dependence.KINDS, _NOISE]
    cells = list(product(sizes, kinds[::4] if setting.quick else kinds, _WHO))
    numbers: dict[str, Any] = {}
    with setting.processes() as pool:
        for n, kind, who in setting.track(cells, "kinds and selectors"):
            runs = list(pool.map(partial(_one, n, kind, who), range(n_runs)))
            numbers.setdefault(str(n), {}).setdefault(kind, {})[who] = {
                name: fmean(run[name] for run in runs) for name in runs[0]
            }
    return Outcome(
        "power",
        tuple(_table(n, by_kind, n_runs) for n, by_kind in numbers.items()),
        {"runs": n_runs, "rows": numbers},
        remarks=(
            "A cell has the shares of runs, in per cent, in which all features that matter were selected, in "
            "which no other was, and in which exactly these were. Seconds are those of a run on one thread.",
        ),
    )


def _one(n: int, kind: str, who: str, seed: int) -> dict[str, float]:
    sample = dependence.noise(seed, n, 10) if kind == _NOISE else dependence.kind(kind, seed, n)
    with threadpool_limits(1):
        started = perf_counter()
        selected = SELECTORS[who](sample.X, sample.y, seed)
        seconds = perf_counter() - started
    return {
        "all": selected >= sample.truth,
        "clean": selected <= sample.truth,
        "exact": selected == sample.truth,
        "seconds": seconds,
    }


def _table(n: str, by_kind: dict[str, Any], n_runs: int) -> Table:
    rows = [(kind, *(_cell(by_who[who]) for who in _WHO)) for kind, by_who in by_kind.items()]
    seconds = [fmean(by_who[who]["seconds"] for by_who in by_kind.values()) for who in _WHO]
    return Table(
        f"All / clean / exact at n = {n}, of {n_runs} runs, in per cent",
        ("kind", *_WHO),
        (*rows, ("seconds a run", *(f"{value:.2f}" for value in seconds))),
    )


def _cell(shares: dict[str, float]) -> str:
    return " / ".join(f"{100 * shares[name]:.0f}" for name in ("all", "clean", "exact"))
