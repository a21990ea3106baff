"""Which of several candidates: leave-one-out in closed form, and no chance in the answer."""

import numpy as np
import pytest

from infosift.data.groups import FeatureUnit
from infosift.inference.ranking import best_of, leave_one_out_error
from samples import conditional_on


def test_leave_one_out_against_fitting_without_each_row():
    rng = np.random.default_rng(0)
    functions, target = rng.normal(size=(3, 40)), rng.normal(size=40)
    errors = []
    for row in range(40):
        others = np.arange(40) != row
        design = np.column_stack([np.ones(39), functions[:, others].T])
        weights = np.linalg.lstsq(design, target[others], rcond=None)[0]
        errors.append(target[row] - weights[0] - functions[:, row] @ weights[1:])
    assert abs(leave_one_out_error(functions, target[None]) - np.mean(np.square(errors))) < 1e-4


def test_the_candidate_that_explains_most_is_best_whatever_the_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 200))
    X[2] = X[1] + 0.3 * rng.normal(size=200)  # a poor copy
    y = X[0] + X[1] + 0.3 * rng.normal(size=200)
    for seed in range(5):
        first = conditional_on(X, y, [], seed=seed)
        assert first.units[best_of(first, [1, 2])] == FeatureUnit("x1", (1,))
        second = conditional_on(X, y, [0], seed=seed)
        assert second.units[best_of(second, [0, 1, 2])] == FeatureUnit("x1", (1,))


def test_a_product_with_the_subset_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 200))
    y = X[0] * X[1] + 0.1 * rng.normal(size=200)
    conditional = conditional_on(X, y, [0])
    assert conditional.units[best_of(conditional, [0, 1])] == FeatureUnit("x1", (1,))


@pytest.mark.parametrize("subset", [(), (0,)])
def test_of_the_eight_of_largest_effect_the_one_of_least_error_is_best(subset):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        conditional = conditional_on(rng.normal(size=(13, 60)), rng.normal(size=60), subset)
        places = list(range(1, 12))
        effects, errors = conditional.effects([0])[0], {}
        for i in places:
            functions = conditional.functions([i])[0].smooth
            products = [conditional.subset_functions[0] * functions[0]] if subset else np.empty((0, 60))
            errors[i] = leave_one_out_error(np.concatenate([functions, products]), conditional.raw_residuals)
        assert best_of(conditional, places) == min(sorted(places, key=lambda i: -effects[i])[:8], key=errors.get)


def test_a_feature_that_only_says_how_far_off_the_target_is_explains_nothing_of_it():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3, 300))
    y = 0.4 * X[1] + np.exp(0.8 * X[0]) * rng.normal(size=300)
    conditional = conditional_on(X, y)
    effects = conditional.effects([0])[0]
    assert effects[0] > effects[1]
    assert best_of(conditional, [0, 1, 2]) == 1
