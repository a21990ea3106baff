"""Progress of a long run, its time limit, and what Ctrl-C does.

Importing takes a second or two, and an interrupt in the middle of an import may come out as any error. So the
command line ends at once on Ctrl-C (``end_at_once``) until there are results that could be lost
(``raise_from_here``).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from infosift.errors import listing

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_MOST_NAMES = 6
INTERRUPTED = 130  # the exit code of shells: 128 and the number of the signal


@dataclass(frozen=True)
class RunStage:
    """The present task of a run in words, how much of it is done, and the features selected so far."""

    task: str
    done: int
    total: int
    selected: tuple[str, ...]


Watcher: TypeAlias = Callable[[RunStage], object]


class TimeIsUp(Exception):  # noqa: N818  # an end that the user wants is no error
    """The time limit of a run has passed."""


class Reporter:
    """Counts the features scored in a task, reports stages to a watcher, and stops a run whose time is up."""

    def __init__(self, watcher: Watcher | None = None, time_limit: float | None = None) -> None:
        self._watcher = watcher
        self._time_limit = time_limit
        self._deadline: float | None = None
        self._task, self._done, self._total = "", 0, 0
        self._selected: tuple[str, ...] = ()

    def start_clock(self) -> None:
        """Start the time limit."""
        self._deadline = None if self._time_limit is None else monotonic() + self._time_limit

    def begin(self, task: str, total: int) -> None:
        """Begin a task in which ``total`` features are scored."""
        self._task, self._done, self._total = task, 0, total
        self._report()

    def advance(self, count: int) -> None:
        """Count features that are scored; 0 for other work, so that the time limit is checked."""
        self._done = min(self._done + count, self._total)
        self._report()

    def add(self, name: str) -> None:
        """Add a feature to those selected so far."""
        self._selected = (*self._selected, name)
        self._report()

    def _report(self) -> None:
        if self._deadline is not None and monotonic() > self._deadline:
            raise TimeIsUp
        if self._watcher is not None and self._task:
            self._watcher(RunStage(self._task, self._done, self._total, self._selected))


class ProgressBar:
    """Shows stages on standard error after two seconds: as a bar in a terminal, elsewhere as a line per task.

    With ``is_shown=False`` nothing is shown.
    """

    patience = 2.0  # seconds: short runs show no progress

    def __init__(self, is_shown: bool = True) -> None:
        self._is_shown, self._started = is_shown, monotonic()
        self._bar: tuple[Progress, TaskID] | None = None
        self._task = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None and self._bar[0].console.is_terminal:
            self._bar[0].stop()

    def __call__(self, stage: RunStage) -> None:
        """Show a stage."""
        if not self._is_shown or monotonic() - self._started < self.patience:
            return
        progress, task = self._bar = self._bar or _new_bar()
        selected = f"selected: {listing(list(stage.selected), most=_MOST_NAMES)}" if stage.selected else ""
        if progress.console.is_terminal:
            if stage.task != self._task:
                progress.reset(task, total=stage.total)
            progress.update(task, completed=stage.done, description=stage.task, selected=selected)
        elif stage.task != self._task:
            progress.console.print(
                stage.task, *([f"({selected})"] if selected else []), markup=False, highlight=False
            )
        self._task = stage.task


def _new_bar() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[selected]}", markup=False, style="dim"),
        console=Console(stderr=True),
        transient=True,
    )
    task = progress.add_task("", selected="")
    if progress.console.is_terminal:
        progress.start()
    return progress, task


def end_at_once() -> None:
    """End the process on Ctrl-C, unless the signal is ignored, as under nohup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _EndProcess())


def raise_from_here() -> None:
    """Raise KeyboardInterrupt on Ctrl-C from now on, so that what is decided by then can be kept."""
    if isinstance(signal.getsignal(signal.SIGINT), _EndProcess):
        signal.signal(signal.SIGINT, _raise_interrupt)


class _Interrupt(KeyboardInterrupt):
    """An interrupt that Python does not take for unhandled where it is caught after it left an ``exec``.

    After a plain KeyboardInterrupt there, as in the import of a module with named tuples, ``python -m`` ends by a
    signal whatever the exit code (bpo-1054041 tests for that very class).
    """


def _raise_interrupt(_signal: int, _frame: Any) -> None:
    raise _Interrupt


def ignore_from_here() -> None:
    """Ignore Ctrl-C from now on: the output is complete, and the shutdown of Python is not worth a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _EndProcess:
    """Writes a line to standard error as it was at first, since readers silence it, and ends the process."""

    def __init__(self) -> None:
        self._stderr: int | None = None
        with suppress(OSError):  # there is no standard error
            self._stderr = os.dup(2)

    def __call__(self, _signal: int, _frame: Any) -> None:
        if self._stderr is not None:
            with suppress(OSError):
                os.write(self._stderr, b"Interrupted.\n")
        os._exit(INTERRUPTED)


@contextmanager
def held_back() -> Iterator[None]:
    """Block interrupts within a context; processes and threads that are started in it never get any."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # here, since its start unblocks interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
