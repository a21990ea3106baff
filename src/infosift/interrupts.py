"""What a key that interrupts does: it ends the process at once until there is work whose results could be lost.

Importing takes a second or two, and an interrupt in the middle of an import may come out as any error.
"""

from __future__ import annotations

import os
import signal
from typing import Any

INTERRUPTED = 130


def end_at_once() -> None:
    """End the process when a key interrupts, unless whoever started it, such as nohup, has that ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_from_here() -> None:
    """Raise KeyboardInterrupt instead, so that what is decided by then can be kept."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_from_here() -> None:
    """Ignore the key: all is said, and the end of Python is not worth a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(_signal: int, _frame: Any) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)
