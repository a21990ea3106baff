"""Pairs by the products of their functions, against going through all of them one by one."""

from itertools import combinations, product

import numpy as np
import pytest

from infosift.criteria.rank_basis import standardised
from infosift.data.groups import FeatureUnit
from infosift.inference.permutation import to_fixed_point
from infosift.inference.statistics import pairs as module
from infosift.inference.statistics.pairs import PairStatistic
from samples import conditional_on


def pairs_of(X, y, subset=(), **options):
    conditional = conditional_on(X, y, subset, **options)
    return conditional, PairStatistic(conditional, "testing")


def rounded(functions, conditional):
    """Functions as the sums have them: in multiples of a power of two."""
    bits = conditional.indices.bits
    return np.ldexp(to_fixed_point(functions, bits).astype(float), -bits)


@pytest.mark.parametrize("subset", [(), (5,)])
def test_the_largest_product_is_that_of_all_pairs(subset):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 60)), rng.normal(size=60)
    conditional, pairs = pairs_of(X, y, subset)
    scores = pairs.scores(range(3))
    for draw in range(3):
        index, part = conditional.indices([draw])[0], conditional.component_functions[0][0]
        fits = {}
        for i, j in combinations(range(6 - len(subset)), 2):
            for a in conditional.blocks.functions([i])[0].smooth[:2]:
                for b in conditional.blocks.functions([j])[0].smooth[:2]:
                    product = (a * b)[index]
                    fit = abs(np.mean(product * (part - part.mean()))) * np.sqrt(60) / np.std(a * b)
                    fits[i, j] = max(fits.get((i, j), 0.0), fit)
        assert scores[draw, 0, 0] == pytest.approx(max(fits.values()), rel=1e-3)
        assert draw > 0 or set(pairs.best_pair) == set(max(fits, key=fits.get))


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


def test_very_many_features_have_products_of_first_functions_only(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 100))
    y = X[2] * X[6] + 0.3 * rng.normal(size=100)
    monkeypatch.setattr(PairStatistic, "max_features", 4)
    _, pairs = pairs_of(X, y)
    pairs.scores(range(1))
    assert set(pairs.best_pair) == {2, 6}


def slow_largest(conditional, draw, most):
    """The definition, of one draw: products of the first functions of the features with the largest effects."""
    index, units = conditional.indices([draw])[0], conditional.units
    parts = [rounded(part[0], conditional) for part in conditional.component_functions]
    singles = [i for i, unit in enumerate(units) if len(unit.columns) == 1]
    singles.sort(key=lambda i: conditional.context.table.digest(units[i]))
    first = {i: standardised(conditional.blocks.functions([i])[0].smooth[0]) for i in singles}
    forms = {i: rounded(own, conditional) for i, own in first.items()}
    effects = {i: max(abs(form[index] @ part) for part in parts) for i, form in forms.items()}
    screened = sorted(singles, key=lambda i: -round(effects[i], 9))[:most]  # of equal ones the first by digest
    fits = {}
    for i, j in combinations([i for i in singles if i in screened], 2):
        product = forms[i] * forms[j]
        if product.std() > 0.1:
            fit = max(abs(np.mean(product[index] * (part - part.mean()))) for part in parts)
            fits[i, j] = round(fit * np.sqrt(len(product)) / product.std(), 6)
    best = max(fits, key=fits.get)
    return fits[best], best, frozenset(screened)


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
    monkeypatch.setattr(module, "_SCREENED_VALUES_AT_ONCE", 3 * 5 * 80)  # three draws at once
    groups = (FeatureUnit("two", (0, 9)),)
    conditional, pairs = pairs_of(X, y, subset, discrete=(7,), feature_groups=groups, n_jobs=n_jobs)
    assert (len(conditional.blocks.handles) == 1) == (n_jobs == 1)
    scores = np.concatenate([pairs.scores(range(8)), pairs.scores(range(8, 12))])
    assert scores.shape == (12, 1, 1)
    expected = [slow_largest(conditional, draw, 5) for draw in range(12)]
    np.testing.assert_allclose(scores[:, 0, 0], [fit for fit, _, _ in expected], rtol=1e-6)
    assert pairs.best_pair == expected[0][1]
    assert len({screened for _, _, screened in expected}) > 3


@pytest.mark.parametrize("order", [np.arange(14)[::-1], np.random.default_rng(0).permutation(14)])
@pytest.mark.parametrize("most", [5, 300])
def test_the_order_of_columns_changes_no_bits(monkeypatch, order, most):
    monkeypatch.setattr(PairStatistic, "max_features", most)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(14, 60))
    X[3] = np.exp(X[2])
    y, names = X[2] * X[6] + rng.normal(size=60), np.array([f"x{i}" for i in range(14)])
    scores, best = [], []
    for own in (np.arange(14), order):
        conditional, pairs = pairs_of(X[own], y, names=names[own].tolist(), n_jobs=2)
        scores.append(pairs.scores(range(8)))
        best.append([conditional.units[i].name for i in pairs.best_pair])
    np.testing.assert_array_equal(scores[1], scores[0])
    assert best[1] == best[0]


def test_blocks_of_products_and_of_draws_change_no_bits(monkeypatch):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(7, 50)), rng.integers(0, 3, size=50).astype(float)
    whole = pairs_of(X, y)[1].scores(range(30))
    monkeypatch.setattr(module, "_VALUES_AT_ONCE", 700)
    _, pairs = pairs_of(X, y)
    np.testing.assert_array_equal(pairs.scores(range(30)), whole)


@pytest.mark.parametrize("n_rows", [80, 2500])  # of many rows, 2,000 are multiplied
@pytest.mark.parametrize("null", ["residual", "local"])  # which takes rows more than once
def test_sums_are_those_of_whole_numbers(n_rows, null):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(4, n_rows)), rng.normal(size=n_rows)
    conditional, pairs = pairs_of(X, y, (3,), null=null)
    bits, rows = conditional.indices.bits, np.linspace(0, n_rows - 1, min(n_rows, 2000)).astype(int)
    target = to_fixed_point(conditional.component_functions[0][0], bits)
    functions = {}
    for i, order in product(range(3), range(2)):
        own = conditional.blocks.functions([i])[0].smooth[order][rows]
        functions[i, order] = to_fixed_point(standardised(own), bits).astype(np.int64)
    sums = []
    for index in conditional.indices(range(4)):
        drawn = np.zeros(n_rows, dtype=np.int64)
        np.add.at(drawn, index, target)  # as the features meet it, while these stay
        multiplied = [
            to_fixed_point(standardised(functions[i, a] * functions[j, b] * 4.0**-bits), bits).astype(np.int64)
            for i, j in combinations(range(3), 2)
            for a, b in product(range(2), repeat=2)
        ]
        sums.append(max(abs(int(own @ drawn[rows])) for own in multiplied))
    expected = np.array(sums) * 4.0**-bits / np.sqrt(len(rows))
    np.testing.assert_allclose(pairs.scores(range(4))[:, 0, 0], expected, rtol=1e-12)
