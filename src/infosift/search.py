"""Which column next, and when to stop: the forward search of the paper, halted by a permutation test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from time import perf_counter

import numpy as np

from infosift import neighbors
from infosift.arrays import FloatArray, IntArray
from infosift.checks import require_rows
from infosift.criteria import Criterion, Scorer, criterion_named
from infosift.engine import ThreadEngine
from infosift.groups import Unit
from infosift.nulls import judge, null_scores
from infosift.result import NeighborChoice, Selection, Settings, Step
from infosift.table import Table


def select(
    table: Table, settings: Settings, engine: ThreadEngine, on_step: Callable[[Step], object] | None = None
) -> Selection:
    """Run the published procedure: choose the number of neighbours unless it is given, then search forward."""
    choice, steps = None, []
    if table.usable:
        criterion = criterion_named(settings.criterion)
        n_neighbors = settings.n_neighbors
        if n_neighbors is None:
            choice = _choose_neighbors(table, settings, criterion, engine)
            n_neighbors = choice.n_neighbors
        for step in forward(table, settings, Scorer(criterion, n_neighbors, engine)):
            steps.append(step)
            if on_step is not None:
                on_step(step)
    return Selection(
        feature_names=table.names,
        target_name=table.target_name,
        n_rows=table.n_rows,
        constant=tuple(table.names[i] for i in table.constant),
        identifiers=tuple(table.names[i] for i in table.identifiers),
        discrete=tuple(table.names[i] for i in table.discrete),
        n_classes=table.n_classes,
        duplicates=tuple((table.names[i], table.names[j]) for i, j in table.duplicates.items()),
        neighbors=choice,
        steps=tuple(steps),
        settings=settings,
        version=version("infosift"),
    )


def _choose_neighbors(
    table: Table, settings: Settings, criterion: Criterion, engine: ThreadEngine
) -> NeighborChoice:
    return neighbors.choose(
        table,
        criterion,
        engine,
        max_neighbors=settings.max_neighbors,
        n_folds=settings.n_folds,
        t_threshold=settings.t_threshold,
        seed=settings.seed,
    )


def forward(table: Table, settings: Settings, scorer: Scorer) -> Iterator[Step]:
    """Yield each step as soon as it is decided; the last one is a rejection unless the columns run out."""
    require_rows(table.n_rows, scorer.n_neighbors + 2, f"n_neighbors={scorer.n_neighbors}")
    kept = [table.names.index(name) for name in settings.keep]
    known = {table.digests[i] for i in kept}
    remaining = [unit for unit in table.units if not known.issuperset(table.digests[i] for i in unit.columns)]
    chosen: list[int] = []
    most = len(remaining) if settings.max_features is None else settings.max_features - len(kept)
    for number in range(min(most, len(remaining))):
        step, unit = _take_step(table, settings, scorer, kept + chosen, remaining, number)
        yield step
        if not step.accepted:
            return
        chosen += unit.columns
        remaining.remove(unit)


def _take_step(
    table: Table, settings: Settings, scorer: Scorer, subset: list[int], remaining: list[Unit], number: int
) -> tuple[Step, Unit]:
    started = perf_counter()
    given = table.columns[subset]
    scores = _score_units(table, scorer, given, remaining)
    # Of equal scores the digest decides, so that the order of the columns does not.
    place = max(range(len(remaining)), key=lambda i: (scores[i], table.digest(remaining[i])))
    best = remaining[place]
    null = null_scores(
        lambda orders: _score_shuffled(table, scorer, given, best, orders),
        table.n_rows,
        settings.n_permutations,
        settings.seed,
        step=number,
        blocks=table.blocks,
    )
    test = judge(scores[place], null, settings.alpha)
    step = Step(
        **vars(test),
        feature=best.name,
        index=best.columns[0],
        columns=best.columns,
        accepted=test.significant,
        seconds=perf_counter() - started,
        candidates=tuple(unit.columns[0] for unit in remaining),
        candidate_scores=scores,
    )
    return step, best


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
