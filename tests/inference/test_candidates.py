"""Candidates in a block: functions and series of some against those of all, nothing kept."""

import numpy as np
import pytest

from infosift.criteria.rank_basis import functions_of
from infosift.engines.base import SpreadColumns
from infosift.inference import candidates as module
from infosift.inference.candidates import Subset, candidates_beside, functions_of_some
from infosift.inference.series import make_series
from infosift.inference.surrogates import surrogates_of
from samples import conditional_of_groups as make


def candidates_of(conditional):
    """All candidates in one block."""
    (block,) = conditional.blocks
    return block


def watch_series(monkeypatch):
    """Return the numbers of candidates of the series that will be made."""
    made = []
    monkeypatch.setattr(
        module, "make_series", lambda functions: made.append(len(functions)) or make_series(functions)
    )
    return made


@pytest.mark.parametrize("subset", [(), (0,), (0, 2)])
@pytest.mark.parametrize("classes", [False, True])
def test_scores_are_those_of_each_draw(monkeypatch, subset, classes):
    conditional = make(subset, classes=classes)
    monkeypatch.setattr(module, "_VALUES_IN_CACHE", 1)
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", 3)
    n_units = len(conditional.units)
    found = candidates_of(conditional).scores(conditional.target, range(5, 28), slice(0, n_units))
    assert found.shape == (23, n_units, (3 if classes else 1) * (5 if subset else 4))
    for draw, scores in enumerate(found, 5):
        moved = conditional.target.series.moved(conditional.sources([draw]))
        series = make_series(conditional.functions(range(n_units)))
        np.testing.assert_array_equal(scores, series.scores(moved)[0])


@pytest.mark.parametrize("subset", [(), (0, 2)])
@pytest.mark.parametrize("keeps", [False, True])
def test_series_of_some_candidates_at_a_time_have_the_same_bits(monkeypatch, subset, keeps):
    draws, whole = range(6), make(subset)
    target, n_units, every = whole.target, len(whole.units), slice(0, len(whole.units))
    made = watch_series(monkeypatch)
    scores = candidates_of(whole).scores(target, draws, every)
    effects = candidates_of(whole).effects(target, draws)
    assert made == [n_units]  # once for both
    monkeypatch.setattr(module, "_VALUES_OF_SERIES", 2 * 8 * 80)
    monkeypatch.setattr("infosift.inference.conditional._MOST_VALUES_KEPT", 10**9 if keeps else 0)
    parted, of_all = candidates_of(make(subset)), [2] * (n_units // 2) + [1] * (n_units % 2)
    assert len(of_all) > 1
    made.clear()
    for _ in range(2):
        np.testing.assert_array_equal(parted.scores(target, draws, every), scores)
    np.testing.assert_array_equal(parted.effects(target, draws), effects)
    assert made == of_all * (1 if keeps else 3)
    made.clear()
    np.testing.assert_array_equal(parted.scores(target, draws, slice(2, n_units + 5)), scores[:, 2:])
    np.testing.assert_array_equal(parted.scores(target, draws, slice(1, 2)), scores[:, 1:2])
    assert made == ([] if keeps else of_all[1:]) + [1]


@pytest.mark.parametrize("subset", [(), (0,)])
def test_a_target_is_met_as_the_sources_of_a_draw_have_it(subset):
    target = make(subset).target
    moved = target.moved([4, 0, 70])
    np.testing.assert_array_equal(moved, target.series.moved(target.sources([4, 0, 70])))
    np.testing.assert_array_equal(moved[:, :, 1], target.series.functions)  # draw 0 is the data


@pytest.mark.parametrize(
    ("in_cache", "most", "draws", "expected"),
    [
        (1, 10**9, 64, 64),  # enough to be worth a product
        (1, 5, 64, 5),  # of long columns, as many as there is room for
        (100, 5, 64, 100),  # of short ones, all that fit
        (0, 0, 64, 1),
    ],
)
def test_as_many_draws_at_once_as_are_worth_a_product(monkeypatch, in_cache, most, draws, expected):
    target = make().target
    monkeypatch.setattr(module, "_VALUES_IN_CACHE", in_cache * target.series.functions.size)
    monkeypatch.setattr(module, "_MOST_VALUES", most * target.series.functions.size)
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", draws)
    assert target.at_once() == expected


def beside(null="residual", subset=(0,), units=((3, 6, 1), (2,), (8, 4))):
    """Candidates of some columns of a table that lies in three blocks, and these columns one after the other."""
    conditional = make(subset, null=null)
    columns = conditional.bench.table.columns
    positions = [i for unit in units for i in unit]
    pieces = SpreadColumns((0, 2, 7), (columns[:2], columns[2:7], columns[7:])).pieces(positions)
    regression = conditional.bench.regression(subset) if null == "residual" and subset else None
    asked = (pieces, tuple(len(unit) for unit in units))
    found = candidates_beside(asked, Subset(null, 0, regression, None, 16, np.arange(80)), True)
    return found, columns[positions], surrogates_of(columns[positions], null, regression, 0), conditional.sources


def test_candidates_have_their_columns_one_after_the_other():
    candidates, columns, _, _ = beside()
    assert [own.tolist() for own in candidates.units] == [[0, 1, 2], [3], [4, 5]]
    np.testing.assert_array_equal(candidates.columns, columns)
    assert candidates.n_rows == 80


def test_functions_of_a_group_are_those_of_all_its_columns():
    candidates, columns, _, _ = beside(subset=())
    of_columns = functions_of(columns)
    for places in ([2, 0], [1], [0, 1, 2]):
        for place, own in zip(places, functions_of_some((candidates, places)), strict=True):
            members = [of_columns[i] for i in candidates.units[place]]
            np.testing.assert_array_equal(own.smooth, np.concatenate([member.smooth for member in members]))
            np.testing.assert_array_equal(own.steps, np.concatenate([member.steps for member in members]))


def test_a_block_says_how_large_it_is_with_what_it_will_keep():
    candidates, _, _, _ = beside()
    kept = make_series(candidates.functions(range(3)))
    least = candidates.columns.nbytes + candidates.surrogates.residuals().nbytes
    assert candidates.__sizeof__() >= least + kept.functions.nbytes + kept.steps.nbytes
