"""The kernel and the oracle give the same numbers, on every kind of data and at every setting."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from infosift import _kernel
from infosift.criteria.ksg import KSG
from infosift.engines.base import Question, ThreadEngine
from oracle import ksg
from samples import problems

ENGINE = ThreadEngine(1)


def score(X, Y, neighbors, variant):
    """The last column of X as a candidate, given the others."""
    question = Question(candidates=X[-1:], given=X[:-1], target=Y)
    return KSG(variant=variant).score([question], neighbors, ENGINE)[0][0]


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=False))
@settings(max_examples=100)
def test_equals_the_oracle_without_ties(variant, problem):
    X, Y, k = problem
    assert score(X, Y, [k], variant)[0] == pytest.approx(ksg(X, Y, k, variant), abs=1e-9)


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=True))
@settings(max_examples=100)
def test_equals_the_oracle_with_ties(variant, problem):
    X, Y, k = problem
    assert score(X, Y, [k], variant)[0] == pytest.approx(ksg(X, Y, k, variant), abs=1e-9)


def every_algorithm(X, Y, neighbors, variant):
    """The means of digammas by every algorithm and instruction set that can take the problem."""
    algorithms = ["dense", "best"]
    if len(Y) == 1 and X.shape[1] >= 4:
        algorithms += ["strips", "batched"] if len(X) > 1 else ["strips"]
    table = np.concatenate([[0.0], digamma(np.arange(1, X.shape[1] + 1))])
    instructions = ["baseline", "avx2"] if _kernel.has_avx2() else ["baseline"]
    return {
        (algorithm, which): _kernel.digamma_means(
            X[-1:], X[:-1], Y, np.array(neighbors, dtype=np.int64), table, variant, 1, algorithm, which
        )
        for algorithm in algorithms
        for which in instructions
    }


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=True), more=st.sets(st.integers(1, 20)))
@settings(max_examples=300)
def test_every_algorithm_and_instruction_set_gives_the_same_bits(variant, problem, more):
    X, Y, k = problem
    neighbors = sorted({k, *(j for j in more if j < X.shape[1])})
    reference, *others = every_algorithm(X, Y[:1], neighbors, variant).items()
    for which, means in others:
        np.testing.assert_array_equal(means, reference[1], err_msg=str(which))


@pytest.mark.parametrize("n_given", [0, 1, 3, 6])
@pytest.mark.parametrize("kind", ["independent", "dependent", "heavy tails", "clusters", "rounded"])
def test_long_tables_too(n_given, kind):
    # Long enough for many strips, and for lists that are too short and have to fall back.
    rng = np.random.default_rng(n_given)
    X = rng.normal(size=(n_given + 1, 3000))
    y = rng.normal(size=(1, 3000))
    if kind == "dependent":
        y = X.sum(axis=0, keepdims=True) + 0.01 * y
    elif kind == "heavy tails":
        X, y = np.tan(1.5 * X), np.exp(4 * y)
    elif kind == "clusters":
        X = 1e-3 * X + rng.integers(0, 3, size=X.shape)
    elif kind == "rounded":
        X, y = X.round(1), y.round(1)
    for variant in (1, 2):
        reference, *others = every_algorithm(X, y, [3, 10], variant).items()
        for which, means in others:
            np.testing.assert_array_equal(means, reference[1], err_msg=str(which))


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=True, max_rows=200), threads=st.integers(2, 5))
@settings(max_examples=50)
def test_threads_that_share_the_rows_give_the_same_bits(variant, problem, threads):
    X, Y, k = problem
    table = np.concatenate([[0.0], digamma(np.arange(1, X.shape[1] + 1))])
    arguments = (X[-1:], X[:-1], Y, np.array([k]), table, variant)
    assert _kernel.digamma_means(*arguments, threads) == _kernel.digamma_means(*arguments)


@pytest.mark.parametrize("instructions", ["baseline", "best"])
@given(problem=problems(ties=True), n_folds=st.integers(2, 40), clumped=st.booleans(), data=st.data())
@settings(max_examples=100)
def test_folds_from_one_search_equal_each_fold_alone(instructions, problem, n_folds, clumped, data):
    X, Y, _ = problem
    n = X.shape[1]
    folds = np.arange(n, dtype=np.int64) % min(n_folds, n)
    if clumped:  # near rows in one fold, so that the lists of neighbours run out
        folds = np.sort(folds)
        X, Y = X[:, np.argsort(Y[0])], Y[:, np.argsort(Y[0])]
    fewest = n - np.bincount(folds).max()
    if fewest < 2 or n < 4:
        return
    neighbors = sorted(data.draw(st.sets(st.integers(1, min(20, fewest - 1)), min_size=1)))
    tables = [np.concatenate([[0.0], digamma(np.arange(1, m + 1))]) for m in range(n + 1)]
    k = np.array(neighbors, dtype=np.int64)
    together = _kernel.fold_digamma_means(X.copy(), Y[:1].copy(), folds, k, tables[n], instructions)
    for fold in range(folds.max() + 1):
        rows = np.flatnonzero(folds != fold)
        alone = _kernel.digamma_means(
            X[:, rows].copy(), np.empty((0, len(rows))), Y[:1, rows].copy(), k, tables[len(rows)], 1
        )
        np.testing.assert_allclose(together[:, fold], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([0, 1, 0], "number for each row"),
        ([0, 1, -1, 0], "from 0"),
        ([0, 9, 1, 2], "more folds"),
        ([0, 0, 0, 1], "fewer"),
    ],
)
def test_refuses_bad_folds(folds, message):
    columns, table = np.arange(4.0)[None], np.zeros(5)
    k = np.array([1], dtype=np.int64)
    good = np.array([0, 1, 0, 1], dtype=np.int64)
    assert _kernel.fold_digamma_means(columns, columns, good, k, table).shape == (1, 2, 1)
    with pytest.raises(ValueError, match=message):
        _kernel.fold_digamma_means(columns, columns, np.array(folds, dtype=np.int64), k, table)


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=True, max_rows=120), data=st.data())
@settings(max_examples=50)
def test_all_k_in_one_pass_equal_each_k_alone(variant, problem, data):
    X, Y, _ = problem
    possible = st.integers(1, min(20, X.shape[1] - 1))
    neighbors = sorted(data.draw(st.sets(possible, min_size=1)))
    together = score(X, Y, neighbors, variant)
    alone = [score(X, Y, [k], variant)[0] for k in neighbors]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("variant", [1, 2])
@given(problem=problems(ties=True, max_rows=100), seed=st.integers(0, 1000))
@settings(max_examples=50)
def test_order_of_rows_does_not_change_a_bit(variant, problem, seed):
    X, Y, k = problem
    order = np.random.default_rng(seed).permutation(X.shape[1])
    np.testing.assert_array_equal(
        score(X, Y, [k], variant), score(X[:, order].copy(), Y[:, order].copy(), [k], variant)
    )


@pytest.mark.parametrize("variant", [1, 2])
def test_candidates_of_a_block_do_not_influence_each_other(variant):
    rng = np.random.default_rng(0)
    candidates, given_columns, target = (rng.normal(size=(m, 80)) for m in (9, 2, 1))
    block = KSG(variant=variant).score([Question(candidates, given_columns, target)], [3, 7], ENGINE)[0]
    for row, candidate in zip(block, candidates, strict=True):
        alone = KSG(variant=variant).score([Question(candidate[None], given_columns, target)], [3, 7], ENGINE)[0]
        np.testing.assert_array_equal(row, alone[0])


def test_all_rows_equal():
    # Every distance is zero: no row is strictly closer than the first neighbour, all are as close.
    zeros = np.zeros((1, 5))
    assert score(zeros, zeros, [2], 1)[0] == pytest.approx(digamma(2) + digamma(5) - 2 * digamma(1))
    assert score(zeros, zeros, [2], 2)[0] == pytest.approx(digamma(2) - 1 / 2 + digamma(5) - 2 * digamma(4))


@given(values=st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=8))
@example(values=[0.0, 1.0, 1.0, 2.0])
def test_a_permutation_of_the_spaces_changes_nothing(values):
    # Mutual information is symmetric, and so are both estimators.
    X = np.array(values)[None]
    Y = np.array(values[::-1])[None] ** 2
    for variant in (1, 2):
        assert score(X, Y, [2], variant)[0] == score(Y, X, [2], variant)[0]


def arguments(**changes):
    good = {
        "candidates": np.zeros((1, 4)),
        "given": np.zeros((0, 4)),
        "target": np.zeros((1, 4)),
        "neighbors": np.array([1], dtype=np.int64),
        "digamma": np.zeros(5),
        "variant": 1,
    }
    return {**good, **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"candidates": np.zeros((1, 3))}, "same number of rows"),
        ({"given": np.zeros((1, 3))}, "same number of rows"),
        ({"target": np.zeros((0, 4))}, "at least one column"),
        ({"digamma": np.zeros(4)}, "each count"),
        ({"neighbors": np.array([], dtype=np.int64)}, "empty"),
        ({"neighbors": np.array([0], dtype=np.int64)}, "ascend"),
        ({"neighbors": np.array([2, 1], dtype=np.int64)}, "ascend"),
        ({"neighbors": np.array([4], dtype=np.int64)}, "at most"),
        ({"variant": 3}, "variant"),
        ({"algorithm": "shortest"}, "algorithm"),
        ({"algorithm": "batched"}, "algorithm"),
        ({"algorithm": "strips", "target": np.zeros((2, 4))}, "algorithm"),
        ({"instructions": "mmx"}, "instructions"),
    ],
)
def test_refuses_what_it_cannot_score(changes, message):
    assert _kernel.digamma_means(**arguments()).shape == (1, 1)
    with pytest.raises(ValueError, match=message):
        _kernel.digamma_means(**arguments(**changes))
