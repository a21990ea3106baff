"""A report has the numbers of its selection, shows any name as text, and is the same for the same selection."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

from infosift import MutualInfoSelector, Selection
from infosift.results.steps import ColumnVerdict, Exchange
from infosift.search.problem import settings_of
from infosift.display.report import render, summarise
from infosift.display.report.figures import figures
from infosift.results.selection import TIME_LIMIT
from infosift.display.terminal import CAUTION
from infosift.display.phrases import at_least, at_most, count, in_a_sentence, probability, series
from samples import friedman, small_selection

ODD = ("<script>alert(1)</script>", "\"&'", "🧪 $x_1$", "שלום", "a" * 120, "plain")


def select(names=tuple("abcdef"), **options):
    return small_selection(names, **{"max_features": 3, **options})


@pytest.fixture(scope="module")
def calibrated():
    return select()


@pytest.fixture(scope="module")
def published():
    return select(method="published", max_features=None)


@pytest.fixture(scope="module")
def wide():
    return wide_selection()


def wide_selection(n_columns=2000):
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(60, n_columns)), schema=[f"wavelength {i} nm" for i in range(n_columns)])
    selector = MutualInfoSelector(
        method="published", n_neighbors=6, n_permutations=19, max_features=1, random_state=0
    )
    return selector.fit(X, X[:, 7].alias("protein")).selection_


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
        f"{len(selection.names)} of 6 columns chosen for yield: {', '.join(selection.names)}."
    )
    before = 0.0
    for step, shown in zip(selection.steps, said["steps"], strict=True):
        assert (shown["feature"], shown["accepted"]) == (step.feature, step.accepted)
        assert shown["p_value"] == probability(step.p_value)
        assert shown["information"] == f"{step.information:.3f}"
        assert float(shown["adds"].replace("−", "-")) == pytest.approx(step.information - before, abs=1e-3)
        assert shown["sureness"] == (at_most(step.p_high) if step.accepted else at_least(step.p_low))
        before = step.information
    first = selection.steps[0]
    scores = {
        selection.feature_names[i]: score
        for i, score in zip(first.candidates, first.candidate_scores, strict=True)
    }
    assert {line["name"]: line["score"] for line in said["columns"]} == pytest.approx(scores)
    assert [line["name"] for line in said["columns"] if line["verdict"] == "chosen"] == list(selection.names)
    assert (CAUTION in said["cautions"]) == (method == "published")


def test_verdicts_are_those_of_the_selection(calibrated):
    lines = {line["name"]: line for line in summarise(calibrated)["columns"]}
    assert set(lines) == set(calibrated.feature_names)
    for said in calibrated.verdicts:
        assert lines[said.feature]["verdict"] == said.verdict
        assert lines[said.feature]["p"] == said.p_value


def test_every_reason_has_its_note():
    rng = np.random.default_rng(0)
    extra = {
        "same": pl.Series(np.ones(60)),
        "twice": pl.Series(2 * friedman(0, n=60)[0][:, 0]),
        "id": pl.Series([f"row {i}" for i in range(60)]),
        "colour": pl.Series(rng.choice(["red", "green"], 60)),
        "unread": pl.Series(rng.normal(size=60)),
    }
    with pytest.warns(UserWarning, match="are left out"):
        selection = select(extra=extra, keep=["colour"], ignore=["unread"], max_features=2)
    first = selection.steps[0]
    selection = replace(
        selection,
        pruned=("d",),
        exchanges=(Exchange("e", ("a", "b"), 0.01),),
        verdicts=(*selection.verdicts, ColumnVerdict("f", "redundant", 0.01, ("d",))),
        steps=(
            *selection.steps,
            replace(first, feature="a", columns=(0,)),
            replace(first, feature="b", columns=(1,)),
        ),
        n_dropped=20,
    )
    lines = {line["name"]: line for line in summarise(selection)["columns"]}
    notes = {name: line["note"] for name, line in lines.items() if line["note"]}
    assert notes["same"] == "constant"
    assert notes["twice"] == "repeats a"
    assert notes["id"].startswith("hardly repeats")
    assert notes["colour"] == "discrete"
    assert notes["e"] == "took the place of a and b"
    assert notes["a"] == "chosen, then replaced by e"
    assert notes["d"].startswith("chosen, then left out again")
    verdicts = {name: line["verdict"] for name, line in lines.items()}
    assert (verdicts["colour"], verdicts["unread"], verdicts["same"]) == ("kept", "ignored", "left out")
    assert lines["f"]["redundant_with"] == ("d",)
    assert summarise(selection)["steps"][0]["adds"] == ""
    assert any("20 rows of 80" in caution for caution in summarise(selection)["cautions"])
    assert "took the place of" in render(selection)


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
        for target in re.findall(r'(?:href="|url\()#([\w-]+)', html):
            assert target in page.ids


def test_figures_are_those_there_are_numbers_for(calibrated, published):
    assert [figure["kind"] for figure in figures(calibrated)] == ["path", "verdicts", "ranking"]
    assert [figure["kind"] for figure in figures(published)] == ["path", "neighbors", "ranking"]
    assert all(f'aria-label="{figure["alt"]}"' in figure["svg"] for figure in figures(published))


def test_nothing_chosen_and_nothing_tested():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    nothing = MutualInfoSelector(random_state=0).fit(X, rng.normal(size=40)).selection_
    assert summarise(nothing)["answer"] == "None of the 3 columns is seen to tell anything about the target."
    assert any("only 40 rows" in caution for caution in summarise(nothing)["cautions"])
    assert "No variable was chosen" in render(nothing)
    with pytest.warns(UserWarning, match="Constant"):
        untested = MutualInfoSelector(random_state=0).fit(np.ones((40, 2)), np.arange(40.0)).selection_
    assert summarise(untested)["answer"].startswith("None of the 2 columns could be tested")
    assert "<svg" not in render(untested)


def test_a_partial_run_says_so(calibrated):
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    html = render(partial)
    assert "Not complete." in html
    assert "ended by the time limit before it was done" in html
    verdicts = [line["verdict"] for line in summarise(partial)["columns"]]
    assert verdicts.count("not reached") == 6 - len(partial.names)
    untouched = summarise(replace(partial, steps=()))
    assert untouched["answer"] == "The run was ended before anything could be said about yield."
    assert "Not complete." not in render(calibrated)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "published", "alpha": 0.01},
        {"method": "published", "n_neighbors": 4, "n_permutations": 19, "scale": "rank", "criterion": "ksg2"},
        {"keep": ["b", "it's"], "ignore": ["-c"], "max_features": 3, "missing": "drop", "n_neighbors": 5},
        {"groups": {"both": ["b", "-c"]}, "null": "shuffle"},
        {"discrete_features": False, "discrete_target": False},
    ],
)
def test_the_line_of_python_repeats_the_run(options):
    selection = select(("a", "b", "-c", "it's"), **options)
    line = summarise(selection)["python"]
    namespace = {}
    code = re.sub(r"(?s)(MutualInfoSelector\(.*\))\.fit\(X, y\)", r"result = \1", line)
    exec(code, namespace)
    settings = settings_of(namespace["result"].get_params())
    taken_from_data = {"keep": (), "ignore": (), "groups": (), "discrete_features": None, "discrete_target": None}
    assert settings == replace(selection.settings, **taken_from_data)
    for name in ("keep", "ignore"):
        assert tuple(getattr(namespace["result"], name) or ()) == getattr(selection.settings, name)
    for name in ("discrete_features", "discrete_target"):
        assert getattr(namespace["result"], name) == options.get(name, "auto")


def test_the_command_repeats_the_run_where_it_can(published):
    selection = select(("a", "b", "-c", "it's"), target="the yield", keep=["it's"], ignore=["-c"], alpha=0.01)
    assert summarise(selection)["command"] == (
        "infosift select DATA.csv --target 'the yield' --alpha 0.01 --max-features 3 --seed 0 "
        """--keep 'it'"'"'s' --ignore -c"""
    )
    given = replace(published, settings=replace(published.settings, n_neighbors=5))
    assert summarise(given)["command"] is None
    assert "The command has no option for n_neighbors; use Python." in summarise(given)["command_notes"]


def test_the_command_says_what_is_discrete():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 3)), rng.integers(4, size=60)

    def command(**options):
        return summarise(MutualInfoSelector(random_state=0, **options).fit(X, y).selection_)["command"]

    plain = "infosift select DATA.csv --target target --alpha 0.05 --seed 0"
    assert command() == plain
    assert command(discrete_features=["x2"]) == f"{plain} --categorical x2"
    assert command(discrete_target=True) == f"{plain} --target-kind classes"
    assert command(discrete_target=False) == f"{plain} --target-kind numbers"
    assert command(discrete_features=True) == f"{plain} --categorical x0 --categorical x1 --categorical x2"
    assert command(discrete_features=False) is None


def test_options_of_the_command_exist():
    from typer.main import get_command

    from infosift.cli import app
    from infosift.display.report.repeat import _OPTIONS

    known = {option for parameter in get_command(app).commands["select"].params for option in parameter.opts}
    assert known.issuperset(_OPTIONS.values())


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


def test_a_report_of_many_columns_is_small(wide):
    html = render(wide)
    assert html.count('<tr><td class="number">') == 2000
    assert len(html.encode()) < 3_000_000


def test_many_lines_in_the_choice_of_neighbours_take_little_room(published):
    choice = published.neighbors
    many = {name: np.repeat(getattr(choice, name), 300, axis=0) for name in ("t", "mean", "variance")}
    names = (choice.feature_names[0], *(f"n{i}" for i in range(6 * 300 - 1)))
    wide = replace(choice, **many, feature_names=names, feature=names[0])
    (figure,) = [one for one in figures(replace(published, neighbors=wide)) if one["kind"] == "neighbors"]
    assert len(figure["svg"]) < 500_000


def test_words():
    assert (probability(0.0001), probability(0.02), probability(0.0)) == ("<0.001", "0.020", "0.000")
    assert (at_most(0.0211), at_most(0.0001), at_least(0.3)) == (
        "p at most 0.021",
        "p below 0.001",
        "p at least 0.300",
    )
    assert (count(1, "column"), count(2000, "column"), count(2, "class")) == (
        "1 column",
        "2,000 columns",
        "2 classes",
    )
    assert [series(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert (in_a_sentence("a"), in_a_sentence(" "), len(in_a_sentence("שלום"))) == ("a", '" "', 6)
