"""Sparse tables are taken with their zeros where there is room for these."""

import numpy as np
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
