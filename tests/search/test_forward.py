from functools import partial

import numpy as np
import pytest

from infosift.criteria import KSG, Scorer
from infosift.engines.threads import ThreadEngine
from infosift.data.frames import NamedColumns
from infosift.significance.permutation import shuffled_orders
from infosift.progress import Reporter
from infosift.search.published import take_step
from infosift.results.selection import Settings
from infosift.search.run import Run, forward
from infosift.data.table import make_table
from oracle import ksg
from samples import friedman

ENGINE = ThreadEngine(1)


def settings(**changes):
    values = {
        "alpha": 0.05,
        "method": "published",
        "criterion": "ksg",
        "search": "forward",
        "n_neighbors": 5,
        "n_permutations": 19,
        "n_folds": 10,
        "max_neighbors": 10,
        "t_threshold": None,
        "max_features": None,
        "seed": 4,
    }
    return Settings(**{**values, **changes})


def table_of(X, y, names=None):
    names = names or tuple(f"x{i}" for i in range(X.shape[1]))
    return make_table(NamedColumns(names, X.T.copy()), NamedColumns(("y",), y[None]), seed=4)


def select(table, settings, on_step=None):
    return Run(table, settings, ENGINE, Reporter(), on_step=on_step).select()


def test_the_path_is_greedy_and_halts_by_the_permutation_test():
    X, y = friedman(0, n=50)
    table = table_of(X[:, [3, 4, 8]], y)
    chosen = []
    for step in forward(
        table, settings(), partial(take_step, table, settings(), Scorer(KSG(1), 5, ENGINE), Reporter())
    ):
        rest = [i for i in range(3) if i not in chosen]
        scores = {i: ksg(table.columns[[*chosen, i]], table.target, 5, 1) for i in rest}
        best = max(scores, key=scores.get)
        copies = table.columns[best][shuffled_orders(50, range(19), seed=4, step=len(chosen))]
        null = [ksg(np.vstack([table.columns[chosen], copy]), table.target, 5, 1) for copy in copies]
        assert step.index == best
        np.testing.assert_allclose(step.candidate_scores, list(scores.values()), rtol=0, atol=1e-9)
        np.testing.assert_allclose(step.null, null, rtol=0, atol=1e-9)
        assert step.accepted == (scores[best] > max(null))
        chosen.append(best)
    assert not step.accepted or len(chosen) == 3


def test_steps_come_as_soon_as_they_are_decided():
    calls = []

    class CountingScorer(Scorer):
        def __call__(self, *arguments):
            calls.append(arguments)
            return super().__call__(*arguments)

    table = table_of(*friedman(1))
    steps = forward(
        table, settings(), partial(take_step, table, settings(), CountingScorer(KSG(1), 5, ENGINE), Reporter())
    )
    assert next(steps).feature == "x3"
    assert len(calls) == 2  # the candidates and the shuffled copies of the best


@pytest.mark.parametrize(
    "change", [{"criterion": "ksg2"}, {"n_folds": 7}, {"max_neighbors": 4}, {"t_threshold": 0.0}, {"seed": 5}]
)
def test_every_setting_reaches_the_choice_of_k(change):
    table = table_of(*friedman(7, n=60))
    base, other = (select(table, settings(n_neighbors=None, **c)).neighbors for c in ({}, change))
    assert base != other


def test_max_features_ends_the_search():
    X, y = friedman(2)
    selection = select(table_of(X, y), settings(max_features=2))
    assert len(selection.names) == 2
    assert selection.stopped == "as many columns are chosen as were asked for"


def test_all_columns_may_be_chosen():
    X, y = friedman(3)
    selection = select(table_of(X[:, [3]], y), settings())
    assert selection.names == ("x0",)
    assert selection.stopped == "no usable column is left"


def test_nothing_may_be_chosen():
    rng = np.random.default_rng(1)
    selection = select(table_of(rng.normal(size=(60, 2)), rng.normal(size=60)), settings())
    assert selection.names == ()
    assert "adds no significant information" in selection.stopped
    assert len(selection.peak.names) == 1  # the one column of the path, though it was rejected


def test_peak_is_the_highest_point_of_the_path():
    selection = select(table_of(*friedman(4)), settings(n_neighbors=18))
    scores = [step.score for step in selection.steps]
    size = len(selection.peak.names)
    assert selection.peak.score == max(scores) == scores[size - 1]
    assert selection.peak.names == tuple(step.feature for step in selection.steps[:size])


def test_equal_scores_are_settled_without_looking_at_the_order():
    # A column and its mirror image have the same distances, hence the same score.
    X, y = friedman(5)
    both = np.column_stack([X[:, 3], -X[:, 3]])
    first = select(table_of(both, y, ("up", "down")), settings(max_features=1))
    second = select(table_of(both[:, ::-1], y, ("down", "up")), settings(max_features=1))
    assert first.steps[0].candidate_scores[0] == first.steps[0].candidate_scores[1]
    assert first.names == second.names


def test_callback_sees_each_step():
    seen = []
    selection = select(table_of(*friedman(6)), settings(), on_step=seen.append)
    assert tuple(seen) == selection.steps
