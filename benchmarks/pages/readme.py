"""Figures of the README."""

from __future__ import annotations

from benchmarks.pages.calibration import share_of_200
from benchmarks.pages.claims import Claim, Page
from benchmarks.pages.results import (
    CONTROLLED,
    SEQUENTIAL,
    TOGETHER,
    calibration,
    exact,
    exact_over,
    false_beside,
    from_noise,
    kinds_won,
    large_table,
    n_runs_of,
    numbers_of,
    prediction,
    results_against,
)
from studies.selectors import DEFAULT

_REAL = ("diabetes", "breast cancer", "wine", "housing", "sonar", "tecator")


def _repeated(n_rows: int) -> int:
    return round(100 * calibration(f"Friedman and five noisy copies, n = {n_rows}", "repeated"))


def _seconds() -> tuple[str, str]:
    found = [result["ours_seconds"] for result in _on_real_tables("scikit-learn sequential")]
    return f"{min(found):.1f}", f"{max(found):.0f}"


def _times_as_long(peer: str) -> tuple[str, str]:
    found = [result["ratio"] for result in _on_real_tables(peer)]
    return f"{min(found):.1f}", f"{max(found):.0f}"


def _on_real_tables(peer: str) -> list[dict]:
    found = [result for result in results_against(peer) if result["work"].split(", ")[1] in _REAL]
    if len(found) != len(_REAL):
        raise SystemExit(
            f"The benchmarks beside {peer} are of {len(found)} of the real tables {', '.join(_REAL)}."
        )
    return found


def _numbers_kept() -> tuple[str, str]:
    found = [prediction(data, DEFAULT, "features") for data in numbers_of("prediction")["data sets"]]
    return f"{min(found):.1f}", f"{max(found):.1f}"


def _errors_of_forests() -> tuple[str, str]:
    found = [
        prediction(data, DEFAULT, "random forest") / prediction(data, "all features", "random forest")
        for data in numbers_of("prediction")["data sets"]
    ]
    return f"{min(found):.2f}", f"{max(found):.2f}"


PAGE = Page(
    "README.md",
    (
        Claim(
            "more often than nine other selectors in {} of {} simulated kinds of dependence",
            lambda: kinds_won(100),
        ),
        Claim(
            "Boruta is ahead on thresholds ({} against {} % of runs), the distilled conditional randomisation "
            "test (dCRT) on linear effects ({} against {} %)",
            lambda: (
                *(exact(100, "threshold", who) for who in ("Boruta", DEFAULT)),
                *(exact(100, "linear", who) for who in ("dCRT, forest", DEFAULT)),
            ),
        ),
        Claim(
            "infosift finds all relevant features and no other in {} to {} % of runs, depending on the kind, "
            "Boruta in {} to {} %, scikit-learn's and mlxtend's `SequentialFeatureSelector` with nearest "
            "neighbours in {} to {} %",
            lambda: (*exact_over(100, DEFAULT), *exact_over(100, "Boruta"), *exact_over(100, *SEQUENTIAL)),
        ),
        Claim(
            "There are {} runs of infosift and {} of each other selector",
            lambda: [n_runs_of(who) for who in (DEFAULT, "Boruta")],
        ),
        Claim(
            "infosift selects something from pure noise in {} % of {} runs with ten features, and in {} % with 50",
            lambda: (
                share_of_200("pure noise, d = 10"),
                numbers_of("calibration")["pure noise, d = 10"]["runs"],
                share_of_200("pure noise, d = 50"),
            ),
        ),
        Claim(
            "Boruta does in {} % of {} runs with ten",
            lambda: (from_noise(100, "Boruta"), n_runs_of("Boruta")),
        ),
        Claim("an irrelevant one is selected too in {} to {} % of runs", lambda: false_beside(100, DEFAULT)),
        Claim(
            "do so for a circle, an exclusive or (XOR) or a product in at most {} % of runs",
            lambda: [exact_over(100, *CONTROLLED, kinds=TOGETHER)[1]],
        ),
        Claim(
            "selects more than one of the six in {} of 100 runs with 100 rows and in {} of 100 with 300",
            lambda: map(_repeated, (100, 300)),
        ),
        Claim("10 to 100 features) infosift takes {} to {} s on one core", _seconds),
        Claim("and Boruta {} to {} times as long", lambda: _times_as_long("Boruta")),
        Claim(
            "20,000 rows of 200 features take {} s on two cores, 200 rows of 50,000 features {} minutes",
            lambda: (
                f"{large_table(20_000, 200)['seconds']:.0f}",
                f"{large_table(200, 50_000)['seconds'] / 60:.1f}",
            ),
        ),
        Claim("infosift keeps {} to {} features of 10 to 2,000 on average", _numbers_kept),
        Claim("the error of a random forest is then {} to {} times that with all features", _errors_of_forests),
        Claim(
            "it finds exactly the relevant features in {} % of runs if the dependence is a circle, but in {} % if "
            "it is made of thresholds",
            lambda: [exact(50, kind, DEFAULT) for kind in ("circular", "threshold")],
        ),
        Claim(
            "In 100 rows it finds exactly a circle, an XOR and a product in {} to {} % of runs, Boruta in {} to "
            "{} %",
            lambda: (*exact_over(100, DEFAULT, kinds=TOGETHER), *exact_over(100, "Boruta", kinds=TOGETHER)),
        ),
    ),
    given=(
        # What it needs, and what it takes by default.
        "Python 3.11 or newer",
        "a C++20 compiler (GCC 12, Clang 12 or newer)",
        "(5 % by default)",
        "A target of text, two values or at most 20 different whole numbers",
        "a hundred to twenty thousand rows",
        "At 5 %, infosift",
        # The simulations and the tables.
        "in 100 rows, by kind of dependence",
        "have 100 rows and ten independent features",
        "a relevant feature and five noisy copies of it (correlation 0.985)",
        "On six real tables (178 to 569 rows,",
        "On seven real tables",
        "With 50, it finds",
        # What it does.
        "Your effect needs three or more features at once",
        "The smallest possible is 1 / (permutations + 1)",
        "in random halves of the rows",
        "(ten [criteria]",
        "## Two methods",
        "Verleysen (2007)",
        "Neurocomputing 70 (2007)",
        "BSD-3-Clause",
    ),
)
