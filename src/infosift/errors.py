"""Refusals and warnings: what was wrong, which value, and what is wanted instead."""

from __future__ import annotations

import math
from collections import Counter
from numbers import Integral, Real


class InputError(ValueError):
    """The data or a parameter cannot be used; the message names it and says what to do.

    Parameters
    ----------
    *args
        The message.

    Examples
    --------
    >>> from infosift import InputError, mutual_information
    >>> try:
    ...     mutual_information([1.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    ... except InputError as error:
    ...     print(error)
    The target "y" is constant (always 1), so no feature can be informative about it: give a target that varies.
    """


class DataWarning(UserWarning):
    """Something about the data that whoever uses a selection should know; ``selection_.warnings`` has it too.

    Parameters
    ----------
    *args
        The message.

    Examples
    --------
    >>> import warnings
    >>> from infosift import DataWarning
    >>> warnings.simplefilter("error", DataWarning)  # end a script at the first one
    >>> warnings.simplefilter("default", DataWarning)
    """


def require_count(name: str, value: object, least: int, otherwise: str = "") -> int:
    """Return a parameter that must be an integer of at least some size."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be {otherwise}an integer of at least {least}, not {value!r}.")
    return int(value)


def require_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse a parameter that is none of its possible values."""
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}.")


def require_level(alpha: object) -> float:
    """Return a significance level, which lies in (0, 1)."""
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        raise InputError(f"alpha must lie between 0 and 1, not {alpha!r}.")
    return float(alpha)


def require_finite_number(name: str, value: object) -> float:
    """Return a parameter that must be a finite number."""
    if not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, not {value!r}.")
    return float(value)


def require_positive(name: str, value: object) -> float:
    """Return a parameter that must be a number above zero."""
    if not isinstance(value, Real) or not float(value) > 0:
        raise InputError(f"{name} must be a number above 0, not {value!r}.")
    return float(value)


def require_rows(n_rows: int, needed: int, why: str) -> None:
    """Refuse a table with too few rows."""
    if n_rows < needed:
        raise InputError(f"{why} needs at least {needed} rows, and the table has n_samples={n_rows}.")


def counted_from(first: int, row: int) -> str:
    """Return which row it is at a position, with what the first row is called."""
    return f"row {row + first} (the first row is {first})"


def listing(names: list[str], most: int = 5) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def repeated(names: list[str]) -> list[str]:
    """Return, in quotes, the names that occur more than once."""
    return [f'"{name}"' for name, count in Counter(names).items() if count > 1]
