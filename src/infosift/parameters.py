"""The parameters of the selector, checked one by one, as the settings of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infosift.calibrated import SHARE_OF_SINGLES
from infosift.checks import (
    InputError,
    require_choice,
    require_count,
    require_finite_number,
    require_level,
    require_positive,
)
from infosift.criteria import criterion_named
from infosift.nulls import permutations_for
from infosift.result import Settings
from infosift.streams import resolve_seed
from infosift.surrogates import NULLS

_CHOICES = {
    "method": ("published", "calibrated"),
    "search": ("forward",),
    "scale": ("standard", "rank"),
    "missing": ("error", "drop", "partial"),
    "null": ("auto", *NULLS),
}


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Return the settings that parameters ask for; what depends on the data is filled in later."""
    alpha = require_level(given["alpha"])
    for name, choices in _CHOICES.items():
        require_choice(name, given[name], choices)
    criterion_named(given["criterion"])
    n_neighbors, max_features = given["n_neighbors"], given["max_features"]
    t_threshold, time_limit = given["t_threshold"], given["time_limit"]
    if given["method"] == "calibrated" and given["missing"] == "partial":
        raise InputError(
            'method="calibrated" predicts columns from each other and needs whole rows: say missing="drop" or '
            'method="published".'
        )
    return Settings(
        alpha=alpha,
        method=given["method"],
        criterion=given["criterion"],
        search=given["search"],
        n_neighbors=None if n_neighbors == "auto" else require_count("n_neighbors", n_neighbors, 1, '"auto" or '),
        n_permutations=_permutations(given, alpha),
        n_folds=require_count("n_folds", given["n_folds"], least=2),
        max_neighbors=require_count("max_neighbors", given["max_neighbors"], least=1),
        t_threshold=None if t_threshold is None else require_finite_number("t_threshold", t_threshold),
        max_features=None if max_features is None else require_count("max_features", max_features, least=1),
        seed=resolve_seed(given["random_state"]),
        scale=given["scale"],
        missing=given["missing"],
        null=_null(given),
        time_limit=None if time_limit is None else require_positive("time_limit", time_limit),
    )


def _permutations(given: Mapping[str, Any], alpha: float) -> int | None:
    if given["method"] == "published":
        return permutations_for(alpha, given["n_permutations"])
    if given["n_permutations"] == "auto":
        return None
    return permutations_for(alpha, given["n_permutations"], SHARE_OF_SINGLES)


def _null(given: Mapping[str, Any]) -> str:
    own = "residual" if given["method"] == "calibrated" else "shuffle"
    null: str = own if given["null"] == "auto" else given["null"]
    if given["method"] == "published" and null != own:
        raise InputError(f'method="published" has null="shuffle"; null="{null}" needs method="calibrated".')
    if given["blocks"] is not None and null == "local":
        raise InputError('null="local" takes values of near rows and cannot keep blocks together.')
    return null
