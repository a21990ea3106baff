"""What all nulls have in common: draws known by their numbers, what they keep, and how they are described."""

import pickle

import numpy as np
import pytest

from infosift import InputError
from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import functions_of
from infosift.engines.base import ThreadEngine
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.nulls import Null, RandomPermutations, ShuffleNull, as_null
from infosift.inference.permutation import PermutationIndices
from infosift.registry import NULLS

N_ROWS = 90
ROW_GROUPS = np.repeat(np.arange(30), 3)
# A null, the number of columns of the subset, and row groups.
CASES = [
    ("residual", 0, None),
    ("residual", 1, None),
    ("residual", 2, ROW_GROUPS),
    ("shuffle", 1, None),
    ("shuffle", 1, ROW_GROUPS),
    ("local", 0, None),
    ("local", 2, None),
    ("circular", 1, None),
]


def subset(n_columns, n_rows=N_ROWS):
    return np.random.default_rng(1).normal(size=(n_columns, n_rows))


def indices_of(null, n_given, row_groups=None, *, seed=3, step=2):
    shuffles = RandomPermutations(N_ROWS, seed, step, row_groups)
    return PermutationIndices(NULLS[null].permutations(subset(n_given), shuffles), N_ROWS)


def model_of(null, given):
    regression = KernelRidge(given, ThreadEngine()) if len(given) else None
    return NULLS[null].model(given, regression, 0)


@pytest.mark.parametrize("null", NULLS.values(), ids=NULLS)
def test_a_null_has_what_the_protocol_names(null):
    assert isinstance(null, Null)
    assert [name for name in Null.__annotations__ if not getattr(null, name)] == []
    assert NULLS[null.name] is null
    assert as_null(null) is as_null(null.name) is null
    assert repr(null) == f"{type(null).__name__}()"
    assert null.description.startswith(("in which ", "that "))


@pytest.mark.parametrize("value", ["residuals", None, ShuffleNull, 3, ["shuffle"]])
def test_what_is_no_null_is_refused(value):
    with pytest.raises(InputError, match="one of residual, local, shuffle, circular, or an object"):
        as_null(value)


def test_a_null_that_is_not_among_the_choices_is_refused():
    with pytest.raises(InputError, match="null must be one of residual, or an object"):
        as_null("local", {"residual": NULLS["residual"]})


@pytest.mark.parametrize(("null", "n_given", "row_groups"), CASES)
def test_draws_are_known_by_number_seed_and_step_and_the_same_elsewhere(null, n_given, row_groups):
    indices, draws = indices_of(null, n_given, row_groups), [0, 1, 63, 64, 170]  # of shifts there are no more
    expected = indices(draws)
    np.testing.assert_array_equal(expected[0], np.arange(N_ROWS))
    assert len({tuple(index) for index in expected}) == 5
    if null not in ("local", "circular"):
        np.testing.assert_array_equal(np.sort(expected, axis=1), np.tile(np.arange(N_ROWS), (5, 1)))
    for own, draw in zip(expected, draws, strict=True):
        np.testing.assert_array_equal(indices_of(null, n_given, row_groups)([draw])[0], own)
    sent = pickle.dumps(indices)
    # For each row its stratum, its group or the rows near to it, and never a draw: there are 192.
    assert len(sent) < 10 * 8 * N_ROWS
    np.testing.assert_array_equal(pickle.loads(sent)(draws), expected)
    others = [indices_of(null, n_given, row_groups, **options)([1])[0] for options in ({"step": 3}, {"seed": 4})]
    assert len({tuple(index) for index in (expected[1], *others)}) == 3


@pytest.mark.parametrize("null", ["residual", "shuffle"])
def test_row_groups_are_shuffled_whole(null):
    for index in indices_of(null, 1, ROW_GROUPS)(range(1, 20)):
        np.testing.assert_array_equal(index[1::3], index[::3] + 1)
        np.testing.assert_array_equal(index[2::3], index[::3] + 2)
        assert np.all(index[::3] % 3 == 0)


