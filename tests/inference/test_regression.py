"""Regression on the subset: the closed form of leave-one-out against fitting again and again."""

import pickle

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from infosift._kernel import CATEGORY_GAP
from infosift.engines.threads import ThreadEngine
from infosift.inference import kernel_functions
from infosift.inference.regression import Smoother, expected_spread

ENGINE = ThreadEngine()
WIDTHS = (0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
FIRST_WIDTH = {1: 0, 2: 0, 3: 1, 4: 1, 5: 2}  # by columns: among many no row is near another


def slow_fit(gram, y, ridge, rows, asked):
    """Kernel ridge regression with an intercept, fitted to some rows and asked about another."""
    centre, among = np.eye(len(rows)) - 1 / len(rows), gram[np.ix_(rows, rows)]
    weights = np.linalg.solve(centre @ among @ centre + ridge * np.eye(len(rows)), centre @ y[rows])
    across = gram[asked, rows] - among.mean(axis=0)
    return y[rows].mean() + (across - across.mean()) @ weights


def slow_gram(X, width):
    apart = ((X[:, :, None] - X[:, None]) ** 2).sum(axis=0)
    return np.exp(-apart / (2 * len(X) * width**2))


@pytest.mark.parametrize(
    ("n_columns", "signal", "width"),
    [
        (2, lambda x: 3 * np.sin(2 * x), 1.0),
        (1, lambda x: np.sin(9 * x), 0.25),
        (5, lambda x: x, 8.0),
        (3, lambda x: 0 * x, None),
    ],
)
def test_each_row_is_predicted_from_the_others(n_columns, signal, width):
    # The closed form against fitting without each row in turn, over all choices; the mean is one of them.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, 25))
    y, rows = signal(X[0]) + 0.1 * rng.normal(size=25), np.arange(25)
    left = {(None, 0.0): np.array([y[i] - y[rows != i].mean() for i in rows])}
    for own in WIDTHS[FIRST_WIDTH[n_columns] :]:
        gram = slow_gram(X, own)
        for ridge in 25 * 10.0 ** (np.arange(-12, 0) / 2):
            left[own, ridge] = np.array([y[i] - slow_fit(gram, y, ridge, rows[rows != i], i) for i in rows])
    chosen, ridge = min(left, key=lambda choice: np.mean(left[choice] ** 2))
    assert chosen == width
    # What makes up less than 1e-8 of a kernel is left out.
    np.testing.assert_allclose(y - Smoother(X, ENGINE).predict(y), left[chosen, ridge], atol=3e-4)


def error_of(y, smoother):
    return np.mean((y - smoother.predict(y)) ** 2)


def test_widths_can_be_given():
    x = np.random.default_rng(0).normal(size=(1, 300))
    wide, narrow = (error_of(np.sin(6 * x[0]), Smoother(x, ENGINE, [width])) for width in (8.0, 0.25))
    assert narrow < 0.1 * wide
    assert error_of(np.sin(6 * x[0]), Smoother(x, ENGINE)) <= narrow


def test_many_rows_are_predicted_as_well_by_a_part_of_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 900))
    signal = np.sin(2 * X[0]) * X[1]
    y = signal + 0.3 * rng.normal(size=900)
    ours = Smoother(X, ENGINE).predict(y)
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5).fit(X.T, y).predict(X.T)
    assert np.std(ours - signal) < 1.3 * np.std(theirs - signal)


@pytest.mark.parametrize("n_rows", [80, 450, 5000])
def test_predictions_depend_on_nothing_else(n_rows):
    rng = np.random.default_rng(0)
    columns, subset = rng.normal(size=(4, n_rows)), rng.normal(size=(2, n_rows))
    columns += subset[0]
    together = [Smoother(subset, ENGINE).predict(column) for column in columns]
    for column, expected in zip(columns[::-1], together[::-1], strict=True):
        np.testing.assert_array_equal(Smoother(subset, ENGINE).predict(column), expected)


@pytest.mark.parametrize("n_rows", [400, 450, 5000])  # 450 are predicted by a part of them, 5000 in two parts
def test_what_is_sent_elsewhere_are_the_points_and_it_predicts_the_same_bits(n_rows):
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, n_rows)), rng.normal(size=(5, n_rows))
    columns += np.sin(3 * subset[0])
    smoother = Smoother(subset, ThreadEngine(2))
    for _ in range(2):
        sent = pickle.dumps(smoother)
        assert len(sent) < 10 * subset.nbytes
        expected, smoother = smoother.predict(columns), pickle.loads(sent)
        np.testing.assert_array_equal(smoother.predict(columns), expected)


