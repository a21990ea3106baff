"""Records to JSON and back: layouts, changed values, other versions, labels of columns."""

from __future__ import annotations

import json
import random
from datetime import date, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift import InputError, MutualInfoSelector, results
from infosift.display.report.methods_section import methods_paragraph
from infosift.errors import Hint
from infosift.results import (
    Component,
    CriterionChoice,
    DataWarningRecord,
    NeighborChoice,
    PermutationTest,
    Selection,
    Stability,
    SubsetComparison,
)
from infosift.results.serialization import FORMAT_VERSION, read_label, with_digest, written_label
from infosift.results.steps import data_warning
from samples import small_selection


def read(text):
    """Return the record in a text, of the kind that it names."""
    return getattr(results, json.loads(text)["infosift"]).from_json(text)


def stored(name):
    """Return a record that version 0.1 wrote."""
    return read((STORED[0].parent / f"{name}.json").read_text())


# Written by infosift 0.1.0 at the commit 0c34120, in format 1.
STORED = sorted((Path(__file__).parents[1] / "data" / "results_0.1").glob("*.json"))
RENAMED = {"sentence": "message"}
RENAMED_VALUES = {"irrelevant": "not shown"}
# One of each kind.
RECORDS = {
    Selection: lambda: small_selection(("a", "größe", 'c "3"')),
    **{
        kind: partial(stored, name)
        for kind, name in {
            Stability: "stability",
            SubsetComparison: "comparison",
            NeighborChoice: "neighbor_choice",
            PermutationTest: "permutation_test",
            CriterionChoice: "criterion_choice",
        }.items()
    },
}
PLAIN = st.one_of(
    st.text(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.dates(),
    st.datetimes(),
)


@pytest.fixture(scope="module", params=RECORDS, ids=lambda kind: kind.__name__)
def record(request):
    return RECORDS[request.param]()


def as_javascript(value):
    """Return a value as JSON.stringify writes it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [as_javascript(item) for item in value]
    return {name: as_javascript(item) for name, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(
    "written_anew",
    [
        lambda content: json.dumps(content, indent=4),
        lambda content: json.dumps(content, ensure_ascii=True, separators=(",", ":")),
        lambda content: json.dumps(content, sort_keys=True),
        lambda content: json.dumps(as_javascript(content)),
        lambda content: json.dumps(content, ensure_ascii=False).encode(),
        lambda content: json.dumps(content).replace("e-", "E-"),
    ],
    ids=["indented", "escaped", "sorted", "whole numbers", "bytes", "exponents"],
)
def test_a_layout_is_no_change(record, written_anew):
    assert type(record).from_json(written_anew(json.loads(record.to_json()))) == record


def values_within(content, path=()):
    """Yield where each plain value is."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from values_within(value, (*path, key))
        else:
            yield (*path, key)


def other_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1 if value + 1 != value else value / 2
    return "other" if value is None else value + " "


def test_a_changed_value_is_refused(record):
    text = record.to_json()
    places = list(values_within(json.loads(text)))
    for place in random.Random(0).sample(places, min(60, len(places))):
        content = json.loads(text)
        inside = content
        for key in place[:-1]:
            inside = inside[key]
        inside[place[-1]] = other_value(inside[place[-1]])
        with pytest.raises(InputError, match="is not a "):
            type(record).from_json(json.dumps(content))


COMPONENT = Component(name="KSG", parameters={"n_neighbors": 6}).to_json()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is damaged, or no JSON"),
        ("[" * 200_000, "it is damaged, or no JSON"),
        (COMPONENT[:-1], "it is damaged, or no JSON"),
        (COMPONENT.encode() + b"\xff", "it is damaged, or no JSON"),
        (COMPONENT.replace("6", "9" * 5000), "it is damaged, or no JSON"),
        (COMPONENT.replace("6", "NaN"), "it is damaged, or no JSON"),
        (COMPONENT.replace("6", "1e999"), "it is damaged, or no JSON"),
        (COMPONENT.replace('"name": "KSG"', '"name": "KSG", "name": "KSG"'), "it is damaged, or no JSON"),
        (COMPONENT.replace('{"n_neighbors": 6}', "[" * 900 + "]" * 900), "it "),
        (None, "it is damaged, or no JSON"),
        ("[]", "it is something else"),
        ('{"a": 1}', "it is something else"),
        ('{"infosift": "Component", "name": "KSG"}', "it is damaged"),
        (COMPONENT.replace("KSG", "Histogram"), "it was changed after it was written"),
        (PermutationTest.__name__, "it is damaged, or no JSON"),
    ],
)
def test_other_text_is_one_sentence(text, reason):
    with pytest.raises(InputError) as caught:
        Component.from_json(text)
    sentence = str(caught.value)
    assert sentence.startswith(f"The text is not a Component written by infosift's to_json: {reason}")
    assert "\n" not in sentence


