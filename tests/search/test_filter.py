"""A filter: each feature on its own; the error rates that it says it controls."""

import numpy as np
import pytest

from infosift import Filter
from samples import friedman, make_selector
from studies import simulated


def select(X, y, control="fwer", **options):
    return make_selector(**{"search": Filter(control=control), "random_state": 0, **options}).fit(X, y).selection_


@pytest.mark.parametrize(
    ("method", "control"),
    [
        ("calibrated", "fwer"),
        *(
            pytest.param(*case, marks=pytest.mark.simulation)
            for case in (("calibrated", "fdr"), ("published", "fwer"), ("published", "fdr"))
        ),
    ],
)
def test_nothing_is_found_in_noise(method, control):
    # At 5 %, more than 4 of 25 in one of 100 such tests.
    found = []
    for seed in range(25):
        sample = simulated.noise(seed, 60, 20)
        found.append(len(select(sample.X, sample.y, control, method=method).names) > 0)
    assert sum(found) <= 4


def test_without_control_each_test_has_its_level():
    # 500 irrelevant features at 5 %: 25 expected, 45 in one of 10,000 such tests.
    number = 0
    for seed in range(10):
        sample = simulated.noise(seed, 60, 50)
        number += len(select(sample.X, sample.y, None).names)
    assert 5 <= number <= 45


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_redundant_features_are_selected_too(method):
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    X = np.column_stack([x, x + 0.1 * rng.normal(size=150), rng.normal(size=(150, 3))])
    selection = select(X, x + 0.3 * rng.normal(size=150), method=method)
    assert set(selection.indices) == {0, 1}
    assert not selection.conditional
    assert {said.verdict for said in selection.verdicts} == {"selected", "not shown"}


@pytest.mark.simulation
def test_the_false_discovery_rate_finds_more_at_its_price():
    false, n_found = [], {"fwer": 0, "fdr": 0}
    for seed in range(15):
        rng = np.random.default_rng([seed, 50])
        X = rng.normal(size=(200, 50))
        y = 0.6 * X[:, :10].sum(axis=1) + 1.5 * rng.normal(size=200)
        for control in n_found:
            found = set(select(X, y, control).indices)
            n_found[control] += len(found & set(range(10)))
            if control == "fdr":
                false.append(len(found - set(range(10))) / max(1, len(found)))
    assert n_found["fdr"] > n_found["fwer"]
    assert np.mean(false) < 0.1  # 0.03 of 100 such tables


def test_steps_are_the_surest_first_and_the_first_has_all_candidates():
    X, y = friedman(0)
    selection = select(X, y)
    accepted = [step for step in selection.steps if step.accepted]
    assert selection.names == tuple(step.feature for step in accepted)
    assert [step.p_value for step in selection.steps] == sorted(step.p_value for step in selection.steps)
    first = selection.steps[0]
    assert first.candidates == tuple(range(10))
    assert np.all(first.candidate_p_values >= first.candidate_unadjusted_p_values - 1e-12)
    assert len(selection.ranking) == 10
    limited = select(X, y, max_features=1)
    assert limited.names == selection.names[:1]
    assert limited.stopped == "max_features was reached"


def test_kept_features_are_given():
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    X = np.column_stack([x, x + 0.1 * rng.normal(size=150), rng.normal(size=150)])
    y = x + X[:, 2] + 0.3 * rng.normal(size=150)
    assert select(X, y, keep=[0]).indices == (0, 2)


def test_units_of_features_count_with_scale_none():
    # In its own units a feature of tiny spread is a constant beside the target, and one in large units is not.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    y = x.sum(axis=1) + 0.3 * rng.normal(size=120)
    X = x * [1e-6, 1.0]
    found = {
        scale: select(X, y, method="published", n_neighbors=5, scale=scale, keep=[1]).steps[0].information
        for scale in ("standard", "none")
    }
    assert found["standard"] > found["none"] + 0.5


def test_the_false_discovery_rate_is_adjusted_for_as_by_benjamini_and_hochberg():
    X, y = friedman(0)
    first = select(X, y, "fdr").steps[0]
    unadjusted, m = first.candidate_unadjusted_p_values, len(first.candidates)
    scaled = [p * m / (unadjusted <= p).sum() for p in unadjusted]
    by_hand = [min(1.0, *(scaled[i] for i in range(m) if unadjusted[i] >= own)) for own in unadjusted]
    np.testing.assert_allclose(first.candidate_p_values, by_hand, rtol=1e-12)
