"""Feature groups enter or stay out together; row groups are shuffled and left out together."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infosift import InputError, Selection
from infosift.data.groups import read_row_groups, require_enough_to_shuffle, sample_rows, shuffled_rows
from infosift.inference.permutation import shuffled_orders
from infosift.search.resampling import assign_folds
from oracle import ksg
from samples import friedman, make_selector

NAMES = [f"X{i}" for i in range(1, 11)]


@pytest.fixture(scope="module")
def table():
    X, y = friedman(1)
    return pd.DataFrame(X, columns=NAMES), pd.Series(y, name="y")


def select(X, y, **options):
    return make_selector(**{"method": "published", "n_neighbors": 6, "random_state": 0, **options}).fit(X, y)


def test_a_group_is_scored_and_shuffled_as_one(table):
    X, y = table
    groups = {"first": ["X4", "X1", "X5"], "second": ["X2", "X7"], "third": [5, -1]}
    selection = select(X, y, feature_groups=groups, n_permutations=19).selection_
    step = selection.steps[0]
    assert step.feature == "first"
    assert step.columns == (3, 0, 4)
    assert step.index == 3
    assert step.candidates == (1, 2, 3, 5, 7, 8)
    scaled = ((X - X.mean()) / X.std(ddof=0)).to_numpy().T
    target = ((y - y.mean()) / y.std(ddof=0)).to_numpy()[None]
    information = ksg(scaled[[3, 0, 4]], target, 6, 1)
    assert step.information == pytest.approx(information, abs=1e-9)
    orders = shuffled_orders(100, range(19), seed=0, step=0)
    null = [ksg(scaled[[3, 0, 4]][:, order], target, 6, 1) for order in orders]
    assert step.information_threshold == pytest.approx(max(null), abs=1e-9)
    draws = np.array([information, *null])
    in_spreads = (draws - draws.mean()) / draws.std()
    np.testing.assert_allclose([step.statistic, *step.null], in_spreads, atol=1e-9)


def test_all_features_of_a_selected_group_are_selected(table):
    X, y = table
    selector = select(X.assign(X9=7.0), y, feature_groups={"good": ["X4", "X9", "X2"], "bad": ["X7", "X8"]})
    selection = selector.selection_
    assert selection.names[:3] == ("X4", "X9", "X2")
    assert not {"X7", "X8"} & set(selection.names)
    assert list(selector.transform(X).T[0]) == list(X["X1" if 0 in selector.selected_ else "X2"])
    assert Selection.from_json(selection.to_json()) == selection
    assert selection.settings.feature_groups == (("good", ("X4", "X9", "X2")), ("bad", ("X7", "X8")))
    assert set(selection.peak.names) <= {*selection.names, *NAMES}


def test_the_order_of_features_and_groups_does_not_matter(table):
    X, y = table
    groups = {"a": ["X4", "X7"], "b": ["X2", "X5"]}
    expected = select(X, y, feature_groups=groups).selection_
    moved = select(X[NAMES[::-1]], y, feature_groups={"b": ["X5", "X2"], "a": ["X4", "X7"]}).selection_
    assert [step.feature for step in moved.steps] == [step.feature for step in expected.steps]
    assert [step.information for step in moved.steps] == [step.information for step in expected.steps]
    threads = select(X, y, feature_groups=groups, n_jobs=3).selection_
    assert threads.steps == expected.steps


def test_one_hot_features_as_a_group_are_as_informative_as_the_category():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=300)
    y = (colour == "red") * 1.0 + rng.normal(size=300)
    one_hot = {f"is {name}": colour == name for name in ("red", "green", "blue")}
    X = pd.DataFrame({"noise": rng.normal(size=300), **one_hot})
    grouped = select(X, y, feature_groups={"colour": list(one_hot)}).selection_
    plain = select(X[["noise"]].assign(colour=colour), y).selection_
    assert grouped.steps[0].feature == "colour"
    assert grouped.steps[0].information == plain.steps[0].information


def test_groups_are_kept_and_ignored_by_name(table):
    X, y = table
    groups = {"a": ["X4", "X7"], "b": ["X2", "X5"]}
    selection = select(X, y, feature_groups=groups, keep="a", ignore=["b", "X1"]).selection_
    assert selection.names[:2] == ("X4", "X7")
    assert not {"X2", "X5", "X1"} & set(selection.names)
    assert select(X, y, feature_groups=groups, max_features=2).selection_.stopped == "max_features was reached"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"feature_groups": ["X1", "X2"]},
            r"feature_groups must be a dict of names and lists of features, not \[",
        ),
        ({"feature_groups": {"a": ["X11"]}}, 'The feature group "a" asks for "X11", and there is no such feature'),
        ({"feature_groups": {"a": []}}, 'The feature group "a" has no features'),
        ({"feature_groups": {"X3": ["X1"]}}, 'The feature group "X3" has the name of a feature: give it another'),
        (
            {"feature_groups": {"a": ["X1"], "b": ["X2", "X1"]}},
            '"X1" is in the feature groups "a" and "b": leave it in one of them',
        ),
        (
            {"feature_groups": {"a": ["X1", "X2"]}, "keep": "X1"},
            'keep has a part of the feature group "a", without "X2": give the name',
        ),
        (
            {"feature_groups": {"a": ["X1", "X2"]}, "ignore": [0]},
            'ignore has a part of the feature group "a", without "X2": give the name',
        ),
        ({"feature_groups": {"a": ["X1", "X2"]}, "keep": "b"}, 'keep asks for "b", and there is no such feature'),
    ],
)
def test_bad_feature_groups_are_explained(table, options, message):
    with pytest.raises(InputError, match=message):
        select(*table, **options)


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")  # a category for each row
@pytest.mark.parametrize("name", ["keep", "ignore", "discrete_features"])
def test_an_array_without_dimensions_is_one_position(table, name):
    one = {name: np.array(2)}
    assert (
        select(*table, **one, max_features=1).selection_ == select(*table, **{name: 2}, max_features=1).selection_
    )
    with pytest.raises(InputError, match=f"{name} asks for 0.5, and there is no such feature"):
        select(*table, **{name: np.array(0.5)})


labels = st.lists(st.integers(0, 5), min_size=2, max_size=40)


@given(labels=labels, seed=st.integers(0, 99))
def test_a_group_has_the_values_of_one_group_in_order(labels, seed):
    groups = read_row_groups(labels, len(labels))
    rows = np.arange(len(labels))
    source = shuffled_rows(rows, np.random.default_rng(seed), groups)
    givers = []
    for group in np.unique(groups):
        taken = source[groups == group]
        givers.append(int(groups[taken[0]]))
        theirs = rows[groups == givers[-1]]
        # So many rows of theirs stand for so many of ours, spread evenly.
        np.testing.assert_array_equal(taken, theirs[np.arange(len(taken)) * len(theirs) // len(taken)])
    assert sorted(givers) == np.unique(groups).tolist()  # each gives once


@given(n_groups=st.integers(2, 8), size=st.integers(1, 5), seed=st.integers(0, 99))
def test_groups_of_the_same_size_replace_each_other(n_groups, size, seed):
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(n_groups), size))
    source = shuffled_rows(np.arange(len(groups)), np.random.default_rng(seed), groups)
    for group in range(n_groups):
        assert len(set(groups[source[groups == group]])) == 1


def test_all_orders_of_groups_are_equally_likely():
    groups = np.repeat([0, 1, 2], 2)
    seen = [tuple(shuffled_rows(np.arange(6), np.random.default_rng(seed), groups)) for seed in range(3000)]
    counts = np.array([seen.count(order) for order in set(seen)])
    assert len(counts) == 6
    assert counts.min() > 500 - 5 * np.sqrt(3000 * (1 / 6) * (5 / 6))


def test_some_of_the_rows_only():
    groups = np.repeat([0, 1, 2], 3)
    rows = np.array([0, 1, 2, 6, 7, 8])
    source = shuffled_rows(rows, np.random.default_rng(1), groups)
    assert set(source) == set(rows)


@given(labels=labels, n_folds=st.integers(2, 10))
@settings(max_examples=50)
def test_a_group_is_in_one_fold(labels, n_folds):
    groups = read_row_groups(labels, len(labels))
    folds = assign_folds(len(labels), n_folds, 0, groups)
    for group in np.unique(groups):
        assert len(set(folds[groups == group])) == 1
    assert len(set(folds)) == min(n_folds, groups.max() + 1)


def test_without_groups_nothing_changes():
    rows = np.arange(50)
    np.testing.assert_array_equal(
        shuffled_rows(rows, np.random.default_rng(3)), np.random.default_rng(3).permutation(50)
    )


def repeated_measures(seed, times=(6,) * 20):
    """Two features and a target that are nothing to each other, but each the same for all rows of a person."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(times)), times)
    values = rng.normal(size=(len(times), 3))[person] + 0.1 * rng.normal(size=(len(person), 3))
    return values[:, :2], values[:, 2], person


