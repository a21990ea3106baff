"""The record of a stability: frequencies, tables, words."""

from dataclasses import replace

import numpy as np
import pytest

from infosift import InputError, MutualInfoSelector, selection_stability
from infosift.results import Stability, Substitutes


@pytest.fixture(scope="module")
def measured():
    X = np.random.default_rng(0).normal(size=(80, 5))
    return selection_stability(MutualInfoSelector(max_features=1), X, X[:, 1], n_resamples=4)


@pytest.fixture(scope="module")
def stability(measured):
    """Twenty half-samples of five features, two of which replace each other."""
    selected = (("x1", "x0"), ("x1", "x3"), ("x1",), ("x1", "x0"), ("x2", "x1")) * 4
    counts = [sum(f"x{i}" in names for names in selected) for i in range(5)]
    return replace(
        measured,
        selected=selected,
        frequencies=np.array(counts) / 20,
        groups=(Substitutes(features=("x0", "x3"), frequency=0.6),),
        mean_selected=1.8,
    )


def test_frequencies_and_order(stability):
    assert stability.frequencies.tolist() == [0.4, 1.0, 0.2, 0.2, 0.0]
    assert stability.ranking == ("x1", "x0", "x2", "x3", "x4")
    assert (stability.n_resamples, stability.n_pairs) == (20, 10)
    assert stability.frequency("x2") == 0.2
    with pytest.raises(InputError, match='There is no feature "x9": give one of x0'):
        stability.frequency("x9")


def test_what_reaches_a_threshold(stability):
    assert stability.stable() == ("x1",)
    assert stability.stable(0.2) == ("x1", "x0", "x2", "x3")
    assert stability.stable_groups(0.6) == stability.groups
    assert stability.stable_groups(0.61) == ()
    for threshold in (0, 1.2, "high"):
        with pytest.raises(InputError, match="threshold must be a frequency above 0 and at most 1"):
            stability.stable(threshold)


def test_the_bound(stability):
    # q = 1.8 of p = 5 on 10 pairs: θ q = 0.648, by Theorem 1 over 2 · 0.9 - 1 = 0.8.
    assert stability.bound(0.9, assumption="none") == pytest.approx(0.648 / 0.8)
    assert stability.bound(0.9) == pytest.approx(0.648 * 4 * 0.15 / 1.1)
    with pytest.raises(InputError, match=r"threshold must be a frequency above 0\.5"):
        stability.bound(0.5)


def test_words(stability):
    assert stability.summary == (
        "x1 is selected in at least 75 % of 20 half-samples. By chance alone, at most 0.73 irrelevant features, "
        "here those selected no more often than one drawn at random, are expected to reach that share (Shah and "
        "Samworth 2013). x0 and x3 replace each other: one of them is selected in 60 %."
    )
    none = replace(stability, frequencies=np.zeros(5), groups=(), selected=((),) * 20, mean_selected=0.0)
    assert none.summary == "No feature is selected in at least 75 % of 20 half-samples."
    assert repr(none) == "Stability(nothing selected; 20 half-samples)"
    assert repr(stability).startswith("Stability(x1 1.00, x0 0.40,")


def test_many_groups_are_few_words(stability):
    of_three = Substitutes(features=("x0", "x3", "x4"), frequency=0.8)
    assert "x0, x3 and x4 replace each other: one" in replace(stability, groups=(of_three,)).summary
    of_many = Substitutes(features=tuple(f"x{i}" for i in range(30)), frequency=0.8)
    assert "x10, x11 and 18 more replace each other" in replace(stability, groups=(of_many,)).summary
    assert replace(stability, groups=(of_three,) * 5).summary.endswith("So do the features of 2 more groups.")


def test_what_is_kept_is_no_finding(stability):
    kept = replace(stability, settings=replace(stability.settings, keep=("x1",)))
    assert kept.summary.startswith("No feature is selected")
    assert kept.stable() == ("x1",)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_tables(stability, library):
    pytest.importorskip(library)
    assert str(stability.to_frame(library=library)["feature"][0]) == "x1"
    assert len(stability.to_frame("groups", library)) == 1
    assert len(stability.to_frame("half-samples", library)) == 20


def test_the_table_of_features(stability):
    features = stability.to_frame(library="polars")
    assert features["feature"].to_list() == list(stability.ranking)
    assert features["frequency"].to_list() == [1.0, 0.4, 0.2, 0.2, 0.0]
    assert features["bound"].to_list() == [stability.bound(1.0), None, None, None, None]
    assert features["group"].to_list() == ["", "x0, x3", "", "x0, x3", ""]
    halves = stability.to_frame("half-samples", "polars")
    assert halves["pair"].to_list() == [1 + number // 2 for number in range(20)]
    assert halves["selected"][0] == "x1, x0"
    with pytest.raises(InputError, match="table must be one of features, groups, half-samples"):
        stability.to_frame(table="folds")


def test_json(stability):
    assert Stability.from_json(stability.to_json()) == stability
    assert Substitutes.from_json(stability.groups[0].to_json()) == stability.groups[0]
