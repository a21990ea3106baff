"""Features to predict with: the selected ones, and those that nested cross-validation adds."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine, make_friedman1
from sklearn.linear_model import LinearRegression

from infosift import Calibrated, InputError, MutualInfoSelector, Selection
from infosift.data.groups import FeatureUnit
from infosift.display import wording
from infosift.search import prediction


def fitted(X, y, groups=None, **options):
    return MutualInfoSelector(goal="predict", random_state=0, **options).fit(X, y, groups=groups)


def weak_effects(n_rows=150, n_features=40, n_weak=15, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    return X, X[:, :n_weak].sum(axis=1) * 0.4 + rng.normal(size=n_rows)


def data_of(columns, target):
    """Return units of one function each, which is the column itself."""
    units = tuple(FeatureUnit(f"x{i}", (i,)) for i in range(len(columns)))
    own = prediction._UnitColumns.joined(np.asarray(columns, dtype=float)[:, None])
    return prediction._Data(units, own, np.ones(len(units), dtype=int), own, target)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), n_rows=st.integers(8, 20))
def test_single_units_predict_each_row_from_the_others(seed, n_rows):
    rng = np.random.default_rng(seed)
    columns, target = rng.normal(size=(2, n_rows)), rng.normal(size=(2, n_rows))
    data = data_of(columns, target)
    predict, relevance = prediction._leave_one_out(data, np.arange(n_rows))
    for i, column in enumerate(data.functions.columns):
        slow = np.empty_like(target)
        for row in range(n_rows):
            others = np.delete(np.arange(n_rows), row)
            model = LinearRegression().fit(column[others, None], target[:, others].T)
            slow[:, row] = model.predict(column[[row], None])[0]
        np.testing.assert_allclose(predict(np.array([i]))[0], slow, atol=1e-4)
        away = target - target.mean(axis=1, keepdims=True)
        assert relevance[i] == pytest.approx(1 - ((target - slow) ** 2).sum() / (away**2).sum(), abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), n_lines=st.integers(1, 3))
def test_a_unit_predicts_by_lines_or_by_all_its_functions(seed, n_lines):
    rng = np.random.default_rng(seed)
    functions, target = rng.normal(size=(4, 3, 25)), rng.normal(size=(2, 25))
    target += functions[0, 2]
    found = prediction._predictions_left_out(functions, n_lines, target)
    for own, predicted in zip(functions, found, strict=True):
        slow = [
            np.column_stack(
                [
                    LinearRegression()
                    .fit(np.delete(used, row, axis=1).T, np.delete(target, row, axis=1).T)
                    .predict(used[:, [row]].T)[0]
                    for row in range(25)
                ]
            )
            for used in (own[:n_lines], own)
        ]
        best = min(slow, key=lambda each: ((each - target) ** 2).sum())
        np.testing.assert_allclose(predicted, best, atol=1e-3)


def test_large_groups_and_categories_of_many_levels_stay_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 120))
    level = rng.integers(0, 40, size=80)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(120)])
    frame["level"] = np.char.add("level ", level.astype(str))
    y = X[:, :100].sum(axis=1) / 10 + rng.normal(size=80)
    seen = []
    original = prediction._Data.of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prediction._Data, "of", lambda table: seen.append(original(table)) or seen[-1])
        fitted(frame, y, feature_groups={"spectrum": [f"g{i}" for i in range(100)]})
    for columns in (seen[0].functions, seen[0].coordinates):
        assert np.diff(columns.starts).max() == prediction._MOST_OF_UNIT


def test_orders_of_a_fold_do_not_know_its_target():
    rng = np.random.default_rng(1)
    columns, target = rng.normal(size=(20, 60)), rng.normal(size=(1, 60))
    train, changed = np.arange(48), target.copy()
    changed[:, 48:] += 100 * columns[3, 48:]
    assert prediction._orders(data_of(columns, target), train) == prediction._orders(
        data_of(columns, changed), train
    )


def test_weak_effects_are_added_though_none_is_shown_to_matter():
    X, y = weak_effects()
    selection = fitted(X, y).selection_
    answer = selection.for_prediction
    assert set(selection.names) == set(answer.selected) < set(answer.names)
    assert answer.names[: len(selection.names)] == selection.names
    assert answer.added == answer.names[len(selection.names) :]
    relevant = {f"x{i}" for i in range(15)}
    assert len(relevant.intersection(answer.names)) >= 10
    assert len(answer.weights) == len(answer.names)
    assert (answer.weights > 0).all()
    assert answer.errors[0] == 1
    assert answer.errors.min() < 0.7
    assert answer.order[: len(answer.names)] == answer.names
    assert len(set(answer.order)) == len(answer.order) == prediction.MOST_FEATURES


@pytest.mark.parametrize("classes", [False, True])
def test_nothing_predicts_noise(classes):
    for seed in range(5):
        rng = np.random.default_rng(100 + seed)
        X, y = rng.normal(size=(100, 30)), rng.normal(size=100)
        selection = fitted(X, np.where(y > 0, "a", "b") if classes else y).selection_
        assert len(selection.for_prediction.names) <= max(3, len(selection.names))


def test_the_five_of_friedman_are_in():
    X, y = make_friedman1(150, 12, random_state=2)
    assert {f"x{i}" for i in range(5)} <= set(fitted(X, y).selection_.for_prediction.names)


def test_the_selector_gives_the_answer_of_its_goal():
    X, y = load_wine(return_X_y=True, as_frame=True)
    explain = MutualInfoSelector(random_state=0).fit(X, y)
    predict = fitted(X, y)
    assert explain.selection_.for_prediction == predict.selection_.for_prediction
    assert list(explain.selected_) == list(explain.selection_.indices)
    assert predict.selection_.names == explain.selection_.names
    answer = predict.selection_.for_prediction
    assert set(predict.get_feature_names_out()) == set(answer.names) > set(explain.get_feature_names_out())
    assert predict.transform(X).shape[1] == len(answer.names)
    assert (predict.ranking_[list(answer.indices)] == 1).all()
    others = np.setdiff1d(np.arange(X.shape[1]), answer.indices)
    assert sorted(predict.ranking_[others]) == list(range(2, 2 + len(others)))


def test_the_order_of_columns_and_threads_and_seeds_do_not_matter():
    X, y = weak_effects()
    names = np.array([f"f{i}" for i in range(X.shape[1])])
    first = fitted(pd.DataFrame(X, columns=names), y).selection_.for_prediction
    order = np.random.default_rng(3).permutation(len(names))
    other = fitted(pd.DataFrame(X[:, order], columns=names[order]), y, n_jobs=2).selection_.for_prediction
    assert other.names == first.names
    np.testing.assert_array_equal(other.weights, first.weights)
    np.testing.assert_array_equal(other.errors, first.errors)
    again = MutualInfoSelector(goal="predict", random_state=9).fit(pd.DataFrame(X, columns=names), y)
    assert again.selection_.for_prediction.added == first.added or again.selection_.names != first.selected


def test_at_most_max_features():
    X, y = weak_effects()
    assert len(fitted(X, y, max_features=6).selection_.for_prediction.names) == 6
    assert len(fitted(X, y).selection_.for_prediction.names) <= prediction.MOST_FEATURES


def test_any_kind_of_column_and_target():
    rng = np.random.default_rng(5)
    n = 120
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], size=n),
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 300, size=n), unit="D"),
            "noise": rng.normal(size=n),
        }
    )
    y = X["a"] + 2.0 * (X["colour"] == "red") + 0.5 * rng.normal(size=n)
    X.loc[::7, "a"] = np.nan
    for target in (y, np.where(y > 1, "high", np.where(y > 0, "middle", "low")), np.column_stack([y, -y + 1])):
        assert {"a", "colour"} <= set(fitted(X, target).selection_.for_prediction.names)
    assert "a" not in fitted(X, y, ignore="a").selection_.for_prediction.names
    assert "noise" in fitted(X, y, keep="noise").selection_.for_prediction.selected


def test_groups_of_features_enter_together():
    X, y = weak_effects()
    answer = fitted(X, y, feature_groups={"pair": [0, 39]}).selection_.for_prediction
    assert ("x0" in answer.names) == ("x39" in answer.names)


def folds_of(X, y, groups=None, **options):
    seen = []

    def divisions(table, **given):
        seen.append((table, list(original(table, **given))))
        return seen[-1][1]

    original = prediction._divisions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prediction, "_divisions", divisions)
        fitted(X, y, groups=groups, **options)
    return seen[0][1]


def test_folds_keep_groups_order_and_classes():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + rng.normal(size=100)
    groups = np.repeat(np.arange(25), 4)
    for folds in folds_of(X, y, groups):
        assert sorted(np.concatenate(folds)) == list(range(100))
        for rows in folds:
            assert not set(groups[rows]) & set(np.delete(groups, rows))
    (of_series,) = folds_of(X, y, method=Calibrated(null="circular"))
    assert all((np.diff(rows) == 1).all() for rows in of_series)
    classes = np.where(np.arange(100) % 10 == 0, "rare", "common")
    for folds in folds_of(X, classes):
        assert [np.count_nonzero(classes[rows] == "rare") for rows in folds] == [2] * 5


def test_few_rows_and_no_candidates_leave_the_selected_ones():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(15, 2))
    selection = fitted(X, X[:, 0]).selection_
    assert selection.for_prediction.names == selection.names
    assert selection.for_prediction.source == ""


def test_the_result_is_stored_and_shown():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    selection = fitted(X, y).selection_
    assert Selection.from_json(selection.to_json()) == selection
    verdicts = selection.to_frame("verdicts", "pandas").set_index("feature")
    assert set(verdicts.index[verdicts["for_prediction"]]) == set(selection.for_prediction.names)
    assert selection.settings.goal == "predict"
    frame = selection.to_frame("prediction", "polars")
    assert tuple(frame["feature"]) == selection.for_prediction.names
    assert tuple(frame.filter(pl.col("selected"))["feature"]) == selection.for_prediction.selected
    assert frame["weight"].to_list() == selection.for_prediction.weights.tolist()


@pytest.mark.parametrize("goal", ["predict", "explain"])
def test_an_interrupt_keeps_the_first_answer(monkeypatch, goal):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(prediction, "_nested_errors", interrupted)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    selector = MutualInfoSelector(goal=goal, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert selector.selection_.for_prediction is None
    assert selector.selection_.is_partial
    assert wording.for_prediction(selector.selection_) == []
    assert list(selector.selected_) == list(selector.selection_.indices) != []


def test_a_goal_that_is_none_is_refused():
    with pytest.raises(InputError, match="goal"):
        MutualInfoSelector(goal="win").fit([[1.0], [2.0]], [1.0, 2.0])


def test_both_answers_are_kept_apart_in_words():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selection = fitted(X, y).selection_
    besides, why = wording.for_prediction(selection)
    assert besides == f"For prediction, besides the selected ones: {', '.join(selection.for_prediction.added)}."
    assert why.startswith("No test shows that these matter")
    explain = MutualInfoSelector(random_state=0).fit(X, y).selection_
    (how,) = wording.for_prediction(explain)
    assert f"{len(selection.for_prediction.added)} more features may help" in how
    assert how.endswith('which no test shows to matter: goal="predict".')
    rng = np.random.default_rng(7001)
    (nothing,) = wording.for_prediction(fitted(rng.normal(size=(100, 4)), rng.normal(size=100)).selection_)
    assert nothing.startswith("For prediction: none.")
