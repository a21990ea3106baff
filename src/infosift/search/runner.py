"""A run of a search: at any moment, its decisions so far make a Selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.data.targets import Target
from infosift.engines.base import Engine
from infosift.progress import Reporter, TimeIsUp
from infosift.results.selection import INTERRUPT, TIME_LIMIT, Selection, Settings
from infosift.results.serialization import Record
from infosift.results.steps import DataWarningRecord, NeighborChoice, Removal, Replacement, Step, Survival
from infosift.search.base import Decision, Problem, columns_of
from infosift.search.data_warnings import warnings_after_search
from infosift.search.effects import effects_of
from infosift.search.prediction import features_for_prediction
from infosift.search.verdicts import detectable_correlation, explained_by, information_alone, verdicts

if TYPE_CHECKING:
    from infosift.search.checkpoint import Checkpoint

_CALLBACK = "a callback"


@dataclass(frozen=True, eq=False, kw_only=True)
class RunState(Record):
    """Which run a checkpoint is of: its settings, a digest of its data, and the version of infosift."""

    settings: Settings
    data: str = ""
    version: str = field(default_factory=lambda: version_of("infosift"))


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchState(RunState):
    """What a search has decided so far."""

    neighbors: NeighborChoice | None = None
    steps: tuple[Step, ...] = ()


class Run:
    """Runs a search and records its decisions: those on features in a checkpoint too, if there is one.

    ``on_step`` is called, as soon as a step is decided, with the selection so far; where it returns True, the run
    ends. ``warnings`` are those that the data gave before; None where none are wanted, as on resampled rows.
    """

    def __init__(
        self,
        problem: Problem,
        engine: Engine,
        reporter: Reporter,
        checkpoint: Checkpoint[SearchState] | None = None,
        on_step: Callable[[Selection], bool] | None = None,
        warnings: Sequence[DataWarningRecord] | None = None,
    ) -> None:
        self._problem, self._engine, self._reporter = problem, engine, reporter
        self._checkpoint, self._on_step, self._warnings = checkpoint, on_step, warnings
        table, settings = problem.table, problem.settings
        self._state = SearchState(settings=settings) if checkpoint is None else checkpoint.resume(table, settings)
        self._selection = self._without_decisions()
        self._n_sent = 0

    def select(self) -> Selection:
        """Search to the end, or to an interrupt or the time limit, by which the Selection is then marked."""
        ended_by = None
        self._reporter.start_clock()
        try:
            if self._problem.table.usable:
                ended_by = self._search()
        except KeyboardInterrupt:
            ended_by = INTERRUPT
        except TimeIsUp:
            ended_by = TIME_LIMIT
        return replace(self._selection, ended_by=ended_by)

    def _search(self) -> str | None:
        """Follow the search to its end, then judge every feature; return what ended it early, if anything did."""
        problem, engine, known = self._problem, self._engine, self._state.neighbors
        tests = problem.method.tests(problem, engine, self._reporter, known)
        self._update(
            neighbors=tests.neighbors,
            criterion_values=tuple(value for value in tests.values if value is not None),
            n_rows_tested=tests.n_rows if tests.n_rows < problem.table.n_rows else None,
            procedure=tests.procedure,
        )
        if tests.neighbors is not known:
            self._save()
        for decision in problem.search.decisions(problem, tests, self._state.steps):
            if self._record(decision):
                return _CALLBACK
        judged = verdicts(problem, tests, self._selection)
        self._update(
            procedure=tests.procedure,
            verdicts=judged,
            smallest_detectable_correlation=detectable_correlation(problem, tests.n_rows, self._selection.steps),
            information_alone=information_alone(problem, tests, engine, judged),
            explained=explained_by(problem, tests, engine, self._selection),
        )
        if self._selection.survival is not None:
            from infosift.search.survival import curves_of  # which few targets have

            curves = curves_of(problem, self._selection.indices)
            self._update(survival=replace(self._selection.survival, curves=curves))
        if self._warnings is not None:
            more = warnings_after_search(problem, self._selection, engine)
            self._update(warnings=(*self._warnings, *more))
            self._update(for_prediction=features_for_prediction(problem, self._selection, self._reporter))
            self._update(effects=effects_of(problem, self._selection))
        return None

    def _record(self, decision: Decision) -> bool:
        """Add a decision to the selection; return whether the run is to end here."""
        if isinstance(decision, Replacement):
            self._update(replacements=(*self._selection.replacements, decision))
            return False
        if isinstance(decision, Removal):
            self._update(removals=(*self._selection.removals, decision))
            return False
        is_new = len(self._selection.steps) >= len(self._state.steps)
        if is_new and (sent := self._engine.bytes_sent) is not None:
            decision = replace(decision, bytes_sent=sent - self._n_sent)
            self._n_sent = sent
        self._update(steps=(*self._selection.steps, decision))
        if is_new:
            self._save()
        if decision.accepted:
            self._reporter.add(f"{'−' * (decision.action == 'remove')}{decision.feature}")
        return self._on_step is not None and self._on_step(self._selection)

    def _update(self, **values: Any) -> None:
        self._selection = replace(self._selection, **values)

    def _save(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.write(
                replace(self._state, neighbors=self._selection.neighbors, steps=self._selection.steps)
            )

    def _without_decisions(self) -> Selection:
        problem, table = self._problem, self._problem.table
        is_stepwise = problem.search.is_conditional and not problem.search.starts_full
        at_start = sorted(problem.candidates, key=table.digest) if problem.search.starts_full else []
        return Selection(
            feature_names=table.names,
            feature_labels=problem.labels,
            information_alone=np.full(len(table.names), np.nan),
            target_name=table.target.name,
            n_rows=table.n_rows,
            n_rows_dropped=problem.n_rows_dropped,
            constant=tuple(table.names[i] for i in table.constant),
            near_unique=tuple(table.names[i] for i in table.near_unique),
            discrete=tuple(table.names[i] for i in table.discrete),
            n_classes=table.target.n_classes,
            target_kinds=tuple(kind.describe() for kind in table.target.kinds),
            duplicates=tuple((table.names[i], table.names[j]) for i, j in table.duplicates.items()),
            neighbors=None,
            steps=(),
            settings=problem.settings,
            version=version_of("infosift"),
            conditional=problem.search.is_conditional,
            start=tuple(columns_of(at_start)),
            error_rate=problem.search.error_rate(problem.method),
            alpha_shares=problem.method.alpha_shares if is_stepwise else (),
            criterion_parameter=problem.criterion.parameter,
            criterion_measure=problem.criterion.measure,
            criterion_unit=problem.criterion.unit,
            warnings=tuple(self._warnings or ()),
            survival=_survival_of(table.target),
        )


def _survival_of(target: Target) -> Survival | None:
    """Return how many events there are of times until one; None of other targets."""
    if target.event is None:
        return None
    n_events = int(np.count_nonzero(~np.signbit(target.columns[0])))
    name, value = target.event
    return Survival(event=name, event_value=value, n_events=n_events, n_censored=target.n_rows - n_events)
