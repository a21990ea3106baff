"""What a key that interrupts does: it ends the process at once until there is work whose results could be lost.

Importing takes a second or two, and an interrupt in the middle of an import may come out as any error.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

INTERRUPTED = 130


def end_at_once() -> None:
    """End the process when a key interrupts, unless whoever started it, such as nohup, has that ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _Leaving())


def raise_from_here() -> None:
    """Raise KeyboardInterrupt instead, so that what is decided by then can be kept."""
    if isinstance(signal.getsignal(signal.SIGINT), _Leaving):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_from_here() -> None:
    """Ignore the key: all is said, and the end of Python is not worth a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Leaving:
    """Says so and leaves, on standard error as it is now: while a file is read, it is silenced for a moment."""

    def __init__(self) -> None:
        self._said_on: int | None = None
        with suppress(OSError):  # there is no standard error
            self._said_on = os.dup(2)

    def __call__(self, _signal: int, _frame: Any) -> None:
        if self._said_on is not None:
            with suppress(OSError):
                os.write(self._said_on, b"Interrupted.\n")
        os._exit(INTERRUPTED)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold interrupts back until the end; processes and threads that are started here never get any."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which lets interrupts through again, whenever it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
