"""Results for people: in a terminal, in a notebook, as plots and as a report, all in the words of ``wording``.

Here are hints in the words of each surface: which option of the command line sets which parameter.

A message of infosift names a parameter and a value as a ``Hint``. Python writes it as ``str`` does, the command
line as ``on_command_line`` does, and pages, whose readers may use either, as ``in_both`` does.
"""

from __future__ import annotations

import shlex
from typing import Any

from infosift.errors import MOST_NAMES, Hint


def _by_name(*parameters: str) -> dict[str, str]:
    return {name: f"--{name.replace('_', '-')}" for name in parameters}


# Options by parameters of MutualInfoSelector, of its objects ("method.null") and of fit; others have none.
OPTIONS = {
    **_by_name("alpha", "goal", "method", "search", "criterion", "scale", "missing", "groups"),
    **_by_name("keep", "ignore", "feature_groups", "min_features", "max_features"),
    "method.null": "--null",
    "search.control": "--control",
    "discrete_features": "--categorical",
    "discrete_target": "--target-kind",
    "random_state": "--seed",
}
# Those of select, and options by parameters of other functions, and of objects where these name their own.
ALL_OPTIONS = {
    **OPTIONS,
    **_by_name("null", "control", "decimal", "n_neighbors", "time_limit", "event_value"),
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
}


def option_words(option: str, value: Any) -> list[str]:
    """Return the words of a command that give a value to an option; several values repeat it."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for one in values for word in (option, "none" if one is None else str(one))]


def on_command_line(hint: Hint) -> str:
    """Write a hint as an option of the command line; as Python does where there is none."""
    option = ALL_OPTIONS.get(hint.parameter)
    if option is None or hint.value is None:
        return option or str(hint)
    values = hint.value if isinstance(hint.value, tuple) else (hint.value,)
    more = " ..." if len(values) > MOST_NAMES else ""
    return shlex.join(option_words(option, values[:MOST_NAMES])) + more


def in_both(hint: Hint) -> str:
    """Write a hint as Python does, with the option of the command line in brackets."""
    option = on_command_line(hint)
    return str(hint) if option == str(hint) else f"{hint} ({option})"