@pytest.mark.parametrize("null", NULLS)
def test_distinct_draws_are_counted_where_they_are_few(null):
    assert NULLS[null].n_distinct(50) == (99 if null == "circular" else None)


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
def test_without_a_subset_rows_are_shuffled(null):
    columns = np.stack([np.arange(20.0), (1.0 + np.arange(20) % 3) * CATEGORY_GAP])
    shuffles = RandomPermutations(20, 0, 0)
    assert NULLS[null].permutations(columns[:0], shuffles) is shuffles
    surrogates = model_of(null, columns[:0]).surrogates(columns)
    for index in shuffles(range(64))[:3]:
        np.testing.assert_array_equal(surrogates.draw(index), columns[:, index])


def table_of_both(rng, n_rows):
    columns = rng.normal(size=(4, n_rows))
    columns[1] = (1.0 + (columns[1] > 0)) * CATEGORY_GAP
    columns[3] = (1.0 + rng.integers(0, 3, size=n_rows)) * CATEGORY_GAP
    return columns


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("rows", [slice(None), np.array([5, 50, 3])], ids=["all rows", "some rows"])
def test_surrogates_of_some_columns_are_those_of_all_at_their_positions(null, rows):
    rng = np.random.default_rng(0)
    columns, given = table_of_both(rng, 60), rng.normal(size=(1, 60))
    index = NULLS[null].permutations(given, RandomPermutations(60, 0, 0))(range(64))[1]
    model = model_of(null, given)
    whole = model.surrogates(columns).draw(index)
    assert np.any(whole != columns)
    surrogates = model.surrogates(columns, rows)
    for positions in (np.array([1]), np.array([0, 2]), np.array([0, 1, 3]), np.arange(0)):
        np.testing.assert_array_equal(surrogates.draw(index, positions), whole[positions][:, rows])


@pytest.mark.parametrize("null", ["local", "shuffle"])
def test_functions_are_of_the_columns_where_nothing_is_predicted(null):
    columns = table_of_both(np.random.default_rng(0), 60)
    surrogates = model_of(null, subset(1, 60)).surrogates(columns)
    for positions in (np.arange(4), np.array([3, 0]), np.array([1])):
        for own, expected in zip(
            surrogates.functions(positions), functions_of(columns[positions], 4), strict=True
        ):
            np.testing.assert_array_equal(own.smooth, expected.smooth)
            np.testing.assert_array_equal(own.steps, expected.steps)


@pytest.mark.parametrize("null", ["residual", "local", "shuffle"])
def test_gaps_go_where_their_rows_go(null):
    rng = np.random.default_rng(0)
    given = rng.normal(size=(1, 120))
    category = rng.integers(0, 3, size=120) * CATEGORY_GAP
    columns = np.stack([given[0] + rng.normal(size=120), category, np.full(120, np.nan)])
    columns[:2][rng.uniform(size=(2, 120)) < 0.2] = np.nan
    surrogates = model_of(null, given).surrogates(columns)
    index = NULLS[null].permutations(given, RandomPermutations(120, 0, 0))(range(64))[1]
    np.testing.assert_array_equal(np.isnan(surrogates.draw(index)), np.isnan(columns[:, index]))
    np.testing.assert_allclose(surrogates.draw(np.arange(120)), columns, rtol=1e-9)  # each row takes its own value
    for column, functions in zip(columns, surrogates.functions(np.arange(3)), strict=True):
        for own in functions:
            assert not own[:, np.isnan(column)].any()


def test_local_draws_take_the_values_of_near_rows_and_few_of_them_twice():
    given, shuffles = subset(1, 200), RandomPermutations(200, 0, 2)
    drawn = NULLS["local"].permutations(given, shuffles)(range(64))[:20]
    nearest = np.argsort(np.abs(given[0][:, None] - given[0]), axis=1)[:, :5]
    for index in drawn:
        assert all(index[row] in near for row, near in enumerate(nearest))
        assert len(np.unique(index)) > 150
    assert np.mean(drawn != np.arange(200)) > 0.7


def test_fewer_rows_than_are_near_are_all_near():
    drawn = NULLS["local"].permutations(subset(1, 3), RandomPermutations(3, 0, 0))(range(64))
    np.testing.assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(3), (64, 1)))
