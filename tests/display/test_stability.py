"""Selection over half-samples in a terminal, as a figure and on the page."""

from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from infosift import InputError
from infosift.display.plots import StabilityDisplay
from infosift.display.report import render
from infosift.display.terminal import print_stability
from infosift.display.wording import by_chance, how_resampled, percent
from infosift.results import Substitutes
from pages import ODD, select_and_measure


@pytest.fixture(scope="module")
def measured():
    return select_and_measure()


@pytest.fixture(scope="module")
def stability(measured):
    group = Substitutes(features=(ODD[0], ODD[1]), frequency=0.75)
    return replace(measured[1], frequencies=np.array([0.5, 0.25, 0.0, 0.8, 0.125, 1.0]), groups=(group,))


def printed(stability, width=100):
    out = StringIO()
    print_stability(stability, Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 150])
def test_a_terminal_shows_a_line_for_each_feature_that_is_ever_selected(stability, width):
    lines = printed(stability, width).splitlines()
    row = next(line for line in lines if line.startswith("│ plain "))
    assert " 100 % " in row
    assert "at most" in row
    assert all(len(line) <= width for line in lines if "│" in line)
    assert stability.summary in " ".join(printed(stability, 2000).split("\n"))
    assert "🧪" not in printed(stability)


def test_features_that_replace_each_other_are_named(stability):
    (row,) = [line for line in printed(stability, 200).splitlines() if line.startswith("│ \"&'")]
    assert ODD[0] in row
    assert "replaced by" not in printed(replace(stability, groups=()))


def test_a_column_of_bounds_is_there_where_there_are_some(measured, stability):
    weak = replace(stability, frequencies=stability.frequencies / 2)
    for one, is_there in ((stability, True), (weak, False)):
        assert ("by chance" in printed(one)) == is_there
        assert ("By chance: how many irrelevant features" in how_resampled(one)) == is_there
        page = render(measured[0], stability=one)
        assert ("by chance<small>irrelevant features</small>" in page) == is_there


def test_many_features_are_summed_up(stability):
    names = tuple(f"x{i}" for i in range(40))
    many = replace(stability, feature_names=names, frequencies=np.arange(40, 0, -1) / 50, groups=())
    assert "│ x19 " in printed(many)
    assert "│ x20 " not in printed(many)
    assert "20 more features in 40 % or less." in printed(many)


def test_small_words(stability):
    assert [percent(share) for share in (1.0, 0.125, 0.22)] == ["100 %", "12.5 %", "22 %"]
    assert by_chance(stability, ODD[0]) == ""
    kept = replace(stability, settings=replace(stability.settings, keep=("plain",)))
    assert by_chance(kept, "plain") == "kept"
    assert "Share of 4 half-samples on which" in how_resampled(stability)
    assert "Share of 4 half-samples of 20 row groups on which" in how_resampled(
        replace(stability, n_row_groups=20)
    )


def test_the_figure_has_frequencies_and_bounds(stability):
    display = stability.plot()
    assert isinstance(display, StabilityDisplay)
    assert display.names == (ODD[5], ODD[3], ODD[0], ODD[1], ODD[4])
    assert display.frequencies.tolist() == [1.0, 0.8, 0.5, 0.25, 0.125]
    assert display.group_frequencies[2] == 0.75
    assert np.isnan(np.delete(display.group_frequencies, 2)).all()
    assert display.bounds.tolist() == [stability.bound(threshold) for threshold in display.thresholds]
    assert [round(bar.get_width(), 3) for bar in display.ax_.patches] == [1.0, 0.8, 0.5, 0.25, 0.125]
    nothing = replace(stability, frequencies=np.zeros(6), groups=()).plot()
    assert "Nothing is selected on any half-sample." in [text.get_text() for text in nothing.ax_.texts]


def test_the_page_has_a_section_where_it_was_measured(measured, stability, tmp_path):
    selection, _ = measured
    without, page = render(selection), render(selection, stability=stability)
    assert "Stability over half-samples" not in without
    assert "Stability over half-samples" in page
    assert 'id="figure-stability"' in page
    assert '<td class="number">12.5 %</td>' in page
    assert "replace each other: one of them is selected in 75 %" in page
    assert "<script>alert(1)" not in page
    assert page == render(selection, stability=stability)
    selection.report(tmp_path / "report.html", stability=stability)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_that_of_another_table_is_refused(measured, stability):
    for other in (replace(stability, target_name="price"), replace(stability, feature_names=("a",))):
        with pytest.raises(InputError, match="stability is about other features or another target"):
            render(measured[0], stability=other)
