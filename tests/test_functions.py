import numpy as np
import pandas as pd
import polars as pl
import pytest

from infosift import (
    KSG,
    DataWarning,
    Histogram,
    InputError,
    NeighborError,
    choose_n_neighbors,
    mutual_information,
    permutation_test,
    resample_mutual_information,
    score_candidates,
)
from infosift.data.prepare import to_unit_spread
from infosift.inference.permutation import shuffled_orders
from oracle import ksg
from samples import friedman
from studies.simulated import walks


def scaled(X):
    return np.array([to_unit_spread(column) for column in np.atleast_2d(X.T)])


@pytest.mark.parametrize("variant", [1, 2])
def test_joint_information_of_all_columns(variant):
    X, y = friedman(0, n=80)
    Y = np.column_stack([y, X[:, 9]])
    expected = ksg(scaled(X[:, :4]), scaled(Y), 5, variant)
    assert mutual_information(X[:, :4], Y, n_neighbors=5, variant=variant) == pytest.approx(expected, abs=1e-9)


def test_units_do_not_matter():
    X, y = friedman(1, n=100)
    other_units = X * [1e-9, 1e9, 1, 1, 1, 1, 1, 1, 1, 1] + 273.15 * np.eye(10)[1]
    assert mutual_information(other_units, 1e-6 * y) == pytest.approx(mutual_information(X, y), abs=1e-6)


def test_candidates_beside_given_columns():
    X, y = friedman(2, n=80)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    scores = score_candidates(frame[["c", "d"]], pl.Series(y), given=frame[["e", "f"]], n_neighbors=3)
    expected = [mutual_information(X[:, [i, 4, 5]], y, n_neighbors=3) for i in (2, 3)]
    np.testing.assert_array_equal(scores, expected)


def test_permutation_test_against_its_definition():
    X, y = friedman(3, n=60)
    options = {"n_neighbors": 4, "n_permutations": 39, "random_state": 5}
    test = permutation_test(X[:, 3], y, given=X[:, [4]], null="shuffle", **options)
    column, beside, target = scaled(X[:, 3]), scaled(X[:, 4]), scaled(y)
    copies = column[0][shuffled_orders(60, range(39), seed=5, step=0)]
    null = [ksg(np.vstack([copy, beside]), target, 4, 1) for copy in copies]
    information = ksg(np.vstack([column, beside]), target, 4, 1)
    draws = np.array([information, *null])
    np.testing.assert_allclose(test.null, (null - draws.mean()) / draws.std(), rtol=0, atol=1e-7)
    assert test.information == pytest.approx(information, abs=1e-9)
    assert test.statistic == pytest.approx((information - draws.mean()) / draws.std(), abs=1e-7)
    assert test.information_threshold == pytest.approx(sorted(null)[-2], abs=1e-9)  # of 39, alpha = 0.05
    assert test.p_value == (1 + sum(value >= information for value in null)) / 40
    assert test.n_permutations == 39


@pytest.mark.parametrize("null", ["residual", "local"])
def test_nulls_that_keep_the_dependence_on_given_features_have_their_level(null):
    # A copy that adds nothing to what is given: Binomial(60, 0.05) exceeds 9 once in 600 times.
    rng = np.random.default_rng(0)
    passed = 0
    for seed in range(60):
        given = rng.normal(size=80)
        copy, y = given + 0.5 * rng.normal(size=80), given + 0.5 * rng.normal(size=80)
        passed += permutation_test(copy, y, given, null=null, n_neighbors=8, random_state=seed).significant
    assert passed <= 9


def test_without_given_columns_all_nulls_shuffle():
    X, y = friedman(3, n=60)
    tests = [permutation_test(X[:, 3], y, null=null, random_state=1) for null in ("residual", "local", "shuffle")]
    assert tests[0] == tests[1] == tests[2]


def test_rows_that_depend_on_their_neighbours_are_named():
    sample = walks(0, 200, 2)
    frame = pd.DataFrame(sample.X, columns=["a", "b"])
    with pytest.warns(
        DataWarning, match=r'depend on those next to them .* in that of "a"\. .* too small'
    ) as caught:
        permutation_test(frame[["a"]], sample.y, random_state=0)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(DataWarning, match='in that of "a"'):
        permutation_test(frame["a"], sample.y, frame[["b"]], random_state=0)
    X, y = friedman(0, n=100)
    permutation_test(X[:, 3], y, sample.X[:100, [0]], random_state=0)  # that a given one does so is no matter


def test_a_tiny_level_takes_long(monkeypatch):
    monkeypatch.setattr("infosift.functions.null_scores", lambda *_, **__: np.zeros(19))
    X, y = friedman(0, n=60)
    said = r"^alpha=1e-05 needs at least 99,999 permutations per test, which takes long: raise alpha,"
    with pytest.warns(UserWarning, match=said):
        permutation_test(X[:, 3], y, alpha=1e-5)
    permutation_test(X[:, 3], y, alpha=1e-4)
    permutation_test(X[:, 3], y, alpha=1e-5, n_permutations=10**6)


