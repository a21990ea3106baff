"""JSON of records: laid out anew it is still theirs, with any value changed it is not."""

import json
import random

import pytest

from infosift import (
    InputError,
    MutualInfoSelector,
    Selection,
    choose_criterion,
    choose_n_neighbors,
    compare_subsets,
    permutation_test,
    selection_stability,
)
from infosift.results import (
    Component,
    CriterionChoice,
    NeighborChoice,
    PermutationTest,
    Stability,
    SubsetComparison,
)
from samples import friedman, small_selection

X, Y = friedman(0, n=60)
RECORDS = {
    Selection: lambda: small_selection(("a", "größe", 'c "3"')),
    Stability: lambda: selection_stability(MutualInfoSelector(max_features=1), X, Y, n_resamples=2),
    SubsetComparison: lambda: compare_subsets(X[:, :3], Y, "ridge"),
    NeighborChoice: lambda: choose_n_neighbors(X[:, :2], Y, random_state=0),
    PermutationTest: lambda: permutation_test(X[:, 3], Y, random_state=0),
    CriterionChoice: lambda: choose_criterion(X[:, :2], Y, ["ksg", "series"], n_folds=10, random_state=0),
}


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
