"""Features that replace each other."""

import numpy as np

from infosift import MutualInfoSelector, selection_stability
from infosift.stability import HalfSample, find_substitutes


def halves(*found):
    return [
        HalfSample(number=number, selected=selected, redundant=redundant, is_partial=False)
        for number, (selected, redundant) in enumerate(found)
    ]


def groups(*found):
    return [(group.features, group.frequency) for group in find_substitutes(halves(*found), "abcd")]


def test_each_must_be_replaced_by_the_other():
    a, b, neither = ((0,), ((1, 0),)), ((1,), ((0, 1),)), ((), ())
    assert groups(a, b, a, neither) == [(("a", "b"), 0.75)]
    assert groups(b, b, a, a) == [(("a", "b"), 1.0)]  # of equals, the first
    assert groups(a, a, a, a) == []
    assert groups(neither, neither) == []


def test_features_that_are_selected_together_do_not_replace_each_other():
    a, b, both = ((0,), ((1, 0),)), ((1,), ((0, 1),)), ((0, 1), ())
    assert groups(a, b, both) == [(("a", "b"), 1.0)]
    assert groups(a, b, both, both) == []


def test_a_rare_exchange_does_not_count():
    a, b = ((0,), ((1, 0),)), ((1,), ((0, 1),))
    assert groups(*[a] * 19, b) == [(("a", "b"), 1.0)]
    assert groups(*[a] * 20, b) == []


def test_a_group_is_what_replaces_its_most_frequent_feature():
    # a and c replace b, but not each other: with b, the most frequent, they are one group.
    b_of_both, a, c = ((1,), ((0, 1), (2, 1))), ((0,), ((1, 0),)), ((2,), ((1, 2),))
    assert groups(b_of_both, b_of_both, a, c) == [(("b", "a", "c"), 1.0)]
    # With a the most frequent, c is on its own.
    assert groups(b_of_both, a, a, c) == [(("a", "b"), 0.75)]


def test_two_noisy_copies_are_found():
    rng = np.random.default_rng(1)
    X, hidden = rng.normal(size=(160, 4)), rng.normal(size=160)
    X[:, :2] = hidden[:, None] + 0.1 * X[:, :2]
    y = hidden + X[:, 2] + rng.normal(size=160)
    found = selection_stability(MutualInfoSelector(), X, y, n_resamples=12)
    (group,) = found.groups
    assert set(group.features) == {"x0", "x1"}
    assert group.frequency == 1
    assert max(found.frequency("x0"), found.frequency("x1")) < 1
    assert found.stable_groups(0.9) == found.groups
    assert "replace each other: one of them is selected in 100 %" in found.summary
