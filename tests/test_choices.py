"""The choice of a criterion by the separation of features from their shuffled copies."""

import numpy as np
import polars as pl
import pytest

from infosift import (
    KSG,
    GaussianCopula,
    Histogram,
    InputError,
    MutualInfoSelector,
    choose_criterion,
    choose_n_neighbors,
)
from infosift.results import CriterionChoice
from infosift.search.resampling import _halves
from samples import friedman

QUICK = ["ksg", "gaussian-copula", "series", "histogram"]


@pytest.fixture(scope="module")
def choice():
    return choose_criterion(*friedman(0, n=60), QUICK, n_folds=8, n_halves=4, random_state=3)


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
    backwards = choose_criterion(*friedman(0, n=60), QUICK[::-1], n_folds=8, n_halves=4, random_state=3, n_jobs=2)
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
    assert selector.fit(*friedman(0, n=60)).selection_.names[0] in choice.features


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
def test_bad_input_is_explained(options, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        choose_criterion(*friedman(0, n=40), **options)


def test_there_must_be_something_to_choose_by():
    with pytest.raises(InputError, match="nothing to choose a criterion by: give one that varies"):
        choose_criterion(np.ones((20, 1)), np.arange(20.0) ** 2, ["series"])
    with pytest.raises(InputError, match="with 30 folds needs at least 8 rows, and the table has n_samples=7"):
        choose_criterion(np.arange(7.0)[:, None] ** 2, [1.0, 3.0, 4.0, 2.0, 7.0, 6.0, 5.5], ["series"])
