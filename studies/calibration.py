"""Error rates of the calibrated method: false positives, and redundant features.

Its power over kinds of dependence is another study (``power``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

from infosift.search.calibrated import Calibrated
from infosift.search.stepwise import Forward
from infosift.selector import MutualInfoSelector
from studies import simulated
from studies.outcome import Outcome, Setting, Table
from studies.simulated import Sample, walks

_SHARES_MISSING = (0.05, 0.2)


@dataclass(frozen=True)
class Situation:
    """A kind of data set, how many to draw, what to count over the runs, and the figure to reach."""

    name: str
    sample: Callable[[int], Sample]
    n_runs: int
    counted: tuple[str, ...]
    to_reach: str
    options: tuple[tuple[str, Any], ...] = ()
    keeps: bool = False  # the relevant features, so that what is counted is a single test


def _situations() -> list[Situation]:
    listed = [
        Situation(f"pure noise, d = {d}", partial(simulated.noise, n=100, d=d), 200, ("any",), "at most 7 %")
        for d in (1, 10, 50, 200)
    ]
    listed += [
        Situation(
            f"Friedman and five noisy copies, n = {n}",
            partial(simulated.friedman, n=n, n_copies=5),
            100,
            ("redundant", "repeated", "groups"),
            f"at most 0.15 / – / {groups}",
        )
        for n, groups in ((100, 4.8), (300, 4.95))
    ]
    exact_copy = partial(simulated.friedman, n=100, n_copies=1, sd=1e-9)
    listed += [
        Situation("a copy but for 1e-9", exact_copy, 100, ("redundant",), "at most 0.02"),
        Situation("exclusive or, n = 200", partial(simulated.exclusive_or, n=200), 100, ("all",), "90 %"),
        Situation("correlated noise", partial(simulated.correlated_noise, n=100), 100, ("clean",), "93 %"),
    ]
    listed += [
        Situation(f"given x0: {name}", partial(simulated.useless, name), 100, ("clean",), "93 %")
        for name in simulated.USELESS
    ]
    return [
        *listed,
        *_single_tests(),
        *_situations_of_columns(),
        *_situations_with_gaps(),
        *_situations_in_time(),
        *_situations_of_people(),
        *_situations_of_pairs(),
        *_paths(),
    ]


def _single_tests() -> list[Situation]:
    """Return tests of a child of a feature that is kept, which is uninformative given that feature."""
    return [
        Situation(
            f"single test given x0: {name}, n = {n}",
            partial(simulated.child, name, n=n),
            300,
            ("unrelated",),
            "at most 8.5 %",
            keeps=True,
        )
        for name in simulated.CHILDREN
        for n in (60, 150, 400)
    ]


def _situations_of_columns() -> list[Situation]:
    """Return kinds of columns that tests find hard: as noise, and with two relevant ones."""
    return [
        Situation(
            f"{kind}, {'two relevant' if number else 'noise'}",
            partial(simulated.of_kind, kind=kind, n_relevant=number),
            200 if number == 0 else 100,
            ("clean", "all") if number else ("any",),
            "93 % clean" if number else "at most 7 %",
        )
        for kind in simulated.KINDS_OF_COLUMNS
        for number in (0, 2)
    ]


def _situations_of_pairs() -> list[Situation]:
    """Return features that matter only together, among few and many others."""
    return [
        Situation(
            f"{name}, n = 833, d = {d:,}",
            partial(simulated.together, name, n=833, d=d),
            20,
            ("all", "exact"),
            "80 %",
        )
        for name in simulated.TOGETHER
        for d in (32, 256, *([2_048] if name in ("ring", "exclusive or") else []))
    ]


def _paths() -> list[Situation]:
    """Return many weak effects, with either error rate along the path."""
    of_rate = (("alpha", 0.1), ("search", Forward(control="fdr")))
    return [
        Situation(
            f"20 of 200 relevant{f' in modules of {module}' if module > 1 else ''}, n = {n}"
            f"{', false discovery rate 10 %' if options else ''}",
            partial(simulated.many_weak, n=n, module=module),
            100,
            ("false share", "sets found"),
            "at most 11 % / –" if options else "–",
            options,
        )
        for module in (1, 5)
        for n in (200, 400)
        for options in ((), of_rate)
    ]


def _situations_of_genes() -> list[Situation]:
    """Return tables with many more features than rows, few of them relevant."""
    return [
        Situation(
            f"{number} of {d:,} features {'in modules ' * modules}relevant, n = {n}, "
            f"{'classes' if classes else 'numbers'}",
            partial(simulated.genes, n=n, d=d, n_relevant=number, modules=modules, classes=classes),
            100,
            ("unrelated", "found"),
            "at most 8 % / –",
        )
        for n, d in product((60, 100), (1_000, 3_000))
        for modules, classes, number in product((False, True), (False, True), (1, 5, 15))
    ]


def _situations_in_time() -> list[Situation]:
    """Return independent, persistent series, with circular shifts as the null."""
    return [
        Situation(
            f"series with persistence {persistence}, n = {n}, d = {d}, shifted in time",
            partial(walks, n=n, d=d, persistence=persistence),
            200,
            ("any",),
            "at most 8 %",
            (("method", Calibrated(null="circular")),),
        )
        for persistence in (0.8, 0.98)
        for n, d in ((200, 8), (300, 6))
    ]


def _situations_of_people() -> list[Situation]:
    """Return repeated measures of people, with more or less of the variance between people."""
    return [
        Situation(
            f"given x0: 30 people of {rows} rows, {100 * share:.0f} % of the variance between them",
            partial(simulated.visits, n_people=30, fewest=fewest, most=most, share=share),
            200,
            ("clean",),
            "93 %",
        )
        for rows, fewest, most in (("6", 6, 6), ("2 to 10", 2, 10))
        for share in (0.3, 0.9)
    ]


def _situations_with_gaps() -> list[Situation]:
    """Return situations with values missing completely at random."""
    noise, friedman = partial(simulated.noise, n=100, d=10), partial(simulated.friedman, n=100)
    long, copies = partial(simulated.friedman, n=300), partial(simulated.friedman, n=300, n_copies=5)
    child = partial(simulated.useless, "a child of a step")
    listed = [
        situation
        for share in _SHARES_MISSING
        for situation in (
            _with_gaps("pure noise, d = 10", noise, share, ("any",), "at most 7 %", 200),
            _with_gaps("Friedman, n = 100", friedman, share, ("clean", "all", "exact"), "93 % clean"),
            _with_gaps("Friedman, n = 300", long, share, ("clean", "all", "exact"), "93 % clean"),
            _with_gaps("given x0: a child of a step", child, share, ("clean",), "93 %"),
        )
    ]
    return [
        *listed,
        _with_gaps("five noisy copies, n = 300", copies, 0.2, ("redundant", "groups"), "at most 0.15 / 4.95"),
    ]


def _with_gaps(
    name: str,
    sample: Callable[[int], Sample],
    share: float,
    counted: tuple[str, ...],
    to_reach: str,
    n_runs: int = 100,
) -> Situation:
    drawn = partial(simulated.with_gaps, sample, share)
    return Situation(f"{name}, {100 * share:.0f} % missing", drawn, n_runs, counted, to_reach)


def run(setting: Setting) -> Outcome:
    """Run the situations with the calibrated method and count."""
    rows, numbers = [], {}
    situations = _situations()[::6] if setting.quick else [*_situations(), *_situations_of_genes()]
    for situation in setting.track(situations, "situations"):
        n_runs = 2 if setting.quick else situation.n_runs
        started = perf_counter()
        shares = count(situation, n_runs, setting.map)
        seconds = (perf_counter() - started) / n_runs
        numbers[situation.name] = {**shares, "runs": n_runs}
        reached = ", ".join(f"{name} {_shown(name, share)}" for name, share in shares.items())
        rows.append((situation.name, situation.to_reach, reached, f"{n_runs}", f"{seconds:.1f}"))
    table = Table(
        "The calibrated method at alpha = 0.05",
        ("situation", "to reach", "reached", "runs", "seconds a run"),
        tuple(rows),
    )
    return Outcome("calibration", (table,), numbers)


def count(situation: Situation, n_runs: int, map_: Callable[..., Iterable[list[int]]] = map) -> dict[str, float]:
    """Select on data sets of a situation, with seeds from 0 on, and return the means of what it counts."""
    runs = map_(partial(_choose, situation.sample, dict(situation.options), situation.keeps), range(n_runs))
    selected = [frozenset(features) for features in runs]
    samples = [situation.sample(seed) for seed in range(n_runs)]
    return {name: _COUNTS[name](selected, samples) for name in situation.counted}


def _choose(sample: Callable[[int], Sample], options: dict[str, Any], keeps: bool, seed: int) -> list[int]:
    drawn = sample(seed)
    kept = sorted(drawn.truth) if keeps else None
    selector = MutualInfoSelector(missing="partial", keep=kept, random_state=seed, n_jobs=1, **options)
    return list(selector.fit(drawn.X, drawn.y, groups=drawn.row_groups).selection_.indices)


def _share(
    holds: Callable[[frozenset[int], Sample], float],
) -> Callable[[Sequence[frozenset[int]], Sequence[Sample]], float]:
    def share(selected: Sequence[frozenset[int]], samples: Sequence[Sample]) -> float:
        return sum(holds(c, s) for c, s in zip(selected, samples, strict=True)) / len(selected)

    return share


def _originals(selected: frozenset[int], sample: Sample) -> frozenset[int]:
    return frozenset(sample.original if column in sample.copies else column for column in selected)


def _sets(selected: frozenset[int], sample: Sample) -> frozenset[int]:
    """Return the relevant features that are selected, or for which another one of their module is."""
    return frozenset(column - column % sample.module for column in selected) & sample.truth


_COUNTS = {
    "any": _share(lambda selected, sample: len(selected) > 0),
    "clean": _share(lambda selected, sample: selected <= sample.truth),
    "all": _share(lambda selected, sample: selected >= sample.truth),
    "unrelated": _share(lambda selected, sample: not selected <= sample.truth | sample.copies),
    "found": _share(lambda selected, sample: len(selected & sample.truth)),
    "sets found": _share(lambda selected, sample: len(_sets(selected, sample))),
    "false share": _share(
        lambda selected, sample: (len(selected) - len(_sets(selected, sample))) / max(1, len(selected))
    ),
    "exact": _share(lambda selected, sample: selected == sample.truth),
    "redundant": _share(lambda selected, sample: len(selected) - len(_originals(selected, sample))),
    "repeated": _share(lambda selected, sample: len(selected) > len(_originals(selected, sample))),
    "groups": _share(lambda selected, sample: len(_originals(selected, sample) & sample.truth)),
}


def _shown(name: str, share: float) -> str:
    return f"{share:.2f}" if name in ("redundant", "groups", "found", "sets found") else f"{100 * share:.1f} %"
