"""The methods and searches by their short names: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infosift.errors import Hint, InputError
from infosift.search.base import Method, Search
from infosift.search.calibrated import Calibrated
from infosift.search.filter import Filter
from infosift.search.floating import Floating
from infosift.search.published import Published
from infosift.search.stepwise import Backward, Forward

METHODS: dict[str, Method] = {"calibrated": Calibrated(), "published": Published()}
SEARCHES: dict[str, Search] = {
    "forward": Forward(),
    "backward": Backward(),
    "floating": Floating(),
    "filter": Filter(),
}


def as_method(given: Any) -> Method:
    """Return a method that was given as an object or by its short name."""
    method: Method = _resolve("method", given, METHODS, "tests")
    return method


def as_search(given: Any) -> Search:
    """Return a search that was given as an object or by its short name, with its parameters checked."""
    search: Search = _resolve("search", given, SEARCHES, "decisions")
    search.check()
    return search


def _resolve(parameter: str, given: Any, registry: Mapping[str, Any], needed: str) -> Any:
    """Return the registered object of a name, or an object of the caller's that has the attribute needed."""
    if isinstance(given, str) and given in registry:
        return registry[given]
    if isinstance(given, (str, type)) or not hasattr(given, needed):
        objects = ", ".join(map(repr, registry.values()))
        raise InputError(
            Hint(parameter), f" must be one of {', '.join(registry)}, or an object ({objects}), not {given!r}."
        )
    return given
