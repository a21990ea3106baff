"""Leaks: all kinds are named, and strong honest features are not."""

import numpy as np
import pytest

import leaky_tables
from infosift.data.frames import read_array
from infosift.data.leaks import CUTS, ORDER, VALUES, leaks_of
from infosift.data.table import make_table
from infosift.data.targets import decide_kinds, read_target
from studies.simulated import series


def table_of(X, y, **options):
    target = read_target(y)
    kinds = decide_kinds(target, "auto")
    return make_table(read_array(X).mark_discrete("auto"), target, 0, target_kinds=kinds, **options)


def leaks_in(table):
    return leaks_of((table.columns, table.is_categorical), table.target, table.row_groups)


def found(sample):
    return [(leak.feature, leak.is_after) for leak in leaks_in(table_of(sample.X, sample.y))]


def test_there_are_twenty_kinds():
    assert len(leaky_tables.LEAKS) == 20


@pytest.mark.parametrize("name", leaky_tables.LEAKS)
def test_each_kind_is_named(name):
    for seed in range(3):
        sample = leaky_tables.leak(name, seed)
        assert found(sample) == [(6, "after" in name)]


def test_strong_honest_features_are_not_named():
    # At an accuracy of 0.97, 200 rows without an error of one of two features: 2 * 0.97^200 = 0.005 of tables; at
    # 0.01, the level of the rule, at most two of a hundred are expected at any strength, and none by R².
    numbers = [leaky_tables.honest(seed, 200, np.linspace(0.5, 0.95, 100)[seed]) for seed in range(100)]
    classes = [
        leaky_tables.honest(seed, 200, np.linspace(0.7, 0.97, 100)[seed], classes=True) for seed in range(100)
    ]
    assert sum(bool(found(sample)) for sample in numbers) == 0
    assert sum(bool(found(sample)) for sample in classes) <= 2


def test_how_a_feature_leaks():
    rng = np.random.default_rng(0)
    x, label = rng.normal(size=300), rng.integers(0, 3, size=300).astype(float)
    assert [leak.how for leak in leaks_in(table_of(-np.exp(x)[:, None], x))] == [ORDER]
    assert [leak.how for leak in leaks_in(table_of(label[:, None] * 2.5, label))] == [VALUES]
    assert [leak.how for leak in leaks_in(table_of(x[:, None], np.digitize(x, [-0.4, 0.5])))] == [CUTS]
    # A target of numbers that repeat, by codes without an order.
    counts = rng.integers(0, 60, size=600).astype(float)
    codes = rng.permutation(60)[counts.astype(int)] * 1.0
    assert [leak.how for leak in leaks_in(table_of(codes[:, None], counts))] == [VALUES]


def test_the_target_of_the_row_before_was_known():
    y = series(np.random.default_rng(0), 300, 1, 0.95)[:, 0]
    assert leaks_in(table_of(np.roll(y, 1)[:, None], y)) == []
    smooth = np.cumsum(np.cumsum(np.random.default_rng(1).normal(size=400)))
    assert leaks_in(table_of(np.roll(smooth, 1)[:, None], smooth)) == []
    assert [leak.is_after for leak in leaks_in(table_of(np.roll(smooth, -1)[:, None], smooth))] == [True]


def test_a_sorted_table_makes_no_leak_of_an_honest_feature():
    rng = np.random.default_rng(0)
    y = np.sort(rng.normal(size=300))
    X = np.column_stack([y > 0, np.round(y + 0.3 * rng.normal(size=300)), y + 0.3 * rng.normal(size=300)])
    assert leaks_in(table_of(X, y)) == []


def test_gaps_groups_and_what_is_not_looked_at():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    X = np.column_stack([np.where(rng.uniform(size=200) < 0.3, np.nan, y), rng.normal(size=200), 2 * y])
    assert [leak.feature for leak in leaks_in(table_of(X, y))] == [0, 2]
    assert [leak.feature for leak in leaks_in(table_of(X, y, ignored=(0,)))] == [2]
    groups = np.repeat(np.arange(20), 10)
    after = np.concatenate([np.roll(own, -1) for own in np.split(y, 20)])
    assert [leak.is_after for leak in leaks_in(table_of(after[:, None], y, row_groups=groups))] == [True]
    assert leaks_in(table_of(X[:15, 1:], y[:15])) == []


def test_the_order_of_the_columns_does_not_matter():
    sample = leaky_tables.leak("a copy but for 1e-3", 0)
    X = np.column_stack([sample.X, 3 * sample.y])
    assert {leak.feature for leak in leaks_in(table_of(X, sample.y))} == {6, 7}
    assert {leak.feature for leak in leaks_in(table_of(X[:, ::-1], sample.y))} == {0, 1}
