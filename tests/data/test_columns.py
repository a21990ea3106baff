"""Names of columns of any type, in frames of numbers, text and both."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift import InputError, MutualInfoSelector, Selection, choose_n_neighbors, compare_subsets
from infosift.data.columns import deduplicate_names, names_as_text
from infosift.data.frames import read_columns
from samples import make_selector

DAY = pd.Timestamp("2024-05-01")

NAMES = {
    "integers": [0, 1, 2],
    "other integers": [2000, 2001, 2002],
    "tuples": [("a", 1), ("a", 2), ("b", 1)],
    "several levels": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
    "floats": [0.5, 1.5, 2.5],
    "days": [DAY, DAY + pd.Timedelta(1, "D"), DAY + pd.Timedelta(2, "D")],
    "none": [None, "b", "c"],
    "text and integers": [1, "1", "b"],
    "booleans": [True, False, "b"],
}


def table(names):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": ["u", "v", "w"] * 20, "c": rng.uniform(size=60) < 0.5})
    y = frame["a"] + 0.1 * rng.normal(size=60)
    return frame.set_axis(names, axis=1), y


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_of_any_type_beside_text(names):
    X, y = table(names)
    plain, _ = table(["a", "b", "c"])
    before = list(X.columns)
    selector = MutualInfoSelector(random_state=0).fit(X, y)
    selection = selector.selection_
    expected = MutualInfoSelector(random_state=0).fit(plain, y).selection_
    assert selection.indices == expected.indices
    assert [step.p_value for step in selection.steps] == [step.p_value for step in expected.steps]
    assert len(set(selection.feature_names)) == 3
    assert Selection.from_json(selection.to_json()) == selection
    assert all(isinstance(name, str) for name in selector.get_feature_names_out())
    np.testing.assert_array_equal(selector.transform(X), X.iloc[:, [0]].to_numpy())
    as_frame = selector.set_output(transform="pandas").transform(X)
    assert list(as_frame.columns) == list(selector.get_feature_names_out())
    assert list(as_frame.index) == list(X.index)
    assert list(map(repr, X.columns)) == list(map(repr, before))


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_of_any_type_in_functions(names):
    X, y = table(names)
    assert choose_n_neighbors(X, y, n_folds=5, random_state=0).t.shape == (3, 20)
    assert read_columns(X.iloc[:, [0]]).names == (names_as_text([X.columns[0]])[0],)


def test_a_comparison_takes_names_of_any_type():
    X, y = table(NAMES["text and integers"])
    selector = make_selector(max_features=1, random_state=0)
    assert compare_subsets(X, y, "ridge", selector=selector, cv=3)["selected"].chosen == (("1 (int)", 3),)


def test_names_become_text_of_their_own():
    assert names_as_text([1, "1", 2.5, ("a", 1), None, DAY]) == [
        *("1 (int)", "1", "2.5", "('a', 1)", "None"),
        "2024-05-01 00:00:00",
    ]
    assert names_as_text([1, "1", "1 (int)"]) == ["1 (int) 2", "1", "1 (int)"]


def test_columns_are_asked_for_by_their_names():
    X, y = table(NAMES["tuples"])
    options = {"keep": [("b", 1)], "discrete_features": [("b", 1), "('a', 2)"]}
    selection = MutualInfoSelector(random_state=0, **options).fit(X, y).selection_
    assert selection.settings.keep == ("('b', 1)",)
    X, y = table(NAMES["several levels"])
    assert MutualInfoSelector(keep=X.columns[2:], random_state=0).fit(X, y).selection_.names[0] == "('b', 1)"
    X, y = table(NAMES["other integers"])
    assert MutualInfoSelector(keep="2002", random_state=0).fit(X, y).selection_.settings.keep == ("2002",)
    with pytest.raises(InputError, match="keep asks for 2002, and there is no such feature"):
        MutualInfoSelector(keep=2002).fit(X, y)


def test_names_that_occur_twice():
    X, _ = table([1, 1, "b"])
    with pytest.raises(InputError, match=r'must be unique, and "1" occurs more than once\.'):
        read_columns(X)
    arrow = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(InputError, match=r'must be unique, and "a" occurs more than once\.'):
        read_columns(arrow)


def test_text_and_numbers_as_names_go_through_a_pipeline():
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline

    X, y = table([1, "b", "c"])
    X = X[[1]].assign(other=np.random.default_rng(1).normal(size=60))
    pipeline = make_pipeline(MutualInfoSelector(random_state=0), KNeighborsRegressor()).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert list(pipeline[0].feature_names_in_) == ["1", "other"]


def test_a_refusal_stays_on_one_line_whatever_the_names():
    X = pd.DataFrame({"line\nbreak \x1b[2J\u2028": [1.0, None] * 20})
    with pytest.raises(InputError, match=r'^Column "line\\nbreak \\x1b\[2J\\u2028" has a missing value'):
        MutualInfoSelector(missing="error").fit(X, np.arange(40.0))


@pytest.mark.parametrize(
    ("asked", "discrete"),
    [
        ("auto", {1, 2}),
        (True, {0, 1, 2}),
        (False, {2}),
        (None, {2}),
        ("many", {0, 2}),
        ([0, "two"], {0, 1, 2}),
        (np.array([True, False, False]), {0, 2}),
    ],
)
def test_which_features_are_discrete(asked, discrete):
    columns = read_columns(
        pl.DataFrame({"many": [1, 2, 3, 4], "two": [5.5, 7.0, 7.0, None], "text": list("aabb")})
    )
    assert columns.mark_discrete(asked).discrete == discrete
    assert columns.mark_discrete(asked, takes_categories=False).discrete == (
        {2} if isinstance(asked, str) and asked == "auto" else discrete
    )


@pytest.mark.parametrize("asked", ["none", [7], [[True]], [True, False]])
def test_features_that_are_not_there_cannot_be_discrete(asked):
    with pytest.raises(InputError, match="discrete_features"):
        read_columns(np.zeros((3, 3))).mark_discrete(asked)


def test_later_names_are_unique():
    assert deduplicate_names(["a", "a", "a.1", "a"]) == (["a", "a.2", "a.1", "a.3"], {"a": ["a.2", "a.3"]})
    assert deduplicate_names(["a", "b"]) == (["a", "b"], {})
    many, _ = deduplicate_names(["a", "a.1", "a", "a.1", "a.1.1", "a"])
    assert len(set(many)) == 6
