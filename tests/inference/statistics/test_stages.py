"""Stages of a test: the order of the statistics, their shares of alpha, and which of them can pass."""

import numpy as np
import pytest

from infosift.data.groups import FeatureUnit
from infosift.inference import statistics as module
from infosift.inference.max_test import NullSample, TestStatistic
from infosift.inference.statistics import STATISTICS, Stage, StagedTests
from samples import conditional_on


def test_shares_of_alpha_add_up_to_no_more_than_one():
    assert sum(stage.of_step for stage in STATISTICS.values()) <= 1
    assert sum(stage.of_single for stage in STATISTICS.values()) <= 1
    assert sum(stage.of_filter for stage in STATISTICS.values()) <= 1
    assert next(iter(STATISTICS)) == "series"


def statistic(p_value, per_candidate=True, applicable=True):
    """A statistic whose second candidate has about such a p-value; it chooses the first, whose p-value is one."""

    class Statistic(TestStatistic):
        made = 0

        def __init__(self, test, purpose, n_slots):
            super().__init__(test, purpose, n_slots)
            type(self).made += 1

        @classmethod
        def applies(cls, test, n_slots):
            return applicable and (n_slots > 1 or per_candidate)

        def schedule(self, alpha):
            return [99]

        def sample(self, count):
            observed = np.array([-9.0, 1 - p_value])
            surrogates = (np.arange(count) + 0.5) / count
            return NullSample(observed, np.array([count, 0]), np.array([observed.max(), *surrogates]))

        def best(self, sample, alpha):
            return self.test.units[0], 0

    Statistic.per_candidate = per_candidate
    return Statistic


@pytest.fixture
def test():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 60))
    return conditional_on(X, X[0] + rng.normal(size=60))


def stages_of(monkeypatch, *stages):
    registered = {str(i): Stage(*stage, *[0.0] * (4 - len(stage))) for i, stage in enumerate(stages)}
    monkeypatch.setattr(module, "STATISTICS", registered)
    return registered


def test_a_step_goes_on_until_a_stage_passes(monkeypatch, test):
    nothing, much, never = statistic(0.5), statistic(0.0), statistic(0.0)
    for kind in (nothing, much, never):
        kind.best = lambda self, sample, alpha: (self.test.units[1], 1)
    stages_of(monkeypatch, (nothing, 0.6), (much, 0.3), (never, 0.1))
    results = StagedTests(0.1, None).step(test, "testing", 2)
    assert [result.passes for result in results] == [False, True]
    assert [result.alpha for result in results] == pytest.approx([0.06, 0.03])
    assert [kind.made for kind in (nothing, much, never)] == [1, 1, 0]
    assert results[1].unit == test.units[1]
    assert results[1].p_value == 1 / 100
    assert results[1].scaled_p_value(0.1) == pytest.approx(0.1 / 0.03 / 100)


def test_what_passes_only_at_a_large_alpha_does_not_hide_what_a_later_statistic_sees(monkeypatch, test):
    weak, clear = statistic(0.1), statistic(0.0)
    for kind in (weak, clear):
        kind.best = lambda self, sample, alpha: (self.test.units[1], 1)
    stages_of(monkeypatch, (weak, 0.6), (clear, 0.3))
    results = StagedTests(0.2, None).step(test, "testing", 2)
    assert [result.passes for result in results] == [True, True]
    assert results[1].p_value / results[1].alpha < results[0].p_value / results[0].alpha


def test_a_statistic_chooses_its_candidate_in_a_step_and_the_largest_counts_otherwise(monkeypatch, test):
    stages_of(monkeypatch, (statistic(0.0), 0.6, 0.6))
    (chosen,) = StagedTests(0.1, None).step(test, "testing", 2)
    (largest,) = StagedTests(0.1, None).single(test, "testing")
    assert (chosen.unit, chosen.position, chosen.p_value) == (test.units[0], 0, 1)
    assert (largest.unit, largest.position, largest.p_value) == (test.units[1], 1, 1 / 100)
    assert largest.unadjusted_p_value == 1 / 100


def test_the_best_of_many_has_no_p_value_of_its_own(monkeypatch, test):
    stages_of(monkeypatch, (statistic(0.0, per_candidate=False), 1.0))
    (result,) = StagedTests(0.05, None).step(test, "testing", 2)
    assert result.unadjusted_p_value is None


@pytest.mark.parametrize(("n_permutations", "made"), [(None, 1), (32, 0), (33, 1)])
def test_a_stage_that_cannot_reach_its_share_is_left_out(monkeypatch, test, n_permutations, made):
    later = statistic(0.5)
    stages_of(monkeypatch, (statistic(0.5), 0.6), (later, 0.3))
    StagedTests(0.1, n_permutations).step(test, "testing", 2)
    assert later.made == made  # 1 / (0.1 * 0.3) = 33.3 counts the data as one


def test_a_stage_that_does_not_apply_or_has_no_share_is_left_out(monkeypatch, test):
    no, pairs, single = statistic(0.5, applicable=False), statistic(0.5, False), statistic(0.5)
    stages_of(monkeypatch, (no, 0.4, 0.5), (pairs, 0.3), (single, 0.3, 0.5))
    assert len(StagedTests(0.1, None).step(test, "testing", 2)) == 2
    assert len(StagedTests(0.1, None).step(test, "testing", 1)) == 1
    assert len(StagedTests(0.1, None).single(test, "testing")) == 1
    assert (no.made, pairs.made, single.made) == (0, 1, 3)


def test_with_too_few_rows_nothing_is_tested():
    rng = np.random.default_rng(0)
    test = conditional_on(rng.normal(size=(3, 19)), rng.normal(size=19))
    (result,) = StagedTests(0.05, None).step(test, "testing", 2)
    assert (result.unit, result.p_value, result.passes) == (FeatureUnit("x0", (0,)), 1.0, False)
