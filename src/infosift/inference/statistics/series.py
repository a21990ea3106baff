"""Series: an orthogonal-series estimate of how the residuals of candidates and target depend on each other.

Mean products of Legendre polynomials of two ranks are the coefficients of the ratio of the joint density to the
product of the marginal ones; all are zero under independence. A draw permutes rows only, so that the coefficients
of all candidates and many draws are one matrix product, in whole numbers (src/kernel/series.cpp).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infosift import _kernel
from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.criteria.rank_basis import N_OF_CANDIDATES, N_OF_TARGETS, Functions
from infosift.data.groups import FeatureUnit
from infosift.engines.base import equal_parts, single_threaded_blas
from infosift.inference.conditional_test import MOST_FUNCTIONS, CandidateBlock, ConditionalTest
from infosift.inference.max_test import TIMES_TO_SETTLE, NullSample, TestStatistic, schedule_of_cheap_draws
from infosift.inference.nulls import TargetInDraws
from infosift.inference.permutation import FixedPoint, padded_rows, to_fixed_point

# Values of functions that are multiplied at once.
_VALUES_AT_ONCE = 2_000_000
# Scores that are kept while a test goes on, for 1,000 draws; of more candidates they are worked out again, block
# by block.
_MOST_KEPT = 10_000_000
_DRAWS_KEPT = 1000
_MOST_SCORES = 5
# By how many standard deviations each score counts for less in the maximum: most dependence is monotone for the
# greater part, and the first score would pay for the four others. In a table of more than ten features, only
# strong effects are above the maximum, and the four count for less by so much for each tenfold. By simulation:
# docs/method.md, "Series".
_HANDICAPS = np.array([0.0, 0.3, 0.05, 0.3, 0.3])
_MORE_PER_TENFOLD = np.array([0.0, 0.3, 0.3, 0.3, 0.3])
_FEW_FEATURES = 10
# Up to so many values of all candidates, draws are so cheap that five times as many may settle what is near alpha.
_FEW_VALUES = 500_000
# Of the candidates that pass, so many of largest effect are compared by how well they predict the residual.
_SHORT_LIST = 8
_RIDGE = 1e-6


@dataclass(frozen=True)
class CandidateSeries:
    """Functions of candidates (candidates x functions x padded rows), the first ``n_smooth`` smooth, then steps.

    They are whole numbers, multiples of 2^-``bits``, and padded with functions that are zero.
    """

    functions: FixedPoint
    n_smooth: int
    n_rows: int
    bits: int

    @classmethod
    def of(cls, candidates: Sequence[Functions], bits: int) -> CandidateSeries:
        """Stack the functions of candidates."""
        smooth, steps = ([getattr(own, name) for own in candidates] for name in Functions._fields)
        n_smooth, n_steps = max(N_OF_TARGETS, *map(len, smooth)), max(map(len, steps))
        functions = np.zeros((len(candidates), n_smooth + n_steps, smooth[0].shape[1]))
        for i, (own, own_steps) in enumerate(zip(smooth, steps, strict=True)):
            functions[i, : len(own)] = own
            functions[i, n_smooth : n_smooth + len(own_steps)] = own_steps
        return cls(padded_rows(to_fixed_point(functions, bits)), n_smooth, functions.shape[2], bits)

    @classmethod
    def of_numbers(cls, columns: FloatArray, bits: int) -> CandidateSeries:
        """Return the functions of columns of numbers without gaps."""
        return cls(
            _kernel.rank_functions(np.ascontiguousarray(columns), bits), N_OF_CANDIDATES, columns.shape[1], bits
        )

    @property
    def _scale(self) -> float:
        """What brings a sum of products of functions to unit variance under independence."""
        return float(4.0**-self.bits / math.sqrt(self.n_rows))

    def scores(
        self, target: FixedPoint, variances: FixedPoint | None = None, *, sums: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        """Return the scores of candidates (candidates x scores x draws), for each component of the target.

        ``target`` has its functions in draws (components x functions x draws x padded rows). With b(j, m) the
        coefficient of function j of the candidate and m of the target, these are b(1, 1)², the sum of b(j, 1)²,
        the largest other b(j, m)² with j, m <= 2, the largest b(j, 1)² with j > 2 or of a step, and b(1, 1)² plus
        the largest square of a product with the subset. By ``sums``, those of so many components, one after the
        other, are added up. The cube root of a chi-squared variable is nearly normal (Wilson and Hilferty 1931),
        which makes them comparable. With ``variances`` of the target's functions in each row, as those of censored
        times differ, each coefficient is in units of its own standard deviation in the draw: where these depend on
        the candidate, only so are draws like the data (Neuhaus 1993; Janssen 1997).
        """
        sizes = np.array([1] * len(target) if sums is None else sums, dtype=np.int64)
        return _kernel.series_scores(
            self.functions, self.n_smooth, target, sizes, self._scale, variances, self.bits
        )

    def effects(self, target: FixedPoint, variances: FixedPoint | None = None) -> FloatArray:
        """Return the raw effect of each candidate (candidates x draws): a sum of squared coefficients."""
        return _kernel.series_effects(self.functions, self.n_smooth, target, self._scale)


_Method: TypeAlias = Callable[[CandidateSeries, FixedPoint, "FixedPoint | None"], Any]


def _series_of(block: CandidateBlock, units: range, bits: int) -> list[tuple[IntArray, CandidateSeries]]:
    """Return the functions of candidates, with their positions among these: of numbers, and of others."""
    columns = np.array([block.units[i][0] for i in units])
    are_single = np.array([len(block.units[i]) == 1 for i in units])
    ranked = are_single & block.surrogates.are_ranked(columns)
    series = []
    if ranked.any():
        residuals = block.surrogates.residuals()[columns[ranked]]
        series.append((np.flatnonzero(ranked), CandidateSeries.of_numbers(residuals, bits)))
    if not ranked.all():
        others = np.flatnonzero(~ranked)
        functions = block.functions([units[i] for i in others])
        series.append((others, CandidateSeries.of(functions, bits)))
    return series


def block_scores(
    block: CandidateBlock,
    target: TargetInDraws,
    draws: Sequence[int],
    units: slice = slice(None),
    method: _Method = CandidateSeries.scores,
    known: Sequence[Any] = (),
) -> Any:
    """Return what a method of series gives for candidates of a block in draws (candidates x ... x draws).

    It comes after what is ``known`` of other draws.
    """
    start, stop, _ = units.indices(len(block.units))
    size = max(1, _VALUES_AT_ONCE // (MOST_FUNCTIONS * block.columns.shape[1]))
    parts = [range(i, min(i + size, stop)) for i in range(start, stop, size)]
    series = [
        (part.start - start + positions, own)
        for part in parts
        for positions, own in block.cached(_series_of, part, target.indices.bits)
    ]
    order = np.argsort(np.concatenate([positions for positions, _ in series]))
    in_draws = list(known)
    for part in equal_parts(len(draws), target.draws_at_once()):
        functions, variances = target.functions(draws[part]), target.variances(draws[part])
        answers = [method(own, functions, variances) for _, own in series]
        together = answers[0] if len(answers) == 1 else np.concatenate(answers)
        in_draws.append(together if np.all(np.diff(order) == 1) else together[order])
    return in_draws[0] if len(in_draws) == 1 else np.concatenate(in_draws, axis=-1)


def effects_of(test: ConditionalTest, draws: Sequence[int]) -> FloatArray:
    """Return the raw effect of each candidate of a test in draws (draws x candidates)."""
    effects = test.blocks.map(block_scores, test.target, draws, slice(None), CandidateSeries.effects)
    return np.asarray(np.concatenate(list(effects)).T)


class SeriesStatistic(TestStatistic):
    """Tests all candidates by series scores: cheap, and sharp for smooth dependence and steps."""

    is_precise = True
    passes_early = True

    def __init__(self, test: ConditionalTest, purpose: str, n_slots: int = 1) -> None:
        super().__init__(test, purpose, n_slots)
        n_units, n_components = len(test.units), len(test.context.table.target.components)
        n_scores = _MOST_SCORES * n_components
        self._n_scores, self._at_once = n_scores, max(1, _MOST_KEPT // (_DRAWS_KEPT * n_scores))
        n_values = n_units * test.context.table.n_rows * n_components
        self._settles = n_values <= _FEW_VALUES
        self._kept = [(block, None) for block in test.blocks.handles]
        self._n_kept = 0
        self._errors: dict[int, float] = {}  # of candidates that were compared
        sums = test.context.table.target.sums
        self._method = partial(CandidateSeries.scores, sums=sums if max(sums) > 1 else None)

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used: always."""
        return True

    def handicaps(self) -> FloatArray:
        """Return those of the scores, added to those of the components of the target."""
        target = self.test.context.table.target
        of_components = target.handicaps(of_sums=True)
        # All tests of a run weigh scores alike, however many candidates they have.
        tenfolds = max(0.0, math.log10(self.test.context.n_candidates / _FEW_FEATURES))
        of_scores = _HANDICAPS + tenfolds * _MORE_PER_TENFOLD
        of_scores = of_scores if self.test.target.has_products else of_scores[:-1]
        if of_components is None:
            return np.tile(of_scores, len(target.sums))
        return np.add.outer(of_components, of_scores).ravel()

    def schedule(self, alpha: float) -> Iterable[int]:
        """Return after how many permutations the test may end."""
        return schedule_of_cheap_draws(alpha, settles=self._settles)

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
        position = self.choose(passing)
        return self.test.units[position], position

    def choose(self, positions: list[int]) -> int:
        """Return the position of the candidate that explains most."""
        return most_explanatory(self.test, positions, self._errors)


