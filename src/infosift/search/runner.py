"""A run of a search: at any moment, what it has decided so far makes a Selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from infosift.engines.base import Engine
from infosift.progress import Reporter, TimeIsUp
from infosift.results.data_warning import DataWarningRecord
from infosift.results.selection import INTERRUPT, TIME_LIMIT, Selection
from infosift.results.steps import Removal, Replacement
from infosift.search.base import Decision, Problem, Tests, columns_of
from infosift.search.checkpoint import Checkpoint, fresh_state
from infosift.search.data_warnings import warnings_after_search
from infosift.search.verdicts import detectable_correlation, explained_by, information_alone, verdicts

_CALLBACK = "a callback"


class Run:
    """Runs a search and remembers its decisions: those on features in a checkpoint too, if there is one.

    ``on_step`` is called, as soon as a step is decided, with the selection so far; where it returns True, the run
    ends. ``warnings`` are those that the data gave before; None where none are wanted, as on resampled rows.
    """

    def __init__(
        self,
        problem: Problem,
        engine: Engine,
        reporter: Reporter,
        checkpoint: Checkpoint | None = None,
        on_step: Callable[[Selection], bool] | None = None,
        warnings: Sequence[DataWarningRecord] | None = None,
    ) -> None:
        self._problem, self._engine, self._reporter = problem, engine, reporter
        self._checkpoint, self._on_step, self._warnings = checkpoint, on_step, warnings
        table, settings = problem.table, problem.settings
        self._state = fresh_state(settings) if checkpoint is None else checkpoint.resume(table, settings)
        self._selection = self._nothing_decided()
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
        tests = self._start_tests()
        decided = self._state.steps
        for decision in self._problem.search.decisions(self._problem, tests, decided):
            if self._remember(decision):
                return _CALLBACK
        said = verdicts(self._problem, tests, self._selection)
        detectable = detectable_correlation(self._problem, tests.n_rows, self._selection.steps)
        alone = information_alone(self._problem, tests, self._engine, said)
        self._selection = replace(
            self._selection,
            verdicts=said,
            smallest_detectable_correlation=detectable,
            information_alone=alone,
            explained=explained_by(self._problem, tests, self._engine, self._selection.indices),
        )
        if self._warnings is not None:
            more = warnings_after_search(self._problem, self._selection, self._engine)
            self._selection = replace(self._selection, warnings=(*self._warnings, *more))
        return None

    def _start_tests(self) -> Tests:
        problem, known = self._problem, self._state.neighbors
        tests = problem.method.tests(problem, self._engine, self._reporter, known)
        self._selection = replace(
            self._selection,
            neighbors=tests.neighbors,
            criterion_values=tuple(value for value in tests.values if value is not None),
            n_rows_tested=tests.n_rows if tests.n_rows < problem.table.n_rows else None,
        )
        if tests.neighbors is not known:
            self._save()
        return tests

    def _remember(self, decision: Decision) -> bool:
        """Take a decision down; return whether the run is to end here."""
        selection = self._selection
        if isinstance(decision, Replacement):
            self._selection = replace(selection, replacements=(*selection.replacements, decision))
            return False
        if isinstance(decision, Removal):
            self._selection = replace(selection, removals=(*selection.removals, decision))
            return False
        is_new = len(selection.steps) >= len(self._state.steps)
        if is_new and (sent := self._engine.bytes_sent) is not None:
            decision = replace(decision, bytes_sent=sent - self._n_sent)
            self._n_sent = sent
        self._selection = replace(selection, steps=(*selection.steps, decision))
        if is_new:
            self._save()
        if decision.accepted:
            self._reporter.add(f"{'−' * (decision.action == 'remove')}{decision.feature}")
        return self._on_step is not None and self._on_step(self._selection)

    def _save(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.write(
                replace(self._state, neighbors=self._selection.neighbors, steps=self._selection.steps)
            )

    def _nothing_decided(self) -> Selection:
        problem, table = self._problem, self._problem.table
        is_stepwise = problem.search.is_conditional and not problem.search.starts_full
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
            version=version("infosift"),
            conditional=problem.search.is_conditional,
            start=tuple(columns_of(problem.candidates)) if problem.search.starts_full else (),
            error_rate=problem.search.error_rate(problem.method),
            alpha_shares=problem.method.alpha_shares if is_stepwise else (),
            criterion_parameter=problem.criterion.parameter,
            criterion_measure=problem.criterion.measure,
            criterion_unit=problem.criterion.unit,
            warnings=tuple(self._warnings or ()),
        )
