"""Conditional on a subset: draws that depend on their number only, stay within strata, and block by block."""

import numpy as np
import pytest

from infosift.criteria.rank_functions import functions_of
from infosift.data.feature_groups import Unit
from infosift.significance import conditional as module
from infosift.significance.series import make_series
from infosift.significance.strata import strata_of
from samples import conditional_on


def make(subset=(), n_rows=90, n_columns=4, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_columns, n_rows))
    return conditional_on(X, X[0] + rng.normal(size=n_rows), subset, **{"seed": 3, "step": 2, **options})


def of_many_kinds(subset=(), **options):
    """Candidates with unlike numbers of functions: numbers, categories and groups."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 90))
    X[2], X[5] = rng.integers(0, 2, size=90), rng.integers(0, 6, size=90)
    groups = (Unit("a pair", (1, 5)), Unit("four", (3, 4, 6, 7)))
    return conditional_on(X, X[0] + X[1], subset, discrete=(2, 5), feature_groups=groups, **options)


@pytest.mark.parametrize("subset", [(), (1,)])
def test_a_draw_is_the_same_whichever_are_asked_before_or_with_it(monkeypatch, subset):
    first, second, third = (make(subset) for _ in range(3))
    numbers = [0, 1, 63, 64, 200]
    sources = {draw: first.sources([draw])[0] for draw in numbers}
    for draw in (200, 1, 64, 0, 63):
        np.testing.assert_array_equal(second.sources([draw])[0], sources[draw])
        np.testing.assert_array_equal(np.sort(sources[draw]), np.arange(90))
    np.testing.assert_array_equal(sources[0], np.arange(90))
    assert len({tuple(source) for source in sources.values()}) == 5
    monkeypatch.setattr(module, "_MOST_SOURCES", 1)  # those of the last draws only are kept
    for asked in (numbers, numbers[::-1], [64, 0, 64]):
        np.testing.assert_array_equal(third.sources(asked), [sources[draw] for draw in asked])


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
    assert bench.smoother((0, 1)) is bench.smoother((0, 1))
    assert bench.smoother((0, 1)) is not bench.smoother((1, 0))


def test_the_data_are_draw_zero():
    conditional = make((1,))
    columns = conditional.bench.table.columns[[0, 2, 3]]
    np.testing.assert_array_equal(conditional.copies(0), columns)
    np.testing.assert_array_equal(conditional.copies(0, np.array([2, 0])), columns[[2, 0]])
    np.testing.assert_allclose(conditional.surrogates.draw(np.arange(90)), columns, atol=1e-12)
    assert conditional.surrogates.residuals().shape == (3, 90)
    whole = conditional.copies(5)
    np.testing.assert_array_equal(conditional.copies(5, np.array([2, 0])), whole[[2, 0]])
    assert np.mean(whole == columns) < 0.1


@pytest.mark.parametrize("n_rows", [90, 450])  # 450 are predicted by a part of them
def test_residuals_do_not_depend_on_the_seed(n_rows):
    first, second = (make((0, 1), n_rows, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(first.raw_residuals, second.raw_residuals)
    np.testing.assert_array_equal(first.surrogates.residuals(), second.surrogates.residuals())
    assert np.any(first.sources([1]) != second.sources([1]))


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


@pytest.mark.parametrize("subset", [(), (0, 2)])
@pytest.mark.parametrize("kept", [False, True])
def test_candidates_in_blocks_have_the_same_bits(monkeypatch, subset, kept):
    draws = range(6)
    whole = of_many_kinds(subset)
    n_units = len(whole.units)
    (block,) = whole.blocks(slice(0, n_units))
    assert block == slice(0, n_units)
    moved = whole.target.moved(whole.sources(draws))
    scores, effects = whole.series(block).scores(moved), whole.effects(draws)
    monkeypatch.setattr(module, "_VALUES_OF_SERIES", 2 * 8 * 90)
    monkeypatch.setattr(module, "_MOST_VALUES_KEPT", 10**9 if kept else 0)
    parted = of_many_kinds(subset)
    blocks = parted.blocks(slice(0, n_units + 5))
    assert [i for own in blocks for i in range(own.start, own.stop)] == list(range(n_units))
    assert len(blocks) == -(-n_units // 2) > 1
    assert parted.blocks(slice(1, 2)) == [slice(1, 2)]
    for _ in range(2):
        found = np.concatenate([parted.series(own).scores(moved) for own in blocks], axis=1)
        np.testing.assert_array_equal(found, scores)
    np.testing.assert_array_equal(parted.effects(draws), effects)
    assert (parted.series(blocks[0]) is parted.series(blocks[0])) == kept


def test_effects_are_those_of_the_series_in_each_draw():
    conditional = of_many_kinds((0,))
    series = make_series(conditional.functions(range(len(conditional.units))))
    for draw, effects in zip((4, 0, 70), conditional.effects([4, 0, 70]), strict=True):
        moved = conditional.target.moved(conditional.sources([draw]))
        np.testing.assert_allclose(effects, series.effects(moved)[0], rtol=1e-12)


def test_a_step_looks_at_the_rows_that_have_the_subset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 90))
    X[1, :30], X[2, 60:] = np.nan, np.nan
    bench = conditional_on(X, X[0] + rng.normal(size=90), allow_missing=True).bench
    assert bench.on_whole_rows([0]) is bench
    np.testing.assert_array_equal(bench.on_whole_rows([0, 1]).table.target, bench.table.target[:, 30:])
    assert bench.on_whole_rows([1, 2]).table.n_rows == 30
