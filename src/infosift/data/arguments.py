"""What the functions are passed: features and a target that go together, ready to be scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from infosift.arrays import FloatArray
from infosift.data.frames import (
    NamedColumns,
    mark_features,
    mark_target,
    read_columns,
    require_finite,
    require_varying_target,
)
from infosift.data.table import prepare


@dataclass(frozen=True)
class Discrete:
    """Which features and targets are said to be discrete, and whether the criterion takes such at all."""

    features: Any
    target: Any
    are_taken: bool


def read_pair(X: Any, y: Any, discrete: Discrete, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features and target ready to be scored; refuse gaps and a target that does not vary."""
    features, targets = read_same_length(X, y, discrete)
    require_finite(features)
    require_finite(targets, "The target")
    require_varying_target(targets)
    return (
        prepare(features, seed, "ties", takes_categories=discrete.are_taken),
        prepare(targets, seed, "ties of the target", takes_categories=discrete.are_taken),
    )


def read_same_length(X: Any, y: Any, discrete: Discrete) -> tuple[NamedColumns, NamedColumns]:
    """Return features and target, with what is discrete marked."""
    features = mark_features(read_columns(X), discrete.features, discrete.are_taken)
    targets = mark_target(read_columns(y, "y"), discrete.target, discrete.are_taken)
    check_consistent_length(features.values.T, targets.values.T)
    return features, targets


def read_given(given: Any, target: FloatArray, discrete: Discrete, seed: int) -> FloatArray:
    """Return the subset that goes with all candidates, ready to be scored; no columns where there is none."""
    if given is None:
        return np.empty((0, target.shape[1]))
    columns = mark_features(read_columns(given, "given"), "auto", discrete.are_taken)
    check_consistent_length(columns.values.T, target.T)
    require_finite(columns)
    return prepare(columns, seed, "ties", takes_categories=discrete.are_taken)
