"""Neighbour scores of candidates beside a subset, of the data and of surrogates drawn from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.feature_groups import Unit
from infosift.engines.base import Question
from infosift.significance.conditional import MOST_CLASSES, Conditional, Workbench
from infosift.significance.filling import filled_by_others
from infosift.significance.regression import QUICK_WIDTHS, Smoother
from infosift.significance.residual_target import unexplained

_VALUES_AT_ONCE = 8_000_000
# Where series see nothing in very many rows, neighbours are asked about some of them.
_MOST_ROWS = 1_000
# Of more features, only those are looked at whose series have the largest effects: in each draw its own, so that
# the data have no advantage over the surrogates.
_MOST_UNITS = 300
_DRAWS_SCREENED = 20
_DIGITS = 9


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
        self._given = self._bench.table.weigh(conditional.given[:, self._rows], conditional.subset)
        self._parts = conditional.parts[..., self._rows]
        has_residuals = conditional.surrogates.residuals() is not None
        self.best: list[int] = []
        self._digests = [self._bench.table.digest(unit) for unit in self.units] if self.is_screened else []
        self._asks_of_residuals = thorough and len(self._given) > 0 and has_residuals

    @property
    def is_screened(self) -> bool:
        """Whether there are so many candidates that only the most promising of each draw are looked at."""
        return len(self.units) > _MOST_UNITS

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x units x scores); where units are screened, (draws x scores x 1) of the best."""
        n_units = min(len(self.units), _MOST_UNITS)
        n_ways = 1 + (len(self._given) > 0) + self._asks_of_residuals
        n_questions = self._parts.shape[0] * self._parts.shape[1] * n_ways
        self._bench.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws) * n_units * n_questions)
        if self.is_screened:
            return np.concatenate([self._best_scores(part) for part in _in_parts(draws, _DRAWS_SCREENED)])[
                :, :, None
            ]
        at_once = max(1, _VALUES_AT_ONCE // (len(self._conditional.members) * len(self._rows)))
        return np.concatenate([self._scores_of(part, self.units) for part in _in_parts(draws, at_once)])

    def _best_scores(self, draws: range) -> FloatArray:
        """Return the largest of each score over the most promising units; remember which ones of draw 0."""
        best = []
        for draw, effects in zip(draws, np.round(self._conditional.effects(draws), _DIGITS), strict=True):
            promising = np.lexsort((self._digests, -effects))[:_MOST_UNITS].tolist()
            scores = self._scores_of([draw], [self.units[i] for i in promising])[0]
            best.append(scores.max(axis=0))
            if draw == 0:
                self.best = [promising[i] for i in scores.argmax(axis=0)]
        return np.stack(best)

    def _scores_of(self, draws: Sequence[int], units: Sequence[Unit]) -> FloatArray:
        members = self._conditional.members
        places = np.searchsorted(members, sorted({i for unit in units for i in unit.columns}))
        copies = self._bench.table.weigh(
            np.stack([self._conditional.copies(draw, places)[:, self._rows] for draw in draws]),
            [members[place] for place in places],
        )
        within = {members[place]: i for i, place in enumerate(places)}
        columns_of = [[within[column] for column in unit.columns] for unit in units]
        scores = [self._scores_beside(self._given[:0], copies, columns_of)]
        if len(self._given):
            # Not about the target itself, about which the subset is informative: a surrogate whose dependence on
            # the subset is not quite that of its column would be known by that.
            scores.append(self._scores_beside(self._given, copies, columns_of))
        if self._asks_of_residuals:
            residuals = np.stack([self._residuals_in(draw)[places] for draw in draws])
            scores.append(self._scores_beside(self._given[:0], residuals, columns_of))
        return np.concatenate(scores, axis=2)

    def _residuals_in(self, draw: int) -> FloatArray:
        residuals = self._conditional.surrogates.residuals()
        assert residuals is not None
        shuffled = residuals[:, self._conditional.sources([draw])[0, self._rows]]
        return self._bench.table.weigh(shuffled, self._conditional.members)

    def _scores_beside(self, given: FloatArray, copies: FloatArray, columns_of: list[list[int]]) -> FloatArray:
        """Return an array (draws x units x scores) for copies (draws x columns x rows) of the units' columns."""
        scores = np.empty((len(copies), len(columns_of), len(self._bench.values) * len(self._parts)))
        singles = [i for i, own in enumerate(columns_of) if len(own) == 1]
        if singles:
            columns = copies[:, [columns_of[i][0] for i in singles]]
            flat = columns.reshape(-1, columns.shape[2])
            scores[:, singles] = self._score(flat, given).reshape(len(copies), len(singles), -1)
        for i, own in enumerate(columns_of):
            if len(own) > 1:
                for draw, columns in enumerate(copies[:, own]):
                    scores[draw, i] = self._score(columns[-1:], np.concatenate([given, columns[:-1]]))[0]
        return scores

    def _score(self, candidates: FloatArray, given: FloatArray) -> FloatArray:
        """Return an array (candidates x scores)."""
        ask, bench = self._bench.criterion.score, self._bench
        questions = [Question(candidates, given, version) for part in self._parts for version in part]
        scores = [ask([question], bench.values, bench.engine)[0] for question in questions]
        return mean_over_versions(scores, self._parts.shape[1])


def _in_parts(draws: range, size: int) -> list[range]:
    return [draws[start : start + size] for start in range(0, len(draws), size)]


def mean_over_versions(scores: list[FloatArray], n_versions: int) -> FloatArray:
    """Return an array (candidates x scores) of answers (candidates x values) to versions of some questions."""
    means = np.stack(scores).reshape(-1, n_versions, *scores[0].shape).mean(axis=1)
    return np.concatenate(list(means), axis=1)


def unexplained_by(bench: Workbench, subset: Sequence[int]) -> float:
    """Return the mean squared residual of the target given some columns, by a quick regression."""
    own = bench.table.columns[list(subset)]
    columns = filled_by_others(own, own[:0], bench.engine)
    smoother = Smoother(columns, bench.engine, QUICK_WIDTHS) if len(columns) else None
    return unexplained(bench.table.target, smoother, MOST_CLASSES)
