"""Features that enter or stay out together."""

import numpy as np
import pandas as pd
import pytest

from infosift import Selection
from infosift.errors import InputError
from infosift.inference.permutation import shuffled_orders
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
