"""Leave-one-out predictions by kernel ridge regression: as scikit-learn's, of groups, of gaps, of spreads."""

from __future__ import annotations

import pickle
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge as ReferenceRidge

from infosift._kernel import CATEGORY_GAP
from infosift.engines.base import ThreadEngine
from infosift.inference import kernel_ridge
from infosift.inference.kernel_ridge import (
    RIDGES,
    KernelBasis,
    KernelRidge,
    LeaveGroupsOut,
    LeaveOneOut,
    Resolution,
    SquaredDistances,
    expected_spread,
    folds_of,
    impute_by_regression,
    residuals_by_mean,
)

ENGINE = ThreadEngine()
WIDTHS = (0.15, 0.4, 1.0, 2.5, 8.0)
COST = 1.2


def slow_fit(gram, y, ridge, rows, asked):
    """Kernel ridge regression with an intercept, fitted to some rows and asked about another."""
    centre, among = np.eye(len(rows)) - 1 / len(rows), gram[np.ix_(rows, rows)]
    weights = np.linalg.solve(centre @ among @ centre + ridge * np.eye(len(rows)), centre @ y[rows])
    across = gram[asked, rows] - among.mean(axis=0)
    return y[rows].mean(axis=0) + (across - across.mean()) @ weights


def slow_gram(X, width):
    apart = ((X[:, :, None] - X[:, None]) ** 2).sum(axis=0)
    return np.exp(-apart / (2 * len(X) * width**2))


def slow_ridge(gram, y, cost):
    """The ridge of least score in generalised cross-validation, where a degree of freedom counts for ``cost``."""
    n, rows, scores = len(y), np.arange(len(y)), {}
    for ridge in n * 10.0 ** (np.arange(-16, 0) / 2):
        # A fit is linear in what is fitted: that to the unit vectors is the smoother.
        smoother = np.stack([slow_fit(gram, np.eye(n), ridge, rows, i) for i in rows])
        free = 1 - cost * np.trace(smoother) / n
        if free > 0.1:
            scores[ridge] = np.mean((y - smoother @ y) ** 2) / free**2
    return min(scores, key=scores.get)


@pytest.mark.parametrize(
    ("n_columns", "signal", "width"),
    [
        (2, lambda x: 3 * np.sin(2 * x), 1.0),
        (1, lambda x: np.sin(9 * x), 0.4),
        (4, np.sin, 1.0),
        (5, lambda x: x, 8.0),
        (3, lambda x: 0 * x, None),
    ],
)
def test_each_row_is_predicted_from_the_others(n_columns, signal, width):
    # Against fitting without each row in turn: each width by its own ridge, the mean is one of the choices.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, 25))
    y, rows = signal(X[0]) + 0.1 * rng.normal(size=25), np.arange(25)
    left = {None: np.array([y[i] - y[rows != i].mean() for i in rows])}
    for own in WIDTHS[n_columns > 3 :]:  # among many columns no row is near another
        gram = slow_gram(X, own)
        ridge = slow_ridge(gram, y, COST)
        left[own] = np.array([y[i] - slow_fit(gram, y, ridge, rows[rows != i], i) for i in rows])
    chosen = min(left, key=lambda own: np.mean(left[own] ** 2))
    assert chosen == width
    # What makes up less than 1e-10 of a kernel is left out.
    np.testing.assert_allclose(y - KernelRidge(X, ENGINE).predict(y), left[chosen], atol=1e-4)


def error_of(y, regression):
    return np.mean((y - regression.predict(y)) ** 2)


def of_width(x, width):
    return KernelRidge(x, ENGINE, Resolution((width,)))


def test_widths_can_be_given():
    x = np.random.default_rng(0).normal(size=(1, 300))
    wide, narrow = (error_of(np.sin(6 * x[0]), of_width(x, width)) for width in (8.0, 0.25))
    assert narrow < 0.1 * wide
    assert error_of(np.sin(6 * x[0]), KernelRidge(x, ENGINE)) <= narrow


