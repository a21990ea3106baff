"""Shuffled copies, p-values and thresholds of a permutation test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift.inference import permutation
from infosift.inference.permutation import judge, null_scores, permutations_for, shuffled_orders, threshold


@pytest.mark.parametrize(
    ("alpha", "count"),
    [(0.05, 59), (0.01, 99), (0.005, 199), (0.1, 59), (0.001, 999), (0.5, 51), (0.03, 99), (0.3, 59), (1 / 3, 50)],
)
def test_automatic_permutations_make_alpha_exact(alpha, count):
    assert permutations_for(alpha, "auto") == count
    assert alpha * (count + 1) == pytest.approx(round(alpha * (count + 1)), abs=1e-9)


def test_an_odd_level_is_nearly_exact():
    count = permutations_for(0.01234, "auto")
    assert 50 <= count < 200
    assert 0.012 < 1 / (count + 1) <= 0.01234


@pytest.mark.parametrize("requested", [18, 0, -1, 19.5, "many"])
def test_too_few_permutations_are_refused(requested):
    with pytest.raises(ValueError, match="at least 19"):
        permutations_for(0.05, requested)


@given(
    null=st.lists(st.integers(0, 8), min_size=19, max_size=120),
    information=st.integers(0, 9),
    alpha=st.sampled_from([0.05, 0.1, 0.25, 0.07, 1 / 3, 1 / 7]),
)
def test_above_the_threshold_means_p_at_most_alpha(null, information, alpha):
    test = judge(float(information), np.array(null, dtype=float), alpha)
    assert test.significant == (test.p_value <= alpha)
    assert test.significant == (test.information > test.information_threshold)
    assert test.significant == (test.statistic > test.threshold)
    assert test.p_value == (1 + sum(value >= information for value in null)) / (1 + len(null))
    assert test.p_value == (1 + np.count_nonzero(test.null >= test.statistic)) / (1 + len(null))
    assert test.p_low <= test.p_value <= test.p_high


def test_threshold_is_the_percentile():
    # Of the numbers 1 to 59, three (5 % of 60) are 57 and above: an estimate must exceed 57 to have p = 3 / 60.
    assert threshold(np.arange(1.0, 60.0), 0.05) == 57


def test_interval_of_the_p_value():
    # Clopper-Pearson for none of 59: the upper end solves (1 - p)^59 = 0.025.
    test = judge(1.0, np.zeros(59), 0.05)
    assert (test.p_value, test.p_low) == (1 / 60, 0)
    assert test.p_high == pytest.approx(1 - 0.025 ** (1 / 59))


def test_the_level_is_exact_when_nothing_is_there():
    # Estimate and null drawn alike: p <= 0.05 in 5 % of cases; 4000 cases have a standard error of 0.35 %.
    draws = np.random.default_rng(0).normal(size=(4000, 60))
    rejected = np.mean([judge(row[0], row[1:], 0.05).significant for row in draws])
    assert rejected == pytest.approx(0.05, abs=0.011)


def test_all_candidates_of_a_step_share_the_permutations():
    orders = shuffled_orders(20, range(5), seed=1, step=2)
    np.testing.assert_array_equal(shuffled_orders(20, range(3), seed=1, step=2), orders[:3])
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(20), (5, 1)))
    assert not np.array_equal(orders, shuffled_orders(20, range(5), seed=1, step=3))


def test_copies_are_scored_in_parts(monkeypatch):
    sizes = []

    def score(draws, orders):
        assert len(draws) == len(orders)
        sizes.append(len(orders))
        return orders[:, 0]

    whole = null_scores(score, 20, 10, seed=0, step=0)
    monkeypatch.setattr(permutation, "_VALUES_AT_ONCE", 3 * 20)
    np.testing.assert_array_equal(null_scores(score, 20, 10, seed=0, step=0), whole)
    assert sizes == [10, 3, 3, 3, 1]
