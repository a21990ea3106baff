"""The estimator: scikit-learn's contract, pipelines and callbacks, and what it tells of a selection."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from packaging.version import Version
from sklearn import __version__ as sklearn_version
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from infosift import KSG, Calibrated, InputError, MutualInfoSelector, Published, Selection
from infosift.inference import permutation
from infosift.search.base import settings_of
from samples import INFORMATIVE, friedman, make_selector

NAMES = [f"col {letter}" for letter in "abcdefghij"]
FAST = make_selector(method="published", n_neighbors=6, n_permutations=19, random_state=0)
needs_callbacks = pytest.mark.skipif(
    find_spec("sklearn.callback") is None, reason="scikit-learn has callbacks from 1.9 on"
)


def broken_checks(estimator):
    """Return checks that fail before they come to an estimator, with the reason."""
    if estimator.missing == "error" and Version(sklearn_version) < Version("1.7.1"):
        return {"check_positive_only_tag_during_fit": "subtracts a mean from integers in place"}
    return {}


@parametrize_with_checks(
    [
        MutualInfoSelector(method=method, missing=missing, random_state=0)
        for method, missing in (
            ("calibrated", "error"),
            ("calibrated", "drop"),
            ("calibrated", "partial"),
            ("published", "partial"),
        )
    ],
    expected_failed_checks=broken_checks,
)
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.filterwarnings("ignore:Constant features:UserWarning")
@pytest.mark.filterwarnings("ignore:Rows depend on those next to them:UserWarning")
@pytest.mark.filterwarnings("ignore:Duplicates of an earlier feature:UserWarning")
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
        assert [s.statistic for s in other.selection_.steps] == [s.statistic for s in reference.selection_.steps]
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
    transformer = ColumnTransformer([("selected", clone(FAST), NAMES[:6])], remainder="drop")
    assert transformer.fit(X, y).transform(X).shape[1] >= 2


def test_pickle_keeps_the_evidence(data):
    selector = clone(FAST).fit(*data)
    restored = pickle.loads(pickle.dumps(selector))
    assert restored.selection_ == selector.selection_
    np.testing.assert_array_equal(restored.transform(data[0]), selector.transform(data[0]))


def test_number_of_neighbors_is_chosen_or_given(data):
    automatic = make_selector(method="published", random_state=0, max_neighbors=12, n_permutations=19).fit(*data)
    assert automatic.n_neighbors_ == automatic.selection_.neighbors.n_neighbors <= 12
    given = clone(FAST).fit(*data)
    assert given.n_neighbors_ == 6
    assert given.selection_.neighbors is None


def test_a_drawn_seed_repeats_the_run(data):
    first = make_selector(method="published", n_neighbors=6).fit(*data).selection_
    seed = first.settings.seed
    again = make_selector(method="published", n_neighbors=6, random_state=seed).fit(*data).selection_
    assert again == first
    generator = np.random.RandomState(3)
    seeds = {
        settings_of(MutualInfoSelector(method="published", random_state=generator).get_params()).seed
        for _ in range(2)
    }
    assert len(seeds) == 2


def test_constant_and_duplicate_features(data):
    X, y = data
    X = X.assign(flat=3.0, again=X["col d"])
    with pytest.warns(UserWarning, match="are not tested") as caught:
        selection = clone(FAST).fit(X, y).selection_
    said = [str(warning.message) for warning in caught]
    assert said == [
        'Constant features carry no information and are not tested: "flat".',
        'Duplicates of an earlier feature are not tested: "again" (of "col d").',
    ]
    assert {"flat", "again"}.isdisjoint(selection.names)
    assert selection.constant == ("flat",)
    assert selection.duplicates == (("again", "col d"),)


def test_only_constant_features(data):
    X = pd.DataFrame({"a": np.ones(100), "b": np.zeros(100)})
    with pytest.warns(UserWarning, match='"a", "b"'):
        selector = MutualInfoSelector(method="published", random_state=0).fit(X, data[1])
    assert selector.selection_.names == ()
    assert selector.n_neighbors_ is None
    assert selector.selection_.stopped == "no candidate is left"


def test_names_that_are_numbers(data):
    X, y = data
    spectra = X.set_axis(range(400, 500, 10), axis=1)
    assert set(clone(FAST).fit(spectra, y).selection_.names) <= {"400", "410", "420", "430", "440"}


def test_numpy_numbers_as_parameters_travel_to_json(data):
    parameters = {"alpha": np.float64(0.1), "max_features": np.int64(2), "random_state": np.int64(0)}
    for own in ({"t_threshold": np.float32(1)}, {"n_neighbors": np.int32(5)}):
        selection = make_selector(method="published", **parameters, **own).fit(*data).selection_
        assert Selection.from_json(selection.to_json()) == selection


def test_n_jobs_has_scikit_learns_meaning(data):
    from infosift.engines.base import ThreadEngine

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
        (
            {"method": "best"},
            r"method must be one of calibrated, published, or an object \(Calibrated\(\)\), not 'best'",
        ),
        ({"method": Published}, "method must be one of .*, not <class"),
        ({"criterion": "mi"}, r"criterion must be one of ksg, ksg2, .*, or an object \(KSG\(\)\), not 'mi'"),
        ({"criterion": KSG}, "criterion must be one of .*, not <class"),
        ({"verbose": -1}, "verbose must be an integer of at least 0, not -1"),
        ({"criterion": KSG("all")}, "n_neighbors must be \"auto\" or an integer of at least 1, not 'all'"),
        ({"criterion": KSG(99)}, "n_neighbors=99 needs at least 101 rows, and the table has n_samples=100"),
        (
            {"method": Calibrated(n_permutations=10)},
            'n_permutations must be "auto" or, to be able to reach alpha=0.05, an integer',
        ),
        ({"method": Published(n_folds=1)}, "n_folds must be an integer of at least 2, not 1"),
        ({"criterion": KSG(max_neighbors=0)}, "max_neighbors must be an integer of at least 1, not 0"),
        (
            {"method": Calibrated(null="none")},
            r"null must be one of residual, local, shuffle, circular, or an object .*, not 'none'",
        ),
        ({"max_features": 0}, "max_features must be an integer of at least 1, not 0"),
        ({"alpha": "x"}, "alpha must lie between 0 and 1, not 'x'"),
        ({"method": Published(t_threshold="x")}, "t_threshold must be a finite number, not 'x'"),
        ({"n_jobs": "x"}, "n_jobs must be a number of threads"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_parameters_are_explained(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        MutualInfoSelector(**parameters).fit(*data)


def test_names_in_place_of_values_are_refused_in_one_sentence(data):
    table, target = data
    names = {"yield": (table, "yield"), "houses.csv": ("houses.csv", target), "a.csv": (Path("a.csv"), target)}
    for name, (X, y) in names.items():
        with pytest.raises(
            InputError, match=f"^'{name}' is text, and no values: read a file first, .* by its values"
        ):
            FAST.fit(X, y)


def test_more_features_than_there_are_cannot_be_wanted(data):
    with pytest.raises(InputError, match=r"^min_features=99 is more than the \d+ features: lower it\.$"):
        clone(FAST).set_params(min_features=99).fit(*data)


def test_bad_data_are_explained(data):
    X, y = data
    with pytest.raises(ValueError, match=r'Column "col c" has a missing value \(NaN\) in row 7'):
        clone(FAST).set_params(missing="error").fit(
            X.mask((X.index.to_numpy()[:, None] == 7) & (X.columns == "col c")), y
        )
    with pytest.raises(ValueError, match=r'The target "yield" has an infinite value \(inf\) in row 2'):
        FAST.fit(X, y.where(y.index != 2, np.inf))
    with pytest.raises(ValueError, match=r'The target "yield" is constant \(always 1\)'):
        FAST.fit(X, y * 0 + 1)
    with pytest.raises(ValueError, match='The target "yield" has 100 classes in 100 rows, too few rows of each'):
        FAST.fit(X, y.astype(str) + " kg")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"criterion": KSG(6, max_neighbors=12)},
            'max_neighbors=12 is for n_neighbors="auto", and n_neighbors=6 is given: leave one of them out',
        ),
        (
            {"criterion": KSG(6), "method": Published(n_folds=12)},
            "n_folds and t_threshold are for choosing n_neighbors, and n_neighbors=6 is given: leave them out",
        ),
        ({"criterion": KSG(6), "method": Published(t_threshold=1.0)}, "n_folds and t_threshold are for choosing"),
    ],
)
def test_parameters_that_would_be_ignored_are_refused(data, parameters, message):
    with pytest.raises(InputError, match=message):
        MutualInfoSelector(**parameters).fit(*data)


def test_no_parameter_is_for_one_method_only():
    parameters = inspect.signature(MutualInfoSelector).parameters
    assert len(parameters) <= 19
    own = {*Calibrated().get_params(), *Published().get_params(), *KSG().get_params()}
    assert own.isdisjoint(parameters)


def test_parameters_of_objects_are_nested():
    selector = MutualInfoSelector(method=Published(n_folds=10), criterion=KSG(variant=2))
    nested = selector.get_params()
    assert (nested["method__n_folds"], nested["criterion__variant"]) == (10, 2)
    copy = clone(selector).set_params(method__n_folds=20, criterion__max_neighbors=5)
    assert (copy.method.n_folds, copy.criterion.max_neighbors) == (20, 5)
    assert (selector.method.n_folds, selector.criterion.max_neighbors) == (10, 20)
    assert clone(selector).set_params(method="calibrated").method == "calibrated"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method__n_folds": 20}, r'method="calibrated" is a short form, whose n_folds .*method=Calibrated\(\)'),
        ({"criterion__n_neighbors": 3}, r'criterion="ksg" is a short form, whose n_neighbors .*criterion=KSG\(\)'),
        ({"method": "published", "method__n_folds": 20}, r"method=Published\(\), first"),
    ],
)
def test_parameters_of_short_forms_cannot_be_set(parameters, message):
    with pytest.raises(InputError, match=message):
        MutualInfoSelector().set_params(**parameters)


def test_a_grid_over_the_parameters_of_a_method(data):
    pipeline = make_pipeline(clone(FAST), KNeighborsRegressor())
    grid = {
        "mutualinfoselector__method__n_permutations": [19, 39],
        "mutualinfoselector__criterion__n_neighbors": [5],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(*data)
    best = search.best_estimator_[0]
    assert best.selection_.steps[0].n_permutations == best.method.n_permutations in (19, 39)
    assert best.n_neighbors_ == 5


class TestRowGroups:
    """Groups of rows given to ``fit`` are routed as scikit-learn's metadata, and sliced by cross-validation."""

    N_GROUPS, SIZE = 20, 4

    @pytest.fixture
    def repeated(self):
        """Repeated measures: half of a feature and of the target is the same for all rows of a group."""
        rng = np.random.default_rng(0)
        groups = np.repeat(np.arange(self.N_GROUPS), self.SIZE)
        own = rng.normal(size=(self.N_GROUPS, 3))[groups]
        X = own + rng.normal(size=own.shape)
        return X, X[:, 0] + 0.3 * rng.normal(size=len(X)), groups

    @pytest.fixture
    def seen(self, monkeypatch):
        """The groups that each fit was given."""
        seen = []
        fit = MutualInfoSelector.fit

        def recording(self, X, y=None, groups=None):
            seen.append(groups)
            return fit(self, X, y, groups)

        monkeypatch.setattr(MutualInfoSelector, "fit", recording)
        return seen

    def pipeline(self):
        return make_pipeline(clone(FAST), KNeighborsRegressor())

    def assert_respected(self, seen):
        assert len(seen) == 4
        for groups in seen:  # of each training part: whole groups, and not those of the test part
            assert len(groups) == 3 * self.N_GROUPS * self.SIZE // 4
            assert set(np.unique(groups, return_counts=True)[1]) == {self.SIZE}
        assert len({tuple(groups) for groups in seen}) == 4

    def test_routed_by_name_without_further_ado(self, repeated, seen):
        X, y, groups = repeated
        with config_context(enable_metadata_routing=True):
            cross_val_score(self.pipeline(), X, y, params={"groups": groups}, cv=GroupKFold(4))
        self.assert_respected(seen)

    def test_passed_as_a_parameter_of_fit(self, repeated, seen):
        X, y, groups = repeated
        cross_val_score(
            self.pipeline(), X, y, groups=groups, cv=GroupKFold(4), params={"mutualinfoselector__groups": groups}
        )
        self.assert_respected(seen)

    def test_shuffles_respect_the_groups_of_a_training_part(self, repeated, monkeypatch):
        X, y, groups = repeated
        orders = []
        shuffled = permutation.shuffled_rows

        def recording(rows, generator, row_groups=None):
            orders.append((shuffled(rows, generator, row_groups), row_groups))
            return orders[-1][0]

        monkeypatch.setattr(permutation, "shuffled_rows", recording)
        with config_context(enable_metadata_routing=True):
            cross_val_score(self.pipeline(), X, y, params={"groups": groups}, cv=GroupKFold(4))
        assert orders
        for order, own in orders:  # the rows of a group come from those of one group
            assert all(len(set(own[order[own == group]])) == 1 for group in np.unique(own))

    def test_without_groups_every_row_is_on_its_own(self, repeated):
        X, y, groups = repeated
        alone = clone(FAST).fit(X, y).selection_
        together = clone(FAST).fit(X, y, groups=groups).selection_
        assert alone.settings.n_row_groups is None
        assert together.settings.n_row_groups == self.N_GROUPS
        assert not np.array_equal(alone.steps[0].null, together.steps[0].null)


