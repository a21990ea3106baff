"""Permutation indices, sums that are exact, p-values and thresholds."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift.criteria.rank_basis import standardised
from infosift.inference import permutation as module
from infosift.inference.nulls import TargetInDraws
from infosift.inference.permutation import (
    PermutationIndices,
    fixed_point_bits,
    judge,
    padded_rows,
    permutations_for,
    score_in_batches,
    shuffled_orders,
    threshold,
    to_fixed_point,
)

N_ROWS = 30


class Watched:
    """Random permutations that remember for which draws they were made."""

    def __init__(self):
        self.draws = []

    def __call__(self, draws):
        self.draws.append(draws)
        rng = np.random.default_rng(draws.start)
        return rng.permuted(np.tile(np.arange(N_ROWS), (len(draws), 1)), axis=1)


def test_a_draw_is_the_same_whichever_others_come_before_or_with_it(monkeypatch):
    numbers = [0, 1, 63, 64, 170]
    first, second, third = (PermutationIndices(Watched(), N_ROWS) for _ in range(3))
    expected = {draw: first([draw])[0] for draw in numbers}
    np.testing.assert_array_equal(expected[0], np.arange(N_ROWS))  # the data
    assert len({tuple(index) for index in expected.values()}) == 5
    for draw in (170, 1, 64, 0, 63):
        np.testing.assert_array_equal(second([draw])[0], expected[draw])
    monkeypatch.setattr(module, "_MOST_KEPT", 1)  # the last block only is kept
    for draws in (numbers, numbers[::-1], [64, 0, 64]):
        np.testing.assert_array_equal(third(draws), [expected[draw] for draw in draws])


def test_draws_of_a_stream_are_made_once_where_there_is_memory(monkeypatch):
    watched = Watched()
    indices = PermutationIndices(watched, N_ROWS)
    for draws in (range(5), [70, 3], range(128), [0]):
        indices(draws)
    assert watched.draws == [range(64), range(64, 128)]
    monkeypatch.setattr(module, "_MOST_KEPT", 2 * 64 * N_ROWS)
    indices([128])  # in place of all others
    indices([130, 0])
    assert watched.draws[2:] == [range(128, 192), range(64)]


def test_what_is_sent_elsewhere_has_no_draws_and_draws_the_same():
    indices = PermutationIndices(Watched(), N_ROWS)
    expected = indices(range(200))
    sent = pickle.dumps(indices)
    assert len(sent) < 1000
    np.testing.assert_array_equal(pickle.loads(sent)(range(200)), expected)


class AsGiven:
    """Draws (draws x rows) that are given, for a block of them."""

    def __init__(self, indices):
        self.indices = indices

    def __call__(self, draws):
        return self.indices


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.booleans())
def test_products_with_a_target_in_draws_are_those_with_a_permuted_column(seed, n_rows, repeats):
    rng = np.random.default_rng(seed)
    functions, column = standardised(rng.normal(size=(2, 3, n_rows))), rng.integers(-9, 9, size=n_rows)
    drawn = [rng.integers(0, n_rows, size=n_rows) if repeats else rng.permutation(n_rows) for _ in range(64)]
    indices = PermutationIndices(AsGiven(np.stack(drawn)), n_rows)
    in_draws = TargetInDraws(functions, indices).functions(range(1, 6)).astype(np.int64)
    whole = to_fixed_point(functions, indices.bits).astype(np.int64)
    for draw, index in enumerate(drawn[1:6]):
        np.testing.assert_array_equal(in_draws[:, :, draw, :n_rows] @ column, whole @ column[index])
    assert not in_draws[..., n_rows:].any()


@pytest.mark.parametrize(("repeats", "bits"), [(False, 11), (True, 10), (None, 10)])
def test_draws_that_may_take_rows_more_than_once_have_fewer_bits(repeats, bits):
    draws = Watched()
    if repeats is not None:
        draws.repeats_rows = repeats
    indices = PermutationIndices(draws, 100)
    assert indices.bits == bits == fixed_point_bits(100, repeats_rows=repeats is not False)
    assert pickle.loads(pickle.dumps(indices)).bits == bits


@given(st.integers(1, 3_000_000), st.booleans())
def test_sums_of_products_fit_into_32_bits_and_values_into_16(n_rows, repeats):
    bits = fixed_point_bits(n_rows, repeats_rows=repeats)

    def bound(bits):
        """The square of the largest sum, by Cauchy and Schwarz: both lengths squared, of rounded functions."""
        length = n_rows * (Fraction(2) ** bits + Fraction(1, 2)) ** 2
        return length * length * (min(n_rows, 64) if repeats else 1)

    assert bound(bits) < Fraction(2) ** 62
    assert bits == 11 or bound(bits + 1) >= Fraction(2) ** 62  # and there is no bit to spare
    assert 8 * 2**bits < 2**15


@given(st.integers(0, 2**32 - 1), st.integers(2, 3000), st.booleans())
def test_functions_of_unit_variance_are_rounded_to_whole_numbers_that_are_short_enough(seed, n_rows, rare):
    rng, bits = np.random.default_rng(seed), fixed_point_bits(n_rows)
    functions = rng.normal(size=(3, n_rows))
    if rare:
        functions[0] = np.arange(n_rows) == 1  # so far off that it is clipped, if there are many rows
    functions = standardised(functions)
    rounded = to_fixed_point(functions, bits)
    assert rounded.dtype == np.int16
    assert np.abs(rounded - np.ldexp(functions.clip(-8, 8), bits)).max() <= 0.5
    for own in rounded.tolist():
        assert math.sqrt(sum(value * value for value in own)) <= math.sqrt(n_rows) * (2**bits + 0.5)


@pytest.mark.parametrize(("n_rows", "n_padded"), [(1, 16), (16, 16), (17, 32), (0, 0)])
def test_rows_are_padded_with_zeros_to_full_registers(n_rows, n_padded):
    functions = np.ones((2, 3, n_rows), dtype=np.int16)
    padded = padded_rows(functions)
    assert (padded.shape, padded.dtype) == ((2, 3, n_padded), np.int16)
    np.testing.assert_array_equal(padded[..., :n_rows], functions)
    assert not padded[..., n_rows:].any()


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


def test_draws_are_scored_in_batches():
    sizes = []

    def score(draws):
        sizes.append(len(draws))
        return np.array(draws)

    np.testing.assert_array_equal(score_in_batches(score, range(10), 20), range(10))
    np.testing.assert_array_equal(score_in_batches(score, range(2, 12), 2_700_000), range(2, 12))
    assert sizes == [10, 2, 2, 2, 2, 2]
