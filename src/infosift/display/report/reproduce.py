"""The settings of a run, and the lines of Python and of the command line that repeat it."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from infosift.criteria import CRITERIA
from infosift.display.hints import OPTIONS, OPTIONS_OF_PARTS
from infosift.display.wording import series
from infosift.results.selection import Selection
from infosift.results.settings import Component
from infosift.search.registry import METHODS, SEARCHES
from infosift.selector import MutualInfoSelector

_LONGEST_LINE = 88
_PARTS: dict[str, Mapping[str, Any]] = {"method": METHODS, "search": SEARCHES, "criterion": CRITERIA}
_MEANINGS = {
    "alpha": "significance level",
    "method": "how features are tested",
    "search": "which feature next, and when to stop",
    "criterion": "what is measured",
    "min_features": "fewest features to select, significant or not",
    "max_features": "most features to select; None: no limit",
    "keep": "features in from the start",
    "ignore": "features not looked at",
    "feature_groups": "features that enter or stay out together",
    "discrete_features": "features of numbers that are categories",
    "discrete_target": "whether the target holds classes",
    "scale": "how features are made comparable",
    "missing": "what to do about missing values",
    "random_state": "seed",
    "time_limit": "seconds after which to end; None: no limit",
    "groups": "rows that belong together",
    "search__add": "most features to add in a cycle",
    "search__remove": "features to remove in a cycle",
    "search__control": "error rate that alpha bounds; None: that of each test",
    "method__null": "how surrogates are drawn",
    "method__n_permutations": "permutations per test",
    "method__n_folds": "folds to choose the number of neighbours by",
    "method__t_threshold": "t that counts in that choice; None: the largest decides",
    "criterion__n_neighbors": "number of neighbours",
    "criterion__max_neighbors": "largest number of neighbours to look at",
    "criterion__variant": "which of the two estimators of Kraskov et al. (2004)",
    "criterion__bandwidth": "width of the windows, in units of Scott's rule",
    "criterion__distance": "distance of the joint density from the product of its marginals",
    "criterion__bins": "bins of each column of numbers",
    "criterion__spacing": "bins of equal frequency or of equal width",
}


def with_options(sentence: str) -> str:
    """Return a sentence with options of the command line beside the parameters that it says how to set."""

    def both(found: re.Match[str]) -> str:
        if found[1] not in OPTIONS:
            return found[0]
        words = [f"{OPTIONS[found[1]]} {shlex.quote(value)}" for value in re.findall('"([^"]*)"', found[2])]
        return f"{found[0]} ({' '.join(words)}{' ...' * found[2].endswith('...]')})"

    return re.sub(r'\b([a-z_]+)=("[^"]*"|\["[^\]]*\])', both, sentence)


class _Code(str):
    """A value that stands in a line of Python as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def parameters(selection: Selection) -> dict[str, Any]:
    """Return what to give to MutualInfoSelector for the settings of a selection."""
    settings = selection.settings
    return {
        "alpha": settings.alpha,
        "method": _as_written(settings.method, METHODS),
        "search": _as_written(settings.search, SEARCHES),
        "criterion": _as_written(settings.criterion, CRITERIA),
        "min_features": settings.min_features,
        "max_features": settings.max_features,
        "keep": list(settings.keep) or None,
        "ignore": list(settings.ignore) or None,
        "feature_groups": {name: list(names) for name, names in settings.feature_groups} or None,
        "discrete_features": _discrete_features(selection),
        "discrete_target": "auto" if settings.discrete_target is None else settings.discrete_target,
        "scale": settings.scale,
        "missing": settings.missing,
        "random_state": settings.seed,
        "time_limit": settings.time_limit,
    }


def _as_written(component: Component, short_forms: Mapping[str, Any]) -> str:
    """Return a part of the settings as one would write it: by its short form, or with what is not default."""
    for short, thing in short_forms.items():
        if type(thing).__name__ == component.name and thing.get_params(deep=False) == component.parameters:
            return short
    said = [f"{name}={value!r}" for name, value in _not_default(component, short_forms).items()]
    return _Code(f"{component.name}({', '.join(said)})")


def _not_default(component: Component, short_forms: Mapping[str, Any]) -> dict[str, Any]:
    kinds = (type(thing) for thing in short_forms.values() if type(thing).__name__ == component.name)
    defaults: dict[str, Any] = next((kind().get_params(deep=False) for kind in kinds), {})
    return {
        name: value
        for name, value in component.parameters.items()
        if name not in defaults or value != defaults[name]
    }


def _discrete_features(selection: Selection) -> str | bool | list[str]:
    names = selection.settings.discrete_features
    if names is None:
        return "auto"
    return names == selection.feature_names or list(names) or False


