"""Functions of ranks: orthonormal polynomials, steps and indicators, each column for itself."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import expected_polynomials, functions_of, polynomials, steps_at_cuts

ORDERS = 3


def test_polynomials_are_orthonormal_on_the_unit_interval():
    for i in range(ORDERS):
        assert quad(lambda u, i=i: polynomials(np.array([u]))[i, 0], 0, 1)[0] == pytest.approx(0, abs=1e-12)
        for j in range(ORDERS):
            product = quad(lambda u, i=i, j=j: np.prod(polynomials(np.array([u]))[[i, j], 0]), 0, 1)[0]
            # The square of a polynomial is itself once, not twice.
            expected = quad(lambda u, i=i: polynomials(np.array([u]))[i, 0] ** 2, 0, 1)[0] if i == j else 0
            assert product == pytest.approx(expected, abs=1e-10)
            assert i != j or expected == pytest.approx(1)


@given(st.floats(0, 0.99), st.floats(0.001, 1))
def test_expected_polynomials_are_means_over_an_interval(low, width):
    high = min(1.0, low + width)
    found = expected_polynomials(np.array([low]), np.array([high]))[:, 0]
    for order in range(ORDERS):
        area = quad(lambda u, order=order: polynomials(np.array([u]))[order, 0], low, high)[0]
        assert found[order] == pytest.approx(area / (high - low), abs=1e-9)


def smooth_of(column):
    return functions_of(column[None])[0].smooth


def steps_of(column):
    return functions_of(column[None])[0].steps


def test_functions_of_numbers_see_ranks_only_and_of_categories_no_order():
    rng = np.random.default_rng(0)
    column = rng.normal(size=50)
    np.testing.assert_array_equal(smooth_of(column), smooth_of(np.exp(column)))
    np.testing.assert_array_equal(steps_of(column), steps_of(np.exp(column)))
    categories = (1.0 + rng.integers(0, 3, size=50)) * CATEGORY_GAP
    assert len(smooth_of(categories)) == 3
    assert len(smooth_of((1.0 + (column > 0)) * CATEGORY_GAP)) == 1
    assert steps_of(categories).shape == (0, 50)
    for functions in (smooth_of(column), smooth_of(categories), steps_of(column)):
        np.testing.assert_allclose(functions.mean(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(functions.std(axis=1), 1)


@given(st.integers(0, 2**32 - 1), st.lists(st.booleans(), min_size=1, max_size=6), st.integers(2, 60))
def test_functions_of_columns_are_those_of_each(seed, are_categories, n_rows):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(len(are_categories), n_rows)) * 10.0 ** rng.integers(
        -9, 9, size=(len(are_categories), 1)
    )
    columns[are_categories] = (1.0 + np.arange(n_rows) % rng.integers(2, 9)) * CATEGORY_GAP
    columns[0] = columns[0, 0]  # does not vary
    for own, column in zip(functions_of(columns), columns, strict=True):
        np.testing.assert_array_equal(own.smooth, smooth_of(column))
        np.testing.assert_array_equal(own.steps, steps_of(column))


@given(st.integers(0, 2**32 - 1), st.integers(2, 150), st.booleans())
def test_steps_tell_rows_above_a_cut_of_the_ranks_from_those_below(seed, n_rows, rounded):
    column = np.random.default_rng(seed).normal(size=n_rows)
    if rounded:
        column = np.round(column)
    ranks = [sum(column < x) + Fraction(int(sum(column == x)) + 1, 2) for x in column]  # of equal values, the mean
    found = steps_of(column)
    assert len(found) == 5
    for sixths, step in enumerate(found, 1):
        above = np.array([6 * (rank - Fraction(1, 2)) > sixths * n_rows for rank in ranks])
        count = int(above.sum())
        if 0 < count < n_rows:
            high, low = np.sqrt((n_rows - count) / count), -np.sqrt(count / (n_rows - count))
            np.testing.assert_allclose(step, np.where(above, high, low), rtol=1e-12)
        else:
            assert not step.any()


def test_a_point_on_a_cut_is_not_above_it():
    points = np.array([0.0, 1 / 6, 0.2, 1 / 3, 0.5, 0.6, 2 / 3, 5 / 6, 1.0])
    expected = [[int(6 * float(point) > cut + 1e-9) for point in points] for cut in range(1, 6)]
    np.testing.assert_array_equal(steps_at_cuts(points), expected)
    np.testing.assert_array_equal(steps_at_cuts(points[None])[:, 0], expected)


@pytest.mark.parametrize("is_category", [False, True])
def test_rows_without_a_value_are_left_out_of_all_products(is_category):
    rng = np.random.default_rng(0)
    column = rng.integers(0, 4, size=50) * CATEGORY_GAP if is_category else rng.normal(size=50)
    column[rng.uniform(size=50) < 0.3] = np.nan
    known = ~np.isnan(column)
    with_gaps, of_known = functions_of(column[None])[0], functions_of(column[None, known])[0]
    for found, expected in zip(with_gaps, of_known, strict=True):
        np.testing.assert_array_equal(found[:, known], expected)
        assert not found[:, ~known].any()


def test_a_column_without_any_value_has_no_effect():
    functions = functions_of(np.array([[np.nan] * 20, np.arange(20.0)]))
    assert not any(own.any() for own in functions[0])
    assert functions[1].smooth.any()
