"""The methods by their short names: the one place that knows them all."""

from __future__ import annotations

from typing import Any

from infosift.errors import InputError
from infosift.search.base import Method
from infosift.search.calibrated import Calibrated
from infosift.search.published import Published

METHODS: dict[str, Calibrated | Published] = {"calibrated": Calibrated(), "published": Published()}


def as_method(asked: Any) -> Method:
    """Return a method that was given as an object or by its short name."""
    if isinstance(asked, str) and asked in METHODS:
        return METHODS[asked]
    if isinstance(asked, (str, type)) or not hasattr(asked, "tests"):
        objects = ", ".join(map(repr, METHODS.values()))
        raise InputError(f"method must be one of {', '.join(METHODS)}, or an object ({objects}), not {asked!r}.")
    method: Method = asked
    return method
