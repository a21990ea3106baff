"""Results: frozen records of what a run decided, and of the evidence for it.

Results know nothing of how they are shown: rooms above register their views here under a name, such as "plot".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_VIEWS: dict[str, Callable[..., Any]] = {}


def register_view(name: str, view: Callable[..., Any]) -> None:
    """Register the function that shows a result under a name, such as "plot" or "report"."""
    _VIEWS[name] = view


def view_named(name: str) -> Callable[..., Any]:
    """Return the function that was registered under a name."""
    return _VIEWS[name]