class Recorder:
    """Takes down what a fit reports, and asks to stop after some steps."""

    def __init__(self, stop_after=None):
        self.events, self.stop_after = [], stop_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        selected = fitted_estimator.selection_.names
        assert fitted_estimator.transform(np.zeros((1, 10))).shape == (1, len(selected))
        self.events.append((context.task_name, selected))
        return self.stop_after is not None and len(fitted_estimator.selection_.steps) >= self.stop_after

    def teardown(self, estimator, context):
        self.events.append("teardown")


@pytest.fixture
def selector():
    return make_selector(method="published", n_neighbors=6, n_permutations=19, random_state=0)


@needs_callbacks
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
def test_each_step_is_a_task_with_what_is_selected_so_far(selector):
    recorder = Recorder()
    selection = selector.set_callbacks(recorder).fit(*friedman(0)).selection_
    assert recorder.events[:3] == ["setup", "begin fit", "begin step 1"]
    assert recorder.events[-2:] == [("fit", selection.names), "teardown"]
    ended = [event for event in recorder.events if isinstance(event, tuple) and event[0].startswith("step")]
    n_accepted = len(selection.accepted)
    assert [task for task, _ in ended] == [f"step {number + 1}" for number in range(len(selection.steps))]
    assert [names for _, names in ended[:n_accepted]] == [selection.names[:i] for i in range(1, n_accepted + 1)]
    assert selection == clone(selector).set_callbacks().fit(*friedman(0)).selection_


