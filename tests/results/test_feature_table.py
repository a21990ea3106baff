"""Every feature has its row, whatever became of it, and no number in it differs from where it was decided."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infosift import DataWarning, MutualInfoSelector
from infosift.results import Replacement
from infosift.results.path import feature_rows
from samples import friedman, make_selector


@pytest.fixture(scope="module")
def selection():
    X, y = friedman(0)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(10)])
    frame["near"] = frame["x3"] + 0.05 * rng.normal(size=len(y))
    frame["flat"] = 1.0
    frame["again"] = frame["x3"]
    frame["id"] = [f"row {i}" for i in range(len(y))]
    frame["aside"] = y
    selector = MutualInfoSelector(random_state=0, ignore=["aside"], keep=["x9"])
    with pytest.warns(DataWarning):
        return selector.fit(frame, y).selection_


def test_every_feature_has_its_verdict(selection):
    rows = {row.feature: row for row in feature_rows(selection)}
    assert list(rows) == list(selection.feature_names)
    assert rows["x9"].verdict == "kept"
    assert rows["aside"].verdict == "ignored"
    assert {rows[name].verdict for name in ("flat", "again", "id")} == {"not tested"}
    assert rows["flat"].note == "constant"
    assert rows["again"].note == "duplicate of x3"
    assert rows["id"].note.startswith("near-unique")
    for said in selection.verdicts:
        row = rows[said.feature]
        assert (row.verdict, row.p_value, row.unadjusted_p_value) == (
            said.verdict,
            said.p_value,
            said.unadjusted_p_value,
        )
        assert (row.given, row.redundant_with, row.n_candidates) == (
            said.given,
            said.redundant_with,
            said.n_candidates,
        )


def test_steps_are_numbered_as_they_came(selection):
    rows = {row.feature: row for row in feature_rows(selection)}
    for number, step in enumerate(selection.steps, start=1):
        assert rows[step.feature].step == number
    assert rows["near"].step is None


def test_a_redundant_feature_is_among_the_substitutes_of_what_explains_it_best(selection):
    rows = {row.feature: row for row in feature_rows(selection)}
    redundant = [row for row in rows.values() if row.verdict == "redundant"]
    assert "near" in [row.feature for row in redundant]
    for row in redundant:
        assert row.feature in rows[row.redundant_with[0]].substitutes
    listed = [name for row in rows.values() for name in row.substitutes]
    assert sorted(listed) == sorted(row.feature for row in redundant)


def test_p_values_of_all_features_are_those_of_the_table(selection):
    for name, p_value in zip(selection.feature_names, selection.p_values, strict=True):
        (row,) = (row for row in feature_rows(selection) if row.feature == name)
        assert np.isnan(p_value) if row.p_value is None else row.p_value == p_value
    assert np.isnan(selection.p_values[selection.feature_names.index("flat")])


def test_features_of_a_group_share_its_test():
    X, y = friedman(0)
    selector = make_selector(random_state=0, max_features=1, feature_groups={"ends": ["x0", "x9"]})
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(10)])
    rows = {row.feature: row for row in feature_rows(selector.fit(frame, y).selection_)}
    assert rows["x0"].p_value == rows["x9"].p_value is not None
    assert "in group ends" in rows["x0"].note


def test_a_replacement_is_noted(selection):
    first, second = [step.feature for step in selection.accepted[:2]]
    other = replace(selection, replacements=(Replacement("near", (first, second), 0.01),))
    notes = {row.feature: row.note for row in feature_rows(other)}
    assert notes["near"] == f"replaced {first} and {second}"
    assert notes[first] == notes[second] == "selected, then replaced by near"


def test_a_run_that_ended_at_once_has_rows_too():
    X, y = friedman(0)
    found = MutualInfoSelector(random_state=0, time_limit=1e-9).fit(X, y).selection_
    assert {row.verdict for row in feature_rows(found)} == {"not reached"}
    assert np.isnan(found.p_values).all()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_half_a_character_in_a_name_is_written_by_its_code(library):
    X, y = friedman(0, n=60)
    X = pd.DataFrame(X[:, :2], columns=pd.Index(["half \ud800", "whole"], dtype=object))
    selection = make_selector(random_state=0, max_features=1, min_features=1).fit(X, y).selection_
    frame = selection.to_frame("verdicts", library=library)
    assert sorted(map(str, frame["feature"])) == [r"half \ud800", "whole"]
