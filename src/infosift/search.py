"""Which column next, and when to stop: the forward search of the paper, halted by a permutation test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from time import perf_counter

from infosift import neighbors
from infosift.checks import require_rows
from infosift.criteria import Criterion, Scorer, criterion_named
from infosift.engine import ThreadEngine
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
    remaining = [i for i in table.usable if table.digests[i] not in known]
    chosen: list[int] = []
    most = len(remaining) if settings.max_features is None else settings.max_features - len(kept)
    while remaining and len(chosen) < most:
        step = _take_step(table, settings, scorer, kept + chosen, remaining, number=len(chosen))
        yield step
        if not step.accepted:
            return
        chosen.append(step.index)
        remaining.remove(step.index)


def _take_step(
    table: Table, settings: Settings, scorer: Scorer, subset: list[int], remaining: list[int], number: int
) -> Step:
    started = perf_counter()
    given = table.columns[subset]
    scores = scorer(table.columns, given, table.target, remaining)
    # Of equal scores the digest decides, so that the order of the columns does not.
    place = max(range(len(remaining)), key=lambda i: (scores[i], table.digests[remaining[i]]))
    best = remaining[place]
    null = null_scores(
        lambda copies: scorer(copies, given, table.target),
        table.columns[best],
        settings.n_permutations,
        settings.seed,
        step=number,
        blocks=table.blocks,
    )
    test = judge(scores[place], null, settings.alpha)
    return Step(
        **vars(test),
        feature=table.names[best],
        index=best,
        accepted=test.significant,
        seconds=perf_counter() - started,
        candidates=tuple(remaining),
        candidate_scores=scores,
    )
