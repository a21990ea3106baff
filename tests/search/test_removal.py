"""Which selected features are removed: the least missed first, and the rest asked anew."""

from types import SimpleNamespace

import numpy as np
import pytest

from infosift.criteria import KSG
from infosift.data.columns import NamedColumns
from infosift.data.groups import FeatureUnit
from infosift.data.table import make_table
from infosift.engines.threads import ThreadEngine
from infosift.inference.conditional import Conditional, Workbench
from infosift.inference.drawn_scores import DrawnScores
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.max_test import growing, max_test
from infosift.progress import Reporter
from infosift.search.pruning import Removals

A, B, C = (FeatureUnit(name, (i,)) for i, name in enumerate("abc"))
PROBLEM = SimpleNamespace(
    kept=(), settings=SimpleNamespace(alpha=0.05, min_features=0), table=SimpleNamespace(names=tuple("abc"))
)


class Oracle:
    """Answers as a method would, from what each subset explains: a unit adds what is lost without it."""

    def __init__(self, explained):
        self.explained, self.asked = explained, []

    def _by(self, units):
        return self.explained.get("".join(sorted(unit.name for unit in units)), 0)

    def residual_variance(self, subset):
        return 10 - self._by(subset)

    def drop(self, subset, members, number):
        others = [unit for unit in subset if unit not in members]
        names = ["".join(sorted(unit.name for unit in units)) for units in (members, others)]
        self.asked.append((number, *names))
        return 0.01 if self._by(subset) >= self._by(others) + 1 else 0.5


def removed(explained, partners=()):
    partners = dict(partners) | {second: first for first, second in partners}
    oracle = Oracle(explained)
    removals = list(Removals(PROBLEM, oracle, [A, B, C], partners))
    assert all(removal.p_value == 0.5 for removal in removals)
    return sorted(name for removal in removals for name in removal.features), oracle


def test_where_all_add_something_all_stay_and_each_is_asked_once():
    gone, oracle = removed({"abc": 9, "ab": 7, "ac": 6, "bc": 5})
    assert gone == []
    assert [name for _, name, _ in oracle.asked] == ["c", "b", "a"]
    assert len({number for number, _, _ in oracle.asked}) == 3


def test_of_several_that_add_nothing_the_least_missed_goes_and_the_rest_are_asked_anew():
    # Conditional on b and c the first feature adds too little to be seen; without c it is worth most.
    gone, oracle = removed({"abc": 9, "ab": 9, "ac": 8.5, "bc": 8.2, "a": 6, "b": 4, "c": 3})
    assert gone == ["c"]
    assert oracle.asked[0][1:] == ("c", "ab")


def test_the_last_one_is_never_asked_about():
    gone, oracle = removed({})
    assert len(gone) == 2
    assert all(given for _, _, given in oracle.asked)


@pytest.mark.parametrize(
    ("explained", "gone"),
    [
        ({"abc": 6.4, "ab": 4, "bc": 5.6, "ac": 5.6, "c": 5}, []),
        ({"abc": 5.5, "ab": 4, "bc": 5, "ac": 5, "c": 5}, ["a", "b"]),
        ({"abc": 9, "ab": 6, "bc": 9, "ac": 5, "c": 5}, ["a"]),
    ],
)
def test_two_that_were_selected_as_a_pair_stay_where_they_add_together(explained, gone):
    assert removed(explained, [(A, B)])[0] == gone


def test_the_residual_of_a_feature_shows_what_it_adds():
    # The feature is nearly the sum of the others, and the target is what it differs by.
    rng = np.random.default_rng(0)
    given, (difference, noise) = rng.normal(size=(3, 200)), rng.normal(size=(2, 200))
    columns = np.concatenate([given, [given.sum(axis=0) + 0.1 * difference]])
    target = NamedColumns(("y",), (difference + 0.3 * noise)[None])
    table = make_table(NamedColumns(("a", "b", "c", "d"), columns), target, seed=0)
    bench = Workbench(table, KSG(), (10, 20), ThreadEngine(1), 0, "residual", Reporter())
    conditional = Conditional(bench, [0, 1, 2], [FeatureUnit("d", (3,))], 0)
    plain, thorough = (DrawnScores(conditional, "asking", thorough=thorough) for thorough in (False, True))
    tests = [max_test(growing(drawn.scores), 0.05, [199]) for drawn in (plain, thorough)]
    assert tests[1].p_value == 1 / 200
    assert tests[1].draws.observed[0] > 2 * tests[0].draws.observed[0]
    # Series look at that residual from the start.
    assert max_test(DrawnSeries(conditional, "asking").draws, 0.05, [199]).p_value == 1 / 200