def test_another_record_is_named():
    with pytest.raises(InputError, match="The text is not a Selection written by infosift's to_json: it is a"):
        Selection.from_json(COMPONENT)


def test_half_a_character_can_be_written():
    half = Component(name="half \ud800 of one", parameters={})
    assert Component.from_json(half.to_json().encode()) == half


def changed(text, **values):
    """Return the text of a record with other values at its top, and the digest that goes with them."""
    content = json.loads(text)
    content.pop("seal", None)
    content.pop("digest", None)
    return json.dumps(with_digest({**content, **values}))


def assert_has_all(new, old):
    """Assert that new content has every value of old content, under the same or its present name."""
    if isinstance(old, dict):
        for name, value in old.items():
            assert_has_all(new[RENAMED.get(name, name)], value)
    elif isinstance(old, list):
        assert len(new) == len(old)
        for one, other in zip(new, old, strict=True):
            assert_has_all(one, other)
    else:
        assert new == RENAMED_VALUES.get(old, old)


def test_there_is_one_of_each_kind():
    kinds = {json.loads(path.read_text())["infosift"] for path in STORED}
    assert kinds >= {"Selection", "Stability", "SubsetComparison", "NeighborChoice", "PermutationTest"}


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_results_of_format_1_are_read_with_every_value(path):
    text = path.read_text()
    record, old = read(text), json.loads(text)
    assert old.pop("seal")
    again = record.to_json()
    assert json.loads(again)["format_version"] == FORMAT_VERSION
    assert_has_all(json.loads(again), old)
    assert read(again) == record


def test_the_verdict_irrelevant_of_older_formats_is_not_shown():
    selection = stored("calibrated")
    assert {one.verdict for one in selection.verdicts} == {"selected", "not shown"}
    of_format_2 = changed(selection.to_json().replace('"not shown"', '"irrelevant"'), format_version=2)
    assert read(of_format_2) == selection


def test_what_an_older_writer_did_not_know_is_filled_in():
    selection = read((STORED[0].parent / "filter.json").read_text())
    (leak, *_) = [warning for warning in selection.warnings if warning.kind == "leak"]
    assert leak.title == "A feature may give the target away"
    assert leak.parts == (leak.message,)
    content = json.loads(selection.to_json())
    del content["digest"], content["n_rows_tested"], content["warnings"]
    filled = Selection.from_json(json.dumps(content))
    assert (filled.n_rows_tested, filled.warnings) == (None, ())


def test_what_a_newer_writer_knew_is_ignored_with_a_note():
    text = read(STORED[0].read_text()).to_json()
    settings = {**json.loads(text)["settings"], "mood": 3}
    newer = changed(text, format_version=FORMAT_VERSION + 1, version="7.0", settings=settings, colour="red")
    said = r"written by a newer version of infosift \(7\.0\).* is ignored \(colour, mood\)\.$"
    with pytest.warns(UserWarning, match=said) as caught:
        selection = read(newer)
    assert caught[0].filename == __file__
    assert selection.version == "7.0"
    with pytest.raises(InputError, match="it is damaged"):
        read(changed(text, colour="red"))  # no writer of this format had it
    with pytest.raises(InputError, match="a newer version wrote it, which this one cannot read"):
        read(changed(text, format_version=FORMAT_VERSION + 1, steps="five"))


def test_a_digest_is_verified_where_it_is_there():
    content = json.loads(read(STORED[0].read_text()).to_json())
    changed_value = {**content, "n_rows": content["n_rows"] + 1}
    with pytest.raises(InputError, match="it was changed after it was written"):
        Selection.from_json(json.dumps(changed_value))
    del changed_value["digest"]
    assert Selection.from_json(json.dumps(changed_value)).n_rows == content["n_rows"] + 1
    for name, value in {"n_rows": "many", "steps": 3, "conditional": 1, "target_name": None}.items():
        with pytest.raises(InputError, match="it is damaged"):
            Selection.from_json(json.dumps({**changed_value, name: value}))


def test_hints_are_stored():
    warning = data_warning("leak", "Leave it out: ", Hint("ignore", ("a", "b")), ".", features=("a", "b"))
    again = DataWarningRecord.from_json(warning.to_json())
    assert again == warning
    assert again.hints == (Hint("ignore", ("a", "b")),)
    assert again.message == 'Leave it out: ignore=["a", "b"].'


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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("calibrated", "surrogates that keep its dependence on the selected features"),
        ("filter", "Each feature was tested on its own, by an orthogonal series"),
        ("published", "compared at each step with permuted surrogates of itself"),
        ("backward", "A backward search removed, at each step, the feature"),
    ],
)
def test_results_of_format_1_are_described(name, words):
    selection = stored(name)
    assert words in methods_paragraph(selection)
    assert selection.names[0] in selection._repr_html_()
