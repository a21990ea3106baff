"""Which option of the command line sets a parameter."""

from __future__ import annotations

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
