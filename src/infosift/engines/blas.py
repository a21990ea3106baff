"""Linear algebra on one thread: the same bits however many cores there are, and no threads that wait."""

from __future__ import annotations

from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class _OneThread:
    """A context in which NumPy and SciPy multiply on one thread, until the last who entered it has left."""

    def __init__(self) -> None:
        self._lock, self._n_inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limits = _controller().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limits.restore_original_limits()


_ONE_THREAD = _OneThread()


def on_one_thread() -> _OneThread:
    """Return a context in which NumPy and SciPy multiply on one thread.

    It is for the thread that asks others to work, not for these: only one thread of a process sets such limits.
    """
    return _ONE_THREAD


@cache  # to look for the libraries takes milliseconds, and there are thousands of small problems
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def always_on_one_thread() -> None:
    """Let NumPy and SciPy of this process multiply on one thread from now on: for processes that only work."""
    _controller().limit(limits=1, user_api="blas")
