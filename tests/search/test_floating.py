"""A floating search: never worse than a forward search of the same size, by the criterion's own value."""

import numpy as np
import pytest

from infosift import Floating
from infosift.progress import Reporter
from oracle import ksg
from samples import make_selector
from search.test_stepwise import ENGINE, problem_of
from studies import simulated


def select(X, y, search, **options):
    return make_selector(**{"search": search, "random_state": 0, **options}).fit(X, y).selection_


def nested(seed, n=80):
    """The best feature alone is a noisy sum, which two others replace: a forward search takes it first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 0] = X[:, 1] + X[:, 2] + 0.7 * rng.normal(size=n)
    return X, X[:, 1] + X[:, 2] + X[:, 3] + 0.1 * rng.normal(size=n)


THREE = {"method": "published", "n_neighbors": 5, "max_features": 3}


@pytest.mark.parametrize(
    ("search", "least"), [(Floating(), 5), (Floating(add=2), 5), (Floating(add=2, remove=2), 1)]
)
def test_the_subset_is_never_worse_than_that_of_a_forward_search(search, least):
    improved = 0
    for seed in range(8):
        X, y = nested(seed)
        forward, floating = select(X, y, "forward", **THREE), select(X, y, search, **THREE)
        table = problem_of(X, y, n_neighbors=5, random_state=0).table
        by_size = {size: forward.indices[:size] for size in range(1, len(forward.indices) + 1)}
        same = by_size[len(floating.indices)]
        values = [ksg(table.columns[list(own)], table.target.columns, 5, 1) for own in (floating.indices, same)]
        assert values[0] >= values[1] - 1e-9
        improved += values[0] > values[1] + 1e-9
    assert improved >= least


def test_what_a_cycle_removes_and_adds_is_on_the_record():
    X, y = nested(0)
    forward, floating = select(X, y, "forward", **THREE), select(X, y, "floating", **THREE)
    assert floating.steps[: len(forward.steps)] == forward.steps
    cycles = floating.steps[len(forward.steps) :]
    assert all(step.accepted for step in cycles)
    assert [step.action for step in cycles[:2]] == ["remove", "add"]
    selected = set(forward.indices)
    for step in cycles:
        selected = selected - {*step.columns} if step.action == "remove" else selected | {*step.columns}
    assert selected == set(floating.indices)


def test_the_calibrated_method_floats_too():
    sample = simulated.friedman(0, 100, n_copies=2)
    forward, floating = (select(sample.X, sample.y, search) for search in ("forward", "floating"))
    problem = problem_of(
        sample.X, sample.y, method="calibrated", n_neighbors="auto", n_permutations="auto", random_state=0
    )
    tests = problem.method.tests(problem, ENGINE, Reporter(), None)
    units = {unit.columns[0]: unit for unit in problem.candidates}
    left = [tests.residual_variance([units[i] for i in own.indices]) for own in (floating, forward)]
    assert len(floating.indices) != len(forward.indices) or left[0] <= left[1] + 1e-9
