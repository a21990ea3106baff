"""Series freed of a subset: as the residuals of a regression on the same functions, after each shift."""

import numpy as np

from infosift.criteria.rank_basis import functions_of, standardised
from infosift.inference.shifted import Projection, ShiftedTarget
from infosift.inference.shifts import shifted_rows
from samples import conditional_on


def residuals(functions, given):
    own = [found.smooth for found in functions_of(given)]
    basis = np.concatenate([np.ones((1, given.shape[1])), *own, own[0][:1] * own[1][:1]]).T
    fitted = basis @ np.linalg.lstsq(basis, functions.T, rcond=None)[0]
    return standardised(functions - fitted.T)


def test_a_projection_leaves_the_residuals_of_a_regression():
    rng = np.random.default_rng(0)
    given, functions = rng.normal(size=(2, 60)), rng.normal(size=(5, 60))
    np.testing.assert_allclose(Projection(given).off(functions), residuals(functions, given), atol=1e-10)


def test_columns_that_say_the_same_do_no_harm():
    rng = np.random.default_rng(1)
    given, functions = rng.normal(size=(1, 60)), rng.normal(size=(3, 60))
    once, twice = Projection(given), Projection(np.concatenate([given, given]))
    # The product of a column with itself is a function of it, too.
    assert np.all(np.isfinite(twice.off(functions)))
    assert np.abs(twice.off(functions) @ functions_of(given)[0].smooth.T).max() < 1e-8
    assert once.off(functions).shape == functions.shape


def test_the_target_is_shifted_first_and_freed_then():
    rng = np.random.default_rng(2)
    given, parts = rng.normal(size=(2, 50)), [rng.normal(size=(3, 50)), rng.normal(size=(1, 50))]
    sources = shifted_rows(50, 0, 0, range(1, 5))
    moved = ShiftedTarget.of(parts, Projection(given)).moved(sources)
    assert moved.shape == (2, 2, 4, 50)
    for draw, source in enumerate(sources):
        expected = residuals(parts[0][:2][:, source], given)
        np.testing.assert_allclose(moved[0, :, draw], expected, atol=1e-5)
    assert not moved[1, 1].any()


def test_beside_a_subset_only_series_are_asked():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4, 80)), rng.normal(size=80)
    assert conditional_on(X, y, (0,), null="circular").asks_only_series
    assert not conditional_on(X, y, (), null="circular").asks_only_series
    assert not conditional_on(X, y, (0,)).asks_only_series
