"""Features and target on one scale: unit spread, ties broken, what cannot be tested set aside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infosift import mutual_information
from infosift.data.columns import NamedColumns
from infosift.data.prepare import break_ties, on_a_grid, to_unit_spread
from infosift.data.table import make_table
from infosift.errors import InputError


def table_of(*columns, target=None, seed=0):
    values = np.array(columns, dtype=float)
    target = np.arange(values.shape[1]) if target is None else target
    names = tuple(f"c{i}" for i in range(len(values)))
    return make_table(NamedColumns(names, values), NamedColumns(("y",), np.array([target], dtype=float)), seed)


@given(arrays(float, st.integers(2, 50), elements=st.floats(-1e300, 1e300, allow_subnormal=False)))
def test_unit_spread_in_any_unit(values):
    if values.max() / 2 - values.min() / 2 == 0:
        return
    scaled = to_unit_spread(values)
    assert scaled.std() == pytest.approx(1)
    assert scaled.mean() == pytest.approx(0, abs=1e-7)
    assert np.all(np.diff(scaled[np.argsort(values)]) >= 0)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 1.1, 3.7, 10.0]), min_size=2, max_size=60).filter(
        lambda x: len(set(x)) > 1
    ),
    st.integers(0, 100),
)
def test_ties_are_broken_and_order_is_kept(drawn, seed):
    values = np.array(drawn)
    broken = break_ties(values, seed, "ties")
    assert len(np.unique(broken)) == len(values)
    assert np.abs(broken - values).max() < 1e-8
    assert np.all(np.diff(values[np.argsort(broken)]) >= 0)
    single = np.array([drawn.count(value) == 1 for value in drawn])
    if not on_a_grid(np.diff(np.unique(values))):
        np.testing.assert_array_equal(broken[single], values[single])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(50.0), True),
        (np.array([0.0, 1.0]), True),
        (np.round(np.random.default_rng(0).normal(size=40), 2), True),
        (np.array([20200101.0, 20200102.0, 20200201.0]), True),
        (np.random.default_rng(0).normal(size=40), False),
        (np.maximum(np.random.default_rng(0).normal(size=40), 0), False),
        (np.random.default_rng(0).standard_cauchy(size=1000), False),
        (np.array([-1.0, 0.0, 4e-309, 1.0]), False),
    ],
)
def test_grids_are_told_from_other_values(values, expected):
    scaled = to_unit_spread(values)
    assert on_a_grid(np.diff(np.unique(scaled))) == expected
    changed = break_ties(scaled, 0, "ties") != scaled
    assert changed.all() if expected else not changed[scaled > scaled.min()].any()


def test_information_about_a_grid_is_not_biased():
    # Unequal columns with equal steps have tied distances; without noise the mean here is 0.08, not 0.
    rng = np.random.default_rng(0)
    estimates = [
        mutual_information(np.arange(100), rng.permutation(100), n_neighbors=1, random_state=seed)
        for seed in range(200)
    ]
    assert abs(np.mean(estimates)) < 0.02


def test_noise_depends_on_seed_and_purpose_and_values():
    values = np.repeat([0.0, 1.0], 10)
    first = break_ties(values, 0, "ties")
    np.testing.assert_array_equal(first, break_ties(values, 0, "ties"))
    # Shared noise would be a false dependence between two discrete features.
    for other in (break_ties(values, 1, "ties"), break_ties(values, 0, "other")):
        assert np.all((first - values) != (other - values))
    opposite = break_ties(1 - values, 0, "ties")
    assert np.all((first - values) != (opposite - (1 - values)))


def test_constant_and_duplicate_features_are_set_aside():
    column = np.array([3.0, 1.0, 2.0, 5.0])
    table = table_of(column, np.full(4, 7.0), column, -column, [0.0, 0.0, -0.0, -0.0])
    assert table.constant == (1, 4)
    assert table.duplicates == {2: 0}
    assert table.usable == [0, 3]
    assert not table.columns[1].any()


def test_a_change_of_unit_is_a_duplicate():
    year = np.array([2001.0, 2010.0, 2004.0, 2020.0])
    assert table_of(year, year - 2000, 4 * year).duplicates == {1: 0, 2: 0}


def test_values_too_close_for_a_float_to_scale_are_constant():
    assert table_of([0.0, 5e-324, 0.0], [1.0, 2.0, 3.0]).constant == (0,)


def test_a_constant_target_is_refused():
    with pytest.raises(
        InputError, match=r'target "y" is constant \(always 2\), so no feature can be informative about it: give a'
    ):
        table_of([1.0, 2.0, 3.0], target=[2.0, 2.0, 2.0])
