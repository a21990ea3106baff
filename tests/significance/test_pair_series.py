"""Pairs by the products of their functions, against going through all of them one by one."""

from itertools import combinations

import numpy as np
import pytest

from infosift.criteria import KSG
from infosift.data.frames import NamedColumns
from infosift.data.table import make_table
from infosift.engines.threads import ThreadEngine
from infosift.progress import Reporter
from infosift.significance import pair_series
from infosift.significance.conditional import Conditional, Workbench
from infosift.significance.pair_series import PairSeries


def pairs_of(X, y, subset=()):
    names = tuple(f"x{i}" for i in range(len(X)))
    table = make_table(NamedColumns(names, X), NamedColumns(("y",), y[None]), seed=0)
    bench = Workbench(table, KSG(), (10,), ThreadEngine(1), 0, "residual", Reporter())
    conditional = Conditional(bench, subset, [unit for unit in table.units if unit.columns[0] not in subset], 0)
    return conditional, PairSeries(conditional, "testing")


@pytest.mark.parametrize("subset", [(), (5,)])
def test_the_largest_product_is_that_of_all_pairs(subset):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 60)), rng.normal(size=60)
    conditional, pairs = pairs_of(X, y, subset)
    found = pairs.scores(range(3))
    for draw in range(3):
        source, part = conditional.sources([draw])[0], conditional.part_functions[0][0]
        fits = {}
        for i, j in combinations(range(6 - len(subset)), 2):
            for a in conditional.functions([i])[0].smooth[:2]:
                for b in conditional.functions([j])[0].smooth[:2]:
                    product = (a * b)[source]
                    fit = abs(np.mean(product * (part - part.mean()))) * np.sqrt(60) / np.std(a * b)
                    fits[i, j] = max(fits.get((i, j), 0.0), fit)
        assert found[draw, 0, 0] == pytest.approx(max(fits.values()), rel=1e-3)
        assert draw > 0 or set(pairs.best) == set(max(fits, key=fits.get))


def test_features_that_are_informative_only_together_are_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 100))
    y = np.sign(X[2] * X[6]) + 0.3 * rng.normal(size=100)
    _, pairs = pairs_of(X, y)
    scores = pairs.scores(range(40))[:, 0, 0]
    assert set(pairs.best) == {2, 6}
    assert scores[0] > scores[1:].max()


def test_very_many_features_have_products_of_first_functions_only(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 100))
    y = X[2] * X[6] + 0.3 * rng.normal(size=100)
    monkeypatch.setattr(pair_series, "_MOST_FEATURES", 4)
    _, pairs = pairs_of(X, y)
    pairs.scores(range(1))
    assert set(pairs.best) == {2, 6}


def test_blocks_of_products_and_of_draws_change_no_bits(monkeypatch):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(7, 50)), rng.integers(0, 3, size=50).astype(float)
    whole = pairs_of(X, y)[1].scores(range(30))
    monkeypatch.setattr(pair_series, "_VALUES_AT_ONCE", 700)
    _, pairs = pairs_of(X, y)
    np.testing.assert_array_equal(pairs.scores(range(30)), whole)
