"""The comparison is that of a slow and obvious nested loop, and no fold sees the rows that it predicts."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored

from infosift import Calibrated, DataWarning, InputError, MutualInfoSelector, compare_subsets
from infosift.comparison import model_on_columns
from infosift.registry import MODELS
from samples import friedman, make_selector
from studies.simulated import survival

QUICK = Calibrated(n_permutations=30)
NAMES = [f"x{i}" for i in range(10)]


def quick(**options):
    return MutualInfoSelector(method=QUICK, random_state=0, **options)


def one_hot(frame, like=None):
    """Numbers, then a column of 0 and 1 for each category of the training rows; gaps are means, or a category."""
    like = frame if like is None else like
    columns = []
    for name in frame:
        if frame[name].dtype == float:
            columns.append(frame[name].fillna(like[name].mean()).to_numpy())
        else:
            columns += [
                (frame[name].fillna("?") == value).to_numpy(float) for value in like[name].fillna("?").unique()
            ]
    return np.column_stack(columns)


def nested_loop(frame, y, model, selector, folds, score, dummy, groups=None):
    """Scores and features of each subset by the slow and obvious loop."""
    scores, features = {}, {}
    for train, test in folds:
        within = None if groups is None else groups[train]
        selection = clone(selector).fit(frame.iloc[train], y[train], groups=within).selection_
        ignored = selection.settings.ignore
        everything = [name for name in frame if name not in ignored]
        for subset, names in {
            "selected": selection.names,
            "for_prediction": selection.for_prediction.names,
            "peak": selection.peak.names,
            "all": everything,
            "none": [],
        }.items():
            if names:
                own = frame[[name for name in frame if name in names]]
                X = one_hot(own.iloc[train]), one_hot(own.iloc[test], like=own.iloc[train])
                fitted = clone(model).fit(X[0], y[train])
            else:
                X = np.zeros((len(train), 1)), np.zeros((len(test), 1))
                fitted = dummy().fit(X[0], y[train])
            scores.setdefault(subset, []).append(score(y[test], fitted.predict(X[1])))
            features.setdefault(subset, []).append(set(names))
    return scores, features


def assert_same(comparison, scores, features):
    for name, expected in scores.items():
        found = comparison[name]
        assert found.scores == pytest.approx(expected, abs=1e-9)
        assert found.mean == pytest.approx(np.mean(expected))
        assert found.spread == pytest.approx(np.std(expected, ddof=1))
        assert found.n_features == tuple(map(len, features[name]))
        counts = {one: sum(one in fold for fold in features[name]) for fold in features[name] for one in fold}
        assert dict(found.chosen) == counts
        assert [count for _, count in found.chosen] == sorted(counts.values(), reverse=True)
        differences = np.subtract(expected, scores["all"])
        assert found.difference == pytest.approx(differences.mean(), abs=1e-9)
        assert found.gain == pytest.approx(np.subtract(expected, scores["none"]).mean(), abs=1e-9)


@pytest.fixture(scope="module")
def numbers():
    X, y = friedman(0)
    return pd.DataFrame(X, columns=NAMES), y


@pytest.fixture(scope="module")
def trees():
    """Classes by name, text with gaps, and numbers with gaps."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["oak", "elm", "ash"], size=120)
    height = rng.normal(size=120)
    sound = np.where((kind == "oak") ^ (height > 1), "yes", "no")
    frame = pd.DataFrame({"kind": kind.astype(object), "height": height, "other": rng.normal(size=120)})
    frame.loc[[3, 50], "kind"] = None
    frame.loc[[7, 8, 90], "height"] = np.nan
    return frame, sound


def test_numbers_are_those_of_the_nested_loop(numbers):
    X, y = numbers
    model = make_pipeline(StandardScaler(), KNeighborsRegressor())
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    expected = nested_loop(X, y, model, quick(), folds, r2_score, DummyRegressor)
    comparison = compare_subsets(X, y, "neighbors", selector=quick(), cv=4)
    assert_same(comparison, *expected)
    assert (comparison.measure, comparison.n_folds, comparison.n_rows) == ("R²", 4, 100)
    selected, everything = (np.array(expected[0][name]) for name in ("selected", "all"))
    # Nadeau and Bengio: 1 / folds + test rows / training rows, in place of 1 / folds.
    error = np.sqrt((1 / 4 + 25 / 75) * np.var(selected - everything, ddof=1))
    assert comparison["selected"].standard_error == pytest.approx(error)
    assert comparison["all"].difference == comparison["all"].standard_error == 0
    gain = np.sqrt((1 / 4 + 25 / 75) * np.var(selected - np.array(expected[0]["none"]), ddof=1))
    assert comparison["selected"].gain_error == pytest.approx(gain)
    assert comparison["none"].gain == comparison["none"].gain_error == 0


