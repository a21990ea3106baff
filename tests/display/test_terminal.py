"""Results in a terminal: the answer first, and tables that fit whatever the width."""

import io
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from infosift import Selection, choose_n_neighbors, permutation_test
from infosift.display.terminal import (
    print_bars,
    print_choice,
    print_comparison,
    print_selection,
    print_stability,
    print_test,
)
from infosift.display.wording import (
    CAUTION,
    OTHER_VERDICTS,
    VERDICTS,
    levels,
    limits,
    name_of_subset,
    power,
    probability,
    signed,
    size_in_words,
    unadjusted,
)
from infosift.results import Removal, Replacement, Substitutes, Verdict
from infosift.results.selection import TIME_LIMIT
from pages import ODD, odd_results
from samples import friedman, make_selector, selection

WIDTHS = (40, 50, 55, 65, 80, 100, 120)
ROW_GROUPS = np.repeat(np.arange(20), 3)


def printed(show, *what, width=200):
    console = Console(width=width, file=io.StringIO())
    show(*what, console)
    return console.file.getvalue()


print_all = partial(print_selection, verbose=True)


def text_of(selection, width=200, show=print_selection):
    """What is printed, as one line."""
    return " ".join(printed(show, selection, width=width).split())


def verdicts_of(selection, width=200):
    """The cells of the table of features."""
    lines = printed(print_selection, selection, width=width).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" ──")) + 1
    return [
        re.split(r"\s{2,}", line.strip()) for line in lines[start : lines.index(" " * len(lines[start]), start)]
    ]


def table_of(selection, width):
    """The cells of the table of steps, its header first."""
    lines = [line for line in printed(print_all, selection, width=width).splitlines() if line[:1] in "┃│"]
    return [[cell.strip() for cell in line.strip("┃│").replace("┃", "│").split("│")] for line in lines if line]


@pytest.fixture(scope="module")
def calibrated():
    return selection("calibrated")


