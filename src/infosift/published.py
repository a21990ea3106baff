"""A step of the published procedure: the highest score, tested against shuffled copies of its column."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Scorer
from infosift.evidence import Step
from infosift.groups import Unit
from infosift.nulls import judge, null_scores, permutations_for
from infosift.progress import Reporter
from infosift.result import Settings
from infosift.table import Table


def take_step(
    table: Table,
    settings: Settings,
    scorer: Scorer,
    reporter: Reporter,
    subset: list[int],
    remaining: list[Unit],
    number: int,
) -> Step:
    """Return the step that adds the best unit, or finds that it adds nothing."""
    started = perf_counter()
    given = table.columns[subset]
    reporter.begin(f"step {number + 1}: scoring {len(remaining)} columns", len(remaining))
    scores = _score_units(table, scorer, given, remaining)
    # Of equal scores the digest decides, so that the order of the columns does not.
    place = max(range(len(remaining)), key=lambda i: (scores[i], table.digest(remaining[i])))
    best = remaining[place]
    count = settings.n_permutations or permutations_for(settings.alpha, "auto")
    reporter.begin(f"step {number + 1}: testing {best.name}", count)
    null = null_scores(
        lambda draws, orders: _score_shuffled(table, scorer, given, best, orders),
        table.n_rows,
        count,
        settings.seed,
        step=number,
        blocks=table.blocks,
    )
    test = judge(scores[place], null, settings.alpha)
    return Step(
        **vars(test),
        feature=best.name,
        index=best.columns[0],
        columns=best.columns,
        information=test.score,
        accepted=test.significant,
        seconds=perf_counter() - started,
        candidates=tuple(unit.columns[0] for unit in remaining),
        candidate_scores=scores,
    )


def _score_units(table: Table, scorer: Scorer, given: FloatArray, units: list[Unit]) -> FloatArray:
    """Score the given columns plus each unit: all single columns at once, groups one by one."""
    scores = np.empty(len(units))
    singles = [i for i, unit in enumerate(units) if len(unit.columns) == 1]
    if singles:
        scores[singles] = scorer(table.columns, given, table.target, [units[i].columns[0] for i in singles])
    for i, unit in enumerate(units):
        if len(unit.columns) > 1:
            scores[i] = _score_together(scorer, table.columns[list(unit.columns)], given, table.target)
    return scores


def _score_shuffled(table: Table, scorer: Scorer, given: FloatArray, unit: Unit, orders: IntArray) -> FloatArray:
    """Score the given columns plus copies of a unit with their rows in these orders, all its columns alike."""
    columns = table.columns[list(unit.columns)]
    if len(columns) == 1:
        return scorer(columns[0][orders], given, table.target)
    return np.array([_score_together(scorer, columns[:, order], given, table.target) for order in orders])


def _score_together(scorer: Scorer, columns: FloatArray, given: FloatArray, target: FloatArray) -> float:
    return float(scorer(columns[-1:], np.concatenate([given, columns[:-1]]), target)[0])
