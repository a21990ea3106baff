"""Selectors to compare with, each on a table on which it cannot miss, and the models that judge them."""

import math

import numpy as np
import pytest
from scipy.stats import sem
from threadpoolctl import threadpool_limits

from infosift.errors import InputError
from studies import power, prediction, selectors
from studies.data_files import load
from studies.prediction import MODELS, error_on
from studies.selectors import l1_path_of, mrmr

pytest.importorskip("sklearn", minversion="1.8", reason="the L1 path of classes needs scikit-learn 1.8")
N_USEFUL = 6
OF_OTHERS = [
    who for who in (*selectors.SELECTORS, *selectors.OF_GIVEN_SIZE) if who not in (*selectors.OURS, "all features")
]


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield


def easy(classes=False):
    """Eight features, of which the first six act on the target, the first one most."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = 3 * X[:, 0] + X[:, 1:N_USEFUL].sum(axis=1) + 0.1 * rng.normal(size=120)
    return X, (y > 0).astype(np.int64) if classes else y


def selected_by(who, X, y):
    try:
        selectors.require_installed([who])
    except InputError as missing:
        pytest.skip(str(missing))
    return selectors.select_by(who, X, y, 0, 3)


@pytest.mark.parametrize("who", OF_OTHERS)
def test_finds_what_is_linear_in_numbers(who):
    assert 0 in selected_by(who, *easy())


@pytest.mark.parametrize("who", [who for who in OF_OTHERS if who in (*prediction.WHO, "mlxtend sequential")])
def test_finds_what_is_linear_in_classes(who):
    assert 0 in selected_by(who, *easy(classes=True))


def test_knockoffs_leave_the_global_stream_where_it_was():
    pytest.importorskip("knockpy")
    X, y = easy()
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = selectors.select_by("knockoffs", X, y, 0)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert selectors.select_by("knockoffs", X, y, 0) == first
    assert len(selectors.select_by("knockoffs+", X, y, 0)) >= 5


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("select", [l1_path_of, mrmr])
def test_keeps_the_number_of_features_that_is_given(select, classes):
    X, y = easy(classes)
    assert [len(select(X, y, number)) for number in (0, 1, 4, 8)] == [0, 1, 4, 8]


def test_the_l1_path_of_three_classes_is_cut_at_the_number():
    X, y = load("wine", None)
    assert len(l1_path_of(X, y, 4)) == 4


def test_a_constant_column_is_not_selected():
    X, y = easy()
    X[:, 7] = 1.0
    assert mrmr(X, y, 8) == l1_path_of(X, y, 8) == frozenset(range(7))


@pytest.mark.parametrize("name", ["diabetes", "wine"])
def test_mrmr_is_that_of_the_package(name):
    pd = pytest.importorskip("pandas")
    package = pytest.importorskip("mrmr")
    X, y = load(name, None)
    frame = pd.DataFrame(X, columns=[str(column) for column in range(X.shape[1])])
    theirs = package.mrmr_classif if name == "wine" else package.mrmr_regression
    for number in (1, 3, 6):
        expected = theirs(X=frame, y=pd.Series(y), K=number, n_jobs=1, show_progress=False)
        assert mrmr(X, y, number) == frozenset(map(int, expected))


def test_a_selector_that_takes_a_number_wants_one():
    with pytest.raises(ValueError, match="needs a number of features"):
        selectors.select_by("mRMR, given the number", *easy(), 0)


def test_names_the_packages_that_are_missing(monkeypatch):
    monkeypatch.setattr(selectors, "find_spec", lambda name: None if name in ("boruta", "knockpy") else name)
    selectors.require_installed(["calibrated", "L1 path", "dCRT, lasso", *selectors.OF_GIVEN_SIZE])
    with pytest.raises(InputError, match="needs knockpy: pip"):
        selectors.require_installed(["knockoffs", "knockoffs+"])
    with pytest.raises(InputError, match=r"needs boruta and knockpy: pip install \"\.\[study\]\"\."):
        selectors.require_installed(power.WHO)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_models_predict_from_good_features_better_than_from_none(model, classes):
    X, y = easy(classes)
    train, test = np.arange(80), np.arange(80, 120)
    with_features, without = (
        error_on(MODELS[model](y, 0), columns, y, train, test) for columns in (X[:, :N_USEFUL], X[:, :0])
    )
    assert with_features < 0.75 * without


def test_a_column_of_predictions_can_be_had_alone():
    X, y = easy()
    ours = prediction.column((X, y), "all features", n_folds=2)
    assert prediction.numbers_of_features(ours) == [8, 8]
    given = prediction.column((X, y), "mRMR, given the number", sizes=[2, 3], n_folds=2)
    assert prediction.numbers_of_features(given) == [2, 3]
    assert given["features"] == 2.5
    assert set(given) == {*MODELS, "features", "CPU seconds", "by fold"}


def figures(error, features):
    fold = {**dict.fromkeys(MODELS, error), "features": features, "CPU seconds": 1.0}
    return {**fold, "by fold": [fold]}


def test_our_default_is_held_against_the_best_peer_with_few_features():
    numbers = {
        "narrow": {
            "all features": figures(0.4, 30.0),
            "published": figures(0.1, 5.0),
            "calibrated": figures(0.5, 3.0),
            "L1 path": figures(0.5, 20.0),
            "Boruta": figures(0.4, 30.0),
        },
        "wide": {
            "all features": figures(0.1, 30.0),
            "calibrated": figures(0.2, 3.0),
            "L1 path": figures(0.25, 20.0),
            "Boruta": figures(0.1, 30.2),
        },
    }
    outcome = prediction.outcome(numbers)
    by_name = outcome.numbers["ratios"]["calibrated"]["linear model"]
    assert by_name["narrow"] == {"ratio": pytest.approx(1.25), "peer": "Boruta"}
    assert by_name["wide"] == {"ratio": pytest.approx(0.8), "peer": "L1 path"}
    rows = {row[0]: row[1] for row in outcome.tables[-1].rows}
    assert rows["geometric mean"] == "1.000"
    assert rows["worst"] == "1.250 (narrow)"
    assert [row[2] for row in outcome.tables[0].rows] == ["0.100", "–"]


def test_a_peer_without_errors_cannot_be_outdone():
    numbers = {"easy": {"calibrated": figures(0.1, 1.0), "L1 path": figures(0.0, 1.0)}}
    assert prediction.outcome(numbers).numbers["ratios"]["calibrated"]["linear model"]["easy"]["ratio"] == math.inf
    numbers["easy"]["calibrated"] = figures(0.0, 1.0)
    assert prediction.outcome(numbers).numbers["ratios"]["calibrated"]["linear model"]["easy"]["ratio"] == 1


def test_cells_of_the_power_study_are_put_together_with_their_numbers_of_runs():
    ours, others = power.cell(50, "linear", "published", 3), power.cell(50, "linear", "mRMR, given the number", 2)
    assert (ours["runs"], others["runs"]) == (3, 2)
    assert others["clean"] == others["exact"]
    tables = power.outcome({"50": {"linear": {"published": ours, "mRMR, given the number": others}}}).tables
    for table in tables:
        assert table.title.endswith("ours on 3 data sets, others on 2 data sets")
        assert table.columns == ("kind", "published", "mRMR, given the number")
    assert [len(table.rows) for table in tables] == [2, 1]


def test_shares_of_runs_have_an_interval():
    cell = {"all": 1.0, "clean": 0.95, "exact": 0.95, "CPU seconds": 0.25, "runs": 20}
    exact, both = power.outcome({"100": {"linear": {"Boruta": cell}}}).tables
    assert exact.rows == (("linear", "95 (76–99)"), ("CPU seconds a run", "0.25"))  # as statsmodels has it
    assert both.rows == (("linear", "100 / 95"),)


def test_errors_have_the_spread_over_folds():
    X, y = easy()
    folds = prediction.column((X, y), "all features", n_folds=3)
    values = [fold["linear model"] for fold in folds["by fold"]]
    shown = prediction.outcome({"own": {"all features": folds}}).tables[2].rows[0][1]
    assert shown == f"{np.mean(values):.3f} ± {sem(values):.3f}"
