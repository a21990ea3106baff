"""Which option of the command line sets a parameter."""

from __future__ import annotations

import shlex

from infosift.errors import MOST_NAMES, Hint

# Parameters of a selector; the others are for Python only.
OPTIONS = {
    "alpha": "--alpha",
    "method": "--method",
    "search": "--search",
    "criterion": "--criterion",
    "keep": "--keep",
    "ignore": "--ignore",
    "feature_groups": "--feature-groups",
    "discrete_features": "--categorical",
    "discrete_target": "--target-kind",
    "scale": "--scale",
    "missing": "--missing",
    "min_features": "--min-features",
    "max_features": "--max-features",
    "random_state": "--seed",
}
# Parameters of its objects.
OPTIONS_OF_PARTS = {"method__null": "--null", "search__control": "--control"}
# Parameters of other functions, and of objects where these name their own.
_OTHERS = {
    "groups": "--groups",
    "null": "--null",
    "control": "--control",
    "decimal": "--decimal",
    "n_jobs": "--jobs",
    "n_neighbors": "--n-neighbors",
    "n_resamples": "--resamples",
    "time_limit": "--time-limit",
}


def on_command_line(hint: Hint) -> str:
    """Write a hint as an option of the command line; as Python does where there is none."""
    option = {**OPTIONS, **OPTIONS_OF_PARTS, **_OTHERS}.get(hint.parameter.replace(".", "__"))
    if option is None or hint.value is None:
        return option or str(hint)
    values = hint.value if isinstance(hint.value, tuple) else (hint.value,)
    words = [f"{option} {shlex.quote(str(value))}" for value in values[:MOST_NAMES]]
    return " ".join([*words, *["..."] * (len(values) > MOST_NAMES)])


def in_both(hint: Hint) -> str:
    """Write a hint as Python does, with the option of the command line in brackets."""
    option = on_command_line(hint)
    return str(hint) if option == str(hint) else f"{hint} ({option})"
