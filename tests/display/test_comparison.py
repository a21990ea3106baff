"""A comparison of subsets in a terminal, as a figure and on the page."""

from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from infosift import InputError
from infosift.display.plots import ComparisonDisplay
from infosift.display.report import render
from infosift.display.terminal import print_comparison
from infosift.display.wording import how_compared, how_often, name_of_subset, signed
from pages import select_and_check


@pytest.fixture(scope="module")
def fitted():
    return select_and_check()


@pytest.fixture(scope="module")
def check(fitted):
    return fitted[1]


def printed(comparison, width):
    out = StringIO()
    print_comparison(comparison, Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_terminal_shows_a_line_for_each_subset(check, width):
    lines = printed(check, width).splitlines()
    for one in check.subsets:
        name = one.subset if width == 40 else name_of_subset(one.subset)
        row = next(line for line in lines if f"│ {name} " in line)
        assert signed(f"{one.mean:.3f} ± {one.spread:.3f}") in row
        if width == 100 and one.subset != "all":
            assert f"± {one.standard_error:.3f}" in row
    assert all(len(line) <= width for line in lines if "│" in line)
    assert check.summary in " ".join(printed(check, 2000).split("\n"))


def test_brackets_are_no_markup(check):
    assert " [/b] " in printed(replace(check, measure="[/b]"), 100)


def test_how_often_features_were_selected(check):
    often = replace(check["selected"], chosen=(("a", 3), ("b", 3), ("c", 1)))
    one = replace(check, subsets=(often, *check.subsets[1:]))
    assert how_often(one) == "Selected in 3 of 3 folds: a, b; in 1: c."
    never = replace(check, subsets=(replace(often, chosen=()), *check.subsets[1:]))
    assert how_often(never) == ""
    assert "Selected" not in printed(never, 100)


def test_row_groups_are_said(check):
    assert "over 3 folds, each" in how_compared(check)
    assert "over 3 folds of 20 row groups, each" in how_compared(replace(check, n_row_groups=20))


def test_the_figure_has_the_scores(check):
    display = check.plot()
    assert isinstance(display, ComparisonDisplay)
    assert np.array_equal(display.scores[0], check["selected"].scores)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        *("selected", "peak", "all", "no features")
    ]
    assert display.ax_.get_xlabel() == "R² on rows left out"


def test_the_page_has_a_section_where_there_is_a_check(fitted, tmp_path):
    selection, check = fitted
    without, page = render(selection), render(selection, check)
    assert "Prediction by a model" not in without
    assert "Prediction by a model" in page
    assert check.summary in page
    assert 'id="figure-comparison"' in page
    for one in check.subsets:
        assert f"± {one.spread:.3f}" in page
    assert '<th scope="row">no features</th>' in page
    assert "<script>alert(1)" not in page
    assert page == render(selection, check)
    selection.report(tmp_path / "report.html", check=check)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_a_check_of_another_table_is_refused(fitted):
    selection, check = fitted
    for other in (replace(check, target_name="price"), replace(check, feature_names=("a",))):
        with pytest.raises(InputError, match="check is about other features or another target"):
            render(selection, other)
