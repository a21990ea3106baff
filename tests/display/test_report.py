"""A report has the numbers of its selection, shows any name as text, and is the same for the same selection."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest

from infosift import Calibrated, Filter, GaussianCopula, MutualInfoSelector, Published, Selection
from infosift.display.report import render, summarise
from infosift.display.report.figures import figures
from infosift.display.wording import CAUTION, at_least, at_most, count, in_a_sentence, levels, probability, series
from infosift.errors import Hint
from infosift.results import Component, DataWarningRecord, Removal, Replacement, Verdict
from infosift.results.data_warning import data_warning
from infosift.results.selection import TIME_LIMIT
from pages import ODD, select, wide_selection
from samples import friedman, make_selector


@pytest.fixture(scope="module")
def calibrated():
    return select()


@pytest.fixture(scope="module")
def published():
    return select(method="published", max_features=None)


@pytest.fixture(scope="module")
def wide():
    return wide_selection()


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


def test_verdicts_are_those_of_the_selection(calibrated):
    lines = {line["feature"]: line for line in summarise(calibrated)["features"]}
    assert set(lines) == set(calibrated.feature_names)
    for said in calibrated.verdicts:
        assert lines[said.feature]["verdict"] == said.verdict
        assert lines[said.feature]["p_value"] == said.p_value
        assert lines[said.feature]["unadjusted_p_value"] == said.unadjusted_p_value


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
    warning = DataWarningRecord(kind="order", message="Rows depend on each other, so p-values are too small.")
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
    assert hint not in summarise(replace(calibrated, verdicts=(replace(found, verdict="irrelevant"),)))["more"]


def test_unadjusted_p_values_have_a_column_where_there_are_others(calibrated, published):
    assert 'data-label="unadjusted"' in render(calibrated)
    assert 'data-label="unadjusted"' not in render(published)
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    assert all(line["unadjusted_p_value"] is not None for line in summarise(partial)["features"])


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
        selection = select(extra=extra, keep=["colour"], ignore=["unread"], max_features=2)
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
        warnings=(*selection.warnings, DataWarningRecord(kind="gaps", message="20 of 80 rows had <gaps>.")),
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
    assert told == {"title": "Many rows were dropped", "sentence": "20 of 80 rows had <gaps>."}
    assert "<strong>Many rows were dropped.</strong> 20 of 80 rows had &lt;gaps&gt;." in render(selection)
    assert "e replaced a and b: it is as informative as both." in render(selection)
    assert "Removed, since the others carry the same information: d." in render(selection)
    assert "; e then replaced a and b; d was then removed." in summarise(selection)["methods"]


def test_names_are_shown_as_text():
    selection = select(ODD, target="<b>y</b>")
    html = render(selection)
    page = Page(html)
    assert "<script>alert" not in html
    assert "<b>y</b>" not in html
    assert page.tags.count("script") == 1
    seen = "".join(page.texts)
    assert all(name in seen for name in ODD)
    assert '"' not in "".join(value or "" for tag, name, value in page.attributes if name == "class")


def test_the_same_selection_gives_the_same_bytes(calibrated, published, tmp_path):
    for selection in (calibrated, published):
        again = Selection.from_json(selection.to_json())
        for number, one in enumerate((selection, selection, again)):
            one.report(tmp_path / f"{number}.html")
        first, *others = [(tmp_path / f"{number}.html").read_bytes() for number in range(3)]
        assert all(other == first for other in others)


def test_the_look_of_other_figures_does_not_change_the_report(published):
    import matplotlib as mpl

    before = render(published)
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 20}):
        assert render(published) == before


def test_a_report_loads_nothing_and_no_two_parts_have_one_id(calibrated, published):
    for selection in (calibrated, published):
        html = render(selection)
        page = Page(html)
        assert len(page.ids) == len(set(page.ids))
        addresses = [(tag, value) for tag, _, value in page.attributes if value and re.match(r"\w+://|//", value)]
        assert addresses == [("a", "https://doi.org/10.1016/j.neucom.2006.11.019")]
        assert "http://" not in html
        assert not re.search(r"@import|url\((?!#)", html)
        for target in re.findall(r'(?:href="|url\()#([^")]+)', html):
            assert unquote(target) in page.ids


def test_figures_are_those_there_are_numbers_for(calibrated, published):
    assert [figure["kind"] for figure in figures(calibrated)] == ["path", "verdicts", "ranking"]
    assert [figure["kind"] for figure in figures(published)] == ["path", "neighbors", "ranking"]
    assert all(f'aria-label="{figure["alt"]}"' in figure["svg"] for figure in figures(published))


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
    assert "No feature was selected" in render(nothing)
    with pytest.warns(UserWarning, match="Constant"):
        untested = MutualInfoSelector(random_state=0).fit(np.ones((40, 2)), np.arange(40.0)).selection_
    assert summarise(untested)["answer"].startswith("None of the 2 features could be tested")
    assert "<svg" not in render(untested)
    assert "No feature was tested" in summarise(untested)["neighbors"]["sentence"]
    assert "No feature could be tested." in summarise(untested)["methods"]
    assert not re.search(r"\d neighbours?|permutations", summarise(untested)["methods"])


def test_a_partial_run_says_so(calibrated):
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    html = render(partial)
    assert "Not complete." in html
    assert "ended by the time limit before it was done" in html
    verdicts = [line["verdict"] for line in summarise(partial)["features"]]
    assert verdicts.count("not reached") == 6 - len(partial.names)
    untouched = summarise(replace(partial, steps=()))
    assert untouched["answer"] == "The run ended before any feature was tested for yield."
    assert "Not complete." not in render(calibrated)


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(20), 3)], ids=["rows", "row groups"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "published", "alpha": 0.01},
        {"method": "published", "n_neighbors": 4, "n_permutations": 19, "scale": "rank", "criterion": "ksg2"},
        {"method": "published", "n_folds": 5, "t_threshold": 1.0, "max_neighbors": 6},
        {"keep": ["b", "it's"], "ignore": ["-c"], "max_features": 3, "missing": "drop", "n_neighbors": 5},
        {"feature_groups": {"both": ["b", "-c"]}, "null": "shuffle", "n_permutations": 99},
        {"discrete_features": False, "discrete_target": False, "criterion": "ksg2"},
        {"discrete_features": ["b"], "discrete_target": True},
    ],
)
def test_the_line_of_python_repeats_the_run(options, groups):
    X, y = friedman(0, n=60)
    X = pl.DataFrame(X[:, :4], schema=["a", "b", "-c", "it's"])
    if "discrete_features" in options:
        X, y = X.with_columns(pl.all().mul(3).floor()), np.floor(y / 10)
    y = pl.Series("yield", y)
    given = {"random_state": 0, "max_features": 2, **options}
    selection = make_selector(**given).fit(X, y, groups=groups).selection_
    assert repeated(selection, X, y, groups) == selection
    assert repeated(replace(selection, ended_by=TIME_LIMIT, steps=()), X, y, groups) == selection
    assert "<svg" in render(selection)
    rows = dict(summarise(selection)["facts"])
    assert rows.get("row groups") == (None if groups is None else "20")
    assert ("in 20 groups, each as a whole" in summarise(selection)["methods"]) == (groups is not None)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_line_of_python_repeats_a_run_in_which_nothing_is_tested(method):
    X, y, groups = np.ones((40, 2)), np.arange(40.0), np.repeat(np.arange(8), 5)
    with pytest.warns(UserWarning, match="Constant"):
        selection = make_selector(method=method, n_neighbors=3, random_state=0).fit(X, y, groups=groups).selection_
    with pytest.warns(UserWarning, match="Constant"):
        assert repeated(selection, X, y, groups) == selection
    assert "<svg" not in render(selection)


class ByCorrelation(GaussianCopula):
    """A criterion that is not ours."""


def test_the_line_of_python_imports_what_is_ours_only():
    X, y = friedman(0, n=60)
    selector = MutualInfoSelector(method=Published(n_permutations=29), criterion=ByCorrelation(), random_state=0)
    selection = selector.fit(X, y).selection_
    line = summarise(selection)["python"]
    assert line.startswith(
        "from infosift import MutualInfoSelector, Published\n# ByCorrelation is a class of your own.\n"
    )
    assert repeated(selection, X, y, None, ByCorrelation=ByCorrelation) == selection


def repeated(selection, X, y, groups, **own):
    """Run the line of Python that a report has, and return its selection."""
    namespace = {"X": X, "y": y, "groups": groups, **own}
    exec(summarise(selection)["python"].replace("\n\n", "\n\nresult = ", 1), namespace)
    return namespace["result"].selection_


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


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_every_setting_has_a_meaning(method, request):
    settings = request.getfixturevalue(method).settings
    shown = {line["name"]: line for line in summarise(request.getfixturevalue(method))["settings"]}
    assert all(line["meaning"] for line in shown.values())
    assert {"alpha", "method", "criterion", "feature_groups", "random_state"} <= set(shown)
    for part in ("method", "criterion"):
        for name, value in getattr(settings, part).parameters.items():
            assert shown[f"{part}__{name}"]["value"] == repr(value)


def test_a_method_of_ones_own_is_shown(calibrated):
    own = Component(name="Bayesian", parameters={"prior": 0.5})
    criterion = Component(name="Kernel", parameters={})
    settings = replace(calibrated.settings, method=own, criterion=criterion)
    selection = replace(calibrated, settings=settings, criterion_parameter="bandwidth", criterion_values=(2,))
    said = summarise(selection)
    assert "method=Bayesian(prior=0.5)" in said["python"]
    assert said["command"] is None
    assert said["neighbors"]["sentence"] == "bandwidth 2, as given."
    assert "The criterion was Kernel (mutual information), with features scaled" in said["methods"]
    assert "Kraskov" not in said["methods"]
    assert "<svg" in render(selection)


def test_the_command_repeats_the_run_where_it_can(published):
    selection = select(("a", "b", "-c", "it's"), target="the yield", keep=["it's"], ignore=["-c"], alpha=0.01)
    assert summarise(selection)["command"] == (
        "infosift select DATA.csv --target 'the yield' --alpha 0.01 --max-features 3 "
        """--keep 'it'"'"'s' --ignore -c --seed 0"""
    )
    settings = published.settings
    criterion = Component(name="KSG", parameters={**settings.criterion.parameters, "n_neighbors": 5})
    given = replace(published, settings=replace(settings, criterion=criterion))
    assert summarise(given)["command"] is None
    assert summarise(given)["command_notes"] == [
        "The command has no option for criterion__n_neighbors; use Python."
    ]
    method = Component(name="Published", parameters={**settings.method.parameters, "n_folds": 20})
    given = replace(given, settings=replace(given.settings, method=method))
    assert summarise(given)["command_notes"] == [
        "The command has no option for method__n_folds and criterion__n_neighbors; use Python."
    ]


def test_the_command_names_files_and_columns_to_fill_in():
    X, y = friedman(0, n=60)
    groups = {"sides": ["x0", "x1"]}
    selector = MutualInfoSelector(feature_groups=groups, max_features=1, random_state=0)
    selection = selector.fit(X, y, groups=np.repeat(np.arange(20), 3)).selection_
    said = summarise(selection)
    assert said["command"] == (
        "infosift select DATA.csv --target target --alpha 0.05 --max-features 1 --feature-groups GROUPS.json "
        "--seed 0 --groups COLUMN"
    )
    assert any(note.endswith(json.dumps(groups)) for note in said["command_notes"])
    assert any("COLUMN for the column of the file" in note for note in said["command_notes"])
    method = Component(name="Calibrated", parameters={"null": "circular", "n_permutations": "auto"})
    shifted = replace(selection, settings=replace(selection.settings, method=method))
    assert "--alpha 0.05 --null circular --max-features 1" in summarise(shifted)["command"]
    method = Component(name="Calibrated", parameters={"null": "circular", "n_permutations": 99})
    python_only = replace(selection, settings=replace(selection.settings, method=method))
    assert not any("COLUMN" in note for note in summarise(python_only)["command_notes"])


def test_the_command_says_what_is_discrete():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 3)), rng.integers(4, size=60)

    def command(**options):
        return summarise(MutualInfoSelector(random_state=0, **options).fit(X, y).selection_)["command"]

    plain = "infosift select DATA.csv --target target --alpha 0.05"
    assert command() == f"{plain} --seed 0"
    assert command(discrete_features=["x2"]) == f"{plain} --categorical x2 --seed 0"
    assert command(discrete_target=True) == f"{plain} --target-kind classes --seed 0"
    assert command(discrete_target=False) == f"{plain} --target-kind numbers --seed 0"
    assert (
        command(discrete_features=True) == f"{plain} --categorical x0 --categorical x1 --categorical x2 --seed 0"
    )
    assert command(discrete_features=False) is None


def test_options_of_the_command_exist():
    from typer.main import get_command

    from infosift.cli import app
    from infosift.display.hints import OPTIONS

    known = {option for parameter in get_command(app).commands["select"].params for option in parameter.opts}
    assert known.issuperset(OPTIONS.values())


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ("fwer", "--search filter"),
        ("fdr", "--search filter --control fdr"),
        (None, "--search filter --control none"),
    ],
)
def test_the_command_says_what_a_filter_controls(control, words):
    selection = (
        MutualInfoSelector(search=Filter(control=control), random_state=0).fit(*friedman(0, n=60)).selection_
    )
    said = summarise(selection)
    assert said["command"] == f"infosift select DATA.csv --target target --alpha 0.05 {words} --seed 0"
    has_neighbors = control != "fdr"
    assert ("ranks and by mutual information with " in said["methods"]) == has_neighbors
    assert re.search(r"; [\d,]+( to [\d,]+)? permutations were drawn per feature\. Adjustment", said["methods"])


def test_methods_of_a_published_filter_name_its_criterion():
    method = Published(n_permutations=19)
    selector = MutualInfoSelector(method=method, search="filter", criterion="gaussian-copula", random_state=0)
    said = summarise(selector.fit(*friedman(0, n=60)).selection_)["methods"]
    assert "on its own, by mutual information (GaussianCopula); 19 permutations were drawn per feature." in said


def test_methods_say_that_surrogates_are_shifted():
    selector = MutualInfoSelector(method=Calibrated(null="circular"), max_features=1, random_state=0)
    said = summarise(selector.fit(*friedman(0, n=60)).selection_)["methods"]
    assert "surrogates in which candidates and target are shifted against each other in time" in said
    assert "while there were none, also by mutual information with" in said
    assert "shifts were drawn per step" in said
    assert "kernel ridge" not in said


def test_methods_and_references(calibrated, published):
    for selection in (calibrated, published):
        text = summarise(selection)["methods"]
        assert "François et al. (2007)" in text
        assert "60 observations" in text
        assert all(name in text for name in selection.names)
        assert f"seed was {selection.settings.seed}" in text
    assert f"{published.n_neighbors}, was chosen from 1 to" in summarise(published)["methods"]
    assert "10.1016/j.neucom.2006.11.019" in summarise(published)["bibtex"]
    assert f"version = {{{published.version}}}" in summarise(published)["bibtex"]


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("standard", "with features scaled to unit variance."),
        ("rank", "with features scaled to normal quantiles of their ranks."),
        ("none", "with features and target in their own units."),
    ],
)
def test_the_scale_is_said_and_repeated(published, scale, said):
    scaled = summarise(replace(published, settings=replace(published.settings, scale=scale)))
    assert said in scaled["methods"]
    assert (f"--scale {scale}" in scaled["command"]) == (scale != "standard")
    assert (f"scale='{scale}'" in scaled["python"]) == (scale != "standard")


def test_a_report_of_many_features_is_small(wide):
    html = render(wide)
    assert len(re.findall(r'<tr data-f="\d+"><td class="number">', html)) == 2000
    assert len(html.encode()) < 2_000_000


def test_many_lines_in_the_choice_of_neighbours_take_little_room(published):
    choice = published.neighbors
    many = {name: np.repeat(getattr(choice, name), 300, axis=0) for name in ("t", "mean", "variance")}
    names = (choice.feature_names[0], *(f"n{i}" for i in range(6 * 300 - 1)))
    wide = replace(choice, **many, feature_names=names, feature=names[0])
    (figure,) = [one for one in figures(replace(published, neighbors=wide)) if one["kind"] == "neighbors"]
    assert len(figure["svg"]) < 500_000


def test_phrases():
    assert (probability(0.0001), probability(0.02), probability(0.0)) == ("<0.001", "0.020", "0.000")
    assert (at_most(0.0211), at_most(0.0001), at_least(0.3)) == (
        "p at most 0.021",
        "p below 0.001",
        "p at least 0.300",
    )
    assert (count(1, "feature"), count(2000, "feature"), count(2, "class")) == (
        "1 feature",
        "2,000 features",
        "2 classes",
    )
    assert levels(0.05, (("single features", 0.7), ("pairs", 0.2))) == (
        "0.035 for single features, 0.01 for pairs of features"
    )
    assert levels(0.05, (("series", 0.6), ("neighbours", 0.2))) == (
        "0.03 for series of polynomials of ranks, 0.01 for nearest neighbours"
    )
    assert levels(0.05, (("the best candidate", 1.0),)) == ""
    assert [series(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert (in_a_sentence("a"), in_a_sentence(" "), len(in_a_sentence("שלום"))) == ("a", '" "', 6)
