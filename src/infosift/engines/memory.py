"""Workers hold on to memory for what comes next: getting it from the system again and again takes longer."""

from __future__ import annotations

import sys
from ctypes import CDLL
from functools import cache

_BYTES_HELD = 32 * 2**20  # the most that the C library takes
# Numbers of parameters of glibc's malloc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


@cache
def always_hold_memory() -> None:
    """Let this process keep memory of arrays that are gone from now on: for processes that only work.

    Dask tells its workers to return it at once, whereupon each large array has to be given its pages anew.
    """
    set_option = getattr(CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _BYTES_HELD)
        set_option(_TRIM_THRESHOLD, _BYTES_HELD)
