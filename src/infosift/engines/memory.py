"""Workers hold on to memory for what comes next: getting it from the system again and again takes longer."""

from __future__ import annotations

import sys
from ctypes import CDLL
from functools import cache
from typing import Any

_MOST_HELD = 32 * 2**20  # the most that the C library takes
_SHARE_HELD = 1 / 64
_LITTLE = 2 * 2**30
# Numbers of parameters of glibc's malloc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


@cache
def always_hold_memory(limit: int | None) -> None:
    """Let this process keep memory of arrays that are gone from now on: for processes that only work.

    Dask tells its workers to return it at once, whereupon each large array has to be given its pages anew. Where a
    worker may not have much memory, large arrays still return theirs.
    """
    held = _MOST_HELD if limit is None else min(_MOST_HELD, int(limit * _SHARE_HELD))
    set_option = _of_malloc("mallopt")
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, held)
        set_option(_TRIM_THRESHOLD, held)


def return_memory(limit: int | None) -> None:
    """Return memory of arrays that are gone to the system, where this process may not have much."""
    trim = _of_malloc("malloc_trim") if limit is not None and limit < _LITTLE else None
    if trim is not None:
        trim(0)


@cache
def _of_malloc(name: str) -> Any:
    """Return a function of glibc's, None where there is none."""
    return getattr(CDLL(None), name, None) if sys.platform == "linux" else None