def exact_fit(X, y, widths):
    """The fit by kernels spanned by all rows, and the predictions of rows that are left out, in closed form."""
    n, choices = len(y), [(np.full(len(y), y.mean()), y - (y - y.mean()) * len(y) / (len(y) - 1))]
    for gram in (slow_gram(X, width) for width in widths):
        centred = gram - gram.mean(axis=0) - gram.mean(axis=1, keepdims=True) + gram.mean()
        values, vectors = np.linalg.eigh(centred)
        fits = []
        for shrinkage in (values / (values + n * ridge) for ridge in RIDGES):
            fitted, leverages = y.mean() + vectors @ (shrinkage * (vectors.T @ y)), 1 / n + vectors**2 @ shrinkage
            free, left_out = 1 - COST * leverages.mean(), y - (y - fitted) / (1 - leverages)
            fits.append((np.mean((y - fitted) ** 2) / free**2 if free > 0.1 else np.inf, fitted, left_out))
        choices.append(min(fits, key=lambda fit: fit[0])[1:])
    return min(choices, key=lambda fit: np.mean((y - fit[1]) ** 2))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n_columns", [1, 2])
def test_of_few_rows_the_fit_is_that_of_the_exact_kernel(n_columns, width):
    # 128 rows are all landmarks, with a function each. At most 1e-10 of a kernel is left out, which a ridge of at
    # least 1e-8 shrinks to at most a hundredth: so much of the noise.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, 128))
    y = X[0] + np.sin(3 * X[0]) + 0.3 * rng.normal(size=128)
    fitted, left_out = exact_fit(X, y, [width])
    regression = of_width(X, width)
    np.testing.assert_allclose(regression.predict(y, left_out=False), fitted, atol=0.003)
    np.testing.assert_allclose(regression.predict(y), left_out, atol=0.003)


def test_many_rows_are_predicted_as_well_by_a_part_of_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 500))  # of which 256 are landmarks, and span at most 128 functions
    signal = np.sin(2 * X[0]) * X[1]
    y = signal + 0.3 * rng.normal(size=500)
    regression = KernelRidge(X, ENGINE)
    fitted, left_out = regression.predict(y, left_out=False), regression.predict(y)
    for ours, exact in zip((fitted, left_out), exact_fit(X, y, WIDTHS), strict=True):
        assert np.std(ours - signal) < 1.1 * np.std(exact - signal)
    fixed = ReferenceRidge(alpha=0.3, kernel="rbf", gamma=0.5).fit(X.T, y).predict(X.T)
    assert np.std(fitted - signal) < 1.1 * np.std(fixed - signal)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_degree_of_freedom_that_costs_less_is_taken_sooner(width):
    # Of any two ridges, a higher cost raises the score of the smaller one by the larger factor.
    rng = np.random.default_rng(0)
    points, columns = rng.normal(size=(80, 1)), rng.normal(size=(200, 80))
    columns += np.sin(np.linspace(0, 6, 200)[:, None] * points[:, 0])
    columns -= columns.mean(axis=1, keepdims=True)
    basis = KernelBasis(width, SquaredDistances(points, 1, 80), 80)
    way = LeaveOneOut(basis, np.arange(80))
    degrees = (basis.eigenvalues / (basis.eigenvalues + 80 * np.array(RIDGES)[:, None])).sum(axis=1)
    cheap, dear = (degrees[way.best(way.coefficients(columns), columns, cost)[1]] for cost in (1.0, 1.2))
    assert np.all(cheap >= dear)
    assert np.any(cheap > dear)
    assert dear.max() + 1 < 0.9 * 80 / 1.2


@pytest.mark.parametrize("n_rows", [80, 450, 5000])
def test_predictions_depend_on_nothing_else(n_rows):
    rng = np.random.default_rng(0)
    columns, subset = rng.normal(size=(2, n_rows)), rng.normal(size=(2, n_rows))
    columns += subset[0]
    together = [KernelRidge(subset, ENGINE).predict(column) for column in columns]
    for column, expected in zip(columns[::-1], together[::-1], strict=True):
        np.testing.assert_array_equal(KernelRidge(subset, ENGINE).predict(column), expected)


@pytest.mark.parametrize("n_rows", [400, 450, 5000])  # 450 are predicted by a part of them, 5000 in two parts
def test_what_is_sent_elsewhere_are_the_points_and_it_predicts_the_same_bits(n_rows):
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, n_rows)), rng.normal(size=(5, n_rows))
    columns += np.sin(3 * subset[0])
    regression = KernelRidge(subset, ThreadEngine(2))
    for _ in range(2):
        sent = pickle.dumps(regression)
        assert len(sent) < 10 * subset.nbytes
        expected, regression = regression.predict(columns), pickle.loads(sent)
        np.testing.assert_array_equal(regression.predict(columns), expected)