@pytest.fixture(scope="module")
def published():
    return selection("published")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_no_line_is_wider_than_the_terminal(method, width, request):
    text = printed(print_all, request.getfixturevalue(method), width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    # The corners of the table are there: nothing of it was cut off.
    assert all(text.count(corner) == 1 for corner in "┏┓└┘")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_table_has_the_numbers_of_the_steps(method, width, request):
    selection = request.getfixturevalue(method)
    header, *rows = table_of(selection, width)
    assert {"feature", "nats", "p-value", "verdict"} <= set(header)
    assert ("statistic" in header) == (method == "calibrated" and width >= 53)
    for row, step in zip(rows, selection.steps, strict=True):
        cells = dict(zip(header, row, strict=True))
        limit = f"{step.threshold:.2f}" if selection.adjusted else f"{step.information_threshold:.3f}"
        assert (cells["feature"], cells["nats"]) == (step.feature, f"{step.information:.3f}")
        assert cells["p-value"] == probability(min(1.0, step.p_value * 0.05 / step.alpha))
        assert cells["verdict"] == ("selected" if step.accepted else "halt")
        assert cells.get("statistic", f"{step.statistic:.2f}") == f"{step.statistic:.2f}"
        assert cells.get("threshold", limit) == limit
        bounds = [min(1.0, p * 0.05 / step.alpha) for p in (step.p_low, step.p_high)]
        interval = " to ".join(map(probability, bounds))
        assert cells.get("95 % interval", interval) == interval


def test_a_wide_terminal_shows_all_columns(calibrated, published):
    last = ["95 % interval", "verdict"]
    assert table_of(published, 80)[0] == ["step", "feature", "nats", "threshold", "p-value", *last]
    statistics = ["statistic", "threshold", "p-value"]
    assert table_of(calibrated, 100)[0] == ["step", "feature", "nats", *statistics, *last]


def test_a_p_value_is_shown_as_it_was_compared_with_alpha(calibrated):
    (first, *_), name = calibrated.steps, calibrated.steps[-1].feature
    halt = replace(calibrated.steps[-1], p_value=0.045, alpha=0.0325, accepted=False)
    halted = replace(calibrated, steps=(replace(first, p_value=0.01, alpha=0.01), halt), verdicts=())
    rows = verdicts_of(halted)
    assert rows[0][:3] == [first.feature, "selected", "0.050"]
    assert [name, "not selected", "0.069"] in rows
    assert f"because {name} adds no significant information (adjusted p = 0.069)." in text_of(halted)
    assert "0.045" not in text_of(halted, show=print_all)
    assert "<td>0.069</td>" in halted._repr_html_()


def test_numbers_of_steps_are_printed_on_demand(calibrated):
    shown = text_of(calibrated)
    assert not re.search("nats|statistic|threshold|neighbours|permutations|0.0325", shown)
    assert shown.endswith("60 rows, alpha = 0.05, seed 0; --verbose shows the evidence of each step")


def test_an_estimate_that_falls_is_explained(calibrated):
    def with_nats(*values):
        steps = [replace(calibrated.steps[0], information=value) for value in values]
        return replace(calibrated, steps=tuple(steps))

    assert "negative; the test allows for that." in text_of(with_nats(0.881, 0.625), show=print_all)
    assert "allows for that" not in text_of(with_nats(0.625, 0.881, 0.88099), show=print_all)
    assert "allows for that" not in text_of(with_nats(0.881, 0.625))
    assert "allows for that" not in text_of(replace(with_nats(0.881, 0.625), conditional=False), show=print_all)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_caption_explains_the_columns_there_are(calibrated, published, width):
    has_statistic = "statistic" in table_of(calibrated, width)[0]
    assert ("statistic: how far above surrogates" in text_of(calibrated, width, print_all)) == has_statistic
    assert "statistic" not in text_of(published, width, print_all)


def test_columns_make_room_for_names(calibrated):
    name = "mean temperature"
    named = replace(calibrated, steps=(replace(calibrated.steps[0], feature=name), *calibrated.steps[1:]))
    assert any(name in row for row in table_of(named, 80))
    assert "step" not in table_of(named, 80)[0]
    assert "step" in table_of(calibrated, 80)[0]


def test_what_the_numbers_rest_on(calibrated, published):
    first, *others = calibrated.steps
    longer = replace(calibrated, steps=(replace(first, n_permutations=4999), *others))
    assert text_of(longer, show=print_all).endswith(
        "60 rows, 10 and 15 neighbours, 999 to 4,999 permutations per step, "
        f"alpha = 0.05 ({levels(0.05, calibrated.alpha_shares)}), seed 0"
    )
    how = f"60 rows, {published.n_neighbors} neighbours (chosen by {published.neighbors.feature}), "
    assert f"{how}59 permutations per step, alpha = 0.05, seed 0" in text_of(published, show=print_all)
    assert CAUTION in text_of(published)
    assert CAUTION not in text_of(calibrated)


def test_the_numbers_are_those_that_are_stored(calibrated):
    other = replace(calibrated, criterion_values=(3, 5), alpha_shares=(("singles", 0.5), ("triples", 0.25)))
    text = text_of(Selection.from_json(other.to_json()), show=print_all)
    assert "3 and 5 neighbours" in text
    assert "alpha = 0.05 (0.025 for singles, 0.0125 for triples)" in text


def test_what_was_replaced_and_removed_is_said(calibrated):
    first = calibrated.steps[0]
    selection = replace(
        calibrated,
        steps=(first, *(replace(first, feature=name, columns=(i,)) for i, name in enumerate("ab"))),
        replacements=(Replacement("e", ("a", "b"), 0.01),),
        removals=(Removal(("d",), 0.4),),
    )
    text = text_of(selection)
    assert "e replaced a and b: it is as informative as both." in text
    assert "Removed, since the others carry the same information: d." in text
    assert [row[-1] for row in table_of(selection, 100)[1:]] == ["removed", "removed", "removed"]


def test_verdicts_are_listed(calibrated):
    rows = {feature: cells for feature, *cells in verdicts_of(calibrated)}
    assert list(rows)[: len(calibrated.names)] == list(calibrated.names)
    for said in calibrated.verdicts:
        with_carriers = [f"with {', '.join(said.redundant_with)}"] if said.redundant_with else []
        if said.verdict != "selected":
            assert rows[said.feature] == [said.verdict, probability(said.p_value), *with_carriers]


def test_sizes_and_shapes_are_beside_selected_features(calibrated):
    rows = {feature: cells for feature, *cells in verdicts_of(calibrated)}
    assert len(calibrated.importance) == len(calibrated.names)
    for size in calibrated.importance:
        shown = " ".join(rows[size.feature])
        (curve,) = (one for one in calibrated.effects.curves if one.feature == size.feature)
        assert f"{size_in_words(size)} " in shown
        assert shown.endswith(curve.shape)
    assert "Size: the share of the variance of yield that the other selected features do not explain" in text_of(
        calibrated
    )
    without = text_of(replace(calibrated, effects=None))
    assert "Size" not in without
    assert "%" not in " ".join(verdicts_of(replace(calibrated, effects=None))[0])


def test_what_verdicts_do_not_say(calibrated):
    said = [Verdict(name, verdict, 0.4) for name, verdict in zip("fgh", OTHER_VERDICTS, strict=True)]
    few = replace(
        calibrated,
        feature_names=(*calibrated.feature_names, "g", "h"),
        information_alone=np.zeros(8),
        verdicts=(replace(said[0], redundant_with=("d",)), *said[1:]),
        smallest_detectable_correlation=0.617,
    )
    rows = [["f", "redundant", "0.400", "with d"], ["g", "undecided", "0.400"], ["h", "not shown", "0.400"]]
    assert [row for row in verdicts_of(few) if row[0] in "fgh"] == rows
    text = text_of(few)
    meant = "; ".join(f"{name}: {VERDICTS[name][1]}" for name in OTHER_VERDICTS)
    assert f"R{meant[1:]}. With 60 rows and 6 features, a feature had to have a rank correlation of" in text
    assert "To list every informative feature, redundant ones too: --search filter." in text
    assert "--search filter" not in text_of(replace(few, verdicts=tuple(said[1:])))


def test_of_many_features_the_first_are_shown_and_the_others_counted(calibrated):
    many = not_shown(calibrated, *[(0.2 + i / 100, 0.1) for i in range(60)])
    rows = verdicts_of(many)
    assert [row[0] for row in rows if row[1] == "not shown"] == [f"x{i}" for i in range(8)]
    assert "And 52 more not shown and 1 more not selected; a report (--report FILE) has all." in text_of(many)


def not_shown(selection, *p_values):
    """A selection with nothing but features not shown, of given adjusted and unadjusted p-values."""
    said = (
        Verdict(f"x{i}", "not shown", *both[:1], unadjusted_p_value=both[1], n_candidates=len(p_values))
        for i, both in enumerate(p_values)
    )
    names = tuple(f"x{i}" for i in range(len(p_values)))
    alone = np.zeros(len(selection.feature_names) + len(names))
    names = (*selection.feature_names, *names)
    return replace(selection, verdicts=tuple(said), feature_names=names, information_alone=alone)


def test_features_not_shown_come_by_their_p_values(calibrated):
    rows = verdicts_of(not_shown(calibrated, (0.9, 0.2), (0.21, 0.008), (0.9, 0.04)))
    shown = [row for row in rows if row[1] == "not shown"]
    assert [(row[0], row[2]) for row in shown] == [("x1", "0.210"), ("x2", "0.900"), ("x0", "0.900")]


def test_small_unadjusted_p_values_are_explained(calibrated):
    said = limits(not_shown(calibrated, *[(0.21, 0.008), (0.9, 0.04)], *[(1.0, 0.5)] * 28))[-1]
    assert said == (
        "Verdicts rest on p-values adjusted for 30 features. Unadjusted, as if each were the only one, 2 of the "
        "30 features not shown have p at most 0.05; chance alone gives about 1.5."
    )
    one = unadjusted(not_shown(calibrated, (0.21, 0.008), *[(1.0, 0.5)] * 399))[0]
    assert one.endswith("1 of the 400 features not shown has p at most 0.05; chance alone gives about 20.")
    assert unadjusted(not_shown(calibrated, (0.9, 0.2))) == []
    assert all(sentence in text_of(calibrated, show=print_all) for sentence in limits(calibrated))


def test_the_power_is_said_where_it_is_small_or_nothing_was_found(calibrated, published):
    few = replace(calibrated, smallest_detectable_correlation=0.617)
    sentence = (
        "With 60 rows and 6 features, a feature had to have a rank correlation of about 0.62 with yield to be "
        "detected in 8 of 10 such tables."
    )
    assert power(few) == [sentence]
    assert sentence in text_of(few)
    many = replace(calibrated, smallest_detectable_correlation=0.1)
    assert power(many) == []
    assert "about 0.10" in power(replace(many, steps=many.steps[-1:]))[0]
    assert power(published) == power(replace(few, smallest_detectable_correlation=None)) == []
    assert power(replace(few, steps=())) == []
    assert "of more than 0.95 with" in power(replace(few, smallest_detectable_correlation=0.98))[0]
    assert "With 40 rows and" in power(replace(few, n_rows_tested=40))[0]
    kept = replace(few.settings, keep=("a",))
    assert "with yield, conditional on those kept, to be detected" in power(replace(few, settings=kept))[0]
    assert "with yield to be" in power(replace(few, n_classes=(2,)))[0]
    assert "with one of the classes to be" in power(replace(few, n_classes=(3,), target_kinds=("3 classes",)))[0]
    scores = replace(few, n_classes=(3,), target_kinds=("3 whole numbers, as numbers and as classes",))
    assert "with yield to be" in power(scores)[0]
    assert "with one of the targets to be" in power(replace(few, n_classes=(None, None)))[0]


def test_nothing_tested_and_a_partial_run(calibrated):
    nothing_tested = selection("untested")
    text = text_of(nothing_tested, show=print_all)
    assert text.startswith("None of the 2 features could be tested, so nothing can be said about the target.")
    shares = levels(0.05, nothing_tested.alpha_shares)
    assert "neighbour" not in text.replace(shares, "")  # a share of alpha, not a number of them
    partial = replace(calibrated, ended_by=TIME_LIMIT, verdicts=())
    assert text_of(partial).startswith(f"So far, {len(partial.names)} of 6 features selected for yield")
    assert "The search stopped because the time limit came before it was done." in text_of(partial)
    assert text_of(replace(partial, steps=())).startswith("The run ended before any feature was tested for yield.")


# Runs with and without row groups differ in one line: they alternate.
@pytest.mark.parametrize(
    ("options", "groups", "answer"),
    [
        ({}, None, "2 of 4 features selected for the target: x3"),
        ({"method": "published"}, ROW_GROUPS, "2 of 4 features selected for the target: x3"),
        (
            {"method": "published", "n_folds": 5, "t_threshold": 1.0, "max_neighbors": 5},
            None,
            "2 of 4 features selected",
        ),
        ({"n_neighbors": 4, "n_permutations": 99, "null": "shuffle"}, ROW_GROUPS, "2 of 4 features selected"),
        (
            {"keep": ["x3"], "ignore": ["x2"]},
            None,
            "Conditional on x3, 1 of 3 features selected for the target: x",
        ),
        (
            {"keep": ["x0", "x1", "x2", "x3"]},
            ROW_GROUPS,
            "All features are kept from the start, so there is none to select",
        ),
        ({"feature_groups": {"both": ["x0", "x3"]}}, None, "features selected for the target: both (x0, x3)"),
    ],
)
def test_every_run_is_printed(options, groups, answer):
    X, y = friedman(0, n=60)
    selector = make_selector(**{"max_features": 2, "random_state": 0, **options})
    selection = selector.fit(X[:, :4], y, groups=groups).selection_
    for width in (50, 120):
        text = printed(print_all, selection, width=width)
        assert answer in " ".join(text.split())
        assert max(map(cell_len, text.splitlines())) <= width
        assert ("60 rows in 20 groups" in " ".join(text.split())) == (groups is not None)
        assert "neighbour" in text or not selection.steps


def test_a_choice_of_the_number_of_neighbours():
    X, y = friedman(0, n=60)
    choice = choose_n_neighbors(X[:, :4], y, random_state=0)
    text = printed(print_choice, choice)
    assert text.startswith(f"{choice.n_neighbors} neighbours: this number separates {choice.feature} best from")
    assert all(f"{t:.2f}" in text for t in np.nanmax(choice.t, axis=0))
    one = replace(choice, n_neighbors=1)
    assert printed(print_choice, one).startswith("1 neighbour: this number")


def test_a_single_test():
    X, y = friedman(0, n=60)
    found = permutation_test(X[:, 3], y, random_state=0)
    text = printed(print_test, found, "x3", ["x0", "x1"], "yield")
    assert text.startswith("In a single test, x3 is significantly informative about yield, conditional on x0, x1.")
    assert f"{found.information:.4f} nats" in text
    assert f"{found.information_threshold:.4f} nats" in text
    assert f"{found.p_value:.3f} (" in text
    assert "that of a single test of this feature, not adjusted for the number of features" in " ".join(
        text.split()
    )
    assert "of 100 irrelevant ones, about 5 pass at alpha = 0.05" in " ".join(text.split())
    nothing = printed(print_test, replace(found, p_value=0.4), "x3", [], "yield")
    assert nothing.startswith("In a single test, x3 is not significantly informative about yield.")


@pytest.fixture(scope="module")
def with_redundant():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=200)
    y = 2 * X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=200)
    return make_selector(random_state=0).fit(X, y).selection_


