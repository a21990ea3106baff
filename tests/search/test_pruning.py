"""The end of a forward search: what is replaced, what is removed, and what stays."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from infosift.data.columns import NamedColumns
from infosift.data.groups import FeatureUnit
from infosift.data.table import make_table
from infosift.engines.base import ThreadEngine
from infosift.results.steps import Replacement
from infosift.search.stepwise import Removals, Replacements

RNG = np.random.default_rng(0)
GOOD = RNG.normal(size=200)
# Two poor copies of a good feature, the good one, a third copy and something else.
COLUMNS = np.stack(
    [*(GOOD + 0.2 * RNG.normal(size=(2, 200))), GOOD, GOOD + 0.1 * RNG.normal(size=200), RNG.normal(size=200)]
)
TABLE = make_table(NamedColumns(tuple("abcde"), COLUMNS), NamedColumns(("y",), GOOD[None] + 1.0), seed=0)
UNITS = dict(zip("abcde", TABLE.units, strict=True))
A, B, C = (FeatureUnit(name, (i,)) for i, name in enumerate("abc"))
PROBLEM = SimpleNamespace(
    kept=(), settings=SimpleNamespace(alpha=0.05, min_features=0), table=SimpleNamespace(names=tuple("abc"))
)


class ReplacementOracle:
    """Answers as a method would, from what each subset leaves unexplained and from p-values by what is asked."""

    engine = ThreadEngine(1)

    def __init__(self, unexplained, p_values):
        self._unexplained, self._p_values, self.asked = unexplained, p_values, []

    def residual_variance(self, subset):
        return self._unexplained.get(names(subset), 9)

    def p_value(self, subset, candidates, number, *, precise=False):
        self.asked.append((names(subset), names(candidates), number, precise))
        return self._p_values[names(candidates)]


def names(units):
    return "".join(sorted(unit.name for unit in units))


def replaced(selected, unexplained, p_values, kept=""):
    oracle = ReplacementOracle(unexplained, p_values)
    settings = SimpleNamespace(alpha=0.05, min_features=0)
    problem = SimpleNamespace(table=TABLE, kept=tuple(UNITS[name] for name in kept), settings=settings)
    search, found = Replacements(problem, oracle).of([UNITS[name] for name in selected]), []
    while True:
        try:
            found.append(next(search))
        except StopIteration as stop:
            return "".join(unit.name for unit in stop.value), found, oracle.asked


def test_one_that_explains_more_replaces_two_where_they_add_nothing_and_it_does():
    after, (replacement,), asked = replaced("eab", {"abe": 2, "ce": 1, "de": 1.5}, {"ab": 0.4, "c": 0.01})
    assert after == "ec"
    assert replacement == Replacement("c", ("a", "b"), 0.01)
    (given, pair, first, precise), (rest, stand_in, second, and_precise) = asked
    assert (given, pair, precise) == ("ce", "ab", False)
    assert (rest, stand_in, and_precise) == ("e", "c", True)  # the p-value that is reported
    assert first != second


@pytest.mark.parametrize(
    ("unexplained", "p_values", "asked_about"),
    [
        ({"ab": 2, "c": 2.1, "d": 2.2}, {}, []),  # neither explains as much as the two
        ({"ab": 2, "c": 1}, {"ab": 0.05, "c": 0.01}, ["ab"]),  # the two add something beside it
        ({"ab": 2, "c": 1}, {"ab": 0.4, "c": 0.06}, ["ab", "c"]),  # it adds nothing to the others
    ],
)
def test_the_two_stay(unexplained, p_values, asked_about):
    after, found, asked = replaced("ab", unexplained, p_values)
    assert after == "ab"
    assert found == []
    assert [candidates for _, candidates, _, _ in asked] == asked_about


def test_only_features_that_are_nearly_the_same_are_tried():
    assert replaced("ae", {"ae": 2, "c": 1}, {})[1:] == ([], [])
    assert replaced("a", {"a": 2, "c": 1}, {})[1:] == ([], [])


def test_what_is_kept_is_given_and_replaces_nothing():
    after, (replacement,), asked = replaced("ab", {"abc": 2, "cd": 1}, {"ab": 0.4, "d": 0.01}, kept="c")
    assert after == replacement.feature == "d"
    assert [given for given, _, _, _ in asked] == ["cd", "c"]


class RemovalOracle:
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
    oracle = RemovalOracle(explained)
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
