"""What the functions are passed: columns that go together, and by what they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from infosift.arrays import FloatArray
from infosift.checks import require_choice, require_count, require_rows
from infosift.criteria import KSG, Criterion, Scorer
from infosift.engine import ThreadEngine
from infosift.inputs import (
    NamedColumns,
    mark_features,
    mark_target,
    read_columns,
    require_finite,
    require_varying_target,
)
from infosift.table import prepare


@dataclass(frozen=True)
class Kinds:
    """Which columns are said to be discrete, and the criterion that has to take them."""

    features: Any
    target: Any
    criterion: Criterion

    @property
    def are_taken(self) -> bool:
        """Whether the criterion takes categories at all."""
        return self.criterion.takes_categories


def read_pair(X: Any, y: Any, kinds: Kinds, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return columns and target ready to be scored; refuse gaps and a target that does not vary."""
    features, targets = read_same_length(X, y, kinds)
    require_finite(features)
    require_finite(targets, "The target")
    require_varying_target(targets)
    return (
        prepare(features, seed, "ties", takes_categories=kinds.are_taken),
        prepare(targets, seed, "ties of the target", takes_categories=kinds.are_taken),
    )


def read_same_length(X: Any, y: Any, kinds: Kinds) -> tuple[NamedColumns, NamedColumns]:
    """Return columns and target, with what is discrete marked."""
    features = mark_features(read_columns(X), kinds.features, kinds.are_taken)
    targets = mark_target(read_columns(y, "y"), kinds.target, kinds.are_taken)
    check_consistent_length(features.values.T, targets.values.T)
    return features, targets


def read_given(given: Any, target: FloatArray, kinds: Kinds, seed: int) -> FloatArray:
    """Return the columns that go with all candidates, ready to be scored; none where there are none."""
    if given is None:
        return np.empty((0, target.shape[1]))
    columns = mark_features(read_columns(given, "given"), "auto", kinds.are_taken)
    check_consistent_length(columns.values.T, target.T)
    require_finite(columns)
    return prepare(columns, seed, "ties", takes_categories=kinds.are_taken)


def score_columns(scorer: Scorer, candidates: FloatArray, given: FloatArray, target: FloatArray) -> FloatArray:
    """Score the candidates; constant columns, which are zeros here, have no information to be estimated."""
    scores = scorer(candidates, given, target)
    return scores if given.any() else np.where(candidates.any(axis=1), scores, 0.0)


def make_scorer(n_neighbors: int, variant: int, n_jobs: int | None, n_rows: int) -> Scorer:
    """Return what scores by a number of neighbours, which so many rows must have."""
    require_choice("variant", variant, (1, 2))
    n_neighbors = require_count("n_neighbors", n_neighbors, least=1)
    require_rows(n_rows, n_neighbors + 2, f"n_neighbors={n_neighbors}")
    return Scorer(KSG(variant), n_neighbors, ThreadEngine(n_jobs))
