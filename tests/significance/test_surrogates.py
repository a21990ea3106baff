"""Surrogates keep the dependence of a feature on the subset, and lose all else."""

import numpy as np
import pytest

from infosift._kernel import CATEGORY_GAP
from infosift.engines.threads import ThreadEngine
from infosift.significance.regression import Smoother
from infosift.significance.series import polynomials
from infosift.significance.surrogates import LocalSurrogates, ResidualSurrogates, explain, surrogates_of

ENGINE = ThreadEngine()


def test_surrogates_keep_the_dependence_on_the_subset_and_nothing_else():
    rng = np.random.default_rng(0)
    given, other = rng.normal(size=(1, 400)), rng.normal(size=400)
    number = np.sin(2 * given[0]) + 0.5 * other
    chance = 1 / (1 + np.exp(-3 * given[0]))
    category = (1.0 + (rng.uniform(size=400) < chance)) * CATEGORY_GAP
    surrogates = ResidualSurrogates(np.stack([number, category]), Smoother(given, 0, ENGINE), 0, ENGINE)
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
    surrogates = ResidualSurrogates(column[None], Smoother(x[None], 0, ENGINE), 0, ENGINE)
    copies = np.stack([surrogates.draw(rng.permutation(300))[0] for _ in range(50)])
    near, far = np.abs(x) < 0.1, np.abs(x) > 1
    assert np.abs(copies[:, near]).mean() < 0.1  # 0.04 where the spread is known, 0.5 without any
    # Over a dozen such columns the ratio of the two is 0.98 on average, 0.86 to 1.27.
    assert np.abs(copies[:, far]).mean() == pytest.approx(np.abs(column[far]).mean(), rel=0.25)


def test_without_a_subset_surrogates_are_shuffled():
    columns = np.stack([np.arange(20.0), (1.0 + np.arange(20) % 3) * CATEGORY_GAP])
    order = np.random.default_rng(0).permutation(20)
    surrogates = surrogates_of(columns, "residual", columns[:0], None, 0, 0, ENGINE)
    np.testing.assert_array_equal(surrogates.draw(surrogates.source(1, order)), columns[:, order])


def test_local_surrogates_take_the_values_of_near_rows():
    rng = np.random.default_rng(0)
    given = rng.normal(size=(1, 200))
    column = 3 * given + 0.1 * rng.normal(size=(1, 200))
    surrogates = LocalSurrogates(column, given, seed=0, step=2)
    copies = [surrogates.draw(surrogates.source(i, rng.permutation(200))) for i in range(20)]
    nearest = np.argsort(np.abs(given[0][:, None] - given[0]), axis=1)[:, :5]
    for copy in copies:
        assert all(copy[0, row] in column[0, near] for row, near in enumerate(nearest))
        assert len(np.unique(copy)) > 150
    assert np.mean(np.concatenate(copies) != column) > 0.7


def test_independent_categories_have_independent_surrogates():
    rng = np.random.default_rng(0)
    categories = 1 + rng.integers(0, 2, size=(6, 400))
    smoother = Smoother(rng.normal(size=(1, 400)), 0, ENGINE)
    copies = ResidualSurrogates(categories * CATEGORY_GAP, smoother, 0, ThreadEngine(2)).draw(rng.permutation(400))
    assert np.abs(np.corrcoef(copies) - np.eye(6)).max() < 0.25
    assert set(np.unique(copies)) == {CATEGORY_GAP, 2 * CATEGORY_GAP}


def test_workers_write_into_nothing_they_are_passed():
    rng = np.random.default_rng(0)
    given, columns = rng.normal(size=(1, 60)), rng.normal(size=(2, 60))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    given.setflags(write=False)
    columns.setflags(write=False)
    smoother = Smoother(given, 0, ENGINE)
    for first, again in zip(explain(smoother, 0, columns), explain(smoother, 0, columns), strict=True):
        np.testing.assert_array_equal(first.residual, again.residual)


def test_functions_of_a_category_are_means_over_all_points_that_it_could_be():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    column = (1.0 + (rng.uniform(size=300) < 1 / (1 + np.exp(-2 * x)))) * CATEGORY_GAP
    smoother = Smoother(x[None], 0, ENGINE)
    exact = explain(smoother, 0, column[None])[0].functions()
    np.testing.assert_array_equal(exact, explain(smoother, 1, column[None])[0].functions())  # whatever the seed
    points = [explain(smoother, seed, column[None])[0].residual for seed in range(200)]
    drawn = np.mean([polynomials(version) for version in points], axis=0)
    for function, mean in zip(exact, drawn, strict=True):
        assert np.corrcoef(function, mean)[0, 1] > 0.97
