"""Conditional on a subset: draws of its own step, within strata, and candidates in blocks."""

from itertools import product

import numpy as np
import pytest

from infosift.criteria.rank_basis import functions_of
from infosift.data.groups import FeatureUnit
from infosift.engines.base import SpreadColumns, equal_parts, joined_columns
from infosift.engines.threads import ThreadEngine
from infosift.inference import conditional as module
from infosift.inference import drawn_scores, pair_series
from infosift.inference.drawn_scores import DrawnScores
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.pair_series import PairSeries
from infosift.inference.series import make_series
from infosift.inference.strata import strata_of
from samples import conditional_on


def make(subset=(), n_rows=90, n_columns=4, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, n_rows))
    return conditional_on(X, X[0] + rng.normal(size=n_rows), subset, **{"seed": 3, "step": 2, **options})


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
    return conditional_on(X, y, subset, discrete=(2, 5), feature_groups=groups, **options)


def copies(conditional, asked, **options):
    """The columns of copies for each draw and places, brought here one by one."""
    found, rows = conditional.copies(asked, **options), conditional.rows_of_copies
    units = [conditional.units[place] for _, places in asked for place in places]
    of_units = [
        joined_columns(found.columns.pieces(range(first, first + len(unit.columns))))
        for unit, first in zip(units, found.firsts, strict=True)
    ]
    ends = np.cumsum([len(places) for _, places in asked])
    return [
        np.concatenate([np.empty((0, len(rows))), *of_units[end - len(places) : end]])
        for end, (_, places) in zip(ends, asked, strict=True)
    ]


def test_another_step_or_seed_has_other_draws():
    sources = [make(**options).sources([0, 1]) for options in ({}, {"step": 3}, {"seed": 4})]
    assert [len({tuple(own[draw]) for own in sources}) for draw in (0, 1)] == [1, 3]


def test_beside_a_subset_rows_are_shuffled_within_strata():
    conditional = make((1,))
    strata = strata_of(conditional.given)
    assert len(np.unique(strata)) > 1
    for source in conditional.sources(range(1, 20)):
        np.testing.assert_array_equal(strata[source], strata)


def test_row_groups_are_shuffled_whole():
    row_groups = np.repeat(np.arange(30), 3)
    for source in make((1,), row_groups=row_groups).sources(range(1, 20)):
        np.testing.assert_array_equal(source[1::3], source[::3] + 1)
        np.testing.assert_array_equal(source[2::3], source[::3] + 2)
        assert np.all(source[::3] % 3 == 0)


def test_a_regression_is_made_once_for_a_subset():
    bench = make().bench
    assert bench.regression((0, 1)) is bench.regression((0, 1))
    assert bench.regression((0, 1)) is not bench.regression((1, 0))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_data_are_draw_zero(n_jobs):
    conditional = make((1,), n_jobs=n_jobs)
    columns, rows, every = conditional.bench.table.columns[[0, 2, 3]], np.arange(90), np.arange(3)
    some, few = np.array([2, 0]), np.array([5, 80, 3])
    found = copies(conditional, [(0, every), (0, some)])
    np.testing.assert_array_equal(found[0], columns)
    np.testing.assert_array_equal(found[1], columns[[2, 0]])
    drawn = [block.surrogates.draw(rows) for block in conditional.blocks]
    np.testing.assert_allclose(np.concatenate(drawn), columns, atol=1e-12)
    (residuals,) = copies(conditional, [(0, every)], of_residuals=True)
    assert residuals.shape == (3, 90)
    whole, *others = copies(conditional, [(5, every), (5, some), (0, some), (5, every[:0])])
    for own, expected in zip(others, (whole[[2, 0]], columns[[2, 0]], whole[:0]), strict=True):
        np.testing.assert_array_equal(own, expected)
    in_few_rows = make((1,), n_jobs=n_jobs)
    in_few_rows.rows_of_copies = few
    np.testing.assert_array_equal(copies(in_few_rows, [(0, some)])[0], columns[[2, 0]][:, few])
    np.testing.assert_array_equal(copies(in_few_rows, [(5, some)])[0], whole[[2, 0]][:, few])
    (shuffled,) = copies(in_few_rows, [(5, some)], of_residuals=True)
    np.testing.assert_array_equal(shuffled, residuals[[2, 0]][:, conditional.sources([5])[0, few]])
    assert np.mean(whole == columns) < 0.1


def residuals_of(conditional):
    return copies(conditional, [(0, np.arange(len(conditional.units)))], of_residuals=True)[0]


