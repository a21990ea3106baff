"""The radial basis function network: what it fits, what it chooses, and scikit-learn's checks."""

import doctest
import warnings

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from infosift import InputError
from samples import friedman
from studies import rbfn
from studies.rbfn import RBFNRegressor


def test_the_example_of_the_docstring_runs():
    assert doctest.testmod(rbfn).failed == 0


def test_beats_a_linear_model_where_the_target_bends():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=400)
    model = RBFNRegressor(random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.95


def test_no_warning_on_ordinary_data_and_the_same_bits_under_a_seed():
    X, y = friedman(0, n=120)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once, again = (RBFNRegressor(random_state=7).fit(X, y).predict(X) for _ in range(2))
    np.testing.assert_array_equal(once, again)


def test_takes_the_smallest_cross_validated_error():
    X, y = friedman(1, n=80)
    model = RBFNRegressor((2, 5, 10), (1.0, 3.0), random_state=0).fit(X, y)
    assert model.cv_errors_.shape == (3, 2)
    i, j = np.unravel_index(model.cv_errors_.argmin(), (3, 2))
    assert (model.n_centers_, model.width_factor_) == ((2, 5, 10)[i], (1.0, 3.0)[j])


def test_the_cross_validated_error_is_that_of_fitting_each_fold():
    X, y = friedman(2, n=60)
    model = RBFNRegressor(4, 2.0, cv=3, random_state=0).fit(X, y)
    scaled = (X - X.mean(0)) / X.std(0)
    random = np.random.RandomState(0)
    folds = list(KFold(3, shuffle=True, random_state=random).split(X))
    seed = int(random.randint(2**31 - 1))
    from sklearn.cluster import KMeans

    squares = 0.0
    for train, test in folds:
        clusters = KMeans(4, n_init=1, random_state=seed).fit(scaled[train])

        def outputs(rows, clusters=clusters, train=train):
            columns = [np.ones(len(rows))]
            for number, center in enumerate(clusters.cluster_centers_):
                members = scaled[train][clusters.labels_ == number]
                spread = np.sqrt(np.mean(np.sum((members - center) ** 2, axis=1)))
                distance = np.linalg.norm(scaled[rows] - center, axis=1)
                columns.append(np.exp(-(distance**2) / (2 * (2.0 * spread) ** 2)))
            return np.column_stack(columns)

        weights = np.linalg.lstsq(outputs(train), y[train], rcond=None)[0]
        squares += np.sum((y[test] - outputs(test) @ weights) ** 2)
    assert model.cv_errors_[0, 0] == pytest.approx(np.sqrt(squares / len(y)))


def test_more_centres_than_rows_are_not_asked_for():
    X = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RBFNRegressor(50, random_state=0).fit(X, X[:, 0])
    assert model.n_centers_ == 4
    np.testing.assert_allclose(model.predict(X), X[:, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_centers": "few"}, 'n_centers must be "auto"'),
        ({"n_centers": 0}, "at least 1"),
        ({"width_factors": (1.0, -1.0)}, "width_factors must be positive"),
        ({"cv": 1}, "cv must be a number of folds"),
    ],
)
def test_refuses_bad_settings(options, message):
    with pytest.raises(InputError, match=message):
        RBFNRegressor(**options).fit(*friedman(0, n=40))


@parametrize_with_checks([RBFNRegressor(random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
