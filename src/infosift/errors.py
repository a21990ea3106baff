"""Refusals and warnings: what was wrong, which value, and what is wanted instead."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

_LARGEST_COUNT = 2**63 - 1
_SMALLEST_LEVEL = 1e-9
_MOST_BITS_SHOWN = 1024
MOST_NAMES = 5
# The object that has a part such as "method.null", as Python writes it.
_CLASSES = {"method": "Calibrated", "search": "Filter", "criterion": "KSG"}
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Hint:
    """A parameter, and the value it should have, as a message names them.

    A message is made of text and hints, so that each surface renders the hints in its own words: Python
    ``ignore="id"``, the command line ``--ignore id``.

    Parameters
    ----------
    parameter : str
        A parameter of MutualInfoSelector such as "ignore", one of ``fit`` such as "groups", or a part of one, such
        as "method.null".
    value : object, default=None
        The value that is recommended, or that was given: text, a number, or a tuple of names. None where only the
        parameter is named.

    Examples
    --------
    >>> from infosift.errors import Hint
    >>> print(Hint("ignore", ("id",)), Hint("method.null", "circular"), Hint("alpha"), sep="; ")
    ignore="id"; method=Calibrated(null="circular"); alpha
    """

    parameter: str
    value: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.value, list):  # as JSON has it
            object.__setattr__(self, "value", tuple(self.value))

    def __str__(self) -> str:
        part, _, name = self.parameter.rpartition(".")
        if self.value is None:
            return name
        if name == "groups":
            return f"groups=X[{_in_python(self.value)}] and ignore={_in_python(self.value)}"
        assigned = f"{name}={_in_python(self.value)}"
        return f"{part}={_CLASSES[part]}({assigned})" if part else assigned


@dataclass(frozen=True)
class RowNumber:
    """A row that a message names, counted from 0; each surface counts rows its own way."""

    row: int

    def counted_from(self, first: int) -> str:
        """Name the row where the first one is called ``first``."""
        return f"row {self.row + first} (the first row is {first})"

    def __str__(self) -> str:
        return self.counted_from(0)


Part: TypeAlias = str | Hint | RowNumber


def in_words(parts: Iterable[Part], words: Callable[[Hint], str] = str, first_row: int = 0) -> str:
    """Join the parts of a message, hints in the words of a surface and rows counted from its first one.

    Parameters
    ----------
    parts : iterable of str, Hint or RowNumber
        The message.
    words : callable, default=str
        How the surface renders a hint; by default as Python writes it.
    first_row : int, default=0
        What the surface calls the first row.
    """

    def in_words_of_surface(part: Part) -> str:
        if isinstance(part, Hint):
            return words(part)
        return part.counted_from(first_row) if isinstance(part, RowNumber) else part

    return "".join(map(in_words_of_surface, parts))


class MessageInParts:
    """Mixin of exceptions and warnings whose arguments are the parts of a message; ``str`` words it for Python."""

    args: tuple[Part, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The message in parts, for ``in_words``."""
        return self.args

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The parameters that the message names."""
        return tuple(part for part in self.args if isinstance(part, Hint))

    def __str__(self) -> str:
        return in_words(self.args)


class InputError(MessageInParts, ValueError):
    """The data or a parameter cannot be used; the message names it and says what to do.

    Parameters
    ----------
    *parts : str, Hint or RowNumber
        The message: text, with the parameters and rows that it names as parts of their own; ``str`` renders it in
        the words of Python, ``in_words(error.parts, ...)`` in those of another surface.

    Examples
    --------
    >>> from infosift import InputError, mutual_information
    >>> try:
    ...     mutual_information([1.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    ... except InputError as error:
    ...     print(error)
    The target "y" is constant (always 1), so no feature can be informative about it: give a target that varies.
    """

    def __init__(self, *parts: Part) -> None:
        # Names of columns and files, which messages have, may hold any character.
        super().__init__(*(on_one_line(part) if isinstance(part, str) else part for part in parts))


class DataWarning(MessageInParts, UserWarning):
    """Something about the data that whoever uses a selection should know; ``selection_.warnings`` has it too.

    Parameters
    ----------
    *parts : str, Hint or RowNumber
        The message, as that of an InputError.

    Examples
    --------
    >>> import warnings
    >>> from infosift import DataWarning
    >>> warnings.simplefilter("error", DataWarning)  # end a script at the first one
    >>> warnings.simplefilter("default", DataWarning)
    """


def _in_python(value: Any) -> str:
    """Write the value of a hint as Python does, with double quotes; of many names, the first ones."""
    if not isinstance(value, tuple):
        return f'"{value}"' if isinstance(value, str) else repr(value)
    if len(value) == 1:
        return _in_python(value[0])
    shown_names = [_in_python(name) for name in value[:MOST_NAMES]]
    return f"[{', '.join([*shown_names, *['...'] * (len(value) > MOST_NAMES)])}]"


def on_one_line(message: str) -> str:
    """Return a message in which characters that would move the cursor, or more, are shown by their codes."""
    return _CONTROLS.sub(lambda control: control[0].encode("unicode_escape").decode(), message)


@contextmanager
def checks_of_libraries() -> Iterator[None]:
    """Let what scikit-learn's checks of arrays refuse be refused as all else is."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InputError(" ".join(str(error).split())) from error


@contextmanager
def memory_for(table: Any) -> Iterator[None]:
    """Say how large a table is where there is not enough memory for it."""
    try:
        yield
    except MemoryError as error:
        rows, columns = getattr(table, "shape", (None, None))
        size = "the table" if rows is None else f"{rows:,} rows × {columns:,} columns"
        raise InputError(
            f"There is not enough memory for {size}: pass fewer columns, a sample of the rows, or ",
            Hint("n_jobs", 1),
            ".",
        ) from error


def require_count(name: str, value: object, least: int, otherwise: str = "") -> int:
    """Return a parameter that must be an integer of at least some size."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InputError(Hint(name), f" must be {otherwise}an integer of at least {least}, not {shown(value)}.")
    if int(value) > _LARGEST_COUNT:
        raise InputError(Hint(name), f" must be {otherwise}an integer that fits in 64 bits, not {shown(value)}.")
    return int(value)


def require_verbosity(verbose: object) -> bool:
    """Return whether progress is to be shown: yes or no, or an integer above zero."""
    return bool(verbose) if isinstance(verbose, bool) else require_count("verbose", verbose, least=0) > 0


def is_auto(value: object) -> bool:
    """Tell whether a parameter is left to be chosen; an array, which is none, compares with nothing."""
    return isinstance(value, str) and value == "auto"


def require_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse a parameter that is none of its possible values."""
    if not isinstance(value, Hashable) or value not in choices:
        raise InputError(Hint(name), f" must be one of {', '.join(map(str, choices))}, not {shown(value)}.")


def require_level(alpha: object) -> float:
    """Return a significance level, which lies in (0, 1)."""
    if not isinstance(alpha, Real) or not 0 < nearest_float(alpha) < 1:
        raise InputError(Hint("alpha"), f" must lie between 0 and 1, not {shown(alpha)}.")
    if float(alpha) < _SMALLEST_LEVEL:
        least = f"{_SMALLEST_LEVEL:g}, or no number of permutations reaches it"
        raise InputError(Hint("alpha"), f" must be at least {least}, not {alpha!r}.")
    return float(alpha)


def require_finite_number(name: str, value: object) -> float:
    """Return a parameter that must be a finite number."""
    if not isinstance(value, Real) or not math.isfinite(nearest_float(value)):
        raise InputError(Hint(name), f" must be a finite number, not {shown(value)}.")
    return float(value)


def require_between(name: str, value: object, least: float, most: float, otherwise: str = "") -> float:
    """Return a parameter that must be a number between two others."""
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= nearest_float(value) <= most:
        raise InputError(
            Hint(name), f" must be {otherwise}a number between {least:g} and {most:g}, not {shown(value)}."
        )
    return float(value)


def require_time_limit(seconds: object) -> float | None:
    """Return a number of seconds, which is above zero; None and infinity are no limit."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not nearest_float(seconds) > 0:
        raise InputError(Hint("time_limit"), f" must be a number above 0, not {shown(seconds)}.")
    limit = nearest_float(seconds)
    return None if math.isinf(limit) else limit


def nearest_float(number: Real) -> float:
    """Return the nearest float, which of numbers too large for any is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf  # type: ignore[operator]


def shown(value: object) -> str:
    """Return a value as it is written, unless it has very many digits."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return f"one of {int(value.bit_length() * math.log10(2)) + 1} digits"
    return " ".join(repr(value).split())


def require_rows(n_rows: int, needed: int, why: Part) -> None:
    """Refuse a table with too few rows."""
    if n_rows < needed:
        raise InputError(why, f" needs at least {needed} rows, and the table has n_samples={n_rows}.")


def require_same_length(n_rows: int, n_others: int, what: str = "the target") -> None:
    """Refuse a column that does not have a value for each row of a table."""
    if n_rows != n_others:
        raise InputError(
            f"Found inconsistent numbers of samples: the table has {n_rows:,} rows and {what} has {n_others:,}: "
            "give as many of both."
        )


def listing(names: list[str], most: int = 5) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def repeated(names: list[str]) -> list[str]:
    """Return, in quotes, the names that occur more than once."""
    return [f'"{name}"' for name, count in Counter(names).items() if count > 1]
