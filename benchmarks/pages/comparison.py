"""Figures of the page about other selectors."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import geometric_mean

from benchmarks.pages.claims import Claim, Page
from benchmarks.pages.results import (
    CONTROLLED,
    DISTILLED,
    SEQUENTIAL,
    TOGETHER,
    exact,
    exact_over,
    from_noise,
    n_runs_of,
    numbers_of,
    of_power,
    prediction,
    seconds_a_run,
    seconds_over_ours,
)
from studies.prediction import MODELS
from studies.selectors import DEFAULT, OF_GIVEN_SIZE, OURS

_ROWS = (50, 100, 300)
_QUICK = ("mRMR, told the number", "L1 path", "knockoffs", "knockoffs+")
_L1_TOLD, _MRMR = OF_GIVEN_SIZE
_ALL, _NEIGHBORS, _FOREST, _LINEAR = "all features", *MODELS


def _data_sets() -> list[str]:
    return list(numbers_of("prediction")["data sets"])


def _error(model: str, data: str, who: str) -> str:
    return f"{prediction(data, who, model):.3f}"


def _kept(data: str, who: str = DEFAULT) -> str:
    return f"{prediction(data, who, 'features'):.1f}"


def _least_and_largest(values: Iterable[float]) -> tuple[str, str]:
    shown = list(values)
    return f"{min(shown):.1f}", f"{max(shown):.1f}"


def _with_ours_and_all(model: str, data: str) -> tuple[str, str, str]:
    return _error(model, data, DEFAULT), _kept(data), _error(model, data, _ALL)


def _with_all_borutas_and_ours(data: str) -> list[str]:
    by_boruta = (_error(_FOREST, data, "Boruta"), _kept(data, "Boruta"))
    return [_error(_FOREST, data, _ALL), *by_boruta, _error(_FOREST, data, DEFAULT), _kept(data)]


def _over_ours(who: str) -> list[str]:
    """Return the error of a selector over that of our default, by model, in the geometric mean over data sets."""

    def over(data: str, model: str) -> float:
        return prediction(data, who, model) / prediction(data, DEFAULT, model)

    return [f"{geometric_mean(over(data, model) for data in _data_sets()):.2f}" for model in MODELS]


def _ours_over_best() -> list[str]:
    ratios = numbers_of("prediction")["ratios"]
    return [f"{geometric_mean(found['ratio'] for found in ratios[model].values()):.2f}" for model in MODELS]


PAGE = Page(
    "docs/comparison.md",
    (
        Claim(
            "{} of each for the others, and {} for ours",
            lambda: [n_runs_of(who) for who in ("Boruta", DEFAULT)],
        ),
        Claim(
            "are found by the dCRT with a lasso in {} % of runs, by ours in {} %",
            lambda: [of_power(50, "linear", who, "all") for who in ("dCRT, lasso", DEFAULT)],
        ),
        Claim(
            "they find exactly what matters in {} % of runs at best, ours in {} % or more",
            lambda: (
                exact_over(100, *CONTROLLED, kinds=TOGETHER)[1],
                exact_over(100, DEFAULT, kinds=TOGETHER)[0],
            ),
        ),
        Claim(
            "(exact in {} and {} % of runs against {} and {} %)",
            lambda: [exact(n, "threshold", who) for who in ("Boruta", DEFAULT) for n in (50, 100)],
        ),
        Claim(
            "At n = 300 the sequential searches and the dCRT are exact in {} % of runs, ours in {} %, Boruta in "
            "{} %",
            lambda: (
                exact_over(300, *SEQUENTIAL, *DISTILLED, kinds=["threshold"])[0],
                *(exact(300, "threshold", who) for who in (DEFAULT, "Boruta")),
            ),
        ),
        Claim(
            "At n = 100 mRMR, the L1 path and knockoffs take at most {} s, the default {} s",
            lambda: [f"{max(seconds_a_run(100, who) for who in group):.2f}" for group in (_QUICK, (DEFAULT,))],
        ),
        Claim(
            "the dCRT with a lasso is exact in {} % of runs, ours in {} %",
            lambda: [exact(50, "linear", who) for who in ("dCRT, lasso", DEFAULT)],
        ),
        Claim(
            "Boruta takes {} times as long as the default at n = 100, "
            "scikit-learn's sequential search {} times and mlxtend's {} times",
            lambda: [round(seconds_over_ours(100, who)) for who in ("Boruta", *SEQUENTIAL)],
        ),
        Claim(
            "It takes at most {} s on the real tables below, our default {} to {} s",
            lambda: (
                f"{max(prediction(data, _MRMR, 'CPU seconds') for data in _data_sets()):.2f}",
                *_least_and_largest(prediction(data, DEFAULT, "CPU seconds") for data in _data_sets()),
            ),
        ),
        Claim(
            "The default keeps {} to {} features on average",
            lambda: _least_and_largest(prediction(data, DEFAULT, "features") for data in _data_sets()),
        ),
        Claim(
            "the error on housing is {} with {} features and {} with all 13",
            lambda: _with_ours_and_all(_NEIGHBORS, "housing"),
        ),
        Claim(
            "on breast cancer it is {} with {} and {} with all 30",
            lambda: _with_ours_and_all(_NEIGHBORS, "breast cancer"),
        ),
        Claim(
            "the error on nitrogen is {} with {} features and {} with all 1,050",
            lambda: _with_ours_and_all(_FOREST, "nitrogen"),
        ),
        Claim(
            "Their error on tecator is {} with {} features and {} with all 100",
            lambda: _with_ours_and_all(_LINEAR, "tecator"),
        ),
        Claim(
            "on nitrogen it is {} with {} and {} with all 1,050", lambda: _with_ours_and_all(_LINEAR, "nitrogen")
        ),
        Claim(
            "the error of a forest is {} with all 60 features, {} with Boruta's {} and {} with our {}",
            lambda: _with_all_borutas_and_ours("sonar"),
        ),
        Claim(
            "On colon it is {} with all 2,000, {} with Boruta's {} and {} with our {}",
            lambda: _with_all_borutas_and_ours("colon"),
        ),
        Claim("in the tecator spectra:** {} features on average", lambda: [_kept("tecator", "Boruta")]),
        Claim(
            "keeps {} features of tecator and {} of sonar",
            lambda: [_kept(data, "published") for data in ("tecator", "sonar")],
        ),
        Claim(
            "keeps {} to {} times as many features as our default",
            lambda: _least_and_largest(
                prediction(data, "L1 path", "features") / prediction(data, DEFAULT, "features")
                for data in _data_sets()
            ),
        ),
        Claim(
            "its error is that of our default times {} by nearest neighbours, {} by forests and {} by linear "
            "models",
            lambda: _over_ours(_L1_TOLD),
        ),
        Claim("that of mRMR is {}, {} and {} times ours", lambda: _over_ours(_MRMR)),
        Claim(
            "ours is {} by nearest neighbours, {} by forests and {} by linear models, in the geometric mean",
            _ours_over_best,
        ),
        Claim(
            "the sequential selectors select something in {} % of runs, and Boruta in {} to {} %",
            lambda: (
                min(from_noise(n, who) for n in _ROWS for who in SEQUENTIAL),
                min(from_noise(n, "Boruta") for n in _ROWS),
                max(from_noise(n, "Boruta") for n in _ROWS),
            ),
        ),
        Claim(
            "our published method in {} % of runs at n = 100, the default in {} %",
            lambda: [from_noise(100, who) for who in OURS],
        ),
    ),
    given=(
        # scikit-learn's functions and ours.
        "Noise of 1e-10 standard deviations",
        "Scikit-learn adds 1e-10 times the mean absolute value",
        "6 by default, and as many as there can be with fewer than 8 rows",
        "Scikit-learn's default is 3",
        "has two values, or few whole numbers",
        "takes text and columns with two values as categories",
        # The studies.
        "runs eight kinds of dependence and pure noise, ten features each",
        "with its 95 % interval",
        "forests of depth 5 and 50 rounds",
        "wrap five nearest neighbours, five-fold. The tolerance is 0.01",
        "the family-wise error at 5 %, knockoffs+ the false discovery rate at 20 %",
        "at which they select five features",
        "on a machine of two cores",
        "The dCRT on linear effects in 50 rows",
        "three linear features at n = 50",
        "a product at n = 100",
        "Boruta is ahead at n = 50 and 100",
        "At n = 50 the dCRT",
        "means over five folds",
        "two processes side by side on two cores",
        "The best peer with at most 30 features",
    ),
)