@pytest.mark.parametrize("n_rows", [90, 450])  # 450 are predicted by a part of them
def test_residuals_do_not_depend_on_the_seed(n_rows):
    first, second = (make((0, 1), n_rows, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(first.raw_residuals, second.raw_residuals)
    np.testing.assert_array_equal(residuals_of(first), residuals_of(second))
    assert np.any(first.sources([1]) != second.sources([1]))


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
@pytest.mark.parametrize("subset", [(), (1,)])
def test_there_are_residuals_where_surrogates_have_them(null, subset):
    conditional = make(subset, null=null)
    (block,) = conditional.blocks
    assert conditional.has_residuals == (bool(subset) and block.surrogates.residuals() is not None)


def test_functions_of_a_group_are_those_of_all_its_columns():
    conditional = of_many_kinds()
    of_columns = functions_of(conditional.bench.table.columns)
    places = [3, 0, 1, 2]
    found = conditional.functions(places)
    for place, own in zip(places, found, strict=True):
        members = [of_columns[i] for i in conditional.units[place].columns]
        np.testing.assert_array_equal(own.smooth, np.concatenate([member.smooth for member in members]))
        np.testing.assert_array_equal(own.steps, np.concatenate([member.steps for member in members]))
    assert max(len(own.smooth) for own in found) == 12


@pytest.mark.parametrize("room", ["for all", "for none"])
def test_series_are_kept_where_those_of_all_candidates_have_a_place(monkeypatch, room):
    conditional = of_many_kinds(n_jobs=2)
    n_values = len(conditional.units) * 8 * 90
    monkeypatch.setattr(module, "_MOST_VALUES_KEPT", n_values if room == "for all" else n_values - 1)
    assert len(conditional.blocks) > 1
    assert {block.keeps for block in conditional.blocks} == {room == "for all"}


def test_effects_are_those_of_the_series_in_each_draw():
    conditional = of_many_kinds((0,), n_jobs=2)
    series = make_series(conditional.functions(range(len(conditional.units))))
    for draw, effects in zip((4, 0, 70), conditional.effects([4, 0, 70]), strict=True):
        np.testing.assert_allclose(effects, series.effects(conditional.target.moved([draw]))[0], rtol=1e-12)


@pytest.mark.parametrize("n_units_of_block", [1, 3, 100])
def test_no_block_has_more_values_than_it_may(monkeypatch, n_units_of_block):
    monkeypatch.setattr(ThreadEngine, "bytes_of_block", 8 * (n_units_of_block * 90 + 89))
    conditional = of_many_kinds()
    sizes = [len(block.units) for block in conditional.blocks]
    assert sum(sizes) == len(conditional.units)
    assert sizes == [part.stop - part.start for part in conditional.parts_of_units]
    assert max(sizes) == min(n_units_of_block, len(conditional.units))


class BlocksOf(ThreadEngine):
    """Has so many candidates in a block, and a table in blocks of two columns."""

    def __init__(self, size, n_jobs):
        super().__init__(n_jobs)
        self.size = size

    def parts(self, n_items, most, step=1):
        return equal_parts(n_items, self.size)

    def spread(self, columns):
        parts = equal_parts(len(columns), 2)
        return SpreadColumns(tuple(part.start for part in parts), tuple(columns[part] for part in parts))


def answers_of(conditional):
    """All that is asked of candidates beside a subset, as arrays."""
    n_units = len(conditional.units)
    places = np.random.default_rng(1).permutation(n_units)[: n_units - 2].tolist()
    found = [array for own in conditional.functions(places) for array in own]
    asked = [(3, np.arange(n_units)), (0, np.array(places))]
    for of_residuals in (False, True) if conditional.has_residuals else (False,):
        found += copies(conditional, asked, of_residuals=of_residuals)
    series = DrawnSeries(conditional, "testing")
    for draws in (series.draws(9), series.draws(29)):
        found += [draws.observed, draws.as_high, draws.best]
    found.append(conditional.effects([4, 0, 70]))
    if conditional.asks_only_series:
        return found
    pairs = PairSeries(conditional, "testing")
    found += [pairs.scores(range(10)), pairs.best]
    scores = DrawnScores(conditional, "testing", thorough=True)
    return [*found, scores.scores(range(3)), scores.best]


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
@pytest.mark.parametrize("screened", [False, True])
def test_blocks_and_threads_change_no_bits(monkeypatch, case, subset, screened):
    if screened:
        monkeypatch.setattr(drawn_scores, "_MOST_UNITS", 4)
        monkeypatch.setattr(pair_series, "_MOST_FEATURES", 4)
    whole = of_many_kinds(subset, **CASES[case])
    assert len(whole.blocks) == 1
    assert DrawnScores(whole, "testing").is_screened == screened
    expected = answers_of(whole)
    for size, n_jobs in product((1, 3, 100), (1, 2, 4)):
        conditional = of_many_kinds(subset, engine=BlocksOf(size, n_jobs), **CASES[case])
        # A block has no more candidates than asked for, and none of two blocks of the table.
        blocks_of_table = [
            [unit.columns[0] // 2 for unit in conditional.units[p]] for p in conditional.parts_of_units
        ]
        assert all(len(own) <= size and len(set(own)) == 1 for own in blocks_of_table)
        assert len(conditional.blocks) == len(blocks_of_table) > 1
        for found, own in zip(answers_of(conditional), expected, strict=True):
            np.testing.assert_array_equal(found, own)


def test_a_step_looks_at_the_rows_that_have_the_subset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 90))
    X[1, :30], X[2, 60:] = np.nan, np.nan
    bench = conditional_on(X, X[0] + rng.normal(size=90)).bench
    assert bench.on_whole_rows([0]) is bench
    np.testing.assert_array_equal(
        bench.on_whole_rows([0, 1]).table.target.columns, bench.table.target.columns[:, 30:]
    )
    assert bench.on_whole_rows([1, 2]).table.n_rows == 30