@pytest.mark.parametrize("model", ["forest", "ridge"])
def test_a_large_seed_is_taken(trees, model):
    X, y = (one[:60] for one in trees)
    options = {"selector": quick(missing="partial"), "cv": 3}
    assert compare_subsets(X, y, model, random_state=2**40, **options).n_folds == 3


def test_classes_text_and_gaps_are_those_of_the_nested_loop(trees):
    X, y = trees
    selector = quick(missing="partial", ignore="other")
    folds = list(StratifiedKFold(3, shuffle=True, random_state=5).split(X, y))
    expected = nested_loop(X, y, GaussianNB(), selector, folds, accuracy_score, DummyClassifier)
    comparison = compare_subsets(X, y, GaussianNB(), selector=selector, cv=3, random_state=5, scoring="accuracy")
    assert_same(comparison, *expected)
    assert "other" not in dict(comparison["all"].chosen)
    assert (comparison.measure, comparison.n_classes, comparison.n_gaps) == ("accuracy", 2, 5)
    assert "5 missing values were filled" in comparison.summary


def test_rows_with_gaps_are_dropped_for_all_subsets_alike(trees):
    X, y = trees
    whole = X.notna().all(axis=1).to_numpy()
    options = {"selector": quick(missing="drop"), "cv": 3}
    dropped = compare_subsets(X, y, "neighbors", **options)
    first = compare_subsets(X[whole].reset_index(drop=True), y[whole], "neighbors", **options)
    assert dropped.subsets == first.subsets
    assert (dropped.n_rows, dropped.n_rows_dropped, dropped.n_gaps) == (115, 5, 0)


class Watched(MutualInfoSelector):
    """Remembers which rows, by a column of their numbers, and which groups it is shown."""

    seen = []  # noqa: RUF012

    def fit(self, X, y=None, groups=None):
        self.seen.append((X[:, -1].astype(int), groups))
        return super().fit(X, y, groups)


@pytest.fixture
def watched():
    Watched.seen.clear()
    return Watched(method=QUICK, max_features=1, ignore=[10])


def with_numbers(X):
    return np.column_stack([X, np.arange(len(X))])


def test_a_selector_sees_the_training_rows_only(numbers, watched):
    X, y = numbers
    compare_subsets(with_numbers(X), y, "ridge", selector=watched, cv=4)
    expected = [train for train, _ in KFold(4, shuffle=True, random_state=0).split(X)]
    assert [rows.tolist() for rows, _ in Watched.seen] == [train.tolist() for train in expected]


def test_groups_are_kept_together(numbers, watched):
    X, y = numbers
    people = np.array([f"person {i // 4}" for i in range(len(X))])
    comparison = compare_subsets(with_numbers(X), y, "ridge", selector=watched, cv=3, groups=people)
    assert comparison.n_row_groups == 25
    left_out = np.concatenate([np.setdiff1d(np.arange(len(X)), rows) for rows, _ in Watched.seen])
    assert sorted(left_out) == list(range(len(X)))
    for rows, groups in Watched.seen:
        assert len(np.unique(groups)) == len(set(people[rows]))
        assert not set(people[rows]) & set(np.delete(people, rows))


def test_scores_with_groups_are_those_of_the_nested_loop(numbers):
    X, y = numbers
    people = np.repeat(np.arange(25), 4)
    folds = list(GroupKFold(3).split(X, y, people))
    expected = nested_loop(X, y, Ridge(), quick(max_features=2), folds, r2_score, DummyRegressor, people)
    comparison = compare_subsets(X, y, Ridge(), selector=quick(max_features=2), cv=3, groups=people)
    assert_same(comparison, *expected)


@pytest.mark.simulation
def test_noise_is_predicted_no_better_than_by_chance():
    rng, model = np.random.default_rng(0), LogisticRegression()
    always_two = make_selector(
        method="published", n_neighbors=15, n_permutations=1, alpha=0.5, max_features=2, random_state=0
    )
    honest, leaking = [], []
    for _ in range(8):
        X, y = rng.normal(size=(60, 500)), rng.permutation(np.repeat(["no", "yes"], 30))
        comparison = compare_subsets(X, y, model, selector=always_two, scoring="accuracy")
        honest.append(comparison["selected"].mean)
        leaking.append(cross_val_score(model, always_two.fit_transform(X, y), y).mean())
    # Of 480 rows, the share that is right by chance has a standard deviation of 0.023.
    assert abs(np.mean(honest) - 0.5) < 0.08
    assert np.mean(leaking) > 0.6