@needs_callbacks
def test_a_callback_may_end_the_search(selector):
    recorder = Recorder(stop_after=1)
    selection = selector.set_callbacks(recorder).fit(*friedman(0)).selection_
    assert len(selection.steps) == 1
    assert "begin step 2" not in recorder.events
    assert selection.ended_by == "a callback"
    assert selection.is_partial


@needs_callbacks
def test_a_ranking_is_worked_out_once_where_nobody_asks_for_one_after_each_step(selector, monkeypatch):
    rankings = []
    monkeypatch.setattr(Selection, "ranking", property(lambda self: rankings.append(self) or self.names))
    selection = selector.fit(*friedman(0)).selection_
    assert len(selection.steps) > 2
    assert rankings == [selection]


@needs_callbacks
def test_scikit_learns_progress_bars_in_a_pipeline(selector, capfd):
    from sklearn.callback import ProgressBar

    pipeline = make_pipeline(StandardScaler(), selector)

    pipeline.set_callbacks(ProgressBar()).fit(*friedman(0))
    assert "MutualInfoSelector" in capfd.readouterr().out


LITTLE_MEMORY = """
import resource
import numpy as np
from infosift import InputError, MutualInfoSelector
X, y = np.broadcast_to(np.arange(20_000.0)[:, None], (20_000, 3_000)), np.arange(20_000) % 7.5
MutualInfoSelector(max_features=1, random_state=0).fit(X[:50, :2] + y[:50, None], y[:50])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000, used + 300_000_000))
try:
    MutualInfoSelector().fit(X, y)
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by a system call of Linux")
def test_too_little_memory_is_said_in_one_sentence():
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", LITTLE_MEMORY], capture_output=True, text=True)
    assert run.stdout == (
        "There is not enough memory for 20,000 rows × 3,000 columns: pass fewer columns, a sample of the rows, or "
        "n_jobs=1.\n"
    )
