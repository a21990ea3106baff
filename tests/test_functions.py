"""The pieces as functions: values, tests and choices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infosift import (
    KSG,
    DataWarning,
    GaussianCopula,
    Histogram,
    InputError,
    MutualInfoSelector,
    NeighborError,
    choose_criterion,
    choose_n_neighbors,
    mutual_information,
    permutation_test,
    resample_mutual_information,
    score_candidates,
)
from infosift.data.prepare import to_unit_spread
from infosift.inference.nulls import RandomPermutations
from infosift.inference.permutation import PermutationIndices
from infosift.inference.statistics.neighbors import JointInformation
from infosift.results import CriterionChoice
from infosift.search.resampling import _halves
from oracle import ksg
from samples import friedman
from studies.simulated import walks

QUICK = ["ksg", "gaussian-copula", "series", "histogram"]


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
    indices = PermutationIndices(RandomPermutations(60, seed=5, step=0), 60)(range(1, 40))
    null = [ksg(np.vstack([surrogate, beside]), target, 4, 1) for surrogate in column[0][indices]]
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
    monkeypatch.setattr(JointInformation, "scores", lambda *_: np.zeros((20, 1, 1)))
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
        (lambda X, y: mutual_information(X, np.nan * y), 'The target "y" has no value in any row'),
        (lambda X, y: mutual_information(X, y, missing="fill"), "missing must be one of partial, drop, error"),
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


FUNCTIONS = (
    *(mutual_information, score_candidates, resample_mutual_information),
    *(permutation_test, choose_n_neighbors, choose_criterion),
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("rows", [[], [1.0]])
def test_tables_without_rows_are_refused_in_one_sentence(function, rows):
    with pytest.raises(InputError, match=rf"^An estimate needs at least 2 rows, and .* n_samples={len(rows)}\.$"):
        function(rows, rows)


def test_given_features_without_rows_are_named():
    X, y = friedman(0, n=30)
    for call in (lambda: score_candidates(X, y, []), lambda: permutation_test(X[:, 0], y, given=[])):
        with pytest.raises(InputError, match='the table has 30 rows and "given" has 0: give as many of both'):
            call()


GAPS = {
    "mutual_information": lambda X, y, **options: mutual_information(X, y, **options),
    "score_candidates": lambda X, y, **options: score_candidates(X[:, :1], y, given=X[:, 1:], **options)[0],
    "resample": lambda X, y, **options: resample_mutual_information(X, y, random_state=0, **options).mean,
    "choose": lambda X, y, **options: float(choose_n_neighbors(X, y, random_state=0, **options).t.max()),
    "test": lambda X, y, **options: permutation_test(X[:, 0], y, X[:, 1], random_state=0, **options).statistic,
}


@pytest.mark.parametrize("name", GAPS)
def test_missing_values_are_used_around_dropped_or_refused(name):
    X, y = friedman(0, n=80)
    X, y = X[:, :2], y.copy()
    X[::9, 0], X[1, 1], y[:4] = np.nan, np.nan, np.nan
    complete = ~np.isnan(X).any(axis=1) & ~np.isnan(y)
    with pytest.warns(
        DataWarning, match=r"^Rows without a target are left out: 4 of 80\. Values are missing \(9 of"
    ):
        partial = GAPS[name](X, y)
    with pytest.warns(DataWarning, match=r"^12 of 80 rows had missing values and were dropped \(9 of .*, 1 of"):
        dropped = GAPS[name](X, y, missing="drop")
    assert dropped == GAPS[name](X[complete], y[complete]) != partial
    assert np.isfinite(partial)
    with pytest.raises(InputError, match=r'has a missing value .* with missing="partial", or drop .*"drop"'):
        GAPS[name](X, y, missing="error")
    with pytest.warns(DataWarning, match=r"^Rows without a target are left out: 4 of 80\.$"):
        GAPS[name](np.nan_to_num(X), y, missing="error")


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


def few(n):
    """Four features of Friedman's problem, two of them informative."""
    X, y = friedman(0, n=n)
    return X[:, 3:7], y


@pytest.fixture(scope="module")
def choice():
    return choose_criterion(*few(60), QUICK, n_folds=8, n_halves=4, random_state=3)


def test_t_is_that_of_the_choice_of_k():
    X, y = friedman(1, n=50)
    choice = choose_criterion(X, y, [KSG(max_neighbors=6)], n_folds=8, n_halves=2, random_state=5)
    of_k = choose_n_neighbors(X, y, max_neighbors=6, n_folds=8, random_state=5)
    assert choice.t.tolist() == [of_k.t.max()]
    assert (choice.value, choice.features) == (of_k.n_neighbors, (of_k.feature,))
    assert choice.runner_up is choice.margin is None
    assert choice.share == 1


def test_halves_are_tables_of_their_own():
    # The columns of a half keep the scale of the whole table, to which a copula is blind.
    X, y = friedman(1, n=51)
    choice = choose_criterion(X, y, ["gaussian-copula"], n_folds=8, n_halves=4, random_state=5)
    halves = _halves(51, 4, seed=5)
    assert [len(half) for half in halves] == [25] * 4
    assert not set(halves[0]) & set(halves[1])
    assert not set(halves[2]) & set(halves[3])
    assert set(halves[0]) not in (set(halves[2]), set(halves[3]))
    alone = [
        choose_criterion(X[half], y[half], ["gaussian-copula"], n_folds=8, n_halves=2, random_state=5).t[0]
        for half in halves
    ]
    np.testing.assert_allclose(choice.half_t[0], alone)


