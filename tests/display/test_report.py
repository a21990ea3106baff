"""A report has the numbers of its selection, shows any name as text, and is the same for the same selection."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

from infosift import InputError, MutualInfoSelector, Selection
from infosift.display.report import render, summarise
from infosift.display.report.figures import figures
from infosift.display.report.methods_section import methods_paragraph
from infosift.display.wording import CAUTION, at_least, at_most, how_resampled, probability
from infosift.errors import Hint
from infosift.results import Substitutes, Verdict
from infosift.results.selection import TIME_LIMIT, Component
from infosift.results.steps import data_warning
from pages import ODD, odd_results, odd_selection, page_of, wide_selection
from samples import selection
from studies.simulated import survival


@pytest.fixture(scope="module")
def calibrated():
    return selection("three")


@pytest.fixture(scope="module")
def published():
    return selection("published")


@pytest.fixture(scope="module")
def stability():
    group = Substitutes(features=(ODD[0], ODD[1]), frequency=0.75)
    frequencies = np.array([0.5, 0.25, 0.0, 0.8, 0.125, 1.0])
    return replace(odd_results()[2], frequencies=frequencies, groups=(group,))


class Page(HTMLParser):
    """The tags, ids and seen text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.texts, self.attributes = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attributes]
        self.ids += [value for name, value in attributes if name == "id"]

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_summary_has_the_numbers_of_the_selection(method, request):
    selection = request.getfixturevalue(method)
    said = summarise(selection)
    assert said["answer"] == (
        f"{len(selection.names)} of 6 features selected for yield: {', '.join(selection.names)}."
    )
    before = 0.0
    for step, shown in zip(selection.steps, said["steps"], strict=True):
        assert (shown["feature"], shown["accepted"]) == (step.feature, step.accepted)
        assert shown["p_value"] == probability(step.p_value)
        assert shown["information"] == f"{step.information:.3f}"
        assert shown["alpha"] == f"{step.alpha:g}"
        assert shown["threshold"] == (
            f"{step.threshold:.2f}" if selection.adjusted else f"{step.information_threshold:.3f}"
        )
        assert shown["statistic"].replace("−", "-") == f"{step.statistic:.2f}"
        assert float(shown["adds"].replace("−", "-")) == pytest.approx(step.information - before, abs=1e-3)
        is_clear = step.p_high <= step.alpha if step.accepted else step.p_low > step.alpha
        bound = at_most(step.p_high) if step.accepted else at_least(step.p_low)
        assert shown["sureness"] == (bound if is_clear else f"p = {probability(step.p_value)}")
        before = step.information
    first = selection.steps[0]
    of_candidates = first.candidate_statistics if selection.adjusted else first.candidate_information
    scores = {selection.feature_names[i]: score for i, score in zip(first.candidates, of_candidates, strict=True)}
    assert {line["feature"]: line["score"] for line in said["features"]} == pytest.approx(scores)
    assert [line["feature"] for line in said["features"] if line["verdict"] == "selected"] == list(selection.names)
    assert (CAUTION in said["cautions"]) == (method == "published")


@pytest.mark.parametrize(
    ("p_values", "said"),
    [
        ((0.025, 0.006, 0.051), "p = 0.025"),
        ((0.025, 0.012, 0.051), "p at least 0.012"),
        ((0.002, 0.001, 0.004), "p at most 0.004"),
        ((0.009, 0.006, 0.02), "p = 0.009"),
    ],
)
def test_how_sure_a_step_is_agrees_with_its_level(calibrated, p_values, said):
    numbers = dict(zip(("p_value", "p_low", "p_high"), p_values, strict=True))
    step = replace(calibrated.steps[-1], **numbers, alpha=0.01, accepted=p_values[0] <= 0.01)
    (shown,) = summarise(replace(calibrated, steps=(step,)))["steps"]
    assert shown["sureness"] == said


