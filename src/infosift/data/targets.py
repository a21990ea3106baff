"""The target: how it is read, whether it holds numbers or classes, and what is refused."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from infosift.data.columns import (
    NamedColumns,
)
from infosift.data.frames import as_plain, read_column, read_columns
from infosift.data.types import (
    are_classes,
    n_categories,
)
from infosift.errors import InputError, is_auto, shown


def read_target(data: Any) -> NamedColumns:
    """Read the target: one column, or several."""
    shape = np.shape(as_plain(data))
    several = len(shape) == 2 and shape[1] > 1
    return read_columns(data, "target") if several else read_column(data)


def require_varying_target(target: NamedColumns, *, rows_of_each_class: bool = True) -> None:
    """Refuse a target whose value never changes and, unless told otherwise, one with few rows of each class."""
    for i, (name, values) in enumerate(zip(target.names, target.values, strict=True)):
        always = "one class only" if i in target.discrete else f"always {values[0]:g}"
        if target.summary.are_constant[i]:
            raise InputError(
                f'The target "{name}" is constant ({always}), so no feature can be informative about it: '
                "give a target that varies."
            )
        if not rows_of_each_class:
            continue
        if i in target.discrete and 2 * (count := n_categories(values)) > len(values) > 3:
            raise InputError(
                f'The target "{name}" has {count:,} classes in {len(values):,} rows, too few rows of each: '
                "give a target with fewer classes, or numbers."
            )


def mark_target(target: NamedColumns, asked: Any, takes_categories: bool = True) -> NamedColumns:
    """Decide whether the target has classes: text always has, numbers if asked or, for "auto", if they look so."""
    everything, are_asked_for = range(len(target.names)), requested_classes(asked)
    if are_asked_for is None:
        if not takes_categories:
            return target
        return target.with_discrete(i for i in everything if are_classes(target.values[i]))
    return target.with_discrete(everything if are_asked_for else ())


def requested_classes(asked: Any) -> bool | None:
    """Return whether the target is to have classes; None for "auto"."""
    if is_auto(asked):
        return None
    if not isinstance(asked, Hashable) or asked not in (True, False):
        raise InputError(f'discrete_target must be "auto", True or False, not {shown(asked)}.')
    return bool(asked)