def test_the_largest_t_decides(choice):
    order = np.argsort(-choice.t)
    assert choice.criterion == QUICK[order[0]]
    assert choice.runner_up == QUICK[order[1]]
    assert choice.value == choice.values[order[0]]
    assert choice.share == np.mean(choice.half_t.argmax(axis=0) == order[0])
    differences = choice.half_t[order[0]] - choice.half_t[order[1]]
    assert choice.margin == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert (choice.n_folds, choice.n_rows, choice.half_t.shape, choice.noise_t.shape) == (8, 60, (4, 4), (4,))


def test_each_criterion_is_on_its_own(choice):
    backwards = choose_criterion(*few(60), QUICK[::-1], n_folds=8, n_halves=4, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(backwards.t[::-1], choice.t)
    assert backwards.criterion == choice.criterion


def test_survives_json(choice):
    again = CriterionChoice.from_json(choice.to_json())
    assert again == choice
    assert [type(value) for value in again.values] == [int, type(None), type(None), int]


def test_what_is_not_monotone_takes_a_criterion_that_sees_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    noise = 0.3 * rng.normal(size=120)
    options = {"criteria": ["ksg", "gaussian-copula"], "n_folds": 10, "random_state": 0}
    wave = choose_criterion(X, np.sin(3 * X[:, 0]) + noise, **options)
    assert (wave.criterion, wave.share, wave.features[0]) == ("ksg", 1.0, "x0")
    assert wave.margin > 2
    assert wave.t[0] > 5 * wave.noise_t[0]
    assert wave.t[1] < 3 * max(wave.noise_t)


@pytest.mark.simulation
def test_the_figures_show_that_there_is_nothing_to_see():
    # In noise the criterion that compares most values has the largest t, as often as not in all halves. That its t
    # is that of noise is seen from the other figure: never far above it in ten tables.
    times_above = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        choice = choose_criterion(X, y, ["ksg", "series"], n_folds=8, n_halves=4, random_state=seed)
        times_above.append(choice.t[0] / choice.noise_t[0])
    assert 0.5 < np.median(times_above) < 2
    assert max(times_above) < 4


def test_all_criteria_that_take_the_data():
    rng = np.random.default_rng(0)
    kind = np.array(list("ab"))[rng.integers(2, size=40)]
    table = pl.DataFrame({"kind": kind, "x": rng.normal(size=40)})
    options = {"n_folds": 3, "n_halves": 2, "random_state": 0}
    choice = choose_criterion(table, (kind == "a") + 0.1 * rng.normal(size=40), **options)
    assert {"ksg", "quadratic", "delta", "series"} <= set(choice.criteria)
    assert not {"ksg2", "gaussian-copula"} & set(choice.criteria)
    of_numbers = choose_criterion(rng.normal(size=(40, 1)), rng.normal(size=40), **options)
    assert len(of_numbers.criteria) == 10
    with pytest.raises(InputError, match='"kind" is discrete, and the criterion is for numbers only'):
        choose_criterion(table, rng.normal(size=40), ["ksg2"], **options)


def test_objects_and_given_values():
    X, y = friedman(0, n=60)
    criteria = [Histogram(4), Histogram(8), GaussianCopula()]
    choice = choose_criterion(X, y, criteria, n_folds=6, n_halves=2, random_state=0)
    assert choice.criteria == ("Histogram(bins=4)", "Histogram(bins=8)", "GaussianCopula()")
    assert choice.values == (4, 8, None)


def test_long_tables_are_sampled():
    X, y = friedman(0, n=200)
    choice = choose_criterion(X, y, ["series"], n_folds=5, n_halves=2, max_rows=50, random_state=0)
    assert choice.n_rows == 50


def test_what_is_chosen_can_be_used(choice):
    selector = MutualInfoSelector(method="published", criterion=choice.criterion, max_features=1, random_state=0)
    assert selector.fit(*few(60)).selection_.names[0] in choice.features


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"criteria": "ksg"},
            r'criteria must be a list of names and objects, such as \["ksg", "series"\], not .*\.',
        ),
        ({"criteria": []}, r"criteria is an empty list: give those to compare, or None for all\."),
        ({"criteria": ["nothing"]}, r"criterion must be one of ksg, .* not 'nothing'\."),
        ({"criteria": [Histogram(1)]}, r'bins must be "auto" or an integer of at least 2, not 1\.'),
        ({"n_folds": 1}, r"n_folds must be an integer of at least 2, not 1\."),
        ({"n_halves": 0}, r"n_halves must be an integer of at least 2, not 0\."),
        ({"n_halves": 5}, r"n_halves must be even, not 5: each half has another that shares no row\."),
        ({"max_rows": 3}, r"max_rows must be an integer of at least 12, not 3\."),
    ],
)
def test_bad_choices_are_explained(options, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        choose_criterion(*friedman(0, n=40), **options)


def test_there_must_be_something_to_choose_by():
    with pytest.raises(InputError, match="nothing to choose a criterion by: give one that varies"):
        choose_criterion(np.ones((20, 1)), np.arange(20.0) ** 2, ["series"])
    with pytest.raises(InputError, match="with 30 folds needs at least 8 rows, and the table has n_samples=7"):
        choose_criterion(np.arange(7.0)[:, None] ** 2, [1.0, 3.0, 4.0, 2.0, 7.0, 6.0, 5.5], ["series"])
