"""Permuted residuals: surrogates keep the dependence on the subset and lose all else; strata of alike rows."""

import numpy as np
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import functions_of, polynomials
from infosift.engines.base import ThreadEngine
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.nulls import RandomPermutations
from infosift.inference.nulls.residual import (
    ResidualNull,
    ResidualSurrogates,
    predict_columns,
    strata_of,
)

ENGINE = ThreadEngine()


def test_surrogates_keep_the_dependence_on_the_subset_and_nothing_else():
    rng = np.random.default_rng(0)
    given, other = rng.normal(size=(1, 400)), rng.normal(size=400)
    number = np.sin(2 * given[0]) + 0.5 * other
    chance = 1 / (1 + np.exp(-3 * given[0]))
    category = (1.0 + (rng.uniform(size=400) < chance)) * CATEGORY_GAP
    surrogates = ResidualSurrogates(np.stack([number, category]), KernelRidge(given, ENGINE), 0)
    drawn = np.stack([surrogates.draw(rng.permutation(400)) for _ in range(50)])
    dependence = np.mean([np.corrcoef(own, np.sin(2 * given[0]))[0, 1] for own in drawn[:, 0]])
    assert dependence == pytest.approx(np.corrcoef(number, np.sin(2 * given[0]))[0, 1], abs=0.05)
    assert abs(np.mean([np.corrcoef(own, other)[0, 1] for own in drawn[:, 0]])) < 0.05
    assert set(np.unique(drawn[:, 1])) == set(np.unique(category))
    assert np.corrcoef((drawn[:, 1] == 2 * CATEGORY_GAP).mean(axis=0), chance)[0, 1] > 0.9


def test_surrogates_follow_a_spread_that_vanishes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    column = np.abs(x) * rng.normal(size=300)
    surrogates = ResidualSurrogates(column[None], KernelRidge(x[None], ENGINE), 0)
    drawn = np.stack([surrogates.draw(rng.permutation(300))[0] for _ in range(50)])
    near, far = np.abs(x) < 0.1, np.abs(x) > 1
    assert np.abs(drawn[:, near]).mean() < 0.1  # 0.04 where the spread is known, 0.5 without any
    # Over a dozen such columns the ratio of the two is 0.98 on average, 0.86 to 1.27.
    assert np.abs(drawn[:, far]).mean() == pytest.approx(np.abs(column[far]).mean(), rel=0.25)


def test_independent_categories_have_independent_surrogates():
    rng = np.random.default_rng(0)
    categories = 1 + rng.integers(0, 2, size=(6, 400))
    regression = KernelRidge(rng.normal(size=(1, 400)), ENGINE)
    drawn = ResidualSurrogates(categories * CATEGORY_GAP, regression, 0).draw(rng.permutation(400))
    assert np.abs(np.corrcoef(drawn) - np.eye(6)).max() < 0.25
    assert set(np.unique(drawn)) == {CATEGORY_GAP, 2 * CATEGORY_GAP}


def test_workers_write_into_nothing_they_are_passed():
    rng = np.random.default_rng(0)
    given, columns = rng.normal(size=(1, 60)), rng.normal(size=(2, 60))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    given.setflags(write=False)
    columns.setflags(write=False)
    regression = KernelRidge(given, ENGINE)
    for first, again in zip(
        predict_columns(regression, 0, columns, 16), predict_columns(regression, 0, columns, 16), strict=True
    ):
        np.testing.assert_array_equal(first.residual, again.residual)


def test_functions_of_a_category_are_means_over_all_points_that_it_could_be():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    column = (1.0 + (rng.uniform(size=300) < 1 / (1 + np.exp(-2 * x)))) * CATEGORY_GAP
    regression = KernelRidge(x[None], ENGINE)
    exact = predict_columns(regression, 0, column[None], 16)[0].functions()
    np.testing.assert_array_equal(
        exact, predict_columns(regression, 1, column[None], 16)[0].functions()
    )  # whatever the seed
    points = [predict_columns(regression, seed, column[None], 16)[0].residual for seed in range(200)]
    drawn = np.mean([polynomials(version) for version in points], axis=0)
    for function, mean in zip(exact, drawn, strict=True):
        assert np.corrcoef(function, mean)[0, 1] > 0.97


def table_of_both(rng, n_rows):
    columns = rng.normal(size=(4, n_rows))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    columns[3] = (1.0 + rng.integers(0, 3, size=n_rows)) * CATEGORY_GAP
    return columns


def assert_same(found, expected):
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own.smooth, other.smooth)
        np.testing.assert_array_equal(own.steps, other.steps)


