"""Gaps of a subset: filled by what the others know, and by no more where they know nothing."""

import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.engines.threads import ThreadEngine
from infosift.inference.filling import filled_by_others

ENGINE = ThreadEngine()


def with_gaps(n=200):
    rng = np.random.default_rng(0)
    column = rng.normal(size=n)
    gaps = rng.uniform(size=n) < 0.2
    return np.where(gaps, np.nan, column), column, gaps, rng


def test_a_copy_among_the_others_fills_the_gaps():
    column, truth, gaps, rng = with_gaps()
    copy = truth + 0.01 * rng.normal(size=200)
    found = filled_by_others(column[None], lambda: copy[None], ENGINE)[0]
    np.testing.assert_array_equal(found[~gaps], truth[~gaps])
    assert np.abs(found - truth)[gaps].mean() < 0.05
    copy[rng.uniform(size=200) < 0.2] = np.nan  # what it has not, it does not know
    assert np.median(np.abs(filled_by_others(column[None], lambda: copy[None], ENGINE)[0] - truth)[gaps]) < 0.1


def test_others_that_know_nothing_leave_the_mean():
    column, truth, gaps, rng = with_gaps()
    found = filled_by_others(column[None], lambda: rng.normal(size=(1, 200)), ENGINE)[0]
    assert np.abs(found[gaps] - truth[~gaps].mean()).max() < 0.3
    alone = filled_by_others(column[None], lambda: np.zeros((0, 200)), ENGINE)[0]
    np.testing.assert_allclose(alone[gaps], truth[~gaps].mean())


def test_categories_are_filled_by_the_largest():
    column, _, gaps, rng = with_gaps()
    categories = np.where(gaps, np.nan, (rng.uniform(size=200) < 0.7) * CATEGORY_GAP)
    found = filled_by_others(np.stack([categories, column]), lambda: np.zeros((0, 200)), ENGINE)
    assert np.all(found[0, gaps] == CATEGORY_GAP)


def test_without_gaps_nothing_is_copied_and_the_others_are_not_asked_for():
    columns, asked = np.ones((2, 5)), []
    assert filled_by_others(columns, lambda: asked.append(1), ENGINE) is columns
    assert not asked
