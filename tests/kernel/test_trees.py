"""Bagged regression trees of the kernel, against trees that are grown and read row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from infosift import _kernel


def slow_gain(weights, target, rows):
    """The sum of squares that the mean of some rows explains."""
    return float(weights[rows] @ target[rows]) ** 2 / float(weights[rows].sum())


def slow_split(half_ranks, weights, target, rows, least_rows):
    """The column and the cut of the largest gain, or none."""
    best, most = None, slow_gain(weights, target, rows) + 1e-9 * float(weights[rows] @ target[rows] ** 2)
    for column, values in enumerate(half_ranks):
        for low, high in zip(*(lambda of: (of[:-1], of[1:]))(np.unique(values[rows])), strict=True):
            left, right = rows[values[rows] <= low], rows[values[rows] > low]
            if min(len(left), len(right)) < least_rows:
                continue
            gain = slow_gain(weights, target, left) + slow_gain(weights, target, right)
            if gain > most:
                best, most = (column, (low + high) / 2), gain
    return best


def slow_prediction(half_ranks, weights, target, size, row):
    """What the leaf predicts that a row falls into."""
    (least_rows, depth), rows = size, np.flatnonzero(weights)
    for _ in range(depth):
        split = slow_split(half_ranks, weights, target, rows, least_rows)
        if split is None:
            break
        column, cut = split
        goes_left = half_ranks[column, row] <= cut
        rows = rows[(half_ranks[column, rows] <= cut) == goes_left]
    return float(weights[rows] @ target[rows]) / float(weights[rows].sum())


@given(
    seed=st.integers(0, 2**32 - 1),
    n_columns=st.integers(1, 3),
    n_rows=st.integers(1, 30),
    n_trees=st.integers(0, 4),
    size=st.tuples(st.integers(1, 6), st.integers(0, 4)),
)
@settings(max_examples=150)
def test_trees_against_their_definition(seed, n_columns, n_rows, n_trees, size):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_columns, n_rows))
    values[-1] = rng.integers(0, 3, size=n_rows)
    half_ranks = (2 * rankdata(values, axis=1)).astype(np.int64)
    samples = rng.integers(0, 3, size=(n_trees, n_rows)).astype(np.uint16)
    targets = rng.integers(-20, 20, size=(2, n_rows)).astype(np.float64)  # whole, so that sums are exact
    predicted = _kernel.predicted_by_trees(half_ranks, samples, targets, *size)
    for target, found in zip(targets, predicted, strict=True):
        for row in range(n_rows):
            trees = [own.astype(float) for own in samples if own[row] == 0 and own.any()]
            expected = [slow_prediction(half_ranks, own, target, size, row) for own in trees]
            assert found[row] == pytest.approx(np.mean(expected) if expected else np.nan, rel=1e-12, nan_ok=True)


def test_a_step_is_followed():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 300))
    target = (x[1] > 0.3) + 0.1 * rng.normal(size=300)
    samples = np.stack([np.bincount(rng.integers(300, size=300), minlength=300) for _ in range(64)])
    half_ranks = (2 * rankdata(x, axis=1)).astype(np.int64)
    predicted = _kernel.predicted_by_trees(half_ranks, samples.astype(np.uint16), target[None], 5, 1)
    far = np.abs(x[1] - 0.3) > 0.1
    np.testing.assert_allclose(predicted[0][far], (x[1] > 0.3)[far], atol=0.05)