def test_functions_of_a_number_are_of_the_ranks_of_its_residual():
    rng = np.random.default_rng(0)
    columns, given = table_of_both(rng, 60), rng.normal(size=(1, 60))
    columns[2] += 3 * given[0]
    surrogates = ResidualSurrogates(columns, KernelRidge(given, ENGINE), 0)
    residuals = surrogates.residuals()
    assert abs(np.corrcoef(residuals[2], given[0])[0, 1]) < 0.2
    found = surrogates.functions(np.array([2, 1, 0, 3]))
    assert_same([found[0], found[2]], functions_of(residuals[[2, 0]], 4))
    for own in (found[1], found[3]):  # categories
        assert own.smooth.shape == (3, 60)
        assert own.steps.shape == (0, 60)
    assert_same(surrogates.functions(np.array([1, 3])), [found[1], found[3]])


@pytest.mark.parametrize("n_rows", [60, 450])  # 450 are predicted by a part of them
@pytest.mark.parametrize("with_gaps", [False, True])
def test_a_column_is_predicted_to_the_same_bits_whatever_the_others_are(n_rows, with_gaps):
    rng = np.random.default_rng(0)
    given, columns = rng.normal(size=(2, n_rows)), rng.normal(size=(37, n_rows))
    # Columns that take unlike widths of the kernel, and some that take none.
    columns[:30] += 2 * np.sin(np.linspace(0.2, 6, 30)[:, None] * given[0])
    columns[[4, 20]] = table_of_both(rng, n_rows)[[1, 3]]
    columns[7] *= given[1]
    if with_gaps:
        columns[10:14][rng.uniform(size=(4, n_rows)) < 0.2] = np.nan
    regression = KernelRidge(given, ENGINE)
    together = predict_columns(regression, 0, columns, 16)
    order = rng.permutation(37)
    for places in (order, *np.split(order, [1, 2, 5, 22])):
        for place, found in zip(places, predict_columns(regression, 0, columns[places], 16), strict=True):
            for name in ("predicted", "spread", "residual"):
                np.testing.assert_array_equal(getattr(found, name), getattr(together[place], name))


@examples(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 300), st.booleans())
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


@examples(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(1, 5), st.integers(1, 4))
def test_permutations_within_strata_are_whole_and_leave_no_stratum(seed, n_rows, n_strata, n_draws):
    strata = np.unique(np.random.default_rng(seed).integers(0, n_strata, size=n_rows), return_inverse=True)[1]
    shuffles = RandomPermutations(n_rows, seed, 1, strata=strata)
    indices = shuffles(range(64, 64 + n_draws))
    assert not shuffles.repeats_rows
    assert indices.shape == (n_draws, n_rows)
    np.testing.assert_array_equal(np.sort(indices, axis=1), np.tile(np.arange(n_rows), (n_draws, 1)))
    np.testing.assert_array_equal(strata[indices], np.tile(strata, (n_draws, 1)))
    np.testing.assert_array_equal(shuffles(range(63, 66))[1:], shuffles(range(64, 66)))


@pytest.mark.parametrize("n_rows", [60, 61])
def test_every_order_within_a_stratum_is_as_likely(n_rows):
    strata = np.repeat([0, 1], [30, n_rows - 30])
    indices = RandomPermutations(n_rows, 0, 0, strata=strata)(range(1, 3001))
    shares = np.array([np.bincount(indices[:, row], minlength=n_rows) for row in (0, n_rows - 1)]) / 3000
    # A share of 1 / 30 of 3,000 has a standard error of 0.0033.
    assert np.all(np.abs(shares[0, :30] - 1 / 30) < 0.015)
    assert np.all(shares[0, 30:] == 0)
    assert np.all(shares[1, :30] == 0)


def test_given_a_subset_rows_are_permuted_within_strata():
    given, shuffles = np.random.default_rng(1).normal(size=(2, 90)), RandomPermutations(90, 3, 2)
    strata = strata_of(given)
    assert len(np.unique(strata)) > 1
    within, everywhere = ResidualNull().permutations(given, shuffles)(range(64)), shuffles(range(64))
    np.testing.assert_array_equal(within, RandomPermutations(90, 3, 2, strata=strata)(range(64)))
    np.testing.assert_array_equal(strata[within], np.tile(strata, (64, 1)))
    assert np.mean(strata[everywhere] != strata) > 0.5


def test_rows_in_groups_are_permuted_whole_rather_than_within_strata():
    given = np.random.default_rng(1).normal(size=(2, 90))
    shuffles = RandomPermutations(90, 3, 2, np.repeat(np.arange(30), 3))
    assert ResidualNull().permutations(given, shuffles) is shuffles
    assert shuffles.repeats_rows
    assert not RandomPermutations(90, 3, 2).repeats_rows


def test_functions_of_numbers_without_gaps_are_those_of_ranks():
    rng = np.random.default_rng(0)
    columns, given = table_of_both(rng, 60), rng.normal(size=(1, 60))
    columns[2, 7] = np.nan
    surrogates = ResidualSurrogates(columns, KernelRidge(given, ENGINE), 0)
    assert surrogates.are_ranked(np.array([3, 0, 1, 2, 0])).tolist() == [False, True, False, False, True]
