"""Rows that are left out of a regression, alone or with their group: against fitting again without them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift.engines.threads import ThreadEngine
from infosift.inference.kernel_functions import spanned_kernel
from infosift.inference.left_out import RIDGES, EachAlone, InFolds, folds_of, residuals_by_mean
from infosift.inference.regression import Smoother

ENGINE = ThreadEngine()


def slow_residuals(kernel, column, ridge, folds):
    """Ridge regression with an intercept, fitted again without each fold."""
    n_rows = len(column)
    functions = kernel.basis.of(np.arange(n_rows)) * np.sqrt(kernel.eigenvalues)
    residuals = np.empty(n_rows)
    for rows in folds:
        others = np.delete(np.arange(n_rows), rows)
        mean, centre = functions[others].mean(axis=0), column[others].mean()
        known = functions[others] - mean
        penalty = ridge * n_rows * np.eye(known.shape[1])
        weights = np.linalg.solve(known.T @ known + penalty, known.T @ (column[others] - centre))
        residuals[rows] = column[rows] - centre - (functions[rows] - mean) @ weights
    return residuals


def groups_of(rng, n_rows, n_groups):
    return rng.permutation(np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n_rows - n_groups)]))


@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 30), width=st.sampled_from([0.25, 1.0, 4.0]))
def test_residuals_are_those_of_fitting_again_without_the_fold_and_without_the_row(seed, n_groups, width):
    rng = np.random.default_rng(seed)
    points, columns = rng.normal(size=(40, 2)), rng.normal(size=(3, 40))
    columns -= columns.mean(axis=1, keepdims=True)
    kernel, compared = spanned_kernel(width, points, 2), np.arange(0, 40, 3)
    folds = folds_of(groups_of(rng, 40, n_groups))
    alone = [np.array([row]) for row in range(40)]
    chosen = rng.integers(len(RIDGES), size=3)
    for way, left_out in ((EachAlone(kernel, compared), alone), (InFolds(kernel, compared, folds), folds)):
        coefficients, by_ridge = way.coefficients(columns), np.empty((3, len(RIDGES), len(compared)))
        way.compared(coefficients, columns, by_ridge)
        everywhere = way.residuals(coefficients, columns, chosen)
        for i, column in enumerate(columns):
            expected = slow_residuals(kernel, column, RIDGES[chosen[i]], left_out)
            np.testing.assert_allclose(by_ridge[i, chosen[i]], expected[compared], rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(everywhere[i], expected, rtol=1e-5, atol=1e-5)


@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 60))
def test_folds_are_of_whole_groups_and_of_about_one_size(seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = groups_of(rng, 120, n_groups)
    folds = folds_of(groups)
    assert len(folds) == min(n_groups, 20)
    assert sorted(np.concatenate(folds).tolist()) == list(range(120))
    held = [set(groups[rows].tolist()) for rows in folds]
    assert sum(map(len, held)) == n_groups
    sizes = [len(rows) for rows in folds]
    assert max(sizes) - min(sizes) <= np.bincount(groups).max()


def test_rows_of_one_group_only_are_left_out_alone():
    assert folds_of(None) is None
    assert folds_of(np.zeros(9, dtype=np.int64)) is None


@pytest.mark.parametrize("n_groups", [3, 25])
def test_the_mean_is_that_of_the_others(n_groups):
    rng = np.random.default_rng(0)
    column, folds = rng.normal(size=50), folds_of(groups_of(rng, 50, n_groups))
    column -= column.mean()
    found = residuals_by_mean(column[None], folds)[0]
    for rows in folds:
        np.testing.assert_allclose(found[rows], column[rows] - np.delete(column, rows).mean(), atol=1e-12)


def test_a_group_says_nothing_about_itself():
    # The number of a person tells everything about other rows of the same person, and nothing about other people.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 6)
    of_person = rng.normal(size=(50, 30))[:, groups]
    person = (groups + 0.01 * rng.normal(size=180))[None]
    alone, with_group = Smoother(person, ENGINE), Smoother(person, ENGINE, row_groups=groups)
    assert np.mean((of_person - alone.predict(of_person)) ** 2) < 0.2
    assert np.mean((of_person - with_group.predict(of_person)) ** 2) > 0.9


def test_what_all_groups_share_is_predicted():
    rng = np.random.default_rng(0)
    groups, x = np.repeat(np.arange(30), 6), rng.normal(size=180)
    y = np.sin(2 * x) + 0.1 * rng.normal(size=180)
    smoother = Smoother(x[None], ENGINE, row_groups=groups)
    assert np.mean((y - smoother.predict(y)) ** 2) < 0.03
    np.testing.assert_array_equal(smoother.predict(np.stack([y, x]))[0], smoother.predict(np.stack([y, -x]))[0])


def test_a_subset_that_does_not_vary_leaves_the_mean_of_the_other_folds():
    y, groups = np.random.default_rng(0).normal(size=30), np.repeat(np.arange(10), 3)
    predicted = Smoother(np.ones((1, 30)), ENGINE, row_groups=groups).predict(y)
    np.testing.assert_allclose(predicted, [np.delete(y, groups == group).mean() for group in groups], atol=1e-12)


def test_a_long_table_is_predicted_as_exactly_by_folds():
    rng = np.random.default_rng(0)
    x, groups = rng.normal(size=(2, 5_000)), np.repeat(np.arange(50), 100)
    y = np.sin(2 * x[0]) * x[1] + 0.1 * rng.normal(size=5_000)
    alone, by_folds = Smoother(x, ENGINE).predict(y), Smoother(x, ENGINE, row_groups=groups).predict(y)
    assert np.mean((y - by_folds) ** 2) < 1.1 * np.mean((y - alone) ** 2)
