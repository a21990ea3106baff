"""Pairs by the products of their functions, against going through all of them one by one."""

from itertools import combinations, product

import numpy as np
import pytest

from infosift import _kernel
from infosift.criteria.rank_basis import functions_of, polynomials, standardised
from infosift.data.groups import FeatureUnit
from infosift.inference.permutation import fixed_point_bits, padded_rows, to_fixed_point
from infosift.inference.statistics import pairs as module
from infosift.inference.statistics.pairs import PairStatistic
from samples import conditional_on


def pairs_of(X, y, subset=(), n_slots=2, **options):
    conditional = conditional_on(X, y, subset, **options)
    return conditional, PairStatistic(conditional, "testing", n_slots)


def coefficient(a, b, component, index):
    """The definition: a product of mean zero and unit variance with the target, in a draw."""
    product, spread = (a * b)[index], np.std(a * b)
    return abs(np.mean((product - product.mean()) * component)) * np.sqrt(len(a)) / spread if spread > 0.1 else 0.0


def smooth_functions(own, n_orders):
    return standardised(own.smooth[np.minimum(np.arange(n_orders), len(own.smooth) - 1)])


def sides(own):
    """Where a feature is above or below a third, the half or two thirds of its values, of unit mean square."""
    of_cuts = [(step > 0, step < 0) for step in own.steps[1:4]]
    return [side / np.sqrt(side.mean()) for pair in of_cuts for side in pair if side.any()]


def largest_of(ours, theirs, n_orders, component, index, has_sides=True):
    """The definition: of polynomials with each other, and of sides with each other, which count for less."""
    of_smooth = product(smooth_functions(ours, n_orders), smooth_functions(theirs, n_orders))
    largest = max(coefficient(a, b, component, index) for a, b in of_smooth)
    of_sides = product(sides(ours), sides(theirs)) if has_sides else ()
    return max([largest, *(0.95 * coefficient(a, b, component, index) for a, b in of_sides)])


def slow_largest(conditional, draw, n_orders=2, among=None, has_two=True, has_sides=True):
    """The definition, of one draw: all pairs, of two candidates and of a candidate and a selected feature."""
    index = conditional.indices([draw])[0]
    components = [own[0] for own in conditional.component_functions(polynomials)]
    singles = [i for i, unit in enumerate(conditional.units) if len(unit.columns) == 1]
    functions = dict(zip(singles, conditional.blocks.functions(singles), strict=True))
    fits = {}

    def add(pair, ours, theirs, n_orders):
        found = [largest_of(ours, theirs, n_orders, own, index, has_sides) for own in components]
        fits[pair] = max([fits.get(pair, 0.0), *found])

    for i, j in combinations([i for i in singles if among is None or i in among], 2) if has_two else ():
        add(frozenset((i, j)), functions[i], functions[j], n_orders)
    for own in functions_of(conditional.given, 4) if len(conditional.given) else ():
        for i in singles:
            add(frozenset((i, -1)), functions[i], own, 2 * n_orders)
    best = max(fits, key=fits.get)
    return fits[best], best


@pytest.mark.parametrize("subset", [(), (5,), (4, 5)])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_slots", [1, 2])
def test_the_largest_product_is_that_of_all_pairs(subset, classes, n_slots):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 60)), rng.normal(size=60)
    X[1] = np.digitize(X[1], [-0.5, 0.5])
    y = np.digitize(y, [-0.5, 0.5]).astype(float) if classes else y
    conditional, pairs = pairs_of(X, y, subset, n_slots, discrete=(1,))
    if n_slots == 1 and not subset:
        assert not pairs.applies(conditional, n_slots)
        return
    assert pairs.applies(conditional, n_slots)
    scores = pairs.scores(range(4))
    for draw in range(4):
        expected, pair = slow_largest(conditional, draw, has_two=n_slots > 1)
        assert scores[draw, 0, 0] == pytest.approx(expected, rel=5e-3)
        assert draw > 0 or set(pairs.best_pair) == pair


def studentised(a, b, component, by_row, index):
    """The definition: a product of mean zero with the target of a draw, in units of its own standard deviation."""
    if np.std(a * b) <= 0.1:
        return 0.0
    own = (a * b - np.mean(a * b))[index]
    return abs(own @ component) / np.sqrt(own**2 @ by_row)


