"""Series scores against their definition, row by row; sums whose bits do not depend on any order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import (
    ORDERS,
    Functions,
    expected_polynomials,
    functions_of,
    polynomials,
    standardised,
    steps_at_cuts,
)
from infosift.inference.series import carried_back, exact, make_series, make_target_series


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


def repeating(rng, n_rows):
    """From which row each takes its value where some are taken more than once."""
    return rng.integers(0, n_rows, size=n_rows)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sets(st.booleans(), min_size=1))
def test_to_carry_functions_back_is_to_move_the_column(seed, n_rows, kinds):
    rng = np.random.default_rng(seed)
    functions, column = rng.integers(-9, 9, size=(3, n_rows)) * 1.0, rng.integers(-9, 9, size=n_rows) * 1.0
    sources = np.stack(
        [rng.permutation(n_rows) if kind else repeating(rng, n_rows) for kind in [*kinds, True in kinds]]
    )
    back = carried_back(functions, sources)
    for draw, source in enumerate(sources):
        np.testing.assert_array_equal(back[:, draw] @ column, functions @ column[source])


def slow_squares(functions, parts, source):
    """Squared mean products, one at a time: a list for each function, with one for each function of the target."""
    n = len(source)
    products = [[math.fsum(f[source] * g) / math.sqrt(n) for g in exact(parts)] for f in exact(functions)]
    return [[product * product for product in own] for own in products]


def slow_scores(candidates, parts, subset, source):
    """The definition, one product at a time; a candidate is its functions and its steps."""
    scores = []
    for functions, own_steps in candidates:
        own = []
        for part in parts:
            squares = slow_squares(functions, part[:2], source)
            of_steps = slow_squares(own_steps, part[:1], source)
            own += [
                squares[0][0],
                sum(of_function[0] for of_function in squares),
                max(square for of_function in squares[:2] for square in of_function),
                max((square for (square,) in of_steps), default=0.0),
            ]
            if subset is not None:
                own.append(max(slow_squares(functions[:1], standardised(subset * part[:1]), source)[0]))
        scores.append(np.cbrt(own))
    return np.array(scores)


def slow_effects(candidates, parts, source):
    """The definition: squares with the first function of a part, and of two with two, of all parts."""
    effects = []
    for functions, _ in candidates:
        squares = [slow_squares(functions, part[:2], source) for part in parts]
        first = sum(of_function[0] for own in squares for of_function in own)
        effects.append(first + sum(sum(of_function) for own in squares for of_function in own[:2]))
    return np.array(effects)


def number(rng, n_rows):
    return functions_of(rng.normal(size=(1, n_rows)))[0]


def category(rng, n_rows, n_categories):
    return functions_of((1.0 + rng.permutation(np.arange(n_rows) % n_categories))[None] * CATEGORY_GAP)[0]


def group(*members):
    return Functions(*(np.concatenate(own) for own in zip(*members, strict=True)))


def of_many_kinds(rng, n_rows):
    numbers = [number(rng, n_rows) for _ in range(7)]
    categories = [category(rng, n_rows, n_categories) for n_categories in (2, 4, 9)]
    return [*numbers[:2], *categories, group(numbers[2], categories[0]), group(*numbers[3:])]


@pytest.mark.parametrize("n_given", [0, 1, 3])
@pytest.mark.parametrize("repeats", [False, True])
def test_scores_against_their_definition(n_given, repeats):
    rng = np.random.default_rng(n_given)
    candidates = of_many_kinds(rng, 80)
    parts = [number(rng, 80).smooth, standardised(rng.normal(size=(1, 80))), number(rng, 80).smooth]
    subset = np.stack([number(rng, 80).smooth[0] for _ in range(n_given)]) if n_given else None
    sources = np.stack(
        [np.arange(80), rng.permutation(80), repeating(rng, 80) if repeats else rng.permutation(80)]
    )
    moved = make_target_series(parts, subset).moved(sources)
    found, effects = make_series(candidates).scores(moved), make_series(candidates).effects(moved)
    assert found.shape == (3, len(candidates), 3 * (5 if n_given else 4))
    for draw, source in enumerate(sources):
        np.testing.assert_array_equal(found[draw], slow_scores(candidates, parts, subset, source))
        np.testing.assert_allclose(effects[draw], slow_effects(candidates, parts, source), rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(10, 200), st.booleans(), st.booleans())
def test_bits_do_not_depend_on_what_else_is_asked(seed, n_rows, has_subset, repeats):
    rng = np.random.default_rng(seed)
    candidates, parts = of_many_kinds(rng, n_rows), [number(rng, n_rows).smooth]
    subset = number(rng, n_rows).smooth[:2] if has_subset else None
    sources = np.stack([repeating(rng, n_rows) if repeats else rng.permutation(n_rows) for _ in range(5)])
    target = make_target_series(parts, subset)
    together = make_series(candidates).scores(target.moved(sources))
    order = rng.permutation(len(candidates))
    reordered = make_series([candidates[i] for i in order]).scores(target.moved(sources))
    np.testing.assert_array_equal(reordered, together[:, order])
    for i in (0, 4, 6):
        alone = make_series([candidates[i]]).scores(target.moved(sources[3:4]))
        np.testing.assert_array_equal(alone[0, 0], together[3, i])


def test_a_step_is_seen_best_by_steps():
    # A step at a third of the rows: the squared correlation of the first polynomial with it is 2 / 3 of its own.
    rng = np.random.default_rng(0)
    column = rng.permutation(90).astype(float)
    part = standardised((column >= 30)[None].astype(float))
    moved = make_target_series([part], None).moved(np.arange(90)[None])
    squares = make_series(functions_of(column[None])).scores(moved)[0, 0] ** 3
    assert squares[3] == pytest.approx(90, rel=1e-6)
    assert squares[0] == pytest.approx(90 * 2 / 3, rel=1e-3)


@pytest.mark.parametrize("n_rows", [3, 100, 70_000])
def test_sums_of_products_are_exact(n_rows):
    # As whole numbers they fit into the 53 bits of a float.
    bits = min(20, (53 - 7 - int(np.ceil(np.log2(n_rows)))) // 2)
    rounded = exact(10 * np.random.default_rng(0).normal(size=(1, n_rows)))
    np.testing.assert_array_equal(np.ldexp(rounded, bits) % 1, 0)
    np.testing.assert_array_equal(rounded.astype(np.float32), rounded)  # as they are kept
    assert 64 * n_rows * 4.0**bits <= 2.0**53
    assert np.abs(rounded).max() <= 8


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
