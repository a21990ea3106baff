"""Conditional on a subset: draws that depend on their number only, and stay within strata."""

import numpy as np
import pytest

from infosift.criteria import KSG
from infosift.data.frames import NamedColumns
from infosift.data.table import make_table
from infosift.engines.threads import ThreadEngine
from infosift.progress import Reporter
from infosift.significance.conditional import Conditional, Workbench
from infosift.significance.strata import strata_of


@pytest.fixture
def bench():
    rng = np.random.default_rng(0)
    table = make_table(
        NamedColumns(tuple("abcd"), rng.normal(size=(4, 90))),
        NamedColumns(("y",), rng.normal(size=(1, 90))),
        seed=0,
    )
    return Workbench(table, KSG(), (10, 20), ThreadEngine(1), 3, "residual", Reporter())


def make(bench, subset=()):
    units = [unit for unit in bench.table.units if unit.columns[0] not in subset]
    return Conditional(bench, subset, units, step=2)


@pytest.mark.parametrize("subset", [(), (1,)])
def test_a_draw_is_the_same_whichever_were_asked_before(bench, subset):
    first, second = make(bench, subset), make(bench, subset)
    sources = {draw: first.source(draw) for draw in (0, 1, 63, 64, 200)}
    for draw in (200, 1, 64, 0, 63):
        np.testing.assert_array_equal(second.source(draw), sources[draw])
        np.testing.assert_array_equal(np.sort(sources[draw]), np.arange(90))
    np.testing.assert_array_equal(sources[0], np.arange(90))
    assert len({tuple(source) for source in sources.values()}) == 5


def test_beside_a_subset_rows_are_shuffled_within_strata(bench):
    strata = strata_of(bench.table.columns[[1]])
    assert len(np.unique(strata)) > 1
    for draw in range(1, 20):
        np.testing.assert_array_equal(strata[make(bench, (1,)).source(draw)], strata)


def test_a_regression_is_made_once_for_a_subset(bench):
    assert bench.smoother((0, 1)) is bench.smoother((0, 1))
    assert bench.smoother((0, 1)) is not bench.smoother((1, 0))


def test_the_data_are_draw_zero(bench):
    conditional = make(bench, (1,))
    np.testing.assert_array_equal(conditional.copies(0), bench.table.columns[[0, 2, 3]])
    residuals = conditional.surrogates.residuals()
    np.testing.assert_allclose(conditional.surrogates.draw(np.arange(90)), conditional.copies(0), atol=1e-12)
    assert residuals.shape == (3, 90)
