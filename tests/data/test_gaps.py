"""Gaps of prepared columns: which rows are whole, and what stands in."""

import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.data.prepare import complete_rows, impute

NUMBERS = [1.0, np.nan, 2.0, 6.0]
CATEGORIES = [0.0, CATEGORY_GAP, np.nan, CATEGORY_GAP]


def test_rows_are_whole_where_no_column_has_a_gap():
    assert complete_rows(np.array([NUMBERS, CATEGORIES])).tolist() == [0, 3]
    assert complete_rows(np.zeros((0, 3))).tolist() == [0, 1, 2]


def test_gaps_are_filled_by_the_mean_or_the_largest_category():
    found = impute(np.array([NUMBERS, CATEGORIES, [np.nan] * 4]), np.array([False, True, False]))
    np.testing.assert_array_equal(found, [[1, 3, 2, 6], [0, CATEGORY_GAP, CATEGORY_GAP, CATEGORY_GAP], [0] * 4])


def test_without_gaps_nothing_is_copied():
    columns = np.ones((2, 3))
    assert impute(columns) is columns
