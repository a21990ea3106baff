"""Series: an orthogonal-series estimate of how the residuals of candidates and target depend on each other.

Mean products of Legendre polynomials of two ranks are the coefficients of the ratio of the joint density to the
product of the marginal ones; all are zero under independence. A draw permutes rows only, so that the coefficients
of all candidates and many draws are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import DIGITS, FloatArray
from infosift.criteria.rank_basis import Functions
from infosift.data.groups import FeatureUnit
from infosift.engines.base import equal_parts, single_threaded_blas
from infosift.inference.conditional_test import MOST_FUNCTIONS, CandidateBlock, ConditionalTest
from infosift.inference.max_test import TIMES_TO_SETTLE, NullSample, TestStatistic, schedule_of_cheap_draws
from infosift.inference.nulls import TARGET_ORDERS, TargetInDraws
from infosift.inference.permutation import rounded_for_exact_sums

# Values of functions that are multiplied at once.
_VALUES_AT_ONCE = 2_000_000
# Scores that are kept while a test goes on, for 1,000 draws; of more candidates they are worked out again, block
# by block.
_MOST_KEPT = 10_000_000
_DRAWS_KEPT = 1000
_MOST_SCORES = 5
# Up to so many values of all candidates, draws are so cheap that thousands may settle what is near alpha.
_FEW_VALUES = 500_000
# Of the candidates that pass, so many of largest effect are compared by how well they predict the residual.
_SHORT_LIST = 8
_RIDGE = 1e-6


@dataclass(frozen=True)
class CandidateSeries:
    """Functions of candidates, and steps of them (candidates x functions x rows), padded with zeros.

    Single precision holds them exactly, since they are rounded.
    """

    functions: NDArray[np.float32]
    steps: NDArray[np.float32]

    @classmethod
    def of(cls, candidates: Sequence[Functions]) -> CandidateSeries:
        """Stack the functions of candidates."""
        smooth, steps = ([getattr(own, name) for own in candidates] for name in ("smooth", "steps"))
        return cls(_padded(smooth, 2), _padded(steps, 1))

    def scores(self, target: FloatArray, sums: Sequence[int] | None = None) -> FloatArray:
        """Return the scores of candidates (draws x candidates x scores), for each component of the target.

        ``target`` has its functions in draws (components x functions x draws x rows). With b(j, m) the coefficient
        of function j of the candidate and m of the target, these are b(1, 1)², the sum of b(j, 1)², the largest
        b(j, m)² with j, m <= 2, the largest square of a step with m = 1, and that of products with the subset. By
        ``sums``, those of so many components, one after the other, are added up. The cube root of a chi-squared
        variable is nearly normal (Wilson and Hilferty 1931), which makes them comparable.
        """
        first, second = self._squares(target)
        scores = [
            first[:, 0],
            _sum_in_order(first),
            np.maximum(first[:, :2], second).max(axis=1),
            (_coefficients(self.steps, target[:, 0]) ** 2).max(axis=1),
        ]
        if target.shape[1] > TARGET_ORDERS:
            products = target[:, TARGET_ORDERS:]
            through_subset = _coefficients(self.functions[:, :1], products.reshape(-1, *products.shape[2:]))
            shape = (len(self.functions), *products.shape[:3])
            scores.append((through_subset.reshape(shape) ** 2).max(axis=2))
        if sums is not None:
            scores = [_summed(of_components, sums) for of_components in scores]
        roots = np.cbrt(np.stack(scores, axis=2))  # candidates x components x scores x draws
        return np.ascontiguousarray(np.moveaxis(roots.reshape(len(roots), -1, target.shape[2]), -1, 0))

    def effects(self, target: FloatArray) -> FloatArray:
        """Return the raw effect of each candidate (draws x candidates): a sum of squared coefficients."""
        first, second = self._squares(target)
        of_components = _sum_in_order(first) + _sum_in_order(first[:, :2]) + _sum_in_order(second)
        return np.asarray(_sum_in_order(of_components).T)

    def _squares(self, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return b(j, 1)² of all functions, and b(j, 2)² of two (candidates x functions x components x draws)."""
        first = _coefficients(self.functions, target[:, 0]) ** 2
        return first, _coefficients(self.functions[:, :2], target[:, 1]) ** 2


