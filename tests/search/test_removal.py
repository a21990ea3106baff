"""Which selected features are removed: the least missed first, and the rest asked anew."""

from types import SimpleNamespace

import pytest

from infosift.data.groups import FeatureUnit
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