def settings_table(selection: Selection) -> list[dict[str, str]]:
    """Return each setting with its value and its meaning, those of its parts after the others."""
    settings = selection.settings
    values = parameters(selection)
    for part in _PARTS:
        own = getattr(settings, part).parameters
        values |= {f"{part}__{name}": value for name, value in own.items()}
    if settings.n_row_groups is not None:
        values["groups"] = _Code(f"{settings.n_row_groups} groups")
    return [
        {"name": name, "value": repr(value), "meaning": _MEANINGS.get(name, "")} for name, value in values.items()
    ]


def python_line(selection: Selection) -> str:
    """Return the call that repeats the run; one argument to a line where it is long."""
    said = _to_be_said(selection)
    arguments = [f"{name}={value!r}" for name, value in said.items()]
    data = "X, y" if selection.settings.n_row_groups is None else "X, y, groups=groups"
    line = f"MutualInfoSelector({', '.join(arguments)}).fit({data})"
    if len(line) > _LONGEST_LINE:
        listed = (f"    {argument}," for argument in arguments)
        line = "\n".join(["MutualInfoSelector(", *listed, f").fit({data})"])
    return f"{_imports(said)}\n\n{line}"


def _imports(said: Mapping[str, Any]) -> str:
    """Return the line that imports what a call needs, and one that names what users have to bring themselves."""
    objects = sorted(str(value).partition("(")[0] for value in said.values() if isinstance(value, _Code))
    ours = {type(thing).__name__ for things in _PARTS.values() for thing in things.values()}
    line = f"from infosift import {', '.join(sorted([*ours.intersection(objects), 'MutualInfoSelector']))}"
    own = [name for name in objects if name not in ours]
    if not own:
        return line
    return f"{line}\n# {series(own)} {'is a class' if len(own) == 1 else 'are classes'} of your own."


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
    said, missing = _to_be_said(selection), []
    for name, value in said.items():
        if isinstance(value, _Code):
            own = _not_default(getattr(selection.settings, name), _PARTS[name])
            named = [f"{name}__{parameter}" for parameter in own] or [name]
            missing += [parameter for parameter in named if parameter not in OPTIONS_OF_PARTS]
        elif name not in OPTIONS or (name == "discrete_features" and value is False):
            missing.append(name)
    return missing


def command(selection: Selection) -> str | None:
    """Return the command that repeats the run, or None where it has no option for some setting."""
    if _python_only(selection) or len(selection.n_classes) > 1:
        return None
    words = ["infosift", "select", "DATA.csv", "--target", selection.target_name]
    for name, value in _to_be_said(selection).items():
        if name == "discrete_target":
            value = "classes" if value else "numbers"
        elif name == "discrete_features":
            value = list(selection.settings.discrete_features or ())
        elif name == "feature_groups":
            value = "GROUPS.json"
        if isinstance(value, _Code):
            words += _options_of_part(name, getattr(selection.settings, name))
            continue
        for one in value if isinstance(value, list) else [value]:
            words += [OPTIONS[name], str(one)]
    if selection.settings.n_row_groups is not None:
        words += ["--groups", "COLUMN"]
    return shlex.join(words)


def _options_of_part(name: str, component: Component) -> list[str]:
    """Return the options for an object whose parameters are not all default, with its short form if need be."""
    short_forms = _PARTS[name]
    words: list[str] = []
    short = next(short for short, thing in short_forms.items() if type(thing).__name__ == component.name)
    if short != inspect.signature(MutualInfoSelector).parameters[name].default:
        words += [OPTIONS[name], short]
    for parameter, value in _not_default(component, short_forms).items():
        words += [OPTIONS_OF_PARTS[f"{name}__{parameter}"], "none" if value is None else str(value)]
    return words


def command_notes(selection: Selection) -> list[str]:
    """Return what else is to be known to repeat the run."""
    notes = []
    if len(selection.n_classes) > 1:
        notes.append("The command takes a single target; for several, use Python.")
    if only := _python_only(selection):
        notes.append(f"The command has no option for {series(only)}; use Python.")
    has_command = command(selection) is not None
    if has_command:
        notes.append(
            f"DATA.csv stands for a file with the target and the {len(selection.feature_names):,} features of "
            "this report; ignore any other column, each by an --ignore of its own."
        )
        if selection.settings.feature_groups:
            groups = {name: list(names) for name, names in selection.settings.feature_groups}
            notes.append(f"GROUPS.json is a file with this text: {json.dumps(groups, ensure_ascii=False)}")
    if selection.settings.n_row_groups is not None:
        column = ", and COLUMN for the column of the file that has them" if has_command else ""
        notes.append(f"groups stands for the values that say which rows belong together{column}.")
    return notes
