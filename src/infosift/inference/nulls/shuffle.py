"""The null of a permutation test: all rows are shuffled. Other nulls derive from it and change what they keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions, functions_of, standardised
from infosift.data.groups import shuffled_rows
from infosift.engines.base import AlignedPickle
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.permutation import (
    DRAWS_PER_STREAM,
    Permutations,
    inverse_permuted,
    rounded_for_exact_sums,
)
from infosift.random_streams import stream

# Positions of columns, or of rows.
Positions: TypeAlias = "IntArray | slice"
ALL = slice(None)
# Of each component of the target, so many polynomials come before the products with functions of the subset.
TARGET_ORDERS = 2


@dataclass(frozen=True)
class RandomPermutations:
    """Random permutations of the rows, those of a block of draws from one random stream; row groups move whole."""

    n_rows: int
    seed: int
    step: int
    row_groups: IntArray | None = None

    def __call__(self, draws: range) -> IntArray:
        """Return the row from which each row takes its value (draws x rows)."""
        rows = np.arange(self.n_rows)
        generator = stream(self.seed, "surrogate", self.step, draws.start // DRAWS_PER_STREAM)
        if self.row_groups is None:
            return generator.permuted(np.tile(rows, (len(draws), 1)), axis=1)
        return np.stack([shuffled_rows(rows, generator, self.row_groups) for _ in draws])


class ShuffledSurrogates:
    """Surrogates of columns (columns x rows): their rows permuted, those of all columns alike.

    They are drawn in all rows, or in ``rows``.
    """

    nbytes = 0

    def __init__(self, columns: FloatArray, rows: Positions = ALL) -> None:
        self._columns, self._rows = columns, rows

    def draw(self, index: IntArray, columns: Positions = ALL) -> FloatArray:
        """Return a surrogate of all columns, or of some, whose rows take the values of the rows of an index."""
        return self._columns[columns][:, index[self._rows]]

    def residuals(self) -> FloatArray:
        """Return the columns: without a regression, all of them is residual."""
        return self._columns

    def functions(self, columns: IntArray) -> list[Functions]:
        """Return functions of what is permuted in some columns: of their values."""
        return functions_of(self._columns[columns])


@dataclass(frozen=True)
class PermutedTarget:
    """Functions of the components of a target (components x functions x rows), as they are in draws."""

    functions: FloatArray

    @classmethod
    def of(cls, components: Sequence[FloatArray], subset: FloatArray | None) -> PermutedTarget:
        """Stack functions of the components, and products of the first with functions of the subset.

        ``components`` has an array (functions x rows) for each, ``subset`` a function (functions x rows) of each
        column of the subset. The products are of unit variance, and see an interaction with the subset.
        """
        functions = stacked(components, 0 if subset is None else len(subset))
        if subset is not None:
            for i, own in enumerate(components):
                functions[i, TARGET_ORDERS:] = standardised(subset * own[:1])
        return cls(rounded_for_exact_sums(functions))

    def in_draws(self, indices: IntArray) -> FloatArray:
        """Return (components x functions x draws x rows): permuted by the inverse, while candidates stay."""
        flat = inverse_permuted(self.functions.reshape(-1, indices.shape[1]), indices)
        return flat.reshape(*self.functions.shape[:2], *indices.shape)


def stacked(components: Sequence[FloatArray], n_more: int = 0) -> FloatArray:
    """Return the first functions of each component in one array, with space for more; zero where it has none."""
    functions = np.zeros((len(components), TARGET_ORDERS + n_more, components[0].shape[1]))
    for i, own in enumerate(components):
        functions[i, : min(len(own), TARGET_ORDERS)] = own[:TARGET_ORDERS]
    return functions


class ShuffledModel(AlignedPickle):
    """How candidates and target appear in draws where all rows are shuffled, whatever the subset is."""

    def surrogates(
        self, columns: FloatArray, rows: Positions = ALL, batch: int | None = None
    ) -> ShuffledSurrogates:
        """Return surrogates of columns (columns x rows), drawn in some rows."""
        return ShuffledSurrogates(columns, rows)

    def target(self, components: Sequence[FloatArray], subset: FloatArray | None) -> PermutedTarget:
        """Return the functions of the target in draws."""
        return PermutedTarget.of(components, subset)


class ShuffleNull:
    """Shuffles all rows, as in the published method: the dependence on the selected features is lost, too."""

    name = "shuffle"
    draws = "permutations"
    needs_exchangeable_rows = True
    refuses_row_groups = ""
    only_series_given_subset = False
    predicts_candidates = False
    has_residuals = True

    def description(self, has_row_groups: bool) -> str:
        """Return what surrogates are, to follow "surrogates" in the methods section of a report."""
        return "in which its values are permuted"

    def n_distinct(self, n_rows: int) -> int | None:
        """Return how many distinct draws there are; None where they are practically without limit."""
        return None

    def permutations(self, given: FloatArray, shuffles: RandomPermutations) -> Permutations:
        """Return the draws, given columns of the subset (columns x rows) and random permutations of the rows."""
        return shuffles

    def model(self, given: FloatArray, regression: KernelRidge | None, seed: int) -> ShuffledModel:
        """Return how candidates and target appear in draws, given the subset and the regression on it."""
        return ShuffledModel()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