def test_noise_is_predicted_by_its_mean_and_categories_by_their_groups():
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=300)
    y = np.array([-2.0, 0.0, 2.0])[group] + rng.normal(size=300)
    predicted = KernelRidge((1.0 + group[None]) * CATEGORY_GAP, ENGINE).predict(y)
    assert np.corrcoef(predicted, np.array([-2.0, 0.0, 2.0])[group])[0, 1] > 0.98
    assert np.std(KernelRidge(rng.normal(size=(1, 300)), ENGINE).predict(rng.normal(size=300))) < 0.3


def test_columns_in_a_block_are_predicted_as_one_by_one():
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, 120)), rng.normal(size=(7, 120))
    columns[:4] += np.sin(2 * subset[0])
    regression = KernelRidge(subset, ENGINE)
    alone = np.stack([regression.predict(column) for column in columns])
    np.testing.assert_allclose(regression.predict(columns), alone, rtol=0, atol=1e-10)
    residuals = columns - alone
    spreads = np.concatenate([expected_spread(residuals[i : i + 1], regression) for i in range(7)])
    np.testing.assert_allclose(expected_spread(residuals, regression), spreads, rtol=1e-8)


def test_of_very_many_rows_some_choose_the_width_and_all_are_predicted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 5000))
    y = np.sin(3 * x[0]) + 0.2 * rng.normal(size=5000)
    assert np.std(KernelRidge(x, ENGINE).predict(y) - np.sin(3 * x[0])) < 0.05


def test_parts_of_a_long_table_predict_what_all_its_rows_at_once_do(monkeypatch):
    rng = np.random.default_rng(0)
    subset, columns = rng.normal(size=(2, 5000)), rng.normal(size=(6, 5000))
    columns[:3] += np.sin(3 * subset[0]) * subset[1]
    in_parts = KernelRidge(subset, ENGINE).predict(columns)
    monkeypatch.setattr(kernel_ridge, "_MOST_IN_DOUBLE", 5000)
    at_once = KernelRidge(subset, ENGINE).predict(columns)
    assert np.abs(in_parts - at_once).max() < 1e-5 * columns.std()
    assert not np.array_equal(in_parts, at_once)  # single precision


def test_noise_of_one_spread_has_one_spread():
    rng = np.random.default_rng(0)
    regression, noise = KernelRidge(rng.normal(size=(1, 150)), ENGINE), rng.normal(size=(100, 150))
    spreads = expected_spread(noise, regression)
    constant = np.ptp(spreads, axis=1) < 1e-12
    assert constant.sum() >= 97  # 994 of 1,000 tables; 764 if there were no cost of a spread that varies
    np.testing.assert_allclose(spreads[constant, 0], np.abs(noise[constant]).mean(axis=1))


def test_a_spread_that_varies_strongly_is_followed():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=300), rng.normal(size=(10, 300))
    spreads = expected_spread(np.exp(x) * noise, KernelRidge(x[None], ENGINE))
    for spread in np.log(spreads):
        assert np.corrcoef(spread, x)[0, 1] > 0.9
        assert np.polyfit(x, spread, 1)[0] == pytest.approx(1, abs=0.3)


def test_what_is_on_its_prediction_has_a_spread_of_one():
    rng = np.random.default_rng(0)
    regression = KernelRidge(rng.normal(size=(1, 60)), ENGINE)
    np.testing.assert_allclose(expected_spread(np.zeros((2, 60)), regression), 1)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_gaps_are_predicted_as_the_known_rows_would_have_it(share):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    truth = np.stack([np.sin(2 * x), x])
    columns = truth + 0.3 * rng.normal(size=truth.shape)
    columns[rng.uniform(size=columns.shape) < share] = np.nan
    predicted = KernelRidge(x[None], ENGINE).predict(columns)
    for found, column, expected in zip(predicted, columns, truth, strict=True):
        known = ~np.isnan(column)
        of_known = KernelRidge(x[None, known], ENGINE).predict(column[known])
        assert np.sqrt(np.mean((found[known] - of_known) ** 2)) < 0.08  # a quarter of the noise
        assert np.median(np.abs(found[~known] - expected[~known])) < 0.1  # the ends of x are hard to predict


def test_gaps_do_not_change_the_spread_of_the_others():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    residuals = (np.exp(x) * rng.normal(size=400))[None]
    regression = KernelRidge(x[None], ENGINE)
    whole = expected_spread(residuals, regression)
    residuals[:, rng.uniform(size=400) < 0.2] = np.nan
    ratio = expected_spread(residuals, regression) / whole
    assert np.median(ratio) == pytest.approx(1, abs=0.1)
    assert np.all(expected_spread(np.full((1, 400), np.nan), regression) == 1)


