import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from infosift import MutualInfoSelector, Selection
from infosift.search.problem import settings_of
from samples import INFORMATIVE, friedman

NAMES = [f"col {letter}" for letter in "abcdefghij"]
FAST = MutualInfoSelector(method="published", n_neighbors=6, n_permutations=19, random_state=0)


@parametrize_with_checks(
    [
        MutualInfoSelector(method=method, missing=missing, random_state=0)
        for method, missing in (("calibrated", "error"), ("calibrated", "drop"), ("published", "partial"))
    ]
)
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.filterwarnings("ignore:Constant columns:UserWarning")
@pytest.mark.filterwarnings("ignore:Columns that repeat:UserWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, y = friedman(0)
    return pd.DataFrame(X, columns=NAMES), pd.Series(y, name="yield")


def test_order_and_names(data):
    X, y = data
    selector = clone(FAST).fit(X, y)
    assert selector.selection_.names == tuple(NAMES[i] for i in selector.selected_)
    assert set(selector.selected_) <= INFORMATIVE
    assert list(selector.get_feature_names_out()) == [NAMES[i] for i in sorted(selector.selected_)]
    assert list(selector.get_support(indices=True)) == sorted(selector.selected_)
    assert selector.selection_.target_name == "yield"
    np.testing.assert_array_equal(selector.transform(X), X.iloc[:, sorted(selector.selected_)])


def test_every_kind_of_input_gives_the_same_result(data):
    X, y = data
    reference = clone(FAST).fit(X, y)
    for other_X, other_y in [(pl.from_pandas(X), pl.Series("yield", y)), (X.to_numpy(), y.to_numpy())]:
        other = clone(FAST).fit(other_X, other_y)
        np.testing.assert_array_equal(other.selected_, reference.selected_)
        assert [s.score for s in other.selection_.steps] == [s.score for s in reference.selection_.steps]
    assert other.selection_.feature_names[:2] == ("x0", "x1")
    fortran = clone(FAST).fit(np.asfortranarray(X), y)
    assert fortran.selection_.steps == other.selection_.steps


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(data, library):
    X, y = data
    frame = X if library == "pandas" else pl.from_pandas(X)
    out = clone(FAST).set_output(transform=library).fit(frame, y).transform(frame)
    assert isinstance(out, pd.DataFrame if library == "pandas" else pl.DataFrame)
    assert set(out.columns) <= set(NAMES)


def test_in_pipelines(data):
    X, y = data
    pipeline = make_pipeline(clone(FAST), KNeighborsRegressor())
    search = GridSearchCV(pipeline, {"mutualinfoselector__alpha": [0.05, 0.1]}, cv=2).fit(X, y)
    assert search.best_estimator_.score(X, y) > 0.4
    transformer = ColumnTransformer([("chosen", clone(FAST), NAMES[:6])], remainder="drop")
    assert transformer.fit(X, y).transform(X).shape[1] >= 2


def test_pickle_keeps_the_evidence(data):
    selector = clone(FAST).fit(*data)
    restored = pickle.loads(pickle.dumps(selector))
    assert restored.selection_ == selector.selection_
    np.testing.assert_array_equal(restored.transform(data[0]), selector.transform(data[0]))


def test_number_of_neighbors_is_chosen_or_given(data):
    automatic = MutualInfoSelector(method="published", random_state=0, max_neighbors=12, n_permutations=19).fit(
        *data
    )
    assert automatic.n_neighbors_ == automatic.selection_.neighbors.n_neighbors <= 12
    given = clone(FAST).fit(*data)
    assert given.n_neighbors_ == 6
    assert given.selection_.neighbors is None


def test_a_drawn_seed_repeats_the_run(data):
    first = MutualInfoSelector(method="published", n_neighbors=6).fit(*data).selection_
    again = (
        MutualInfoSelector(method="published", n_neighbors=6, random_state=first.settings.seed)
        .fit(*data)
        .selection_
    )
    assert again == first
    generator = np.random.RandomState(3)
    seeds = {
        settings_of(MutualInfoSelector(method="published", random_state=generator).get_params()).seed
        for _ in range(2)
    }
    assert len(seeds) == 2


def test_constant_and_duplicate_columns(data):
    X, y = data
    X = X.assign(flat=3.0, again=X["col d"])
    with pytest.warns(UserWarning, match="are left out") as caught:
        selection = clone(FAST).fit(X, y).selection_
    said = [str(warning.message) for warning in caught]
    assert said == [
        'Constant columns tell nothing and are left out: "flat".',
        'Columns that repeat an earlier one are left out: "again" (repeats "col d").',
    ]
    assert {"flat", "again"}.isdisjoint(selection.names)
    assert selection.constant == ("flat",)
    assert selection.duplicates == (("again", "col d"),)


def test_only_constant_columns(data):
    X = pd.DataFrame({"a": np.ones(100), "b": np.zeros(100)})
    with pytest.warns(UserWarning, match='"a", "b"'):
        selector = MutualInfoSelector(method="published", random_state=0).fit(X, data[1])
    assert selector.selection_.names == ()
    assert selector.n_neighbors_ is None
    assert selector.selection_.stopped == "no usable column is left"


def test_names_that_are_numbers(data):
    X, y = data
    spectra = X.set_axis(range(400, 500, 10), axis=1)
    assert set(clone(FAST).fit(spectra, y).selection_.names) <= {"400", "410", "420", "430", "440"}


def test_numpy_numbers_as_parameters_travel_to_json(data):
    parameters = {"max_features": np.int64(2), "t_threshold": np.float32(1), "n_neighbors": np.int32(5)}
    selection = (
        MutualInfoSelector(np.float64(0.1), method="published", random_state=np.int64(0), **parameters)
        .fit(*data)
        .selection_
    )
    assert Selection.from_json(selection.to_json()) == selection


def test_n_jobs_has_scikit_learns_meaning(data):
    from infosift.engines.threads import ThreadEngine

    assert ThreadEngine(None).n_threads == 1
    assert ThreadEngine(3).n_threads == 3
    with parallel_config(backend="threading", n_jobs=2):
        assert ThreadEngine(None).n_threads == 2
    with pytest.raises(ValueError, match="n_jobs"):
        MutualInfoSelector(method="published", n_jobs=0).fit(*data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1, not 0"),
        ({"method": "best"}, "method must be one of published, calibrated, not 'best'"),
        ({"criterion": "mi"}, "criterion must be one of ksg, ksg2, not 'mi'"),
        ({"search": "backward"}, "search must be one of forward, not 'backward'"),
        ({"n_neighbors": "all"}, "n_neighbors must be \"auto\" or an integer of at least 1, not 'all'"),
        ({"n_neighbors": 99}, "n_neighbors=99 needs at least 101 rows, and the table has n_samples=100"),
        ({"n_permutations": 10}, 'n_permutations must be "auto" or, to be able to reach alpha=0.05, an integer'),
        ({"n_folds": 1}, "n_folds must be an integer of at least 2, not 1"),
        ({"max_neighbors": 0}, "max_neighbors must be an integer of at least 1, not 0"),
        ({"max_features": 0}, "max_features must be an integer of at least 1, not 0"),
        ({"alpha": "x"}, "alpha must lie between 0 and 1, not 'x'"),
        ({"t_threshold": "x"}, "t_threshold must be a finite number, not 'x'"),
        ({"n_jobs": "x"}, "n_jobs must be a number of threads"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_parameters_are_explained(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        MutualInfoSelector(**parameters).fit(*data)


def test_bad_data_are_explained(data):
    X, y = data
    with pytest.raises(ValueError, match=r'Column "col c" has a missing value \(NaN\) in row 7'):
        FAST.fit(X.mask((X.index.to_numpy()[:, None] == 7) & (X.columns == "col c")), y)
    with pytest.raises(ValueError, match=r'The target "yield" has an infinite value \(inf\) in row 2'):
        FAST.fit(X, y.where(y.index != 2, np.inf))
    with pytest.raises(ValueError, match=r'The target "yield" is constant \(always 1\)'):
        FAST.fit(X, y * 0 + 1)
    with pytest.raises(ValueError, match='The target "yield" has 100 classes in 100 rows, too few rows of each'):
        FAST.fit(X, y.astype(str) + " kg")
