"""Linear algebra on one thread: the same bits however many cores there are, and no threads that wait."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def on_one_thread() -> AbstractContextManager[object]:
    """Return a context in which NumPy and SciPy multiply on one thread."""
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache  # to look for the libraries takes milliseconds, and there are thousands of small problems
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
