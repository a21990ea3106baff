"""Categories and gaps in the kernel: every path gives what the oracle says."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from infosift import _kernel
from infosift.criteria import KSG
from infosift.engines.base import Question
from infosift.engines.threads import ThreadEngine
from oracle import ksg, mixed

KINDS = {
    "number": lambda rng, n: rng.normal(size=n),
    "two": lambda rng, n: 1 + rng.integers(0, 2, size=n),
    "some": lambda rng, n: 1 + rng.integers(0, 5, size=n),
    "uneven": lambda rng, n: 1 + rng.geometric(0.4, size=n) + 10 * (rng.uniform(size=n) < 0.05),
    "many": lambda rng, n: 1 + rng.integers(0, n, size=n),
    "one": lambda rng, n: np.ones(n),
    "part": lambda rng, n: np.where(
        rng.uniform(size=n) < 0.4, rng.integers(1, 3, size=n), rng.normal(size=n) - 10
    ),
}
CATEGORIES = dict.fromkeys(KINDS, lambda values: np.ones(len(values), dtype=bool))
CATEGORIES["number"] = lambda values: np.zeros(len(values), dtype=bool)
CATEGORIES["part"] = lambda values: np.array([value is not None and value > 0 for value in values])


@st.composite
def tables(draw, max_rows=60, gaps=False, n_targets=(1, 2)):
    """Draw columns X and Y as (values, which of them are categories), and k."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 8))
    n = draw(st.integers(k + 1, max_rows))
    share = draw(st.sampled_from([0.0, 0.1, 0.5])) if gaps else 0.0

    def column(share):
        kind = draw(st.sampled_from(sorted(KINDS)))
        values = KINDS[kind](rng, n).astype(object)
        values[rng.uniform(size=n) < share] = None
        return values, CATEGORIES[kind](values)

    X = [column(share) for _ in range(draw(st.integers(1, 4)))]
    Y = [column(0.0) for _ in range(draw(st.integers(*n_targets)))]
    return X, Y, k


def as_array(columns):
    """The columns as the kernel takes them."""
    return np.array(
        [values.astype(float) * np.where(discrete, _kernel.CATEGORY_GAP, 1.0) for values, discrete in columns]
    )


def means(X, Y, k, path="best", threads=1, instructions="best"):
    table = np.concatenate([[0.0], digamma(np.arange(1, X.shape[1] + 1))])
    neighbors = np.array(k, dtype=np.int64)
    return _kernel.digamma_means(X[-1:], X[:-1], Y, neighbors, table, 1, threads, path, instructions)[0]


def estimates(X, Y, k, **how):
    """The estimate for each number of neighbours."""
    return digamma(np.array(k)) + digamma(X.shape[1]) - means(X, Y, k, **how)


@given(table=tables(gaps=True))
@settings(max_examples=150)
def test_equals_the_oracle(table):
    X, Y, k = table
    ours = estimates(as_array(X), as_array(Y), [k])[0]
    assert ours == pytest.approx(mixed(X, Y, k), abs=1e-9)


@given(table=tables(max_rows=200, n_targets=(1, 1)), data=st.data())
@settings(max_examples=300)
def test_every_path_gives_the_same_bits(table, data):
    X, Y, k = table
    X, Y = as_array(X), as_array(Y)
    neighbors = sorted({k, *data.draw(st.sets(st.integers(1, k)))})
    expected = means(X, Y, neighbors, path="dense")
    np.testing.assert_array_equal(means(X, Y, neighbors), expected)
    if X.shape[1] >= 4:
        all_instructions = ["baseline", "avx2"] if _kernel.has_avx2() else ["baseline"]
        paths = ["strips", "beside"] if len(X) > 1 else ["strips"]
        for path, instructions, threads in product(paths, all_instructions, (1, 2, 3)):
            ours = means(X, Y, neighbors, path, threads, instructions)
            np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("n_given", [0, 1, 3])
@pytest.mark.parametrize("kinds", ["nnn", "ncc", "ccn", "cnc", "nnc"])
def test_long_tables_too(n_given, kinds):
    # Long enough that lists run out: of given columns, candidate and target, each numbers or categories.
    rng = np.random.default_rng(n_given)
    n = 2000

    def column(kind, levels):
        codes = 1.0 + np.minimum(rng.geometric(3 / levels, size=n), levels)
        return codes * _kernel.CATEGORY_GAP if kind == "c" else rng.normal(size=n)

    given_columns = [column(kinds[0] if i else "n", 4) for i in range(n_given)]
    X = np.array([*given_columns, column(kinds[1], 30)])
    Y = column(kinds[2], 60)[None]
    expected = means(X, Y, [1, 6, 20], path="dense")
    for path in ("strips", "beside") if n_given else ("strips",):
        np.testing.assert_array_equal(means(X, Y, [1, 6, 20], path), expected)
        np.testing.assert_array_equal(means(X, Y, [6], path), expected[1:2])


def test_candidates_of_any_kind_in_one_block():
    rng = np.random.default_rng(0)
    n = 300
    categories = (1.0 + rng.integers(0, 4, size=(3, n))) * _kernel.CATEGORY_GAP
    candidates = np.stack([rng.normal(size=n), categories[0], rng.normal(size=n), categories[1], np.zeros(n)])
    for given_columns in (np.empty((0, n)), categories[2:], rng.normal(size=(1, n))):
        question = Question(candidates, given_columns, categories[2:])
        block = KSG(variant=1).score([question], [3, 7], ThreadEngine(1))[0]
        shared = KSG(variant=1).score([question], [3, 7], ThreadEngine(3))[0]
        np.testing.assert_array_equal(block, shared)
        for row, candidate in zip(block, candidates, strict=True):
            alone = KSG(variant=1).score(
                [Question(candidate[None], given_columns, categories[2:])], [3, 7], ThreadEngine(1)
            )
            np.testing.assert_array_equal(row, alone[0][0])


@given(table=tables(max_rows=100))
def test_is_variant_1_where_all_columns_are_numbers_without_ties(table):
    X, Y, k = table
    rng = np.random.default_rng(0)
    X, Y = (rng.normal(size=(len(columns), len(columns[0][0]))) for columns in (X, Y))
    assert estimates(X, Y, [k])[0] == pytest.approx(ksg(X, Y, k, variant=1), abs=1e-9)
    listed = [[(list(values), [False] * len(values)) for values in columns] for columns in (X, Y)]
    assert mixed(*listed, k) == pytest.approx(ksg(X, Y, k, variant=1), abs=1e-9)
