"""Mutual information by nearest neighbours: numbers, categories and columns of both, against the oracle."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from sklearn.base import clone

from infosift import InputError, _kernel
from infosift.criteria.base import Scorer, as_criterion, score_each_fold
from infosift.criteria.ksg import KSG
from infosift.data.types import encode_categories
from infosift.engines.base import Question, ThreadEngine
from infosift.registry import CRITERIA
from oracle import ksg, mixed

ENGINE = ThreadEngine(1)
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


@pytest.mark.parametrize(
    "criterion", [KSG(), KSG(1), KSG(6, variant=2), KSG(max_neighbors=5), KSG(np.int64(6), max_neighbors=20)]
)
def test_takes_parameters_that_can_be_used(criterion):
    criterion.check()
    assert as_criterion(criterion) is criterion


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, r'n_neighbors must be "auto" or an integer of at least 1, not 0\.'),
        ({"n_neighbors": 2.5}, r'n_neighbors must be "auto" or an integer of at least 1, not 2\.5\.'),
        ({"n_neighbors": True}, r'n_neighbors must be "auto" or an integer of at least 1, not True\.'),
        ({"n_neighbors": "many"}, r"n_neighbors must be \"auto\" or an integer of at least 1, not 'many'\."),
        ({"max_neighbors": 0}, r"max_neighbors must be an integer of at least 1, not 0\."),
        ({"max_neighbors": 2.5}, r"max_neighbors must be an integer of at least 1, not 2\.5\."),
        ({"variant": 3}, r"variant must be one of 1, 2, not 3\."),
        (
            {"n_neighbors": 6, "max_neighbors": 12},
            r'max_neighbors=12 is for n_neighbors="auto", and n_neighbors=6 is given: leave one of them out\.',
        ),
    ],
)
def test_refuses_parameters_that_cannot_be_used_or_would_not_be(parameters, message):
    criterion = KSG(**parameters)  # constructors take anything, as scikit-learn's do
    for refused in (criterion.check, lambda: as_criterion(criterion)):
        with pytest.raises(InputError, match=f"^{message}$"):
            refused()


def test_short_names_are_the_variants():
    variants = {name: thing.variant for name, thing in CRITERIA.items() if isinstance(thing, KSG)}
    assert variants == {"ksg": 1, "ksg2": 2}
    assert [as_criterion(name).fixed_value for name in variants] == [None, None]


@pytest.mark.parametrize("asked", ["ksg3", KSG, None, 1, object()])
def test_refuses_what_is_no_criterion(asked):
    with pytest.raises(InputError, match=r"criterion must be one of ksg, .*, or an object \(KSG\(\)\), not "):
        as_criterion(asked)


def test_is_an_object_of_scikit_learn():
    criterion = KSG(6, variant=2)
    assert clone(criterion).get_params() == {"n_neighbors": 6, "max_neighbors": 20, "variant": 2}
    assert repr(criterion.set_params(n_neighbors=3)) == "KSG(n_neighbors=3, variant=2)"
    assert [KSG(variant=variant).takes_categories for variant in (1, 2)] == [True, False]


@pytest.mark.parametrize(
    ("criterion", "n_rows", "values"),
    [
        (KSG(), 100, range(1, 21)),
        (KSG(), 41, range(1, 21)),
        (KSG(), 40, range(1, 20)),
        (KSG(), 3, [1]),
        (KSG(), 2, []),
        (KSG(max_neighbors=5), 100, range(1, 6)),
        (KSG(max_neighbors=np.int64(5)), 100, range(1, 6)),
    ],
)
def test_resampling_compares_all_numbers_up_to_the_largest_or_half_the_other_rows(criterion, n_rows, values):
    assert criterion.values_to_compare(n_rows) == tuple(values)
    assert all(type(value) is int for value in criterion.values_to_compare(n_rows))


@pytest.mark.parametrize(
    ("criterion", "n_rows", "values"),
    [
        (KSG(), 1000, (10, 20)),
        (KSG(), 60, (10, 15)),
        (KSG(), 40, (10,)),
        (KSG(), 20, (5,)),
        (KSG(), 3, (1,)),
        (KSG(max_neighbors=7), 1000, (3, 7)),
        (KSG(max_neighbors=1), 1000, (1,)),
        (KSG(max_neighbors=np.int64(8)), 1000, (4, 8)),
        (KSG(6), 1000, (6,)),
        (KSG(np.int64(6)), 10, (6,)),
    ],
)
def test_the_values_tested_at_once_are_the_largest_and_half_of_it(criterion, n_rows, values):
    assert criterion.values_at_once(n_rows) == values
    assert all(type(value) is int for value in criterion.values_at_once(n_rows))


def test_refuses_fewer_rows_than_neighbours_need():
    KSG().require_rows(8, 6)
    with pytest.raises(InputError, match="n_neighbors=6 needs at least 8 rows, and the table has n_samples=7"):
        KSG().require_rows(7, 6)


@pytest.mark.parametrize("variant", [1, 2])
@pytest.mark.parametrize("n_given", [0, 2])
def test_scores_candidates_beside_the_subset(variant, n_given):
    rng = np.random.default_rng(n_given)
    candidates, given, target = (rng.normal(size=(n, 50)) for n in (4, n_given, 1))
    expected = [ksg(np.concatenate([given, one[None]]), target, 5, variant) for one in candidates]
    scorer = Scorer(KSG(variant=variant), 5, ENGINE)
    np.testing.assert_allclose(scorer(candidates, given, target), expected, atol=1e-9)
    np.testing.assert_allclose(scorer(candidates, given, target, [3, 1]), [expected[3], expected[1]], atol=1e-9)


@pytest.mark.parametrize(
    ("variant", "discrete"), [(1, "nothing"), (1, "a candidate"), (1, "the target"), (2, "nothing")]
)
@pytest.mark.parametrize("n_given", [0, 1])
@pytest.mark.parametrize("n_rows", [20, 90])  # few rows, and few folds, do not share the search
@pytest.mark.parametrize("n_folds", [3, 10])
def test_scores_without_folds_are_those_of_each_fold_alone(variant, discrete, n_given, n_rows, n_folds):
    rng = np.random.default_rng(0)
    candidates, given, target = (rng.normal(size=(n, n_rows)) for n in (4, n_given, 1))
    if discrete == "a candidate":
        candidates[1] = encode_categories(rng.integers(3, size=n_rows).astype(float))
    elif discrete == "the target":
        target[0] = encode_categories(rng.integers(3, size=n_rows).astype(float))
    folds = rng.permutation(np.arange(n_rows) % n_folds)
    for picked in (None, [2, 1]):
        question = Question(candidates, given, target, picked)
        criterion = KSG(variant=variant)
        shared = criterion.score_without_folds(question, folds, (2, 5), ENGINE)
        alone = score_each_fold(criterion, question, folds, (2, 5), ENGINE)
        assert shared.shape == (question.n_candidates, n_folds, 2)
        np.testing.assert_allclose(shared, alone, rtol=0, atol=1e-12)


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


def means(X, Y, k, algorithm="best", threads=1, instructions="best"):
    table = np.concatenate([[0.0], digamma(np.arange(1, X.shape[1] + 1))])
    neighbors = np.array(k, dtype=np.int64)
    return _kernel.digamma_means(X[-1:], X[:-1], Y, neighbors, table, 1, threads, algorithm, instructions)[0]


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
def test_every_algorithm_gives_the_same_bits(table, data):
    X, Y, k = table
    X, Y = as_array(X), as_array(Y)
    neighbors = sorted({k, *data.draw(st.sets(st.integers(1, k)))})
    expected = means(X, Y, neighbors, algorithm="dense")
    np.testing.assert_array_equal(means(X, Y, neighbors), expected)
    if X.shape[1] >= 4:
        all_instructions = ["baseline", "avx2"] if _kernel.has_avx2() else ["baseline"]
        algorithms = ["strips", "batched"] if len(X) > 1 else ["strips"]
        for algorithm, instructions, threads in product(algorithms, all_instructions, (1, 2, 3)):
            ours = means(X, Y, neighbors, algorithm, threads, instructions)
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
    expected = means(X, Y, [1, 6, 20], algorithm="dense")
    for algorithm in ("strips", "batched") if n_given else ("strips",):
        np.testing.assert_array_equal(means(X, Y, [1, 6, 20], algorithm), expected)
        np.testing.assert_array_equal(means(X, Y, [6], algorithm), expected[1:2])


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
