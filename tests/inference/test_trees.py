"""The target by trees and a smooth regression: which jumps are followed, and that no row predicts itself."""

import numpy as np
import pytest

from infosift.engines.base import ThreadEngine
from infosift.inference import kernel_ridge
from infosift.inference.kernel_ridge import KernelRidge

ENGINE = ThreadEngine(1)


def errors_of(truth, noise=0.3, n=300, columns=1):
    """Mean squared errors about the truth, with trees and without them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(columns, n))
    y = truth(x) + noise * rng.normal(size=n)
    regression = KernelRidge(x, ENGINE)
    predictions = regression.predict_with_jumps(y[None]), regression.predict(y[None])
    return [float(np.mean((own[0] - truth(x)) ** 2)) for own in predictions]


@pytest.mark.parametrize(
    ("truth", "columns", "share"),
    [
        (lambda x: (x[0] > 0.3) * 1.0, 1, 0.5),
        (lambda x: x[0] + 3 * np.sign(x[0]), 1, 0.5),
        (lambda x: ((x[0] > 0) & (x[1] > 0)) * 1.0, 2, 0.7),
        # Where nothing jumps, they hardly harm.
        (lambda x: x[0], 1, 1.1),
        (lambda x: np.sin(2 * x[0]) + x[1], 2, 1.1),
    ],
)
def test_jumps_are_followed_and_smooth_functions_as_well_as_before(truth, columns, share):
    with_trees, without = errors_of(truth, columns=columns)
    assert with_trees <= share * without


def test_components_are_predicted_one_by_one_and_a_constant_one_by_itself():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 80))
    components = np.stack([np.sign(x[0]), x[1], np.full(80, 2.5)])
    regression = KernelRidge(x, ENGINE)
    together = regression.predict_with_jumps(components)
    for component, own in zip(components, together, strict=True):
        np.testing.assert_allclose(regression.predict_with_jumps(component[None])[0], own, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together[2], 2.5)


@pytest.mark.parametrize("grouped", [False, True])
def test_no_row_is_in_the_sample_of_a_tree_that_predicts_it_nor_its_group(grouped):
    rng = np.random.default_rng(2)
    x, groups = rng.normal(size=(1, 120)), np.repeat(np.arange(30), 4)
    regression = KernelRidge(x, ENGINE, row_groups=groups if grouped else None)
    target = (x[0] > 0) + 0.1 * rng.normal(size=120)
    first = regression._predict_by_trees(target[None])[0]
    own = groups == 7 if grouped else np.arange(120) == 7
    changed = target.copy()
    changed[own] += 100
    again = regression._predict_by_trees(changed[None])[0]
    np.testing.assert_array_equal(again[own], first[own])
    assert not np.array_equal(again, first)


def test_of_very_many_rows_some_are_drawn(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "_MOST_DRAWN", 50)
    rng = np.random.default_rng(3)
    regression = KernelRidge(rng.normal(size=(1, 211)), ENGINE)
    samples = regression._samples()
    assert samples.shape == (64, 211)
    assert set(samples.sum(axis=1)) == {50}
