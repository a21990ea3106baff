"""Null hypotheses: how surrogates of candidates are drawn, and what they keep; one module each.

A new null is a subclass of ``Null`` in a module of its own, and a line in ``NULLS`` of ``infosift.registry``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infosift.inference.nulls.shuffle import Null, NullModel, Surrogates, TargetInDraws
from infosift.registry import NULLS, resolve

__all__ = ["Null", "NullModel", "Surrogates", "TargetInDraws", "as_null"]


def as_null(given: Any, choices: Mapping[str, Null] = NULLS) -> Null:
    """Return a null that was given as an object, or by the name of one of the choices."""
    null: Null = resolve("null", given, choices, "permutations")
    return null
