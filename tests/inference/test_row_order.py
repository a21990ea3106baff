"""Rows that depend on those next to them in the file are told from rows that were sorted."""

import numpy as np
import pytest

from infosift.data.frames import read_array
from infosift.data.table import make_table
from infosift.data.targets import mark_target, read_target
from infosift.engines.threads import ThreadEngine
from infosift.inference.row_order import serial_dependence
from studies.leaks import walks


def dependence(X, y, selected):
    table = make_table(read_array(X), mark_target(read_target(y), "auto"), 0)
    return serial_dependence(table.columns[list(selected)], table.target, ThreadEngine(1))


def exchangeable(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] += X[:, 0]
    return X, X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n)


def test_walks_depend_on_their_neighbours():
    # Of 100 tables whose features are selected, all are found; 19 of 20 or fewer would have a chance of 1e-7.
    found = 0
    for seed in range(20):
        sample = walks(seed, 200, 4)
        found += dependence(sample.X, sample.y, (0, 1, 2, 3)) is not None
    assert found == 20


@pytest.mark.parametrize("by", ["nothing", "target", "first", "related", "noise", "classes"])
def test_exchangeable_rows_do_not_however_they_are_sorted(by):
    # Both correlations of three standard errors by chance: less than 1e-5 of tables.
    for seed in range(10):
        X, y = exchangeable(seed)
        if by == "classes":
            y = (y > 1) * 1.0
        keys = {"target": y, "classes": y, "first": X[:, 0], "related": X[:, 2]}
        hidden = y - X[:, 0] - X[:, 1] ** 2
        order = np.argsort({**keys, "noise": hidden}[by], kind="stable") if by != "nothing" else np.arange(200)
        assert dependence(X[order], y[order], (0, 1)) is None


def test_long_tables_are_looked_at_in_stretches():
    sample = walks(0, 5000, 2)
    assert dependence(sample.X, sample.y, (0, 1)) is not None
    X, y = exchangeable(0, n=5000)
    order = np.argsort(y)
    assert dependence(X[order], y[order], (0, 1)) is None


def test_nothing_to_look_at():
    sample = walks(0, 200, 2)
    assert dependence(sample.X, sample.y, ()) is None
    assert dependence(sample.X[:20], sample.y[:20], (0, 1)) is None
