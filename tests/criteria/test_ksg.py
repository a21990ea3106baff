"""The criterion object: its parameters, the numbers of neighbours it offers, and folds that share a search."""

import numpy as np
import pytest
from sklearn.base import clone

from infosift import KSG, InputError
from infosift.criteria import CRITERIA, Scorer, as_criterion
from infosift.criteria.base import score_each_fold
from infosift.data.types import encode_categories
from infosift.engines.base import Question
from infosift.engines.threads import ThreadEngine
from oracle import ksg

ENGINE = ThreadEngine(1)


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
