"""Surrogates keep the dependence of a feature on the subset, and lose all else."""

import numpy as np
import pytest

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import functions_of, polynomials
from infosift.engines.threads import ThreadEngine
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.row_sources import shuffle_of
from infosift.inference.surrogates import ResidualSurrogates, explain, surrogates_of

ENGINE = ThreadEngine()


def test_surrogates_keep_the_dependence_on_the_subset_and_nothing_else():
    rng = np.random.default_rng(0)
    given, other = rng.normal(size=(1, 400)), rng.normal(size=400)
    number = np.sin(2 * given[0]) + 0.5 * other
    chance = 1 / (1 + np.exp(-3 * given[0]))
    category = (1.0 + (rng.uniform(size=400) < chance)) * CATEGORY_GAP
    surrogates = ResidualSurrogates(np.stack([number, category]), KernelRidge(given, ENGINE), 0)
    copies = np.stack([surrogates.draw(rng.permutation(400)) for _ in range(50)])
    dependence = np.mean([np.corrcoef(copy, np.sin(2 * given[0]))[0, 1] for copy in copies[:, 0]])
    assert dependence == pytest.approx(np.corrcoef(number, np.sin(2 * given[0]))[0, 1], abs=0.05)
    assert abs(np.mean([np.corrcoef(copy, other)[0, 1] for copy in copies[:, 0]])) < 0.05
    assert set(np.unique(copies[:, 1])) == set(np.unique(category))
    assert np.corrcoef((copies[:, 1] == 2 * CATEGORY_GAP).mean(axis=0), chance)[0, 1] > 0.9


def test_surrogates_follow_a_spread_that_vanishes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    column = np.abs(x) * rng.normal(size=300)
    surrogates = ResidualSurrogates(column[None], KernelRidge(x[None], ENGINE), 0)
    copies = np.stack([surrogates.draw(rng.permutation(300))[0] for _ in range(50)])
    near, far = np.abs(x) < 0.1, np.abs(x) > 1
    assert np.abs(copies[:, near]).mean() < 0.1  # 0.04 where the spread is known, 0.5 without any
    # Over a dozen such columns the ratio of the two is 0.98 on average, 0.86 to 1.27.
    assert np.abs(copies[:, far]).mean() == pytest.approx(np.abs(column[far]).mean(), rel=0.25)


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
def test_without_a_subset_surrogates_are_shuffled(null):
    columns = np.stack([np.arange(20.0), (1.0 + np.arange(20) % 3) * CATEGORY_GAP])
    orders = np.random.default_rng(0).permuted(np.tile(np.arange(20), (3, 1)), axis=1)
    surrogates, shuffle = surrogates_of(columns, null, None, 0), shuffle_of(null, columns[:0], 0, 0)
    for order, source in zip(orders, shuffle.sources(range(1, 4), orders), strict=True):
        np.testing.assert_array_equal(surrogates.draw(source), columns[:, order])


def test_local_surrogates_take_the_values_of_near_rows():
    rng = np.random.default_rng(0)
    given = rng.normal(size=(1, 200))
    column = 3 * given + 0.1 * rng.normal(size=(1, 200))
    surrogates = surrogates_of(column, "local", None, seed=0)
    orders = rng.permuted(np.tile(np.arange(200), (20, 1)), axis=1)
    copies = [surrogates.draw(source) for source in shuffle_of("local", given, 0, 2).sources(range(20), orders)]
    nearest = np.argsort(np.abs(given[0][:, None] - given[0]), axis=1)[:, :5]
    for copy in copies:
        assert all(copy[0, row] in column[0, near] for row, near in enumerate(nearest))
        assert len(np.unique(copy)) > 150
    assert np.mean(np.concatenate(copies) != column) > 0.7
    assert surrogates.residuals() is None


def test_independent_categories_have_independent_surrogates():
    rng = np.random.default_rng(0)
    categories = 1 + rng.integers(0, 2, size=(6, 400))
    regression = KernelRidge(rng.normal(size=(1, 400)), ENGINE)
    copies = ResidualSurrogates(categories * CATEGORY_GAP, regression, 0).draw(rng.permutation(400))
    assert np.abs(np.corrcoef(copies) - np.eye(6)).max() < 0.25
    assert set(np.unique(copies)) == {CATEGORY_GAP, 2 * CATEGORY_GAP}


def test_workers_write_into_nothing_they_are_passed():
    rng = np.random.default_rng(0)
    given, columns = rng.normal(size=(1, 60)), rng.normal(size=(2, 60))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    given.setflags(write=False)
    columns.setflags(write=False)
    regression = KernelRidge(given, ENGINE)
    for first, again in zip(explain(regression, 0, columns, 16), explain(regression, 0, columns, 16), strict=True):
        np.testing.assert_array_equal(first.residual, again.residual)


