"""Neighbour scores of candidates beside a subset, of the data and of surrogates drawn from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import FloatArray
from infosift.engines.base import Question
from infosift.significance.conditional import MOST_CLASSES, Conditional, Workbench
from infosift.significance.residual_target import unexplained

_VALUES_AT_ONCE = 8_000_000
# Where series see nothing in very many rows, neighbours are asked about some of them.
_MOST_ROWS = 2_000


class DrawnScores:
    """Scores by neighbours, of the data (draw 0) and of surrogates (all others).

    A candidate has several scores: for each value of the criterion's parameter, its information about the residual
    of each part of the target and, beside a subset, that of both together about the same. ``thorough`` adds the
    information of the candidate's own residual given the subset, in which small differences between features that
    are nearly the same show.
    """

    def __init__(self, conditional: Conditional, purpose: str, *, thorough: bool = False) -> None:
        self._conditional, self._purpose = conditional, purpose
        self._bench, self.units = conditional.bench, conditional.units
        n_rows = self._bench.table.n_rows
        self._rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)
        self._given = conditional.given[:, self._rows]
        self._parts = conditional.parts[..., self._rows]
        has_residuals = conditional.surrogates.residuals() is not None
        self._asks_of_residuals = thorough and len(self._given) > 0 and has_residuals

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x units x scores)."""
        n_ways = 1 + (len(self._given) > 0) + self._asks_of_residuals
        n_questions = self._parts.shape[0] * self._parts.shape[1] * n_ways
        self._bench.reporter.begin(
            f"{self._purpose}, {draws[-1]} surrogates", len(draws) * len(self.units) * n_questions
        )
        at_once = max(1, _VALUES_AT_ONCE // (len(self._conditional.members) * len(self._rows)))
        parts = [draws[start : start + at_once] for start in range(0, len(draws), at_once)]
        return np.concatenate([self._scores_at_once(part) for part in parts])

    def _scores_at_once(self, draws: range) -> FloatArray:
        copies = np.stack([self._conditional.copies(draw)[:, self._rows] for draw in draws])
        scores = [self._scores_beside(self._given[:0], copies)]
        if len(self._given):
            # Not about the target itself, about which the subset is informative: a surrogate whose dependence on
            # the subset is not quite that of its column would be known by that.
            scores.append(self._scores_beside(self._given, copies))
        if self._asks_of_residuals:
            residuals = np.stack([self._residuals_in(draw) for draw in draws])
            scores.append(self._scores_beside(self._given[:0], residuals))
        return np.concatenate(scores, axis=2)

    def _residuals_in(self, draw: int) -> FloatArray:
        residuals = self._conditional.surrogates.residuals()
        assert residuals is not None
        return residuals[:, self._conditional.source(draw)[self._rows]]

    def _scores_beside(self, given: FloatArray, copies: FloatArray) -> FloatArray:
        """Return an array (draws x units x scores) for some draws of the members' columns."""
        place = {column: i for i, column in enumerate(self._conditional.members)}
        singles = [i for i, unit in enumerate(self.units) if len(unit.columns) == 1]
        scores = np.empty((len(copies), len(self.units), len(self._bench.values) * len(self._parts)))
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
        ask, bench = self._bench.criterion.score, self._bench
        questions = [Question(candidates, given, version) for part in self._parts for version in part]
        scores = [ask([question], bench.values, bench.engine)[0] for question in questions]
        return mean_over_versions(scores, self._parts.shape[1])


def mean_over_versions(scores: list[FloatArray], n_versions: int) -> FloatArray:
    """Return an array (candidates x scores) of answers (candidates x values) to versions of some questions."""
    means = np.stack(scores).reshape(-1, n_versions, *scores[0].shape).mean(axis=1)
    return np.concatenate(list(means), axis=1)


def unexplained_by(bench: Workbench, subset: Sequence[int]) -> float:
    """Return the mean squared residual of the target given some columns."""
    return unexplained(bench.table.target, bench.smoother(tuple(subset)), MOST_CLASSES)
