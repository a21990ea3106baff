"""The bound of Shah and Samworth: published values, the worst distributions, and a selection by chance."""

import numpy as np
import pytest
from scipy.optimize import linprog

from infosift import InputError
from infosift.results.stability import chance_bound, on_grid


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
