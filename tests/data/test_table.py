"""The table: standardised, ties broken, what cannot be tested left out, units where they matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from infosift._kernel import CATEGORY_GAP
from infosift.data.columns import NamedColumns
from infosift.data.groups import FeatureUnit
from infosift.data.table import make_table
from infosift.errors import InputError
from samples import friedman, make_selector


def table_of(*columns, target=None, discrete=(), **options):
    values = np.array(columns, dtype=float)
    target = np.random.default_rng(9).normal(size=values.shape[1]) if target is None else target
    names = tuple(f"c{i}" for i in range(len(values)))
    features = NamedColumns(names, values, discrete=frozenset(discrete))
    return make_table(features, NamedColumns(("y",), np.array([target], dtype=float)), 0, **options)


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


def unscaled_table(*columns, **options):
    return table_of(*columns, scale="none", **options)


def unscaled(X, y, **options):
    options = {"method": "published", "n_neighbors": 6, "n_permutations": 19, "random_state": 0, **options}
    return make_selector(scale="none", **options).fit(X, y).selection_


@given(
    seed=st.integers(0, 1000),
    powers=st.lists(st.integers(-12, 12), min_size=5, max_size=5),
    k=st.integers(1, 10),
    criterion=st.sampled_from(["ksg", "ksg2"]),
)
@settings(max_examples=60, deadline=None)
def test_estimates_are_those_of_the_columns_as_they_are(seed, powers, k, criterion):
    rng = np.random.default_rng(seed)
    units = 10.0 ** np.array(powers)
    X = rng.normal(size=(60, 4)) * units[:4]
    y = (X / units[:4]) @ [2.0, 1.0, 0.5, 0.0] * units[4]
    selection = unscaled(X, y, n_neighbors=k, criterion=criterion)
    selected = []
    for step in selection.steps:
        for candidate, found in zip(step.candidates, step.candidate_information, strict=True):
            expected = oracle.ksg(X.T[[*selected, candidate]], y[None], k, 2 if criterion == "ksg2" else 1)
            assert found == pytest.approx(expected, abs=1e-9)
        selected.append(step.index)


@pytest.mark.parametrize("method", ["published", "calibrated"])
def test_one_unit_for_all_columns_does_not_matter(method):
    X, y = friedman(3)
    plain = make_selector(method, scale="none", random_state=0).fit(X, y).selection_
    for unit in (2.0**40, 2.0**-40, 1e300, 1e-290):
        other = make_selector(method, scale="none", random_state=0).fit(X * unit, y * unit).selection_
        assert other.names == plain.names
        assert [step.p_value for step in other.steps] == [step.p_value for step in plain.steps]


def test_units_of_single_columns_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = X.sum(axis=1) + 0.1 * rng.normal(size=150)
    plain = unscaled(X, y, keep=[0]).steps[0]
    assert plain.accepted
    small = unscaled(X * [1.0, 1e-9], y, keep=[0]).steps[0]
    assert not small.accepted  # it changes no distance, and neither do its shuffled copies
    np.testing.assert_array_equal(small.null, np.full(19, small.null[0]))
    assert make_selector(scale="standard", random_state=0).fit(X * [1.0, 1e-9], y).selection_.names


def test_points_are_the_columns_but_for_one_factor_and_a_shift():
    rng = np.random.default_rng(1)
    columns = [rng.normal(5, 3, 40), rng.uniform(0, 1e6, 40), 1e12 + rng.normal(size=40)]
    target = rng.normal(0, 50, 40)
    table = unscaled_table(*columns, target=target)
    factor = np.ptp(table.distance_columns[1]) / np.ptp(columns[1])
    for points, values in zip([*table.distance_columns, *table.distance_target], [*columns, target], strict=True):
        np.testing.assert_allclose(points - points[0], (values - values[0]) * factor, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(table.columns.std(axis=1), 1)


def test_noise_on_ties_is_a_share_of_the_spread():
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 5, 60) * 1e-6
    table = unscaled_table(counts, rng.normal(size=60) * 1e6)
    small, large = table.distance_columns
    unit = np.ptp(large) / np.ptp(table.columns[1]) * 1e-12  # of the counts beside the large numbers
    in_steps = (small - small.min()) / np.ptp(small) * 4
    assert len(np.unique(small)) == 60
    assert 0 < np.abs(in_steps - np.round(in_steps)).max() < 1e-8
    assert 0.1 * unit < np.ptp(small) < 10 * unit


def test_a_change_of_unit_is_a_duplicate_still():
    length = np.random.default_rng(3).normal(size=30)
    table = unscaled_table(length, 1024 * length, -length)
    assert table.duplicates == {1: 0}
    assert table.digests[0] == table.digests[1]
    # In groups both may be candidates, and then equal scores are ordered by the unit too.
    groups = (FeatureUnit("metres", (0,)), FeatureUnit("millimetres", (1,)))
    table = unscaled_table(length, 1024 * length, feature_groups=groups)
    assert table.duplicates == {}
    assert table.digest(groups[0]) != table.digest(groups[1])


def test_a_copy_of_a_kept_feature_in_another_unit_is_no_candidate():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    X = np.column_stack([X, 4 * X[:, 0]])
    with pytest.warns(UserWarning, match="Duplicates"):
        selection = unscaled(X, X[:, 0] + X[:, 1], keep=[3])
    assert all(0 not in step.candidates for step in selection.steps)


def test_categories_beside_large_numbers_are_farther_than_any_number():
    rng = np.random.default_rng(5)
    colour = rng.integers(0, 3, 80)
    length = rng.normal(size=80) * 1e30
    table = unscaled_table(length, colour, target=length + 1e30 * (colour == 1), discrete=[1])
    assert np.abs(table.distance_columns[0]).max() < 10
    assert set(table.distance_columns[1]) == {CATEGORY_GAP, 2 * CATEGORY_GAP, 3 * CATEGORY_GAP}
    y = length + 5e30 * (colour == 1)
    selection = unscaled(np.stack([length, colour], axis=1), y, discrete_features=[1])
    expected = oracle.mixed([(colour, np.ones(80, dtype=bool))], [(y / 1e30, np.zeros(80, dtype=bool))], 6)
    place = selection.steps[0].candidates.index(1)
    assert selection.steps[0].candidate_information[place] == pytest.approx(expected, abs=1e-9)


def test_partly_discrete_numbers_keep_their_categories():
    rng = np.random.default_rng(6)
    rain = np.where(rng.uniform(size=100) < 0.3, 0.0, rng.gamma(2, 1e9, size=100))
    steady, dry = rng.normal(size=100), rain == 0
    table = unscaled_table(rain, steady)
    assert set(table.distance_columns[0][dry]) == {CATEGORY_GAP}
    assert table.distance_columns[0][~dry].std() == pytest.approx(1)
    assert table.distance_columns[1].std() == pytest.approx(steady.std() / rain[~dry].std())


def test_only_categories_weigh_one():
    table = unscaled_table([0, 1, 0, 1, 2, 2], target=[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], discrete=[0])
    np.testing.assert_array_equal(table.distance_scale[0], [1.0])
    constant = unscaled_table(
        np.ones(6), [1e9, 2e9, 4e9, 3e9, 9e9, 7e9], target=[1, 2, 4, 8, 16, 32.0], ignored=[1]
    )
    np.testing.assert_array_equal(constant.distance_scale[0], [1.0, 1.0])
    np.testing.assert_array_equal(constant.distance_scale[1], [1.0])


def test_units_that_no_float_can_compare_are_refused():
    rng = np.random.default_rng(7)
    message = r'and "c1" \(standard deviation .*\) is too far from "c0" \(.*\) for that: change the unit'
    with pytest.raises(InputError, match=message):
        unscaled_table(rng.normal(size=20) * 1e-100, rng.normal(size=20) * 1e100)


def test_the_kind_of_each_column_is_stored_and_stays_with_some_of_the_rows():
    rng = np.random.default_rng(0)
    rain = np.where(np.arange(60) < 20, 0.0, rng.gamma(2, size=60))
    columns = [rng.normal(size=60), rng.integers(0, 3, size=60), rain, np.ones(60)]
    assert table_of(*columns, discrete=[1, 3]).is_categorical.tolist() == [False, True, True, False]
    table = table_of(*columns, discrete=[1, 3], special_apart=False)
    assert table.is_categorical.tolist() == [False, True, False, False]
    assert table.discrete == (1,)
    part = table.take(np.arange(10, 40))
    assert part.is_categorical is table.is_categorical
    np.testing.assert_array_equal(part.target.columns, table.target.columns[:, 10:40])
