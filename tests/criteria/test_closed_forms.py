"""Estimates against information known in closed form, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_regression

from infosift import mutual_information, score_candidates
from infosift.data.prepare import to_unit_spread


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
