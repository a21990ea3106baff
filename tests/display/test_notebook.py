"""A selection in a notebook: the answer, the steps and the verdicts, with names that cannot break out."""

from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from infosift.display.wording import probability
from infosift.results import DataWarningRecord, Verdict
from samples import friedman, make_selector, small_selection


class Texts(HTMLParser):
    """Collects cells and checks that tags close."""

    def __init__(self, page):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1] += data


def test_it_has_every_step_and_feature():
    selection = make_selector(random_state=0).fit(*friedman(0)).selection_
    page = selection._repr_html_()
    cells = Texts(page).cells
    assert set(selection.feature_names) <= set(cells)
    for step in selection.steps:
        assert probability(min(1.0, step.p_value * 0.05 / step.alpha)) in cells
    assert f"explain about {100 * selection.explained.share:.0f} %" in page


def test_words_that_mislead_are_explained():
    selection = make_selector(random_state=0).fit(*friedman(0)).selection_
    said = (*selection.verdicts[:-1], Verdict("x9", "redundant", 0.01, ("x3",)))
    order = DataWarningRecord(kind="order", message="Say which rows belong together with groups.")
    changed = replace(selection, verdicts=said, warnings=(order,))
    page = unescape(changed._repr_html_())
    assert "Redundant: informative alone, but adds nothing detectable to the selected ones; not shown:" in page
    assert 'To list every informative feature, redundant ones too: search="filter".' in page
    assert "Say which rows belong together with groups." in page


def test_names_are_escaped():
    names = ["<script>alert(1)</script>", '"quoted" & co', "a", "b"]
    page = small_selection(names)._repr_html_()
    assert "<script" not in page
    assert "<script>alert(1)</script>" in Texts(page).cells


def test_of_many_features_some_are_shown():
    X = np.random.default_rng(0).normal(size=(60, 80))
    page = make_selector(random_state=0).fit(X, X[:, 3] ** 2).selection_._repr_html_()
    assert "Verdicts on all 80 features" in page
    assert "And 30 more" in page


def test_warnings_are_shown():
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.warns(match="x1"):
        selection = make_selector(random_state=0).fit(X, 2 * X[:, 1]).selection_
    assert selection.warnings
    assert "⚠" in selection._repr_html_()


def test_a_run_that_ended_at_once():
    selection = make_selector(random_state=0, time_limit=1e-9).fit(*friedman(0)).selection_
    assert "The run ended before any feature was tested" in selection._repr_html_()
