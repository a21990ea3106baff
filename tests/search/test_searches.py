"""Searches by their names, for both methods; exactly so many features, and all of them in order."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from infosift import Filter, Floating, Forward, InputError, MutualInfoSelector, Selection
from infosift.registry import SEARCHES
from infosift.search.base import as_search
from samples import friedman, make_selector
from studies import simulated


def select(X, y, **options):
    return make_selector(**{"random_state": 0, **options}).fit(X, y).selection_


@pytest.mark.parametrize("method", ["calibrated", "published"])
@pytest.mark.parametrize("search", [*SEARCHES, Floating(add=2, remove=2), Filter(control="fdr")])
def test_each_search_finds_what_matters_by_each_method(method, search):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    selection = select(X, X[:, 1] + X[:, 3] + 0.2 * rng.normal(size=120), method=method, search=search)
    assert set(selection.indices) >= {1, 3}
    assert {"x1", "x3"} <= set(selection.ranking[: len(selection.names)])
    assert sorted(selection.ranking) == ["x0", "x1", "x2", "x3"]
    assert Selection.from_json(selection.to_json()) == selection
    assert selection.settings.search.name == type(as_search(search)).__name__


def test_short_names_and_objects_are_the_same():
    X, y = friedman(0)
    for name, search in SEARCHES.items():
        assert select(X, y, search=name, max_features=2) == select(X, y, search=search, max_features=2)


@pytest.mark.parametrize("asked", ["sideways", Forward, None, 3])
def test_other_searches_are_refused(asked):
    with pytest.raises(
        InputError, match="search must be one of forward, backward, floating, filter, or an object"
    ):
        MutualInfoSelector(search=asked).fit(*friedman(0))


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (Floating(add=0), "add must be"),
        (Floating(remove=-1), "remove must be"),
        (Floating(remove=2), "remove=2 is more than add=1: change one of them"),
        (Filter(control="fdx"), "control must be one of fwer, fdr, None"),
        (Forward(control=None), "control must be one of fwer, fdr, not None"),
    ],
)
def test_parameters_of_searches_are_checked(search, message):
    with pytest.raises(InputError, match=message):
        MutualInfoSelector(search=search).fit(*friedman(0))


def test_objects_are_estimators():
    selector = MutualInfoSelector(search=Floating(add=3))
    assert clone(selector).set_params(search__remove=2).search.get_params() == {"add": 3, "remove": 2}


@pytest.mark.parametrize("method", ["calibrated", "published"])
@pytest.mark.parametrize("search", ["forward", "backward", "floating", "filter"])
@pytest.mark.parametrize("number", [1, 4, 10])
def test_exactly_so_many(method, search, number):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 10)), rng.normal(size=60)
    options = {"min_features": number, "max_features": number, "method": method, "search": search}
    selector = make_selector(random_state=0, **options).fit(X, y)
    assert len(selector.selected_) == number
    assert selector.transform(X).shape == (60, number)


def test_what_is_added_past_the_test_is_marked():
    X, y = simulated.friedman(0, 100).X, simulated.friedman(0, 100).y
    plain, more = select(X, y), select(X, y, min_features=8)
    n_found = len(plain.names)
    assert more.names[:n_found] == plain.names
    assert len(more.names) == 8
    assert [step.significant for step in more.steps] == [True] * n_found + [False] * (8 - n_found)
    assert more.stopped == "min_features was reached"


def test_a_pipeline_is_never_left_without_a_feature():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    with pytest.warns(UserWarning, match="No features were selected"):
        MutualInfoSelector(random_state=0).fit(X, y).transform(X)
    assert MutualInfoSelector(min_features=1, random_state=0).fit_transform(X, y).shape == (50, 1)


def test_kept_features_count():
    X, y = friedman(0)
    assert len(select(X, y, keep=[7], min_features=1, max_features=1).names) == 1
    assert len(select(X, y, keep=[7, 8], min_features=9).names) == 9


def test_fewer_than_the_least_are_refused():
    with pytest.raises(InputError, match="min_features=3 is more than max_features=2: change one of them"):
        select(*friedman(0), min_features=3, max_features=2)
    with pytest.raises(InputError, match="min_features must be"):
        select(*friedman(0), min_features=-1)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_ranks_are_those_of_recursive_elimination(method):
    X, y = friedman(3)
    X[:, 9] = 1.0
    with pytest.warns(UserWarning, match="Constant"):
        selector = make_selector(method=method, random_state=0).fit(X, y)
    selection, ranks = selector.selection_, selector.ranking_
    assert set(np.flatnonzero(ranks == 1)) == set(selector.selected_)
    others = [i for i in range(9) if i not in selector.selected_]
    assert sorted(ranks[others]) == list(range(2, len(others) + 2))
    assert ranks[9] == len(others) + 2
    last = selection.steps[-1]
    by_last = last.candidate_statistics if method == "calibrated" else last.candidate_information
    best = last.candidates[int(np.argmax(by_last))]
    assert ranks[best] == 2


class TwoBest(BaseEstimator):
    """A search of one's own: the best feature, then the best beside it, whatever the test says."""

    starts_full = False
    is_conditional = True

    def check(self):
        pass

    def error_rate(self, method):
        return ""

    def decisions(self, problem, tests, decided=()):
        first = tests.add(problem.kept, problem.candidates, 0, 1)
        yield first
        rest = [unit for unit in problem.candidates if unit.columns != first.columns]
        chosen = [unit for unit in problem.candidates if unit.columns == first.columns]
        yield tests.add([*problem.kept, *chosen], rest, 1, 1)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_a_search_of_ones_own(method):
    X, y = friedman(1)
    selection = select(X, y, search=TwoBest(), method=method)
    assert selection.steps == select(X, y, method=method, max_features=2).steps
    assert selection.settings.search.name == "TwoBest"
