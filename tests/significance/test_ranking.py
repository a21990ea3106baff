"""Which of several candidates: leave-one-out in closed form, and no chance in the answer."""

import numpy as np

from infosift.criteria import KSG
from infosift.data.feature_groups import Unit
from infosift.data.frames import NamedColumns
from infosift.data.table import make_table
from infosift.engines.threads import ThreadEngine
from infosift.progress import Reporter
from infosift.significance.conditional import Conditional, Workbench
from infosift.significance.ranking import best_of, leave_one_out_error


def test_leave_one_out_against_fitting_without_each_row():
    rng = np.random.default_rng(0)
    functions, target = rng.normal(size=(3, 40)), rng.normal(size=40)
    errors = []
    for row in range(40):
        others = np.arange(40) != row
        design = np.column_stack([np.ones(39), functions[:, others].T])
        weights = np.linalg.lstsq(design, target[others], rcond=None)[0]
        errors.append(target[row] - weights[0] - functions[:, row] @ weights[1:])
    assert abs(leave_one_out_error(functions, target[None]) - np.mean(np.square(errors))) < 1e-4


def conditional_on(X, y, subset, seed):
    table = make_table(NamedColumns(tuple("abcdef"[: len(X)]), X), NamedColumns(("y",), y[None]), seed=0)
    bench = Workbench(table, KSG(), (10,), ThreadEngine(1), seed, "residual", Reporter())
    units = [unit for unit in table.units if unit.columns[0] not in subset]
    return Conditional(bench, subset, units, step=0)


def test_the_candidate_that_explains_most_is_best_whatever_the_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 200))
    X[2] = X[1] + 0.3 * rng.normal(size=200)  # a poor copy
    y = X[0] + X[1] + 0.3 * rng.normal(size=200)
    for seed in range(5):
        first = conditional_on(X, y, [], seed)
        assert first.units[best_of(first, [1, 2])] == Unit("b", (1,))
        second = conditional_on(X, y, [0], seed)
        assert second.units[best_of(second, [0, 1, 2])] == Unit("b", (1,))


def test_a_product_with_the_subset_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 200))
    y = X[0] * X[1] + 0.1 * rng.normal(size=200)
    conditional = conditional_on(X, y, [0], 0)
    assert conditional.units[best_of(conditional, [0, 1])] == Unit("b", (1,))
