"""Which pairs of features are tested, against going through all of them one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift.significance import pairs
from infosift.significance.pairs import promising_pairs


def standard(values):
    centred = values - values.mean()
    return centred / values.std() if values.std() > 0 else centred


def all_one_by_one(columns, wanted, count):
    forms = [(standard(column), standard(standard(column) ** 2)) for column in columns]
    fits = {
        (i, j): round(max(abs(np.sum(a * b * y)) for y in wanted for a in forms[i] for b in forms[j]), 9)
        for i, j in combinations(range(len(columns)), 2)
    }
    return sorted(sorted(fits, key=lambda pair: (-fits[pair], pair))[:count])


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 3), st.booleans(), st.integers(1, 50))
def test_the_promising_pairs_are_those_of_all_pairs(seed, n_columns, n_wanted, few_values, rows_at_once):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_columns, 20))
    if few_values:  # many pairs are equally good, and some columns are constant
        columns = np.round(columns / 2)
    wanted = rng.normal(size=(n_wanted, 20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_ROWS_AT_ONCE", rows_at_once)
        found = promising_pairs(columns, wanted, 12)
    assert found == all_one_by_one(columns, wanted, 12)


def test_of_very_many_columns_those_that_are_informative_alone_are_paired(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(50, 100))
    wanted = columns[[17]] + columns[[31]] ** 2
    monkeypatch.setattr(pairs, "_MOST_COLUMNS", 2)
    assert promising_pairs(columns, wanted - wanted.mean(), 12) == [(17, 31)]
