"""Which chosen columns go: the least needed first, and the rest asked anew."""

from types import SimpleNamespace

import numpy as np
import pytest

from infosift.significance.max_test import Bench, Contest, hold
from infosift.criteria import KSG
from infosift.engines.threads import ThreadEngine
from infosift.data.feature_groups import Unit
from infosift.data.frames import NamedColumns
from infosift.progress import Reporter
from infosift.search.backward import Pruner
from infosift.data.table import make_table

A, B, C = (Unit(name, (i,)) for i, name in enumerate("abc"))


class Oracle:
    """Answers as an examiner would, from what each set explains: a unit adds what is lost without it."""

    settings = SimpleNamespace(alpha=0.05)

    def __init__(self, explained):
        self.explained, self.asked = explained, []

    def _by(self, units):
        return self.explained.get("".join(sorted(unit.name for unit in units)), 0)

    def unexplained_by(self, units):
        return 10 - self._by(units)

    def p_value(self, asked, given, step, purpose, *, thorough):
        (unit,) = asked
        parts = [Unit(name, ()) for name in unit.name.split(" and ")]
        self.asked.append((step, unit.name, "".join(sorted(other.name for other in given))))
        return 0.01 if self._by([*given, *parts]) >= self._by(given) + 1 else 0.5


def superfluous(explained, partners=()):
    partners = dict(partners) | {second: first for first, second in partners}
    oracle = Oracle(explained)
    return [unit.name for unit in Pruner(oracle, [A, B, C], partners).superfluous()], oracle


def test_where_all_add_something_all_stay_and_each_is_asked_once():
    gone, oracle = superfluous({"abc": 9, "ab": 7, "ac": 6, "bc": 5})
    assert gone == []
    assert [name for _, name, _ in oracle.asked] == ["c", "b", "a"]
    assert len({step for step, _, _ in oracle.asked}) == 3


def test_of_several_that_add_nothing_the_least_needed_goes_and_the_rest_are_asked_anew():
    # Beside b and c the first column adds too little to be seen; without c it is worth most.
    gone, oracle = superfluous({"abc": 9, "ab": 9, "ac": 8.5, "bc": 8.2, "a": 6, "b": 4, "c": 3})
    assert gone == ["c"]
    assert oracle.asked[0][1:] == ("c", "ab")


def test_the_last_one_is_never_asked_about():
    gone, oracle = superfluous({})
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
def test_two_that_came_together_stay_where_they_add_together(explained, gone):
    assert superfluous(explained, [(A, B)])[0] == gone


@pytest.mark.parametrize("thorough", [False, True])
def test_what_the_others_leave_of_a_column_shows_what_it_tells(thorough):
    # The column is nearly the sum of the others, and the target is what it differs by.
    rng = np.random.default_rng(0)
    given, (difference, noise) = rng.normal(size=(3, 200)), rng.normal(size=(2, 200))
    columns = np.concatenate([given, [given.sum(axis=0) + 0.1 * difference]])
    target = NamedColumns(("y",), (difference + 0.3 * noise)[None])
    table = make_table(NamedColumns(("a", "b", "c", "d"), columns), target, seed=0)
    bench = Bench(table, KSG(), (10, 20), ThreadEngine(1), 0, "residual", Reporter())
    contest = Contest(bench, [0, 1, 2], [Unit("d", (3,))], 0, "asking", thorough=thorough)
    assert (hold(contest.scores, 0.05, 39).p_value <= 0.05) == thorough
