"""What the functions are passed: features and a target that go together, ready to be scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.columns import NamedColumns
from infosift.data.frames import (
    mark_features,
    mark_target,
    read_columns,
    require_varying_target,
)
from infosift.data.not_finite import require_finite
from infosift.data.preparing import Preparation, prepare
from infosift.data.table import require_numbers
from infosift.errors import require_same_length


class TakesColumns(Protocol):
    """What a criterion says of the columns that it takes."""

    @property
    def takes_categories(self) -> bool:
        """Whether features and target may be discrete."""
        ...

    @property
    def separates_special_values(self) -> bool:
        """Whether a value that makes up a share of a column of numbers may be a category."""
        ...


@dataclass(frozen=True)
class Discrete:
    """Which features and targets are said to be discrete, and whether the criterion takes such at all.

    ``special_apart`` is whether it takes columns that are partly discrete.
    """

    features: Any
    target: Any
    are_taken: bool
    special_apart: bool

    @classmethod
    def for_criterion(cls, criterion: TakesColumns, features: Any, target: Any) -> Discrete:
        """Return what is said to be discrete, for a criterion."""
        return cls(features, target, criterion.takes_categories, criterion.separates_special_values)

    def prepare(self, columns: NamedColumns, seed: int, purpose: str) -> FloatArray:
        """Return columns as the criterion wants them."""
        if not self.are_taken:
            require_numbers(columns, ())
        return prepare(columns.values, Preparation(seed, purpose, special_apart=self._apart), columns.discrete)

    @property
    def _apart(self) -> bool:
        return self.are_taken and self.special_apart


def read_pair(X: Any, y: Any, discrete: Discrete, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features and target ready to be scored; refuse gaps and a target that does not vary."""
    features, targets = read_same_length(X, y, discrete)
    require_finite(features)
    require_finite(targets, "The target")
    require_varying_target(targets, rows_of_each_class=False)
    return discrete.prepare(features, seed, "ties"), discrete.prepare(targets, seed, "ties of the target")


def read_same_length(X: Any, y: Any, discrete: Discrete) -> tuple[NamedColumns, NamedColumns]:
    """Return features and target, with what is discrete marked."""
    features = mark_features(read_columns(X), discrete.features, discrete.are_taken)
    targets = mark_target(read_columns(y, "y"), discrete.target, discrete.are_taken)
    require_same_length(features.n_rows, targets.n_rows)
    return features, targets


def read_given(given: Any, target: FloatArray, discrete: Discrete, seed: int) -> FloatArray:
    """Return the subset that goes with all candidates, ready to be scored; no columns where there is none."""
    if given is None:
        return np.empty((0, target.shape[1]))
    columns = mark_features(read_columns(given, "given"), "auto", discrete.are_taken)
    require_same_length(columns.n_rows, target.shape[1])
    require_finite(columns)
    return discrete.prepare(columns, seed, "ties")
