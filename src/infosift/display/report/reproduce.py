"""The settings of a run, and the lines of Python and of the command line that repeat it."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from typing import Any

from infosift.display import OPTIONS, option_words
from infosift.display.wording import series
from infosift.registry import CRITERIA, METHODS, SEARCHES
from infosift.results.selection import Component, Selection
from infosift.selector import MutualInfoSelector

_LONGEST_LINE = 88
_REGISTRIES: dict[str, Mapping[str, Any]] = {"method": METHODS, "search": SEARCHES, "criterion": CRITERIA}
_DEFAULTS = {name: one.default for name, one in inspect.signature(MutualInfoSelector).parameters.items()}


class _Code(str):
    """A value that is written into a line of Python literally."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def settings_table(selection: Selection) -> dict[str, str]:
    """Return the value of each setting as Python writes it, those of its parts after the others."""
    settings, values = selection.settings, _parameters(selection)
    for part in _REGISTRIES:
        values |= {f"{part}__{name}": value for name, value in getattr(settings, part).parameters.items()}
    if settings.n_row_groups is not None:
        values["groups"] = _Code(f"{settings.n_row_groups} groups")
    return {name: repr(value) for name, value in values.items()}


def _parameters(selection: Selection) -> dict[str, Any]:
    """Return the arguments of MutualInfoSelector that have the settings of a selection."""
    settings, discrete = selection.settings, selection.settings.discrete_features
    converted = {
        **{part: _as_written(getattr(settings, part), registry) for part, registry in _REGISTRIES.items()},
        "keep": list(settings.keep) or None,
        "ignore": list(settings.ignore) or None,
        "feature_groups": {name: list(members) for name, members in settings.feature_groups} or None,
        "discrete_features": discrete == selection.feature_names or list(discrete or ()) or False,
        "discrete_target": settings.discrete_target,
        "random_state": settings.seed,
    }
    converted |= {
        name: "auto" for name in ("discrete_features", "discrete_target") if getattr(settings, name) is None
    }
    return {
        name: converted[name] if name in converted else getattr(settings, name)
        for name in _DEFAULTS
        if name in converted or hasattr(settings, name)
    }


def _as_written(component: Component, registry: Mapping[str, Any]) -> str:
    """Return an object of the settings as one would write it: by its short name, or with what is not default."""
    for short, registered in registry.items():
        own = registered.get_params(deep=False)
        if type(registered).__name__ == component.name and own == component.parameters:
            return short
    arguments = [f"{name}={value!r}" for name, value in _not_default(component, registry).items()]
    return _Code(f"{component.name}({', '.join(arguments)})")


def _not_default(component: Component, registry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an object that differ from the defaults of its class, if that is registered."""
    kinds = (type(registered) for registered in registry.values() if type(registered).__name__ == component.name)
    defaults: dict[str, Any] = next((kind().get_params(deep=False) for kind in kinds), {})
    return {
        name: value
        for name, value in component.parameters.items()
        if name not in defaults or value != defaults[name]
    }


def _arguments(selection: Selection) -> dict[str, Any]:
    """Return the arguments that a repeated run needs: the level, the seed, and what is not default.

    Where a time limit ends a run depends on the machine, so it is not part of how to repeat it.
    """
    return {
        name: value
        for name, value in _parameters(selection).items()
        if name != "time_limit" and (name in ("alpha", "random_state") or value != _DEFAULTS[name])
    }


def python_line(selection: Selection) -> str:
    """Return the call that repeats the run, with its imports; one argument to a line where it is long."""
    given = _arguments(selection)
    arguments = [f"{name}={value!r}" for name, value in given.items()]
    data = "X, y" if selection.settings.n_row_groups is None else "X, y, groups=groups"
    line = f"MutualInfoSelector({', '.join(arguments)}).fit({data})"
    if len(line) > _LONGEST_LINE:
        listed = (f"    {argument}," for argument in arguments)
        line = "\n".join(["MutualInfoSelector(", *listed, f").fit({data})"])
    classes = sorted(str(value).partition("(")[0] for value in given.values() if isinstance(value, _Code))
    registered = {type(one).__name__ for registry in _REGISTRIES.values() for one in registry.values()}
    ours = sorted([*registered.intersection(classes), "MutualInfoSelector"])
    imports = f"from infosift import {', '.join(ours)}"
    if own := [name for name in classes if name not in registered]:
        imports += f"\n# {series(own)} {'is a class' if len(own) == 1 else 'are classes'} of your own."
    return f"{imports}\n\n{line}"


def command(selection: Selection) -> str | None:
    """Return the command that repeats the run, or None for several targets or settings without an option."""
    options, missing = _options(selection)
    if missing or len(selection.n_classes) > 1:
        return None
    target = ["--target", selection.target_name]
    if selection.survival is not None:
        survival = selection.survival
        target = ["--time", selection.target_name, "--event", survival.event]
        target += [] if survival.event_value is None else ["--event-value", survival.event_value]
    words = ["infosift", "select", "DATA.csv", *target]
    for parameter, value in options.items():
        words += option_words(OPTIONS[parameter], value)
    return shlex.join(words)


def without_option(selection: Selection) -> str:
    """Name the settings that the command has no option for."""
    return series(_options(selection)[1])


def _options(selection: Selection) -> tuple[dict[str, Any], list[str]]:
    """Return the values of options that repeat a run, by parameter, and the parameters without an option."""
    settings = selection.settings
    options: dict[str, Any] = {}
    missing = []
    for name, value in _arguments(selection).items():
        if isinstance(value, _Code):
            component, registry = getattr(settings, name), _REGISTRIES[name]
            changed = _not_default(component, registry)
            classes = {type(one).__name__: short for short, one in list(registry.items())[::-1]}
            if component.name not in classes:  # a class of the user's own
                missing += [f"{name}__{part}" for part in changed] or [name]
                continue
            if classes[component.name] != _DEFAULTS[name]:
                options[name] = classes[component.name]
            options |= {f"{name}.{part}": one for part, one in changed.items()}
        elif name == "discrete_features" and not value:  # the option names features
            missing.append(name)
        else:
            as_option = {
                "discrete_features": settings.discrete_features,
                "discrete_target": value if isinstance(value, str) else "classes" if value else "numbers",
                "feature_groups": "GROUPS.json",
            }
            options[name] = as_option.get(name, value)
    if settings.n_row_groups is not None:
        options["groups"] = "COLUMN"
    return options, missing + [name.replace(".", "__") for name in options if name not in OPTIONS]