def share_of_false_positives(runs, with_groups, times=(6,) * 20):
    n_selected = 0
    for seed in range(runs):
        X, y, person = repeated_measures(seed, times)
        selector = make_selector(method="published", n_neighbors=8, n_permutations=39, random_state=seed)
        selector.fit(X[:, :1], y, groups=person if with_groups else None)
        n_selected += len(selector.selection_.names)
    return n_selected / runs


def test_groups_keep_the_level_that_a_plain_shuffle_loses():
    # 5 % of 100 runs is 5; ten are exceeded with probability 0.01. Within a person all rows are near each other in
    # both features, which a plain shuffle destroys, so that it finds something nearly always.
    assert share_of_false_positives(100, with_groups=True) <= 0.10
    with pytest.warns(UserWarning, match="Rows depend on those next to them"):
        assert share_of_false_positives(20, with_groups=False) >= 0.8


@pytest.mark.parametrize("times", [(*(30,) * 2, *(3,) * 20), tuple(range(2, 22)), (1, 2) * 20])
def test_groups_of_several_sizes_keep_the_level(times):
    # Were groups laid end to end, they would overlap in surrogates and meet whole only in the data.
    assert share_of_false_positives(100, with_groups=True, times=times) <= 0.10


def test_a_real_effect_is_still_found():
    X, _, person = repeated_measures(0)
    y = X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=len(person))
    selector = make_selector(method="published", random_state=0).fit(X, y, groups=person)
    assert selector.selection_.names == ("x1",)
    assert selector.selection_.settings.n_row_groups == 20
    assert Selection.from_json(selector.selection_.to_json()) == selector.selection_


