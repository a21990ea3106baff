"""The heat map of redundant features: what the steps store of them, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from infosift import InputError, MutualInfoSelector, Selection
from infosift.display.plots import RedundancyDisplay
from infosift.results import Removal, Verdict
from infosift.results.path import candidate_ranks
from samples import small_selection


@pytest.fixture(scope="module")
def selection():
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
            Verdict("f", "irrelevant", 0.5),
        ),
    )


def drawn(display):
    display.plot()
    display.figure_.draw_without_rendering()
    return display


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_a_cell_is_what_was_lost_as_a_feature_was_added(selection):
    display = drawn(selection.plot("redundancy"))
    assert isinstance(display, RedundancyDisplay)
    assert (display.names, display.explained_by) == (("c", "d", "e"), ("a", "b"))
    np.testing.assert_allclose(display.shares, [[0.5, 0.5], [-0.25, 1.0], [np.nan, np.nan]])
    assert display.carried.tolist() == [[True, True], [False, True], [True, False]]
    assert texts(display) == ["50", "50", "−25", "100"]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["carries its information", "no statistic stored"]
    assert drawn(RedundancyDisplay.from_selection(Selection.from_json(selection.to_json()))).names == display.names


def test_what_is_not_stored_is_left_blank(selection):
    without = replace(selection.steps[2], candidate_statistics=np.empty(0))
    last_missing = RedundancyDisplay.from_selection(replace(selection, steps=(*selection.steps[:2], without)))
    np.testing.assert_allclose(last_missing.shares[:2], [[0.5, np.nan], [-0.25, np.nan]])
    cut = RedundancyDisplay.from_selection(replace(selection, steps=selection.steps[:2]))
    assert np.isnan(cut.shares[:, 1]).all()
    removal = replace(selection.steps[2], action="remove", feature="a", columns=(0,))
    stepped = (*selection.steps[:2], replace(removal, accepted=False), selection.steps[2])
    assert np.isnan(RedundancyDisplay.from_selection(replace(selection, steps=stepped)).shares[:, 1]).all()
    assert "no statistic stored" in [text.get_text() for text in drawn(cut).figure_.legends[0].get_texts()]


def test_features_that_stayed_are_columns_whoever_added_them(selection):
    kept = replace(selection, settings=replace(selection.settings, keep=("f",)))
    assert RedundancyDisplay.from_selection(kept).explained_by == ("f", "a", "b")
    assert np.isnan(RedundancyDisplay.from_selection(kept).shares[:, 0]).all()
    removed = replace(selection, removals=(Removal(("a",), 0.4),))
    assert RedundancyDisplay.from_selection(removed).explained_by == ("b",)
    pair = replace(selection.steps[1], feature="b + f", columns=(1, 5))
    as_pair = replace(selection, steps=(selection.steps[0], pair, selection.steps[2]))
    display = RedundancyDisplay.from_selection(as_pair)
    assert display.explained_by == ("a", "b + f")
    np.testing.assert_allclose(display.shares[0], [0.5, 0.5])
    assert display.carried[1].tolist() == [False, True]


def test_rows_stand_together_where_the_same_feature_carries_them(selection):
    carriers = {"c": ("b",), "d": ("a",), "e": ("b",)}
    verdicts = tuple(
        replace(said, redundant_with=carriers[said.feature]) if said.feature in carriers else said
        for said in selection.verdicts
    )
    display = drawn(RedundancyDisplay.from_selection(replace(selection, verdicts=verdicts)))
    assert display.names == ("c", "d", "e")
    assert list(display.rows.values()) == [("d",), ("c",), ("e",)]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["d", "c", "e"]
    assert display.columns == {0: ("a",), 1: ("b",)}


def test_of_many_the_strongest_are_drawn_and_the_others_counted():
    names = tuple(f"x{i}" for i in range(60))
    display = RedundancyDisplay(names, tuple("abc") * 10, np.zeros((60, 30)), np.ones((60, 30), dtype=bool))
    labels = [label.get_text() for label in drawn(display).ax_.get_yticklabels()]
    assert labels == [*names[:40], "and 20 more"]
    assert display.rows[40] == names[40:]
    assert "the first 20, of 30" in display.ax_.get_xlabel()


def test_nothing_redundant_is_nothing_to_draw(selection):
    for changed in (replace(selection, verdicts=()), replace(selection, steps=())):
        with pytest.raises(InputError, match="No feature was found to be redundant"):
            changed.plot("redundancy")


def test_it_is_drawn_on_given_axes(selection):
    ax = Figure(layout="constrained").subplots()
    assert selection.plot("redundancy", ax=ax).ax_ is ax


def test_how_candidates_stand(selection):
    found = candidate_ranks(selection)
    assert [(one.step, one.rank, one.n_candidates, one.score) for one in found["c"]] == [
        (1, 2, 6, 8.0),
        (2, 4, 5, 4.0),
        (3, 4, 4, 0.0),
    ]
    assert [one.rank for one in found["f"]] == [2, 3, 1]  # equal scores share a rank
    assert [one.rank for one in found["a"]] == [1]
    assert (found["c"][0].p_value, found["c"][0].unadjusted_p_value) == (0.02, 0.01)


def test_features_of_a_group_stand_together_and_the_published_method_has_no_p_values():
    X = np.random.default_rng(0).normal(size=(60, 4))
    selector = MutualInfoSelector(method="published", feature_groups={"both": ["x1", "x3"]}, random_state=0)
    found = candidate_ranks(selector.fit(X, X[:, 0] + 0.1 * X[:, 2]).selection_)
    assert found["x1"] == found["x3"]
    assert all(one.n_candidates <= 3 for listed in found.values() for one in listed)
    assert found["x0"][0].p_value is None
    assert found["x0"][0].rank == 1
