"""Numbers that are none, too large or of another kind: refused in one sentence, or the result can be written."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from infosift import (
    KSG,
    Calibrated,
    Filter,
    Floating,
    GammaTest,
    Histogram,
    InputError,
    KernelDensity,
    MutualInfoSelector,
    Published,
    QuadraticMI,
    Selection,
    compare_subsets,
    mutual_information,
    permutation_test,
    selection_stability,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + 0.3 * RNG.normal(size=40)
ODD = [
    *(float("nan"), float("inf"), -float("inf"), 10**400, -(10**400), 10**5000, 2**70, 1.5, -1, 0, True, 1e-320),
    *("3", b"1", Fraction(1, 3), Decimal("0.05"), 1j, np.float64("nan"), np.int64(3), np.arange(2), object()),
]
ASKED = {
    **{name: (MutualInfoSelector, name) for name in ("alpha", "min_features", "max_features", "time_limit")},
    **{name: (MutualInfoSelector, name) for name in ("n_jobs", "verbose", "scale", "discrete_target")},
    **{name: (MutualInfoSelector, name) for name in ("discrete_features", "keep", "random_state")},
    "Calibrated": (Calibrated, "n_permutations"),
    "Published": (Published, "n_permutations"),
    "n_folds": (Published, "n_folds"),
    "t_threshold": (Published, "t_threshold"),
    "Floating": (Floating, "add"),
    "Filter": (Filter, "control"),
    "KSG": (KSG, "n_neighbors"),
    "max_neighbors": (KSG, "max_neighbors"),
    "GammaTest": (GammaTest, "n_neighbors"),
    "Histogram": (Histogram, "bins"),
    "KernelDensity": (KernelDensity, "bandwidth"),
    "QuadraticMI": (QuadraticMI, "bandwidth"),
}
ROLES = {Calibrated: "method", Published: "method", Floating: "search", Filter: "search"}


def selector_with(kind, name, value):
    options = {"random_state": 0, "max_features": 1}
    if kind is MutualInfoSelector:
        return MutualInfoSelector(**{**options, name: value})
    return MutualInfoSelector(**options, **{ROLES.get(kind, "criterion"): kind(**{name: value})})


def shown(value):
    return type(value).__name__ if isinstance(value, int) and value.bit_length() > 100 else repr(value)[:20]


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
@pytest.mark.parametrize("asked", ASKED)
def test_an_odd_number_is_refused_or_can_be_written(asked):
    kind, name = ASKED[asked]
    for value in ODD:
        said = ""
        try:
            selection = selector_with(kind, name, value).fit(X, Y).selection_
            assert Selection.from_json(selection.to_json()) == selection, shown(value)
        except InputError as error:
            said = str(error)
        assert len(said.splitlines()) < 2, shown(value)
        assert len(said) < 600, shown(value)


@pytest.mark.parametrize("seconds", [float("inf"), np.inf, 10**400, None])
def test_a_time_without_end_is_no_limit(seconds):
    selection = MutualInfoSelector(time_limit=seconds, random_state=0, max_features=1).fit(X, Y).selection_
    assert selection.settings.time_limit is None
    assert not selection.is_partial
    assert Selection.from_json(selection.to_json()) == selection


@pytest.mark.parametrize("seconds", [float("nan"), -float("inf"), 0, -1, True, "1", 1j, -(10**400)])
def test_what_is_no_time_is_refused(seconds):
    with pytest.raises(InputError, match=r"^time_limit must be a number above 0, not "):
        MutualInfoSelector(time_limit=seconds).fit(X, Y)


def test_levels_that_no_permutation_reaches_are_refused():
    for alpha in (1e-10, 1e-320):
        with pytest.raises(InputError, match=f"alpha must be at least 1e-09, or no .* not {alpha}"):
            MutualInfoSelector(alpha=alpha).fit(X, Y)
        with pytest.raises(InputError, match="alpha must be at least"):
            permutation_test(X[:, 0], Y, alpha=alpha)


@pytest.mark.parametrize(
    "ask",
    [
        lambda value: mutual_information(X, Y, n_neighbors=value),
        lambda value: permutation_test(X[:, 0], Y, n_permutations=value),
        lambda value: selection_stability(MutualInfoSelector(), X, Y, n_resamples=value),
        lambda value: selection_stability(MutualInfoSelector(), X, Y, n_resamples=2, n_jobs=value),
        lambda value: selection_stability(MutualInfoSelector(), X, Y, n_resamples=2, verbose=value),
        lambda value: compare_subsets(X, Y, "ridge", cv=value),
        lambda value: compare_subsets(X, Y, "ridge", n_jobs=value),
    ],
)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1.5, 2**70, 10**5000, np.float64(3)], ids=shown)
def test_functions_refuse_what_is_no_count(ask, value):
    with pytest.raises(InputError):
        ask(value)
