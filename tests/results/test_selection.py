import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift import MutualInfoSelector, NeighborChoice, Selection, choose_n_neighbors, permutation_test
from samples import friedman


@pytest.fixture(scope="module")
def selection():
    X, y = friedman(0)
    X[:, 6] = 1.0
    with pytest.warns(UserWarning, match="Constant"):
        return MutualInfoSelector(method="published", random_state=0).fit(X, y).selection_


def test_json_loses_nothing(selection):
    restored = Selection.from_json(selection.to_json())
    assert restored == selection
    assert restored.to_json() == selection.to_json()
    assert [step.seconds for step in restored.steps] == [step.seconds for step in selection.steps]
    assert restored.names == selection.names
    assert isinstance(restored.neighbors.t, np.ndarray)


def test_json_is_what_other_programs_can_read(selection):
    content = json.loads(selection.to_json(), parse_constant=pytest.fail)
    assert content["infosift"] == "Selection"
    assert content["steps"][0]["feature"] == selection.names[0]
    assert content["neighbors"]["t"][6] == [None] * 20  # the constant column


@pytest.mark.parametrize("record", ["choice", "test"])
def test_the_parts_travel_as_well(record):
    X, y = friedman(1, n=40)
    made = (
        choose_n_neighbors(X, y, random_state=0)
        if record == "choice"
        else permutation_test(X[:, 3], y, random_state=0)
    )
    assert type(made).from_json(made.to_json()) == made


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"infosift": "Step"}', '{"infosift": "Selection", "a": 1}'])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="not a Selection"):
        Selection.from_json(text)


def test_records_compare_by_value(selection):
    assert selection != "a selection"
    assert replace(selection, n_rows=99) != selection
    other_t = replace(selection.neighbors, t=selection.neighbors.t + 1)
    assert isinstance(other_t, NeighborChoice)
    assert replace(selection, neighbors=other_t) != selection
    slower = tuple(replace(step, seconds=step.seconds + 1) for step in selection.steps)
    assert replace(selection, steps=slower) == selection  # time taken is not part of the result


@pytest.mark.parametrize(
    ("library", "kind"), [(None, pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_steps_as_a_frame(selection, library, kind):
    frame = selection.to_frame(library)
    assert isinstance(frame, kind)
    columns = list(frame.column_names if kind is pa.Table else frame.columns)
    assert columns[:4] == ["feature", "score", "threshold", "p_value"]
    assert len(frame) == len(selection.steps)


def test_repr_says_what_was_chosen(selection):
    assert repr(selection).startswith(f"Selection({', '.join(selection.names)}; ")
