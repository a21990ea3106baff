"""How a result is looked at: rooms above register their views here, since a result knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_VIEWS: dict[str, Callable[..., Any]] = {}


def register_view(name: str, view: Callable[..., Any]) -> None:
    """Say which function shows a result under a name, such as "plot" or "report"."""
    _VIEWS[name] = view


def view_named(name: str) -> Callable[..., Any]:
    """Return the function that was registered under a name."""
    return _VIEWS[name]
