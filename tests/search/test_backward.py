"""A backward search: from all features, the least needed first, and never more false positives than alpha."""

from functools import partial

import numpy as np
import pytest

from infosift.progress import Reporter
from infosift.search.checkpoint import Checkpoint, SearchState
from infosift.search.runner import Run
from infosift.search.stepwise import Backward
from oracle import ksg
from samples import friedman, make_selector
from search.test_forward import ENGINE, problem_of
from studies import simulated

CALIBRATED = {
    "method": "calibrated",
    "search": "backward",
    "n_neighbors": "auto",
    "n_permutations": "auto",
    "random_state": 0,
}


def select(X, y, **options):
    return make_selector(**{"search": "backward", "random_state": 0, **options}).fit(X, y).selection_


def test_the_path_is_greedy_from_the_top():
    X, y = friedman(0, n=50)
    problem = problem_of(X[:, [3, 4, 8]], y, search="backward")
    table, tests = problem.table, problem.method.tests(problem, ENGINE, Reporter(), None)
    left = [0, 1, 2]
    for step in Backward().decisions(problem, tests):
        without = {i: ksg(table.columns[[j for j in left if j != i]], table.target.columns, 5, 1) for i in left}
        least = max(without, key=without.get)
        assert (step.index, step.action) == (least, "remove")
        np.testing.assert_allclose(step.candidate_information, [without[i] for i in left], atol=1e-9)
        others = [i for i in left if i != least]
        assert step.information == pytest.approx(
            ksg(table.columns[[*others, least]], table.target.columns, 5, 1), abs=1e-9
        )
        assert step.accepted == (not step.significant)
        left = others if step.accepted else left
        if len(left) == 1:
            break


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_it_ends_with_what_is_needed(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    selection = select(X, X[:, 0] * X[:, 2] + 0.2 * rng.normal(size=150), method=method)
    assert {0, 2} <= set(selection.indices)
    last = selection.steps[-1]
    assert not last.accepted
    assert selection.stopped == f"{last.feature} is needed, and so are all others"
    removed = [step.feature for step in selection.steps if step.accepted]
    assert set(removed) | set(selection.names) == set(selection.feature_names)
    assert selection.ranking == (*selection.names, *removed[::-1])


def test_three_that_matter_only_together_are_found():
    # A forward search looks at single features and pairs.
    rng = np.random.default_rng(2)
    signs = rng.choice([-1.0, 1.0], size=(400, 5))
    y = signs[:, 0] * signs[:, 1] * signs[:, 2] + 0.2 * rng.normal(size=400)
    assert select(signs, y, method="published", n_neighbors=10).indices[:3] == (0, 1, 2)
    assert select(signs, y, method="published", n_neighbors=10, search="forward").indices[:3] != (0, 1, 2)


def test_nothing_is_left_of_noise():
    # At 5 %, more than 4 of 25 in one of 100 such tests.
    found = [len(select(*noise(seed)).indices) > 0 for seed in range(25)]
    assert sum(found) <= 4


def noise(seed):
    sample = simulated.noise(seed, 60, 5)
    return sample.X, sample.y


def test_verdicts_tell_redundant_features_from_irrelevant_ones():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    X = np.column_stack([x[:, 0], x[:, 0] + 0.5 * rng.normal(size=200), x[:, 1], rng.normal(size=200)])
    selection = select(X, x[:, 0] + x[:, 1] + 0.2 * rng.normal(size=200))
    found = {said.feature: said for said in selection.verdicts}
    assert {name: said.verdict for name, said in found.items()} == {
        "x0": "selected",
        "x1": "redundant",
        "x2": "selected",
        "x3": "irrelevant",
    }
    assert found["x1"].redundant_with == ("x0",)
    assert found["x0"].given == ("x2",)
    assert found["x0"].n_candidates == 2


def test_groups_go_together_and_kept_features_stay():
    X, y = friedman(0)
    selection = select(X, y, feature_groups={"noise": [6, 7]}, keep=[9])
    assert selection.names[0] == "x9"
    gone = [step.columns for step in selection.steps if step.accepted]
    assert (6, 7) in gone


def test_a_run_that_was_killed_goes_on(tmp_path):
    whole_run = partial(Run, problem_of(*friedman(0), **CALIBRATED), ENGINE, Reporter())
    whole = whole_run().select()
    checkpoint = tmp_path / "state.json"

    def stop_after_two(selection):
        if len(selection.steps) == 2:
            raise KeyError

    with pytest.raises(KeyError):
        whole_run(Checkpoint(checkpoint, SearchState), stop_after_two).select()
    assert whole_run(Checkpoint(checkpoint, SearchState)).select() == whole


def test_where_all_is_kept_there_is_nothing_to_test():
    X, y = friedman(0)
    selection = select(X[:, :1], y, keep=[0])
    assert selection.names == ("x0",)
    assert (selection.steps, selection.verdicts) == ((), ())
