"""Targets of numbers and of classes, one or several."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infosift import DataWarning, InputError, choose_n_neighbors, permutation_test, score_candidates
from infosift.data.columns import NamedColumns
from infosift.data.prepare import Preparation, interval_ranks
from infosift.data.targets import decide_kinds, make_target, read_target
from samples import make_selector

DATA = {"breast cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}


@pytest.mark.parametrize("name", DATA)
def test_the_same_ranking_as_scikit_learn(name):
    X, y = DATA[name](return_X_y=True)
    theirs = mutual_info_classif(X, y, n_neighbors=3, random_state=0)
    assert spearmanr(score_candidates(X, y, n_neighbors=3), theirs).statistic >= 0.97


def accuracies(X, y):
    """Of five nearest neighbours on the features selected jointly and on as many best single ones, by fold."""
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)

    def accuracy(features, train, test):
        return model.fit(X[train][:, features], y[train]).score(X[test][:, features], y[test])

    for train, test in folds:
        ours = make_selector(method="published", random_state=0, n_jobs=-1).fit(X[train], y[train]).selected_
        best = SelectKBest(lambda X, y: mutual_info_classif(X, y, random_state=0), k=len(ours))
        theirs = best.fit(X[train], y[train]).get_support(indices=True)
        yield accuracy(ours, train, test), accuracy(theirs, train, test)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:Constant features:UserWarning")
def test_features_selected_together_predict_at_least_as_well():
    means = np.array([np.mean(list(accuracies(*load(return_X_y=True))), axis=0) for load in DATA.values()])
    ours, theirs = means.mean(axis=0)
    assert ours >= theirs


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    n = 200
    content = {
        "length": rng.normal(size=n),
        "count": rng.poisson(3.0, size=n),
        "colour": rng.choice(["red", "green", "blue"], size=n),
        "flag": rng.uniform(size=n) < 0.3,
        "rain": np.maximum(rng.normal(size=n), 0.0),
        "noise": rng.normal(size=n),
        "letter": rng.choice(list("abcdefgh"), size=n),
    }
    strength = content["length"] + 1.5 * (content["colour"] == "red") + rng.normal(scale=0.5, size=n)
    return pd.DataFrame(content), np.array(["low", "mid", "high"])[np.digitize(strength, [-0.5, 0.8])]


def select(X, y, **options):
    options = {"method": "published", "n_permutations": 39, "random_state": 0, **options}
    return make_selector(**options).fit(X, y).selection_


def test_features_of_any_type_beside_each_other(classes):
    selection = select(*classes)
    assert set(selection.names[:2]) == {"length", "colour"}
    assert selection.discrete == ("colour", "flag", "letter")
    assert selection.n_classes == (3,)
    assert selection.settings.scale == "standard"


def test_names_order_and_library_do_not_matter(classes):
    X, y = classes
    expected = select(X, y)
    shuffled = list(np.random.default_rng(1).permutation(X.columns))
    renamed = {name: f"column {i}" for i, name in enumerate(X.columns)}
    back = {new: old for old, new in renamed.items()}
    category = X.astype({"colour": "category", "letter": "category"})
    for other, labels in [
        (X[shuffled], y),
        (X.rename(columns=renamed), y),
        (X, pd.Series(y, dtype="category")),
        (category, pl.Series(y)),
        (pl.from_pandas(X), pl.Series(y).cast(pl.Categorical)),
        (pl.from_pandas(X)[shuffled], list(y)),
        (pl.from_pandas(X).to_arrow(), y),
        (X.assign(colour=X["colour"].map({"red": 7, "green": 1, "blue": 3}).astype("category")), y),
        (X, np.unique(y, return_inverse=True)[1]),
    ]:
        selection = select(other, labels)
        assert tuple(back.get(name, name) for name in selection.names) == expected.names
        assert [step.information for step in selection.steps] == [step.information for step in expected.steps]
        assert [step.p_value for step in selection.steps] == [step.p_value for step in expected.steps]


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_do_not_matter(classes, n_jobs):
    assert select(*classes, n_jobs=n_jobs).steps == select(*classes).steps


def test_features_are_given_back_as_they_were(classes):
    X, y = classes
    selector = make_selector(method="published", n_neighbors=5, max_features=2, random_state=0).fit(X, y)
    selected = sorted(selector.selected_)
    np.testing.assert_array_equal(selector.transform(X), X.iloc[:, selected].to_numpy(dtype=object))
    pd.testing.assert_frame_equal(selector.set_output(transform="pandas").transform(X), X.iloc[:, selected])


def test_near_unique_features_are_not_tested(classes):
    X, y = classes
    X = X.assign(id=[f"row {i}" for i in range(len(X))])
    with pytest.warns(
        UserWarning, match=r'Near-unique features, whose categories hardly repeat, are not tested: "id"\.'
    ):
        selection = select(X, y)
    assert selection.near_unique == ("id",)
    assert selection.names == select(X.drop(columns="id"), y).names


def test_a_recoded_copy_is_a_duplicate(classes):
    X, y = classes
    X = X.assign(farbe=X["colour"].map({"red": "rot", "green": "gruen", "blue": "blau"}))
    with pytest.warns(
        UserWarning, match=r'Duplicates of an earlier feature are not tested: "farbe" \(of "colour"\)'
    ):
        assert select(X, y).duplicates == (("farbe", "colour"),)


def test_numbers_can_be_declared_discrete(classes):
    X, y = classes
    assert "count" in select(X, y, discrete_features=["count"]).discrete
    as_numbers = select(X, np.digitize(X["length"], [-1, 0, 1]), discrete_target=False)
    assert as_numbers.n_classes == (None,)


def test_hundreds_of_classes():
    rng = np.random.default_rng(0)
    label = rng.integers(300, size=3000)
    X = np.stack([label / 300 + rng.normal(scale=0.05, size=3000), rng.normal(size=3000)], axis=1)
    selection = select(X, np.char.add("class ", label.astype(str)), max_features=1, n_permutations=19)
    assert selection.names == ("x0",)
    assert selection.n_classes == (300,)


def test_functions_take_classes_too(classes):
    X, y = classes
    assert permutation_test(X["colour"], y, X[["length"]], random_state=0).significant
    assert choose_n_neighbors(X, y, random_state=0).t.shape == (7, 20)


def test_several_targets_of_different_kinds(classes):
    X, y = classes
    targets = pd.DataFrame({"level": y, "sum": X["rain"] + 0.1 * X["noise"]})
    selection = select(X, targets, max_features=3)
    assert selection.n_classes == (3, None)
    assert set(selection.names) == {"length", "colour", "rain"}


def test_variant_2_is_for_numbers(classes):
    X, y = classes
    with pytest.raises(InputError, match='"colour" is discrete, and the criterion is for numbers only'):
        select(X, X["length"], criterion="ksg2")
    with pytest.raises(InputError, match='"target" is discrete, and the criterion is'):
        select(X[["length", "noise"]], y, criterion="ksg2")
    assert select(X[["length", "noise"]], X["flag"] * 1.0, criterion="ksg2").n_classes == (None,)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ([0, 1] * 6, True),
        ([0.5, 1.5] * 6, True),
        ([0.5, 1.5, 2.5] * 4, False),
        ([0, 1, 2] * 4, True),
        ([0, 1, 2, 3, 4, 5], False),
        (list(range(20)) * 3, True),
        (list(range(21)) * 30, False),
        ([True, False] * 6, True),
        (["low", "high"] * 6, True),
    ],
)
def test_which_targets_are_classes(target, expected):
    columns = read_target(target)
    (kind,) = decide_kinds(columns, "auto")
    assert kind.name == ("classes" if expected else "numbers")
    assert kind.n_classes == (len(set(target)) if expected else None)
    for asked in (True, "classes"):
        assert decide_kinds(columns, asked)[0].name == "classes"
    (kind,) = decide_kinds(columns, False)
    assert kind.name == ("classes" if columns.discrete else "numbers")
    with pytest.raises(InputError, match='must be "auto", True, False, "classes", "both" or "numbers", not'):
        decide_kinds(columns, "ranks")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ([0, 1, 2] * 4, "both"),
        (list(range(20)) * 3, "both"),
        (list(range(21)) * 30, "numbers"),
        ([0, 1] * 6, "classes"),
        ([0.5, 1.0, 2.0] * 4, "numbers"),
        (["a", "b", "c"] * 4, "classes"),
    ],
)
def test_few_whole_numbers_may_be_scores_or_codes(target, expected):
    (kind,) = decide_kinds(read_target(target), "auto", may_be_both=True)
    assert kind.name == expected


def test_ends_of_intervals_are_ranked_by_expectation():
    """Against the mean over intervals of the share of each that lies below an end."""
    rng = np.random.default_rng(0)
    low = rng.normal(size=50)
    high = low + rng.uniform(0.1, 2, size=50)
    for ends, ranks in zip((low, high), interval_ranks(low, high), strict=True):
        np.testing.assert_allclose(
            ranks, np.clip((ends[:, None] - low) / (high - low), 0, 1).mean(axis=1), atol=1e-12
        )


def test_residuals_of_whole_numbers_are_intervals_that_reach_half_way_to_the_next():
    values = np.array([0, 0, 1, 1, 1, 3, 3, 3, 3, 3, 0, 1]) * 1.0
    columns = read_target(values)
    target = make_target(columns, decide_kinds(columns, "both"), Preparation(0, "ties"))
    np.testing.assert_array_equal(target.has_indicators, [False, True, True, True])
    # Given nothing, the interval of a value is its share of the rows, in the order of values.
    mean, spread = target.components.mean(axis=1, keepdims=True), np.ones((4, 1))
    residuals = target.residuals(mean * np.ones((1, 12)), spread * np.ones((1, 12)))
    np.testing.assert_allclose(
        residuals.low[0], np.select([values == 0, values == 1], [0, 3 / 12], 7 / 12), atol=1e-8
    )
    np.testing.assert_allclose(
        residuals.high[0], np.select([values == 0, values == 1], [3 / 12, 7 / 12], 1), atol=1e-8
    )
    numbers, classes = target.views[1], target.views[0]
    assert len(np.unique(classes)) == 3
    np.testing.assert_array_equal(np.argsort(numbers[0], kind="stable")[-5:] > 4, True)
    assert target.sums == [1, 3]
    assert len(target.handicaps(of_sums=True)) == 2
    assert (
        target.handicaps(of_sums=False)[0]
        == 0
        < target.handicaps(of_sums=True)[1]
        < target.handicaps(of_sums=False)[1]
    )
    # As codes everything is explained, as a number nothing: what is left is what the better view leaves.
    errors = np.array([target.components[0].var(), 0.0, 0.0, 0.0])
    assert target.unexplained(errors) == 0.0


def ordered_target(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.clip(np.round(5 + 1.5 * (X[:, 0] + X[:, 1]) + rng.normal(size=n)), 0, 10)


def coded_target(seed, n=200):
    rng = np.random.default_rng(seed)
    codes, X = rng.integers(0, 5, size=n), rng.normal(size=(n, 6))
    for column in (0, 1):
        X[:, column] += 1.5 * rng.permutation(np.linspace(-1, 1, 5))[codes]
    return X, codes


@pytest.mark.parametrize("make", [ordered_target, coded_target])
def test_scores_and_codes_are_both_seen(make):
    seeds = range(4)
    selected = [set(make_selector(random_state=0).fit(*make(seed)).selection_.indices) for seed in seeds]
    assert sum(own == {0, 1} for own in selected) >= 3


def test_one_line_says_that_both_were_tested_and_what_settles_it():
    X, y = ordered_target(0)
    with pytest.warns(DataWarning, match=r'which may be scores or codes.*discrete_target="numbers" or'):
        selection = make_selector(random_state=0).fit(X, y).selection_
    assert selection.target_kinds == ("11 whole numbers, as numbers and as classes",)
    assert [warning.kind for warning in selection.warnings] == ["target"]  # a rare score is no small class
    for settled in (True, False):
        warnings = make_selector(random_state=0, discrete_target=settled).fit(X, y).selection_.warnings
        assert "target" not in [warning.kind for warning in warnings]


def test_components_and_residuals_of_several_targets():
    numbers, classes = np.array([0.5, -1.0, 2.0, 1.0]), np.array([1, 0, 2, 2]) * 1.0
    columns = NamedColumns(("a", "b"), np.stack([numbers, classes]))
    kinds = decide_kinds(columns, ("numbers", "classes"))
    target = make_target(columns, kinds, Preparation(0, "ties"), rows_of_each_class=False)
    assert [kind.describe() for kind in target.kinds] == ["numbers", "3 classes"]
    assert (target.name, target.n_classes, target.n_rows) == ("a, b", (None, 3), 4)
    np.testing.assert_array_equal(target.components[1:], [[0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    np.testing.assert_array_equal(target.has_indicators, [False, True, True, True])
    predicted, spread = np.full((4, 4), 0.25), np.full((4, 4), 2.0)
    residuals = target.residuals(predicted, spread)
    np.testing.assert_array_equal(residuals.column, [0, 1, 1, 1])
    np.testing.assert_array_equal(residuals.is_interval, [False, True, True, True])
    np.testing.assert_array_equal(residuals.raw, target.components - 0.25)
    np.testing.assert_allclose(residuals.low[0], (target.columns[0] - 0.25) / 2)
    # A row of the class lies in the upper quarter of the unit interval, any other in the rest.
    np.testing.assert_allclose(residuals.low[1], [0, 0, 0.75, 0.75])
    np.testing.assert_allclose(residuals.high[1], [0.75, 0.75, 1, 1])