@pytest.mark.parametrize("subset", [(), (4,)])
def test_of_censored_times_the_largest_coefficient_is_studentised(subset):
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(6, 80)), rng.exponential(size=80)
    y = np.where(rng.uniform(size=80) < 0.6, times, -times)
    conditional, pairs = pairs_of(X, y, subset, event="event")
    scores = pairs.scores(range(6))[:, 0, 0]
    component, by_row = conditional.component_functions()[0][0], conditional.target.row_variances[0, 0]
    candidates = conditional.blocks.functions(range(len(conditional.units)))
    for draw in range(6):
        drawn = _kernel.permuted_functions(pairs._target, conditional.indices([draw]))
        (pair,) = pairs._largest(np.ascontiguousarray(padded_rows(drawn[..., pairs._rows])))[1].tolist()
        index, with_selected = conditional.indices([draw])[0], min(pair) < 0
        ours = candidates[max(pair)]
        theirs = functions_of(conditional.given, 4)[0] if with_selected else candidates[min(pair)]
        of_smooth = product(*(smooth_functions(own, 4 if with_selected else 2) for own in (ours, theirs)))
        found = [studentised(a, b, component, by_row, index) for a, b in of_smooth]
        found += [
            0.95 * studentised(a, b, component, by_row, index) for a, b in product(sides(ours), sides(theirs))
        ]
        assert scores[draw] == pytest.approx(max(found), rel=0.02)


def test_features_that_are_informative_only_together_are_detected():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 100))
    y = np.sign(X[2] * X[6]) + 0.3 * rng.normal(size=100)
    _, pairs = pairs_of(X, y)
    scores = pairs.scores(range(40))[:, 0, 0]
    assert set(pairs.best_pair) == {2, 6}
    unit, _ = pairs.best(pairs.sample(19), 0.05)
    assert set(unit.columns) == {2, 6}
    assert set(unit.name.split(" + ")) == {"x2", "x6"}
    assert scores[0] > scores[1:].max()


@pytest.mark.parametrize("n_slots", [1, 2])
def test_a_feature_that_is_informative_only_with_a_selected_one_comes_in_alone(n_slots):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6, 200))
    y = X[2] + (X[2] ** 2 - 1) * (X[4] ** 2 - 1) + 0.3 * rng.normal(size=200)
    _, pairs = pairs_of(X, y, (2,), n_slots)
    sample = pairs.sample(39)
    for choose in (pairs.best, lambda sample, alpha: pairs.largest(sample)):
        unit, _ = choose(sample, 0.05)
        assert (unit.name, unit.columns) == ("x4", (4,))
    assert sample.p_values[0] == 1 / 40


@pytest.mark.parametrize("kinds", ["two categories", "a number and a category"])
def test_pairs_of_categories_are_detected(kinds):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 300))
    X[6] = rng.integers(0, 4, size=300)
    X[2] = rng.integers(0, 4, size=300) if kinds == "two categories" else X[2]
    one = X[2] > (1 if kinds == "two categories" else 0)
    y = np.logical_xor(one, X[6] > 1) + 0.3 * rng.normal(size=300)
    _, pairs = pairs_of(X, y, discrete=(2, 6) if kinds == "two categories" else (6,))
    sample = pairs.sample(39)
    assert set(pairs.best_pair) == {2, 6}
    assert sample.p_values[0] == 1 / 40


@pytest.mark.parametrize("side", ["above", "below"])
def test_two_thresholds_that_count_only_together_are_detected(side):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 200))
    both = (X[2] > 0.4) & ((X[6] > 0) == (side == "above"))
    y = both + 0.3 * rng.normal(size=200)
    _, pairs = pairs_of(X, y)
    sample = pairs.sample(199)
    assert set(pairs.best_pair) == {2, 6}
    assert sample.p_values[0] == 1 / 200


def test_a_feature_without_gaps_or_steps_has_no_side_in_which_all_rows_are():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(4, 60)), rng.normal(size=60)
    X[1, :55] = 0.0  # ties at all cuts
    X[2, rng.choice(60, 20, replace=False)] = np.nan
    y += 5 * X[3]
    conditional, pairs = pairs_of(X, y)
    scores = pairs.scores(range(4))
    for draw in range(4):
        expected, _ = slow_largest(conditional, draw)
        assert scores[draw, 0, 0] == pytest.approx(expected, rel=5e-3)


def test_an_exclusive_or_is_found_among_very_many_features():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1_200, 200))
    _, pairs = pairs_of(X, np.sign(X[2] * X[600]))
    sample = pairs.sample(19)
    assert set(pairs.best_pair) == {2, 600}
    assert sample.p_values[0] == 1 / 20