def test_repeated_values_have_seeded_estimates():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, size=200)
    y = x + rng.integers(0, 2, size=200)
    assert mutual_information(x, y) == mutual_information(x, y)
    assert mutual_information(x, y, random_state=1) != mutual_information(x, y, random_state=2)


def test_a_column_is_the_same_candidate_beside_itself():
    # The noise that breaks ties must not make a difference between a column and itself.
    rng = np.random.default_rng(2)
    X = rng.integers(0, 6, size=(150, 2))
    y = X.sum(axis=1) + rng.normal(size=150)
    alone, beside = (
        score_candidates(X, y, given=given, random_state=np.random.default_rng(5))[0] for given in (None, X[:, 0])
    )
    assert alone == beside


@pytest.mark.parametrize("variant", [1, 2])
def test_constant_columns_have_no_information(variant):
    X, y = friedman(4)
    assert mutual_information(np.ones((100, 2)), y, variant=variant) == 0
    X[:, 1] = 7.0
    scores = score_candidates(X, y, variant=variant)
    assert scores[1] == 0
    assert np.all(np.delete(scores, 1) != 0)
    assert score_candidates(X, y, X[:, 0], variant=variant)[1] == scores[0]


def test_two_independent_discrete_columns_have_no_information():
    rng = np.random.default_rng(1)
    estimates = [
        mutual_information(rng.integers(0, 3, 400), rng.integers(0, 3, 400), random_state=seed)
        for seed in range(40)
    ]
    assert abs(np.mean(estimates)) < 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: mutual_information(X, y[:-1]), "inconsistent numbers of samples"),
        (
            lambda X, y: mutual_information(X, y, n_neighbors=59),
            "needs at least 61 rows, and .* n_samples=60",
        ),
        (
            lambda X, y: mutual_information(X, y, n_neighbors=0),
            "n_neighbors must be an integer of at least 1, not 0",
        ),
        (
            lambda X, y: mutual_information(X, y, n_neighbors=2.5),
            "n_neighbors must be an integer of at least 1, not 2.5",
        ),
        (lambda X, y: mutual_information(X, y, variant=3), "variant must be one of 1, 2, not 3"),
        (lambda X, y: mutual_information(X, y, random_state=-1), "non-negative"),
        (lambda X, y: mutual_information(X, np.where(y > y[5], np.nan, y)), "target.*missing value"),
        (lambda X, y: score_candidates(X, y, given=np.full(60, np.inf)), '"given" has an infinite value'),
        (lambda X, y: permutation_test(X, y), "x must be one feature, and it has 10 columns"),
        (lambda X, y: permutation_test(X[:, 0], y, alpha=1.5), "alpha must lie between 0 and 1, not 1.5"),
        (lambda X, y: permutation_test(X[:, 0], y, n_permutations=5), "at least 19"),
        (
            lambda X, y: resample_mutual_information(X, y, n_folds=1),
            "n_folds must be an integer of at least 2, not 1",
        ),
        (lambda X, y: resample_mutual_information(X, y, n_folds=2.5), "n_folds must be an integer"),
        (lambda X, y: choose_n_neighbors(X, y, n_folds=1), "n_folds must be an integer of at least 2, not 1"),
        (lambda X, y: choose_n_neighbors(X, y, max_neighbors=0), "max_neighbors must be an integer of at least 1"),
        (lambda X, y: choose_n_neighbors(X, y, t_threshold=-np.inf), "t_threshold must be a finite number"),
        (lambda X, y: score_candidates(X, y, n_jobs=0), "n_jobs must be a number of threads, -1 .* not 0"),
        (lambda X, y: mutual_information(X, 0 * y), 'target "y" is constant'),
    ],
)
def test_bad_input_is_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call(*friedman(0, n=60))


@pytest.mark.parametrize("function", [mutual_information, score_candidates])
@pytest.mark.parametrize("given", [{"n_neighbors": 3}, {"variant": 1}, {"variant": 2}])
def test_parameters_of_another_criterion_are_refused(function, given):
    X, y = friedman(0, n=40)
    (name,) = given
    with pytest.raises(
        InputError, match=rf"^{name}=\d is for the default criterion, and criterion='series' is given: "
    ):
        function(X, y, criterion="series", **given)


def test_a_criterion_by_name_or_object():
    X, y = friedman(0, n=60)
    default = score_candidates(X, y)
    for criterion in ("ksg", KSG(), KSG(6), None):
        np.testing.assert_array_equal(score_candidates(X, y, criterion=criterion), default)
    np.testing.assert_array_equal(
        score_candidates(X, y, criterion=KSG(3, variant=2)), score_candidates(X, y, n_neighbors=3, variant=2)
    )
    assert mutual_information(X[:, 3], y, criterion=NeighborError(3)) < 1
    with pytest.raises(InputError, match="criterion must be one of ksg"):
        mutual_information(X, y, criterion="no such")
    with pytest.raises(InputError, match=r'^bins must be "auto" or an integer'):
        mutual_information(X, y, criterion=Histogram(1))
