"""The Gaussian copula and the orthogonal series: against determinants, regressions and known information."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from infosift import InputError, mutual_information, score_candidates
from infosift.criteria.rank_basis import polynomials
from infosift.criteria.simple import expected_information


def normal_scores(values):
    return norm.ppf((rankdata(values) - 0.5) / len(values))


def log_det(columns):
    return np.linalg.slogdet(np.atleast_2d(np.corrcoef(columns)))[1]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(20, 200), d=st.integers(1, 5), q=st.integers(1, 3))
@settings(max_examples=40)
def test_a_copula_is_a_ratio_of_determinants(seed, n, d, q):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, d + q)) @ rng.normal(size=(d + q, d + q))
    values[:, 0] = np.exp(values[:, 0]).round(1)  # with ties
    if np.ptp(values[:, 0]) == 0:
        return
    scores = np.array([normal_scores(column) for column in values.T])
    expected = (log_det(scores[:d]) + log_det(scores[d:]) - log_det(scores)) / 2
    ours = mutual_information(values[:, :d], values[:, d:], criterion="gaussian-copula", discrete_target=False)
    assert ours == pytest.approx(expected, abs=1e-9)
    beside = score_candidates(
        values[:, d - 1],
        values[:, d:],
        given=values[:, : d - 1] if d > 1 else None,
        criterion="gaussian-copula",
        discrete_target=False,
    )
    assert beside[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gaussian-copula", "series"])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9])
def test_two_gaussians(criterion, correlation):
    # The standard deviation of the estimate is about r / sqrt(n) = 0.02 at most.
    rng = np.random.default_rng(3)
    x, y = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=2000).T
    truth = -np.log(1 - correlation**2) / 2
    assert mutual_information(np.exp(x), y**3, criterion=criterion) == pytest.approx(truth, abs=0.06)


@pytest.mark.parametrize("criterion", ["gaussian-copula", "series"])
def test_copies_of_a_feature_add_nothing(criterion):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 100))
    y = x + z + rng.normal(size=100)
    given = np.column_stack([x, z, x])
    alone = mutual_information(np.column_stack([x, z]), y, criterion=criterion)
    assert score_candidates(np.exp(x), y, given=given, criterion=criterion)[0] == pytest.approx(alone, abs=0.02)
    assert np.isfinite(score_candidates(y, y, given=given, criterion=criterion)[0])


def test_a_series_against_a_regression():
    # With one function of the target, of two classes, the canonical correlation is that of a regression.
    rng = np.random.default_rng(1)
    n = 120
    x, z = rng.normal(size=(2, n))
    y = np.where(x * z + rng.normal(size=n) > 0, "yes", "no")
    points = [(rankdata(values) - 0.5) / n for values in (x, z)]
    first, second = (polynomials(own) for own in points)
    design = np.vstack([np.ones(n), first, second, first[0] * second[0]]).T
    binary = (y == "yes").astype(float)
    left = binary - design @ np.linalg.lstsq(design, binary, rcond=None)[0]
    expected = -np.log(np.var(left) / np.var(binary)) / 2 - expected_information(n, 7, 1, 1)
    assert mutual_information(np.column_stack([x, z]), y, criterion="series") == pytest.approx(expected, abs=1e-9)
    assert score_candidates(z, y, given=x, criterion="series")[0] == pytest.approx(expected, abs=1e-9)


def test_the_mean_under_independence_is_taken_off():
    # The estimates of 400 independent pairs: the standard error of their mean is about 0.0006.
    rng = np.random.default_rng(0)
    C, given, y = rng.normal(size=(200, 400)), rng.normal(size=(200, 2)), rng.normal(size=200)
    for beside in (None, given):
        scores = score_candidates(C, rng.permutation(y), given=beside, criterion="series")
        assert abs(scores.mean()) < (0.002 if beside is None else 0.03)
    assert 0.3 < np.mean(score_candidates(C, y, criterion="series") < 0) < 0.8


@pytest.mark.parametrize(
    ("p", "q", "n_largest"), [(1, 1, 1), (3, 2, 2), (4, 3, 3), (3, 3, 1), (7, 3, 1), (1, 6, 2)]
)
def test_the_expected_information_by_simulation(p, q, n_largest):
    rng = np.random.default_rng(p)
    n, found = 40, []
    for _ in range(2000):
        x, y = rng.normal(size=(p, n)), rng.normal(size=(q, n))
        x, y = (np.linalg.qr((own - own.mean(axis=1, keepdims=True)).T)[0] for own in (x, y))
        correlations = np.linalg.svd(x.T @ y, compute_uv=False)
        found.append(-np.log(1 - correlations[:n_largest] ** 2).sum() / 2)
    # The function has 400 draws of its own.
    standard_error = np.std(found) * np.sqrt(1 / 400 + 1 / 2000)
    assert expected_information(n, p, q, n_largest) == pytest.approx(np.mean(found), abs=4 * standard_error)


def test_a_series_sees_categories_and_products():
    rng = np.random.default_rng(0)
    kind = np.array(list("abcd"))[rng.integers(4, size=400)]
    x, z = rng.normal(size=(2, 400))
    y = x * z + 2.0 * (kind == "c") + 0.3 * rng.normal(size=400)
    table = pl.DataFrame({"x": x, "z": z, "kind": kind})
    alone = score_candidates(table, y, criterion="series")
    assert alone[2] > 0.15
    beside = score_candidates(table, y, given=x, criterion="series")
    assert beside[1] > alone[0] + alone[1] + 0.1


def test_few_rows_have_few_functions():
    rng = np.random.default_rng(0)
    for n in (5, 8, 12, 30):
        X, y = rng.normal(size=(n, 12)), rng.normal(size=n)
        assert np.isfinite(mutual_information(X, y, criterion="series"))
    with pytest.raises(InputError, match="Series needs at least 5 rows, and the table has n_samples=4"):
        mutual_information(X[:4], y[:4], criterion="series")
