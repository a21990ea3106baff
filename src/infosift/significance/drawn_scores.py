"""Scores of candidates beside a subset, of the data and of surrogates drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.data.feature_groups import Unit
from infosift.data.row_groups import shuffled_rows
from infosift.data.table import Table
from infosift.engines.base import Engine, Question
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.significance.regression import Smoother
from infosift.significance.residual_target import parts_of, residual_targets, unexplained
from infosift.significance.surrogates import surrogates_of

MOST_CLASSES = 8
_VALUES_AT_ONCE = 8_000_000


@dataclass(frozen=True)
class Workbench:
    """What all tests of a run share; ``values`` are those of the criterion's structural parameter."""

    table: Table
    criterion: Criterion
    values: tuple[int, ...]
    engine: Engine
    seed: int
    null: str
    reporter: Reporter


class DrawnScores:
    """Scores of candidates beside a subset, of the data (draw 0) and of surrogates (all others).

    A candidate has several scores: for each value of the criterion's parameter, its information about the residual
    of each part of the target and, beside a subset, that of both together about the same. ``thorough`` adds the
    information of the candidate's own residual given the subset, in which small differences between features that
    are nearly the same show.
    """

    def __init__(
        self,
        bench: Workbench,
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
            in_strata=table.row_groups is None,  # whose rows stay together
        )
        self._asks_of_residuals = thorough and len(subset) > 0 and self._surrogates.residuals(None) is not None

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

    def _candidate_residuals(self, draw: int) -> FloatArray:
        """Return the residuals of the same columns given the subset."""
        residuals = self._surrogates.residuals(None if draw == 0 else self._order(draw))
        assert residuals is not None
        return residuals

    def _order(self, draw: int) -> IntArray:
        table = self.bench.table
        generator = stream(self.bench.seed, "surrogate", self.step, draw)
        return shuffled_rows(np.arange(table.n_rows), generator, table.row_groups)

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x units x scores)."""
        n_ways = 1 + (len(self.given) > 0) + self._asks_of_residuals
        n_questions = self.parts.shape[0] * self.parts.shape[1] * n_ways
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
            # Not about the target itself, about which the subset is informative: a surrogate whose dependence on
            # the subset is not quite that of its column would be known by that.
            scores.append(self._scores_beside(self.given, copies))
        if self._asks_of_residuals:
            residuals = np.stack([self._candidate_residuals(draw) for draw in draws])
            scores.append(self._scores_beside(self.given[:0], residuals))
        return np.concatenate(scores, axis=2)

    def _scores_beside(self, given: FloatArray, copies: FloatArray) -> FloatArray:
        """Return an array (draws x units x scores) for some draws of the members' columns."""
        place = {column: i for i, column in enumerate(self.members)}
        singles = [i for i, unit in enumerate(self.units) if len(unit.columns) == 1]
        scores = np.empty((len(copies), len(self.units), len(self.bench.values) * len(self.parts)))
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
        scores = [ask([question], bench.values, bench.engine)[0] for question in questions]
        return mean_over_versions(scores, self.parts.shape[1])


def mean_over_versions(scores: list[FloatArray], n_versions: int) -> FloatArray:
    """Return an array (candidates x scores) of answers (candidates x values) to versions of some questions."""
    means = np.stack(scores).reshape(-1, n_versions, *scores[0].shape).mean(axis=1)
    return np.concatenate(list(means), axis=1)


def unexplained_by(bench: Workbench, subset: Sequence[int]) -> float:
    """Return the mean squared residual of the target given some columns."""
    smoother = Smoother(bench.table.columns[list(subset)], bench.seed, bench.engine)
    return unexplained(bench.table.target, smoother, MOST_CLASSES)
