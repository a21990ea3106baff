"""Which column next, and when to stop: a forward search, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from typing import TypeAlias

from infosift import neighbors, published
from infosift.calibrated import CalibratedSearch, neighbors_for
from infosift.checkpoint import Checkpoint, State, fresh_state
from infosift.checks import require_rows
from infosift.contest import Bench
from infosift.criteria import Scorer, criterion_named
from infosift.engine import ThreadEngine
from infosift.evidence import ColumnVerdict, Exchange, NeighborChoice, Step
from infosift.groups import Unit
from infosift.progress import Reporter, TimeIsUp
from infosift.result import INTERRUPT, TIME_LIMIT, Selection, Settings
from infosift.table import Table

# Takes the columns chosen so far, the units to choose from and the number of the step.
TakeStep: TypeAlias = Callable[[list[int], list[Unit], int], Step]


class Run:
    """A search by the method of the settings: at any moment, what it has decided so far makes a Selection."""

    def __init__(
        self,
        table: Table,
        settings: Settings,
        engine: ThreadEngine,
        reporter: Reporter,
        checkpoint: Checkpoint | None = None,
        on_step: Callable[[Step], object] | None = None,
    ) -> None:
        self.table, self.settings, self.engine, self.reporter = table, settings, engine, reporter
        self._checkpoint, self._on_step = checkpoint, on_step
        self._criterion = criterion_named(settings.criterion)
        state = fresh_state(table, settings) if checkpoint is None else checkpoint.resume(table, settings)
        self._data = state.data
        self._choice: NeighborChoice | None = state.neighbors
        self._steps: list[Step] = list(state.steps)
        self._exchanges: tuple[Exchange, ...] = ()
        self._pruned: tuple[Unit, ...] = ()
        self._verdicts: tuple[ColumnVerdict, ...] = ()

    def select(self) -> Selection:
        """Search to the end, or to an interrupt or the time limit, by which the Selection is then marked."""
        ended_by = None
        try:
            if self.table.usable:
                self._search()
        except KeyboardInterrupt:
            ended_by = INTERRUPT
        except TimeIsUp:
            ended_by = TIME_LIMIT
        return self._selection(ended_by)

    def _search(self) -> None:
        if self.settings.method == "published":
            self._forward(self._published_step())
            return
        search = self._calibrated_search()
        self._forward(search.take_step)
        by_step = [_units_of(self.table, step) for step in self._steps if step.accepted]
        chosen = [unit for units in by_step for unit in units]
        pairs = [(units[0], units[1]) for units in by_step if len(units) == 2]
        self._exchanges, self._pruned = search.refine(chosen, pairs)
        self._verdicts = search.verdicts(self._steps, self._exchanges, self._pruned)

    def _forward(self, take_step: TakeStep) -> None:
        decided = tuple(self._steps)
        for number, step in enumerate(forward(self.table, self.settings, take_step, decided)):
            if number >= len(decided):
                self._steps.append(step)
                self._save()
            if step.accepted:
                self.reporter.add(step.feature)
            if self._on_step is not None:
                self._on_step(step)

    def _published_step(self) -> TakeStep:
        n_neighbors = self.settings.n_neighbors
        if n_neighbors is None:
            if self._choice is None:
                self._choice = self._choose_neighbors()
                self._save()
            n_neighbors = self._choice.n_neighbors
        _require_enough_rows(self.table, n_neighbors)
        scorer = Scorer(self._criterion, n_neighbors, self.engine)
        return partial(published.take_step, self.table, self.settings, scorer, self.reporter)

    def _choose_neighbors(self) -> NeighborChoice:
        settings = self.settings
        n_scores = len(self.table.usable) * (1 + settings.n_folds)
        self.reporter.begin("choosing the number of neighbours", n_scores)
        return neighbors.choose(
            self.table,
            self._criterion,
            self.engine,
            max_neighbors=settings.max_neighbors,
            n_folds=settings.n_folds,
            t_threshold=settings.t_threshold,
            seed=settings.seed,
        )

    def _calibrated_search(self) -> CalibratedSearch:
        tried = neighbors_for(self.table.n_rows, self.settings.n_neighbors)
        _require_enough_rows(self.table, tried[-1])
        bench = Bench(
            self.table,
            self._criterion,
            tried,
            self.engine,
            self.settings.seed,
            self.settings.null,
            self.reporter,
        )
        return CalibratedSearch(bench, self.settings)

    def _save(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.write(
                State(
                    data=self._data,
                    version=version("infosift"),
                    settings=self.settings,
                    neighbors=self._choice,
                    steps=tuple(self._steps),
                )
            )

    def _selection(self, ended_by: str | None) -> Selection:
        table = self.table
        return Selection(
            feature_names=table.names,
            target_name=table.target_name,
            n_rows=table.n_rows,
            constant=tuple(table.names[i] for i in table.constant),
            identifiers=tuple(table.names[i] for i in table.identifiers),
            discrete=tuple(table.names[i] for i in table.discrete),
            n_classes=table.n_classes,
            duplicates=tuple((table.names[i], table.names[j]) for i, j in table.duplicates.items()),
            neighbors=self._choice,
            steps=tuple(self._steps),
            exchanges=self._exchanges,
            pruned=tuple(table.names[i] for unit in self._pruned for i in unit.columns),
            verdicts=self._verdicts,
            settings=self.settings,
            version=version("infosift"),
            ended_by=ended_by,
        )


def forward(table: Table, settings: Settings, take_step: TakeStep, decided: Sequence[Step] = ()) -> Iterator[Step]:
    """Yield each step as soon as it is decided, those decided before first.

    The last one is a rejection unless the columns run out.
    """
    kept = [table.names.index(name) for name in settings.keep]
    known = {table.digests[i] for i in kept}
    remaining = [unit for unit in table.units if not known.issuperset(table.digests[i] for i in unit.columns)]
    chosen: list[int] = []
    most = len(remaining) if settings.max_features is None else settings.max_features - len(kept)
    least_left = len(remaining) - most
    for number in itertools.count():
        if len(remaining) <= max(0, least_left):
            return
        step = decided[number] if number < len(decided) else take_step(kept + chosen, remaining, number)
        yield step
        if not step.accepted:
            return
        chosen += step.columns
        remaining = [other for other in remaining if not set(other.columns) <= set(step.columns)]


def _units_of(table: Table, step: Step) -> list[Unit]:
    """Return what a step added; of a pair, in an order that does not depend on the columns'."""
    return [unit for unit in sorted(table.units, key=table.digest) if set(unit.columns) <= set(step.columns)]


def _require_enough_rows(table: Table, n_neighbors: int) -> None:
    require_rows(table.n_rows, n_neighbors + 2, f"n_neighbors={n_neighbors}")
