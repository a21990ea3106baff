"""From which row each takes its value: known by the number of a draw, and the same elsewhere."""

import pickle

import numpy as np
import pytest

from infosift.inference import row_sources as module
from infosift.inference.row_sources import AmongNearRows, AsDrawn, Sources, WithinStrata, shuffle_of
from infosift.inference.strata import strata_of

N_ROWS = 90


def orders_of(n_draws, n_rows=N_ROWS):
    return np.random.default_rng(0).permuted(np.tile(np.arange(n_rows), (n_draws, 1)), axis=1)


def given(n_columns, n_rows=N_ROWS):
    return np.random.default_rng(1).normal(size=(n_columns, n_rows))


def sources_of(null, n_given, *, seed=3, step=2, row_groups=None):
    shuffle = shuffle_of(null, given(n_given), seed, step, in_strata=row_groups is None)
    return Sources(null, shuffle, seed, step, N_ROWS, row_groups)


ROW_GROUPS = np.repeat(np.arange(30), 3)
CASES = [
    ("residual", 0, None),
    ("residual", 1, None),
    ("residual", 2, ROW_GROUPS),
    ("shuffle", 1, None),
    ("local", 0, None),
    ("local", 2, None),
    ("circular", 1, None),
]


@pytest.mark.parametrize(("null", "n_given", "row_groups"), CASES)
def test_a_draw_is_the_same_whichever_are_asked_before_or_with_it(monkeypatch, null, n_given, row_groups):
    first, second, third = (sources_of(null, n_given, row_groups=row_groups) for _ in range(3))
    numbers = [0, 1, 63, 64, 170]  # of shifts there are no more
    found = {draw: first([draw])[0] for draw in numbers}
    for draw in (170, 1, 64, 0, 63):
        np.testing.assert_array_equal(second([draw])[0], found[draw])
        if null not in ("local", "circular"):
            np.testing.assert_array_equal(np.sort(found[draw]), np.arange(N_ROWS))
    np.testing.assert_array_equal(found[0], np.arange(N_ROWS))
    assert len({tuple(source) for source in found.values()}) == 5
    monkeypatch.setattr(module, "_MOST_KEPT", 1)  # those of the last draws only are kept
    for asked in (numbers, numbers[::-1], [64, 0, 64]):
        np.testing.assert_array_equal(third(asked), [found[draw] for draw in asked])


class Watched:
    """Follows the orders, and remembers for which draws."""

    def __init__(self):
        self.asked = []

    def sources(self, numbers, orders):
        self.asked.append(numbers)
        return orders


def test_draws_of_a_stream_are_drawn_once_where_there_is_room(monkeypatch):
    shuffle = Watched()
    sources = Sources("residual", shuffle, 0, 0, N_ROWS, None)
    for asked in (range(5), [70, 3], range(128), [0]):
        sources(asked)
    assert shuffle.asked == [range(64), range(64, 128)]
    monkeypatch.setattr(module, "_MOST_KEPT", 2 * 64 * N_ROWS)
    sources([128])  # in place of all others
    sources([130, 0])
    assert shuffle.asked[2:] == [range(128, 192), range(64)]


@pytest.mark.parametrize("null", ["residual", "local", "circular"])
def test_another_step_or_seed_has_other_draws(null):
    found = [sources_of(null, 1, **options)([0, 1]) for options in ({}, {"step": 3}, {"seed": 4})]
    assert [len({tuple(own[draw]) for own in found}) for draw in (0, 1)] == [1, 3]


def test_row_groups_are_shuffled_whole():
    for source in sources_of("residual", 1, row_groups=ROW_GROUPS)(range(1, 20)):
        np.testing.assert_array_equal(source[1::3], source[::3] + 1)
        np.testing.assert_array_equal(source[2::3], source[::3] + 2)
        assert np.all(source[::3] % 3 == 0)


@pytest.mark.parametrize(("null", "n_given", "row_groups"), CASES)
def test_what_is_sent_elsewhere_has_no_draws_and_draws_the_same(null, n_given, row_groups):
    sources, asked = sources_of(null, n_given, row_groups=row_groups), [0, 1, 63, 64, 170]
    expected = sources(asked)
    sent = pickle.dumps(sources)
    # For each row its stratum, its group or the rows near to it, and never a number of a draw: there are 192.
    assert len(sent) < 10 * 8 * N_ROWS
    np.testing.assert_array_equal(pickle.loads(sent)(asked), expected)
    np.testing.assert_array_equal(sources([1, 170]), expected[[1, 4]])


@pytest.mark.parametrize(
    ("null", "n_given", "in_strata", "kind"),
    [
        ("residual", 1, True, WithinStrata),
        ("residual", 1, False, AsDrawn),
        ("residual", 0, True, AsDrawn),
        ("local", 1, True, AmongNearRows),
        ("local", 0, True, AsDrawn),
        ("shuffle", 1, True, AsDrawn),
        ("circular", 1, True, AsDrawn),
    ],
)
def test_each_null_has_its_shuffle(null, n_given, in_strata, kind):
    assert type(shuffle_of(null, given(n_given), 0, 0, in_strata=in_strata)) is kind


def test_orders_are_followed():
    orders = orders_of(3)
    np.testing.assert_array_equal(AsDrawn().sources(range(3), orders), orders)


def test_within_strata_no_row_leaves_its_own_and_the_order_is_followed():
    columns, orders = given(2), orders_of(20)
    strata = strata_of(columns)
    assert len(np.unique(strata)) > 1
    for source, order in zip(WithinStrata(columns).sources(range(20), orders), orders, strict=True):
        for stratum in np.unique(strata):
            np.testing.assert_array_equal(source[strata == stratum], order[strata[order] == stratum])


def test_near_rows_are_taken_and_few_of_them_twice():
    columns, orders = given(1, 200), orders_of(20, 200)
    shuffle = AmongNearRows(columns, seed=0, step=2)
    found = shuffle.sources(range(20), orders)
    nearest = np.argsort(np.abs(columns[0][:, None] - columns[0]), axis=1)[:, :5]
    for source in found:
        assert all(source[row] in near for row, near in enumerate(nearest))
        assert len(np.unique(source)) > 150
    assert np.mean(found != np.arange(200)) > 0.7
    # A draw is known by its number, whichever others are asked for with it.
    np.testing.assert_array_equal(shuffle.sources([7], orders[7:8])[0], found[7])
    assert np.any(shuffle.sources([8], orders[7:8])[0] != found[7])


def test_fewer_rows_than_are_near_are_all_near():
    columns, orders = given(1, 3), orders_of(8, 3)
    found = AmongNearRows(columns, 0, 0).sources(range(8), orders)
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(3), (8, 1)))
