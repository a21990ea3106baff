"""Estimates of distributions whose mutual information is known in closed form."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, poisson
from sklearn.feature_selection import mutual_info_regression

from infosift import mutual_information, score_candidates
from infosift.data.prepare import to_unit_spread

N = 5000


@pytest.mark.parametrize("variant", [1, 2])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_two_correlated_gaussians(variant, correlation):
    # I = -log(1 - r^2) / 2.
    rng = np.random.default_rng(1)
    x, y = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=5000).T
    truth = -np.log(1 - correlation**2) / 2
    assert mutual_information(x, y, n_neighbors=6, variant=variant) == pytest.approx(truth, abs=0.03)


@pytest.mark.parametrize("variant", [1, 2])
def test_three_gaussians_against_two(variant):
    # I = log(det(Sxx) det(Syy) / det(S)) / 2; each y is one x plus noise, scaled to unit variance.
    covariance = np.eye(5)
    covariance[0, 3] = covariance[3, 0] = 0.6
    covariance[1, 4] = covariance[4, 1] = 0.5
    truth = -np.log(np.linalg.det(covariance)) / 2
    values = np.random.default_rng(2).multivariate_normal(np.zeros(5), covariance, size=5000)
    estimate = mutual_information(values[:, :3], values[:, 3:], n_neighbors=6, variant=variant)
    assert estimate == pytest.approx(truth, abs=0.03)


@pytest.mark.parametrize("variant", [1, 2])
def test_independent_features_have_mean_zero(variant):
    # Never clipped: half of the estimates of zero are negative.
    rng = np.random.default_rng(3)
    C, y = rng.normal(size=(200, 200)), rng.normal(size=200)
    scores = score_candidates(C, y, n_neighbors=6, variant=variant)
    assert abs(scores.mean()) < 0.005
    assert 0.3 < np.mean(scores < 0) < 0.7


@pytest.mark.parametrize("n_neighbors", [1, 3, 10])
def test_agrees_with_scikit_learn(n_neighbors):
    rng = np.random.default_rng(4)
    x = to_unit_spread(rng.normal(size=500))
    y = to_unit_spread(x**2 + rng.normal(size=500))
    ours = mutual_information(x, y, n_neighbors=n_neighbors)
    theirs = mutual_info_regression(x[:, None], y, n_neighbors=n_neighbors, random_state=0)[0]
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_agrees_with_scikit_learn_which_clips_at_zero():
    rng = np.random.default_rng(5)
    C, y = rng.normal(size=(300, 40)), rng.normal(size=300)
    ours = score_candidates(C, y, n_neighbors=3)
    theirs = mutual_info_regression(C, y, n_neighbors=3, random_state=0)
    assert (ours < 0).any()
    np.testing.assert_allclose(np.maximum(ours, 0), theirs, atol=1e-6)


def exact(joint):
    """Mutual information of a table of probabilities."""
    joint = joint[:, joint.sum(axis=0) > 0]
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float(np.sum(joint * np.log(joint / independent, out=np.zeros_like(joint), where=joint > 0)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (8, 4)])
def test_categories_against_the_exact_sum(shape, seed):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(shape[0] * shape[1], 0.3)).reshape(shape)
    rows, columns = np.unravel_index(rng.choice(joint.size, size=N, p=joint.ravel()), shape)
    x, y = np.array(list("abcdefgh"))[rows], np.array(list("stuvw"))[columns]
    assert mutual_information(x, y) == pytest.approx(exact(joint), abs=0.03)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("distance", [0.5, 1.0, 3.0])
def test_a_class_and_a_position_in_a_mixture_of_gaussians(distance, seed):
    rng = np.random.default_rng(seed)
    weights = np.array([0.5, 0.3, 0.2])
    label = rng.choice(3, size=N, p=weights)
    x = rng.normal(size=N) + distance * label
    grid = np.linspace(-10, 20, 30_001)
    joint = weights[:, None] * norm.pdf(grid - distance * np.arange(3)[:, None]) * (grid[1] - grid[0])
    assert mutual_information(x, np.array(["a", "b", "c"])[label]) == pytest.approx(exact(joint), abs=0.03)
    assert mutual_information(label, x, discrete_features=True) == pytest.approx(exact(joint), abs=0.03)
    # The order of the classes is no harm here, so taking them as numbers says the same.
    assert mutual_information(label, x) == pytest.approx(exact(joint), abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_an_integer_below_a_uniform(seed):
    # Gao, Kannan, Oh and Viswanath (2017).
    rng = np.random.default_rng(seed)
    x = rng.integers(5, size=N)
    y = x + 2 * rng.uniform(size=N)
    truth = np.log(5) - 4 / 5 * np.log(2)
    for discrete in ("auto", True):
        assert mutual_information(x, y, discrete_features=discrete) == pytest.approx(truth, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_a_zero_inflated_poisson_count(seed):
    # The same paper; integrated here, since the formula printed there takes all zeros for inflated.
    rng = np.random.default_rng(seed)
    rate = rng.exponential(size=N)
    count = np.where(rng.uniform(size=N) < 0.15, 0, rng.poisson(rate))
    grid = np.linspace(0, 40, 20_001)
    counts = np.arange(80)[:, None]
    weights = np.exp(-grid) * (grid[1] - grid[0])
    joint = (0.15 * (counts == 0) + 0.85 * poisson.pmf(counts, grid)) * weights / weights.sum()
    assert mutual_information(rate, count) == pytest.approx(exact(joint), abs=0.03)
    assert mutual_information(rate, count, discrete_target=True) == pytest.approx(exact(joint), abs=0.03)
    assert mutual_information(rate, count, discrete_target=False) == pytest.approx(exact(joint), abs=0.03)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [3, 6, 15])
def test_features_that_are_partly_discrete(seed, k):
    # The same paper: half of the rows are Gaussian, half lie on four points.
    rng = np.random.default_rng(seed)
    gaussian = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], N)
    points = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])[rng.choice(4, p=[0.45, 0.45, 0.05, 0.05], size=N)]
    x, y = np.where(rng.uniform(size=(N, 1)) < 0.5, gaussian, points).T
    truth = np.log(2) - 0.25 * np.log(1 - 0.81) + 0.45 * np.log(0.45 / 0.25) + 0.05 * np.log(0.05 / 0.25)
    assert mutual_information(x, y, n_neighbors=k) == pytest.approx(truth, abs=0.03)


def test_other_names_for_the_categories_change_no_bit():
    rng = np.random.default_rng(0)
    kind = rng.integers(6, size=200)
    y = np.array(["u", "v", "w"])[rng.integers(3, size=200)]
    given = rng.normal(size=200)
    names = np.array(["zebra", "ant", "cat", "dog", "bee", "cow"])
    for other in (names[kind], names[::-1][kind], pl.Series(names[kind], dtype=pl.Categorical)):
        for beside in (None, given):
            assert score_candidates(other, y, beside) == score_candidates(kind, y, beside, discrete_features=True)


def test_rare_classes_are_no_trouble():
    rng = np.random.default_rng(0)
    y = np.array(["common"] * 90 + ["rare"] * 4 + ["pair"] * 2 + ["single"] * 1)
    x = rng.normal(size=97) + 3.0 * (y == "rare")
    assert (
        mutual_information(x, y, n_neighbors=6) > mutual_information(rng.permutation(x), y, n_neighbors=6) + 0.05
    )
