"""Series scores against their definition, row by row; sums whose bits do not depend on any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from infosift._kernel import CATEGORY_GAP
from infosift.significance.series import (
    ORDERS,
    exact,
    expected_polynomials,
    functions_of,
    make_series,
    polynomials,
    standardised,
)


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


def test_functions_of_numbers_see_ranks_only_and_of_categories_no_order():
    rng = np.random.default_rng(0)
    column = rng.normal(size=50)
    np.testing.assert_array_equal(functions_of(column), functions_of(np.exp(column)))
    categories = (1.0 + rng.integers(0, 3, size=50)) * CATEGORY_GAP
    assert len(functions_of(categories)) == 3
    assert len(functions_of((1.0 + (column > 0)) * CATEGORY_GAP)) == 1
    for functions in (functions_of(column), functions_of(categories)):
        np.testing.assert_allclose(functions.mean(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(functions.std(axis=1), 1)


def slow_scores(candidates, parts, subset, source):
    """The definition, one product at a time."""
    n = parts[0].shape[1]
    scores = []
    for functions in candidates:
        functions = exact(functions)[:, source]
        own = []
        for part in parts:
            part = exact(part)
            c = np.array([[np.dot(f, g) for g in part] for f in functions]) / np.sqrt(n)
            own += [c[0, 0] ** 2, np.sum(c[:, 0] ** 2), np.sum(c[:2, :2] ** 2)]
            if subset is not None:
                products = exact(standardised(subset * part[:1]))
                own.append(max(np.dot(functions[0], g) ** 2 / n for g in products))
        scores.append(np.cbrt(own))
    return np.array(scores)


@pytest.mark.parametrize("n_given", [0, 2])
def test_scores_against_their_definition(n_given):
    rng = np.random.default_rng(0)
    candidates = [functions_of(rng.normal(size=80)) for _ in range(4)]
    candidates[2] = functions_of((1.0 + rng.integers(0, 4, size=80)) * CATEGORY_GAP)
    parts = [exact(functions_of(rng.normal(size=80))) for _ in range(2)]
    subset = rng.normal(size=(n_given, 80)) if n_given else None
    series = make_series(candidates, parts, subset)
    sources = np.stack([np.arange(80), rng.permutation(80), rng.permutation(80)])
    found = series.scores(sources)
    for draw, source in enumerate(sources):
        np.testing.assert_allclose(found[draw], slow_scores(candidates, parts, subset, source), rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(10, 300), st.integers(2, 12))
def test_bits_do_not_depend_on_what_else_is_asked(seed, n_rows, n_candidates):
    rng = np.random.default_rng(seed)
    candidates = [functions_of(rng.normal(size=n_rows)) for _ in range(n_candidates)]
    parts = [functions_of(rng.normal(size=n_rows))]
    sources = np.stack([rng.permutation(n_rows) for _ in range(5)])
    together = make_series(candidates, parts, None).coefficients(sources)
    order = rng.permutation(n_candidates)
    moved = make_series([candidates[i] for i in order], parts, None).coefficients(sources)
    np.testing.assert_array_equal(moved, together[:, order])
    alone = make_series(candidates[:1], parts, None).coefficients(sources[3:4])
    np.testing.assert_array_equal(alone[0, 0], together[3, 0])


@pytest.mark.parametrize("n_rows", [3, 100, 70_000])
def test_sums_of_products_are_exact(n_rows):
    # As whole numbers they fit into the 53 bits of a float.
    bits = (53 - 7 - int(np.ceil(np.log2(n_rows)))) // 2
    rounded = exact(np.random.default_rng(0).normal(size=(1, n_rows)))
    np.testing.assert_array_equal(np.ldexp(rounded, bits) % 1, 0)
    assert 64 * n_rows * 4.0**bits <= 2.0**53
    assert np.abs(rounded).max() <= 8
