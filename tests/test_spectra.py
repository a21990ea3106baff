"""B-spline coordinates of curves: the choice of the basis against refitting, and what comes back."""

import numpy as np
import pytest
from scipy.interpolate import make_lsq_spline
from sklearn.utils.estimator_checks import parametrize_with_checks

from infosift import BSplineBasis, InputError


def bumps(n_curves=6, n_samples=40, seed=0):
    rng = np.random.default_rng(seed)
    grid = np.sort(rng.uniform(0, 10, n_samples))
    phases = rng.uniform(0, 6, size=(n_curves, 1))
    return grid, np.sin(grid + phases) + 0.1 * rng.normal(size=(n_curves, n_samples))


def refitted_error(grid, curves, n_functions, order):
    """Leave each sample of each curve out, fit the rest by SciPy, and predict it."""
    inner = np.linspace(grid[0], grid[-1], n_functions - order + 2)[1:-1]
    knots = np.concatenate([[grid[0]] * order, inner, [grid[-1]] * order])
    total = 0.0
    for left_out in range(1, len(grid) - 1):  # without an end the grid is another one
        kept = np.arange(len(grid)) != left_out
        fit = make_lsq_spline(grid[kept], curves[:, kept].T, knots, order - 1)
        total += np.sum((fit(grid[left_out]) - curves[:, left_out]) ** 2)
    return total


@pytest.mark.parametrize(("n_functions", "order"), [(5, 4), (9, 4), (6, 3), (4, 2)])
def test_closed_form_equals_refitting(n_functions, order):
    grid, curves = bumps()
    basis = BSplineBasis(n_functions, order=order, grid=grid).fit(curves)
    values = basis._basis.values.toarray()
    hat = values @ np.linalg.solve(values.T @ values, values.T)
    residuals = (curves - curves @ hat.T) / (1 - np.diag(hat))
    assert basis.loo_errors_[order, n_functions] == pytest.approx(np.sum(residuals**2))
    assert np.sum(residuals[:, 1:-1] ** 2) == pytest.approx(refitted_error(grid, curves, n_functions, order))


def test_takes_the_smallest_error_of_numbers_and_orders():
    grid, curves = bumps(n_samples=60)
    basis = BSplineBasis(order=(2, 3, 4), grid=grid).fit(curves)
    best = min(basis.loo_errors_, key=basis.loo_errors_.get)
    assert (basis.order_, basis.n_functions_) == best
    assert {order for order, _ in basis.loo_errors_} == {2, 3, 4}


def test_curves_in_the_span_come_back():
    grid = np.linspace(0, 1, 50)
    curves = np.stack([grid**3 - grid, 2 * grid**2, 1 + grid])
    basis = BSplineBasis(10, grid=grid).fit(curves)
    np.testing.assert_allclose(basis.inverse_transform(basis.transform(curves)), curves, atol=1e-10)


def test_a_coordinate_maps_to_its_range():
    grid = np.linspace(400, 2498, 300)
    basis = BSplineBasis(20, grid=grid).fit(np.sin(grid / 200)[None, :])
    for number, (low, high) in enumerate(basis.ranges_):
        curve = basis.inverse_transform(np.eye(20)[[number]])[0]
        inside = (grid >= low) & (grid <= high)
        assert np.all(curve[~inside] == 0)
        assert np.all(curve[(grid > low) & (grid < high)] > 0)
    assert list(basis.get_feature_names_out()[:2]) == ["spline0", "spline1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_functions": "many"}, 'n_functions must be "auto"'),
        ({"n_functions": None}, 'n_functions must be "auto"'),
        ({"n_functions": 0}, "at least 1"),
        ({"n_functions": 99}, "No basis of 99 functions fits curves of 40 samples"),
        ({"order": 0}, "order must be at least 1"),
        ({"grid": [1, 2]}, "one position for each of the 40 columns"),
        ({"grid": np.zeros(40)}, "grid must ascend"),
    ],
)
def test_refuses_what_makes_no_basis(options, message):
    with pytest.raises(InputError, match=message):
        BSplineBasis(**options).fit(bumps()[1])


def test_refuses_the_wrong_number_of_coordinates():
    basis = BSplineBasis(8).fit(bumps()[1])
    with pytest.raises(InputError, match="8 coordinates, not 3"):
        basis.inverse_transform(np.zeros((2, 3)))


@parametrize_with_checks([BSplineBasis()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
