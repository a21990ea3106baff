"""Strata of rows that are alike in a subset, and shuffles within them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift.inference.strata import shuffled_within, strata_of


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 300), st.booleans())
def test_strata_are_large_enough_and_hold_together_what_is_equal(seed, n_columns, n_rows, rounded):
    rng = np.random.default_rng(seed)
    subset = rng.normal(size=(n_columns, n_rows))
    if rounded:
        subset = np.round(subset)
    strata = strata_of(subset)
    sizes = np.bincount(strata)
    assert sizes.min() >= min(20, n_rows)
    if not rounded:
        assert sizes.max() < 40
    for row in range(n_rows):
        alike = (subset == subset[:, [row]]).all(axis=0)
        assert set(strata[alike]) == {strata[row]}


def test_a_column_is_cut_at_its_quantiles_and_two_across_the_wider():
    x = np.random.default_rng(0).permutation(80).astype(float)
    assert [sorted(x[strata_of(x[None]) == strata_of(x[None])[x == low]]) for low in (0, 79)] == [
        list(range(20)),
        list(range(60, 80)),
    ]
    binary = (x >= 30).astype(float)
    np.testing.assert_array_equal(strata_of(binary[None]) == strata_of(binary[None])[0], binary == binary[0])
    np.testing.assert_array_equal(strata_of(np.stack([x, np.exp(x)])), strata_of(x[None]))
    assert len(set(strata_of(np.zeros((1, 80))))) == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(1, 5), st.integers(1, 4))
def test_a_shuffle_within_strata_leaves_no_stratum_and_follows_the_order(seed, n_rows, n_strata, n_draws):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, n_strata, size=n_rows)
    orders = np.stack([rng.permutation(n_rows) for _ in range(n_draws)])
    sources = shuffled_within(strata, orders)
    assert sources.shape == orders.shape
    np.testing.assert_array_equal(np.sort(sources, axis=1), np.sort(orders, axis=1))
    for order, source in zip(orders, sources, strict=True):
        for stratum in set(strata):
            inside = [row for row in order if strata[row] == stratum]
            np.testing.assert_array_equal(source[strata == stratum], inside)


@pytest.mark.parametrize("n_rows", [60, 61])
def test_every_order_within_a_stratum_is_as_likely(n_rows):
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], [30, n_rows - 30])
    sources = shuffled_within(strata, rng.permuted(np.tile(np.arange(n_rows), (3000, 1)), axis=1))
    shares = np.array([np.bincount(sources[:, row], minlength=n_rows) for row in (0, n_rows - 1)]) / 3000
    # A share of 1 / 30 of 3,000 has a standard error of 0.0033.
    assert np.all(np.abs(shares[0, :30] - 1 / 30) < 0.015)
    assert np.all(shares[0, 30:] == 0)
    assert np.all(shares[1, :30] == 0)