@pytest.mark.parametrize("classes", [False, True])
def test_a_fold_without_features_is_predicted_by_a_dummy(classes):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    if classes:
        y = np.where(np.arange(60) < 40, "often", "rare")
    comparison = compare_subsets(X, y, "ridge", selector=quick(alpha=0.05, max_features=1), cv=3)
    selected = comparison["selected"]
    empty = [fold for fold, number in enumerate(selected.n_features) if number == 0]
    assert selected.n_empty_folds == len(empty) > 0
    dummy, folds = (
        (DummyClassifier(), StratifiedKFold(3, shuffle=True, random_state=0))
        if classes
        else (DummyRegressor(), KFold(3, shuffle=True, random_state=0))
    )
    expected = cross_val_score(dummy, X, y, cv=folds, scoring="roc_auc" if classes else "r2")
    assert selected.scores[empty] == pytest.approx(expected[empty])
    assert comparison["none"].scores == pytest.approx(expected)
    assert f"In {len(empty)} of 3 folds nothing was selected, which leaves a constant guess." in comparison.summary


class Decider(GaussianNB):
    """Says which class, and nothing of how sure it is."""

    predict_proba = property()


@pytest.mark.parametrize(
    ("n_classes", "model", "scoring", "measure"),
    [
        (2, GaussianNB(), "roc_auc", "ROC AUC"),
        (2, LinearSVC(random_state=0), "roc_auc", "ROC AUC"),
        (3, GaussianNB(), "roc_auc_ovr", "ROC AUC"),
        (3, LinearSVC(random_state=0), "accuracy", "accuracy"),
        (2, Decider(), "accuracy", "accuracy"),
    ],
)
def test_classes_are_scored_whatever_their_shares(n_classes, model, scoring, measure):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=90), [-0.5, 1.0][: n_classes - 1])
    comparison = compare_subsets(X, y, model, selector=quick(), cv=3)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    assert comparison.measure == measure
    assert comparison["all"].scores == pytest.approx(cross_val_score(model, X, y, cv=folds, scoring=scoring))
    most_frequent = np.bincount(y).max() / len(y)
    assert comparison["none"].mean == pytest.approx(0.5 if measure == "ROC AUC" else most_frequent)


def test_a_fold_without_one_of_the_classes_has_no_curve():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat(["a", "b"], 20)
    halves = [(np.arange(0, 40, 2), np.arange(1, 20, 2)), (np.arange(1, 40, 2), np.arange(0, 40, 2))]
    assert compare_subsets(X, y, "ridge", selector=quick(), cv=halves).measure == "accuracy"


def test_a_forest_does_not_call_a_right_subset_worse():
    # Two of eight features matter, and one class has three of four rows: trees that grow to single rows have an
    # area of 0.74 from the two and of 0.77 from all.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 8))
    y = X[:, 0] + X[:, 1] + 2 * rng.normal(size=1200) > 2
    comparison = compare_subsets(X, y, "forest", selector=quick(max_features=2), cv=3)
    assert dict(comparison["selected"].chosen) == {"x0": 3, "x1": 3}
    assert comparison["selected"].beats_a_guess
    assert comparison["selected"].difference > -0.005


def test_frames_of_all_libraries_and_arrays_alike(numbers, trees):
    X, y = numbers
    options = {"selector": quick(max_features=2), "cv": 2}
    reference = compare_subsets(X, y, "ridge", **options)
    frame = pl.from_pandas(X)
    for features, target in (
        (frame, pl.Series(y)),
        (frame.to_arrow(), frame.with_columns(y=pl.Series(y)).to_arrow()["y"]),
        (X.to_numpy(), y.tolist()),
        (X.to_numpy().tolist(), pd.Series(y)),
        (X.set_index(np.arange(100)[::-1]), pd.Series(y, index=np.arange(100)[::-1])),
    ):
        assert compare_subsets(features, target, "ridge", **options) == reference
    X, y = trees
    options = {"selector": quick(max_features=2, missing="partial"), "cv": 2}
    reference = compare_subsets(X, y, "forest", **options)
    frame = pl.from_pandas(X)
    for features, target in (
        (frame, pl.Series(y)),
        (frame.to_arrow(), pl.DataFrame({"y": y}).to_arrow()["y"]),
        (X.astype({"kind": "category"}), pd.Series(y, dtype="category")),
    ):
        assert compare_subsets(features, target, "forest", **options) == reference


