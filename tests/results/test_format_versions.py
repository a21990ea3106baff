"""Results outlive versions: older ones are read whole, of newer ones all that is known, with a note."""

import json
from pathlib import Path

import pytest

from infosift import InputError, results
from infosift.errors import Hint
from infosift.results import DataWarningRecord, Selection
from infosift.results.data_warning import data_warning
from infosift.results.serialization import FORMAT_VERSION, with_digest

# Written by infosift 0.1.0 at the commit 0c34120, in format 1.
STORED = sorted((Path(__file__).parents[1] / "data" / "results_0.1").glob("*.json"))
RENAMED = {"sentence": "message"}


def read(text):
    """Return the record in a text, of the kind that it names."""
    return getattr(results, json.loads(text)["infosift"]).from_json(text)


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
        assert new == old


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
