"""What scikit-learn's own tests of mutual information ask, asked of score_candidates, and where we differ."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from infosift import InputError, mutual_information, score_candidates

FIVE_ROWS = np.array([[0, 0, 0], [1, 1, 0], [2, 0, 1], [2, 0, 1], [2, 0, 1]])
THREE_CLASSES = np.array([0, 1, 2, 2, 1])


def test_two_discrete_columns_by_hand():
    x, y = np.array([0, 1, 1, 0, 0]), np.array([1, 0, 0, 0, 1])
    of_one = -(3 / 5) * np.log(3 / 5) - (2 / 5) * np.log(2 / 5)
    of_both = -1 / 5 * np.log(1 / 5) - 4 / 5 * np.log(2 / 5)
    ours = mutual_information(x, y, criterion="histogram", discrete_features=True, discrete_target=True)
    assert ours == pytest.approx(2 * of_one - of_both, abs=1e-12)


@pytest.mark.parametrize("n_neighbors", [3, 5, 7])
def test_two_gaussians_of_unlike_spread(n_neighbors):
    covariance = [[1, 5], [5, 100]]
    Z = np.random.RandomState(0).multivariate_normal([0, 0], covariance, size=1000)
    truth = np.log(10) - np.log(np.linalg.det(covariance)) / 2
    ours = mutual_information(Z[:, 0], Z[:, 1], n_neighbors=n_neighbors)
    theirs = mutual_info_regression(Z[:, :1], Z[:, 1], n_neighbors=n_neighbors, random_state=0)[0]
    assert ours == pytest.approx(truth, abs=0.03)  # two standard deviations at 1,000 rows
    assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("n_neighbors", [3, 5, 7])
def test_a_yes_or_no_and_a_uniform(share, n_neighbors):
    rng = np.random.RandomState(0)
    x = rng.uniform(size=1000) > share
    y = np.where(x, rng.uniform(0, 2, size=1000), rng.uniform(-1, 1, size=1000))
    ends = (1 - share) * np.log(0.5 * (1 - share)) + share * np.log(0.5 * share) + np.log(0.5)
    assert mutual_information(x, y, n_neighbors=n_neighbors) == pytest.approx(-0.5 * ends - np.log(2), rel=0.12)


def test_a_label_of_one_row_hardly_matters():
    # Scikit-learn drops such a row. Here it has no neighbour of its class, and adds nothing itself.
    rng = np.random.default_rng(0)
    x = rng.uniform(size=100) > 0.5
    y = np.where(x, rng.uniform(0, 2, size=100), rng.uniform(-1, 1, size=100))
    labels = np.append(np.where(x, "yes", "no"), "other")
    with_other = mutual_information(labels, np.append(y, 10.0))
    assert with_other == pytest.approx(mutual_information(x, y), abs=0.02)


@pytest.mark.parametrize("criterion", [None, "histogram"])
def test_five_rows_of_three_classes(criterion):
    scores = score_candidates(
        FIVE_ROWS, THREE_CLASSES, discrete_features=True, discrete_target=True, criterion=criterion
    )
    assert np.argsort(-scores).tolist() == [0, 2, 1]
    theirs = mutual_info_classif(FIVE_ROWS, THREE_CLASSES, discrete_features=True)
    if criterion == "histogram":
        np.testing.assert_allclose(scores, theirs, atol=1e-12)


@pytest.mark.parametrize("criterion", [None, "ksg2", "histogram", "delta", "gamma", "neighbor-error", "quadratic"])
def test_five_rows_of_numbers(criterion):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    assert np.isfinite(score_candidates(X, y, criterion=criterion)).all()


def test_as_many_neighbours_as_few_rows_allow():
    rng = np.random.default_rng(0)
    for n, expected in ((3, 1), (5, 3), (7, 5), (8, 6), (50, 6)):
        x, y = rng.normal(size=(2, n))
        assert mutual_information(x, y) == mutual_information(x, y, n_neighbors=expected)
        with pytest.raises(InputError, match=f"n_neighbors={n - 1} needs at least {n + 1} rows"):
            mutual_information(x, y, n_neighbors=n - 1)
    with pytest.raises(InputError, match="needs at least 3 rows"):
        mutual_information([1.0, 2.0], [1.0, 3.0])


def test_the_order_of_correlated_features():
    T = np.array([[1, 0.5, 2, 1], [0, 1, 0.1, 0.0], [0, 0.1, 1, 0.1], [0, 0.1, 0.1, 1]])
    Z = np.random.RandomState(0).multivariate_normal(np.zeros(4), T @ T.T, size=1000)
    for criterion in ("ksg", "ksg2", "histogram", "kernel-density", "gaussian-copula", "series", "quadratic"):
        assert np.argsort(-score_candidates(Z[:, 1:], Z[:, 0], criterion=criterion)).tolist() == [1, 2, 0]


def test_numbers_and_a_discrete_feature_about_classes():
    rng = np.random.RandomState(0)
    X = rng.rand(1000, 3)
    X[:, 1] += X[:, 0]
    y = (0.5 * X[:, 0] + X[:, 2] > 0.5).astype(int)
    X[:, 2] = X[:, 2] > 0.5
    scores = {k: score_candidates(X, y, discrete_features=[2], n_neighbors=k) for k in (3, 5, 7, 9)}
    assert np.argsort(-scores[3]).tolist() == [2, 0, 1]
    # Without numbers there are no neighbours to count.
    np.testing.assert_allclose([of_k[2] for of_k in scores.values()], scores[3][2], rtol=0, atol=1e-12)
    theirs = mutual_info_classif(X, y, discrete_features=[2], n_neighbors=3, random_state=0)
    np.testing.assert_allclose(scores[3], theirs, atol=0.03)


def test_ways_to_say_what_is_discrete():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 3)), rng.normal(size=60)
    mask, places = (score_candidates(X, y, discrete_features=asked) for asked in ([True, False, True], [0, 2]))
    np.testing.assert_array_equal(mask, places)
    np.testing.assert_array_equal(score_candidates(X, y), score_candidates(X, y, discrete_features=False))
    assert not np.allclose(score_candidates(X, y), score_candidates(X, y, discrete_features=True))
    for wrong in ("manual", [True, False, True, False], [1, 4]):
        with pytest.raises(InputError):
            score_candidates(X, y, discrete_features=wrong)


@pytest.mark.parametrize("criterion", ["ksg", "histogram", "kernel-density", "quadratic"])
@pytest.mark.parametrize("correlated", [True, False])
def test_features_and_target_can_change_places(correlated, criterion):
    rng = np.random.default_rng(1)
    d = rng.integers(5, size=150)
    c = d + 0.5 * rng.normal(size=150) if correlated else rng.normal(size=150)
    labels = np.array(list("abcde"))[d]
    one, other = (mutual_information(*pair, criterion=criterion) for pair in ((c, labels), (labels, c)))
    assert one == pytest.approx(other, abs=1e-9)


def test_integers_are_numbers_all_the_same():
    rng = np.random.default_rng(0)
    X, y = rng.integers(100, size=(100, 4)), rng.integers(100, size=100)
    np.testing.assert_array_equal(score_candidates(X, y), score_candidates(X.astype(float), y.astype(float)))


@pytest.mark.parametrize("make", [make_regression, make_classification])
def test_threads_make_no_difference(make):
    X, y = make(random_state=0)
    for criterion in (None, "neighbor-error", "kernel-density"):
        one, two = (score_candidates(X, y, criterion=criterion, n_jobs=n) for n in (1, 2))
        np.testing.assert_array_equal(one, two)


def test_where_we_differ_on_purpose():
    rng = np.random.default_rng(5)
    C, y = rng.normal(size=(100, 30)), rng.normal(size=100)
    ours, theirs = score_candidates(C, y, n_neighbors=3), mutual_info_regression(C, y, random_state=0)
    assert (ours < 0).any()
    assert (theirs >= 0).all()
    # Units matter to neither: both scale to unit variance.
    other_unit = mutual_info_regression(C, 1e6 * y, random_state=0)
    np.testing.assert_allclose(other_unit, theirs, atol=1e-6)
    np.testing.assert_allclose(score_candidates(C, 1e6 * y, n_neighbors=3), ours, atol=1e-6)
