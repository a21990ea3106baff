"""Candidates and target conditional on a subset: draws of a step, residuals, and the same bits in any blocks."""

from itertools import product

import numpy as np
import pytest

from infosift.data.groups import FeatureUnit
from infosift.engines.base import ColumnBlocks, ThreadEngine, equal_parts
from infosift.inference.conditional_test import ConditionalTest
from infosift.inference.statistics.neighbors import NeighborStatistic
from infosift.inference.statistics.pairs import PairStatistic
from infosift.inference.statistics.series import SeriesStatistic, effects_of
from infosift.registry import NULLS
from samples import conditional_on, drawn_columns


def make(subset=(), n_rows=90, n_columns=4, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, n_rows))
    return conditional_on(X, X[0] + rng.normal(size=n_rows), subset, **{"seed": 3, "step": 2, **options})


def test_another_step_or_seed_has_other_draws():
    indices = [make(**options).indices([0, 1]) for options in ({}, {"step": 3}, {"seed": 4})]
    assert [len({tuple(own[draw]) for own in indices}) for draw in (0, 1)] == [1, 3]


def test_row_groups_are_shuffled_whole():
    for index in make((1,), row_groups=np.repeat(np.arange(30), 3)).indices(range(1, 20)):
        np.testing.assert_array_equal(index[1::3], index[::3] + 1)
        assert np.all(index[::3] % 3 == 0)


def test_a_regression_is_made_once_for_a_subset():
    context = make().context
    assert context.regression((0, 1)) is context.regression((0, 1))
    assert context.regression((0, 1)) is not context.regression((1, 0))


@pytest.mark.parametrize("n_rows", [90, 450])  # 450 are predicted by a part of them
def test_residuals_do_not_depend_on_the_seed(n_rows):
    first, second = (make((0, 1), n_rows, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(first.raw_residuals, second.raw_residuals)
    of_candidates = [drawn_columns(test, [(0, np.arange(2))], of_residuals=True)[0] for test in (first, second)]
    np.testing.assert_array_equal(*of_candidates)
    assert np.any(first.indices([1]) != second.indices([1]))


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("subset", [(), (1,)])
def test_residuals_of_candidates_are_tested_where_a_null_has_them(null, subset):
    test = make(subset, null=null, residuals=True)
    assert test.tests_residuals == (bool(subset) and null in ("residual", "shuffle"))
    assert not make(subset, null=null).tests_residuals
    assert test.is_series_only == (bool(subset) and null == "circular")


def test_a_long_table_has_surrogates_in_some_of_its_rows():
    test = make((1,), n_rows=2500)
    assert len(test.rows) == 1000
    assert (test.rows[0], test.rows[-1]) == (0, 2499)
    whole = ConditionalTest(test.context, test.subset, test.units, 0, all_rows=True)
    np.testing.assert_array_equal(whole.rows, np.arange(2500))


def test_a_step_is_about_the_rows_that_have_the_subset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 90))
    X[1, :30], X[2, 60:] = np.nan, np.nan
    context = conditional_on(X, X[0] + rng.normal(size=90)).context
    assert context.on_complete_rows([0]) is context
    restricted = context.on_complete_rows([0, 1]).table.target
    np.testing.assert_array_equal(restricted.columns, context.table.target.columns[:, 30:])
    assert context.on_complete_rows([1, 2]).table.n_rows == 30


class BlocksOf(ThreadEngine):
    """Has so many candidates in a block, and a table in blocks of two columns."""

    def __init__(self, size, n_jobs):
        super().__init__(n_jobs)
        self.size = size

    def parts(self, n_items, most, step=1):
        return equal_parts(n_items, self.size)

    def distribute(self, columns):
        parts = equal_parts(len(columns), 2)
        return ColumnBlocks(tuple(part.start for part in parts), tuple(columns[part] for part in parts))


def of_many_kinds(subset=(), *, classes=False, with_gaps=False, **options):
    """Candidates with unlike numbers of functions: numbers, categories and groups."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 90))
    X[2], X[5] = rng.integers(0, 2, size=90), rng.integers(0, 6, size=90)
    y = X[0] + X[1]
    y = np.digitize(y, [-0.7, 0.7]).astype(float) if classes else y
    if with_gaps:
        X[[0, 1, 5, 8]] = np.where(rng.uniform(size=(4, 90)) < 0.2, np.nan, X[[0, 1, 5, 8]])
    groups = (FeatureUnit("a pair", (1, 5)), FeatureUnit("four", (3, 4, 6, 7)))
    return conditional_on(X, y, subset, discrete=(2, 5), feature_groups=groups, residuals=True, **options)


def arrays_of(test):
    """All that statistics need of candidates, and these themselves."""
    n_units = len(test.units)
    positions = np.random.default_rng(1).permutation(n_units)[: n_units - 2].tolist()
    arrays = [array for own in test.blocks.functions(positions) for array in own]
    draws = [(0, np.array(positions)), (3, np.arange(n_units))]
    for of_residuals in (False, True) if test.tests_residuals else (False,):
        arrays += drawn_columns(test, draws, of_residuals=of_residuals)
    series = SeriesStatistic(test, "testing")
    for sample in (series.sample(9), series.sample(29)):
        arrays += [sample.observed, sample.n_exceed, sample.max_statistics]
    arrays.append(effects_of(test, [4, 0, 70]))
    if test.is_series_only:
        return arrays
    pairs, neighbors = PairStatistic(test, "testing"), NeighborStatistic(test, "testing")
    arrays += [pairs.scores(range(10)), pairs.best_pair]
    return [*arrays, neighbors.scores(range(3)), neighbors.screened_best]


CASES = {
    "numbers": {},
    "classes": {"classes": True},
    "gaps": {"with_gaps": True},
    "local": {"null": "local"},
    "circular": {"null": "circular"},
    "row groups": {"row_groups": np.repeat(np.arange(30), 3)},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("subset", [(), (0, 2)])
@pytest.mark.parametrize("is_screened", [False, True])
def test_blocks_and_threads_change_no_bits(monkeypatch, case, subset, is_screened):
    if is_screened:
        monkeypatch.setattr(NeighborStatistic, "max_candidates", 4)
        monkeypatch.setattr(PairStatistic, "max_features", 4)
    whole = of_many_kinds(subset, **CASES[case])
    assert len(whole.blocks.handles) == 1
    expected = arrays_of(whole)
    # 1 is the smallest block, 3 divides nothing evenly, and 100 is more than a block of the table has.
    for size, n_jobs in product((1, 3, 100), (1, 2, 4)):
        test = of_many_kinds(subset, engine=BlocksOf(size, n_jobs), **CASES[case])
        # A block has no more candidates than it may, and none of two blocks of the table.
        blocks_of_table = [[unit.columns[0] // 2 for unit in test.units[part]] for part in test.blocks.slices]
        assert all(len(own) <= size and len(set(own)) == 1 for own in blocks_of_table)
        assert len(test.blocks.handles) == len(blocks_of_table) > 1
        for own, other in zip(arrays_of(test), expected, strict=True):
            np.testing.assert_array_equal(own, other)
