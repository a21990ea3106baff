"""Candidates in blocks: their functions and surrogates are those of their columns, wherever these lie."""

import numpy as np
import pytest

from infosift.criteria.rank_basis import functions_of
from infosift.data.prepare import scale_distances
from infosift.engines.base import ColumnBlocks, ThreadEngine
from infosift.inference import conditional_test as module
from infosift.inference.conditional_test import SurrogateColumns
from samples import conditional_of_groups as make
from samples import drawn_columns


def columns_of(test, positions):
    return [i for position in positions for i in test.units[position].columns]


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
@pytest.mark.parametrize("subset", [(), (0,)])
@pytest.mark.parametrize("n_jobs", [1, 3])  # candidates in one block, and in several
def test_surrogates_are_those_of_their_columns_in_a_draw(null, subset, n_jobs):
    test, rows = make(subset, null=null, n_jobs=n_jobs), np.array([7, 3, 50])
    test.rows = rows
    context = test.context
    columns = context.table.columns
    drawn = context.null.model(test.given, test.regression, context.seed).surrogates(columns)
    index = test.indices([5])[0]
    positions = [np.array(own, dtype=int) for own in ((2, 0), (1,), ())]
    draws = [(draw, own) for draw in (0, 5) for own in positions]
    whole = {0: columns, 5: drawn.draw(index)}
    for found, (draw, own) in zip(drawn_columns(test, draws), draws, strict=True):
        np.testing.assert_allclose(found, whole[draw][columns_of(test, own)][:, rows])
    if null != "local":
        residuals = {0: drawn.residuals(), 5: drawn.residuals()[:, index]}
        for found, (draw, own) in zip(drawn_columns(test, draws, of_residuals=True), draws, strict=True):
            np.testing.assert_allclose(found, residuals[draw][columns_of(test, own)][:, rows])


def test_surrogates_are_in_the_scale_of_distances():
    test = make((0,), scale="none", n_jobs=3)
    scale = test.context.table.distance_scale[0]
    drawn = test.context.null.model(test.given, test.regression, 0).surrogates(test.context.table.columns)
    expected = scale_distances(drawn.draw(test.indices([2])[0]), scale)
    every = np.arange(len(test.units))
    np.testing.assert_allclose(drawn_columns(test, [(2, every)])[0], expected[columns_of(test, every)])


def test_functions_of_a_group_are_those_of_all_its_columns():
    test = make(n_jobs=3)
    of_columns = functions_of(test.context.table.columns, 4)
    for positions in ([3, 0, 1, 2], [1], [0, 1, 2]):
        for position, own in zip(positions, test.blocks.functions(positions), strict=True):
            members = [of_columns[i] for i in test.units[position].columns]
            np.testing.assert_array_equal(own.smooth, np.concatenate([member.smooth for member in members]))
            np.testing.assert_array_equal(own.steps, np.concatenate([member.steps for member in members]))


def made_of(block, units):
    return [block.functions(units)]


@pytest.mark.parametrize("space", ["for all", "for none"])
def test_what_is_worked_out_is_kept_where_that_of_all_candidates_fits(monkeypatch, space):
    test = make(n_jobs=2)
    n_values = len(test.units) * 9 * 80
    monkeypatch.setattr(module, "_MOST_VALUES_KEPT", n_values if space == "for all" else n_values - 1)
    assert len(test.blocks.handles) > 1
    for block in test.blocks.handles:
        assert block.keeps == (space == "for all")
        kept = block.cached(made_of, range(1))
        assert (block.cached(made_of, range(1)) is kept) == block.keeps


def test_a_block_says_how_large_it_is_with_what_it_will_keep():
    (block,) = make((0,)).blocks.handles
    functions = block.functions(range(len(block.units)))
    kept = sum(own.smooth.size + own.steps.size for own in functions) * 4  # in single precision
    assert block.__sizeof__() >= block.columns.nbytes + block.surrogates.residuals().nbytes + kept


@pytest.mark.parametrize("n_units_of_block", [1, 3, 100])
def test_no_block_has_more_values_than_it_may(monkeypatch, n_units_of_block):
    monkeypatch.setattr(ThreadEngine, "block_bytes", 8 * (n_units_of_block * 80 + 79))
    test = make()
    sizes = [len(block.units) for block in test.blocks.handles]
    assert sum(sizes) == len(test.units)
    assert sizes == [part.stop - part.start for part in test.blocks.slices]
    assert max(sizes) == min(n_units_of_block, len(test.units))


def numbers_of(item):
    block, positions = item
    return [(len(block.units), position) for position in positions.tolist()]


def test_answers_are_gathered_in_the_order_of_positions():
    blocks = make(n_jobs=3).blocks
    positions = np.array([2, 0, 1, 0])
    part_of = {i: part for part in blocks.slices for i in range(part.start, part.stop)}
    expected = [(part_of[i].stop - part_of[i].start, i - part_of[i].start) for i in positions.tolist()]
    assert blocks.gather(numbers_of, positions) == expected


def test_singles_are_in_the_order_in_which_they_lie_and_groups_are_fetched():
    columns = np.arange(16.0).reshape(8, 2)
    spread = ColumnBlocks((0, 3, 6), (columns[:3], columns[3:6], columns[6:]))
    firsts, sizes = np.array([6, 0, 4, 1, 3]), np.array([2, 1, 2, 2, 1])
    surrogates = SurrogateColumns(spread, firsts, sizes, ThreadEngine(1))
    assert surrogates.singles.tolist() == [1, 4]
    assert sorted(surrogates.groups) == [0, 2, 3]
    for which, own in surrogates.groups.items():
        np.testing.assert_array_equal(own, columns[firsts[which] : firsts[which] + 2])
    assert SurrogateColumns(spread, firsts[[1, 4]], sizes[[1, 4]], ThreadEngine(1)).groups == {}
