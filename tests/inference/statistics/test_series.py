"""Series scores against their definition, draw by draw; which candidate is selected, without any randomness."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infosift._kernel import CATEGORY_GAP
from infosift.criteria.rank_basis import Functions, functions_of, functions_of_numbers, standardised
from infosift.data.groups import FeatureUnit
from infosift.inference.conditional_test import ConditionalTest
from infosift.inference.max_test import NullSample, sequential_p_values
from infosift.inference.nulls import NullModel
from infosift.inference.permutation import fixed_point_bits, to_fixed_point
from infosift.inference.statistics import series as module
from infosift.inference.statistics.series import (
    CandidateSeries,
    SeriesStatistic,
    block_scores,
    effects_of,
    leave_one_out_errors,
    most_explanatory,
)
from samples import conditional_of_groups as make
from samples import conditional_on


class AsGiven:
    """Permutation indices (draws x rows) that are given; rows may be taken more than once."""

    def __init__(self, indices):
        self.indices, self.bits = indices.astype(np.uint32), bits_of(indices.shape[1])

    def __call__(self, draws):
        return self.indices[list(draws)]


def bits_of(n_rows):
    return fixed_point_bits(n_rows, repeats_rows=True)


def in_draws(components, subset, indices):
    """The functions of a target in draws."""
    return NullModel().target(components, subset, AsGiven(indices)).functions(range(len(indices)))


def series_of(candidates):
    return CandidateSeries.of(candidates, bits_of(candidates[0].smooth.shape[1]))


def repeating(rng, n_rows):
    """From which row each takes its value where some are taken more than once."""
    return rng.integers(0, n_rows, size=n_rows)


def slow_squares(functions, components, index):
    """Squared mean products, one at a time: a list for each function, with one for each function of the target."""
    n, bits = len(index), bits_of(len(index))
    ours, theirs = (to_fixed_point(own, bits).astype(object) for own in (functions, components))  # of any size
    products = [[int(f[index] @ g) / (4.0**bits * math.sqrt(n)) for g in theirs] for f in ours]
    return [[product * product for product in own] for own in products]


def slow_scores(candidates, components, subset, index):
    """The definition, one product at a time; a candidate is its functions and its steps."""
    scores = []
    for functions, own_steps in candidates:
        own = []
        for component in components:
            squares = slow_squares(functions, component[:2], index)
            of_steps = slow_squares(own_steps, component[:1], index)
            own += [
                squares[0][0],
                sum(of_function[0] for of_function in squares),
                max([square for of_function in squares[:2] for square in of_function][1:], default=0.0),
                max(
                    [of_function[0] for of_function in squares[2:]] + [square for (square,) in of_steps],
                    default=0.0,
                ),
            ]
            if subset is not None:
                products = slow_squares(functions[:1], standardised(subset * component[:1]), index)[0]
                own.append(squares[0][0] + max(products))
        scores.append(np.cbrt(own))
    return np.array(scores)


def slow_studentised(ours, theirs, by_row, index):
    """The square of a sum of products over the sum of squares times variances, of numbers as they are stored."""
    bits = bits_of(len(index))
    f, g = (to_fixed_point(own, bits).astype(object) for own in (ours, theirs))
    v = to_fixed_point(by_row / 8, bits).astype(object)
    squares = sum((own * own >> (bits + 3)) * other for own, other in zip(f[index], v, strict=True))
    return (f[index] @ g) ** 2 / (squares * 4 ** (bits + 3)) if squares > 0 else 0.0


@pytest.mark.parametrize("has_subset", [False, True])
def test_coefficients_in_units_of_their_own_variance(has_subset):
    rng = np.random.default_rng(3)
    candidates, n_rows = of_many_kinds(rng, 80), 80
    components = [number(rng, n_rows).smooth[:2], number(rng, n_rows).smooth[:2]]
    variances = [rng.exponential(size=(2, n_rows)) for _ in components]
    subset = number(rng, n_rows).smooth[:2] if has_subset else None
    indices = np.stack([np.arange(n_rows), rng.permutation(n_rows)])
    in_draws = NullModel().target(components, subset, AsGiven(indices), variances)
    found = series_of(candidates).scores(in_draws.functions(range(2)), in_draws.variances(range(2)))
    by_row = in_draws.row_variances
    np.testing.assert_allclose(by_row.mean(axis=-1), 1)
    for i, own in enumerate(candidates):
        for draw, index in enumerate(indices):

            def square(f, g, part, index=index):
                return slow_studentised(f, in_draws.data[part, g], by_row[part, g], index)

            expected = []
            for part in range(len(components)):
                first = [square(f, 0, part) for f in own.smooth]
                others = first[2:] + [square(f, 0, part) for f in own.steps]
                orders = [square(f, 1, part) for f in own.smooth[:2]]
                expected += [first[0], sum(first), max(first[1:2] + orders), max(others, default=0.0)]
                if has_subset:
                    expected.append(first[0] + max(square(own.smooth[0], 2 + s, part) for s in range(2)))
            np.testing.assert_allclose(found[i, :, draw], np.cbrt(expected), rtol=1e-5)
            # And by the definition in floating point, up to what is rounded.
            f = own.smooth[0][index]
            exact = (f @ components[0][0]) ** 2 / (f**2 @ by_row[0, 0])
            assert found[i, 0, draw] == pytest.approx(np.cbrt(exact), rel=0.02, abs=0.02)


def slow_effects(candidates, components, index):
    """The definition: squares with the first function of a part, and of two with two, of all components."""
    effects = []
    for functions, _ in candidates:
        squares = [slow_squares(functions, component[:2], index) for component in components]
        first = sum(of_function[0] for own in squares for of_function in own)
        effects.append(first + sum(sum(of_function) for own in squares for of_function in own[:2]))
    return np.array(effects)


def number(rng, n_rows):
    return functions_of(rng.normal(size=(1, n_rows)))[0]


def category(rng, n_rows, n_categories):
    return functions_of((1.0 + rng.permutation(np.arange(n_rows) % n_categories))[None] * CATEGORY_GAP)[0]


def group(*members):
    return Functions(*(np.concatenate(own) for own in zip(*members, strict=True)))


def of_many_kinds(rng, n_rows):
    numbers = [number(rng, n_rows) for _ in range(7)]
    categories = [category(rng, n_rows, n_categories) for n_categories in (2, 4, 9)]
    return [*numbers[:2], *categories, group(numbers[2], categories[0]), group(*numbers[3:])]


@pytest.mark.parametrize("n_given", [0, 1, 3])
@pytest.mark.parametrize("repeats", [False, True])
def test_scores_against_their_definition(n_given, repeats):
    rng = np.random.default_rng(n_given)
    candidates = of_many_kinds(rng, 80)
    components = [number(rng, 80).smooth, standardised(rng.normal(size=(1, 80))), number(rng, 80).smooth]
    subset = np.stack([number(rng, 80).smooth[0] for _ in range(n_given)]) if n_given else None
    indices = np.stack(
        [np.arange(80), rng.permutation(80), repeating(rng, 80) if repeats else rng.permutation(80)]
    )
    target, series = in_draws(components, subset, indices), series_of(candidates)
    found, effects = series.scores(target), series.effects(target)
    assert found.shape == (len(candidates), 3 * (5 if n_given else 4), 3)
    assert found.dtype == np.float32
    for draw, index in enumerate(indices):
        expected = slow_scores(candidates, components, subset, index)
        np.testing.assert_allclose(found[..., draw], expected, rtol=1e-6)  # of 24 bits
        np.testing.assert_allclose(effects[:, draw], slow_effects(candidates, components, index), rtol=1e-12)
    squares = (found.astype(float) ** 3).reshape(len(candidates), 3, -1, 3)
    summed = np.concatenate([squares[:, 0], squares[:, 1] + squares[:, 2]], axis=1)
    np.testing.assert_allclose(series.scores(target, sums=[1, 2]).astype(float) ** 3, summed, rtol=2e-6)


@given(st.integers(0, 2**32 - 1), st.integers(10, 200), st.booleans(), st.booleans())
def test_bits_do_not_depend_on_the_other_candidates(seed, n_rows, has_subset, repeats):
    rng = np.random.default_rng(seed)
    candidates, components = of_many_kinds(rng, n_rows), [number(rng, n_rows).smooth]
    subset = number(rng, n_rows).smooth[:2] if has_subset else None
    indices = np.stack([repeating(rng, n_rows) if repeats else rng.permutation(n_rows) for _ in range(5)])
    together = series_of(candidates).scores(in_draws(components, subset, indices))
    order = rng.permutation(len(candidates))
    reordered = series_of([candidates[i] for i in order]).scores(in_draws(components, subset, indices))
    np.testing.assert_array_equal(reordered, together[order])
    for i in (0, 4, 6):
        alone = series_of([candidates[i]]).scores(in_draws(components, subset, indices[3:4]))
        np.testing.assert_array_equal(alone[0, :, 0], together[i, :, 3])


@given(st.integers(0, 2**32 - 1), st.integers(2, 300), st.integers(1, 11), st.sampled_from([None, 0, 1]))
def test_functions_of_numbers_are_those_of_their_ranks(seed, n_rows, bits, decimals):
    columns = np.random.default_rng(seed).normal(size=(3, n_rows))
    columns = columns if decimals is None else columns.round(decimals)
    found, expected = (
        CandidateSeries.of_numbers(columns, bits),
        CandidateSeries.of(functions_of_numbers(columns, 4), bits),
    )
    assert (found.n_smooth, found.n_rows, found.bits) == (expected.n_smooth, expected.n_rows, expected.bits)
    assert found.functions.shape == expected.functions.shape
    # Where a value is half-way between two whole numbers, the last bit of a sum decides.
    apart = np.abs(found.functions.astype(int) - expected.functions)
    assert apart.max() <= 1
    exact = np.stack([np.concatenate([own.smooth, own.steps]) for own in functions_of_numbers(columns, 4)])
    half_way = np.abs(np.ldexp(exact.clip(-8, 8), bits) % 1 - 0.5) < 1e-9
    assert not apart[..., :n_rows][~half_way].any()


def test_a_step_is_seen_best_by_steps():
    # A step at a third of the rows: the squared correlation of the first polynomial with it is 2 / 3 of its own.
    rng = np.random.default_rng(0)
    column = rng.permutation(90).astype(float)
    component = standardised((column >= 30)[None].astype(float))
    target = in_draws([component], None, np.arange(90)[None])
    squares = series_of(functions_of(column[None])).scores(target)[0, :, 0] ** 3
    whole = to_fixed_point(component[0], bits_of(90)).astype(int)  # of ten bits
    assert squares[3] == pytest.approx((whole @ whole / 4 ** bits_of(90)) ** 2 / 90, rel=1e-6)
    assert squares[3] == pytest.approx(90, rel=1e-3)
    assert squares[0] == pytest.approx(90 * 2 / 3, rel=1e-3)


def slow_sample(test, count):
    """All candidates of one draw at a time, with nothing kept."""
    series = CandidateSeries.of(test.blocks.functions(range(len(test.units))), test.indices.bits)
    scores = [series.scores(test.target.functions([draw])) for draw in range(count + 1)]
    handicaps = [0.0, 0.3, 0.05, 0.3, 0.3][: scores[0].shape[1] // len(test.target.data)]
    return NullSample.of_scores(np.concatenate(scores, axis=-1), np.tile(handicaps, len(test.target.data)))


def assert_same(sample, expected):
    for name in ("observed", "n_exceed", "max_statistics", "p_values"):
        np.testing.assert_array_equal(getattr(sample, name), getattr(expected, name))


@pytest.mark.parametrize("subset", [(), (0,), (0, 2)])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])  # candidates in one block, and in several
def test_a_sample_is_that_of_each_draw(subset, classes, n_jobs):
    test = make(subset, classes=classes, n_jobs=n_jobs)
    assert (len(test.blocks.handles) == 1) == (n_jobs == 1)
    statistic = SeriesStatistic(test, "testing")
    for count in (7, 23):
        assert_same(statistic.sample(count), slow_sample(test, count))


@pytest.mark.parametrize("n_at_once", [1, 2])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_sample_is_the_same_where_few_scores_can_be_kept(monkeypatch, n_at_once, n_jobs):
    kept = SeriesStatistic(make((0, 2)), "testing")
    expected = [kept.sample(count) for count in (19, 59, 79)]
    monkeypatch.setattr(module, "_MOST_KEPT", n_at_once * 1000 * 5)
    statistic = SeriesStatistic(make((0, 2), n_jobs=n_jobs), "testing")
    for count, sample in zip((19, 59, 79), expected, strict=True):
        assert_same(statistic.sample(count), sample)


class WatchedIndices:
    """Permutation indices that remember which draws were asked for."""

    def __init__(self, indices):
        self.drawn, self.bits, self._indices = [], indices.bits, indices

    def __call__(self, draws):
        self.drawn.extend(draws)
        return self._indices(draws)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_that_are_kept_are_drawn_once(monkeypatch, n_jobs):
    test = make(n_jobs=n_jobs)
    watched = WatchedIndices(test.indices)
    monkeypatch.setattr(test, "indices", watched)
    statistic = SeriesStatistic(test, "testing")
    for count in (19, 59):
        statistic.sample(count)
    n_blocks = len(test.blocks.handles)
    assert sorted(watched.drawn) == np.repeat(np.arange(60), n_blocks).tolist()


@pytest.mark.parametrize("subset", [(), (0, 2)])
def test_some_candidates_at_a_time_have_the_same_bits(monkeypatch, subset):
    draws, test = range(6), make(subset)
    (block,), n_units = test.blocks.handles, len(test.units)
    scores = block_scores(block, test.target, draws, slice(0, n_units))
    effects = block_scores(block, test.target, draws, method=CandidateSeries.effects)
    assert (scores.shape[0], scores.shape[2], effects.shape) == (n_units, 6, (n_units, 6))
    np.testing.assert_array_equal(effects_of(make(subset, n_jobs=2), draws), effects.T)
    np.testing.assert_array_equal(
        block_scores(block, test.target, draws[4:], known=[scores[..., :4]]), scores
    )  # after what is known
    monkeypatch.setattr(module, "_VALUES_AT_ONCE", 2 * 8 * 80)  # two candidates
    (block,) = make(subset).blocks.handles
    np.testing.assert_array_equal(block_scores(block, test.target, draws, slice(0, n_units + 5)), scores)
    np.testing.assert_array_equal(effects_of(make(subset), draws), effects.T)
    np.testing.assert_array_equal(block_scores(block, test.target, draws, slice(1, 2)), scores[1:2])


@pytest.mark.parametrize("subset", [(), (0,)])
def test_numbers_with_and_without_gaps_and_categories_keep_their_places(subset):
    # Functions of some come from the kernel, those of others do not, and scores are in the order of candidates.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 60))
    X[2], X[5] = rng.integers(0, 3, size=60), X[1] > 0
    X[3, rng.uniform(size=60) < 0.2] = np.nan
    test = conditional_on(X, X[1] + X[4] + rng.normal(size=60), subset, discrete=(2, 5))
    (block,) = test.blocks.handles
    found = block_scores(block, test.target, range(5))
    for i in range(len(test.units)):
        own = CandidateSeries.of(test.blocks.functions([i]), test.indices.bits)
        np.testing.assert_array_equal(found[i], own.scores(test.target.functions(range(5)))[0])


@pytest.mark.parametrize(("n_rows", "schedule"), [(80, [999, 4999]), (300_000, [249, 999])])
def test_what_is_near_alpha_is_settled_where_draws_are_cheap(monkeypatch, n_rows, schedule):
    test = make()
    monkeypatch.setattr(module, "_FEW_VALUES", module._FEW_VALUES * 80 // n_rows)  # as if there were more rows
    assert list(SeriesStatistic(test, "testing").schedule(0.05)) == schedule


def test_sequential_p_values_are_those_of_as_many_draws_of_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    test = conditional_on(X, X[0] + X[1] + 0.5 * rng.normal(size=60))

    def sample_of(positions):
        some = ConditionalTest(test.context, test.subset, [test.units[i] for i in positions], test.step)
        return SeriesStatistic(some, "testing").sample

    first = SeriesStatistic(test, "testing").sample(199)
    p_values, counts = sequential_p_values(first, sample_of, 60, 1 / 2000)
    of_all = SeriesStatistic(test, "testing").sample(2000).unadjusted_p_values
    assert set(counts.tolist()) == {199, 2000}
    np.testing.assert_array_equal(p_values[counts == 2000], of_all[counts == 2000])
    np.testing.assert_array_equal(p_values[counts == 199], first.unadjusted_p_values[counts == 199])
    assert p_values[counts == 199].min() >= 11 / 200
    assert p_values.min() == 1 / 2001


def test_what_depends_on_the_target_is_detected_and_the_rest_is_not():
    # Of no surrogate the best is as large as x0, which makes up half of the target.
    test = make()
    statistic = SeriesStatistic(test, "testing")
    sample = statistic.run(0.05, precise=True)
    p_values = dict(zip([unit.name for unit in test.units], sample.p_values, strict=True))
    assert p_values["x0"] == 1 / (1 + sample.n_permutations) <= 1 / 1000
    assert min(p_values["x2"], p_values["four"]) > 0.05
    assert statistic.best(sample, 0.05) == (test.units[0], 0)


def test_leave_one_out_against_fitting_without_each_row():
    rng = np.random.default_rng(0)
    functions, target = rng.normal(size=(3, 40)), rng.normal(size=40)
    errors = []
    for row in range(40):
        others = np.arange(40) != row
        design = np.column_stack([np.ones(39), functions[:, others].T])
        weights = np.linalg.lstsq(design, target[others], rcond=None)[0]
        errors.append(target[row] - weights[0] - functions[:, row] @ weights[1:])
    assert abs(leave_one_out_errors(functions, target[None])[0] - np.mean(np.square(errors))) < 1e-4


def test_the_candidate_that_explains_most_is_best_whatever_the_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 200))
    X[2] = X[1] + 0.3 * rng.normal(size=200)  # a poor copy
    y = X[0] + X[1] + 0.3 * rng.normal(size=200)
    for seed in range(5):
        first = conditional_on(X, y, [], seed=seed)
        assert first.units[most_explanatory(first, [1, 2])] == FeatureUnit("x1", (1,))
        second = conditional_on(X, y, [0], seed=seed)
        assert second.units[most_explanatory(second, [0, 1, 2])] == FeatureUnit("x1", (1,))


def test_what_is_known_of_candidates_that_were_compared_changes_no_choice():
    test = make()
    statistic = SeriesStatistic(test, "testing")
    for positions in ([1], [0, 1], [1, 2, 3], [0, 1, 2, 3], [2]):
        assert statistic.choose(positions) == most_explanatory(test, positions)


def test_a_product_with_the_subset_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 200))
    y = X[0] * X[1] + 0.1 * rng.normal(size=200)
    test = conditional_on(X, y, [0])
    assert test.units[most_explanatory(test, [0, 1])] == FeatureUnit("x1", (1,))


@pytest.mark.parametrize("subset", [(), (0,)])
def test_of_the_eight_of_largest_effect_the_one_of_least_error_is_best(subset):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        test = conditional_on(rng.normal(size=(13, 60)), rng.normal(size=60), subset)
        places = list(range(1, 12))
        effects, errors = effects_of(test, [0])[0], {}
        for i in places:
            functions = test.blocks.functions([i])[0].smooth
            products = [test.subset_functions[0] * functions[0]] if subset else np.empty((0, 60))
            errors[i] = leave_one_out_errors(np.concatenate([functions, products]), test.raw_residuals).mean()
        assert most_explanatory(test, places) == min(sorted(places, key=lambda i: -effects[i])[:8], key=errors.get)


def test_a_feature_that_only_says_how_far_off_the_target_is_explains_nothing_of_it():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3, 300))
    y = 0.4 * X[1] + np.exp(0.8 * X[0]) * rng.normal(size=300)
    test = conditional_on(X, y)
    effects = effects_of(test, [0])[0]
    assert effects[0] > effects[1]
    assert most_explanatory(test, [0, 1, 2]) == 1


def test_in_wide_tables_scores_that_are_not_monotone_count_for_less():
    test = make()
    handicaps = {}
    for n_candidates in (1, 10, 100, 1000):
        test.context = replace(test.context, n_candidates=n_candidates)
        handicaps[n_candidates] = SeriesStatistic(test, "testing").handicaps()
    np.testing.assert_array_equal(handicaps[1], handicaps[10])
    more = handicaps[100] - handicaps[10]
    np.testing.assert_allclose(handicaps[1000] - handicaps[100], more)
    assert more.min() == 0.0
    np.testing.assert_allclose(more[handicaps[1] > 0], 0.3)
