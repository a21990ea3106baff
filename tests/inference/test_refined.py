"""Small p-values: as fine as the false discovery rate needs them, and equal to those of as many draws of all."""

import numpy as np
import pytest

from infosift import Filter, MutualInfoSelector
from infosift.inference.conditional import Conditional
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.refined import refined
from samples import conditional_on


@pytest.fixture(scope="module")
def conditional():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    return conditional_on(X, X[0] + X[1] + 0.5 * rng.normal(size=60))


def refine(conditional, first, least_p):
    def at(places):
        units = [conditional.units[i] for i in places]
        return Conditional(conditional.bench, conditional.subset, units, conditional.step)

    return refined(DrawnSeries(conditional, "").draws(first), at, least_p, "")


def test_they_are_those_of_as_many_draws_of_all(conditional):
    p_values, counts = refine(conditional, 199, 1 / 2000)
    for count in np.unique(counts):
        of_all = DrawnSeries(conditional, "").draws(int(count)).unadjusted_p_values
        np.testing.assert_array_equal(p_values[counts == count], of_all[counts == count])
    assert set(counts.tolist()) == {199, 2000}
    assert p_values.min() == 1 / 2001


def test_what_many_surrogates_reach_is_not_drawn_further(conditional):
    p_values, counts = refine(conditional, 199, 1 / 2000)
    assert np.all(p_values[counts == 199] >= 11 / 200)


def test_few_of_very_many_features_pass_the_false_discovery_rate():
    rng = np.random.default_rng(1)
    n, d = 80, 2000
    X = rng.normal(size=(n, d))
    y = X[:, :3].sum(axis=1) + 0.3 * rng.normal(size=n)
    selection = MutualInfoSelector(search=Filter(control="fdr"), random_state=0).fit(X, y).selection_
    assert {"x0", "x1", "x2"} <= set(selection.names)
    assert len(selection.names) <= 5
    assert selection.steps[0].n_permutations >= d / 0.05