@pytest.mark.parametrize("rate", ["family-wise error", "false discovery rate"])
def test_no_error_rate_is_promised_where_rows_depend_on_each_other(calibrated, rate):
    warning = data_warning("order", "Rows depend on each other, so p-values are too small.")
    said = summarise(replace(calibrated, error_rate=rate, warnings=(warning,)))
    sentence = (
        f"{rate.capitalize()}: at most 5 % for rows that do not depend on each other. These do, so it is likely "
        "larger."
    )
    assert said["more"][0] == sentence
    assert "Rows depended on those next to them, so p-values are too small." in said["methods"]
    assert sentence not in summarise(calibrated)["more"]


@pytest.mark.parametrize(
    ("hint", "both"),
    [
        (Hint("ignore", ("a b",)), "ignore=\"a b\" (--ignore 'a b')"),
        (Hint("ignore", ("a", "b")), 'ignore=["a", "b"] (--ignore a --ignore b)'),
        (Hint("missing", "partial"), 'missing="partial" (--missing partial)'),
        (Hint("method.null", "circular"), 'method=Calibrated(null="circular") (--null circular)'),
        (Hint("groups"), "groups (--groups)"),
    ],
)
def test_warnings_name_parameters_and_options_alike(calibrated, hint, both):
    warning = data_warning("leak", "Do this: ", hint, ".")
    (told,) = summarise(replace(calibrated, warnings=(warning,)))["warnings"]
    assert told["sentence"] == f"Do this: {both}."
    assert warning.message == f"Do this: {hint}."


def test_redundant_features_have_a_hint(calibrated):
    hint = 'To list every informative feature, redundant ones too: search="filter" (--search filter).'
    found = Verdict("f", "redundant", 0.01, ("d",))
    assert hint in summarise(replace(calibrated, verdicts=(*calibrated.verdicts[:-1], found)))["more"]
    assert hint not in summarise(replace(calibrated, verdicts=(replace(found, verdict="not shown"),)))["more"]


def test_unadjusted_p_values_have_a_column_where_there_are_others(calibrated, published):
    assert 'data-label="unadjusted"' in page_of(calibrated)
    assert 'data-label="unadjusted"' not in page_of(published)
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    assert all(line["unadjusted_p_value"] is not None for line in summarise(partial)["features"])


def test_names_are_shown_as_text():
    html = page_of(odd_selection())
    page = Page(html)
    assert "<script>alert" not in html
    assert page.tags.count("script") == 1
    seen = "".join(page.texts)
    assert all(name in seen for name in ODD)
    assert '"' not in "".join(value or "" for tag, name, value in page.attributes if name == "class")


def test_the_same_selection_gives_the_same_bytes(calibrated, published, tmp_path):
    for one in (calibrated, published):
        Selection.from_json(one.to_json()).report(tmp_path / "again.html")
        assert (tmp_path / "again.html").read_text(encoding="utf-8") == page_of(one)


def test_the_look_of_other_figures_does_not_change_the_report(published):
    import matplotlib as mpl

    before = page_of(published)
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 20}):
        assert render(published) == before


def test_a_report_loads_nothing_and_no_two_parts_have_one_id(calibrated, published):
    for one in (calibrated, published):
        html = page_of(one)
        page = Page(html)
        assert len(page.ids) == len(set(page.ids))
        addresses = [(tag, value) for tag, _, value in page.attributes if value and re.match(r"\w+://|//", value)]
        assert addresses == [("a", "https://doi.org/10.1016/j.neucom.2006.11.019")]
        assert "http://" not in html
        assert not re.search(r"@import|url\((?!#)", html)
        for target in re.findall(r'(?:href="|url\()#([^")]+)', html):
            assert unquote(target) in page.ids


