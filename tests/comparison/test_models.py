"""Models by short name, and tables as numbers."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, r2_score

from infosift.comparison import MODELS, dummy_model, logistic_model, on_numbers, words_for


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("has_classes", [False, True])
def test_a_short_name_is_a_model_of_numbers_or_of_classes(name, has_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=40)
    y = np.where(y > 0, "high", "low") if has_classes else y
    model = MODELS[name](y, has_classes, 0)
    assert (is_classifier if has_classes else is_regressor)(model)
    score = accuracy_score if has_classes else r2_score
    assert score(y, model.fit(X, y).predict(X)) > 0.8
    assert words_for(name, has_classes)


def test_few_rows_have_few_neighbours():
    X, y = np.arange(3.0)[:, None], np.arange(3.0)
    assert MODELS["neighbors"](y, False, 0).fit(X, y).predict(X) == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(("rare", "is_searched"), [(1, False), (2, True), (10, True)])
def test_the_penalty_of_classes_is_searched_where_folds_can_have_all(rare, is_searched):
    y = np.array(["rare"] * rare + ["often"] * 20)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    last = logistic_model(y, 0).fit(X, y).steps[-1][1]
    assert hasattr(last, "best_params_") == is_searched


def test_categories_and_gaps_become_numbers():
    X = np.array([[1.0, 0.0, np.nan], [np.nan, 1.0, 5.0], [3.0, np.nan, np.nan], [5.0, 0.0, np.nan]])
    numbers = on_numbers(LinearRegression(), (2, 7, 9), {7}).fit(X, np.arange(4.0))[0]
    assert numbers.transform(X).tolist() == [
        [1, 5, 1, 0, 0],
        [3, 5, 0, 1, 0],
        [3, 5, 0, 0, 1],
        [5, 5, 1, 0, 0],
    ]
    assert numbers.transform(np.array([[0.0, 99.0, 0.0]])).tolist() == [[0, 0, 0, 0, 0]]


def test_a_column_of_gaps_is_a_constant():
    numbers = on_numbers(LinearRegression(), (0, 1), ()).fit(np.array([[1.0, np.nan], [2, np.nan]]), [0, 1])[0]
    assert numbers.transform(np.array([[3.0, 7.0]])).shape == (1, 2)


def test_of_many_categories_the_rare_ones_are_one():
    X = np.concatenate([np.arange(200.0), np.zeros(5)])[:, None]
    numbers = on_numbers(LinearRegression(), (0,), {0}).fit(X, X[:, 0])[0]
    assert numbers.transform(X).shape == (205, 50)
    # 49 categories have columns of their own, the most frequent one among them.
    assert numbers.transform(X).sum(axis=0).tolist() == [6, *[1] * 48, 151]
    assert numbers.transform(np.array([[1000.0]]))[0, -1] == 1


def test_a_dummy_says_the_same_of_all():
    X = np.zeros((3, 1))
    assert dummy_model(False).fit(X, [1.0, 2.0, 6.0]).predict(X).tolist() == [3, 3, 3]
    assert dummy_model(True).fit(X, ["a", "b", "b"]).predict(X).tolist() == ["b", "b", "b"]
