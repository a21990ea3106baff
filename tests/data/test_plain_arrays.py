"""Sparse tables are taken with their zeros where there is room for these."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from infosift import InputError, MutualInfoSelector, compare_subsets, mutual_information
from infosift.data.frames import read_columns


def counts():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.8, size=(120, 4)).astype(float)
    return X, X[:, 2] + 0.2 * rng.normal(size=120)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix])
def test_sparse_tables_are_like_dense_ones(kind):
    X, y = counts()
    selector = MutualInfoSelector(random_state=0).fit(kind(X), y)
    assert selector.selection_ == MutualInfoSelector(random_state=0).fit(X, y).selection_
    assert selector.selection_.names == ("x2",)
    transformed = selector.transform(kind(X))
    assert sparse.issparse(transformed)
    np.testing.assert_array_equal(transformed.toarray(), X[:, [2]])
    assert mutual_information(kind(X), y) == mutual_information(X, y)


def test_a_comparison_takes_sparse_tables():
    X, y = counts()
    selector = MutualInfoSelector(max_features=1, random_state=0)
    check = compare_subsets(sparse.csr_array(X), y, "ridge", selector=selector, cv=3)
    assert check == compare_subsets(X, y, "ridge", selector=selector, cv=3)


def test_a_sparse_table_without_room_for_its_zeros():
    huge = sparse.csr_array(([1.0], ([0], [0])), shape=(10**7, 10**7))
    with pytest.raises(
        InputError, match=r"needs 2,400,000 GB with its zeros, and there are [\d,]+: take fewer col"
    ):
        read_columns(huge)


NO_TABLES = {
    "one dimension": (np.arange(40.0), "have 1 dimension: pass a table"),
    "a cube": (np.zeros((40, 2, 2)), "have 3 dimensions: pass a table"),
    "a name": ("table.csv", "have 0 dimensions: pass a table"),
    "rows of several lengths": ([[1, 2], [3]] * 20, "rows or cells differ in length: give every row as many"),
    "complex numbers": (np.ones((40, 2), dtype=complex), "Complex data not supported: pass the real and the"),
    "no columns": (np.ones((40, 0)), r"0 feature\(s\) \(shape=\(40, 0\)\) while a minimum of 1 is required"),
}


@pytest.mark.parametrize("kind", NO_TABLES)
def test_what_is_no_table_is_refused_in_one_sentence(kind):
    X, said = NO_TABLES[kind]
    with pytest.raises(InputError, match=said) as refused:
        MutualInfoSelector().fit(X, np.arange(40.0))
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (3, r"y should be a 1d array, got an array of shape \(\)"),
        (np.zeros((120, 1, 1)), "Found array with dim 3, while dim <= 2 is required"),
        (np.zeros(119), "the table has 120 rows and the target has 119: give as many of both"),
        (np.zeros(120) + 1j, "Complex data not supported"),
        ([[1, 2], [3]], "rows or cells differ in length"),
    ],
)
def test_what_is_no_target_is_refused_in_one_sentence(y, said):
    X, _ = counts()
    with pytest.raises(InputError, match=said) as refused:
        MutualInfoSelector().fit(X, y)
    assert len(str(refused.value).splitlines()) == 1


def test_a_number_too_large_for_any_float_is_infinite():
    X = np.array([[1, 10**400]] * 20, dtype=object)
    with pytest.raises(InputError, match=r'"x1" has an infinite value \(inf\) in row 0'):
        MutualInfoSelector().fit(X, np.arange(20.0))


def test_a_target_without_values_is_named():
    X, _ = counts()
    with pytest.raises(InputError, match=r'^Every row has a missing value \(all values of "target"\)'):
        MutualInfoSelector(missing="drop").fit(X, np.full(120, np.nan))


def test_a_frame_without_rows_is_refused_in_one_sentence():
    with pytest.raises(InputError, match=r"0 sample\(s\) \(shape=\(0, 2\)\)"):
        MutualInfoSelector().fit(pl.DataFrame({"a": [], "b": []}, schema={"a": float, "b": float}), [])
