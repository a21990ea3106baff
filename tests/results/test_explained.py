"""Bounds on the error of any model, beside closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift import Selection
from infosift.results import Explained
from samples import friedman, make_selector

SHARES = st.lists(st.floats(0.01, 1), min_size=2, max_size=8).map(
    lambda parts: tuple(np.array(parts) / sum(parts))
)


def entropy_of(shares):
    shares = np.asarray(shares)[np.asarray(shares) > 0]
    return -np.sum(shares * np.log(shares))


@given(shares=SHARES, share=st.floats(0, 1.2))
def test_the_bound_is_where_fanos_inequality_holds_with_equality(shares, share):
    found = Explained(information=share * entropy_of(shares), class_shares=shares)
    error, others = found.least_error, len(shares) - 1
    left = max(0.0, entropy_of(shares) - found.information)
    assert 0 <= error <= others / (others + 1)
    assert entropy_of([error, 1 - error]) + error * np.log(others) == pytest.approx(left, abs=1e-6)
    assert found.share == pytest.approx(min(1.0, share))


@given(shares=SHARES)
def test_without_information_the_bound_is_not_above_the_error_of_guessing(shares):
    nothing = Explained(information=0.0, class_shares=shares)
    assert nothing.least_error <= nothing.error_of_guessing + 1e-9
    assert nothing.share == 0


def test_a_symmetric_channel_attains_the_bound():
    # A class of four, named rightly with probability 0.9 and else as any of the others.
    error = 0.1
    information = np.log(4) - entropy_of([1 - error, *[error / 3] * 3])
    found = Explained(information=information, class_shares=(0.25,) * 4)
    assert found.least_error == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.9])
def test_numbers_by_the_correlation_of_a_normal_pair(r):
    found = Explained(information=-np.log(1 - r**2) / 2)
    assert found.share == pytest.approx(r**2)
    assert found.least_error is None
    assert found.error_of_guessing is None
    assert found.entropy is None


def test_it_is_kept_in_json():
    selection = make_selector(max_features=1, random_state=0).fit(*friedman(0)).selection_
    assert selection.explained is not None
    assert Selection.from_json(selection.to_json()).explained == selection.explained
