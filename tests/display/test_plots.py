"""The displays hold the numbers of the selection, and draw them whatever the features are called."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text

import infosift
from infosift import BSplineBasis, InputError, MutualInfoSelector, Selection, choose_n_neighbors
from infosift.display.plots import (
    ComparisonDisplay,
    NeighborsDisplay,
    PathDisplay,
    RankingDisplay,
    RedundancyDisplay,
    SpectrumDisplay,
    StabilityDisplay,
    VerdictsDisplay,
)
from infosift.display.plots.canvas import as_written
from infosift.display.wording import size_in_words
from infosift.results import Removal, Substitutes, Verdict
from pages import ODD as ODD_TO_WRITE
from pages import odd_results
from samples import friedman, make_selector, selection, small_selection, with_new_digest
from studies.simulated import survival

ODD = (
    "$x_1$",
    "<b>",
    "[/bold]",
    "tab\tand $",
    "_hidden",
    "a name that is far too long to be written below a step",
)
KINDS = {
    "path": PathDisplay,
    "neighbors": NeighborsDisplay,
    "ranking": RankingDisplay,
    "verdicts": VerdictsDisplay,
}


def select(names=ODD, **options):
    return small_selection(names, **{"max_features": 2, **options})


@pytest.fixture(scope="module")
def calibrated():
    return select()


@pytest.fixture(scope="module")
def published():
    return select(method="published", max_features=None)


@pytest.fixture(scope="module")
def nothing_tested():
    return selection("untested")


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    selector = make_selector(method="published", n_neighbors=6, max_features=1, random_state=0)
    return selector.fit(X, X[:, 150] + 0.1 * rng.normal(size=60)).selection_


def drawn(display):
    """Draw to the last dot, and return the display."""
    display.plot()
    assert isinstance(display.figure_, Figure)
    assert display.ax_.figure is display.figure_
    display.figure_.draw_without_rendering()
    return display


def texts(display):
    """Return all texts as they are seen; formulas are marked as such."""
    shown = []
    for text in display.figure_.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible()):
        seen, is_formula = text._preprocess_math(text.get_text())
        shown.append(f"formula {seen}" if is_formula else seen)
    return shown


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_path_has_the_numbers_of_the_steps(method, request):
    selection = request.getfixturevalue(method)
    display = drawn(PathDisplay.from_selection(selection))
    for ours, theirs in (
        ("statistics", "statistic"),
        ("thresholds", "threshold"),
        ("information", "information"),
        ("information_thresholds", "information_threshold"),
    ):
        numbers = [getattr(step, theirs) for step in selection.steps]
        shown = getattr(display, ours)
        assert shown is None if None in numbers else shown.tolist() == numbers
    assert display.in_nats == (method == "published")
    assert display.features == tuple(step.feature for step in selection.steps)
    assert display.accepted == tuple(step.accepted for step in selection.steps)


@pytest.mark.parametrize(("method", "unit"), [("calibrated", "standard deviations"), ("published", "nats")])
def test_the_path_says_in_which_unit_the_scores_are(method, unit, request):
    display = drawn(PathDisplay.from_selection(request.getfixturevalue(method)))
    assert unit in display.ax_.get_ylabel()
    above = [f"{value:.2f}" for value in display.information]
    assert set(above).issubset(texts(display)) == (method == "calibrated")


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_path_draws_the_numbers_in_its_unit(method, request):
    display = drawn(PathDisplay.from_selection(request.getfixturevalue(method)))
    numbers = display.information if display.in_nats else display.statistics
    limits = display.information_thresholds if display.in_nats else display.thresholds
    lines = {line.get_label(): line for line in display.ax_.lines}
    name = "mutual information" if display.in_nats else "statistic"
    assert lines[name].get_ydata().tolist() == numbers[list(display.stayed)].tolist()
    assert lines["threshold"].get_ydata()[::3].tolist() == limits.tolist()


def test_the_ring_is_where_the_information_peaks(published):
    display = drawn(PathDisplay.from_selection(published))
    ring = next(line for line in display.ax_.lines if line.get_label() == "peak")
    assert ring.get_xydata().tolist() == [[len(published.peak.names), published.peak.information]]


def test_the_halt_is_drawn_only_where_a_step_was_rejected(calibrated, published):
    assert not published.steps[-1].accepted
    assert calibrated.steps[-1].accepted
    assert "halt" in texts(drawn(PathDisplay.from_selection(published)))
    assert "halt" not in texts(drawn(PathDisplay.from_selection(calibrated)))


def test_what_was_removed_is_marked(calibrated):
    assert PathDisplay.from_selection(calibrated).stayed == (True, True)
    removed = replace(calibrated, removals=(Removal((calibrated.steps[0].feature,), 0.4),))
    display = drawn(PathDisplay.from_selection(removed))
    assert display.stayed == (False, True)
    assert "removed" in display.ax_.get_legend_handles_labels()[1]


def test_a_long_path_names_some_of_its_steps(published):
    steps = tuple(replace(published.steps[0], feature=f"x{number}") for number in range(170))
    display = drawn(PathDisplay.from_selection(replace(published, steps=steps)))
    names = [name for name in texts(display) if name.startswith("x")]
    assert 10 <= len(names) <= 20


def test_the_choice_of_neighbors_is_drawn_as_it_was_made(published):
    display = drawn(NeighborsDisplay.from_selection(published))
    choice = published.neighbors
    assert (display.n_neighbors, display.feature) == (choice.n_neighbors, choice.feature)
    np.testing.assert_array_equal(display.t, choice.t)
    np.testing.assert_array_equal(display.estimates, choice.estimates)
    np.testing.assert_array_equal(display.shuffled_estimates, choice.shuffled_estimates)
    left, right = display.panels_
    highlighted = next(line for line in left.lines if line.get_label().startswith("feature"))
    assert highlighted.get_ydata().tolist() == choice.t[choice.feature_names.index(choice.feature)].tolist()
    n_drawn = sum(bar.get_height() for container in right.containers for bar in container)
    assert n_drawn == 2 * choice.n_folds


def test_a_choice_by_threshold_and_of_a_single_feature():
    X, y = friedman(0, n=60)
    drawn(NeighborsDisplay.from_choice(choose_n_neighbors(X[:, 3], y, t_threshold=1.0, random_state=0)))


def test_refuses_where_neighbors_were_not_chosen(calibrated):
    with pytest.raises(InputError, match="number of neighbours was not chosen by resampling"):
        NeighborsDisplay.from_selection(calibrated)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_ranking_is_that_of_the_first_step(method, request):
    selection = request.getfixturevalue(method)
    display = drawn(RankingDisplay.from_selection(selection))
    first = selection.steps[0]
    assert display.in_nats == (method == "published")
    scores = first.candidate_information if display.in_nats else first.candidate_statistics
    assert dict(zip(display.names, display.scores, strict=True)) == dict(
        zip((selection.feature_names[i] for i in first.candidates), scores, strict=True)
    )
    assert all(one >= next_one for one, next_one in pairwise(display.scores))
    assert display.threshold == (first.information_threshold if display.in_nats else first.threshold)
    assert {name for name, selected in zip(display.names, display.selected, strict=True) if selected} == set(
        selection.names
    )


def test_the_ranking_names_groups():
    selection = select(feature_groups={"the $two$": ["<b>", "$x_1$"]}, max_features=3)
    display = drawn(RankingDisplay.from_selection(selection))
    assert sorted(display.names) == sorted(["the $two$", *ODD[2:]])
    assert display.selected[display.names.index("the $two$")] == ("<b>" in selection.names)
    drawn(PathDisplay.from_selection(selection))
    drawn(VerdictsDisplay.from_selection(selection))


def test_the_threshold_of_the_ranking_is_that_of_single_candidates(calibrated):
    first = calibrated.steps[0]
    pair = replace(first, feature="<b> + [/bold]", index=1, columns=(1, 2), threshold=9.0)
    display = drawn(RankingDisplay.from_selection(replace(calibrated, steps=(pair,))))
    assert display.threshold == first.threshold
    assert sum(display.selected) == 2


def test_the_verdicts_are_those_of_the_selection(calibrated):
    display = drawn(VerdictsDisplay.from_selection(calibrated))
    assert set(zip(display.names, display.verdicts, display.p_values, strict=True)) == {
        (said.feature, said.verdict, said.p_value) for said in calibrated.verdicts
    }
    n_selected = len(calibrated.names)
    assert display.verdicts[:n_selected] == ("selected",) * n_selected
    assert display.p_values[n_selected:].tolist() == sorted(display.p_values[n_selected:])


def test_each_verdict_has_a_marker_of_its_own(calibrated):
    kinds = ("selected", "redundant", "not shown", "undecided")
    verdicts = tuple(Verdict(kind, kind, 0.01, unadjusted_p_value=0.001) for kind in kinds)
    display = drawn(VerdictsDisplay.from_selection(replace(calibrated, verdicts=verdicts)))
    markers = {line.get_label(): line.get_marker() for line in display.ax_.lines if line.get_label() in kinds}
    assert len(set(markers.values())) == len(markers) == 4
    (unadjusted,) = (line for line in display.ax_.lines if line.get_label() == "unadjusted p")
    assert unadjusted.get_xdata().tolist() == pytest.approx([3] * 4)


def test_refuses_where_there_are_no_verdicts(published):
    with pytest.raises(InputError, match='they come with method="calibrated"'):
        VerdictsDisplay.from_selection(published)


def test_of_many_features_some_are_shown_and_the_others_counted(wide):
    ranking = drawn(RankingDisplay.from_selection(wide))
    assert len(ranking.names) == 200
    assert "and 170 more" in texts(ranking)
    verdicts = tuple(Verdict(name, "not shown", 0.5) for name in wide.feature_names)
    assert "and 160 more" in texts(drawn(VerdictsDisplay.from_selection(replace(wide, verdicts=verdicts))))
    y = np.random.default_rng(0).normal(size=20)
    X = np.random.default_rng(1).normal(size=(20, 200))
    drawn(NeighborsDisplay.from_choice(choose_n_neighbors(X, y, n_folds=4, random_state=0)))


def test_the_others_that_are_selected_are_counted_too(wide):
    last = replace(wide.steps[0], columns=(int(np.argmin(wide.steps[0].candidate_information)),))
    display = drawn(RankingDisplay.from_selection(replace(wide, steps=(wide.steps[0], last))))
    assert "and 170 more, 1 of them selected" in texts(display)


@pytest.mark.parametrize("display", [PathDisplay, RankingDisplay])
def test_says_so_where_nothing_was_tested(display, nothing_tested):
    assert "No feature was tested." in texts(drawn(display.from_selection(nothing_tested)))
    with pytest.raises(InputError, match="no verdicts"):
        VerdictsDisplay.from_selection(nothing_tested)


@pytest.mark.parametrize("name", [*ODD[:3], "one $", r"\$ and $", "tab\tor\nline"])
def test_no_name_is_a_formula(name):
    text = Figure().text(0, 0, as_written(name))
    assert text._preprocess_math(text.get_text()) == (" ".join(name.split()), False)


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_drawn_as_they_are_written(kind, calibrated, published):
    selection = calibrated if kind == "verdicts" else published
    best = json.dumps(selection.steps[0].feature)
    text = with_new_digest(selection.to_json().replace('"$x_1$"', '"other"').replace(best, '"$x_2$"'))
    shown = texts(drawn(KINDS[kind].from_selection(Selection.from_json(text))))
    assert any("$x_2$" in seen and not seen.startswith("formula") for seen in shown)


def test_long_names_are_shortened(calibrated):
    shown = texts(drawn(VerdictsDisplay.from_selection(calibrated)))
    assert ODD[5] not in shown
    assert "a name that is …w a step" in shown


def spectra(n_rows=60):
    rng = np.random.default_rng(3)
    curves = np.cumsum(rng.normal(size=(n_rows, 12)), axis=1)
    return curves, curves[:, 4] + 0.1 * rng.normal(size=n_rows)


def test_selected_features_lie_on_the_grid_that_their_names_say():
    curves, y = spectra()
    # In another order than that of the wavelengths.
    names = [f"band 2, wl{400 + 10 * place}" for place in range(12)]
    frame = pl.DataFrame(curves, schema=names).select(names[::-1])
    selection = MutualInfoSelector(random_state=0, max_features=1).fit(frame, y).selection_
    for given in (frame, frame.to_numpy()):
        display = drawn(SpectrumDisplay.from_selection(selection, given))
        assert display.grid.tolist() == list(range(400, 520, 10))
        np.testing.assert_allclose(display.mean_curve, curves.mean(axis=0))
        assert display.names == selection.names == (names[4],)
        assert display.ranges.tolist() == [[435.0, 445.0]]
        assert names[4] in texts(display)


def test_ranges_of_coordinates_are_drawn_over_the_curves():
    curves, y = spectra()
    grid = np.linspace(1.0, 2.0, 12)
    basis = BSplineBasis(6, grid=grid).fit(curves)
    selection = MutualInfoSelector(random_state=0, max_features=2).fit(basis.transform(curves), y).selection_
    display = drawn(SpectrumDisplay.from_selection(selection, curves, grid, basis.ranges_))
    np.testing.assert_array_equal(display.ranges, basis.ranges_[list(selection.indices)])
    with pytest.raises(InputError, match="6 features and the spectra have 12: give ranges"):
        SpectrumDisplay.from_selection(selection, curves, grid)
    with pytest.raises(InputError, match="ranges must have two ends for each of the 6 features"):
        SpectrumDisplay.from_selection(selection, curves, grid, basis.ranges_[:2])
    with pytest.raises(InputError, match="one position for each of the 12 columns"):
        SpectrumDisplay.from_selection(selection, curves, grid[:3], basis.ranges_)


def test_a_grid_is_asked_for_where_names_have_no_numbers(calibrated):
    X, _ = friedman(0, n=60)
    with pytest.raises(InputError, match='"<b>" has no number to place it by: give grid'):
        SpectrumDisplay.from_selection(calibrated, X[:, :6])
    display = drawn(SpectrumDisplay.from_selection(calibrated, X[:, :6], grid=np.arange(6)))
    assert display.ranges.tolist() == [[i - 0.5, i + 0.5] for i in calibrated.indices]


def test_a_spectrum_with_nothing_selected_and_with_much():
    grid = np.arange(100.0)
    empty = SpectrumDisplay(grid, np.sin(grid), np.empty((0, 2)), ())
    assert "mean curve" in texts(drawn(empty))
    ranges = np.column_stack([grid - 0.1, grid + 0.1])
    many = SpectrumDisplay(grid, np.sin(grid), ranges, tuple(f"x{number}" for number in range(100)))
    assert "first 10 selected" in texts(drawn(many))
    assert {"x0", "x4", "x8"} <= set(texts(many))
    assert "x1" not in texts(many)  # it would lie on x0


@pytest.mark.parametrize("kind", KINDS)
def test_a_selection_draws_itself(kind, calibrated, published):
    selection = calibrated if kind == "verdicts" else published
    ax = Figure(layout="constrained").subplots()
    for given in (None, ax):
        display = selection.plot(kind, ax=given)
        assert type(display) is KINDS[kind]
        assert given is None or display.ax_ is given
    ax.figure.draw_without_rendering()


def test_the_path_is_drawn_unless_told_otherwise(published):
    assert isinstance(published.plot(), PathDisplay)
    with pytest.raises(
        InputError,
        match="must be one of effects, path, neighbors, ranking, verdicts, redundancy, survival, not 'pie'",
    ):
        published.plot("pie")


def test_says_that_matplotlib_is_missing(monkeypatch, calibrated):
    monkeypatch.setattr("infosift.display.plots.canvas.find_spec", lambda name: None)
    display = PathDisplay.from_selection(calibrated)
    with pytest.raises(InputError, match=r'need matplotlib: pip install "infosift\[plot\]"'):
        display.plot()
    with pytest.raises(InputError, match="need matplotlib"):
        calibrated.plot()


def test_matplotlib_is_loaded_only_to_draw():
    code = "import sys, infosift.display.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_displays_are_public():
    assert {display.__name__ for display in (*KINDS.values(), SpectrumDisplay)} <= set(
        infosift.display.plots.__all__
    )


def test_half_a_character_in_a_name_is_drawn_by_its_code():
    assert as_written("half \ud800") == r"half \ud800"
    X, y = friedman(0, n=60)
    X = pd.DataFrame(X[:, :2], columns=pd.Index(["half \ud800", "whole"], dtype=object))
    selector = make_selector(random_state=0, min_features=2).fit(X, y)
    selector.selection_.plot().figure_.savefig(io.BytesIO())


def test_figures_are_those_of_pyplot(calibrated, tmp_path):
    display = calibrated.plot()
    assert plt.gcf() is display.figure_
    plt.savefig(tmp_path / "x.png")
    assert np.ptp(plt.imread(tmp_path / "x.png")[..., :3]) > 0.5
    figure, ax = plt.subplots()
    assert calibrated.plot("verdicts", ax).figure_ is figure
    assert plt.get_fignums() == [display.figure_.number, figure.number]


def test_a_report_leaves_no_figure_open(calibrated, tmp_path):
    for _ in range(2):
        calibrated.report(tmp_path / "report.html")
    assert plt.get_fignums() == []


@pytest.fixture(scope="module")
def redundant():
    """Two features added and a third rejected; what the steps store of the others is set by hand."""
    found = small_selection(tuple("abcdef"), max_features=1)
    first = found.steps[0]

    def step(name, accepted, **scores):
        columns = tuple("abcdef".index(other) for other in scores)
        return replace(
            first,
            feature=name,
            index="abcdef".index(name),
            columns=("abcdef".index(name),),
            accepted=accepted,
            candidates=columns,
            candidate_statistics=np.array(list(scores.values())),
            candidate_p_values=np.full(len(columns), 0.02),
            candidate_unadjusted_p_values=np.full(len(columns), 0.01),
        )

    return replace(
        found,
        steps=(
            step("a", True, a=10.0, b=6.0, c=8.0, d=4.0, e=-1.0, f=8.0),
            step("b", True, b=6.0, c=4.0, d=5.0, e=1.0, f=4.5),
            step("e", False, c=0.0, d=1.0, e=3.0, f=4.5),
        ),
        verdicts=(
            Verdict("a", "selected", 0.01),
            Verdict("b", "selected", 0.01),
            Verdict("c", "redundant", 0.01, ("a", "b")),
            Verdict("d", "redundant", 0.01, ("b",)),
            Verdict("e", "redundant", 0.01, ("a",)),
            Verdict("f", "not shown", 0.5),
        ),
    )


def test_a_cell_is_what_was_lost_as_a_feature_was_added(redundant):
    display = drawn(redundant.plot("redundancy"))
    assert isinstance(display, RedundancyDisplay)
    assert (display.names, display.explained_by) == (("c", "d", "e"), ("a", "b"))
    np.testing.assert_allclose(display.shares, [[0.5, 0.5], [-0.25, 1.0], [np.nan, np.nan]])
    assert display.carried.tolist() == [[True, True], [False, True], [True, False]]
    assert [text.get_text() for text in display.ax_.texts] == ["50", "50", "−25", "100"]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["carries its information", "no statistic stored"]
    assert drawn(RedundancyDisplay.from_selection(Selection.from_json(redundant.to_json()))).names == display.names


def test_what_is_not_stored_is_left_blank(redundant):
    without = replace(redundant.steps[2], candidate_statistics=np.empty(0))
    last_missing = RedundancyDisplay.from_selection(replace(redundant, steps=(*redundant.steps[:2], without)))
    np.testing.assert_allclose(last_missing.shares[:2], [[0.5, np.nan], [-0.25, np.nan]])
    cut = RedundancyDisplay.from_selection(replace(redundant, steps=redundant.steps[:2]))
    assert np.isnan(cut.shares[:, 1]).all()
    removal = replace(redundant.steps[2], action="remove", feature="a", columns=(0,))
    stepped = (*redundant.steps[:2], replace(removal, accepted=False), redundant.steps[2])
    assert np.isnan(RedundancyDisplay.from_selection(replace(redundant, steps=stepped)).shares[:, 1]).all()
    assert "no statistic stored" in [text.get_text() for text in drawn(cut).figure_.legends[0].get_texts()]


def test_features_that_stayed_are_columns_whoever_added_them(redundant):
    kept = replace(redundant, settings=replace(redundant.settings, keep=("f",)))
    assert RedundancyDisplay.from_selection(kept).explained_by == ("f", "a", "b")
    assert np.isnan(RedundancyDisplay.from_selection(kept).shares[:, 0]).all()
    removed = replace(redundant, removals=(Removal(("a",), 0.4),))
    assert RedundancyDisplay.from_selection(removed).explained_by == ("b",)
    pair = replace(redundant.steps[1], feature="b + f", columns=(1, 5))
    as_pair = replace(redundant, steps=(redundant.steps[0], pair, redundant.steps[2]))
    display = RedundancyDisplay.from_selection(as_pair)
    assert display.explained_by == ("a", "b + f")
    np.testing.assert_allclose(display.shares[0], [0.5, 0.5])
    assert display.carried[1].tolist() == [False, True]


def test_rows_stand_together_where_the_same_feature_carries_them(redundant):
    carriers = {"c": ("b",), "d": ("a",), "e": ("b",)}
    verdicts = tuple(
        replace(said, redundant_with=carriers[said.feature]) if said.feature in carriers else said
        for said in redundant.verdicts
    )
    display = drawn(RedundancyDisplay.from_selection(replace(redundant, verdicts=verdicts)))
    assert display.names == ("c", "d", "e")
    assert list(display.rows.values()) == [("d",), ("c",), ("e",)]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["d", "c", "e"]
    assert display.columns == {0: ("a",), 1: ("b",)}


@pytest.fixture(scope="module")
def censored():
    sample = survival("linear hazard", 0, n=150, censored=0.3)
    frame = pd.DataFrame(sample.X[:, :5], columns=ODD[:5])
    frame[ODD[1]] = np.where(sample.X[:, 1] > 0, "$a$", "<b>")
    return MutualInfoSelector(keep=list(ODD[:5]), random_state=0).fit(frame, sample.y).selection_


def test_survival_curves_are_those_of_the_selection(censored):
    display = censored.plot("survival")
    assert display.curves == censored.survival.curves
    assert display.features == ODD[:5]
    assert [len(panel.lines) for panel in display.panels_] == [3, 2, 3, 3, 3]
    for panel, feature in zip(display.panels_, ODD, strict=False):
        assert panel.get_title() == as_written(feature)
        own = [curve for curve in display.curves if curve.feature == feature]
        for line, curve in zip(panel.lines, own, strict=True):
            np.testing.assert_array_equal(line.get_xdata(), curve.times)
            np.testing.assert_array_equal(line.get_ydata(), curve.shares)
            assert line.get_label() == f"{as_written(curve.values)} ({curve.n_events} of {curve.n_rows})"


def test_effects_are_those_of_the_selection(censored, calibrated):
    display = censored.plot("effects")
    assert display.curves == censored.effects.curves
    assert display.features == ODD[:5]
    for panel, feature in zip(display.panels_, ODD, strict=False):
        (curve,) = (one for one in display.curves if one.feature == feature)
        (size,) = (one for one in display.importance if feature in one.features)
        assert panel.get_title() == f"{as_written(feature)}: {size_in_words(size)}"
        drawn = [line.get_ydata() for line in panel.lines if len(line.get_ydata()) == len(curve.fitted)]
        assert any(np.array_equal(own, curve.fitted) for own in drawn)
    ticks = [label.get_text() for label in display.panels_[1].get_xticklabels()]
    assert ticks == [as_written(name) for name in display.curves[1].categories]
    nothing = replace(calibrated, effects=None)
    with pytest.raises(InputError, match="There are no effects to draw: nothing is selected, or in too few rows"):
        nothing.plot("effects")


def test_effects_on_classes_share_a_panel():
    X, y = friedman(0, n=150)
    three = np.array(["low", "some", "high"])[np.digitize(y, np.quantile(y, [0.3, 0.7]))]
    display = MutualInfoSelector(random_state=0).fit(X, three).selection_.plot("effects")
    assert len(display.curves) == 3 * len(display.features)
    (labels,) = {tuple(text.get_text() for text in panel.get_legend().get_texts()) for panel in display.panels_}
    assert set(labels) == {"low", "some", "high"}


def test_refuses_survival_curves_of_other_targets(calibrated):
    with pytest.raises(InputError, match="is not censored, so there are no survival curves: draw another kind"):
        calibrated.plot("survival")


def test_of_many_the_strongest_are_drawn_and_the_others_counted():
    names = tuple(f"x{i}" for i in range(60))
    display = RedundancyDisplay(names, tuple("abc") * 10, np.zeros((60, 30)), np.ones((60, 30), dtype=bool))
    labels = [label.get_text() for label in drawn(display).ax_.get_yticklabels()]
    assert labels == [*names[:40], "and 20 more"]
    assert display.rows[40] == names[40:]
    assert "the first 20, of 30" in display.ax_.get_xlabel()


def test_nothing_redundant_is_nothing_to_draw(redundant):
    for changed in (replace(redundant, verdicts=()), replace(redundant, steps=())):
        with pytest.raises(InputError, match="No feature was found to be redundant"):
            changed.plot("redundancy")


def test_it_is_drawn_on_given_axes(redundant):
    ax = Figure(layout="constrained").subplots()
    assert redundant.plot("redundancy", ax=ax).ax_ is ax


def test_a_comparison_draws_its_scores():
    check = odd_results()[1]
    display = check.plot()
    assert isinstance(display, ComparisonDisplay)
    assert np.array_equal(display.scores[0], check["selected"].scores)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        *("selected", "for prediction", "peak", "all", "no features")
    ]
    assert display.ax_.get_xlabel() == "R² on rows left out"


def test_stability_draws_frequencies_and_bounds():
    group = Substitutes(features=(ODD_TO_WRITE[0], ODD_TO_WRITE[1]), frequency=0.75)
    frequencies = np.array([0.5, 0.25, 0.0, 0.8, 0.125, 1.0])
    stability = replace(odd_results()[2], frequencies=frequencies, groups=(group,))
    display = stability.plot()
    assert isinstance(display, StabilityDisplay)
    assert display.names == tuple(ODD_TO_WRITE[i] for i in (5, 3, 0, 1, 4))
    assert display.frequencies.tolist() == [1.0, 0.8, 0.5, 0.25, 0.125]
    assert display.group_frequencies[2] == 0.75
    assert np.isnan(np.delete(display.group_frequencies, 2)).all()
    assert display.bounds.tolist() == [stability.bound(threshold) for threshold in display.thresholds]
    assert [round(bar.get_width(), 3) for bar in display.ax_.patches] == [1.0, 0.8, 0.5, 0.25, 0.125]
    nothing = replace(stability, frequencies=np.zeros(6), groups=()).plot()
    assert "Nothing is selected on any half-sample." in [text.get_text() for text in nothing.ax_.texts]
