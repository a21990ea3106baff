"""Quadratic information and kernel densities against their closed forms, and against Gaussians."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infosift import InputError, KernelDensity, QuadraticMI, mutual_information, score_candidates
from infosift.data.prepare import to_unit_spread
from oracle import kernel_density, quadratic

DISTANCES = ["cauchy-schwarz", "euclidean"]


@st.composite
def tables(draw):
    """Features and targets, numbers of unit variance or text, as arrays of columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(8, 30))
    kinds = st.sampled_from(["number", "text"])

    def column():
        if draw(kinds) == "text":
            return np.array(["a", "b"])[np.append(rng.integers(2, size=n - 2), [0, 1])]
        return to_unit_spread(rng.normal(size=n))

    return [column() for _ in range(draw(st.integers(1, 3)))], [column() for _ in range(draw(st.integers(1, 2)))]


def frame(columns):
    import polars as pl

    return pl.DataFrame({f"c{i}": column for i, column in enumerate(columns)})


@given(table=tables(), bandwidth=st.sampled_from([0.3, 1.0, 2.5]), distance=st.sampled_from(DISTANCES))
@settings(max_examples=40)
def test_quadratic_information_is_its_closed_form(table, bandwidth, distance):
    X, Y = table
    ours = mutual_information(frame(X), frame(Y), criterion=QuadraticMI(bandwidth, distance=distance))
    assert ours == pytest.approx(quadratic(X, Y, bandwidth, distance), abs=1e-9)


@given(table=tables(), bandwidth=st.sampled_from([0.7, 1.0, 2.5]))
@settings(max_examples=40)
def test_kernel_densities_are_those_of_the_other_rows(table, bandwidth):
    X, Y = table
    if any(column.dtype.kind == "U" for column in [*X, *Y]):
        # A row may be the only one of its cell, whose density the others do not give.
        X, Y = ([np.repeat(column, 2) for column in columns] for columns in (X, Y))
        X = [c if c.dtype.kind == "U" else to_unit_spread(c + 1e-3 * np.arange(len(c))) for c in X]
        Y = [c if c.dtype.kind == "U" else to_unit_spread(c + 1e-3 * np.arange(len(c))[::-1]) for c in Y]
    ours = mutual_information(frame(X), frame(Y), criterion=KernelDensity(bandwidth))
    assert ours == pytest.approx(kernel_density(X, Y, bandwidth), abs=1e-9)


def test_rows_in_many_tiles():
    # The sums over pairs are made tile by tile: more rows than one tile, and not a whole number of them.
    rng = np.random.default_rng(0)
    x, z = (to_unit_spread(rng.normal(size=450)) for _ in range(2))
    y = to_unit_spread(x + z + rng.normal(size=450))
    X = np.column_stack([x, z])
    width = 450 ** (-1 / 7)

    def sums(values, variance):
        return np.exp(-((values[:, None] - values) ** 2) / (2 * variance))

    in_x, in_y = sums(x, 2 * width**2) * sums(z, 2 * width**2), sums(y, 2 * width**2)
    cross = np.mean(in_x.mean(axis=1) * in_y.mean(axis=1))
    expected = np.log(np.mean(in_x * in_y) * in_x.mean() * in_y.mean() / cross**2)
    assert mutual_information(X, y, criterion=QuadraticMI(1)) == pytest.approx(expected, abs=1e-9)
    in_x, in_y = sums(x, width**2) * sums(z, width**2), sums(y, width**2)
    np.fill_diagonal(in_x, 0), np.fill_diagonal(in_y, 0)
    expected = np.mean(np.log((in_x * in_y).sum(1) * 449 / in_x.sum(1) / in_y.sum(1)))
    assert mutual_information(X, y, criterion=KernelDensity(1)) == pytest.approx(expected, abs=1e-9)


def gaussian_quadratic(correlation, variance, distance):
    """The same integrals of a Gaussian of unit variances, smoothed by windows of a variance.

    The integral of a product of two Gaussians is a Gaussian of the sum of their covariances, at zero.
    """
    covariance = np.array([[1 + variance, correlation], [correlation, 1 + variance]])
    independent = np.diag(np.diag(covariance))
    joint, cross, marginal = (
        np.linalg.det(2 * np.pi * total) ** -0.5
        for total in (2 * covariance, covariance + independent, 2 * independent)
    )
    return np.log(joint * marginal / cross**2) if distance == "cauchy-schwarz" else joint - 2 * cross + marginal


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_quadratic_information_of_gaussians(correlation, distance):
    # With windows the truth is that of the smoothed densities. What is left is chance, about 0.01 here, and the
    # share 1/n of the pairs of a row with itself.
    rng = np.random.default_rng(1)
    x, y = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=3000).T
    truth = gaussian_quadratic(correlation, 3000 ** (-2 / 6), distance)
    ours = mutual_information(x, y, criterion=QuadraticMI(1, distance=distance))
    assert ours == pytest.approx(truth, rel=0.1, abs=0.01 if distance == "cauchy-schwarz" else 0.001)
    if correlation:
        assert ours > gaussian_quadratic(correlation / 2, 3000 ** (-2 / 6), distance)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9])
def test_kernel_densities_of_gaussians(correlation):
    # Over twenty samples the bias is -0.02 to -0.03 and the standard deviation up to 0.02, most of it that of the
    # sample correlation. So the mean is within 0.05 by a wide margin, and most single estimates are.
    errors = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=2000).T
        errors.append(mutual_information(x, y, criterion="kernel-density") + np.log(1 - correlation**2) / 2)
    assert abs(np.mean(errors)) < 0.04
    assert np.mean(np.abs(errors) < 0.05) >= 0.8
    assert np.max(np.abs(errors)) < 0.1


@pytest.mark.parametrize("criterion", [KernelDensity(), QuadraticMI(), QuadraticMI(distance="euclidean")])
def test_a_row_far_from_all_others_is_no_trouble(criterion):
    rng = np.random.default_rng(0)
    x = np.append(rng.normal(size=99), 1e9)
    scores = score_candidates(
        np.column_stack([x, rng.normal(size=100)]), rng.normal(size=100), criterion=criterion
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("bandwidth", [0, -1.0, 1e-320, np.inf, np.nan, True, "wide", 10**400])
def test_refuses_a_bandwidth_that_cannot_be_used(bandwidth):
    for criterion in (KernelDensity(bandwidth), QuadraticMI(bandwidth)):
        with pytest.raises(InputError, match=r'^bandwidth must be "auto" or a number between 1e-06 and'):
            criterion.check()


def test_refuses_a_distance_that_there_is_not():
    with pytest.raises(InputError, match="distance must be one of cauchy-schwarz, euclidean, not 'manhattan'"):
        QuadraticMI(distance="manhattan").check()
