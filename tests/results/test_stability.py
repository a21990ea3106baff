"""Frequencies over half-samples, and the bound on those that chance gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from infosift import InputError, MutualInfoSelector, selection_stability
from infosift.results import Stability, Substitutes
from infosift.results.resampled import chance_bound, on_grid


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


@pytest.mark.parametrize(
    ("threshold", "n_pairs", "q", "p", "published"),
    [(0.75, 50, 2, 9, 0.454), (0.8, 50, 20, 88, 3.743316)],
)
def test_values_that_the_r_package_stabs_prints(threshold, n_pairs, q, p, published):
    assert chance_bound(threshold, n_pairs, q, p) == pytest.approx(published, abs=5e-4)


def test_without_an_assumption_it_is_theorem_1():
    # With q selected of p, θ = q / p: θ q / (2 τ - 1).
    assert chance_bound(0.9, 50, 50, 1000, "none") == pytest.approx(50 * 50 / 1000 / 0.8)
    assert chance_bound(0.6, 50, 50, 1000, "none") == pytest.approx(12.5)


def largest_tail(n_pairs, mean, least):
    """The largest probability of a share of at least ``least`` pairs, over all unimodal shares of a mean."""
    shares = np.arange(n_pairs + 1)
    largest = 0.0
    for mode in range(n_pairs + 1):
        rises = np.diff(np.eye(n_pairs + 1), axis=0)
        rises[:mode] *= -1
        solved = linprog(
            -(shares >= least).astype(float),
            A_ub=np.vstack([rises, shares / n_pairs]),
            b_ub=np.append(np.zeros(n_pairs), mean),
            A_eq=np.ones((1, n_pairs + 1)),
            b_eq=[1.0],
            bounds=(0, None),
        )
        largest = max(largest, -solved.fun if solved.success else 0.0)
    return largest


@pytest.mark.parametrize("n_pairs", [8, 25])
@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("threshold", [0.62, 0.7, 0.76, 0.9, 1.0])
def test_no_unimodal_distribution_goes_beyond_theorem_2(n_pairs, share, threshold):
    # A feature selected with probability θ is in both halves of a pair with θ², and Π̃ ≥ 2 Π̂ - 1.
    frequency = on_grid(threshold, n_pairs)
    least = round(2 * n_pairs * frequency) - n_pairs
    worst = largest_tail(n_pairs, share**2, least)
    bound = chance_bound(threshold, n_pairs, 100 * share, 100) / 100
    assert worst <= bound + 1e-9
    if frequency > 0.75 and share == 0.1:
        assert bound < 1.5 * worst


@pytest.mark.parametrize("threshold", [0.6, 0.75, 0.9])
def test_a_selection_by_chance_keeps_to_the_bound(threshold):
    # The three columns with the largest correlation with noise: each of twenty is selected with 3 / 20, so all are
    # of low probability, and the bound is on the number of all that reach the threshold.
    rng = np.random.default_rng(0)
    n, p, q, n_pairs, reach = 40, 20, 3, 10, []
    for _ in range(400):
        X, y = rng.normal(size=(n, p)), rng.normal(size=n)
        counts = np.zeros(p)
        for _ in range(n_pairs):
            order = rng.permutation(n)
            for half in (order[: n // 2], order[n // 2 :]):
                scores = np.abs((X[half] - X[half].mean(axis=0)).T @ (y[half] - y[half].mean()))
                counts[np.argsort(-scores / X[half].std(axis=0))[:q]] += 1
        reach.append(np.sum(counts / (2 * n_pairs) >= threshold - 1e-9))
    error = np.std(reach) / np.sqrt(len(reach))
    assert np.mean(reach) - 3 * error <= chance_bound(threshold, n_pairs, q, p)
    assert chance_bound(threshold, n_pairs, q, p) < chance_bound(threshold, n_pairs, q, p, "none")
    if threshold == 0.6:
        assert np.mean(reach) > 0.05  # so that the simulation could refute it


def test_what_cannot_be_bounded():
    for threshold in (0.5, 1.01, "0.9", True, float("nan")):
        with pytest.raises(InputError, match=r"threshold must be a frequency above 0\.5 and at most 1"):
            chance_bound(threshold, 10, 2, 10)
    with pytest.raises(InputError, match="assumption must be one of unimodal, none"):
        chance_bound(0.9, 10, 2, 10, "r-concave")
    assert chance_bound(0.9, 10, 0, 0) == 0
    assert chance_bound(0.51, 2, 1, 100) <= 1 / 0.51


def test_the_bound_falls_with_the_threshold():
    for q, p in ((1, 10), (4, 10), (8, 10)):
        bounds = [chance_bound(threshold, 25, q, p) for threshold in np.arange(26, 51) / 50]
        assert np.all(np.diff(bounds) <= 1e-12)
        assert all(bound <= q / 0.52 for bound in bounds)