def test_a_constant_subset_predicts_the_mean_of_the_others():
    y = np.random.default_rng(0).normal(size=30)
    np.testing.assert_allclose(KernelRidge(np.ones((1, 30)), ENGINE).predict(y), (y.sum() - y) / 29, atol=1e-12)


def slow_residuals(kernel, columns, folds, ridge):
    """Ridge regressions with an intercept (rows x columns), fitted again without each fold."""
    n_rows = len(columns)
    functions = kernel.at(np.arange(n_rows)) * np.sqrt(kernel.eigenvalues)
    residuals = np.empty_like(columns)
    for rows in folds:
        others = np.delete(np.arange(n_rows), rows)
        mean, centre = functions[others].mean(axis=0), columns[others].mean(axis=0)
        known = functions[others] - mean
        penalty = ridge * n_rows * np.eye(known.shape[1])
        weights = np.linalg.solve(known.T @ known + penalty, known.T @ (columns[others] - centre))
        residuals[rows] = columns[rows] - centre - (functions[rows] - mean) @ weights
    return residuals


def slow_score(kernel, columns, ridge, cost):
    """Scores of columns in generalised cross-validation; infinite where too few degrees of freedom are left."""
    n_rows = len(columns)
    functions = kernel.at(np.arange(n_rows)) * np.sqrt(kernel.eigenvalues)
    penalty = ridge * n_rows * np.eye(functions.shape[1])
    smoother = 1 / n_rows + functions @ np.linalg.solve(functions.T @ functions + penalty, functions.T)
    free = 1 - cost * np.trace(smoother) / n_rows
    return np.mean((columns - smoother @ columns) ** 2, axis=0) * (1 / free**2 if free > 0.1 else np.inf)


def groups_of(rng, n_rows, n_groups):
    return rng.permutation(np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n_rows - n_groups)]))


