"""Rows that belong together stay together when they are shuffled and when folds are left out."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infosift import InputError, MutualInfoSelector, Selection
from infosift.data.row_groups import read_blocks, require_enough_to_shuffle, shuffled_rows
from infosift.search.choose_k import assign_folds

labels = st.lists(st.integers(0, 5), min_size=2, max_size=40)


@given(labels=labels, seed=st.integers(0, 99))
def test_a_shuffle_is_a_permutation_that_keeps_runs_of_blocks(labels, seed):
    blocks = read_blocks(labels, len(labels))
    rows = np.arange(len(labels))
    source = shuffled_rows(rows, np.random.default_rng(seed), blocks)
    np.testing.assert_array_equal(np.sort(source), rows)
    laid_out = source[np.argsort(blocks, kind="stable")]  # block after block
    for block in np.unique(blocks):
        mine = np.flatnonzero(blocks[laid_out] == block)
        assert np.all(np.diff(mine) == 1)  # side by side
        np.testing.assert_array_equal(laid_out[mine], rows[blocks == block])  # in order


@given(n_blocks=st.integers(2, 8), size=st.integers(1, 5), seed=st.integers(0, 99))
def test_blocks_of_the_same_size_replace_each_other(n_blocks, size, seed):
    blocks = np.random.default_rng(seed).permutation(np.repeat(np.arange(n_blocks), size))
    source = shuffled_rows(np.arange(len(blocks)), np.random.default_rng(seed), blocks)
    for block in range(n_blocks):
        assert len(set(blocks[source[blocks == block]])) == 1


def test_all_orders_of_blocks_are_equally_likely():
    blocks = np.repeat([0, 1, 2], 2)
    seen = [tuple(shuffled_rows(np.arange(6), np.random.default_rng(seed), blocks)) for seed in range(3000)]
    counts = np.array([seen.count(order) for order in set(seen)])
    assert len(counts) == 6
    assert counts.min() > 500 - 5 * np.sqrt(3000 * (1 / 6) * (5 / 6))


def test_some_of_the_rows_only():
    blocks = np.repeat([0, 1, 2], 3)
    rows = np.array([0, 1, 2, 6, 7, 8])
    source = shuffled_rows(rows, np.random.default_rng(1), blocks)
    assert set(source) == set(rows)


@given(labels=labels, n_folds=st.integers(2, 10))
@settings(max_examples=50)
def test_a_block_is_in_one_fold(labels, n_folds):
    blocks = read_blocks(labels, len(labels))
    folds = assign_folds(len(labels), n_folds, 0, blocks)
    for block in np.unique(blocks):
        assert len(set(folds[blocks == block])) == 1
    assert len(set(folds)) == min(n_folds, blocks.max() + 1)


def test_without_blocks_nothing_changes():
    rows = np.arange(50)
    np.testing.assert_array_equal(
        shuffled_rows(rows, np.random.default_rng(3)), np.random.default_rng(3).permutation(50)
    )


def repeated_measures(seed, n_people=20, times=6):
    """Two columns and a target that are nothing to each other, but each the same for all rows of a person."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_people), times)
    values = rng.normal(size=(n_people, 3))[person] + 0.1 * rng.normal(size=(len(person), 3))
    return values[:, :2], values[:, 2], person


def share_of_false_choices(runs, with_blocks):
    chosen = 0
    for seed in range(runs):
        X, y, person = repeated_measures(seed)
        selector = MutualInfoSelector(method="published", n_neighbors=8, n_permutations=39, random_state=seed)
        selector.set_params(blocks=person if with_blocks else None).fit(X[:, :1], y)
        chosen += len(selector.selection_.names)
    return chosen / runs


def test_blocks_keep_the_level_that_a_plain_shuffle_loses():
    # 5 % of 100 runs is 5; ten are exceeded with probability 0.01. Within a person all rows are near each other in
    # both columns, which a plain shuffle destroys, so that it finds something nearly always.
    assert share_of_false_choices(100, with_blocks=True) <= 0.10
    assert share_of_false_choices(20, with_blocks=False) >= 0.8


def test_a_real_effect_is_still_found():
    X, _, person = repeated_measures(0)
    y = X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=len(person))
    selector = MutualInfoSelector(method="published", random_state=0, blocks=person).fit(X, y)
    assert selector.selection_.names == ("x1",)
    assert selector.selection_.settings.n_blocks == 20
    assert Selection.from_json(selector.selection_.to_json()) == selector.selection_


def test_a_column_or_an_array_of_any_kind():
    X, y, person = repeated_measures(2)
    frame = pl.DataFrame(X, schema=["a", "b"]).with_columns(person=pl.Series(person))
    options = {"n_neighbors": 5, "n_permutations": 19, "random_state": 0}
    by_column = MutualInfoSelector(method="published", blocks="person", **options).fit(frame, y).selection_
    by_name = (
        MutualInfoSelector(method="published", blocks=[f"p{p:02d}" for p in person], **options)
        .fit(frame.drop("person"), y)
        .selection_
    )
    assert [step.null.tolist() for step in by_column.steps] == [step.null.tolist() for step in by_name.steps]
    assert by_column.settings.ignore == ("person",)


def test_rows_that_are_dropped_leave_their_blocks():
    X, y, person = repeated_measures(3)
    y[person == 4] = np.nan
    selector = MutualInfoSelector(
        method="published", n_neighbors=5, random_state=0, blocks=person, missing="drop"
    ).fit(X, y)
    assert selector.selection_.settings.n_blocks == 19


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_bits_for_any_number_of_threads(n_jobs):
    X, y, person = repeated_measures(4, n_people=12)
    reference = MutualInfoSelector(method="published", random_state=1, blocks=person).fit(X, y).selection_
    again = (
        MutualInfoSelector(method="published", random_state=1, blocks=person, n_jobs=n_jobs).fit(X, y).selection_
    )
    assert [step.score for step in again.steps] == [step.score for step in reference.steps]
    np.testing.assert_array_equal(again.neighbors.t, reference.neighbors.t)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([1, 2], "one value for each of the 120 rows"),
        (np.zeros(120), "blocks has 1 block, and alpha=0.05 needs at least 4"),
        ([None] + ["a"] * 119, "no value for row 0"),
        ("person", 'blocks asks for "person", and there is no such column'),
    ],
)
def test_refuses_blocks_that_cannot_be(blocks, message):
    X, y, _ = repeated_measures(0)
    with pytest.raises(InputError, match=message):
        MutualInfoSelector(method="published", blocks=blocks, random_state=0).fit(X, y)


def test_refuses_to_choose_k_without_the_block_that_has_nearly_all_rows():
    X, y, _ = repeated_measures(0)
    blocks = np.r_[np.zeros(118), 1, 2]
    with pytest.raises(InputError, match="One block has nearly all rows"):
        MutualInfoSelector(0.2, method="published", blocks=blocks, random_state=0).fit(X, y)
    MutualInfoSelector(0.2, method="published", blocks=blocks, n_neighbors=3, random_state=0).fit(X, y)


def test_fewer_blocks_suffice_for_a_larger_level():
    assert require_enough_to_shuffle(9, np.array([0, 1, 2]), 0.2, 1.0) == 3
