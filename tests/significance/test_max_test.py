"""The maximum test: its level, when draws end, and statistics that are alike for data and surrogates."""

import numpy as np
import pytest

from infosift.significance.max_test import cheap_looks, looks, max_test, tail_bound
from infosift.significance.permutation import studentised


@pytest.mark.parametrize("n_units", [1, 10])
def test_the_best_of_many_has_its_level(n_units):
    # Scores drawn alike for data and surrogates: p <= 0.05 in at most 5 % of cases; 1000 have an error of 0.7 %.
    rng = np.random.default_rng(n_units)
    passed = sum(
        max_test(lambda draws: rng.normal(size=(len(draws), n_units, 2)), 0.05, looks(0.05, None)).p_value <= 0.05
        for _ in range(1000)
    )
    assert passed <= 72


def test_draws_end_when_all_is_clear():
    rng = np.random.default_rng(0)

    def shifted(by):
        def draw(draws):
            scores = rng.normal(size=(len(draws), 3, 1))
            if draws[0] == 0:
                scores[0] += by
            return scores

        return draw

    assert max_test(shifted(-3), 0.05, looks(0.05, None)).n_permutations == 19
    strong = max_test(shifted(30), 0.05, looks(0.05, None))
    assert strong.n_permutations == 39
    assert strong.p_value == 1 / 40
    assert strong.p_high <= 0.05
    assert max_test(shifted(30), 0.05, looks(0.05, 99)).n_permutations == 99
    fine = max_test(shifted(30), 0.05, cheap_looks(0.05, None), to_the_end=True)
    assert fine.n_permutations == 999
    assert fine.p_value == 1 / 1000
    assert max_test(shifted(-3), 0.05, cheap_looks(0.05, None), to_the_end=True).n_permutations == 59


def test_looks_make_alpha_exact():
    assert list(looks(0.05, None)) == [19, 39]
    assert list(looks(0.01, None)) == [19, 99, 199]
    assert list(looks(0.05, 59)) == [59]
    assert list(cheap_looks(0.03, None)) == [59, 249, 999]
    assert list(cheap_looks(0.0005, None)) == [59, 249, 1999]
    assert list(cheap_looks(0.03, 79)) == [79]


def test_data_and_surrogates_are_studentised_alike():
    scores = np.random.default_rng(0).normal(size=(20, 3, 2))
    scores[:, 0, 0] = 1.0
    statistics = studentised(scores, scores.mean(axis=0), scores.std(axis=0))
    np.testing.assert_allclose(statistics.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(statistics[:, 1:].std(axis=0), 1)
    assert not statistics[:, 0, 0].any()
    assert tail_bound(np.array([9.0, 1.0, -1.0, 1.0, -1.0])) == pytest.approx(1 / 82)
    assert tail_bound(np.array([-9.0, 1.0, -1.0])) == 1
