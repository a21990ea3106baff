"""Workers hold on to memory for what comes next: getting it from the system again and again takes longer."""

from __future__ import annotations

import sys
from ctypes import CDLL
from functools import cache

_MOST_HELD = 32 * 2**20  # the most that the C library takes
_SHARE_HELD = 1 / 64
# Numbers of parameters of glibc's malloc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


@cache
def always_hold_memory(limit: int | None) -> None:
    """Let this process keep memory of arrays that are gone from now on: for processes that only work.

    Dask tells its workers to return it at once, whereupon each large array has to be given its pages anew. Where a
    worker may not have much memory, large arrays still return theirs.
    """
    held = _MOST_HELD if limit is None else min(_MOST_HELD, int(limit * _SHARE_HELD))
    set_option = getattr(CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, held)
        set_option(_TRIM_THRESHOLD, held)
