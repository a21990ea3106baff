"""Shapes and sizes of effects: the truth is in the bands and intervals, in the units of the data."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

from infosift import DataWarning, MutualInfoSelector, Selection
from infosift.search.effects import shape_of
from samples import friedman


def fit(X, y, groups=None, **options):
    return MutualInfoSelector(random_state=0, **options).fit(X, y, groups=groups).selection_


@pytest.fixture(scope="module")
def selection():
    X, y = friedman(0, n=300)
    return fit(pd.DataFrame(100 * X, columns=list("abcdefghij")), 1000 + 50 * y)


def curve_of(selection, feature, outcome=None):
    return next(
        one for one in selection.effects.curves if one.feature == feature and outcome in (None, one.outcome)
    )


def test_curves_are_those_of_the_truth_in_its_units(selection):
    truths = {"c": lambda x: 50 * 20 * (x / 100 - 0.5) ** 2, "d": lambda x: 50 * 10 * x / 100}
    for feature, truth in truths.items():
        curve = curve_of(selection, feature)
        expected = truth(curve.values)
        assert np.corrcoef(expected, curve.fitted)[0, 1] > 0.97
        assert np.ptp(curve.fitted) == pytest.approx(np.ptp(expected), rel=0.15)
        away = curve.fitted.mean() - expected.mean()
        assert np.mean((curve.low - away <= expected) & (expected <= curve.high - away)) > 0.6
        assert 0 <= curve.values.min() < 5 < 95 < curve.values.max() <= 100
        assert len(curve.rows) == len(curve.partial_residuals) == 300
        assert 1000 < curve.partial_residuals.mean() < 2500


def test_shapes_have_words(selection):
    shapes = {curve.feature: curve.shape for curve in selection.effects.curves}
    assert shapes == {"a": "rises", "b": "rises", "c": "U-shaped", "d": "rises", "e": "rises"}


@pytest.mark.parametrize(
    ("curve", "word"),
    [
        (lambda x: x, "rises"),
        (lambda x: -np.exp(x), "falls"),
        (lambda x: x**2, "U-shaped"),
        (lambda x: -(x**2), "rises, then falls"),
        (lambda x: np.sin(3 * np.pi * x), "waves"),
        (lambda x: np.tanh(30 * x), "steps up"),
        (lambda x: -np.tanh(30 * x), "steps down"),
        (lambda x: np.zeros_like(x), "flat"),
        (lambda x: x + 0.05 * np.sin(20 * x), "rises"),
    ],
)
def test_the_word_of_a_curve(curve, word):
    at = np.linspace(-1, 1, 60)
    assert shape_of(curve(at), np.array([-0.9, 0.9]), at) == word


def test_sizes_have_the_truth_in_their_intervals(selection):
    # Of a million rows: variances of each part over that of the target (see the test of coverage below).
    truths = {"a": 0.131, "b": 0.131, "c": 0.125, "d": 0.469, "e": 0.117}
    assert {one.feature for one in selection.importance} == set(truths)
    for one in selection.importance:
        assert one.low < truths[one.feature] < one.high
        assert one.low < one.importance < one.high
    assert selection.effects.explained == pytest.approx(0.94, abs=0.03)
    frame = selection.to_frame("importance", "pandas")
    assert frame.columns.tolist() == ["feature", "importance", "low", "high", "alone"]
    assert frame["importance"].tolist() == [one.importance for one in selection.importance]


def test_they_are_stored_and_the_same_for_any_number_of_threads(selection):
    assert Selection.from_json(selection.to_json()) == selection
    X, y = friedman(0, n=300)
    again = fit(pd.DataFrame(100 * X, columns=list("abcdefghij")), 1000 + 50 * y, n_jobs=3)
    assert again.effects == selection.effects


def test_they_do_not_depend_on_the_order_of_the_columns():
    X, y = friedman(3, n=120)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(10)])
    order = np.random.default_rng(0).permutation(10)
    assert fit(frame, y).effects == fit(frame.iloc[:, order], y).effects


def test_classes_have_probabilities_and_categories_points():
    rng = np.random.default_rng(0)
    group, x = rng.choice(["low", "high", "none"], size=400), rng.normal(size=400)
    log_odds = 2 * x + np.select([group == "low", group == "high"], [-2.0, 2.0])
    y = np.where(rng.logistic(size=400) < log_odds, "yes", "no")
    selection = fit(pd.DataFrame({"group": group, "x": x}), y)
    curve = curve_of(selection, "x")
    assert (curve.outcome, curve.shape) == (f"probability of {sorted(set(y), key=list(y).index)[1]}", curve.shape)
    sign = 1 if curve.outcome.endswith("yes") else -1
    assert np.corrcoef(curve.fitted, 1 / (1 + np.exp(-sign * 2 * curve.values)))[0, 1] > 0.97
    assert np.all(
        (curve.low <= curve.fitted) & (curve.fitted <= curve.high) & (curve.low >= 0) & (curve.high <= 1)
    )
    points = curve_of(selection, "group")
    assert set(points.categories) == {"low", "high", "none"}
    by_name = dict(zip(points.categories, sign * points.fitted, strict=True))
    assert by_name["low"] < by_name["none"] < by_name["high"]
    assert points.shape == ""


def test_pairs_and_groups_count_as_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    selection = fit(X, np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=300))
    (one,) = selection.importance
    assert set(one.features) == {"x0", "x1"}
    assert one.importance == pytest.approx(one.alone)
    assert one.low > 0.3
    groups = {"both": ["x0", "x1"]}
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(4)])
    grouped = fit(frame, X[:, 0] + X[:, 1] + X[:, 2] + rng.normal(size=300), feature_groups=groups)
    assert {one.feature for one in grouped.importance} == {"x0 + x1", "x2"}


def test_several_targets_have_a_curve_each():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = pd.DataFrame({"u": X[:, 0] + 0.3 * rng.normal(size=200), "v": -X[:, 0] + 0.3 * rng.normal(size=200)})
    selection = fit(X, y)
    assert curve_of(selection, "x0", "u").shape == "rises"
    assert curve_of(selection, "x0", "v").shape == "falls"


def test_nothing_selected_has_no_effects_and_gaps_are_left_out():
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert fit(X, np.random.default_rng(5).normal(size=60)).effects is None
    y = X[:, 0] + 0.1 * X[:, 1]
    X[:10, 0] = np.nan
    with pytest.warns(UserWarning, match="Values are missing"):
        selection = fit(X, y, missing="partial")
    assert selection.effects.n_rows == 50


def test_rows_of_a_group_count_together():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(40), 5)
    X = rng.normal(size=(40, 2))[person]
    y = X[:, 0] + rng.normal(size=40)[person] + 0.3 * rng.normal(size=200)
    together = fit(X, y, person, keep=["x0"]).importance[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of rows that belong together
        apart = fit(X, y, keep=["x0"]).importance[0]
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def draw(kind, n, seed):
    """A table whose last feature is useless, and the shares that the others alone explain of the variance."""
    rng = np.random.default_rng([seed, n, *kind.encode()])
    if kind == "Friedman":
        X = rng.uniform(size=(n, 6))
        y = 10 * np.sin(X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        # var(10 sin(x0 x1)) = 5.41 and var(E(. | x0)) = 3.10, by quadrature; the others are polynomials.
        return X, y + rng.normal(size=n), np.array([0.1308, 0.1308, 0.1252, 0.4694, 0.1173, 0])
    if kind == "linear":
        shared = rng.normal(size=(n, 1))
        X = np.sqrt(0.4) * rng.normal(size=(n, 4)) + np.sqrt(0.6) * shared  # correlated by 0.6
        weights = np.array([1, 0.5, -0.7, 0])
        covariance = 0.4 * np.eye(4) + 0.6
        total = weights @ covariance @ weights + 1
        lost = weights**2 / np.diag(np.linalg.inv(covariance))
        return X, X @ weights + rng.normal(size=n), lost / total
    X = rng.normal(size=(n, 4))
    log_odds = 1.5 * X[:, 0] + 1.5 * (X[:, 1] ** 2 - 1) + X[:, 2]
    # By quadrature: (E q (1 - q) - E p (1 - p)) / var, with q the mean of p over a feature.
    return X, (rng.logistic(size=n) < log_odds) * 1, np.array([0.1987, 0.2218, 0.0933, 0])


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["Friedman", "linear", "classes"])
@pytest.mark.parametrize("n", [150, 500])
def test_intervals_have_the_truth_in_92_of_100(kind, n):
    sample, covered, n_runs = partial(draw, kind, n), 0, 80
    for seed in range(n_runs):
        X, y, truth = sample(seed)
        names = [f"x{i}" for i in range(X.shape[1])]
        selection = fit(pd.DataFrame(X, columns=names), y, keep=names)
        of_name = {one.feature: one for one in selection.importance}
        covered = covered + np.array(
            [of_name[x].low <= t <= of_name[x].high for x, t in zip(names, truth, strict=True)]
        )
    # 67 of 80 have a probability of 0.008 where the coverage is 92 %.
    assert covered.min() > 67