def test_figures_are_those_there_are_numbers_for(calibrated, published):
    for one, kinds in (
        (calibrated, ["effects", "path", "verdicts", "ranking"]),
        (published, ["effects", "path", "neighbors", "ranking"]),
    ):
        html = page_of(one)
        assert re.findall(r'<figure id="figure-(\w+)"', html) == kinds
        assert len(re.findall(r'<svg [^>]*aria-label="[^"]{20,}"', html)) == len(kinds)


def test_nothing_selected_and_nothing_tested():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    nothing = MutualInfoSelector(random_state=0).fit(X, rng.normal(size=40)).selection_
    assert summarise(nothing)["answer"] == "None of the 3 features is significantly informative about the target."
    assert not summarise(nothing)["cautions"]
    assert any(
        sentence.startswith("With 40 rows and 3 features, a feature") for sentence in summarise(nothing)["more"]
    )
    assert "With 40 rows and 3 features, a feature had to" in summarise(nothing)["methods"]
    in_groups = replace(nothing, smallest_detectable_correlation=None)
    assert any("only 40 rows" in caution for caution in summarise(in_groups)["cautions"])
    assert "No feature was selected" in summarise(nothing)["methods"]
    untested = selection("untested")
    assert summarise(untested)["answer"].startswith("None of the 2 features could be tested")
    assert "<svg" not in render(untested)
    assert "No feature was tested" in summarise(untested)["neighbors"]["sentence"]
    assert "No feature could be tested." in summarise(untested)["methods"]
    assert not re.search(r"\d neighbours?|permutations", summarise(untested)["methods"])


def test_a_report_of_censored_times():
    sample = survival("linear hazard", 0, n=150, censored=0.3)
    selection = MutualInfoSelector(random_state=0).fit(sample.X, sample.y).selection_
    page = render(selection)
    events, rows = selection.survival.n_events, selection.n_rows
    assert f"{events} of {rows} rows have the event; the others are censored." in page
    assert "(concordance; 50 % is a guess)" in page
    assert [one["kind"] for one in figures(selection)][:3] == ["effects", "survival", "path"]
    assert "selected for time until event: " in page
    (methods,) = re.findall(r'id="methods"[^>]*>(.*?)</p>', page)
    assert f"The event was observed in {events} rows; the other times were right-censored." in methods
    assert "martingale residual of the target, weighted as in the log-rank test" in methods
    assert "nearest neighbours" not in methods
    assert f"{events} events and {rows - events} censored times" in page
    filtered = MutualInfoSelector(search="filter", random_state=0).fit(sample.X, sample.y).selection_
    assert "by Legendre polynomials and steps of its ranks against the martingale" in methods_paragraph(filtered)


def test_a_partial_run_says_so(calibrated):
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    html = render(partial)
    assert "Not complete." in html
    assert "ended by the time limit before it was done" in html
    verdicts = [line["verdict"] for line in summarise(partial)["features"]]
    assert verdicts.count("not reached") == 6 - len(partial.names)
    untouched = summarise(replace(partial, steps=()))
    assert untouched["answer"] == "The run ended before any feature was tested for yield."
    assert "Not complete." not in page_of(calibrated)


def test_a_report_shows_the_numbers_that_are_stored(calibrated):
    """Those of another version, say, which divided alpha and chose the number of neighbours in another way."""
    steps = tuple(replace(step, alpha=0.0123) for step in calibrated.steps)
    shares = (("single features", 0.5), ("triples", 0.25))
    other = replace(calibrated, criterion_values=(3, 5), alpha_shares=shares, steps=steps, version="0.0.7")
    other = Selection.from_json(other.to_json())
    said = summarise(other)
    assert said["neighbors"]["sentence"] == "3 and 5 neighbours, tested at once; the p-values allow for that."
    assert "by mutual information with 3 and 5 neighbours;" in said["methods"]
    assert "at 0.05 (0.025 for single features, 0.0125 for triples);" in said["methods"]
    assert "infosift 0.0.7 by" in said["methods"]
    assert {step["alpha"] for step in said["steps"]} == {"0.0123"}
    html = render(other)
    assert "3 and 5 neighbours" in html
    assert html.count('<td class="number">0.0123</td>') == len(steps)
    assert "10 and 20" not in html
    assert "0.035 for" not in html
    assert '<td class="number">0.035</td>' not in html