def test_bars_are_as_long_as_the_information_and_have_the_verdicts(with_redundant):
    title, *lines = printed(print_bars, with_redundant, width=100).splitlines()
    assert title == "Information of each feature alone, in nats"
    names = [line.split()[0] for line in lines]
    assert names[: len(with_redundant.names)] == list(with_redundant.names)
    assert sorted(names) == sorted(with_redundant.feature_names)
    information = np.nan_to_num(with_redundant.information_alone)
    alone = dict(zip(with_redundant.feature_names, information, strict=True))
    lengths = {line.split()[0]: line.count("█") for line in lines}
    most = max(alone.values())
    for name, length in lengths.items():
        assert abs(length - 30 * max(0.0, alone[name]) / most) <= 1
    assert any("redundant with x0" in line for line in lines)
    assert all(len(line) <= 60 for line in printed(print_bars, with_redundant, width=60).splitlines())


@pytest.fixture(scope="module")
def check():
    return odd_results()[1]


@pytest.fixture(scope="module")
def stability():
    group = Substitutes(features=(ODD[0], ODD[1]), frequency=0.75)
    frequencies = np.array([0.5, 0.25, 0.0, 0.8, 0.125, 1.0])
    return replace(odd_results()[2], frequencies=frequencies, groups=(group,))


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_terminal_shows_a_line_for_each_subset(check, width):
    lines = printed(print_comparison, check, width=width).splitlines()
    for one in check.subsets:
        name = one.subset.partition("_")[0] if width == 40 else name_of_subset(one.subset)  # the rest is below
        row = next(line for line in lines if f"│ {name} " in line)
        assert signed(f"{one.mean:.3f} ± {one.spread:.3f}") in row
        if width == 100 and one.subset != "all":
            assert f"± {one.standard_error:.3f}" in row
    assert all(len(line) <= width for line in lines if "│" in line)
    assert check.summary in " ".join(printed(print_comparison, check, width=2000).split("\n"))


