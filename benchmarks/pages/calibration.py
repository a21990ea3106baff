"""Figures of the calibrated method, on the pages about it and its statistics."""

from __future__ import annotations

from benchmarks.pages.claims import Claim, Page
from benchmarks.pages.results import calibration, exact, numbers_of, of_power
from studies.selectors import DEFAULT
from studies.simulated import KINDS, USELESS

_NOISE = tuple(f"pure noise, d = {d}" for d in (1, 10, 50, 200))
_ROWS = (100, 300)
_MISSING = (5, 20)
_PEOPLE = [(rows, share) for rows in ("6", "2 to 10") for share in (30, 90)]
# What the study names, and how the page calls it.
_KINDS = {
    "linear": "linear, three features",
    "heteroscedastic": "x0 + exp(0.7 x1) noise",
    "circular": "circular",
    "exclusive or": "exclusive or",
    "multiplicative": "product",
    "threshold": "thresholds, three features",
    "heavy-tailed noise": "x0 + absolute x1 + heavy-tailed noise",
}
_DECEIVERS = {
    "sixty binary features": "sixty binary features of noise, two classes, n = 120",
    "a child of a step": "a noisy step of x0, as the target is, n = 200",
    "a child of a wave": "a noisy fast wave of x0, as the target is, n = 200",
    "a child whose spread depends on it, classes": "noise whose spread grows with x0, two classes, n = 150",
    "a child that is zero where it is, classes": "a noisy multiple of x0, zero like it in four of ten rows, "
    "two classes, n = 150",
    "a child and a target whose spreads vanish with it": "noise whose spread vanishes with x0, as that of the "
    "target does, n = 150",
    "a child and a target whose noise has two humps or one with it": "noise of two humps where x0 is positive and "
    "one elsewhere, as that of the target is, n = 150",
    "a child of long tails": "x0 with very heavy tails (Cauchy), and a child of it without, n = 150",
}


def share(situation: str, counted: str) -> int:
    """Return a share of runs in per cent."""
    return round(100 * calibration(situation, counted))


def share_of_200(situation: str, counted: str = "any") -> str:
    """Return a share of 200 runs in per cent."""
    return f"{100 * calibration(situation, counted):.1f}"


def mean(situation: str, counted: str) -> str:
    """Return a mean over runs."""
    return f"{calibration(situation, counted):.2f}"


def _shares(situation: str) -> list[int]:
    return [share(situation, counted) for counted in ("clean", "all", "exact")]


def _shares_of_kind(kind: str, n_rows: int) -> list[int]:
    return [of_power(n_rows, kind, DEFAULT, counted) for counted in ("clean", "all", "exact")]


def _least_and_largest(shares: list[int]) -> tuple[int, int]:
    return min(shares), max(shares)


def _falsely_selected(rows: str, share: int) -> int:
    name = f"beside x0: 30 people of {rows} rows, {share} % of the variance between them"
    return round(numbers_of("calibration")[name]["runs"] * (1 - calibration(name, "clean")))


_COPIES = [f"Friedman and five noisy copies, n = {n}" for n in _ROWS]
METHOD = Page(
    "docs/method.md",
    (
        Claim(
            "| pure noise, n = 100, d = 1 / 10 / 50 / 200: anything selected | {} / {} / {} / {} % |",
            lambda: map(share_of_200, _NOISE),
        ),
        Claim(
            "| the paper's problem, n = 100: clean / all five / exactly these | {} / {} / {} % |",
            lambda: _shares_of_kind("Friedman", 100),
        ),
        Claim("| the same, n = 300: exactly these | {} % |", lambda: [exact(300, "Friedman", DEFAULT)]),
        Claim(
            "redundant features on average; how many of the five found | {} / {}; {} / {} |",
            lambda: [mean(name, counted) for counted in ("redundant", "groups") for name in _COPIES],
        ),
        Claim(
            "| with a copy that differs by 1e-9: redundant features on average | {} |",
            lambda: [mean("a copy but for 1e-9", "redundant")],
        ),
        Claim("n = 200: both found | {} % |", lambda: [share("exclusive or, n = 200", "all")]),
        Claim("two relevant: clean | {} % |", lambda: [share("correlated noise", "clean")]),
        *(
            Claim(
                f"| {shown} | {{}} / {{}} / {{}} % | {{}} / {{}} / {{}} % |",
                lambda name=name: [one for n in _ROWS for one in _shares_of_kind(name, n)],
            )
            for name, shown in _KINDS.items()
        ),
        *(
            Claim(f"| {shown} | {{}} % |", lambda name=name: [share(f"beside x0: {name}", "clean")])
            for name, shown in _DECEIVERS.items()
        ),
        Claim(
            "| pure noise, n = 100, d = 10: anything selected | {} % | {} % |",
            lambda: [share_of_200(f"pure noise, d = 10, {missing} % missing") for missing in _MISSING],
        ),
        Claim(
            "| the paper's problem, n = 100: clean / all five / exactly these | {} / {} / {} % | {} / {} / {} % |",
            lambda: [one for missing in _MISSING for one in _shares(f"Friedman, n = 100, {missing} % missing")],
        ),
        Claim(
            "| the same, n = 300 | {} / {} / {} % | {} / {} / {} % |",
            lambda: [one for missing in _MISSING for one in _shares(f"Friedman, n = 300, {missing} % missing")],
        ),
        Claim(
            "| a noisy step of x0, as the target is, n = 200: clean | {} % | {} % |",
            lambda: [share(f"beside x0: a child of a step, {missing} % missing", "clean") for missing in _MISSING],
        ),
        Claim(
            "redundant features on average; how many of the five found | | {}; {} |",
            lambda: [mean("five noisy copies, n = 300, 20 % missing", what) for what in ("redundant", "groups")],
        ),
    ),
)
STATISTICS = Page(
    "docs/statistics.md",
    (
        Claim(
            "*Simulated:* {}, {}, {} and {} % of 200 tables with 1, 10, 50 and 200 features of noise",
            lambda: map(share_of_200, _NOISE),
        ),
        Claim(
            "clean in {} to {} % of 100 tables of each of eight kinds",
            lambda: _least_and_largest([share(f"beside x0: {name}", "clean") for name in USELESS]),
        ),
        Claim(
            "clean in {} % of 100 tables of the paper's problem with 100 rows, in {} % with thirty correlated "
            "features of noise, and in {} to {} % over seven kinds of dependence and two sizes",
            lambda: (
                of_power(100, "Friedman", DEFAULT, "clean"),
                share("correlated noise", "clean"),
                *_least_and_largest([of_power(n, kind, DEFAULT, "clean") for n in _ROWS for kind in KINDS]),
            ),
        ),
        *(
            Claim(
                f"| {rows} | {of_people} % | {{}} of 200 |",
                lambda one=(rows, of_people): [_falsely_selected(*one)],
            )
            for rows, of_people in _PEOPLE
        ),
        Claim(
            "from ten features of noise in {} and {} % of 200 tables, with 5 and 20 % missing",
            lambda: [share_of_200(f"pure noise, d = 10, {missing} % missing") for missing in _MISSING],
        ),
    ),
)
