"""Names of columns, which may be of any type in a data frame, as text that is unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from infosift.errors import InputError, listing, repeated
from infosift.results.labels import written_label


def with_names_as_text(data: Any) -> Any:
    """Return a data frame whose names are all text, with the same columns; anything else as it is."""
    if not nw.dependencies.is_pandas_like_dataframe(data) or all(isinstance(name, str) for name in data.columns):
        return data
    if not data.columns.is_unique:
        raise names_not_unique(data.columns)
    named = data.copy(deep=False)
    named.columns = names_as_text(data.columns)
    return named


def with_names_of_one_type(data: Any) -> Any:
    """Return a data frame with all names as text where some are, as scikit-learn takes no mixture."""
    if not nw.dependencies.is_pandas_like_dataframe(data):
        return data
    return with_names_as_text(data) if any(isinstance(name, str) for name in data.columns) else data


def labels_as_text(data: Any) -> tuple[str, ...]:
    """Return the labels of a data frame's columns as text that says their type; none where all are text."""
    return labels_of(data.columns) if nw.dependencies.is_pandas_like_dataframe(data) else ()


def labels_of(columns: Iterable[Any]) -> tuple[str, ...]:
    """Return labels as text that says their type; none where all are text."""
    labels = list(columns)
    return () if all(isinstance(label, str) for label in labels) else tuple(map(written_label, labels))


def as_list(asked: Any) -> list[Any]:
    """Return what is asked for, one thing, several or none (None), as a list."""
    asked = asked.item() if isinstance(asked, np.ndarray) and asked.ndim == 0 else asked
    is_one = isinstance(asked, str) or not isinstance(asked, Iterable)
    return [] if asked is None else [asked] if is_one else list(asked)


def names_as_text(names: Iterable[Any]) -> list[str]:
    """Return names as text; of those that read the same, all but text also say their type."""
    names = list(names)
    written = [name_as_text(name) for name in names]
    shared = {text for text, count in Counter(written).items() if count > 1}
    for i, name in enumerate(names):
        if written[i] in shared and not isinstance(name, str):
            written[i] = _unlike(f"{name} ({type(name).__name__})", written)
    return written


def name_as_text(name: Any) -> str:
    """Return a name as text: numbers of NumPy in a tuple are written as those of Python."""
    if isinstance(name, tuple):
        return str(tuple(part.item() if isinstance(part, np.generic) else part for part in name))
    return str(name)


def _unlike(name: str, others: Sequence[str]) -> str:
    """Return a name that no other has, with a number where it needs one."""
    number, free = 1, name
    while free in others:
        number += 1
        free = f"{name} {number}"
    return free


def names_not_unique(names: Iterable[Any]) -> InputError:
    """Return what to say of names that occur more than once."""
    return InputError(f"Column names must be unique, and {listing(repeated(list(names)))} occurs more than once.")


def later_names(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return unique names: where one occurs again, ".1", ".2" and so on follow it, as in pandas.

    Also return the new names of those that occur again. None of them is the name of another column.
    """
    taken, unique = set(names), []
    later: dict[str, list[str]] = {}
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            unique.append(name)
            continue
        number = len(later.get(name, ())) + 1
        while f"{name}.{number}" in taken:
            number += 1
        taken.add(f"{name}.{number}")
        unique.append(f"{name}.{number}")
        later.setdefault(name, []).append(unique[-1])
    return unique, later
