"""The smallest correlation that a step finds: held to simulations of tables that have just that."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import rankdata

from infosift import Calibrated, MutualInfoSelector
from infosift.inference.detectable import effective_comparisons, smallest_detectable_correlation


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


@pytest.mark.parametrize(("n_rows", "n_features"), [(30, 5), (50, 30), (100, 10)])
def test_such_a_correlation_is_found_in_eight_of_ten_tables(n_rows, n_features):
    def select(seed, correlation):
        selector = MutualInfoSelector(method=Calibrated(n_permutations=119), max_features=1, random_state=0)
        return selector.fit(*table(seed, n_rows, n_features, correlation)).selection_

    least = np.mean([select(1000 + seed, 0.0).smallest_detectable_correlation for seed in range(5)])
    found = sum("x0" in select(seed, least).names for seed in range(50))
    # Binomial(50, 0.8) is outside of 30 to 47 once in 500 times.
    assert 30 <= found <= 47
