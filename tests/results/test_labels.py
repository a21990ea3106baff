"""Labels of any type come out of their text again, and index the table they came from."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift import MutualInfoSelector, Selection
from infosift.results.serialization import read_label, written_label

PLAIN = st.one_of(
    st.text(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.dates(),
    st.datetimes(),
)


@given(label=st.one_of(PLAIN, st.tuples(st.text(), st.integers()), st.tuples(st.tuples(st.floats(0, 1)))))
def test_a_label_comes_out_again(label):
    found = read_label(written_label(label))
    assert found == label
    assert type(found) is type(label)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (np.int64(3), 3),
        ((np.float64(0.5), "a"), (0.5, "a")),
        (pd.Timestamp("2024-02-03 04:05"), datetime(2024, 2, 3, 4, 5)),
        (date(2024, 2, 3), date(2024, 2, 3)),
        (float("inf"), "inf"),
        (pd.Interval(0, 1), "(0, 1]"),
        ("datetime 2024", "datetime 2024"),
    ],
)
def test_types_of_other_libraries(label, expected):
    assert read_label(written_label(label)) == expected


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 2, 3],
        [2000, 2001, 2002, 2003],
        [("a", 1), ("a", 2), ("b", 1), ("b", 2)],
        [0.5, 1.5, 2.5, 3.5],
        pd.date_range("2024-01-01", periods=4),
        pd.MultiIndex.from_product([["a", "b"], [1, 2]]),
        ["a", 1, None, ("b", 2)],
    ],
    ids=["counted", "years", "tuples", "floats", "days", "levels", "mixed"],
)
@pytest.mark.parametrize("with_text", [False, True])
def test_selected_labels_index_the_table(labels, with_text):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 4)))
    y = frame[2] ** 2
    if with_text:
        frame[1] = ["a", "b"] * 30
    frame.columns = labels
    selection = MutualInfoSelector(random_state=0).fit(frame, y).selection_
    assert selection.indices == (2,)
    assert selection.labels == (frame.columns[2],)
    assert frame[list(selection.labels)].columns[0] == frame.columns[2]
    assert Selection.from_json(selection.to_json()) == selection


def test_names_that_are_text_are_their_own_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    selection = MutualInfoSelector(random_state=0).fit(X, X[:, 1] ** 2).selection_
    assert selection.labels == selection.names == ("x1",)
    assert selection.feature_labels == ()
