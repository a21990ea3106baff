"""Copies of candidates in draws: some rows of their columns, wherever these lie."""

import numpy as np
import pytest

from infosift.data.prepare import scale_distances
from infosift.engines.base import SpreadColumns
from infosift.engines.threads import ThreadEngine
from infosift.inference.copies import Copies, copies_of, within_blocks
from infosift.inference.surrogates import surrogates_of
from samples import conditional_of_groups

PLACES = [np.array(places, dtype=int) for places in ((2, 0), (1,), ())]
ROWS = np.array([7, 3, 50])


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
@pytest.mark.parametrize("subset", [(), (0,)])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 10.0)])
def test_copies_are_those_of_their_columns_in_a_draw(null, subset, weights):
    conditional = conditional_of_groups(subset, null=null)
    conditional.rows_of_copies = ROWS
    (candidates,), bench = conditional.blocks, conditional.bench
    regression = bench.regression(subset) if null == "residual" and subset else None
    columns = bench.table.columns[[i for unit in conditional.units for i in unit.columns]]
    weights = None if weights is None else weights[: len(columns)]
    surrogates, source = surrogates_of(columns, null, regression, 0), conditional.sources([5])[0]
    own = [np.concatenate([np.arange(0), *(candidates.units[place] for place in places)]) for places in PLACES]
    asked = (candidates, [(draw, places) for draw in (0, 5) for places in PLACES], weights)

    def as_asked(wholes):
        found = [whole[which][:, ROWS] for whole in wholes for which in own]
        of_columns = np.concatenate(own * 2)
        return (
            np.concatenate(found)
            if weights is None
            else scale_distances(np.concatenate(found), weights[of_columns])
        )

    found = copies_of(asked, conditional.sources, of_residuals=False)
    np.testing.assert_array_equal(found, as_asked([columns, surrogates.draw(source)]))
    if null != "local":
        residuals = surrogates.residuals()
        found = copies_of(asked, conditional.sources, of_residuals=True)
        np.testing.assert_array_equal(found, as_asked([residuals, residuals[:, source]]))


def test_places_are_found_in_the_blocks_that_have_any():
    asked = [np.array([7, 0, 6]), np.array([], dtype=int), np.array([1])]
    found = within_blocks([slice(0, 2), slice(2, 5), slice(5, 9)], asked)
    assert [
        (number, [own.tolist() for own in places], [own.tolist() for own in which])
        for number, places, which in found
    ] == [(0, [[0], [], [1]], [[1], [], [0]]), (2, [[2, 1], [], []], [[0, 2], [], []])]


def test_singles_are_in_the_order_in_which_they_lie_and_groups_are_brought():
    columns = np.arange(16.0).reshape(8, 2)
    spread = SpreadColumns((0, 3, 6), (columns[:3], columns[3:6], columns[6:]))
    firsts, sizes = np.array([6, 0, 4, 1, 3]), np.array([2, 1, 2, 2, 1])
    copies = Copies(spread, firsts, sizes, ThreadEngine(1))
    assert copies.singles.tolist() == [1, 4]
    assert sorted(copies.groups) == [0, 2, 3]
    for which, found in copies.groups.items():
        np.testing.assert_array_equal(found, columns[firsts[which] : firsts[which] + 2])
    assert Copies(spread, firsts[[1, 4]], sizes[[1, 4]], ThreadEngine(1)).groups == {}