def test_brackets_in_the_name_of_a_measure_are_no_markup(check):
    assert " [/b] " in printed(print_comparison, replace(check, measure="[/b]"))


@pytest.mark.parametrize("width", [40, 60, 150])
def test_a_terminal_shows_a_line_for_each_feature_that_is_ever_selected(stability, width):
    lines = printed(print_stability, stability, width=width).splitlines()
    row = next(line for line in lines if line.startswith("│ plain "))
    assert " 100 % " in row
    assert "at most" in row
    assert all(len(line) <= width for line in lines if "│" in line)
    assert stability.summary in " ".join(printed(print_stability, stability, width=2000).split("\n"))
    assert "🧪" not in printed(print_stability, stability, width=100)


def test_features_that_replace_each_other_are_named(stability):
    (row,) = [
        line for line in printed(print_stability, stability, width=200).splitlines() if line.startswith("│ \"&'")
    ]
    assert ODD[0] in row
    assert "replaced by" not in printed(print_stability, replace(stability, groups=()), width=100)


def test_many_features_are_summed_up(stability):
    names = tuple(f"x{i}" for i in range(40))
    many = replace(stability, feature_names=names, frequencies=np.arange(40, 0, -1) / 50, groups=())
    assert "│ x19 " in printed(print_stability, many, width=100)
    assert "│ x20 " not in printed(print_stability, many, width=100)
    assert "20 more features in 40 % or less." in printed(print_stability, many, width=100)
