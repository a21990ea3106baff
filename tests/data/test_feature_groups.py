"""Columns that enter or stay out together."""

import numpy as np
import pandas as pd
import pytest

from infosift import MutualInfoSelector, Selection
from infosift.errors import InputError
from infosift.significance.permutation import shuffled_orders
from oracle import ksg
from samples import friedman

NAMES = [f"X{i}" for i in range(1, 11)]


@pytest.fixture(scope="module")
def table():
    X, y = friedman(1)
    return pd.DataFrame(X, columns=NAMES), pd.Series(y, name="y")


def select(X, y, **options):
    return MutualInfoSelector(**{"method": "published", "n_neighbors": 6, "random_state": 0, **options}).fit(X, y)


def test_a_group_is_scored_and_shuffled_as_one(table):
    X, y = table
    groups = {"first": ["X4", "X1", "X5"], "second": ["X2", "X7"], "third": [5, -1]}
    selection = select(X, y, groups=groups, n_permutations=19).selection_
    step = selection.steps[0]
    assert step.feature == "first"
    assert step.columns == (3, 0, 4)
    assert step.index == 3
    assert step.candidates == (1, 2, 3, 5, 7, 8)
    scaled = ((X - X.mean()) / X.std(ddof=0)).to_numpy().T
    target = ((y - y.mean()) / y.std(ddof=0)).to_numpy()[None]
    assert step.score == pytest.approx(ksg(scaled[[3, 0, 4]], target, 6, 1), abs=1e-9)
    orders = shuffled_orders(100, range(19), seed=0, step=0)
    null = [ksg(scaled[[3, 0, 4]][:, order], target, 6, 1) for order in orders]
    np.testing.assert_allclose(step.null, null, atol=1e-9)


def test_all_columns_of_a_chosen_group_are_chosen(table):
    X, y = table
    selector = select(X.assign(X9=7.0), y, groups={"good": ["X4", "X9", "X2"], "bad": ["X7", "X8"]})
    selection = selector.selection_
    assert selection.names[:3] == ("X4", "X9", "X2")
    assert not {"X7", "X8"} & set(selection.names)
    assert list(selector.transform(X).T[0]) == list(X["X1" if 0 in selector.selected_ else "X2"])
    assert Selection.from_json(selection.to_json()) == selection
    assert selection.settings.groups == (("good", ("X4", "X9", "X2")), ("bad", ("X7", "X8")))
    assert set(selection.peak.names) <= {*selection.names, *NAMES}


def test_the_order_of_columns_and_groups_does_not_matter(table):
    X, y = table
    groups = {"a": ["X4", "X7"], "b": ["X2", "X5"]}
    expected = select(X, y, groups=groups).selection_
    moved = select(X[NAMES[::-1]], y, groups={"b": ["X5", "X2"], "a": ["X4", "X7"]}).selection_
    assert [step.feature for step in moved.steps] == [step.feature for step in expected.steps]
    assert [step.score for step in moved.steps] == [step.score for step in expected.steps]
    threads = select(X, y, groups=groups, n_jobs=3).selection_
    assert threads.steps == expected.steps


def test_one_hot_columns_as_a_group_tell_as_much_as_the_category():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=300)
    y = (colour == "red") * 1.0 + rng.normal(size=300)
    one_hot = {f"is {name}": colour == name for name in ("red", "green", "blue")}
    X = pd.DataFrame({"noise": rng.normal(size=300), **one_hot})
    grouped = select(X, y, groups={"colour": list(one_hot)}).selection_
    plain = select(X[["noise"]].assign(colour=colour), y).selection_
    assert grouped.steps[0].feature == "colour"
    assert grouped.steps[0].score == plain.steps[0].score


def test_groups_are_kept_and_ignored_by_name(table):
    X, y = table
    groups = {"a": ["X4", "X7"], "b": ["X2", "X5"]}
    selection = select(X, y, groups=groups, keep="a", ignore=["b", "X1"]).selection_
    assert selection.names[:2] == ("X4", "X7")
    assert not {"X2", "X5", "X1"} & set(selection.names)
    assert (
        select(X, y, groups=groups, max_features=2).selection_.stopped
        == "as many columns are chosen as were asked for"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": ["X1", "X2"]}, "groups must be a dict of names and lists of columns"),
        ({"groups": {"a": ["X11"]}}, 'The group "a" asks for "X11", and there is no such column'),
        ({"groups": {"a": []}}, 'The group "a" has no columns'),
        ({"groups": {"X3": ["X1"]}}, 'The group "X3" has the name of a column'),
        ({"groups": {"a": ["X1"], "b": ["X2", "X1"]}}, '"X1" is in the groups "a" and "b"'),
        ({"groups": {"a": ["X1", "X2"]}, "keep": "X1"}, 'keep has a part of the group "a", without "X2"'),
        ({"groups": {"a": ["X1", "X2"]}, "ignore": [0]}, 'ignore has a part of the group "a", without "X2"'),
        ({"groups": {"a": ["X1", "X2"]}, "keep": "b"}, 'keep asks for "b", and there is no such column'),
    ],
)
def test_bad_groups_are_explained(table, options, message):
    with pytest.raises(InputError, match=message):
        select(*table, **options)
