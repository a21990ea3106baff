"""From parameters, features and a target to a problem: the one place where settings are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from infosift.criteria.base import as_criterion, require_gaps_taken
from infosift.data.columns import Features, NamedColumns, missing_by_name, requested_discrete, usable_rows
from infosift.data.groups import (
    FeatureUnit,
    positions_in_groups,
    read_feature_groups,
    read_row_groups,
    require_enough_to_shuffle,
)
from infosift.data.table import make_table
from infosift.data.targets import decide_kinds, requested_kinds
from infosift.errors import (
    Hint,
    InputError,
    listing,
    require_choice,
    require_count,
    require_level,
    require_time_limit,
)
from infosift.random_streams import resolve_seed
from infosift.registry import MISSING, SCALES
from infosift.results.selection import Component, Settings
from infosift.search.base import Problem, as_method, as_search


def settings_of(given: Mapping[str, Any], has_row_groups: bool = False) -> Settings:
    """Check the parameters and make settings of them; what depends on the data is filled in later."""
    alpha = require_level(given["alpha"])
    require_choice("scale", given["scale"], tuple(SCALES))
    require_choice("missing", given["missing"], tuple(MISSING))
    method, criterion = as_method(given["method"]), as_criterion(given["criterion"])
    method.check(alpha, criterion, has_row_groups)
    least, most = _numbers_of_features(given["min_features"], given["max_features"])
    return Settings(
        alpha=alpha,
        method=_component(method),
        search=_component(as_search(given["search"])),
        criterion=_component(criterion),
        min_features=least,
        max_features=most,
        seed=resolve_seed(given["random_state"]),
        scale=given["scale"],
        missing=given["missing"],
        time_limit=require_time_limit(given["time_limit"]),
    )


def _numbers_of_features(least: Any, most: Any) -> tuple[int, int | None]:
    least = require_count("min_features", least, least=0)
    most = None if most is None else require_count("max_features", most, least=1)
    if most is not None and least > most:
        raise InputError(
            Hint("min_features", least), " is more than ", Hint("max_features", most), ": change one of them."
        )
    return least, most


def _component(thing: Any) -> Component:
    parameters = thing.get_params(deep=False)
    return Component(name=type(thing).__name__, parameters={name: _plain(parameters[name]) for name in parameters})


def _plain(value: Any) -> Any:
    """Return a number as JSON has them, and an object of a registry, such as a null, by its name."""
    if isinstance(getattr(value, "name", None), str):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, Real) and not isinstance(value, (int, float)) else value


def make_problem(
    features: Features, target: NamedColumns, row_groups: Any, given: Mapping[str, Any], settings: Settings
) -> Problem:
    """Make the problem that parameters pose for a table; ``settings`` has what does not depend on the table."""
    groups = read_feature_groups(given["feature_groups"], features.names)
    keep, ignore = _kept_and_ignored(given, features.names, groups)
    if (least := settings.min_features) > len(features.names):
        raise InputError(
            Hint("min_features", least), f" is more than the {len(features.names):,} features: lower it."
        )
    numbered = None if row_groups is None else read_row_groups(row_groups, features.n_rows)
    n_rows, missing = features.n_rows, missing_by_name(features, ignore)
    rows = usable_rows(features, target, ignore, settings.missing)
    features, target = features.take(rows), target.take(rows)
    if numbered is not None and not rows.all():
        numbered = read_row_groups(numbered[rows], features.n_rows)
    method, criterion = as_method(given["method"]), as_criterion(given["criterion"])
    require_gaps_taken(criterion, settings.missing, missing)
    names = features.names
    discrete = requested_discrete(given["discrete_features"], names)
    settings = replace(
        settings,
        discrete_features=None if discrete is None else tuple(names[i] for i in discrete),
        discrete_target=_as_setting(given["discrete_target"]),
        keep=tuple(names[i] for i in keep),
        ignore=tuple(names[i] for i in ignore),
        feature_groups=tuple((group.name, tuple(names[i] for i in group.columns)) for group in groups),
        n_row_groups=require_enough_to_shuffle(
            features.n_rows, numbered, settings.alpha, method.alpha_shares[0][1]
        ),
    )
    table = make_table(
        features.mark_discrete(given["discrete_features"], criterion.takes_categories),
        target,
        settings.seed,
        scale=settings.scale,
        # Only a test that is adjusted for all components can look at whole numbers both ways.
        target_kinds=decide_kinds(
            target, given["discrete_target"], criterion.takes_categories, may_be_both=method.adjusted
        ),
        ignored=ignore,
        row_groups=numbered,
        feature_groups=tuple(group for group in groups if group.columns[0] not in {*keep, *ignore}),
        takes_categories=criterion.takes_categories,
        special_apart=method.separates_special_values and criterion.separates_special_values,
    )
    return Problem(
        table,
        settings,
        method,
        as_search(given["search"]),
        criterion,
        n_rows - features.n_rows,
        missing,
        {names[i]: kind for i, kind in features.numeric_text.items()},
        features.labels,
    )


def _kept_and_ignored(
    given: Mapping[str, Any], names: Sequence[str], groups: Sequence[FeatureUnit]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    keep, ignore = (positions_in_groups(given[name], names, groups, name) for name in ("keep", "ignore"))
    if both := [f'"{names[i]}"' for i in keep if i in ignore]:
        raise InputError(
            Hint("keep"), " and ", Hint("ignore"), f" both have {listing(both)}: leave each in one of the two."
        )
    return keep, ignore


def _as_setting(discrete_target: Any) -> bool | str | None:
    """Return the requested kind of target as settings store it: whether it is classes, or a name."""
    kind = requested_kinds(discrete_target)[0]
    return None if kind is None else {"classes": True, "numbers": False}.get(kind, kind)
