"""The settings of a run, and the lines of Python and of the command line that repeat it."""

from __future__ import annotations

import inspect
import json
import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from infosift.nulls import permutations_for
from infosift.selector import MutualInfoSelector

if TYPE_CHECKING:
    from infosift.result import Selection

_LONGEST_LINE = 88
_MEANINGS = {
    "alpha": "significance level",
    "method": "procedure",
    "criterion": "estimate of mutual information",
    "search": "which column next",
    "n_neighbors": "number of neighbours of the estimate",
    "n_permutations": "shuffled copies per step",
    "n_folds": "folds to choose the number of neighbours by",
    "max_neighbors": "largest number of neighbours to choose from",
    "t_threshold": "distance that counts in that choice; None: the largest decides",
    "max_features": "most columns to choose; None: no limit",
    "random_state": "seed",
    "scale": "how columns are made comparable",
    "missing": "what to do with missing values",
    "discrete_features": "columns of numbers that hold categories",
    "discrete_target": "whether the target holds classes",
    "null": "what a column that adds nothing looks like",
    "keep": "columns in from the start",
    "ignore": "columns not looked at",
    "groups": "columns that enter or stay out together",
    "blocks": "rows that belong together",
    "time_limit": "seconds after which to end; None: no limit",
}
# What the command is told, and by which option; the others are for Python only.
_OPTIONS = {
    "alpha": "--alpha",
    "method": "--method",
    "criterion": "--criterion",
    "keep": "--keep",
    "ignore": "--ignore",
    "groups": "--groups",
    "discrete_features": "--categorical",
    "discrete_target": "--target-kind",
    "missing": "--missing",
    "max_features": "--max-features",
    "random_state": "--seed",
}


class _Name(str):
    """A value that stands in a line of Python as a variable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def parameters(selection: Selection) -> dict[str, Any]:
    """Return what to give to MutualInfoSelector for the settings of a selection."""
    settings = selection.settings
    given: dict[str, Any] = {field.name: getattr(settings, field.name) for field in fields(settings)}
    given["random_state"] = given.pop("seed")
    given["blocks"] = None if given.pop("n_blocks") is None else _Name("blocks")
    given["n_neighbors"] = "auto" if settings.n_neighbors is None else settings.n_neighbors
    own_null = "residual" if settings.method == "calibrated" else "shuffle"
    given["null"] = "auto" if settings.null == own_null else settings.null
    is_default = settings.n_permutations is None or (
        settings.method == "published" and settings.n_permutations == permutations_for(settings.alpha, "auto")
    )
    given["n_permutations"] = "auto" if is_default else settings.n_permutations
    given["discrete_features"] = _discrete_features(selection)
    given["discrete_target"] = "auto" if settings.discrete_target is None else settings.discrete_target
    given["keep"], given["ignore"] = list(settings.keep) or None, list(settings.ignore) or None
    given["groups"] = {name: list(columns) for name, columns in settings.groups} or None
    return {name: given[name] for name in _MEANINGS}


def _discrete_features(selection: Selection) -> str | bool | list[str]:
    names = selection.settings.discrete_features
    if names is None:
        return "auto"
    return names == selection.feature_names or list(names) or False


def settings_table(selection: Selection) -> list[dict[str, str]]:
    """Return each setting with its value and its meaning."""
    settings = selection.settings
    values = parameters(selection)
    meanings = dict(_MEANINGS)
    if values["n_permutations"] == "auto":
        exact = f"{settings.n_permutations}, the fewest from 50 on that make alpha exact"
        meanings["n_permutations"] += f": {exact if settings.n_permutations else 'as many as it takes'}"
    if values["null"] == "auto":
        meanings["null"] += f": {settings.null}"
    if settings.n_blocks is not None:
        meanings["blocks"] += f": {settings.n_blocks} blocks"
    return [{"name": name, "value": repr(value), "meaning": meanings[name]} for name, value in values.items()]


def python_line(selection: Selection) -> str:
    """Return the call that repeats the run; one argument to a line where it is long."""
    arguments = [f"{name}={value!r}" for name, value in _to_be_said(selection).items()]
    line = f"MutualInfoSelector({', '.join(arguments)}).fit(X, y)"
    if len(line) > _LONGEST_LINE:
        line = "\n".join(["MutualInfoSelector(", *(f"    {argument}," for argument in arguments), ").fit(X, y)"])
    return f"from infosift import MutualInfoSelector\n\n{line}"


def _to_be_said(selection: Selection) -> dict[str, Any]:
    defaults = inspect.signature(MutualInfoSelector).parameters
    always = ("alpha", "random_state")
    # Where a time limit ends a run depends on the machine, so it is not part of how to repeat it.
    return {
        name: value
        for name, value in parameters(selection).items()
        if name != "time_limit" and (name in always or value != defaults[name].default)
    }


def _python_only(selection: Selection) -> list[str]:
    """Return the settings that the command has no option for."""
    said = _to_be_said(selection)
    missing = [name for name in said if name not in _OPTIONS]
    return [*missing, "discrete_features"] if said.get("discrete_features") is False else missing


def command(selection: Selection) -> str | None:
    """Return the command that repeats the run, or None where it has no option for some setting."""
    if _python_only(selection) or len(selection.n_classes) > 1:
        return None
    words = ["infosift", "select", "DATA.csv", "--target", selection.target_name]
    for name, value in _to_be_said(selection).items():
        if name == "groups":
            words += ["--groups", "GROUPS.json"]
        else:
            if name == "discrete_target":
                value = "classes" if value else "numbers"
            elif name == "discrete_features":
                value = list(selection.settings.discrete_features or ())
            for one in value if isinstance(value, list) else [value]:
                words += [_OPTIONS[name], str(one)]
    return shlex.join(words)


def command_notes(selection: Selection) -> list[str]:
    """Return what else is to be known to repeat the run."""
    notes = []
    if len(selection.n_classes) > 1:
        notes.append("The command takes a single target; for several, use Python.")
    if only := _python_only(selection):
        notes.append(f"The command has no option for {', '.join(only)}; use Python.")
    if command(selection) is not None:
        notes.append(
            f"DATA.csv stands for a file with the target and the {len(selection.feature_names):,} columns of this "
            "report; any others must be ignored, each by an option of its own."
        )
        if selection.settings.groups:
            groups = {name: list(columns) for name, columns in selection.settings.groups}
            notes.append(f"GROUPS.json is a file with this text: {json.dumps(groups, ensure_ascii=False)}")
    if selection.settings.n_blocks is not None:
        notes.append("blocks are the values that tell which rows belong together; give them again.")
    return notes
