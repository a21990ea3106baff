"""Features on a page: a line and an account in words for each, with the numbers that are stored."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from infosift.display.report import render, summarise
from infosift.display.report.features import accounts, address_of
from infosift.display.report.figures import Links
from infosift.results import Removal, Replacement, Substitutes, Verdict
from infosift.results.steps import data_warning
from pages import LINKED, linked_results, page_of
from samples import friedman, selection, small_selection


@pytest.fixture(scope="module")
def results():
    return linked_results()


def test_verdicts_are_those_of_the_selection():
    calibrated = selection("three")
    lines = {line["feature"]: line for line in summarise(calibrated)["features"]}
    assert set(lines) == set(calibrated.feature_names)
    for said in calibrated.verdicts:
        assert lines[said.feature]["verdict"] == said.verdict
        assert lines[said.feature]["p_value"] == said.p_value
        assert lines[said.feature]["unadjusted_p_value"] == said.unadjusted_p_value


def test_every_reason_has_its_note():
    rng = np.random.default_rng(0)
    extra = {
        "same": pl.Series(np.ones(60)),
        "twice": pl.Series(2 * friedman(0, n=60)[0][:, 0]),
        "id": pl.Series([f"row {i}" for i in range(60)]),
        "colour": pl.Series(rng.choice(["red", "green"], 60)),
        "unread": pl.Series(rng.normal(size=60)),
    }
    with pytest.warns(UserWarning, match="are not tested"):
        selection = small_selection("abcdef", extra=extra, keep=["colour"], ignore=["unread"], max_features=2)
    first = selection.steps[0]
    selection = replace(
        selection,
        removals=(Removal(("d",), 0.4),),
        replacements=(Replacement("e", ("a", "b"), 0.01),),
        verdicts=(*selection.verdicts, Verdict("f", "redundant", 0.01, ("d",))),
        steps=(
            *selection.steps,
            replace(first, feature="a", columns=(0,)),
            replace(first, feature="b", columns=(1,)),
        ),
        warnings=(*selection.warnings, data_warning("gaps", "20 of 80 rows had <gaps>.")),
    )
    lines = {line["feature"]: line for line in summarise(selection)["features"]}
    notes = {name: line["note"] for name, line in lines.items() if line["note"]}
    assert notes["same"] == "constant"
    assert notes["twice"] == "duplicate of a"
    assert notes["id"].startswith("near-unique: its categories hardly repeat")
    assert notes["colour"] == "discrete"
    assert notes["e"] == "replaced a and b"
    assert notes["a"] == "selected, then replaced by e"
    assert notes["d"].startswith("selected, then removed")
    verdicts = {name: line["verdict"] for name, line in lines.items()}
    assert (verdicts["colour"], verdicts["unread"], verdicts["same"]) == ("kept", "ignored", "not tested")
    assert lines["f"]["redundant_with"] == ("d",)
    assert summarise(selection)["steps"][0]["adds"] == ""
    (told,) = summarise(selection)["warnings"]
    assert told == {"title": "Missing values", "sentence": "20 of 80 rows had <gaps>."}
    assert "<strong>Missing values.</strong> 20 of 80 rows had &lt;gaps&gt;." in render(selection)
    assert "e replaced a and b: it is as informative as both." in summarise(selection)["more"]
    assert "Removed, since the others carry the same information: d." in summarise(selection)["more"]
    assert "; e then replaced a and b; d was then removed." in summarise(selection)["methods"]


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
    chosen = selection("calibrated")
    name = chosen.names[0]
    many = tuple(Verdict(f"n{i}", "redundant", 0.01, (name,)) for i in range(20))
    changed = replace(chosen, verdicts=(*chosen.verdicts, *many))
    assert account_of(name, changed)["Explains"].endswith("n11 and 8 more")


def test_the_published_method_has_p_values_of_single_tests():
    published = selection("published")
    assert account_of(published.names[0], published)["P-value"].endswith(", of a single test.")
    others = [name for name in published.feature_names if name not in {step.feature for step in published.steps}]
    assert "P-value" not in account_of(others[0], published)
    assert " of 6 by information at step 1" in account_of(others[0], published)["As a candidate"]


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
    grouped = selection("grouped")
    assert Links(grouped).of("both") == "4 5"
    assert Links(grouped).of("a", "both") == "1 4 5"
    assert '<tr data-f="4 5">' in page_of(grouped)
    pair = replace(grouped.steps[0], feature="a + c", columns=(0, 2))
    assert Links(replace(grouped, steps=(pair,))).of("a + c") == "1 3"


def test_addresses_hold_any_name():
    assert address_of("a b/c#%") == "#feature=a%20b%2Fc%23%25"
    assert address_of("half \ud83e") == "#feature=half%20%3F"
