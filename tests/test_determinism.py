"""The same seed gives the same bits for any number of threads, block size and order of the columns."""

import numpy as np
import pytest

from infosift import MutualInfoSelector
from infosift.data.columns import NamedColumns
from infosift.engines.base import ThreadEngine
from infosift.progress import Reporter
from infosift.search.base import make_problem, settings_of
from infosift.search.runner import Run
from samples import friedman

SEED = 12


@pytest.fixture(scope="module")
def data():
    X, y = friedman(7, n=90)
    X[:, 6] = X[:, 6].round(1)  # ties, so that their noise is part of the test
    X[:, 2] = X[:, 2].round(1)
    X[:, 9] = 1 - X[:, 3]  # a mirror image, so that scores are equal
    return X, y


def run(X, y, names=None, n_jobs=1, block_size=None, groups=None, **options):
    names = names or tuple(f"x{i}" for i in range(X.shape[1]))
    options = {"method": "published", "random_state": SEED, **options}
    given = MutualInfoSelector(**options).get_params(deep=False)
    features, target = NamedColumns(names, X.T), NamedColumns(("target",), y[None])
    engine = ThreadEngine(n_jobs, block_size)
    problem = make_problem(features, target, groups, given, settings_of(given))
    return Run(problem, engine, Reporter()).select()


@pytest.fixture(scope="module")
def reference(data):
    return run(*data)


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
@pytest.mark.parametrize("block_size", [1, 7, 64])
def test_threads_and_blocks(data, reference, n_jobs, block_size):
    selection = run(*data, n_jobs=n_jobs, block_size=block_size)
    assert selection == reference
    assert len(selection.steps) >= 4


@pytest.mark.parametrize("n_jobs", [2, 4, -1])
def test_selector_with_threads(data, reference, n_jobs):
    assert (
        MutualInfoSelector(method="published", random_state=SEED, n_jobs=n_jobs).fit(*data).selection_.steps
        == reference.steps
    )


@pytest.mark.parametrize("shuffle", range(3))
def test_order_of_columns(data, reference, shuffle):
    X, y = data
    order = np.random.default_rng(shuffle).permutation(X.shape[1])
    assert_same_in_another_order(run(X[:, order], y, tuple(f"x{i}" for i in order)), reference, order)


@pytest.mark.parametrize("shuffle", range(3))
def test_own_units(data, shuffle):
    X, y = data
    X, y = X * np.geomspace(1, 3, 10), y / 5
    reference = run(X, y, scale="none")
    order = np.random.default_rng(shuffle).permutation(10)
    named = tuple(f"x{i}" for i in order)
    selection = run(np.asfortranarray(X[:, order]), y, named, n_jobs=2, block_size=7, scale="none")
    assert_same_in_another_order(selection, reference, order)
    assert len(reference.steps) >= 3


def test_own_units_of_the_calibrated_method(data):
    X, y = data
    X = X * np.geomspace(1e-6, 1e6, 10)
    reference = run(X, y, method="calibrated", scale="none")
    backwards = tuple(f"x{i}" for i in range(9, -1, -1))
    selection = run(X[:, ::-1], y, backwards, n_jobs=2, method="calibrated", scale="none")
    assert [(s.feature, s.p_value, s.information) for s in selection.steps] == [
        (s.feature, s.p_value, s.information) for s in reference.steps
    ]


def assert_same_in_another_order(selection, reference, order):
    assert selection.names == reference.names
    assert selection.n_neighbors == reference.n_neighbors
    assert selection.neighbors.feature == reference.neighbors.feature
    np.testing.assert_array_equal(selection.neighbors.t, reference.neighbors.t[order])
    for mine, theirs in zip(selection.steps, reference.steps, strict=True):
        assert (mine.statistic, mine.threshold, mine.p_value) == (
            theirs.statistic,
            theirs.threshold,
            theirs.p_value,
        )
        assert mine.information == theirs.information
        np.testing.assert_array_equal(mine.null, theirs.null)


def test_another_seed_is_another_run(data, reference):
    other = MutualInfoSelector(method="published", random_state=SEED + 1).fit(*data).selection_
    assert not np.array_equal(other.steps[0].null, reference.steps[0].null)


@pytest.mark.parametrize("method", ["calibrated", "published"])
@pytest.mark.parametrize("search", ["backward", "floating", "filter"])
def test_searches_with_threads_and_columns_in_another_order(data, method, search):
    X, y = data
    X = X[:, :6]
    order = np.random.default_rng(0).permutation(6)
    options = {"method": method, "search": search}
    reference = run(X, y, **options)
    assert run(X, y, n_jobs=4, block_size=1, **options) == reference
    other = run(X[:, order], y, tuple(f"x{i}" for i in order), **options)
    assert other.names == reference.names
    assert other.explained == reference.explained
    assert [step.feature for step in other.steps] == [step.feature for step in reference.steps]
    assert [step.p_value for step in other.steps] == [step.p_value for step in reference.steps]
    assert [step.statistic for step in other.steps] == [step.statistic for step in reference.steps]


def check_threads_and_another_order(X, y, **options):
    options = {"method": "calibrated", **options}
    order = np.random.default_rng(1).permutation(X.shape[1])
    reference = run(X, y, **options)
    assert len(reference.accepted) > 1
    assert run(X, y, n_jobs=4, block_size=1, **options) == reference
    other = run(X[:, order], y, tuple(f"x{i}" for i in order), **options)
    assert other.names == reference.names
    for step, same in zip(other.steps, reference.steps, strict=True):
        assert (step.feature, step.p_value, step.statistic) == (same.feature, same.p_value, same.statistic)


def test_gaps_with_threads_and_columns_in_another_order(data):
    X, y = data
    X = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.1, np.nan, X)
    check_threads_and_another_order(X, y, missing="partial")


def test_row_groups_with_threads_and_columns_in_another_order(data):
    check_threads_and_another_order(*data, groups=np.repeat(np.arange(30), 3))
