"""The residual of a target given a subset: in spreads for numbers, as points for classes."""

import numpy as np
import pytest
from scipy.stats import kstest

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import expected_polynomials, polynomials, standardised
from infosift.data.targets import LEAST_PROBABILITY, Classes, Target, TargetKind
from infosift.engines.base import ThreadEngine
from infosift.inference.conditional_test import (
    randomised_residuals,
    residual_functions,
    residuals_of_target,
)
from infosift.inference.kernel_ridge import KernelRidge, expected_spread

ENGINE = ThreadEngine(1)


def target_of(*columns):
    """A target whose columns of integers are classes."""
    kinds = [Classes.of(own) if own.dtype.kind == "i" else TargetKind() for own in columns]
    encoded = [(1.0 + own) * CATEGORY_GAP if own.dtype.kind == "i" else own for own in columns]
    return Target(tuple(f"y{i}" for i in range(len(columns))), np.stack(encoded), tuple(kinds))


def residual_targets(target, regression):
    return randomised_residuals(residuals_of_target(target, regression))


@pytest.mark.parametrize(("n_classes", "n_parts"), [(2, 1), (4, 4), (12, 8)])
def test_classes_have_a_part_each_up_to_eight_and_of_two_one_says_it_all(n_classes, n_parts):
    rng = np.random.default_rng(0)
    regression = KernelRidge(rng.normal(size=(1, 60)), ENGINE)
    classes = np.arange(60) % n_classes
    assert residual_targets(target_of(classes), regression).shape == (3, n_parts, 60)


def test_numbers_have_one_version_and_beside_classes_the_same_in_all():
    rng = np.random.default_rng(0)
    regression = KernelRidge(rng.normal(size=(1, 60)), ENGINE)
    numbers, classes = rng.normal(size=(2, 60)), rng.integers(2, size=60)
    alone = residual_targets(target_of(*numbers), regression)
    assert alone.shape == (1, 2, 60)
    beside = residual_targets(target_of(*numbers, classes), regression)
    assert np.array_equal(beside[:, :2], np.repeat(alone, 3, axis=0))


def test_residuals_of_numbers_are_in_spreads_also():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    regression, number = KernelRidge(x[None], ENGINE), x + np.exp(x) * rng.normal(size=200)
    residuals = residuals_of_target(target_of(number, rng.integers(2, size=200)), regression)
    predicted = regression.predict_with_jumps(number[None])
    spread = expected_spread(number - predicted, regression)
    np.testing.assert_allclose(residuals.raw[0], number - predicted[0], atol=1e-9)
    np.testing.assert_allclose(residuals.low[0], (number - predicted[0]) / spread[0], atol=1e-9)
    np.testing.assert_array_equal(residuals.low[0], residuals.high[0])
    np.testing.assert_array_equal(residuals.is_interval, [False, True])
    low, high = (np.abs(residuals.low[0])[where].mean() for where in (x < -1, x > 1))
    assert 0.5 < low / high < 2  # 0.06 without the spread


def test_points_that_stand_for_classes_are_evenly_spread_wherever_the_subset_is():
    # A plain residual of a class is small where the class is sure, so that its size depends on the subset.
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    classes = (rng.uniform(size=400) < 1 / (1 + np.exp(-3 * x))).astype(int)
    points = residual_targets(target_of(classes), KernelRidge(x[None], ENGINE))[:, 0]
    width = np.sqrt(12)
    for version in points:
        for where in (x < -1, np.abs(x) < 0.5, x > 1):
            assert kstest(version[where], "uniform", args=(0, width)).pvalue > 1e-3
    assert not np.array_equal(points[0], points[1])
    # In the middle, where the subset does not say which class it is, the point does.
    middle = np.abs(x) < 0.2
    assert np.all(np.abs(np.corrcoef(points[:, middle], classes[middle])[-1, :-1]) > 0.5)


def test_nothing_but_the_data_decides_the_points():
    rng = np.random.default_rng(0)
    subset, classes = rng.normal(size=(1, 60)), target_of(rng.integers(3, size=60))
    first, again = (residual_targets(classes, KernelRidge(subset, ENGINE)) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_functions_of_a_class_are_means_over_all_points_that_it_could_be():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    classes = (rng.uniform(size=200) < 1 / (1 + np.exp(-3 * x))).astype(int)
    residuals = residuals_of_target(target_of(classes), KernelRidge(x[None], ENGINE))
    places = rng.uniform(size=(4000, 200))
    points = residuals.low[0] + places * (residuals.high[0] - residuals.low[0])
    drawn = np.mean([polynomials(version) for version in points], axis=0)
    # A polynomial has a spread of at most one over an interval: 5 standard errors of 4000 points are 0.08.
    exact = expected_polynomials(residuals.low[0], residuals.high[0])
    np.testing.assert_allclose(exact, drawn, atol=0.08)
    np.testing.assert_array_equal(residual_functions(residuals)[0], standardised(exact))


def test_the_first_function_of_a_class_is_its_plain_residual():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    classes = (rng.uniform(size=200) < 1 / (1 + np.exp(-x))).astype(int)
    target = target_of(classes)
    residuals = residuals_of_target(target, KernelRidge(x[None], ENGINE))
    assert np.all((residuals.low >= 0) & (residuals.low < residuals.high) & (residuals.high <= 1))
    # Of a probability, which a prediction near 0 or 1 may overshoot.
    probable = np.clip(target.components - residuals.raw, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    expected = standardised(target.components - probable)[0]
    np.testing.assert_allclose(residual_functions(residuals)[0][0], expected, atol=1e-9)