def test_the_seed_fixes_the_result_for_any_number_of_jobs(numbers):
    X, y = numbers
    model = RandomForestRegressor(10)
    options = {"selector": MutualInfoSelector(method=QUICK, max_features=2), "cv": 3, "random_state": 4}
    one, two = (compare_subsets(X, y, model, **options, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one == two
    assert model.random_state is None
    assert compare_subsets(X, y, model, **{**options, "random_state": 5}) != one


def test_any_cross_validation_and_score(numbers):
    X, y = numbers
    options = {"selector": quick(max_features=1)}
    repeated = compare_subsets(X, y, "ridge", **options, cv=RepeatedKFold(n_splits=2, n_repeats=2, random_state=0))
    assert repeated.n_folds == 4
    halves = [(np.arange(50), np.arange(50, 100)), (np.arange(50, 100), np.arange(50))]
    listed = compare_subsets(X, y, "ridge", **options, cv=halves, scoring="neg_mean_absolute_error")
    assert listed.measure == "neg_mean_absolute_error"
    assert listed["selected"].mean < 0

    def largest_error(model, X, y):
        return -float(np.abs(model.predict(X) - y).max())

    own = compare_subsets(X, y, "ridge", **options, cv=iter(halves), scoring=largest_error)
    assert own.measure == "largest_error"
    assert (own["selected"].scores < listed["selected"].scores).all()


def test_names_of_models(numbers):
    X, y = numbers
    classes = np.where(y > np.median(y), "high", "low")
    options = {"selector": quick(max_features=1), "cv": 2}
    assert compare_subsets(X, y, LinearRegression(), **options).model == "LinearRegression"
    assert compare_subsets(X, y, make_pipeline(StandardScaler(), Ridge()), **options).model == "Ridge"
    assert compare_subsets(X, classes, "ridge", **options).model == "logistic regression"
    assert compare_subsets(X, y, "ridge", **options).model == "ridge regression"


def test_a_search_that_is_ended_early_is_counted(numbers):
    X, y = numbers
    comparison = compare_subsets(X, y, "ridge", selector=quick(time_limit=1e-9), cv=2)
    assert comparison.n_partial_folds == 2
    assert "In 2 of 2 folds the search was ended early." in comparison.summary


def test_a_checkpoint_is_left_alone(numbers, tmp_path):
    X, y = numbers
    compare_subsets(X, y, "ridge", selector=quick(max_features=1, checkpoint=tmp_path / "run"), cv=2)
    assert not list(tmp_path.iterdir())


def test_an_interrupt_ends_it(numbers, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ridge, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare_subsets(*numbers, Ridge(), selector=quick(max_features=1), cv=2)


def test_progress_is_shown(numbers, monkeypatch):
    from infosift import progress

    stages = []
    monkeypatch.setattr(progress.ProgressBar, "__call__", lambda self, stage: stages.append(stage))
    compare_subsets(*numbers, "ridge", selector=quick(max_features=1, verbose=1), cv=2)
    of_models = [(stage.done, stage.total) for stage in stages if stage.task == "fitting models"]
    assert of_models[0][0] == 0
    assert of_models[-1] == (of_models[0][1],) * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "lasso"}, "model must be one of ridge, forest, neighbors, cox, not 'lasso'."),
        ({"model": Ridge}, "model must be one of ridge, forest, neighbors, cox or a scikit-learn estimator"),
        ({"model": GaussianNB()}, 'The target "target" has numbers, and GaussianNB predicts classes'),
        ({"selector": Ridge()}, r"selector must be a MutualInfoSelector, not Ridge\(\)."),
        ({"cv": 1}, "cv must be an integer of at least 2, not 1."),
        ({"cv": 400}, r"cv cannot divide the rows \(Cannot have number of splits"),
        ({"cv": "five"}, "cv cannot divide the rows"),
        ({"cv": GroupKFold(2)}, r"cv cannot divide the rows \(The 'groups' parameter should not be None\)"),
        ({"cv": LeaveOneOut()}, "cv leaves a single row in a fold, for which R² is not defined"),
        ({"cv": ShuffleSplit(1)}, "cv must give at least two folds"),
        ({"scoring": "goodness"}, "scoring must be the name of a score of scikit-learn, not 'goodness'."),
        ({"scoring": lambda model, X, y: np.nan}, "scoring gave nan for fold 1"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
        ({"random_state": -1}, "random_state must be None, a non-negative integer"),
        ({"groups": np.arange(100) // 20}, "Without the rows of fold 1: groups has 4 groups of rows"),
    ],
)
def test_bad_input_is_one_sentence(numbers, options, message):
    given = {"model": "ridge", "selector": quick(max_features=1), **options}
    with pytest.raises(InputError, match=message):
        compare_subsets(*numbers, **given)


def test_bad_tables_are_refused_with_their_own_rows(numbers):
    X, y = numbers
    with pytest.raises(InputError, match=r'Column "x2" has a missing value.* in row 77'):
        compare_subsets(X.assign(x2=X["x2"].where(X.index != 77)), y, "ridge", selector=quick(missing="error"))
    with pytest.raises(InputError, match="the target y is None"):
        compare_subsets(X, None, "ridge")
    with pytest.raises(InputError, match="A comparison takes one target, and there are 2"):
        compare_subsets(X, np.column_stack([y, y]), "ridge")
    with pytest.raises(InputError, match='The target "target" has classes, and Ridge predicts numbers'):
        compare_subsets(X, y > 0.5 * y.max(), Ridge())
    gaps = X.assign(x2=X["x2"].where(X.index != 77))
    with pytest.raises(InputError, match="cv lists rows, and rows with missing values are dropped"):
        compare_subsets(gaps, y, "ridge", selector=quick(missing="drop"), cv=[(range(50), range(50, 99))] * 2)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "cox"])
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


