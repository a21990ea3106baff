"""Categories among numbers: further apart than any numbers, and equally far from each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from infosift._kernel import CATEGORY_GAP
from infosift.data.types import are_categorical, class_indicators, coordinates_of, encode_categories

codes = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=40).map(np.array)


def test_categories_are_numbered_as_they_appear_and_gaps_stay_gaps():
    encoded = encode_categories(np.array([7.0, -1.0, np.nan, 7.0, 0.0]))
    np.testing.assert_array_equal(encoded, np.array([1.0, 2.0, np.nan, 1.0, 3.0]) * CATEGORY_GAP)


@given(codes=codes)
def test_the_names_of_categories_do_not_matter(codes):
    encoded = encode_categories(codes)
    np.testing.assert_array_equal(encode_categories(100 - 2 * codes), encoded)
    np.testing.assert_array_equal(encoded[:, None] == encoded, codes[:, None] == codes)
    assert np.all(encoded >= CATEGORY_GAP)
    assert np.all(np.diff(np.unique(encoded)) == CATEGORY_GAP)


def test_tells_categories_from_numbers():
    numbers = np.array([-1e6, 0.0, 1e6])
    categories = encode_categories(np.array([1.0, 2.0, 1.0]))
    partly = np.array([0.5, CATEGORY_GAP, -0.5])
    with_gap = np.array([0.5, np.nan, -0.5])
    columns = np.stack([numbers, categories, partly, with_gap])
    np.testing.assert_array_equal(are_categorical(columns), [False, True, True, False])


@given(codes=codes)
def test_every_row_is_in_one_class(codes):
    indicators = class_indicators(encode_categories(codes))
    assert indicators.dtype == np.float64
    assert len(indicators) == len(set(codes))
    np.testing.assert_array_equal(indicators.sum(axis=0), 1)
    np.testing.assert_array_equal(
        indicators.argmax(axis=0)[:, None] == indicators.argmax(axis=0), codes[:, None] == codes
    )


@given(codes=codes)
def test_as_points_categories_are_one_apart(codes):
    points = coordinates_of(encode_categories(codes)[None]).T
    assert cdist(points, points) == pytest.approx((codes[:, None] != codes).astype(float))


def test_as_points_numbers_are_themselves():
    numbers = np.array([0.5, -1.0, 3.0])
    np.testing.assert_array_equal(coordinates_of(numbers[None]), numbers[None])
