"""Results: frozen records of what a run decided, and of the evidence for it, to and from JSON.

Results know nothing of how they are shown: rooms above register their views here under a name, such as "plot".
"""

from pkgutil import resolve_name
from typing import Any

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

_VIEWS: dict[str, str] = {}


def register_views(views: dict[str, str]) -> None:
    """Register the functions that show results, each as "module:function" under a name, such as "report"."""
    _VIEWS.update(views)


def view_named(name: str) -> Any:
    """Import and return the function that was registered under a name."""
    return resolve_name(_VIEWS[name])