_Method: TypeAlias = Callable[[CandidateSeries, FloatArray], FloatArray]


def _sum_in_order(terms: FloatArray) -> FloatArray:
    """Return the sum over the second axis, one term after the other: the same bits whatever the other axes are."""
    return reduce(np.add, np.moveaxis(terms, 1, 0))


def _summed(scores: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """Return sums of scores (candidates x components x draws) over so many components, one after the other."""
    parts = np.split(scores, np.cumsum(sizes)[:-1], axis=1)
    return np.stack([_sum_in_order(part) for part in parts], axis=1)


def _coefficients(functions: NDArray[np.float32], targets: FloatArray) -> FloatArray:
    """Return mean products times the root of the rows, of unit variance under independence.

    They are (candidates x functions x components x draws) of functions (candidates x functions x rows).
    """
    n_rows = functions.shape[2]
    with single_threaded_blas():
        products = functions.reshape(-1, n_rows).astype(np.float64) @ targets.reshape(-1, n_rows).T
    return np.asarray(products.reshape(*functions.shape[:2], *targets.shape[:2]) / math.sqrt(n_rows))


def _padded(functions: Sequence[FloatArray], least: int) -> NDArray[np.float32]:
    """Return functions (functions x rows) of several candidates in one array, of at least so many each."""
    most = max(least, *(len(own) for own in functions))
    padded = np.zeros((len(functions), most, functions[0].shape[1]), dtype=np.float32)
    for i, own in enumerate(functions):
        padded[i, : len(own)] = rounded_for_exact_sums(own)
    return padded


def _series_of(block: CandidateBlock, units: range) -> CandidateSeries:
    return CandidateSeries.of(block.functions(units))


def block_scores(
    block: CandidateBlock,
    target: TargetInDraws,
    draws: Sequence[int],
    units: slice = slice(None),
    method: _Method = CandidateSeries.scores,
) -> FloatArray:
    """Return what a method of series gives for candidates of a block in draws (draws x candidates x ...)."""
    start, stop, _ = units.indices(len(block.units))
    size = max(1, _VALUES_AT_ONCE // (MOST_FUNCTIONS * block.columns.shape[1]))
    series = [block.cached(_series_of, range(i, min(i + size, stop))) for i in range(start, stop, size)]
    parts = []
    for part in equal_parts(len(draws), target.draws_at_once()):
        functions = target.functions(draws[part])
        parts.append(np.concatenate([method(own, functions) for own in series], axis=1))
    return np.concatenate(parts)


def effects_of(test: ConditionalTest, draws: Sequence[int]) -> FloatArray:
    """Return the raw effect of each candidate of a test in draws (draws x candidates)."""
    effects = test.blocks.map(block_scores, test.target, draws, slice(None), CandidateSeries.effects)
    return np.concatenate(list(effects), axis=1)


class SeriesStatistic(TestStatistic):
    """Tests all candidates by series scores: cheap, and sharp for smooth dependence and steps."""

    is_precise = True

    def __init__(self, test: ConditionalTest, purpose: str) -> None:
        super().__init__(test, purpose)
        n_units, n_scores = len(test.units), _MOST_SCORES * len(test.component_functions)
        self._n_scores, self._at_once = n_scores, max(1, _MOST_KEPT // (_DRAWS_KEPT * n_scores))
        self._is_cheap = n_units <= self._at_once and n_units * test.context.table.n_rows <= _FEW_VALUES
        self._kept = [(block, None) for block in test.blocks.handles]
        self._n_kept = 0
        sums = test.context.table.target.sums
        self._method = partial(CandidateSeries.scores, sums=sums if max(sums) > 1 else None)

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used: always."""
        return True

    def handicaps(self) -> FloatArray | None:
        """Return those of the components of the target, for each of their scores."""
        handicaps = self.test.context.table.target.handicaps(of_sums=True)
        n_scores = _MOST_SCORES - (self.test.subset_functions is None)
        return None if handicaps is None else np.repeat(handicaps, n_scores)

    def schedule(self, alpha: float) -> Iterable[int]:
        """Return after how many permutations the test may end."""
        return schedule_of_cheap_draws(alpha, settles=self._is_cheap)

    def sample(self, n_permutations: int) -> NullSample:
        """Return the statistics of the data and of so many surrogates."""
        test, engine, reporter = self.test, self.test.context.engine, self.test.context.reporter
        reporter.begin(f"{self.purpose}, {n_permutations} surrogates", len(test.units))
        at_once = min(self._at_once, max(1, TIMES_TO_SETTLE * _MOST_KEPT // (n_permutations * self._n_scores)))
        if len(test.units) <= at_once:
            draws = range(self._n_kept, n_permutations + 1)
            scores = engine.persist(_more_scores, self._kept, test.target, draws, self._method)
            self._kept = list(zip(test.blocks.handles, scores, strict=True))
            self._n_kept = n_permutations + 1
            answers = engine.map(NullSample.of_scores, scores, self.handicaps())
        else:
            draws = range(n_permutations + 1)
            answers = test.blocks.map(_sample_anew, test.target, draws, at_once, self._method, self.handicaps())
        parts = []
        for part, units in zip(answers, test.blocks.slices, strict=True):
            parts.append(part)
            reporter.advance(units.stop - units.start)
        return NullSample.joined(parts)

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the candidate to select, and its position: of those that pass, the one that explains most."""
        passing = np.flatnonzero(sample.p_values <= alpha).tolist()
        if not passing:
            return self.largest(sample)
        position = most_explanatory(self.test, passing)
        return self.test.units[position], position


def _more_scores(
    known: tuple[CandidateBlock, FloatArray | None], target: TargetInDraws, draws: range, method: _Method
) -> FloatArray:
    """Return the scores (draws x candidates x scores) that are known, and those of more draws."""
    block, scores = known
    more = block_scores(block, target, draws, slice(None), method)
    return more if scores is None else np.concatenate([scores, more])


def _sample_anew(
    block: CandidateBlock,
    target: TargetInDraws,
    draws: range,
    at_once: int,
    method: _Method,
    handicaps: FloatArray | None,
) -> NullSample:
    """Return the statistics of a block in draws, ``at_once`` candidates at a time, with no scores kept."""
    parts = equal_parts(len(block.units), at_once)
    scores = (block_scores(block, target, draws, part, method) for part in parts)
    return NullSample.joined([NullSample.of_scores(own, handicaps) for own in scores])


def most_explanatory(test: ConditionalTest, positions: list[int]) -> int:
    """Return the position of the candidate that leaves least residual variance, among those that pass.

    Studentised statistics saturate near the root of the number of draws, and do not order strong candidates well.
    So the eight of largest raw effect are compared by leave-one-out error: that of their functions, and of
    products of the first with functions of the subset, for the residual of the target. No randomness enters.
    """
    effects = np.round(effects_of(test, [0])[0], DIGITS)
    digest = test.context.table.digest
    by_effect = sorted(positions, key=lambda i: (effects[i], digest(test.units[i])), reverse=True)
    short = by_effect[:_SHORT_LIST]
    errors = {i: round(_error_of(test, i), DIGITS) for i in short}
    return min(short, key=lambda i: (errors[i], short.index(i)))


def _error_of(test: ConditionalTest, position: int) -> float:
    functions = test.blocks.functions([position])[0].smooth
    if test.subset_functions is not None:
        functions = np.concatenate([functions, test.subset_functions * functions[:1]])
    return test.context.table.target.unexplained(leave_one_out_errors(functions, test.raw_residuals))


def leave_one_out_errors(functions: FloatArray, targets: FloatArray) -> FloatArray:
    """Return mean squared leave-one-out errors of linear models of functions (functions x rows), one per target.

    The residual of a row that is left out is its residual divided by one minus its leverage (the PRESS statistic
    of Allen 1974).
    """
    n_rows = functions.shape[1]
    design = np.concatenate([np.ones((1, n_rows)), functions])
    with single_threaded_blas():
        gram = design @ design.T + _RIDGE * n_rows * np.eye(len(design))
        hat = np.linalg.solve(gram, design)
        leverage = np.einsum("fr,fr->r", design, hat)
        residuals = targets - (targets @ design.T) @ hat
    return np.asarray(np.mean((residuals / np.maximum(1 - leverage, _RIDGE)) ** 2, axis=1))