@settings(max_examples=20)  # each compares up to 16 x 20 fits and 6 x 40
@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 30), width=st.sampled_from([0.25, 1.0, 4.0]))
def test_residuals_are_those_of_fitting_again_without_the_fold_and_without_the_row(seed, n_groups, width):
    rng = np.random.default_rng(seed)
    points, columns = rng.normal(size=(40, 2)), rng.normal(size=(40, 3))
    columns -= columns.mean(axis=0)
    kernel, compared = KernelBasis(width, SquaredDistances(points, 2, 40), 40), np.arange(0, 40, 3)
    folds, alone = folds_of(groups_of(rng, 40, n_groups)), [np.array([row]) for row in range(40)]
    by_fold, by_row = (cache(partial(slow_residuals, kernel, columns, own)) for own in (folds, alone))
    chosen, cost = rng.integers(len(RIDGES), size=3), rng.uniform(1, 1.5)
    for way, again, scores in (
        (LeaveOneOut(kernel, compared), by_row, [slow_score(kernel, columns, ridge, cost) for ridge in RIDGES]),
        (
            LeaveGroupsOut(kernel, compared, folds),
            by_fold,
            [np.mean(by_fold(ridge)[compared] ** 2, axis=0) for ridge in RIDGES],
        ),
    ):
        coefficients = way.coefficients(columns.T)
        errors, best = way.best(coefficients, columns.T, cost)
        np.testing.assert_allclose(np.array(scores)[best, range(3)], np.min(scores, axis=0), rtol=1e-6)
        for ridges in (chosen, best):
            expected = np.stack([again(RIDGES[ridge])[:, i] for i, ridge in enumerate(ridges)])
            residuals = way.residuals(coefficients, columns.T, ridges)
            np.testing.assert_allclose(residuals, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(errors, np.mean(expected[:, compared] ** 2, axis=1), rtol=1e-4)


@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 60))
def test_folds_are_of_whole_groups_and_of_about_one_size(seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = groups_of(rng, 120, n_groups)
    folds = folds_of(groups)
    assert len(folds) == min(n_groups, 20)
    assert sorted(np.concatenate(folds).tolist()) == list(range(120))
    held = [set(groups[rows].tolist()) for rows in folds]
    assert sum(map(len, held)) == n_groups
    sizes = [len(rows) for rows in folds]
    assert max(sizes) - min(sizes) <= np.bincount(groups).max()


def test_rows_of_one_group_only_are_left_out_alone():
    assert folds_of(None) is None
    assert folds_of(np.zeros(9, dtype=np.int64)) is None


@pytest.mark.parametrize("n_groups", [3, 25])
def test_the_mean_is_that_of_the_others(n_groups):
    rng = np.random.default_rng(0)
    column, folds = rng.normal(size=50), folds_of(groups_of(rng, 50, n_groups))
    column -= column.mean()
    found = residuals_by_mean(column[None], folds)[0]
    for rows in folds:
        np.testing.assert_allclose(found[rows], column[rows] - np.delete(column, rows).mean(), atol=1e-12)


def test_a_group_says_nothing_about_itself():
    # The number of a person tells everything about other rows of the same person, and nothing about other people.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 6)
    of_person = rng.normal(size=(50, 30))[:, groups]
    person = (groups + 0.01 * rng.normal(size=180))[None]
    alone, with_group = KernelRidge(person, ENGINE), KernelRidge(person, ENGINE, row_groups=groups)
    assert np.mean((of_person - alone.predict(of_person)) ** 2) < 0.2
    assert np.mean((of_person - with_group.predict(of_person)) ** 2) > 0.9


def test_what_all_groups_share_is_predicted():
    rng = np.random.default_rng(0)
    groups, x = np.repeat(np.arange(30), 6), rng.normal(size=180)
    y = np.sin(2 * x) + 0.1 * rng.normal(size=180)
    regression = KernelRidge(x[None], ENGINE, row_groups=groups)
    assert np.mean((y - regression.predict(y)) ** 2) < 0.03
    np.testing.assert_array_equal(
        regression.predict(np.stack([y, x]))[0], regression.predict(np.stack([y, -x]))[0]
    )


def test_a_subset_that_does_not_vary_leaves_the_mean_of_the_other_folds():
    y, groups = np.random.default_rng(0).normal(size=30), np.repeat(np.arange(10), 3)
    predicted = KernelRidge(np.ones((1, 30)), ENGINE, row_groups=groups).predict(y)
    np.testing.assert_allclose(predicted, [np.delete(y, groups == group).mean() for group in groups], atol=1e-12)


def test_a_long_table_is_predicted_as_exactly_by_folds():
    rng = np.random.default_rng(0)
    x, groups = rng.normal(size=(2, 5_000)), np.repeat(np.arange(50), 100)
    y = np.sin(2 * x[0]) * x[1] + 0.1 * rng.normal(size=5_000)
    width = Resolution((1.5,))  # of two that are almost alike, errors in 500 of the rows take one or the other
    alone, by_folds = KernelRidge(x, ENGINE, width), KernelRidge(x, ENGINE, width, row_groups=groups)
    assert error_of(y, by_folds) < 1.1 * error_of(y, alone)


def with_gaps(n=200):
    rng = np.random.default_rng(0)
    column = rng.normal(size=n)
    gaps = rng.uniform(size=n) < 0.2
    return np.where(gaps, np.nan, column), column, gaps, rng


def test_a_copy_among_the_others_fills_the_gaps():
    column, truth, gaps, rng = with_gaps()
    copy = truth + 0.01 * rng.normal(size=200)
    found = impute_by_regression(column[None], lambda: copy[None], ENGINE)[0]
    np.testing.assert_array_equal(found[~gaps], truth[~gaps])
    assert np.abs(found - truth)[gaps].mean() < 0.05
    copy[rng.uniform(size=200) < 0.2] = np.nan  # what it has not, it does not know
    assert np.median(np.abs(impute_by_regression(column[None], lambda: copy[None], ENGINE)[0] - truth)[gaps]) < 0.1


def test_others_that_know_nothing_leave_the_mean():
    column, truth, gaps, rng = with_gaps()
    found = impute_by_regression(column[None], lambda: rng.normal(size=(1, 200)), ENGINE)[0]
    assert np.abs(found[gaps] - truth[~gaps].mean()).max() < 0.3
    alone = impute_by_regression(column[None], lambda: np.zeros((0, 200)), ENGINE)[0]
    np.testing.assert_allclose(alone[gaps], truth[~gaps].mean())


def test_categories_are_filled_by_the_largest():
    column, _, gaps, rng = with_gaps()
    categories = np.where(gaps, np.nan, (rng.uniform(size=200) < 0.7) * CATEGORY_GAP)
    found = impute_by_regression(np.stack([categories, column]), lambda: np.zeros((0, 200)), ENGINE)
    assert np.all(found[0, gaps] == CATEGORY_GAP)


def test_without_gaps_nothing_is_copied_and_the_others_are_not_asked_for():
    columns, asked = np.ones((2, 5)), []
    assert impute_by_regression(columns, lambda: asked.append(1), ENGINE) is columns
    assert not asked
