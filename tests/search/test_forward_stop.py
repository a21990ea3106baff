"""Forward search with a false discovery rate: which steps of a path are added, against its definition."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift import InputError, MutualInfoSelector, Selection
from infosift.display.report.methods_section import methods_paragraph
from infosift.results.steps import Step
from infosift.search.forward_stop import _MOST_AHEAD, ForwardStop
from infosift.search.stepwise import Forward, additions
from samples import friedman

ALPHA, SHARE = 0.1, 0.5


def estimates(p_values):
    """The mean of -log(1 - p) after each step of a path."""
    terms = [-math.log1p(-min(p, 1 - 1e-9)) for p in p_values]
    return [sum(terms[:k]) / k for k in range(1, len(terms) + 1)]


def slow_number(p_values):
    """How many steps are added: up to the last whose estimate is at most alpha, as far as one is in reach."""
    number = 0
    for k, estimate in enumerate(estimates(p_values), start=1):
        if estimate <= ALPHA:
            number = k
        elif k * estimate > ALPHA * (k + _MOST_AHEAD):
            break
    return number


class Tests:
    """Tests whose p-values, as they compare with alpha, are given; each adds the first candidate that is left."""

    __test__ = False

    def __init__(self, p_values):
        self.p_values = p_values

    def add(self, subset, candidates, stream, slots_left):
        # The statistic of a p-value of k surrogates: as far above them as k of 999 allow.
        p_value = self.p_values[stream] * SHARE
        return Step(
            feature=candidates[0].name,
            index=candidates[0].columns[0],
            columns=candidates[0].columns,
            unadjusted_p_value=None,
            information=0.0,
            information_threshold=None,
            statistic=1 - p_value + 0.5e-3,
            threshold=0.0,
            p_value=p_value,
            p_low=p_value / 2,
            p_high=min(1.0, 2 * p_value),
            n_permutations=999,
            alpha=ALPHA * SHARE,
            null=np.arange(1, 1000) / 1000,
        )


def problem_of(n_features, **settings):
    units = [SimpleNamespace(name=f"x{i}", columns=(i,)) for i in range(n_features)]
    table = SimpleNamespace(units=units, digest=lambda unit: unit.columns)
    settings = {"alpha": ALPHA, "min_features": 0, "max_features": None, **settings}
    return SimpleNamespace(table=table, candidates=units, kept=[], settings=SimpleNamespace(**settings))


def path_of(p_values, decided=(), **settings):
    problem = problem_of(len(p_values), **settings)
    path = ForwardStop(problem, Tests(p_values), decided)
    return list(additions(problem, path.add, decided[: path.n_known]))


thousandths = st.lists(st.one_of(st.integers(1, 1000), st.integers(1, 60)), min_size=1, max_size=25)


@given(thousandths)
def test_steps_are_added_up_to_the_last_estimate_below_alpha(thousandths):
    p_values = [p / 1000 for p in thousandths]
    steps = path_of(p_values)
    added = [step for step in steps if step.accepted]
    assert len(added) == slow_number(p_values)
    assert [step.index for step in steps] == list(range(len(steps)))
    assert len(steps) == len(added) + (len(added) < len(p_values))
    of_path = estimates(p_values)
    for step in steps:
        assert step.accepted == (step.p_value <= step.alpha) == step.significant
        assert step.p_low <= step.p_value <= step.p_high
    for number, step in enumerate(added, start=1):
        batch = next(k for k in range(number, len(added) + 1) if of_path[k - 1] <= ALPHA)
        assert step.p_value == pytest.approx(of_path[batch - 1], abs=1e-8)


@given(thousandths, st.integers(0, 25))
def test_a_path_that_is_resumed_is_the_same(thousandths, number):
    p_values = [p / 1000 for p in thousandths]
    whole = path_of(p_values)
    again = path_of(p_values, whole[:number])
    assert [(step.index, step.p_value, step.accepted) for step in again] == [
        (step.index, step.p_value, step.accepted) for step in whole
    ]


@given(thousandths, st.integers(0, 25), st.integers(1, 25))
def test_numbers_of_features_are_kept(thousandths, fewest, most):
    steps = path_of([p / 1000 for p in thousandths], min_features=min(fewest, most), max_features=most)
    n_added = sum(step.accepted for step in steps)
    assert min(fewest, most, len(thousandths)) <= n_added <= most


@pytest.mark.parametrize("p_value", [0.001, 0.06, 0.3])
def test_the_threshold_is_what_the_statistic_has_to_exceed(p_value):
    for step in path_of([0.001, p_value, 0.9, 0.9, 0.9]):
        assert step.accepted == (step.statistic > step.threshold)


def linear(seed, n=150, d=40, n_relevant=12):
    rng = np.random.default_rng([seed, n, d])
    X = rng.normal(size=(n, d))
    return X, 0.35 * X[:, :n_relevant].sum(axis=1) + rng.normal(size=n)


def select(X, y, control, **options):
    search = Forward(control=control)
    return MutualInfoSelector(0.1, search=search, random_state=0, **options).fit(X, y).selection_


def test_more_is_found_than_with_the_family_wise_error():
    X, y = linear(0)
    by_rate, by_family = select(X, y, "fdr"), select(X, y, "fwer")
    assert len(by_rate.names) > len(by_family.names)
    assert by_rate.error_rate == "false discovery rate"
    assert Selection.from_json(by_rate.to_json()) == by_rate
    assert "(ForwardStop, G'Sell and others 2016)" in methods_paragraph(by_rate)
    assert "family-wise" not in methods_paragraph(by_rate)


def test_p_values_that_are_not_adjusted_have_no_such_rate():
    with pytest.raises(InputError, match=r'choose method="calibrated", or leave control out'):
        MutualInfoSelector(method="published", search=Forward(control="fdr")).fit(*friedman(0))


@pytest.mark.simulation
def test_the_share_of_false_ones_is_bounded():
    # The expected share is 0.1 at most; its mean over 40 tables has a standard error of some 0.02.
    shares = []
    for seed in range(40):
        found = np.array(select(*linear(100 + seed), "fdr").indices)
        shares.append(np.mean(found >= 12) if len(found) else 0.0)
    assert np.mean(shares) <= 0.15