@pytest.fixture(scope="module")
def times():
    sample = survival("linear hazard", 0, n=200, censored=0.3)
    return pd.DataFrame(sample.X[:, :4], columns=list("abcd")).assign(e=np.arange(200) % 3 == 0), sample.y


def test_censored_times_are_compared_by_concordance(times):
    X, y = times
    comparison = compare_subsets(X, y, "cox", selector=quick(), cv=3, random_state=0)
    assert (comparison.measure, comparison.model) == ("concordance", "a Cox model")
    selected, nothing = comparison["selected"], comparison["none"]
    assert nothing.mean == 0.5
    assert 0.65 < selected.mean < 0.85
    assert compare_subsets(X, y, "cox", selector=quick(), cv=3, random_state=0) == comparison
    # The slow and obvious loop: equal shares of events in the folds, and the estimator of scikit-survival.
    model = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis(alpha=0.1))
    folds = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, y["event"]))
    own = compare_subsets(X, y, model, selector=quick(), cv=folds, random_state=0)
    for (train, test), score in zip(folds, own["all"].scores, strict=True):
        numbers = X.astype(float)
        risks = clone(model).fit(numbers.iloc[train], y[train]).predict(numbers.iloc[test])
        assert score == pytest.approx(concordance_index_censored(y["event"][test], y["time"][test], risks)[0])


def test_a_cox_model_of_components_is_that_of_features():
    sample = survival("linear hazard", 1, n=100, censored=0.3)
    found = MODELS["cox"](sample.y, False, 0).fit(sample.X, sample.y)
    alpha = found[-1].best_params_["alpha"]
    direct = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis(alpha=alpha)).fit(sample.X, sample.y)
    np.testing.assert_allclose(found.predict(sample.X), direct.predict(sample.X), atol=1e-4)
    assert found.score(sample.X, sample.y) > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "ridge"}, '"time" holds censored times, which model="ridge" does not predict: give cox, or an'),
        ({"model": Ridge()}, 'holds censored times, which Ridge does not predict: give model="cox" or an'),
        (
            {"model": "cox", "scoring": "r2"},
            "scoring of censored times is \"concordance\" or a function, not 'r2'",
        ),
        ({"model": "cox", "cv": [([0, 1], [2]), ([2], [0])]}, "Fold 1 has no row with an event to predict"),
    ],
)
def test_what_does_not_fit_censored_times_is_refused(times, options, message):
    X, y = times
    y = y.copy()
    y["event"][2] = False
    with pytest.raises(InputError, match=message):
        compare_subsets(X, y, selector=quick(), **{"cv": 3, **options})


