"""The additive regression against its definitions, solved the slow way."""

from itertools import combinations

import numpy as np
import pytest

from infosift._kernel import CATEGORY_GAP
from infosift.inference.additive import (
    AdditiveModel,
    CategoryFunctions,
    Linear,
    Logistic,
    SmoothFunctions,
    functions_of_column,
)


def columns_of(rng, n_rows=80):
    category = (1.0 + rng.integers(3, size=n_rows)) * CATEGORY_GAP
    return np.stack([rng.normal(size=n_rows), rng.standard_cauchy(size=n_rows), category])


@pytest.mark.parametrize("place", range(3))
def test_functions_are_orthonormal_and_of_mean_zero(place):
    column = columns_of(np.random.default_rng(0))[place]
    functions = functions_of_column(column)
    values = functions.at(column)
    assert isinstance(functions, CategoryFunctions) == (place == 2)
    assert values.shape[1] == len(functions.costs) == (2 if place == 2 else 7)
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(values.T @ values / 80, np.eye(values.shape[1]), atol=1e-4)


def test_the_first_function_is_the_line_and_a_bend_costs_its_second_derivative():
    column = np.random.default_rng(0).normal(size=60)
    functions = SmoothFunctions.of(column)
    z = (column - column.mean()) / column.std()
    np.testing.assert_allclose(np.abs(functions.at(column)[:, 0]), np.abs(z), atol=1e-10)
    assert np.all(np.diff(functions.costs) > 0)

    low, high = functions.knots[[0, -1]]
    at = np.linspace(low, high, 20_001)
    values = functions.at(column.mean() + column.std() * at)
    step = at[1] - at[0]
    bends = np.sum((np.diff(values, n=2, axis=0) / step**2) ** 2, axis=0) * step
    for place in (1, 3):
        assert bends[place] == pytest.approx(functions.costs[place], rel=1e-2)


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.0, 1.0, 5.0]])
def test_numbers_of_few_values(values):
    column = np.repeat(values, 10)
    functions = functions_of_column(column)
    assert functions.at(column).shape[1] == len(values) - 1
    assert np.isfinite(functions.at(np.array([-1.0, 0.5, 9.0]))).all()


def test_least_squares_against_the_normal_equations():
    rng = np.random.default_rng(1)
    design = rng.normal(size=(50, 6))
    design -= design.mean(axis=0)
    target, penalty, used = rng.normal(size=50), rng.uniform(0.01, 1, size=6), np.array([0, 2, 3, 5])
    own = design[:, used]
    hat = own @ np.linalg.inv(own.T @ own + 50 * np.diag(penalty[used])) @ own.T + 1 / 50
    found = Linear(design, target, penalty, used)
    np.testing.assert_allclose(found.predicted, hat @ target, atol=1e-10)
    rest = (np.eye(50) - hat) @ (np.eye(50) - hat).T
    np.testing.assert_allclose(found.left, np.diag(rest), atol=1e-10)
    assert found.freedom == pytest.approx(50 - np.trace(rest))


def test_the_gradient_of_a_logistic_regression_is_zero():
    rng = np.random.default_rng(2)
    design = rng.normal(size=(200, 5))
    target = (rng.logistic(size=200) < design[:, 0] - design[:, 1]) * 1.0
    penalty = np.full(5, 0.01)
    found = Logistic(design, target, penalty, np.arange(5))
    gradient = design.T @ (target - found.predicted) - 200 * penalty * found.coefficients
    assert np.abs(gradient).max() < 0.05  # after four rounds; 40 before the first
    assert abs(np.sum(target - found.predicted)) < 0.05


@pytest.mark.parametrize("has_classes", [False, True])
def test_leaving_a_feature_out_leaves_out_its_products(has_classes):
    rng = np.random.default_rng(3)
    columns = columns_of(rng)
    component = rng.normal(size=80) + columns[0]
    component = (component > 0) * 1.0 if has_classes else component
    model = AdditiveModel(columns, component[None], list(combinations(range(3), 2)), has_classes=has_classes)
    other = AdditiveModel(columns[:2], component[None], [(0, 1)], has_classes=has_classes)
    fit = model.fit([0, 1])
    np.testing.assert_array_equal(model.design[:, fit.used], other.design)
    assert len(model.fit([]).used) == 0
    np.testing.assert_allclose(model.fit([]).regressions[0].predicted, component.mean())


def test_squared_residuals_are_those_of_the_noise():
    # The fits take up noise; what is left of it in the errors has its variance, whatever is fitted.
    rng = np.random.default_rng(4)
    means = []
    for _ in range(60):
        X = rng.normal(size=(4, 100))
        y = 2 * X[0] + np.sin(2 * X[1]) + rng.normal(size=100)
        model = AdditiveModel(X, y[None], list(combinations(range(4), 2)))
        means.append([model.fit(some).errors.mean() for some in (range(4), [0, 1], [0, 1, 2])])
    assert np.mean(means, axis=0) == pytest.approx(np.ones(3), abs=0.06)  # of one fit without it: 0.8
