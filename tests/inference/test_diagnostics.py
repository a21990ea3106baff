"""Power by closed form, and the detection of rows that are not exchangeable."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from infosift import Calibrated, MutualInfoSelector
from infosift.data.frames import read_array
from infosift.data.table import make_table
from infosift.data.targets import decide_kinds, read_target
from infosift.engines.base import ThreadEngine
from infosift.inference.diagnostics import (
    corrected_for_selection,
    effective_comparisons,
    serial_dependence,
    smallest_detectable_correlation,
)
from studies.simulated import walks


def best_statistics(n_comparisons, n_rows, n_draws, seed=0):
    """The largest cube root of a squared rank correlation, studentised, over independent comparisons."""
    rng = np.random.default_rng(seed)
    ranks = rankdata(rng.normal(size=(n_draws, n_comparisons, n_rows)), axis=2)
    target = np.arange(n_rows) - (n_rows - 1) / 2
    roots = np.cbrt(((ranks - ranks.mean(axis=2, keepdims=True)) @ target) ** 2)
    return ((roots - roots.mean(axis=0)) / roots.std(axis=0)).max(axis=1)


@pytest.mark.parametrize("n_comparisons", [3, 20, 100])
def test_independent_comparisons_are_counted(n_comparisons):
    # By a binomial share of 400 draws, log(0.8) and hence the number are known to 10 %.
    found = effective_comparisons(best_statistics(n_comparisons, 60, 400), 60)
    assert n_comparisons / 1.5 < found < n_comparisons * 1.5


def test_copies_count_once():
    null = best_statistics(4, 60, 400)
    assert effective_comparisons(null, 60) == pytest.approx(4, rel=0.4)
    assert effective_comparisons(np.full(99, -1.0), 60) == 1


def test_more_rows_and_fewer_features_show_weaker_correlations():
    few, many = best_statistics(5, 60, 200), best_statistics(100, 60, 200)
    found = [smallest_detectable_correlation(few, n, 0.05) for n in (5, 20, 60, 200, 5000)]
    assert all(one > other for one, other in pairwise(found))
    assert 0 < found[-1] < 0.1
    assert found[0] <= 1
    assert smallest_detectable_correlation(many, 60, 0.05) > found[2]
    assert smallest_detectable_correlation(few, 60, 0.01) > found[2]


def test_nothing_is_said_of_a_handful_of_rows_or_without_surrogates():
    assert smallest_detectable_correlation(np.zeros(99), 4, 0.05) is None
    assert smallest_detectable_correlation(np.zeros(0), 100, 0.05) is None


def table(seed, n_rows, n_features, correlation):
    """Normal features, the first with a rank correlation with the target (2 sin(pi r / 6) of normal ones)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    of_values = 2 * np.sin(np.pi * correlation / 6)
    return X, of_values * X[:, 0] + np.sqrt(1 - of_values**2) * rng.normal(size=n_rows)


@pytest.mark.parametrize(
    ("n_rows", "n_features"),
    [(30, 5), *(pytest.param(*size, marks=pytest.mark.simulation) for size in ((50, 30), (100, 10)))],
)
def test_such_a_correlation_is_detected_in_eight_of_ten_tables(n_rows, n_features):
    def select(seed, correlation):
        selector = MutualInfoSelector(method=Calibrated(n_permutations=119), max_features=1, random_state=0)
        return selector.fit(*table(seed, n_rows, n_features, correlation)).selection_

    least = np.mean([select(1000 + seed, 0.0).smallest_detectable_correlation for seed in range(5)])
    found = sum("x0" in select(seed, least).names for seed in range(50))
    # Binomial(50, 0.8) is outside of 30 to 47 once in 500 times.
    assert 30 <= found <= 47


def dependence(X, y, selected):
    target = read_target(y)
    table = make_table(read_array(X), target, 0, target_kinds=decide_kinds(target, "auto"))
    return serial_dependence(table.columns[list(selected)], table.target.columns, ThreadEngine(1))


def exchangeable(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] += X[:, 0]
    return X, X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n)


def test_walks_depend_on_their_neighbours():
    # Of 100 tables whose features are selected, all are found; 19 of 20 or fewer would have a chance of 1e-7.
    found = 0
    for seed in range(20):
        sample = walks(seed, 200, 4)
        found += dependence(sample.X, sample.y, (0, 1, 2, 3)) is not None
    assert found == 20


@pytest.mark.parametrize("by", ["nothing", "target", "first", "related", "noise", "classes"])
def test_exchangeable_rows_do_not_however_they_are_sorted(by):
    # Both correlations of three standard errors by chance: less than 1e-5 of tables.
    for seed in range(10):
        X, y = exchangeable(seed)
        if by == "classes":
            y = (y > 1) * 1.0
        keys = {"target": y, "classes": y, "first": X[:, 0], "related": X[:, 2]}
        hidden = y - X[:, 0] - X[:, 1] ** 2
        order = np.argsort({**keys, "noise": hidden}[by], kind="stable") if by != "nothing" else np.arange(200)
        assert dependence(X[order], y[order], (0, 1)) is None


def test_long_tables_are_looked_at_in_stretches():
    sample = walks(0, 5000, 2)
    assert dependence(sample.X, sample.y, (0, 1)) is not None
    X, y = exchangeable(0, n=5000)
    order = np.argsort(y)
    assert dependence(X[order], y[order], (0, 1)) is None


def test_nothing_to_look_at():
    sample = walks(0, 200, 2)
    assert dependence(sample.X, sample.y, ()) is None
    assert dependence(sample.X[:20], sample.y[:20], (0, 1)) is None


@pytest.mark.parametrize("true", [3.0, 4.5, 6.0, 9.0])
def test_an_effect_that_was_selected_is_corrected(true):
    critical, rng = 4.5, np.random.default_rng(0)
    below = norm.cdf(critical - true)
    effects = true + norm.ppf(below + (1 - below) * rng.uniform(size=400))  # of a normal one, beyond the critical
    corrected, low, high = np.array([corrected_for_selection(effect, critical) for effect in effects]).T
    # The information of an effect is about its square over 2 n. As observed, that is 16 too large at true = 3.
    assert np.mean(corrected**2) == pytest.approx(true**2, abs=3)
    assert np.mean((low <= true) & (true <= high)) >= 0.93
    assert np.all((low <= corrected) & (corrected <= high))
    assert np.all(corrected <= effects)


def test_what_was_not_selected_is_not_corrected():
    corrected, low, high = corrected_for_selection(3.0, -10.0)
    assert corrected == pytest.approx(3.0, abs=1e-6)
    assert (low, high) == pytest.approx((3 - 1.96, 3 + 1.96), abs=1e-3)
