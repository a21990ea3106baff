"""Null hypotheses: how surrogates of candidates are drawn, and what they keep; here the base and the simplest.

Given a subset, a null says from which row each row takes its value in a draw (``permutations``), and how
candidates and target appear in draws (``model``). A new one is a subclass of ``Null`` in a module of its own, and
a line in ``NULLS`` of ``infosift.registry``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from infosift import _kernel
from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.criteria.rank_basis import N_OF_CANDIDATES, N_OF_TARGETS, Functions, functions_of, standardised
from infosift.data.groups import shuffled_rows
from infosift.data.types import are_categorical
from infosift.engines.base import AlignedPickle
from infosift.inference import permutation
from infosift.inference.kernel_ridge import KernelRidge
from infosift.random_streams import stream
from infosift.registry import NULLS, resolve
from infosift.results.steps import ProcedureDescription

# Positions of columns, or of rows.
Positions: TypeAlias = "IntArray | slice"
ALL = slice(None)
# Values of the target's functions in draws that are worked with at once, and the fewest draws worth a call.
_VALUES_AT_ONCE = 1_000_000
_FEWEST_DRAWS = 32
# Variances have so many bits less than functions (src/kernel/series.hpp).
BITS_OF_SQUARES = 3


@dataclass(frozen=True)
class RandomPermutations:
    """Random permutations of the rows, within ``strata`` if these are given; row groups move whole."""

    n_rows: int
    seed: int
    step: int
    row_groups: IntArray | None = None
    strata: IntArray | None = None

    @property
    def repeats_rows(self) -> bool:
        """Whether a row may be taken more than once: where a group takes from a smaller one."""
        return self.row_groups is not None

    def __call__(self, draws: range) -> IntArray | permutation.RowNumbers:
        """Return the row from which each row takes its value (draws x rows)."""
        if self.row_groups is not None:
            generator = stream(self.seed, "surrogate", self.step, draws.start)
            return np.stack([shuffled_rows(np.arange(self.n_rows), generator, self.row_groups) for _ in draws])
        return _kernel.permutations(*self._key_and_strata, draws.start, len(draws))

    @cached_property
    def _key_and_strata(self) -> tuple[int, permutation.RowNumbers, permutation.RowNumbers]:
        """The key of the random stream, the rows by stratum, and where each stratum begins and the last ends."""
        strata = np.zeros(self.n_rows, dtype=np.int64) if self.strata is None else self.strata
        order, ends = np.argsort(strata, kind="stable"), np.cumsum(np.bincount(strata))
        key = stream(self.seed, "surrogate", self.step).integers(2**64, dtype=np.uint64)
        return int(key), order.astype(np.uint32), np.array([0, *ends], dtype=np.uint32)


class Surrogates:
    """Surrogates of columns (columns x rows): their rows permuted, those of all columns alike.

    They are drawn in all rows, or in ``rows``. ``nbytes`` is how much memory they take besides the columns.
    """

    nbytes = 0

    def __init__(self, columns: FloatArray, rows: Positions = ALL) -> None:
        self._columns, self._rows = columns, rows

    def draw(self, index: IntArray, columns: Positions = ALL) -> FloatArray:
        """Return a surrogate of columns (all by default), whose rows take the values of the rows of an index."""
        return self._columns[columns][:, index[self._rows]]

    def residuals(self) -> FloatArray:
        """Return what is permuted (columns x rows): without a regression, the columns themselves."""
        return self._columns

    def functions(self, columns: IntArray) -> list[Functions]:
        """Return functions of what is permuted, for columns at these positions."""
        return functions_of(self._columns[columns], N_OF_CANDIDATES)

    def are_ranked(self, columns: IntArray) -> BoolArray:
        """Tell of which columns the functions are those of ranks of what is permuted: of numbers without gaps.

        The kernel works these out. Surrogates with other ``functions`` say that none is.
        """
        own = self._columns[columns]
        return ~(are_categorical(own) | np.isnan(own).any(axis=1))


@dataclass(frozen=True)
class TargetInDraws(AlignedPickle):
    """The target as candidates meet it in draws: functions of its components (components x functions x rows).

    ``variances`` are those of the functions in each row, where they differ.
    """

    data: FloatArray
    indices: permutation.PermutationIndices
    row_variances: FloatArray | None = None

    def functions(self, draws: Sequence[int]) -> permutation.FixedPoint:
        """Return the functions in draws (components x functions x draws x padded rows), of ``indices.bits`` bits.

        They are permuted by the inverse, while candidates stay.
        """
        return _kernel.permuted_functions(self._fixed_point, self.indices(draws))

    def variances(self, draws: Sequence[int]) -> permutation.FixedPoint | None:
        """Return the variances of functions in draws, of three bits less; None where all rows have the same."""
        if self.row_variances is None:
            return None
        return _kernel.permuted_functions(self._fixed_point_variances, self.indices(draws))

    @cached_property
    def _fixed_point(self) -> permutation.FixedPoint:
        return permutation.to_fixed_point(self.data, self.indices.bits)

    @cached_property
    def _fixed_point_variances(self) -> permutation.FixedPoint:
        assert self.row_variances is not None
        return permutation.to_fixed_point(self.row_variances / 2**BITS_OF_SQUARES, self.indices.bits)

    @property
    def has_products(self) -> bool:
        """Whether there are products with functions of the subset."""
        return bool(self.data.shape[1] > N_OF_TARGETS)

    def draws_at_once(self) -> int:
        """Return how many draws to work with at once."""
        return max(_FEWEST_DRAWS, _VALUES_AT_ONCE // self.data.size)


def target_functions(components: Sequence[FloatArray], subset: FloatArray | None = None) -> FloatArray:
    """Return functions of the components of a target in one array (components x functions x rows).

    ``components`` has an array (functions x rows) for each; of those with fewer functions, others are zero. With a
    function of each column of a ``subset`` (functions x rows) come products of these with the first function of a
    component, of unit variance, which see an interaction of candidates with the subset.
    """
    n_products = 0 if subset is None else len(subset)
    functions = np.zeros((len(components), N_OF_TARGETS + n_products, components[0].shape[1]))
    for i, own in enumerate(components):
        functions[i, : min(len(own), N_OF_TARGETS)] = own[:N_OF_TARGETS]
        if subset is not None:
            functions[i, N_OF_TARGETS:] = standardised(subset * own[:1])
    return functions


def target_variances(variances: Sequence[FloatArray], subset: FloatArray | None = None) -> FloatArray:
    """Return the variances of the functions of a target, and of products with a subset, each of mean one."""
    by_row = [
        own if subset is None else np.concatenate([own, subset**2 * own[:1]]) for own in map(np.asarray, variances)
    ]
    together = np.stack(by_row)
    return np.ascontiguousarray(together / together.mean(axis=-1, keepdims=True))


class NullModel(AlignedPickle):
    """How candidates and target appear in draws, given a subset; it is sent to where candidates lie."""

    def surrogates(self, columns: FloatArray, rows: Positions = ALL, batch: int | None = None) -> Surrogates:
        """Return surrogates of columns (columns x rows), drawn in some rows; ``batch`` are predicted at once."""
        return Surrogates(columns, rows)

    def target(
        self,
        components: Sequence[FloatArray],
        subset: FloatArray | None,
        indices: permutation.PermutationIndices,
        variances: Sequence[FloatArray] | None = None,
    ) -> TargetInDraws:
        """Return the target in draws, by functions (functions x rows) of its components and of the subset.

        ``variances`` are those of the functions of components in each row, where they differ.
        """
        by_row = None if variances is None else target_variances(variances, subset)
        return TargetInDraws(target_functions(components, subset), indices, by_row)


class Null:
    """How surrogates are drawn, and what follows from that for a test; a new one overrides what is different.

    Attributes
    ----------
    name : str
        Its name in the registry and in results.
    description : str
        What surrogates are: the report says "compared with surrogates" and this.
    within : str
        What the report adds to it where rows are not in groups.
    draws : str
        What draws are called.
    needs_exchangeable_rows : bool
        Whether p-values are right only where rows are exchangeable.
    refuses_row_groups : str
        Why row groups cannot be kept together; empty where they can.
    only_series_given_subset : bool
        Whether neighbours and pairs are of no use given a subset, since they would see that surrogates have lost
        it.
    predicts_candidates : bool
        Whether candidates are predicted from the subset: a test is then about their residuals and the target's.
    has_residuals : bool
        Whether what surrogates permute may be tested by itself.
    takes_censored : bool
        Whether p-values are right for times until an event, whatever censoring depends on.
    """

    name: str
    description: str
    within = ""
    draws = "permutations"
    needs_exchangeable_rows = True
    refuses_row_groups = ""
    only_series_given_subset = False
    predicts_candidates = False
    has_residuals = True
    takes_censored = False

    def n_distinct(self, n_rows: int) -> int | None:
        """Return how many distinct draws there are; None where they are practically without limit."""
        return None

    def permutations(self, given: FloatArray, shuffles: RandomPermutations) -> permutation.Permutations:
        """Return the draws, given columns of the subset (columns x rows) and random permutations of the rows."""
        return shuffles

    def model(self, given: FloatArray, regression: KernelRidge | None, seed: int) -> NullModel:
        """Return how candidates and target appear in draws, given the subset.

        The regression on it comes where candidates are predicted, and the subset is not empty.
        """
        return NullModel()

    def procedure(self, has_row_groups: bool) -> ProcedureDescription:
        """Describe tests against such surrogates in words."""
        return ProcedureDescription(
            surrogates=self.description + (self.within if not has_row_groups else ""),
            draws=self.draws,
            projects_off_subset=self.only_series_given_subset,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ShuffleNull(Null):
    """Shuffles all rows, as in the published method: the dependence on the selected features is lost, too."""

    name = "shuffle"
    description = "in which its values are permuted"


def as_null(given: Any, choices: Mapping[str, Null] = NULLS) -> Null:
    """Return a null that was given as an object, or by the name of one of the choices."""
    return resolve("null", given, choices, "permutations")
