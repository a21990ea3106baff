"""Columns enter in the order of scikit-learn's path; predictors of all sizes at once are those of one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge, lars_path
from sklearn.neighbors import KNeighborsRegressor

from infosift.search import predictors
from infosift.search.predictors import lasso_order


def data(seed, n_rows=40, n_columns=8, n_components=2):
    rng = np.random.default_rng(seed)
    design, order = rng.normal(size=(n_columns, n_rows)), rng.permutation(n_rows)
    target = rng.normal(size=(n_components, n_columns)) @ design + rng.normal(size=(n_components, n_rows))
    return design, target, np.sort(order[10:]), np.sort(order[:10])


def cross_validation(design, target, ridge):
    """The generalised cross-validation of one ridge, by the textbook: the hat matrix as a whole."""
    n_rows = design.shape[1]
    hat = design.T @ np.linalg.solve(design @ design.T + ridge * n_rows * np.eye(len(design)), design)
    freedom = predictors._COST_OF_FREEDOM * (np.trace(hat) + 1) / n_rows
    left = ((target - target @ hat) ** 2).sum()
    return left / (1 - freedom) ** 2 if freedom <= predictors._MOST_FREEDOM else np.inf


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n_columns=st.sampled_from([1, 4, 8, 40]))
def test_ridge_paths_are_single_regressions(seed, n_columns):
    design, target, train, test = data(seed, n_columns=n_columns)
    ends = sorted({1, (n_columns + 1) // 2, n_columns})
    found = predictors.ridge_errors(
        *(design - design[:, train].mean(axis=1, keepdims=True), target, ends, train, test)
    )
    for errors, end in zip(found, ends, strict=True):
        own = design[:end, train] - design[:end, train].mean(axis=1, keepdims=True)
        away = target[:, train] - target[:, train].mean(axis=1, keepdims=True)
        ridge = min(predictors._RIDGES, key=lambda each: cross_validation(own, away, each))
        model = Ridge(ridge * len(train)).fit(design[:end, train].T, target[:, train].T)
        slow = ((model.predict(design[:end, test].T) - target[:, test].T) ** 2).sum(axis=1)
        np.testing.assert_allclose(errors, slow, rtol=1e-6, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_nearest_rows_are_those_of_scikit_learn(seed):
    design, target, train, test = data(seed)
    slow = [
        KNeighborsRegressor(k).fit(design[:, train].T, target[:, train].T).predict(design[:, test].T)
        for k in predictors._N_NEIGHBORS
    ]
    expected = np.mean([((own - target[:, test].T) ** 2).sum(axis=1) for own in slow], axis=0)
    found = predictors.neighbor_errors(design, target, train, test)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_rows_as_near_as_the_last_count_too():
    design = np.array([[0.0] * 8 + [5.0] * 4 + [0.0]])
    target = np.arange(13.0)[None]
    (error,) = predictors.neighbor_errors(design, target, np.arange(12), np.array([12]))
    assert error == pytest.approx(((12 - 3.5) ** 2 + (12 - 5.5) ** 2) / 2)


def test_columns_are_scaled_by_the_rows_of_training():
    columns = np.array([[0.0, 2.0, 4.0, 100.0], [1.0, 1.0, 1.0, 3.0]])
    scaled = predictors.scaled_by(columns, np.arange(3))
    assert scaled[0, :3].mean() == pytest.approx(0)
    assert scaled[0, :3].std() == pytest.approx(1)
    assert scaled[1].tolist() == [0, 0, 0, 2]


STEPS = 40


def order_of_scikit_learn(columns, target, positive):
    centred = columns - columns.mean(axis=1, keepdims=True)
    scaled = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    away = target - target.mean()
    coefficients = lars_path(scaled.T, away, method="lasso", max_iter=STEPS, positive=positive)[2]
    entered = np.flatnonzero(coefficients.any(axis=1))
    return entered[np.argsort((coefficients[entered] != 0).argmax(axis=1), kind="stable")]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(8, 60),
    n_columns=st.integers(1, 40),
    shared=st.sampled_from([0.0, 2.0]),
    positive=st.booleans(),
)
def test_the_order_is_that_of_scikit_learn(seed, n_rows, n_columns, shared, positive):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_columns, n_rows)) + shared * rng.normal(size=n_rows)
    target = columns[:3].sum(axis=0) + rng.normal(size=n_rows)
    found = lasso_order(columns, target, STEPS, positive=positive)
    expected = order_of_scikit_learn(columns, target, positive)
    several = min(len(found), len(expected), n_rows - 2)  # beyond as many columns as rows, rounding decides
    assert found[:several].tolist() == expected[:several].tolist()


def test_copies_constants_and_sums_of_others_do_not_enter():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(4, 30))
    columns = np.vstack([columns, columns[:2], np.ones((1, 30)), columns[0] + columns[1]])
    target = columns[:4].sum(axis=0) + 0.1 * rng.normal(size=30)
    order = lasso_order(columns, target, STEPS).tolist()
    assert 6 not in order
    assert np.linalg.matrix_rank(columns[order]) == len(order) == 4


@pytest.mark.parametrize("columns", [np.ones((3, 10)), np.zeros((0, 10))])
def test_nothing_enters_where_nothing_can(columns):
    assert lasso_order(columns, np.arange(10.0), STEPS).tolist() == []
    assert lasso_order(np.arange(10.0)[None] ** 2, np.ones(10), STEPS).tolist() == []
