"""A selection: to JSON and back, as a frame, in words, and what follows from its records."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift import Calibrated, Selection, choose_n_neighbors, permutation_test
from infosift.errors import InputError
from infosift.results import Explained, NeighborChoice, Removal, Replacement, Subset
from samples import friedman, make_selector

SHARES = st.lists(st.floats(0.01, 1), min_size=2, max_size=8).map(
    lambda parts: tuple(np.array(parts) / sum(parts))
)


@pytest.fixture(scope="module")
def selection():
    X, y = friedman(0)
    X[:, 6] = 1.0
    with pytest.warns(UserWarning, match="Constant"):
        return make_selector(method="published", random_state=0).fit(X, y).selection_


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
    assert content["neighbors"]["t"][6] == [None] * 20  # the constant feature


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
    frame = selection.to_frame(library=library)
    assert isinstance(frame, kind)
    columns = list(frame.column_names if kind is pa.Table else frame.columns)
    assert columns[:5] == ["feature", "information", "statistic", "threshold", "p_value"]
    assert len(frame) == len(selection.steps)


@pytest.mark.parametrize(
    ("library", "kind"), [(None, pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_verdicts_as_a_frame(library, kind):
    selection = make_selector(max_features=2, random_state=0).fit(*friedman(0)).selection_
    frame = selection.to_frame("verdicts", library)
    assert isinstance(frame, kind)
    rows = (
        frame.to_pylist()
        if kind is pa.Table
        else frame.to_dict("records")
        if library is None
        else frame.to_dicts()
    )
    for row, said in zip(rows, selection.verdicts, strict=True):
        assert (row["feature"], row["verdict"], row["p_value"]) == (said.feature, said.verdict, said.p_value)
        assert (row["unadjusted_p_value"], row["n_candidates"]) == (said.unadjusted_p_value, said.n_candidates)
        assert (row["given"], row["redundant_with"]) == (", ".join(said.given), ", ".join(said.redundant_with))
    assert selection.to_frame(library=library).shape == selection.to_frame("steps", library).shape


def test_another_table_is_refused(selection):
    with pytest.raises(
        InputError, match="table must be one of steps, verdicts, prediction, importance, not 'rows'"
    ):
        selection.to_frame("rows")
    with pytest.raises(InputError, match="library must be one of pandas, polars, pyarrow, not 'excel'"):
        selection.to_frame(library="excel")


def test_a_method_without_verdicts_says_what_was_selected(selection):
    rows = selection.to_frame("verdicts", "polars").to_dicts()
    assert [row["feature"] for row in rows] == list(selection.feature_names)
    assert {row["feature"] for row in rows if row["verdict"] == "selected"} == set(selection.names)
    assert {row["verdict"] for row in rows} == {"selected", "not selected", "not tested"}
    tested = {step.feature: step.p_value for step in selection.steps}
    assert {row["feature"]: row["p_value"] for row in rows if row["p_value"] is not None} == tested


def test_repr_says_what_was_selected(selection):
    assert repr(selection).startswith(f"Selection({', '.join(selection.names)}; ")


def test_what_the_method_and_the_criterion_did_is_said(selection):
    assert not selection.adjusted
    assert selection.criterion_parameter == "n_neighbors"
    assert selection.criterion_values == (selection.neighbors.n_neighbors,) == (selection.n_neighbors,)
    assert selection.alpha_shares == (("the best candidate", 1.0),)
    assert selection.verdicts == ()
    calibrated = make_selector(max_features=1, random_state=0).fit(*friedman(0)).selection_
    assert calibrated.adjusted
    assert calibrated.neighbors is None
    assert calibrated.criterion_values == (10, 20)
    assert calibrated.n_neighbors is None
    assert calibrated.alpha_shares == Calibrated().alpha_shares
    assert [tests for tests, _ in calibrated.alpha_shares] == ["series", "neighbours", "pairs"]
    assert 0 < calibrated.smallest_detectable_correlation < 1
    assert [verdict.feature for verdict in calibrated.verdicts] == list(calibrated.feature_names)
    assert [one.feature for one in calibrated.verdicts if one.verdict == "selected"] == list(calibrated.names)


def test_replacements_and_removals_change_what_is_selected(selection):
    first, second, third, *others = selection.names
    unselected = next(name for name in selection.feature_names if name not in selection.names)
    replaced = replace(selection, replacements=(Replacement(unselected, (first, third), 0.01),))
    assert replaced.names == (unselected, second, *others)
    assert replaced.removed == ()
    removed = replace(replaced, removals=(Removal((second,), 0.5), Removal((unselected,), 0.6)))
    assert removed.names == tuple(others)
    assert removed.removed == (unselected, second)
    assert removed.indices == tuple(selection.feature_names.index(name) for name in others)
    assert [removed.stayed(step) for step in removed.steps] == [
        step.accepted and step.feature in others for step in removed.steps
    ]
    assert removed.accepted == selection.accepted
    assert Selection.from_json(removed.to_json()) == removed


def test_the_peak_has_the_most_information_of_the_path(selection):
    information = [step.information for step in selection.steps]
    peak = selection.peak
    assert peak.information == max(information)
    path = selection.steps[: information.index(max(information)) + 1]
    assert peak.names == tuple(step.feature for step in path)
    assert peak.indices == tuple(step.index for step in path)
    nothing = replace(selection, steps=())
    assert nothing.peak == Subset(names=(), indices=(), information=None)


def test_why_the_search_stopped(selection):
    last = selection.steps[-1]
    assert selection.stopped.startswith(f"{last.feature} adds no significant information (p = ")
    near = replace(last, p_value=0.025, alpha=0.01, accepted=False)
    assert replace(selection, steps=(near,)).stopped == (
        f"{last.feature} adds no significant information (adjusted p = 0.12)"
    )
    assert not selection.is_partial
    ended = replace(selection, ended_by="the time limit")
    assert ended.is_partial
    assert ended.stopped == "the time limit came before it was done"
    limited = make_selector(max_features=1, random_state=0, method="published").fit(*friedman(0)).selection_
    assert limited.stopped == "max_features was reached"
    alone = make_selector(random_state=0, method="published").fit(friedman(0)[0][:, [3]], friedman(0)[1])
    assert alone.selection_.stopped == "no candidate is left"


def entropy_of(shares):
    shares = np.asarray(shares)[np.asarray(shares) > 0]
    return -np.sum(shares * np.log(shares))


@given(shares=SHARES, share=st.floats(0, 1.2))
def test_classes_by_the_share_of_their_entropy(shares, share):
    information = share * entropy_of(shares)
    found = Explained(information=information, class_shares=shares, low=information / 2, high=2 * information)
    assert found.share == pytest.approx(min(1.0, share))
    assert found.interval == pytest.approx((min(1.0, share / 2), min(1.0, 2 * share)))


@pytest.mark.parametrize("r", [0.0, 0.3, 0.9])
def test_numbers_by_the_correlation_of_a_normal_pair(r):
    found = Explained(information=-np.log(1 - r**2) / 2)
    assert found.share == pytest.approx(r**2)
    assert found.entropy is None
    assert found.interval is None


def test_it_is_kept_in_json():
    selection = make_selector(max_features=1, random_state=0).fit(*friedman(0)).selection_
    assert selection.explained is not None
    assert Selection.from_json(selection.to_json()).explained == selection.explained