def test_groups_of_any_type():
    X, y, person = repeated_measures(2)
    selector = make_selector(method="published", n_neighbors=5, n_permutations=19, random_state=0)
    by_number = selector.fit(X, y, groups=person).selection_
    names = [f"p{p:02d}" for p in person]
    for groups in (names, np.array(names, dtype=object), pd.Series(names), pl.Series(names), person * 1.5):
        by_name = selector.fit(X, y, groups=groups).selection_
        assert [step.null.tolist() for step in by_name.steps] == [step.null.tolist() for step in by_number.steps]
        assert by_name == by_number
    assert by_number.settings.ignore == ()
    with pytest.warns(UserWarning, match="Rows depend on those next to them"):
        alone = selector.fit(X, y).selection_
    assert alone.settings.n_row_groups is None
    assert alone.steps[0].null.tolist() != by_number.steps[0].null.tolist()


def test_rows_that_are_dropped_leave_their_groups():
    X, y, person = repeated_measures(3)
    y[person == 4] = np.nan
    selector = make_selector(method="published", n_neighbors=5, random_state=0, missing="drop")
    assert selector.fit(X, y, groups=person).selection_.settings.n_row_groups == 19


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_bits_for_any_number_of_threads(n_jobs):
    X, y, person = repeated_measures(4, times=(6,) * 12)
    reference = make_selector(method="published", random_state=1).fit(X, y, groups=person).selection_
    again = make_selector(method="published", random_state=1, n_jobs=n_jobs).fit(X, y, groups=person).selection_
    assert [step.information for step in again.steps] == [step.information for step in reference.steps]
    np.testing.assert_array_equal(again.neighbors.t, reference.neighbors.t)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], r"groups must have one value for each of the 120 rows, not the shape \(2,\)"),
        (np.zeros(120), "groups has 1 group of rows, and alpha=0.05 needs at least 4"),
        ([None] + ["a"] * 119, "groups has no value for row 0 .*: fill it in first"),
        ("person", r"groups must have one value for each of the 120 rows, not the shape \(\)"),
    ],
)
def test_refuses_groups_that_cannot_be(groups, message):
    X, y, _ = repeated_measures(0)
    with pytest.raises(InputError, match=message):
        make_selector(method="published", random_state=0).fit(X, y, groups=groups)


def test_refuses_groups_where_near_rows_take_each_others_values():
    X, y, person = repeated_measures(0)
    with pytest.raises(InputError, match="takes values of near rows and cannot keep groups"):
        make_selector(null="local", random_state=0).fit(X, y, groups=person)


def test_refuses_to_choose_k_without_the_group_that_has_nearly_all_rows():
    X, y, _ = repeated_measures(0)
    groups = np.r_[np.zeros(118), 1, 2]
    with pytest.raises(InputError, match=r"One group has nearly all rows, .*: give n_neighbors\."):
        make_selector(alpha=0.2, method="published", random_state=0).fit(X, y, groups=groups)
    make_selector(alpha=0.2, method="published", n_neighbors=3, random_state=0).fit(X, y, groups=groups)


def test_fewer_groups_suffice_for_a_larger_level():
    assert require_enough_to_shuffle(9, np.array([0, 1, 2]), 0.2, 1.0) == 3


def test_labels_of_several_types_are_groups_too():
    np.testing.assert_array_equal(
        np.bincount(read_row_groups(np.array([1, "1", 1, 2.5, "b", "b"], dtype=object), 6)), [1, 2, 1, 2]
    )


def test_samples_have_whole_row_groups():
    groups = np.repeat(np.arange(30), 8)
    rows = sample_rows(240, 0, groups, 50)
    assert len(rows) == 56
    assert set(np.bincount(groups[rows])) == {0, 8}