def _more_scores(
    known: tuple[CandidateBlock, NDArray[np.float32] | None], target: TargetInDraws, draws: range, method: _Method
) -> NDArray[np.float32]:
    """Return the scores (candidates x scores x draws) that are known, and those of more draws."""
    block, scores = known
    before = () if scores is None else (scores,)
    return block_scores(block, target, draws, slice(None), method, before)  # type: ignore[no-any-return]


def _sample_anew(
    block: CandidateBlock,
    target: TargetInDraws,
    draws: range,
    at_once: int,
    method: _Method,
    handicaps: FloatArray,
) -> NullSample:
    """Return the statistics of a block in draws, ``at_once`` candidates at a time, with no scores kept."""
    parts = equal_parts(len(block.units), at_once)
    scores = (block_scores(block, target, draws, part, method) for part in parts)
    return NullSample.joined([NullSample.of_scores(own, handicaps) for own in scores])


def most_explanatory(test: ConditionalTest, positions: list[int], errors: dict[int, float] | None = None) -> int:
    """Return the position of the candidate that leaves least residual variance, among those that pass.

    Studentised statistics saturate near the root of the number of draws, and do not order strong candidates well.
    So the eight of largest raw effect are compared by leave-one-out error: that of their functions, and of
    products of the first with functions of the subset, for the residual of the target. No randomness enters.
    ``errors`` has those that are known, and gets the others.
    """
    errors = {} if errors is None else errors
    effects = np.round(effects_of(test, [0])[0], DIGITS)
    digest = test.context.table.digest
    by_effect = sorted(positions, key=lambda i: (effects[i], digest(test.units[i])), reverse=True)
    short = by_effect[:_SHORT_LIST]
    errors |= {i: round(_error_of(test, i), DIGITS) for i in short if i not in errors}
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
