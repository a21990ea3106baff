"""Regression on the subset: the closed form of leave-one-out against fitting again and again."""

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from infosift._kernel import CATEGORY_GAP
from infosift.engines.threads import ThreadEngine
from infosift.significance.regression import Smoother, expected_spread

ENGINE = ThreadEngine()


def test_each_row_is_predicted_from_the_others():
    # The closed form against fitting without each row in turn, with an intercept, over the same choices.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 30))
    y = np.sin(X[0]) + 0.1 * rng.normal(size=30)
    errors = {}
    for width in (0.5, 1.0, 2.0, 4.0, 8.0):
        gram = np.exp(-((X[:, :, None] - X[:, None]) ** 2).sum(axis=0) / (2 * 2 * width**2))
        for exponent in range(-12, 0):
            ridge = 30 * 10.0 ** (exponent / 2)
            left = []
            for i in range(30):
                others = np.arange(30) != i
                centre = np.eye(29) - 1 / 29
                inner = gram[np.ix_(others, others)]
                weights = np.linalg.solve(centre @ inner @ centre + ridge * np.eye(29), centre @ y[others])
                across = gram[i, others] - inner.mean(axis=0)
                left.append(y[i] - y[others].mean() - (across - across.mean()) @ weights)
            errors[width, exponent] = np.array(left)
    best = min(errors.values(), key=lambda left: np.mean(left**2))
    np.testing.assert_allclose(y - Smoother(X, 0, ENGINE).predict(y), best, atol=0.02)


def test_many_rows_are_predicted_as_well_by_a_part_of_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 900))
    signal = np.sin(2 * X[0]) * X[1]
    y = signal + 0.3 * rng.normal(size=900)
    ours = Smoother(X, 0, ENGINE).predict(y)
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5).fit(X.T, y).predict(X.T)
    assert np.std(ours - signal) < 1.3 * np.std(theirs - signal)


def test_predictions_depend_on_nothing_else():
    rng = np.random.default_rng(0)
    columns, subset = rng.normal(size=(4, 80)), rng.normal(size=(2, 80))
    together = [Smoother(subset, 0, ENGINE).predict(column) for column in columns]
    for column, expected in zip(columns[::-1], together[::-1], strict=True):
        np.testing.assert_array_equal(Smoother(subset, 0, ENGINE).predict(column), expected)


def test_noise_is_predicted_by_its_mean_and_categories_by_their_groups():
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=300)
    y = np.array([-2.0, 0.0, 2.0])[group] + rng.normal(size=300)
    predicted = Smoother((1.0 + group[None]) * CATEGORY_GAP, 0, ENGINE).predict(y)
    assert np.corrcoef(predicted, np.array([-2.0, 0.0, 2.0])[group])[0, 1] > 0.98
    assert np.std(Smoother(rng.normal(size=(1, 300)), 0, ENGINE).predict(rng.normal(size=300))) < 0.3


def test_columns_in_a_block_are_predicted_as_one_by_one():
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, 120)), rng.normal(size=(7, 120))
    columns[:4] += np.sin(2 * subset[0])
    smoother = Smoother(subset, 0, ENGINE)
    alone = np.stack([smoother.predict(column) for column in columns])
    np.testing.assert_allclose(smoother.predict(columns), alone, rtol=0, atol=1e-10)
    spreads = np.stack([expected_spread(column, smoother) for column in columns - alone])
    np.testing.assert_allclose(expected_spread(columns - alone, smoother), spreads, rtol=1e-8)


def test_of_very_many_rows_some_choose_the_width_and_all_are_predicted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 5000))
    y = np.sin(3 * x[0]) + 0.2 * rng.normal(size=5000)
    assert np.std(Smoother(x, 0, ENGINE).predict(y) - np.sin(3 * x[0])) < 0.05