@pytest.mark.parametrize(
    ("parameters", "values", "sentence"),
    [
        ({"n_neighbors": 4}, (4,), "4 neighbours, as given."),
        ({"n_neighbors": 1}, (1,), "1 neighbour, as given."),
        ({}, (7,), "7 neighbours, as many as so few rows allow."),
        ({"max_neighbors": 1}, (1,), "1 neighbour, as many as max_neighbors allows."),
    ],
)
def test_why_there_is_a_single_number_of_neighbours(calibrated, parameters, values, sentence):
    own = calibrated.settings.criterion.parameters
    settings = replace(calibrated.settings, criterion=Component(name="KSG", parameters={**own, **parameters}))
    selection = replace(calibrated, criterion_values=values, settings=settings)
    assert summarise(selection)["neighbors"]["sentence"] == sentence


def test_a_report_of_many_features_is_small():
    html = page_of(wide_selection())
    assert len(re.findall(r'<tr data-f="\d+"><td class="number">', html)) == 2000
    assert len(html.encode()) < 2_000_000


def test_many_lines_in_the_choice_of_neighbours_take_little_room(published):
    choice = published.neighbors
    many = {name: np.repeat(getattr(choice, name), 300, axis=0) for name in ("t", "mean", "variance")}
    names = (choice.feature_names[0], *(f"n{i}" for i in range(6 * 300 - 1)))
    wide = replace(choice, **many, feature_names=names, feature=names[0])
    (figure,) = [one for one in figures(replace(published, neighbors=wide)) if one["kind"] == "neighbors"]
    assert len(figure["svg"]) < 500_000


def test_a_page_has_sections_for_a_check_and_for_stability(stability, tmp_path):
    selection, check, _ = odd_results()
    page = page_of(selection, check, stability)
    for title, figure in (("Prediction by a model", "comparison"), ("Stability over half-samples", "stability")):
        assert title in page
        assert f'id="figure-{figure}"' in page
        assert title not in page_of(odd_selection())
    assert check.summary in page
    for one in check.subsets:
        assert f"± {one.spread:.3f}" in page
    assert '<th scope="row">no features</th>' in page
    assert '<td class="number">12.5 %</td>' in page
    assert "replace each other: one of them is selected in 75 %" in page
    assert "by chance<small>irrelevant features</small>" in page
    assert "<script>alert(1)" not in page
    selection.report(tmp_path / "report.html", check=check, stability=stability)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_a_column_of_bounds_is_there_where_there_are_some(stability):
    weak = replace(stability, frequencies=stability.frequencies / 2)
    assert "By chance: how many irrelevant features" in how_resampled(stability)
    assert "By chance" not in how_resampled(weak)
    assert "by chance<small>" not in page_of(odd_results()[0], stability=weak)


def test_a_check_or_stability_of_another_table_is_refused(stability):
    selection, check, _ = odd_results()
    for name, result in (("check", check), ("stability", stability)):
        for other in (replace(result, target_name="price"), replace(result, feature_names=("a",))):
            with pytest.raises(InputError, match=f"{name} is about other features or another target"):
                render(selection, **{name: other})


def test_a_report_opens_in_a_browser(open_page, tmp_path):
    """The small case of the tests of pages in a browser, which are in test_browser.py."""
    (tmp_path / "report.html").write_text(page_of(selection("three")), encoding="utf-8")
    page = open_page((tmp_path / "report.html").as_uri())
    assert page.locator("figure svg:visible").count() == 4
    name = selection("three").names[0]
    page.locator("#find").fill(name)
    assert page.locator("#panel-title").text_content() == name
    assert page.locator("#features tr.chosen th").text_content() == name
