"""Power over kinds of dependence, of our methods and of other selectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from statistics import fmean
from time import process_time
from typing import Any

from threadpoolctl import threadpool_limits

from studies import simulated
from studies.outcome import Outcome, Setting, Table, on_data_sets, per_cent
from studies.selectors import DEFAULT, OF_GIVEN_SIZE, OURS, prepare, require_installed, select_by
from studies.simulated import Sample

N_RUNS, N_RUNS_OF_OTHERS = 100, 20
_ROWS = (50, 100, 300)
NOISE = "nothing to find"
KINDS = ("Friedman", *simulated.KINDS, NOISE)
_SEARCHES = ("Boruta", "scikit-learn sequential", "mlxtend sequential", "L1 path", "mRMR, given the number")
_CONTROLLED = ("dCRT, lasso", "dCRT, forest", "knockoffs", "knockoffs+")
WHO = (*OURS, *_SEARCHES, *_CONTROLLED)
# Columns of the tables: one with searches, one with selectors that control an error rate.
PAGES = {"searches": (*OURS, *_SEARCHES), "error control": (DEFAULT, *_CONTROLLED)}
_REMARKS = (
    "Shares of runs are in per cent: those in which exactly the relevant features were selected, with a 95 % "
    "interval (Wilson), those in which all of them were, and those in which no other was. Seconds are those of "
    "the processor in a run, on one thread.",
    f"In full, ours run on {N_RUNS} data sets of each kind, the others on the first {N_RUNS_OF_OTHERS} of these.",
    "mRMR is given the number of features that matter, which nobody knows of real data. The distilled conditional "
    "randomisation tests (dCRT) keep the family-wise error at 5 % by Bonferroni. Knockoffs+ keep the false "
    "discovery rate at 20 %, at which they select at least five features or none. Knockoffs keep a modified rate "
    "at 20 %, and may select any number.",
)

Figures = dict[str, float]


def run(setting: Setting) -> Outcome:
    """Let every selector choose on the same data sets, and count."""
    kinds = KINDS[::8] if setting.quick else KINDS
    require_installed(WHO)
    cells = [
        (n, kind, one)
        for n, kind, one in product(_ROWS[:1] if setting.quick else _ROWS, kinds, WHO)
        if kind != NOISE or one not in OF_GIVEN_SIZE  # there are none to keep
    ]
    numbers: dict[str, Any] = {}
    for n, kind, one in setting.track(cells, "kinds and selectors"):
        by_who = numbers.setdefault(str(n), {}).setdefault(kind, {})
        by_who[one] = cell(n, kind, one, (2 if one in OURS else 1) if setting.quick else None, setting.map)
    return outcome(numbers)


def cell(
    n: int,
    kind: str,
    who: str,
    n_runs: int | None = None,
    map_: Callable[..., Iterable[Figures]] = map,
) -> Figures:
    """Let a selector choose on data sets of a kind with n rows; by default as many as the study has."""
    n_runs = n_runs or (N_RUNS if who in OURS else N_RUNS_OF_OTHERS)
    runs = list(map_(partial(_one, n, kind, who), range(n_runs)))
    return {**{name: fmean(run[name] for run in runs) for name in runs[0]}, "runs": n_runs}


def outcome(numbers: dict[str, dict[str, dict[str, Figures]]]) -> Outcome:
    """Return the tables of cells, by number of rows, kind and selector, from one run or several."""
    cells = product(numbers.items(), PAGES)
    all_tables = [table for (n, by_kind), page in cells for table in tables(n, by_kind, page)]
    return Outcome("power", tuple(all_tables), {"rows": numbers}, remarks=_REMARKS)


def tables(n: str, by_kind: dict[str, dict[str, Figures]], page: str) -> list[Table]:
    """Return the table of exact runs and that of complete and of clean ones, for the selectors of a page.

    There are none where no selector of the page was run, or only our default for comparison.
    """
    measured = {one for by_who in by_kind.values() for one in by_who}
    who = [one for one in PAGES[page] if one in measured]
    if not who or (page == "error control" and who == [DEFAULT]):
        return []
    what = f"n = {n}, {page}; {_runs(by_kind, who)}"
    seconds = [fmean(by[one]["CPU seconds"] for by in by_kind.values() if one in by) for one in who]
    exact = [(kind, *(_exact(by_who.get(one)) for one in who)) for kind, by_who in by_kind.items()]
    both = [(kind, *(_all_and_clean(by_who.get(one)) for one in who)) for kind, by_who in by_kind.items()]
    time = ("CPU seconds a run", *(f"{value:.2f}" for value in seconds))
    return [
        Table(f"Exactly the relevant features, {what}", ("kind", *who), (*exact, time)),
        Table(f"All relevant features / no other, {what}", ("kind", *who), tuple(both)),
    ]


def _one(n: int, kind: str, who: str, seed: int) -> Figures:
    sample = _draw(n, kind, seed)
    prepare(who)
    with threadpool_limits(1):
        started = process_time()
        selected = select_by(who, sample.X, sample.y, seed, len(sample.truth))
        seconds = process_time() - started
    return {
        "all": selected >= sample.truth,
        "clean": selected <= sample.truth,
        "exact": selected == sample.truth,
        "CPU seconds": seconds,
    }


def _draw(n: int, kind: str, seed: int) -> Sample:
    return simulated.noise(seed, n, 10) if kind == NOISE else simulated.kind(kind, seed, n)


def _runs(by_kind: dict[str, dict[str, Figures]], who: list[str]) -> str:
    runs: dict[str, set[int]] = {}
    for one, by_who in product(who, by_kind.values()):
        if one in by_who:
            runs.setdefault("ours" if one in OURS else "others", set()).add(int(by_who[one]["runs"]))
    return on_data_sets(runs)


def _exact(shares: Figures | None) -> str:
    return "–" if shares is None else per_cent(shares["exact"], int(shares["runs"]))


def _all_and_clean(shares: Figures | None) -> str:
    return "–" if shares is None else f"{100 * shares['all']:.0f} / {100 * shares['clean']:.0f}"
