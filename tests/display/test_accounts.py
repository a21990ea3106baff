"""Each feature in words: a report says what is stored, and its parts say which features they are about."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from infosift import MutualInfoSelector, Selection
from infosift.display.report import render, summarise
from infosift.display.report.features import accounts, address_of
from infosift.display.report.figures import Links
from infosift.results import Substitutes, Verdict
from pages import LINKED, linked_results, select


@pytest.fixture(scope="module")
def results():
    return linked_results()


def account_of(name, selection, **besides):
    """Return what is said of a feature by its labels, names of others included."""
    (one,) = [
        one for one in accounts(selection, summarise(selection)["features"], **besides) if one["feature"] == name
    ]
    return {
        entry["label"]: " ".join([entry["words"], *(other["name"] for other in entry["names"])]).strip()
        + entry["more"]
        for entry in one["entries"]
    }


def test_every_feature_has_an_account_with_the_numbers_that_are_stored(results):
    selection, check, stability = results
    lines = summarise(selection)["features"]
    found = accounts(selection, lines, check, stability)
    assert [(one["feature"], one["verdict"]) for one in found] == [
        (line["feature"], line["verdict"]) for line in lines
    ]
    for said in selection.verdicts:
        account = account_of(said.feature, selection, check=check, stability=stability)
        assert account["P-value"] == f"{said.rests_on}."
        assert account.get("Explained by", "") == " ".join(said.redundant_with)
        explains = [other.feature for other in selection.verdicts if said.feature in other.redundant_with]
        assert account.get("Explains", "") == " ".join(explains)
        frequency = stability.frequency(said.feature)
        often = f"selected in {100 * frequency:.0f} % of 4" if frequency else "never selected."
        assert account["Half-samples"].startswith(often)
        folds = dict(check["selected"].chosen).get(said.feature, 0)
        assert account["Model"].startswith(f"selected in {folds or 'no'} ")


def test_ranks_and_scores_at_the_steps(results):
    selection, _, _ = results
    for one in accounts(selection, summarise(selection)["features"]):
        column = selection.feature_names.index(one["feature"])
        scores = {
            number: step.candidate_statistics[step.candidates.index(column)]
            for number, step in enumerate(selection.steps, start=1)
            if column in step.candidates
        }
        stated = dict(pair.split(":") for pair in one["at_steps"].split())
        assert {int(step): float(score) for step, score in stated.items()} == pytest.approx(scores, rel=1e-3)
    first, *_, last = selection.steps
    best = account_of(selection.feature_names[first.candidates[np.argmax(first.candidate_statistics)]], selection)
    assert best["As a candidate"].startswith("1st of 8 by statistic at step 1")
    least = account_of(selection.feature_names[last.candidates[np.argmin(last.candidate_statistics)]], selection)
    assert least["As a candidate"].endswith(" and 6th.")
    assert account_of(last.feature, selection)["Steps"].startswith(
        f"rejected at step {len(selection.steps)} (p = "
    )
    assert account_of(selection.names[0], selection)["Steps"].startswith("added at step 1 (p = ")


def test_without_a_check_and_half_samples_nothing_is_said_of_them(results):
    account = account_of("plain", results[0])
    assert set(account) == {"P-value", "As a candidate"}


def test_substitutes(results):
    selection, _, stability = results
    pair = Substitutes(features=(LINKED[0], LINKED[1]), frequency=0.75)
    account = account_of(LINKED[1], selection, stability=replace(stability, groups=(pair,)))
    assert account["Substitutes"] == (f"it or one of these is selected in 75 % of the half-samples: {LINKED[0]}")


def test_of_many_names_some_are_listed_and_the_others_counted():
    selection = select(tuple(f"x{i}" for i in range(6)), max_features=1)
    (name,) = selection.names
    many = tuple(Verdict(f"n{i}", "redundant", 0.01, (name,)) for i in range(20))
    selection = replace(selection, verdicts=(*selection.verdicts, *many))
    assert account_of(name, selection)["Explains"].endswith("n11 and 8 more")


def test_the_published_method_has_p_values_of_single_tests():
    selection = select(method="published", max_features=None)
    assert account_of(selection.names[0], selection)["P-value"].endswith(", of a single test.")
    others = [name for name in selection.feature_names if name not in {step.feature for step in selection.steps}]
    assert "P-value" not in account_of(others[0], selection)
    assert " of 6 by information at step 1" in account_of(others[0], selection)["As a candidate"]


def test_steps_that_leave_some_candidates_out_are_named_one_by_one(results):
    selection, _, _ = results
    removal = replace(selection.steps[0], action="remove", accepted=False)
    first, *others = selection.steps
    account = account_of("plain", replace(selection, steps=(first, removal, *others)))
    assert " by statistic at step 1, " in account["As a candidate"]
    assert " by statistic at step 3, " in account["As a candidate"]
    assert "step 2" not in account["As a candidate"]
    removed = account_of(first.feature, replace(selection, steps=(first, removal, *others)))
    assert removed["Steps"].startswith("added at step 1 (p = ")
    assert " and needed at step 2 (p = " in removed["Steps"]


def test_groups_and_pairs_are_about_all_their_features():
    X = pl.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), schema=list("abcd"))
    selector = MutualInfoSelector(feature_groups={"both": ["b", "d"]}, max_features=1, random_state=0)
    selection = selector.fit(X, X["b"] + X["d"]).selection_
    assert Links(selection).of("both") == "2 4"
    assert Links(selection).of("a", "both") == "1 2 4"
    assert '<tr data-f="2 4">' in render(selection)
    pair = replace(selection.steps[0], feature="a + c", columns=(0, 2))
    assert Links(replace(selection, steps=(pair,))).of("a + c") == "1 3"
    assert render(Selection.from_json(selection.to_json())) == render(selection)


def test_addresses_hold_any_name():
    assert address_of("a b/c#%") == "#feature=a%20b%2Fc%23%25"
    assert address_of("half \ud83e") == "#feature=half%20%3F"