def test_functions_of_a_category_are_means_over_all_points_that_it_could_be():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    column = (1.0 + (rng.uniform(size=300) < 1 / (1 + np.exp(-2 * x)))) * CATEGORY_GAP
    regression = KernelRidge(x[None], ENGINE)
    exact = explain(regression, 0, column[None], 16)[0].functions()
    np.testing.assert_array_equal(
        exact, explain(regression, 1, column[None], 16)[0].functions()
    )  # whatever the seed
    points = [explain(regression, seed, column[None], 16)[0].residual for seed in range(200)]
    drawn = np.mean([polynomials(version) for version in points], axis=0)
    for function, mean in zip(exact, drawn, strict=True):
        assert np.corrcoef(function, mean)[0, 1] > 0.97


def table_of_both(rng, n_rows):
    columns = rng.normal(size=(4, n_rows))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    columns[3] = (1.0 + rng.integers(0, 3, size=n_rows)) * CATEGORY_GAP
    return columns


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
def test_copies_of_some_columns_are_those_of_all_at_their_places(null):
    rng = np.random.default_rng(0)
    columns, given = table_of_both(rng, 60), rng.normal(size=(1, 60))
    surrogates = surrogates_of(columns, null, KernelRidge(given, ENGINE), 0)
    source = shuffle_of(null, given, 0, 0).sources([1], rng.permutation(60)[None])[0]
    whole = surrogates.draw(source)
    assert np.any(whole != columns)
    for places in (np.array([1]), np.array([0, 2]), np.array([0, 1, 3]), np.arange(0)):
        np.testing.assert_array_equal(surrogates.draw(source, places), whole[places])


def assert_same(found, expected):
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own.smooth, other.smooth)
        np.testing.assert_array_equal(own.steps, other.steps)


@pytest.mark.parametrize("null", ["local", "shuffle"])
def test_functions_are_of_the_columns_where_nothing_is_predicted(null):
    rng = np.random.default_rng(0)
    columns = table_of_both(rng, 60)
    surrogates = surrogates_of(columns, null, None, 0)
    for places in (np.arange(4), np.array([3, 0]), np.array([1])):
        assert_same(surrogates.functions(places), functions_of(columns[places]))


def test_functions_of_a_number_are_of_the_ranks_of_its_residual():
    rng = np.random.default_rng(0)
    columns, given = table_of_both(rng, 60), rng.normal(size=(1, 60))
    columns[2] += 3 * given[0]
    surrogates = ResidualSurrogates(columns, KernelRidge(given, ENGINE), 0)
    residuals = surrogates.residuals()
    assert abs(np.corrcoef(residuals[2], given[0])[0, 1]) < 0.2
    found = surrogates.functions(np.array([2, 1, 0, 3]))
    assert_same([found[0], found[2]], functions_of(residuals[[2, 0]]))
    for own in (found[1], found[3]):  # categories
        assert own.smooth.shape == (3, 60)
        assert own.steps.shape == (0, 60)
    assert_same(surrogates.functions(np.array([1, 3])), [found[1], found[3]])


@pytest.mark.parametrize("n_rows", [60, 450])  # 450 are predicted by a part of them
@pytest.mark.parametrize("with_gaps", [False, True])
def test_a_column_is_explained_to_the_same_bits_whatever_the_others_are(n_rows, with_gaps):
    rng = np.random.default_rng(0)
    given, columns = rng.normal(size=(2, n_rows)), rng.normal(size=(37, n_rows))
    # Columns that take unlike widths of the kernel, and some that take none.
    columns[:30] += 2 * np.sin(np.linspace(0.2, 6, 30)[:, None] * given[0])
    columns[[4, 20]] = table_of_both(rng, n_rows)[[1, 3]]
    columns[7] *= given[1]
    if with_gaps:
        columns[10:14][rng.uniform(size=(4, n_rows)) < 0.2] = np.nan
    regression = KernelRidge(given, ENGINE)
    together = explain(regression, 0, columns, 16)
    order = rng.permutation(37)
    for places in (order, *np.split(order, [1, 2, 5, 22])):
        for place, found in zip(places, explain(regression, 0, columns[places], 16), strict=True):
            for name in ("predicted", "spread", "residual"):
                np.testing.assert_array_equal(getattr(found, name), getattr(together[place], name))


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
def test_gaps_move_with_the_rows(null):
    rng = np.random.default_rng(0)
    given = rng.normal(size=(1, 120))
    category = rng.integers(0, 3, size=120) * CATEGORY_GAP
    columns = np.stack([given[0] + rng.normal(size=120), category, np.full(120, np.nan)])
    columns[:2][rng.uniform(size=(2, 120)) < 0.2] = np.nan
    surrogates = surrogates_of(columns, null, KernelRidge(given, ENGINE), 0)
    source = shuffle_of(null, given, 0, 0).sources([1], rng.permutation(120)[None])[0]
    np.testing.assert_array_equal(np.isnan(surrogates.draw(source)), np.isnan(columns[:, source]))
    same = surrogates.draw(np.arange(120))  # each row takes its own value
    np.testing.assert_allclose(same, columns, rtol=1e-9)
    for column, functions in zip(columns, surrogates.functions(np.arange(3)), strict=True):
        for own in functions:
            assert not own[:, np.isnan(column)].any()