@pytest.mark.parametrize("subset", [(), (5,)])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 2])  # candidates in one block, and in several
def test_of_very_many_features_those_of_largest_effect_in_each_draw_are_multiplied(
    monkeypatch, subset, classes, n_jobs
):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(14, 80))
    X[3], X[7] = np.exp(X[2]), np.sign(X[7])  # the ranks of another, and so its effects; two categories
    y = X[2] * X[6] + rng.normal(size=80)
    y = np.digitize(y, [-0.7, 0.7]).astype(float) if classes else y
    monkeypatch.setattr(PairStatistic, "max_features", 5)
    monkeypatch.setattr(PairStatistic, "n_screened", 5)
    monkeypatch.setattr(module, "_MOST_OF_TWO_ORDERS", 5)
    monkeypatch.setattr(module, "_MOST_WITH_SIDES", 5)
    monkeypatch.setattr(module, "_SCREENED_VALUES_AT_ONCE", 3 * 5 * 80)  # three draws at once
    groups = (FeatureUnit("two", (0, 9)),)
    conditional, pairs = pairs_of(X, y, subset, discrete=(7,), feature_groups=groups, n_jobs=n_jobs)
    assert (len(conditional.blocks.handles) == 1) == (n_jobs == 1)
    scores = np.concatenate([pairs.scores(range(8)), pairs.scores(range(8, 12))])
    assert scores.shape == (12, 1, 1)
    bits = fixed_point_bits(80) - 2
    components = [to_fixed_point(own[0], bits).astype(int) for own in conditional.component_functions(polynomials)]
    singles = [i for i, unit in enumerate(conditional.units) if len(unit.columns) == 1]
    singles.sort(key=lambda i: conditional.context.table.digest(conditional.units[i]))
    firsts = [smooth_functions(own, 1)[0] for own in conditional.blocks.functions(singles)]
    whole = {i: to_fixed_point(first, bits).astype(int) for i, first in zip(singles, firsts, strict=True)}
    sets = set()
    for draw in range(12):
        index = conditional.indices([draw])[0]
        effects = {i: max(abs(own[index] @ component) for component in components) for i, own in whole.items()}
        screened = sorted(singles, key=lambda i: -effects[i])[:5]  # of equal ones the first by digest
        expected, pair = slow_largest(conditional, draw, 1, screened, has_sides=False)
        assert scores[draw, 0, 0] == pytest.approx(expected, rel=5e-3)
        assert draw > 0 or set(pairs.best_pair) == pair
        sets.add(frozenset(screened))
    assert len(sets) > 3


@pytest.mark.parametrize("order", [np.arange(14)[::-1], np.random.default_rng(0).permutation(14)])
@pytest.mark.parametrize("most", [5, 300])
@pytest.mark.parametrize("subset", [False, True])
def test_the_order_of_columns_changes_no_bits(monkeypatch, order, most, subset):
    monkeypatch.setattr(PairStatistic, "max_features", most)
    monkeypatch.setattr(PairStatistic, "n_screened", 5)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(14, 60))
    X[3] = np.exp(X[2])
    y, names = X[2] * X[6] + rng.normal(size=60), np.array([f"x{i}" for i in range(14)])
    scores, best = [], []
    for own in (np.arange(14), order):
        given = (int(np.flatnonzero(own == 9)[0]),) if subset else ()
        conditional, pairs = pairs_of(X[own], y, given, names=names[own].tolist(), n_jobs=2)
        scores.append(pairs.scores(range(8)))
        best.append([i if i < 0 else conditional.units[i].name for i in pairs.best_pair])
    np.testing.assert_array_equal(scores[1], scores[0])
    assert best[1] == best[0]


@pytest.mark.parametrize("subset", [(), (3,)])
def test_parts_and_blocks_of_draws_change_no_bits(monkeypatch, subset):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(70, 50)), rng.integers(0, 3, size=50).astype(float)
    whole = pairs_of(X, y, subset)[1].scores(range(30))
    monkeypatch.setattr(module, "_VALUES_AT_ONCE", 700)
    _, pairs = pairs_of(X, y, subset, n_jobs=2)
    np.testing.assert_array_equal(pairs.scores(range(30)), whole)


@pytest.mark.parametrize("n_rows", [80, 2500])  # of many rows, 2,000 are multiplied
@pytest.mark.parametrize("null", ["residual", "local"])  # which takes rows more than once
def test_sums_are_those_of_whole_numbers(monkeypatch, n_rows, null):
    monkeypatch.setattr(module, "_MOST_WITH_SIDES", 3)
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(4, n_rows)), rng.normal(size=n_rows)
    conditional, pairs = pairs_of(X, y, null=null)
    rows = np.linspace(0, n_rows - 1, min(n_rows, 2000)).astype(int)
    bits = fixed_point_bits(len(rows)) - 2
    target = to_fixed_point(conditional.component_functions(polynomials)[0][0], bits).astype(int)
    functions = [standardised(conditional.blocks.functions([i])[0].smooth[:2][:, rows]) for i in range(4)]
    scores = pairs.scores(range(4))[:, 0, 0]
    for draw, index in enumerate(conditional.indices(range(4))):
        drawn = np.zeros(n_rows, dtype=np.int64)
        np.add.at(drawn, index, target)  # as the features meet it, while these stay
        drawn = drawn[rows].clip(-8 << bits, 8 << bits)
        whole = [[to_fixed_point(own, bits).astype(int) for own in of_feature] for of_feature in functions]
        fits = [
            abs(np.sum((a * b - np.mean(a * b)) * drawn)) * 8.0**-bits / np.std(a * b * 4.0**-bits)
            for one, other in combinations(whole, 2)
            for a, b in product(one, other)
        ]
        assert scores[draw] == pytest.approx(max(fits) / np.sqrt(len(rows)), rel=5e-3)
