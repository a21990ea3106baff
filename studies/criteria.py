"""Every criterion with every search, by the published method, on two versions of the paper's problem."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from statistics import fmean
from time import process_time

from threadpoolctl import threadpool_limits

from infosift.registry import CRITERIA, SEARCHES
from infosift.selector import MutualInfoSelector
from studies import simulated
from studies.outcome import Outcome, Setting, Table, on_data_sets
from studies.simulated import Sample

N_RUNS, N_RUNS_OF_OTHERS = 100, 20
FORWARD = "forward"
_ROWS = 100
PROBLEMS: dict[str, Callable[[int], Sample]] = {
    "the paper's problem": partial(simulated.friedman, n=_ROWS),
    "with five noisy copies of X4": partial(simulated.friedman, n=_ROWS, n_copies=5),
}
_REMARKS = (
    "The published method at alpha = 0.05; the parameter of a criterion, where it has one, is chosen by "
    "resampling. A cell has the mean number of informative features found, of five, the mean number of others, "
    "and the share of runs with exactly the five, in per cent. A copy of X4 counts as X4 once, and then as "
    "another.",
    "Seconds are those of the processor in a run, on one thread.",
)

Figures = dict[str, float]


def run(setting: Setting) -> Outcome:
    """Let every criterion choose with every search on the same data sets, and count."""
    problems, searches = (tuple(names)[: 1 if setting.quick else None] for names in (PROBLEMS, SEARCHES))
    cells = list(product(problems, CRITERIA, searches))
    numbers: dict[str, dict[str, dict[str, Figures]]] = {}
    for name, criterion, search in setting.track(cells, "criteria and searches"):
        by_search = numbers.setdefault(name, {}).setdefault(criterion, {})
        by_search[search] = cell(name, criterion, search, 1 if setting.quick else None, setting.map)
    return outcome(numbers)


def cell(
    problem: str,
    criterion: str,
    search: str,
    n_runs: int | None = None,
    map_: Callable[..., Iterable[Figures]] = map,
) -> Figures:
    """Let a criterion choose with a search on data sets of a problem; by default as many as the study has."""
    n_runs = n_runs or (N_RUNS if search == FORWARD else N_RUNS_OF_OTHERS)
    runs = list(map_(partial(_one, problem, criterion, search), range(n_runs)))
    return {**{name: fmean(run[name] for run in runs) for name in runs[0]}, "runs": n_runs}


def outcome(numbers: dict[str, dict[str, dict[str, Figures]]]) -> Outcome:
    """Return the tables of cells, by problem, criterion and search, from one run or several."""
    tables = [
        table
        for name, by_criterion in numbers.items()
        for table in (
            _table(f"Informative / others / exact, {name}", by_criterion, _counts),
            _table(f"CPU seconds a run, {name}", by_criterion, lambda found: f"{found['CPU seconds']:.2f}"),
        )
    ]
    return Outcome("criteria", tuple(tables), numbers, remarks=_REMARKS)


def _one(problem: str, criterion: str, search: str, seed: int) -> Figures:
    sample = PROBLEMS[problem](seed)
    selector = MutualInfoSelector(
        method="published", criterion=criterion, search=search, random_state=seed, n_jobs=1
    )
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        started = process_time()
        selected = selector.fit(sample.X, sample.y).selection_.indices
        seconds = process_time() - started
    originals = {sample.original if column in sample.copies else column for column in selected}
    informative = len(originals & sample.truth)
    return {
        "informative": informative,
        "others": len(selected) - informative,
        "exact": informative == len(sample.truth) == len(selected),
        "CPU seconds": seconds,
    }


def _table(title: str, by_criterion: dict[str, dict[str, Figures]], shown: Callable[[Figures], str]) -> Table:
    searches = list(dict.fromkeys(search for by_search in by_criterion.values() for search in by_search))
    rows = tuple(
        (criterion, *(shown(by_search[search]) if search in by_search else "–" for search in searches))
        for criterion, by_search in by_criterion.items()
    )
    return Table(f"{title}; n = {_ROWS}, {_runs(by_criterion)}", ("criterion", *searches), rows)


def _runs(by_criterion: dict[str, dict[str, Figures]]) -> str:
    runs: dict[str, set[int]] = {}
    for by_search in by_criterion.values():
        for search, found in by_search.items():
            name = search if search == FORWARD else "the others"
            runs.setdefault(name, set()).add(int(found["runs"]))
    return on_data_sets(runs)


def _counts(found: Figures) -> str:
    return f"{found['informative']:.1f} / {found['others']:.1f} / {100 * found['exact']:.0f}"
