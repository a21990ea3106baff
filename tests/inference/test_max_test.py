"""The maximum test: its level, when draws end, and statistics that are alike for data and surrogates."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from infosift.inference import max_test as module
from infosift.inference.max_test import (
    NullSample,
    TestStatistic,
    capped,
    max_test,
    no_evidence,
    permutations_to_reach,
    schedule_of_cheap_draws,
    schedule_of_draws,
    sequential_p_values,
    tail_bound,
)
from infosift.inference.permutation import studentised


def growing(draw):
    """What returns samples of more and more draws, each scored once."""
    statistic = TestStatistic(None, "testing")
    statistic.scores = draw
    return statistic.sample


def assert_same(found, expected):
    for name in ("observed", "n_exceed", "max_statistics"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("n_units", [1, 10])
def test_the_best_of_many_has_its_level(n_units):
    # Scores drawn alike for data and surrogates: p <= 0.05 in at most 5 % of cases; 1000 have an error of 0.7 %.
    rng = np.random.default_rng(n_units)

    def draw(draws):
        return rng.normal(size=(len(draws), n_units, 2))

    tests = [max_test(growing(draw), 0.05, schedule_of_draws(0.05)) for _ in range(1000)]
    passed = sum(test.p_values.min() <= 0.05 for test in tests)
    assert passed <= 72


def test_a_precise_test_has_its_level():
    # As above: Binomial(100, 0.05) exceeds 12 once in 700 times. One that passes goes on, and may fail then.
    rng = np.random.default_rng(0)

    def draw(draws):
        return rng.normal(size=(len(draws), 2, 2))

    schedule = list(schedule_of_cheap_draws(0.05))
    tests = [max_test(growing(draw), 0.05, schedule, passes_early=True, choose=min) for _ in range(100)]
    assert sum(test.p_values.min() <= 0.05 for test in tests) <= 12
    assert {test.n_permutations for test in tests} == {999, 4999}


def test_draws_end_when_all_is_clear():
    rng = np.random.default_rng(0)

    def shifted(by):
        def draw(draws):
            scores = rng.normal(size=(len(draws), 3, 1))
            if draws[0] == 0:
                scores[0] += by
            return scores

        return growing(draw)

    assert max_test(shifted(-3), 0.05, schedule_of_draws(0.05)).n_permutations == 9
    strong = max_test(shifted(30), 0.05, schedule_of_draws(0.05))
    assert strong.n_permutations == 199  # expensive draws show early only that a test fails
    assert strong.p_values.min() == 1 / 200
    early = max_test(shifted(30), 0.05, schedule_of_draws(0.05), passes_early=True)
    assert early.n_permutations == 39
    assert early.p_values.min() == 1 / 40
    assert early.interval(early.observed.argmax())[1] <= 0.05
    assert max_test(shifted(30), 0.05, [99], passes_early=True).n_permutations == 99
    cheap = list(schedule_of_cheap_draws(0.05))
    assert max_test(shifted(30), 0.05, cheap, passes_early=True).n_permutations == 999
    precise = max_test(shifted(30), 0.05, cheap, passes_early=True, choose=min)
    assert precise.n_permutations == 999
    assert precise.p_values.min() == 1 / 1000
    assert max_test(shifted(-3), 0.05, cheap, passes_early=True, choose=min).n_permutations == 999


def with_p_values(*shares):
    """Draws of which such shares of the best surrogates are as high as each candidate, however many there are."""

    def draw(count):
        observed = 1 - np.array(shares)
        surrogates = (np.arange(count) + 0.5) / count
        return NullSample(observed, np.zeros(len(shares), dtype=np.int64), np.array([observed.max(), *surrogates]))

    return draw


def by_position(first):
    """What chooses, of candidates that pass, one of them if it is there, and else the last."""
    return lambda positions: first if first in positions else max(positions)


@pytest.mark.parametrize(
    ("shares", "choose", "n_permutations"),
    [
        ((0.0,), None, 999),
        ((0.0,), max, 999),
        ((0.0, 0.5), max, 999),
        # At 999 draws, three standard errors of alpha are 0.021, and another may be chosen if it passes.
        ((0.0, 0.04), max, 4999),
        ((0.0, 0.06, 0.5), max, 4999),
        ((0.0, 0.08), max, 999),
        ((0.045,), max, 4999),
        ((0.06, 0.5), max, 4999),
        ((0.3,), max, 999),
        # One that is chosen whichever of the others pass.
        ((0.0, 0.04), min, 999),
        ((0.0, 0.06, 0.5), min, 999),
        ((0.01, 0.0, 0.04, 0.06), by_position(1), 999),
        ((0.01, 0.0, 0.04, 0.06), by_position(2), 4999),
        # Nothing passes for certain, so that it is open whether anything is chosen at all.
        ((0.045,), min, 4999),
        ((0.06, 0.5), min, 4999),
        ((0.045, 0.055), min, 4999),
    ],
)
def test_a_precise_test_goes_on_where_a_candidate_near_alpha_decides(shares, choose, n_permutations):
    schedule = schedule_of_cheap_draws(0.05)
    test = max_test(with_p_values(*shares), 0.05, schedule, passes_early=True, choose=choose)
    assert test.n_permutations == n_permutations
    assert test.p_values.min() == pytest.approx(min(shares), abs=2 / n_permutations)
    for position, share in enumerate(shares):
        low, high = test.interval(position)
        assert low <= share <= high


@given(st.lists(st.integers(0, 100), min_size=1, max_size=6), st.permutations(range(6)))
def test_draws_end_early_only_if_the_same_is_chosen_whichever_near_alpha_pass(thousandths, preferred):
    # Every way in which those within three standard errors of alpha may turn out.
    shares = np.array(thousandths) / 1000

    def choose(positions):
        assert positions == sorted(positions) != []
        return min(positions, key=preferred.index)

    test = max_test(with_p_values(*shares), 0.05, [999, 4999], choose=choose)
    p_values, error = with_p_values(*shares)(999).p_values, np.sqrt(0.05 * 0.95 / 999)
    certain = [i for i, p_value in enumerate(p_values) if p_value <= 0.05 - 3 * error]
    near = [i for i, p_value in enumerate(p_values) if 0.05 - 3 * error < p_value < 0.05 + 3 * error]
    chosen = set()
    for which in range(2 ** len(near)):
        passing = sorted([*certain, *(own for i, own in enumerate(near) if which >> i & 1)])
        chosen.add(choose(passing) if passing else None)
    assert test.n_permutations == (999 if len(chosen) == 1 else 4999)


@pytest.mark.parametrize("count", [249, 998])
def test_p_values_of_few_draws_are_not_precise_whatever_is_chosen(count):
    asked = []
    test = max_test(with_p_values(0.0), 0.05, [count, 999, 4999], choose=lambda own: asked.append(own) or 0)
    assert test.n_permutations == 999
    assert asked == []  # there is but one to choose


@pytest.mark.parametrize(
    ("is_precise", "precise", "n_permutations"),
    [(True, True, 999), (True, False, 39), (False, True, 39), (False, False, 39)],
)
def test_a_statistic_goes_on_until_p_values_are_precise_where_draws_are_cheap_and_that_is_asked(
    is_precise, precise, n_permutations
):
    statistic = TestStatistic(DistinctDraws(), "testing")
    statistic.is_precise, statistic.passes_early, statistic.sample = is_precise, True, with_p_values(0.0)
    statistic.schedule = lambda alpha: [39, 249, 999, 4999]
    assert statistic.run(0.2, precise=precise).n_permutations == n_permutations
    assert statistic.run(0.2, 99, precise=precise).n_permutations == 99


class DistinctDraws:
    """Stands in for a test of which draws are without limit."""

    n_distinct = None


ALPHAS = [0.001, 0.005, 0.0065, 0.01, 0.0325, 0.05, 0.2]


def exceeding_in(pattern):
    """Draws of one candidate of which the best surrogate is as high where a pattern says so."""

    def draw(count):
        surrogates = np.where(pattern[:count], 1.0, -1.0)
        return NullSample(np.zeros(1), np.array([sum(pattern[:count])]), np.array([0.0, *surrogates]))

    return draw


@pytest.mark.parametrize("passes_early", [False, True])
@given(st.sampled_from(ALPHAS), st.integers(0, 2**32 - 1), st.floats(0, 1), st.booleans())
def test_no_test_ends_for_futility_that_could_still_pass(passes_early, alpha, seed, share, early):
    # The intervals of p-values, which are never certain, are left out.
    schedule, rng = list(schedule_of_draws(alpha)), np.random.default_rng(seed)
    limit = int(Fraction(alpha).limit_denominator(10**6) * (1 + schedule[-1])) - 1  # of surrogates, to pass
    n_exceed = round(share * 2 * (limit + 2))
    pattern = np.arange(schedule[-1]) < min(n_exceed, schedule[-1])
    pattern = pattern if early else rng.permutation(pattern)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ERROR_OF_ENDING", 0.0)
        patch.setattr(module, "tail_bound", lambda max_statistics: 1.0)
        test = max_test(exceeding_in(pattern), alpha, schedule, passes_early=passes_early)
    could_pass = [int(pattern[:count].sum()) <= limit for count in schedule]
    end = could_pass.index(False) if False in could_pass else len(schedule) - 1
    assert test.n_permutations == schedule[end]
    assert (test.p_values[0] <= alpha) <= could_pass[-1]
    if could_pass[-1]:
        assert test.n_permutations == schedule[-1]
        assert test.p_values[0] <= alpha


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_test_that_would_pass_seldom_ends_early(alpha):
    # Of exchangeable draws, the number of the first surrogates as high as the data is hypergeometric. That a test
    # ends before, though as many of all would have passed, has a chance of less than one in a thousand at a look.
    *looks, last = schedule_of_draws(alpha)
    most = int(Fraction(alpha).limit_denominator(10**6) * (1 + last)) - 1
    for count in looks:
        ends = [
            n_exceed
            for n_exceed in range(count + 1)
            if max_test(exceeding_in(np.arange(last) < n_exceed), alpha, [count, last]).n_permutations == count
        ]
        first = ends[0] if ends else count + 1
        assert ends == list(range(first, count + 1))
        assert hypergeom.sf(first - 1, last, most, count) < 0.001


@pytest.mark.parametrize("alpha", ALPHAS)
def test_expensive_draws_never_pass_before_the_last(alpha):
    schedule = list(schedule_of_draws(alpha))
    never = exceeding_in(np.zeros(schedule[-1], dtype=bool))
    assert schedule[-1] >= 199
    assert max_test(never, alpha, schedule).n_permutations == schedule[-1]


@pytest.mark.parametrize("alpha", [0.0065, 0.0325, 0.065])
def test_a_last_look_at_what_is_near_alpha_adds_less_than_a_millionth_to_the_level(alpha):
    # Of exchangeable draws, the number of all surrogates as high as the data is uniform, and that of the first of
    # them hypergeometric. To pass by the first is wrong where all would not have passed.
    *_, first, last = schedule_of_cheap_draws(alpha)

    def passes_early(n_exceed):
        best = np.array([1.0, *np.repeat([2.0, 0.0], [n_exceed, first - n_exceed])])
        draws = NullSample(np.array([1.0]), np.array([n_exceed]), best)
        counted = []
        test = max_test(lambda count: counted.append(count) or draws, alpha, [first, last], choose=min)
        return counted == [first] and test.p_values[0] <= alpha

    early = [n_exceed for n_exceed in range(100) if passes_early(n_exceed)]
    assert early == list(range(len(early)))
    of_all = np.arange(last + 1)
    wrong = hypergeom.cdf(len(early) - 1, last, of_all, first) * ((1 + of_all) / (1 + last) > alpha)
    assert wrong.mean() < 1e-6


def test_schedules_make_alpha_exact():
    looks = [9, 19, 39, 69, 99, 139]  # at which a test may fail
    assert list(schedule_of_draws(0.05)) == [*looks, 199]
    assert list(schedule_of_draws(0.01)) == [*looks, 199]
    assert list(schedule_of_draws(0.005)) == [*looks, 399]
    assert list(schedule_of_draws(0.005, settles=True)) == [*looks, 399, 1999]
    assert list(schedule_of_draws(0.03)) == [*looks, 203]
    assert list(schedule_of_draws(0.0065)) == [*looks, 307]
    assert list(schedule_of_cheap_draws(0.03)) == [999, 4999]
    assert list(schedule_of_cheap_draws(0.03, settles=False)) == [249, 999]
    assert list(schedule_of_cheap_draws(0.05 * 0.7)) == [999, 4999]
    assert list(schedule_of_cheap_draws(0.0005)) == [1999, 9999]


def slow_statistics(scores):
    """The definition: each score in its standard deviations over all draws, and the largest of a candidate."""
    statistics = np.full((len(scores), scores.shape[2]), -np.inf)
    for candidate, of_candidate in enumerate(scores):
        for own in of_candidate:
            in_spreads = (own - own.mean()) / own.std() if own.std() > 0 else np.zeros_like(own)
            statistics[candidate] = np.maximum(statistics[candidate], in_spreads)
    return statistics


# Of two draws, all statistics are one or minus one, and rounding decides which of two scores is larger.
@given(st.integers(0, 2**32 - 1), st.integers(3, 40), st.integers(1, 6), st.integers(1, 4))
def test_draws_against_their_definition(seed, n_draws, n_candidates, n_scores):
    scores = np.random.default_rng(seed).normal(size=(n_candidates, n_scores, n_draws))
    scores[0, 0] = 1.0  # does not vary
    draws, statistics = NullSample.of_scores(scores), slow_statistics(scores)
    np.testing.assert_allclose(draws.observed, statistics[:, 0], atol=1e-9)
    np.testing.assert_allclose(draws.max_statistics, statistics.max(axis=0), atol=1e-9)
    assert draws.n_permutations == n_draws - 1
    for candidate in range(1, n_candidates):
        n_exceed = sum(statistics[candidate, draw] >= statistics[candidate, 0] for draw in range(1, n_draws))
        assert draws.n_exceed[candidate] == n_exceed
        assert draws.unadjusted_p_values[candidate] == (1 + n_exceed) / n_draws


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_handicaps_are_of_each_score_or_of_each_of_each_candidate(dtype):
    scores = np.random.default_rng(0).normal(size=(4, 3, 50)).astype(dtype)
    of_scores = np.array([0.0, 0.5, 2.0])
    alike = NullSample.of_scores(scores, of_scores)
    assert_same(NullSample.of_scores(scores, np.tile(of_scores, (4, 1))), alike)
    assert_same(NullSample.of_scores(scores, np.zeros(3)), NullSample.of_scores(scores))
    of_candidate = [slow_statistics(scores[:, [i]]) - handicap for i, handicap in enumerate(of_scores)]
    np.testing.assert_allclose(alike.max_statistics, np.max(of_candidate, axis=(0, 1)), atol=1e-5)
    assert_same(NullSample.of_scores(scores, np.full(3, 9.0)), NullSample.of_scores(scores, np.full((4, 3), 9.0)))


@given(st.lists(st.integers(-3, 3), min_size=1), st.lists(st.integers(-3, 3), min_size=1))
def test_the_adjusted_p_value_is_how_often_the_best_surrogate_is_as_high(observed, surrogates):
    # Whole numbers, so that there are ties.
    best = np.array([max(observed), *surrogates], dtype=float)
    draws = NullSample(np.array(observed, dtype=float), np.zeros(len(observed), dtype=np.int64), best)
    for own, p_value in zip(observed, draws.p_values, strict=True):
        assert p_value == (1 + sum(other >= own for other in surrogates)) / (1 + len(surrogates))


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 70), st.integers(1, 9), st.integers(2, 5), st.sets(st.integers(1, 8))
)
def test_draws_joined_over_blocks_of_candidates_are_draws_of_all(seed, n_draws, n_candidates, n_scores, cuts):
    scores = np.random.default_rng(seed).normal(size=(n_candidates, n_scores, n_draws))
    bounds = [0, *sorted(cut for cut in cuts if cut < n_candidates), n_candidates]
    blocks = [scores[a:b] for a, b in pairwise(bounds)]
    found = NullSample.joined([NullSample.of_scores(block) for block in blocks])
    expected = NullSample.of_scores(scores)
    assert_same(found, expected)
    np.testing.assert_array_equal(found.p_values, expected.p_values)
    np.testing.assert_array_equal(found.unadjusted_p_values, expected.unadjusted_p_values)


def test_draws_grow_and_none_is_drawn_twice():
    scores, asked = np.random.default_rng(0).normal(size=(100, 3, 2)), []

    def draw(draws):
        asked.append(draws)
        return scores[draws.start : draws.stop]

    up_to = growing(draw)
    for count in (19, 39, 99):
        assert_same(up_to(count), NullSample.of_scores(np.moveaxis(scores[: count + 1], 0, -1)))
    assert asked == [range(20), range(20, 40), range(40, 100)]


def test_data_and_surrogates_are_studentised_alike():
    scores = np.random.default_rng(0).normal(size=(20, 3, 2))
    scores[:, 0, 0] = 1.0
    statistics = studentised(scores, scores.mean(axis=0), scores.std(axis=0))
    np.testing.assert_allclose(statistics.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(statistics[:, 1:].std(axis=0), 1)
    assert not statistics[:, 0, 0].any()
    assert tail_bound(np.array([9.0, 1.0, -1.0, 1.0, -1.0])) == pytest.approx(1 / 82)
    assert tail_bound(np.array([-9.0, 1.0, -1.0])) == 1


@pytest.mark.parametrize(
    ("least_p", "n_values", "draws"),
    [(0.05, 1000, 999), (0.0004, 1000, 2499), (1e-6, 1000, 19_999), (1e-6, 200_000, 4999), (1e-6, 10**8, 999)],
)
def test_small_p_values_take_many_draws_where_these_are_cheap(least_p, n_values, draws):
    assert permutations_to_reach(least_p, n_values) == draws


def test_where_nothing_can_be_seen_no_candidate_passes():
    test = no_evidence(3, 0.05)
    assert test.interval(1)[1] == 1
    assert test.p_values.tolist() == test.unadjusted_p_values.tolist() == [1, 1, 1]


def test_the_interval_of_the_best_is_bounded_by_cantelli():
    # 39 surrogates of standard deviation one, and data 20 of these above their mean: 1 / (1 + 20²) < 1 / 40.
    surrogates = np.array([*np.repeat([1.0, -1.0], 19), 0.0])
    sample = NullSample(np.array([20.0, 0.5]), np.array([0, 19]), np.array([20.0, *surrogates]))
    assert sample.interval(0) == (0.0, 1 / 40)
    low, high = sample.interval(1)  # Clopper and Pearson, of 19 of 39
    assert low == pytest.approx(0.324, abs=0.001)
    assert high == pytest.approx(0.652, abs=0.001)


def test_a_schedule_is_capped_where_distinct_draws_are_few():
    assert capped([19, 99, 199], None) == [19, 99, 199]
    assert capped([19, 99, 199], 120) == [19, 99, 120]
    assert capped([19, 99, 199], 50) == [19, 50]


def exceeding(shares):
    """Candidates of which such shares of their own surrogates are as large, and the positions that are drawn."""
    turns = []

    def sample_of(positions):
        def sample(count):
            turns.append((positions, count))
            return sample_at(positions, count)

        return sample

    def sample_at(positions, count):
        n_exceed = np.floor(np.array(shares)[positions] * count).astype(np.int64)
        return NullSample(np.zeros(len(positions)), n_exceed, np.zeros(count + 1))

    return sample_at, sample_of, turns


def test_sequential_p_values_are_refined_where_few_surrogates_exceed():
    shares = [0.0, 0.5, 0.0002, 0.04, 0.06]
    sample_at, sample_of, turns = exceeding(shares)
    p_values, counts = sequential_p_values(sample_at([0, 1, 2, 3, 4], 199), sample_of, 100, 1 / 20_000)
    assert turns == [([0, 2, 3], 20_000)]  # 8 of 199 are fewer than 10, 11 are not
    assert counts.tolist() == [20_000, 199, 20_000, 20_000, 199]
    np.testing.assert_allclose(p_values, [1 / 20_001, 100 / 200, 5 / 20_001, 801 / 20_001, 12 / 200])


def test_sequential_p_values_take_more_draws_the_fewer_candidates_are_left():
    sample_at, sample_of, turns = exceeding([0.0] + [0.002] * 9)
    _, counts = sequential_p_values(sample_at(list(range(10)), 999), sample_of, 10_000, 1e-5)
    # A billion values are 10,000 draws of ten candidates of 10,000 rows; the one that is left takes all it may.
    assert turns == [(list(range(10)), 10_000), ([0], 100_000)]
    assert counts.tolist() == [100_000] + [10_000] * 9