def test_a_cox_model_is_for_censored_times_and_needs_scikit_survival(numbers, times, monkeypatch):
    with pytest.raises(
        InputError, match='"target" is not censored, which model="cox" does not predict: give ridge'
    ):
        compare_subsets(*numbers, "cox")
    monkeypatch.setitem(sys.modules, "sksurv.linear_model", None)
    with pytest.raises(InputError, match=r'needs scikit-survival: pip install "infosift\[survival\]"'):
        compare_subsets(*times, "cox", selector=quick())


def test_few_rows_have_few_neighbours():
    X, y = np.arange(3.0)[:, None], np.arange(3.0)
    assert MODELS["neighbors"](y, False, 0).fit(X, y).predict(X) == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(("rare", "is_searched"), [(1, False), (2, True), (10, True)])
def test_the_penalty_of_classes_is_searched_where_folds_can_have_all(rare, is_searched):
    y = np.array(["rare"] * rare + ["often"] * 20)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    last = MODELS["ridge"](y, True, 0).fit(X, y).steps[-1][1]
    assert hasattr(last, "best_params_") == is_searched


def test_categories_and_gaps_become_numbers():
    X = np.array([[1.0, 0.0, np.nan], [np.nan, 1.0, 5.0], [3.0, np.nan, np.nan], [5.0, 0.0, np.nan]])
    numbers = model_on_columns(LinearRegression(), (0, 1, 2), {1}).fit(X, np.arange(4.0))[0]
    assert numbers.transform(X).tolist() == [
        [1, 5, 1, 0, 0],
        [3, 5, 0, 1, 0],
        [3, 5, 0, 0, 1],
        [5, 5, 1, 0, 0],
    ]
    assert numbers.transform(np.array([[0.0, 99.0, 0.0]])).tolist() == [[0, 0, 0, 0, 0]]


def test_a_column_of_gaps_is_a_constant():
    numbers = model_on_columns(LinearRegression(), (0, 1), ()).fit(np.array([[1.0, np.nan], [2, np.nan]]), [0, 1])[
        0
    ]
    assert numbers.transform(np.array([[3.0, 7.0]])).shape == (1, 2)


def test_of_many_categories_the_rare_ones_are_one():
    X = np.concatenate([np.arange(200.0), np.zeros(5)])[:, None]
    numbers = model_on_columns(LinearRegression(), (0,), {0}).fit(X, X[:, 0])[0]
    assert numbers.transform(X).shape == (205, 50)
    # 49 categories have columns of their own, the most frequent one among them.
    assert numbers.transform(X).sum(axis=0).tolist() == [6, *[1] * 48, 151]
    assert numbers.transform(np.array([[1000.0]]))[0, -1] == 1


def test_a_leak_is_warned_of_once_and_all_else_is_no_news(numbers):
    X, y = numbers
    leaking = X.assign(copy=2 * y, constant=1.0)
    with pytest.warns(DataWarning) as seen:
        compare_subsets(leaking, y, "ridge", selector=quick(max_features=1), cv=2)
    assert [str(one.message).partition(" nearly")[0] for one in seen] == ['"copy" determines the target']
    assert seen[0].filename == __file__


def test_metadata_routing_does_not_change_it(numbers):
    people = np.repeat(np.arange(25), 4)
    options = {"selector": quick(max_features=1), "cv": 2, "groups": people}
    with config_context(enable_metadata_routing=True):
        routed = compare_subsets(*numbers, Ridge(), **options)
    assert routed == compare_subsets(*numbers, Ridge(), **options)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of Python, where joblib forks
@pytest.mark.parametrize("model", ["ridge", LinearRegression()])
def test_folds_go_to_processes_that_pickle(model):
    X, y = friedman(0, n=60)
    selector = MutualInfoSelector(max_features=1, random_state=0)
    with parallel_config(backend="multiprocessing", n_jobs=2):
        comparison = compare_subsets(X, y, model, selector=selector, cv=2)
    assert comparison == compare_subsets(X, y, model, selector=selector, cv=2)


@pytest.mark.parametrize(("scoring", "has_classes"), [("roc_auc", False), ("neg_mean_gamma_deviance", True)])
def test_a_score_of_another_kind_of_target_is_refused_in_one_sentence(scoring, has_classes):
    X, y = friedman(0, n=60)
    y = np.where(y > np.median(y), "high", "low") if has_classes else y
    selector = MutualInfoSelector(max_features=1, random_state=0)
    kind = "classes" if has_classes else "numbers"
    with pytest.raises(
        InputError, match=rf'^scoring is no score for {kind} \(.*\): give one that is, such as "\w+"\.$'
    ):
        compare_subsets(X, y, "ridge", selector=selector, scoring=scoring, cv=2)