def test_noise_is_predicted_by_its_mean_and_categories_by_their_groups():
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=300)
    y = np.array([-2.0, 0.0, 2.0])[group] + rng.normal(size=300)
    predicted = Smoother((1.0 + group[None]) * CATEGORY_GAP, ENGINE).predict(y)
    assert np.corrcoef(predicted, np.array([-2.0, 0.0, 2.0])[group])[0, 1] > 0.98
    assert np.std(Smoother(rng.normal(size=(1, 300)), ENGINE).predict(rng.normal(size=300))) < 0.3


def test_columns_in_a_block_are_predicted_as_one_by_one():
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, 120)), rng.normal(size=(7, 120))
    columns[:4] += np.sin(2 * subset[0])
    smoother = Smoother(subset, ENGINE)
    alone = np.stack([smoother.predict(column) for column in columns])
    np.testing.assert_allclose(smoother.predict(columns), alone, rtol=0, atol=1e-10)
    residuals = columns - alone
    spreads = np.concatenate([expected_spread(residuals[i : i + 1], smoother) for i in range(7)])
    np.testing.assert_allclose(expected_spread(residuals, smoother), spreads, rtol=1e-8)


def test_of_very_many_rows_some_choose_the_width_and_all_are_predicted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 5000))
    y = np.sin(3 * x[0]) + 0.2 * rng.normal(size=5000)
    assert np.std(Smoother(x, ENGINE).predict(y) - np.sin(3 * x[0])) < 0.05


def test_parts_of_a_long_table_predict_what_all_its_rows_at_once_do(monkeypatch):
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, 5000)), rng.normal(size=(6, 5000))
    columns[:3] += np.sin(3 * subset[0]) * subset[1]
    in_parts = Smoother(subset, ENGINE).predict(columns)
    monkeypatch.setattr(kernel_functions, "_MOST_IN_DOUBLE", 5000)
    at_once = Smoother(subset, ENGINE).predict(columns)
    assert np.abs(in_parts - at_once).max() < 1e-5 * columns.std()
    assert not np.array_equal(in_parts, at_once)  # single precision


def test_noise_of_one_spread_has_one_spread():
    rng = np.random.default_rng(0)
    smoother, noise = Smoother(rng.normal(size=(1, 150)), ENGINE), rng.normal(size=(100, 150))
    spreads = expected_spread(noise, smoother)
    constant = np.ptp(spreads, axis=1) < 1e-12
    assert constant.sum() >= 97  # 994 of 1,000 tables; 764 if there were no cost of a spread that varies
    np.testing.assert_allclose(spreads[constant, 0], np.abs(noise[constant]).mean(axis=1))


def test_a_spread_that_varies_strongly_is_followed():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=300), rng.normal(size=(10, 300))
    spreads = expected_spread(np.exp(x) * noise, Smoother(x[None], ENGINE))
    for spread in np.log(spreads):
        assert np.corrcoef(spread, x)[0, 1] > 0.9
        assert np.polyfit(x, spread, 1)[0] == pytest.approx(1, abs=0.3)


def test_what_is_on_its_prediction_has_a_spread_of_one():
    rng = np.random.default_rng(0)
    smoother = Smoother(rng.normal(size=(1, 60)), ENGINE)
    np.testing.assert_allclose(expected_spread(np.zeros((2, 60)), smoother), 1)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_gaps_are_predicted_as_the_known_rows_would_have_it(share):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    truth = np.stack([np.sin(2 * x), x])
    columns = truth + 0.3 * rng.normal(size=truth.shape)
    columns[rng.uniform(size=columns.shape) < share] = np.nan
    predicted = Smoother(x[None], ENGINE).predict(columns)
    for found, column, expected in zip(predicted, columns, truth, strict=True):
        known = ~np.isnan(column)
        of_known = Smoother(x[None, known], ENGINE).predict(column[known])
        assert np.sqrt(np.mean((found[known] - of_known) ** 2)) < 0.08  # a quarter of the noise
        assert np.median(np.abs(found[~known] - expected[~known])) < 0.1  # the ends of x are hard to predict


def test_gaps_do_not_change_the_spread_of_the_others():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    residuals = (np.exp(x) * rng.normal(size=400))[None]
    smoother = Smoother(x[None], ENGINE)
    whole = expected_spread(residuals, smoother)
    residuals[:, rng.uniform(size=400) < 0.2] = np.nan
    ratio = expected_spread(residuals, smoother) / whole
    assert np.median(ratio) == pytest.approx(1, abs=0.1)
    assert np.all(expected_spread(np.full((1, 400), np.nan), smoother) == 1)


def test_a_constant_subset_predicts_the_mean_of_the_others():
    y = np.random.default_rng(0).normal(size=30)
    np.testing.assert_allclose(Smoother(np.ones((1, 30)), ENGINE).predict(y), (y.sum() - y) / 29, atol=1e-12)
