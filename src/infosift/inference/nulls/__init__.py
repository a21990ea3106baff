"""Null hypotheses: how surrogates of candidates are drawn, and what they keep; one module each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import Functions
from infosift.errors import InputError, shown
from infosift.inference.kernel_ridge import KernelRidge
from infosift.inference.nulls.shuffle import ALL, Positions, RandomPermutations
from infosift.inference.permutation import Permutations
from infosift.registry import NULLS


class Surrogates(Protocol):
    """Surrogates of some columns (columns x rows); what is permuted are their values, or their residuals."""

    @property
    def nbytes(self) -> int:
        """How many bytes they take besides the columns."""
        ...

    def draw(self, index: IntArray, columns: Positions = ALL) -> FloatArray:
        """Return a surrogate of all columns, or of some, whose rows take what the rows of an index have."""
        ...

    def residuals(self) -> FloatArray:
        """Return what is permuted (columns x rows)."""
        ...

    def functions(self, columns: IntArray) -> list[Functions]:
        """Return functions of what is permuted in some columns."""
        ...


class TargetInDraws(Protocol):
    """Functions of the components of a target (components x functions x rows), as they are in draws."""

    @property
    def functions(self) -> FloatArray:
        """The functions in the data."""
        ...

    def in_draws(self, indices: IntArray) -> FloatArray:
        """Return the functions in draws (components x functions x draws x rows), for indices (draws x rows)."""
        ...


class NullModel(Protocol):
    """How candidates and target appear in draws, given a subset; it is sent to where the candidates lie."""

    def surrogates(self, columns: FloatArray, rows: Positions = ALL, batch: int | None = None) -> Surrogates:
        """Return surrogates of columns (columns x rows), drawn in some rows; ``batch`` are predicted at once."""
        ...

    def target(self, components: Sequence[FloatArray], subset: FloatArray | None) -> TargetInDraws:
        """Return the target in draws, by functions (functions x rows) of its components and of the subset."""
        ...


class Null(Protocol):
    """How surrogates are drawn, and what follows from that for a test.

    ``name`` is its name in the registry and in results, ``draws`` what draws are called in a report.
    ``needs_exchangeable_rows`` is whether p-values are right only where rows are exchangeable.
    ``refuses_row_groups`` says why row groups cannot be kept together; it is empty where they can.
    ``only_series_given_subset`` is whether neighbours and pairs are of no use given a subset, since they would see
    that surrogates have lost it. ``predicts_candidates`` is whether candidates are predicted from the subset, so
    that a test is about their residuals and that of the target. ``has_residuals`` is whether what the surrogates
    permute may be tested by itself.
    """

    name: str
    draws: str
    needs_exchangeable_rows: bool
    refuses_row_groups: str
    only_series_given_subset: bool
    predicts_candidates: bool
    has_residuals: bool

    def description(self, has_row_groups: bool) -> str:
        """Return what surrogates are, to follow "surrogates" in the methods section of a report."""
        ...

    def n_distinct(self, n_rows: int) -> int | None:
        """Return how many distinct draws there are; None where they are practically without limit."""
        ...

    def permutations(self, given: FloatArray, shuffles: RandomPermutations) -> Permutations:
        """Return the draws, given columns of the subset (columns x rows) and random permutations of the rows."""
        ...

    def model(self, given: FloatArray, regression: KernelRidge | None, seed: int) -> NullModel:
        """Return how candidates and target appear in draws, given the subset and the regression on it, if any."""
        ...


def as_null(value: Any, choices: Iterable[str] = ()) -> Null:
    """Return a null that was given as an object or by its name, which must be one of the choices (all nulls)."""
    names = tuple(choices) or tuple(NULLS)
    if isinstance(value, str) and value in names:
        return NULLS[value]
    if isinstance(value, (str, type)) or not hasattr(value, "permutations"):
        raise InputError(
            f"null must be one of {', '.join(names)}, or an object (ShuffleNull()), not {shown(value)}."
        )
    null: Null = value
    return null
