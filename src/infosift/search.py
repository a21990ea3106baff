"""Which column next, and when to stop: a forward search, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import TypeAlias

from infosift import neighbors, published
from infosift.calibrated import CalibratedSearch, neighbors_for
from infosift.checks import require_rows
from infosift.contest import Bench
from infosift.criteria import Criterion, Scorer, criterion_named
from infosift.engine import ThreadEngine
from infosift.groups import Unit
from infosift.result import NeighborChoice, Selection, Settings, Step
from infosift.table import Table

# Takes the columns chosen so far, the units to choose from and the number of the step.
TakeStep: TypeAlias = Callable[[list[int], list[Unit], int], tuple[Step, Unit]]


def select(
    table: Table, settings: Settings, engine: ThreadEngine, on_step: Callable[[Step], object] | None = None
) -> Selection:
    """Search forward by the method of the settings; the published one chooses the number of neighbours first."""
    choice, search = None, None
    steps: list[Step] = []
    if table.usable:
        criterion = criterion_named(settings.criterion)
        take_step: TakeStep
        if settings.method == "calibrated":
            tried = neighbors_for(table.n_rows, settings.n_neighbors)
            _require_enough_rows(table, tried[-1])
            search = CalibratedSearch(
                Bench(table, criterion, tried, engine, settings.seed, settings.null), settings
            )
            take_step = search.take_step
        else:
            n_neighbors = settings.n_neighbors
            if n_neighbors is None:
                choice = _choose_neighbors(table, settings, criterion, engine)
                n_neighbors = choice.n_neighbors
            _require_enough_rows(table, n_neighbors)
            take_step = partial(published.take_step, table, settings, Scorer(criterion, n_neighbors, engine))
        for step in forward(table, settings, take_step):
            steps.append(step)
            if on_step is not None:
                on_step(step)
    exchanges, pruned = ((), ()) if search is None else search.refine(_chosen_units(table, steps))
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
        exchanges=exchanges,
        pruned=tuple(table.names[i] for unit in pruned for i in unit.columns),
        verdicts=() if search is None else search.verdicts(steps, exchanges, pruned),
        settings=settings,
        version=version("infosift"),
    )


def _chosen_units(table: Table, steps: list[Step]) -> list[Unit]:
    """Return what was chosen, in the order chosen; of a pair, in an order that does not depend on the columns'."""
    return [
        unit
        for step in steps
        if step.accepted
        for unit in sorted(table.units, key=table.digest)
        if set(unit.columns) <= set(step.columns)
    ]


def _require_enough_rows(table: Table, n_neighbors: int) -> None:
    require_rows(table.n_rows, n_neighbors + 2, f"n_neighbors={n_neighbors}")


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


def forward(table: Table, settings: Settings, take_step: TakeStep) -> Iterator[Step]:
    """Yield each step as soon as it is decided; the last one is a rejection unless the columns run out."""
    kept = [table.names.index(name) for name in settings.keep]
    known = {table.digests[i] for i in kept}
    remaining = [unit for unit in table.units if not known.issuperset(table.digests[i] for i in unit.columns)]
    chosen: list[int] = []
    most = len(remaining) if settings.max_features is None else settings.max_features - len(kept)
    for number in range(min(most, len(remaining))):
        step, unit = take_step(kept + chosen, remaining, number)
        yield step
        if not step.accepted:
            return
        chosen += unit.columns
        remaining = [other for other in remaining if not set(other.columns) <= set(unit.columns)]
        if not remaining:
            return
