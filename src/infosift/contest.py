"""Columns against their surrogates: the best of many tested as the best of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.blocks import shuffled_rows
from infosift.criteria import Criterion
from infosift.engine import Question, ThreadEngine
from infosift.groups import Unit
from infosift.nulls import interval_of_p
from infosift.progress import Reporter
from infosift.residuals import Smoother
from infosift.streams import stream
from infosift.surrogates import surrogates_of
from infosift.table import Table
from infosift.unexplained import parts_of, residual_targets

MOST_CLASSES = 8
_VALUES_AT_ONCE = 8_000_000
# Chance, on each side of alpha and at each look, that a decision to draw no more is wrong.
_ERROR_OF_A_LOOK = 0.001
_LOOKS = 5
_EARLY_LOOK = 19
_FEWEST_FOR_BOUND = 39


@dataclass(frozen=True)
class Bench:
    """What all contests of a run share."""

    table: Table
    criterion: Criterion
    neighbors: tuple[int, ...]
    engine: ThreadEngine
    seed: int
    null: str
    reporter: Reporter


class Contest:
    """Scores of units beside a subset, as they are and as surrogates.

    A unit has several scores: for each number of neighbours, its information about each part of the target that
    the subset leaves unexplained and, beside a subset, that of both together about the same. A ``thorough``
    contest also asks about what the subset leaves unexplained of the unit, where small differences between columns
    that are nearly the same show. Draw 0 is the data.
    """

    def __init__(
        self,
        bench: Bench,
        subset: Sequence[int],
        units: Sequence[Unit],
        step: int,
        purpose: str,
        *,
        thorough: bool = False,
    ) -> None:
        table = bench.table
        self.bench, self.units, self.step, self.purpose = bench, tuple(units), step, purpose
        self.given = table.columns[list(subset)]
        smoother = Smoother(self.given, bench.seed, bench.engine) if len(subset) else None
        self._residuals = (
            None if smoother is None else residual_targets(table.target, smoother, MOST_CLASSES, bench.seed)
        )
        self.members = sorted({i for unit in units for i in unit.columns})
        self._columns = table.columns[self.members]
        self._surrogates = surrogates_of(
            self._columns,
            bench.null,
            self.given,
            smoother,
            bench.seed,
            step,
            bench.engine,
            in_strata=table.blocks is None,  # whose rows stay together
        )
        self._asks_of_left = thorough and len(subset) > 0 and self._surrogates.left(None) is not None

    @property
    def parts(self) -> FloatArray:
        """What is asked about (parts x versions x columns x rows): the target itself, or residuals one by one."""
        if self._residuals is None:
            return self.bench.table.target[None, None]
        return self._residuals.swapaxes(0, 1)[:, :, None]

    @property
    def wanted(self) -> FloatArray:
        """The same as columns of numbers, a row per part."""
        if self._residuals is None:
            return np.concatenate([parts_of(column, MOST_CLASSES) for column in self.bench.table.target])
        return np.asarray(self._residuals.mean(axis=0))

    def copies(self, draw: int) -> FloatArray:
        """Return the columns of all units in a draw, in the order of ``members``."""
        return self._columns if draw == 0 else self._surrogates.draw(draw, self._order(draw))

    def _left(self, draw: int) -> FloatArray:
        """Return what the subset leaves unexplained of the same columns."""
        left = self._surrogates.left(None if draw == 0 else self._order(draw))
        assert left is not None
        return left

    def _order(self, draw: int) -> IntArray:
        table = self.bench.table
        generator = stream(self.bench.seed, "surrogate", self.step, draw)
        return shuffled_rows(np.arange(table.n_rows), generator, table.blocks)

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x units x scores)."""
        n_questions = self.parts.shape[0] * self.parts.shape[1] * (1 + (len(self.given) > 0) + self._asks_of_left)
        self.bench.reporter.begin(
            f"{self.purpose}, {draws[-1]} surrogates", len(draws) * len(self.units) * n_questions
        )
        at_once = max(1, _VALUES_AT_ONCE // (len(self.members) * self.bench.table.n_rows))
        parts = [draws[start : start + at_once] for start in range(0, len(draws), at_once)]
        return np.concatenate([self._scores_at_once(part) for part in parts])

    def _scores_at_once(self, draws: range) -> FloatArray:
        copies = np.stack([self.copies(draw) for draw in draws])
        scores = [self._scores_beside(self.given[:0], copies)]
        if len(self.given):
            # Not about the target itself, of which the subset tells much: a surrogate whose tie to the subset is
            # not quite that of its column would be known by that.
            scores.append(self._scores_beside(self.given, copies))
        if self._asks_of_left:
            scores.append(self._scores_beside(self.given[:0], np.stack([self._left(draw) for draw in draws])))
        return np.concatenate(scores, axis=2)

    def _scores_beside(self, given: FloatArray, copies: FloatArray) -> FloatArray:
        """Return an array (draws x units x scores) for some draws of the members' columns."""
        place = {column: i for i, column in enumerate(self.members)}
        singles = [i for i, unit in enumerate(self.units) if len(unit.columns) == 1]
        scores = np.empty((len(copies), len(self.units), len(self.bench.neighbors) * len(self.parts)))
        if singles:
            columns = copies[:, [place[self.units[i].columns[0]] for i in singles]]
            flat = columns.reshape(-1, columns.shape[2])
            scores[:, singles] = self._score(flat, given).reshape(len(copies), len(singles), -1)
        for i, unit in enumerate(self.units):
            if len(unit.columns) > 1:
                for draw, columns in enumerate(copies[:, [place[column] for column in unit.columns]]):
                    scores[draw, i] = self._score(columns[-1:], np.concatenate([given, columns[:-1]]))[0]
        return scores

    def _score(self, candidates: FloatArray, given: FloatArray) -> FloatArray:
        """Return an array (candidates x scores)."""
        ask, bench = self.bench.criterion.score, self.bench
        questions = [Question(candidates, given, version) for part in self.parts for version in part]
        scores = [ask([question], bench.neighbors, bench.engine)[0] for question in questions]
        return mean_over_versions(scores, self.parts.shape[1])


def mean_over_versions(scores: list[FloatArray], n_versions: int) -> FloatArray:
    """Return an array (candidates x scores) of answers (candidates x neighbours) to versions of some questions."""
    means = np.stack(scores).reshape(-1, n_versions, *scores[0].shape).mean(axis=1)
    return np.concatenate(list(means), axis=1)


@dataclass(frozen=True)
class Result:
    """The outcome of a contest: excesses of the data (draw 0) and the surrogates, and the p-value of the best."""

    excess: FloatArray  # draws x units
    p_value: float
    p_low: float
    p_high: float

    @property
    def best(self) -> FloatArray:
        """Return the largest excess of each draw."""
        return np.asarray(self.excess.max(axis=1))

    @property
    def n_permutations(self) -> int:
        """Number of surrogates."""
        return len(self.excess) - 1

    def p_value_of(self, unit: int) -> float:
        """Return the p-value of a unit as one of all: how often the best surrogate is as far above as it is."""
        return float(1 + np.count_nonzero(self.best[1:] >= self.excess[0, unit])) / (1 + self.n_permutations)


def studentised(scores: FloatArray) -> FloatArray:
    """Return how far each score lies above all draws of it, the data included, in standard deviations."""
    spread = np.broadcast_to(scores.std(axis=0), scores.shape)
    excess = np.zeros_like(scores)
    np.divide(scores - scores.mean(axis=0), spread, out=excess, where=spread > 0)
    return excess


def hold(draw: Callable[[range], FloatArray], alpha: float, n_permutations: int | None) -> Result:
    """Draw until it is clear whether the best unit passes at level alpha, or as many as are asked for.

    ``draw`` returns (draws x units x scores). Every score is studentised over all draws, so that data and
    surrogates are exchangeable; a unit's excess is its largest.
    """
    drawn: list[FloatArray] = []
    done = 0
    for count in looks(alpha, n_permutations):
        drawn.append(draw(range(done, count + 1)))
        done = count + 1
        excess = studentised(np.concatenate(drawn)).max(axis=2)
        best = excess.max(axis=1)
        at_least = int(np.count_nonzero(best[1:] >= best[0]))
        low, high = interval_of_p(at_least, count, 1 - 2 * _ERROR_OF_A_LOOK)
        bound = tail_bound(best)
        if low > alpha or high <= alpha or (count >= _FEWEST_FOR_BOUND and bound <= alpha / 2):
            break
    p_value = (1 + at_least) / (1 + count)
    low, high = interval_of_p(at_least, count)
    return Result(excess, p_value, low, max(p_value, min(high, bound)))


def tail_bound(best: FloatArray) -> float:
    """Return what share of surrogates, whatever their distribution, can be as far above their mean as the data.

    This is Cantelli's inequality with the mean and variance of the surrogates drawn.
    """
    surrogates = best[1:]
    spread = surrogates.std()
    above = best[0] - surrogates.mean()
    return float(1 / (1 + (above / spread) ** 2)) if above > 0 and spread > 0 else 1.0


def looks(alpha: float, n_permutations: int | None) -> Iterator[int]:
    """Yield the numbers of permutations at which to look: doubled each time, and such that alpha is exact."""
    if n_permutations is not None:
        yield n_permutations
        return
    first = math.ceil(1 / alpha - 1e-9)
    if first >= 2 * _EARLY_LOOK:
        yield _EARLY_LOOK
    for doubling in range(_LOOKS):
        yield first * 2**doubling - 1
