"""The methods and searches by their short names: the one place that knows them all."""

from __future__ import annotations

from typing import Any

from infosift.errors import Hint, InputError
from infosift.search.backward import Backward
from infosift.search.base import Method, Search
from infosift.search.calibrated import Calibrated
from infosift.search.filter import Filter
from infosift.search.floating import Floating
from infosift.search.forward import Forward
from infosift.search.published import Published

METHODS: dict[str, Calibrated | Published] = {"calibrated": Calibrated(), "published": Published()}
SEARCHES: dict[str, Forward | Backward | Floating | Filter] = {
    "forward": Forward(),
    "backward": Backward(),
    "floating": Floating(),
    "filter": Filter(),
}


def as_method(asked: Any) -> Method:
    """Return a method that was given as an object or by its short name."""
    if isinstance(asked, str) and asked in METHODS:
        return METHODS[asked]
    if isinstance(asked, (str, type)) or not hasattr(asked, "tests"):
        objects = ", ".join(map(repr, METHODS.values()))
        raise InputError(
            Hint("method"), f" must be one of {', '.join(METHODS)}, or an object ({objects}), not {asked!r}."
        )
    method: Method = asked
    return method


def as_search(asked: Any) -> Search:
    """Return a search that was given as an object or by its short name, with its parameters checked."""
    if isinstance(asked, str) and asked in SEARCHES:
        return SEARCHES[asked]
    if isinstance(asked, (str, type)) or not hasattr(asked, "decisions"):
        objects = ", ".join(map(repr, SEARCHES.values()))
        raise InputError(
            Hint("search"), f" must be one of {', '.join(SEARCHES)}, or an object ({objects}), not {asked!r}."
        )
    search: Search = asked
    search.check()
    return search
