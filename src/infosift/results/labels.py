"""Labels of columns, of any type, written as text from which they can be read again."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Hashable
from datetime import date, datetime
from typing import Any

import numpy as np

_DATES = {"datetime": datetime, "date": date}


def written_label(label: Any) -> str:
    """Return a label as text: as Python writes it, or a date with its type before it; any other as its text."""
    plain = _plain(label)
    for kind, of_kind in _DATES.items():
        if isinstance(plain, of_kind):
            return f"{kind} {plain.isoformat()}"
    try:
        return repr(plain) if literal_eval(repr(plain)) == plain else repr(str(label))
    except (ValueError, SyntaxError):
        return repr(str(label))


def read_label(text: str) -> Hashable:
    """Return the label that was written."""
    kind, _, value = text.partition(" ")
    label: Hashable = _DATES[kind].fromisoformat(value) if kind in _DATES else literal_eval(text)
    return label


def _plain(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(_plain(part) for part in label)
    return label.item() if isinstance(label, np.generic) else label


def in_whole_characters(name: str) -> str:
    """Return a name in which half a character, which no file or picture can hold, is written by its code."""
    return name.encode(errors="backslashreplace").decode()
