"""Columns as estimators need them: unit variance, no ties, gaps imputed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infosift import mutual_information
from infosift._kernel import CATEGORY_GAP
from infosift.data.prepare import (
    break_ties,
    complete_rows,
    impute,
    on_a_grid,
    scale_distances,
    to_unit_spread,
    units_of,
)

NUMBERS = [1.0, np.nan, 2.0, 6.0]

CATEGORIES = [0.0, CATEGORY_GAP, np.nan, CATEGORY_GAP]


def test_rows_are_whole_where_no_column_has_a_gap():
    assert complete_rows(np.array([NUMBERS, CATEGORIES])).tolist() == [0, 3]
    assert complete_rows(np.zeros((0, 3))).tolist() == [0, 1, 2]


def test_gaps_are_filled_by_the_mean_or_the_largest_category():
    found = impute(np.array([NUMBERS, CATEGORIES, [np.nan] * 4]))
    np.testing.assert_array_equal(found, [[1, 3, 2, 6], [0, CATEGORY_GAP, CATEGORY_GAP, CATEGORY_GAP], [0] * 4])


def test_without_gaps_nothing_is_copied():
    columns = np.ones((2, 3))
    assert impute(columns) is columns


@given(arrays(float, st.integers(2, 50), elements=st.floats(-1e300, 1e300, allow_subnormal=False)))
def test_unit_spread_in_any_unit(values):
    if values.max() / 2 - values.min() / 2 == 0:
        return
    scaled = to_unit_spread(values)
    assert scaled.std() == pytest.approx(1)
    assert scaled.mean() == pytest.approx(0, abs=1e-7)
    assert np.all(np.diff(scaled[np.argsort(values)]) >= 0)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 1.1, 3.7, 10.0]), min_size=2, max_size=60).filter(
        lambda x: len(set(x)) > 1
    ),
    st.integers(0, 100),
)
def test_ties_are_broken_and_order_is_kept(drawn, seed):
    values = np.array(drawn)
    broken = break_ties(values, seed, "ties")
    assert len(np.unique(broken)) == len(values)
    assert np.abs(broken - values).max() < 1e-8
    assert np.all(np.diff(values[np.argsort(broken)]) >= 0)
    single = np.array([drawn.count(value) == 1 for value in drawn])
    if not on_a_grid(np.diff(np.unique(values))):
        np.testing.assert_array_equal(broken[single], values[single])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(50.0), True),
        (np.array([0.0, 1.0]), True),
        (np.round(np.random.default_rng(0).normal(size=40), 2), True),
        (np.array([20200101.0, 20200102.0, 20200201.0]), True),
        (np.random.default_rng(0).normal(size=40), False),
        (np.maximum(np.random.default_rng(0).normal(size=40), 0), False),
        (np.random.default_rng(0).standard_cauchy(size=1000), False),
        (np.array([-1.0, 0.0, 4e-309, 1.0]), False),
    ],
)
def test_grids_are_told_from_other_values(values, expected):
    scaled = to_unit_spread(values)
    assert on_a_grid(np.diff(np.unique(scaled))) == expected
    changed = break_ties(scaled, 0, "ties") != scaled
    assert changed.all() if expected else not changed[scaled > scaled.min()].any()


def test_information_about_a_grid_is_not_biased():
    # Unequal columns with equal steps have tied distances; without noise the mean here is 0.08, not 0.
    rng = np.random.default_rng(0)
    estimates = [
        mutual_information(np.arange(100), rng.permutation(100), n_neighbors=1, random_state=seed)
        for seed in range(200)
    ]
    assert abs(np.mean(estimates)) < 0.02


def test_noise_depends_on_seed_and_purpose_and_values():
    values = np.repeat([0.0, 1.0], 10)
    first = break_ties(values, 0, "ties")
    np.testing.assert_array_equal(first, break_ties(values, 0, "ties"))
    # Shared noise would be a false dependence between two discrete features.
    for other in (break_ties(values, 1, "ties"), break_ties(values, 0, "other")):
        assert np.all((first - values) != (other - values))
    opposite = break_ties(1 - values, 0, "ties")
    assert np.all((first - values) != (opposite - (1 - values)))


def test_the_scale_of_distances_leaves_categories_and_gaps():
    columns = np.array([[1.0, np.nan, CATEGORY_GAP], [2.0, 3.0, 2 * CATEGORY_GAP]])
    found = scale_distances(columns, np.array([0.5, 2.0]))
    np.testing.assert_array_equal(found, [[0.5, np.nan, CATEGORY_GAP], [4.0, 6.0, 2 * CATEGORY_GAP]])


@pytest.mark.parametrize("factor", [1.0, 1e300, 1e-290, -3.0])
def test_units_are_mean_and_standard_deviation(factor):
    rng = np.random.default_rng(0)
    column = rng.normal(size=40) * 2 + 5
    gaps = np.where(np.arange(41) == 7, np.nan, np.append(column, 0.0))
    columns = np.stack([factor * np.append(column, 0.0), factor * gaps, np.full(41, 3.0), np.full(41, np.nan)])
    units = units_of(columns)
    for own, values in zip(units, (np.append(column, 0.0), np.delete(np.append(column, 0.0), 7)), strict=False):
        expected = [values.mean(), np.sign(factor) * values.std()]
        np.testing.assert_allclose(own / factor, expected, rtol=1e-9)
    np.testing.assert_array_equal(units[2:], [[0, 1], [0, 1]])
