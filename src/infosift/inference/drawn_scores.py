"""Neighbour scores of candidates beside a subset, of the data and of surrogates drawn from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.engines.base import Question, SpreadColumns
from infosift.inference.conditional import Conditional
from infosift.inference.copies import Copies

_VALUES_AT_ONCE = 8_000_000
# Of more features, only those are looked at whose series have the largest effects: in each draw its own, so that
# the data have no advantage over the surrogates.
_MOST_UNITS = 300
_DRAWS_SCREENED = 20


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
        rows = conditional.rows_of_copies
        self._given = self._bench.table.scale_distances(conditional.given[:, rows], conditional.subset)
        parts = conditional.parts[..., rows]
        self._n_parts, self._n_versions = parts.shape[:2]
        self._targets = [version for part in parts for version in part]
        self.best: list[int] = []
        self._digests = [self._bench.table.digest(unit) for unit in self.units] if self.is_screened else []
        self._asks_of_residuals = thorough and conditional.has_residuals

    @property
    def is_screened(self) -> bool:
        """Whether there are so many candidates that only the most promising of each draw are looked at."""
        return len(self.units) > _MOST_UNITS

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x units x scores); where units are screened, (draws x scores x 1) of the best."""
        n_units = min(len(self.units), _MOST_UNITS)
        n_ways = 1 + (len(self._given) > 0) + self._asks_of_residuals
        n_questions = len(self._targets) * n_ways
        self._bench.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws) * n_units * n_questions)
        if self.is_screened:
            at_once = max(1, _VALUES_AT_ONCE // len(self.units))
            return np.concatenate([self._best_scores(part) for part in _in_parts(draws, at_once)])[:, :, None]
        n_columns = sum(len(unit.columns) for unit in self.units)
        at_once = max(1, _VALUES_AT_ONCE // (n_columns * self._given.shape[1]))
        everything = np.arange(len(self.units))
        parts = [self._scores_of([(draw, everything) for draw in part]) for part in _in_parts(draws, at_once)]
        return np.concatenate(parts)

    def _best_scores(self, draws: range) -> FloatArray:
        """Return the largest of each score over the most promising units; remember which ones of draw 0."""
        effects = np.round(self._conditional.effects(draws), DIGITS)
        promising = [np.lexsort((self._digests, -of_draw))[:_MOST_UNITS] for of_draw in effects]
        asked = list(zip(draws, promising, strict=True))
        parts = [asked[start : start + _DRAWS_SCREENED] for start in range(0, len(asked), _DRAWS_SCREENED)]
        scores = np.concatenate([self._scores_of(part) for part in parts])
        if draws[0] == 0:
            self.best = promising[0][scores[0].argmax(axis=0)].tolist()
        return np.asarray(scores.max(axis=1))

    def _scores_of(self, asked: Sequence[tuple[int, IntArray]]) -> FloatArray:
        """Return an array (draws x units x scores) for draws and the places of as many units in each."""
        copies = self._conditional.copies(asked)
        scores = [self._scores_beside(self._given[:0], copies)]
        if len(self._given):
            # Not about the target itself, about which the subset is informative: a surrogate whose dependence on
            # the subset is not quite that of its column would be known by that.
            scores.append(self._scores_beside(self._given, copies))
        if self._asks_of_residuals:
            residuals = self._conditional.copies(asked, of_residuals=True)
            scores.append(self._scores_beside(self._given[:0], residuals))
        together = np.concatenate(scores, axis=1)
        return together.reshape(len(asked), -1, together.shape[1])

    def _scores_beside(self, given: FloatArray, copies: Copies) -> FloatArray:
        """Return an array (copies x scores): all single features at once, groups one by one."""
        scores = np.empty((len(copies.firsts), len(self._bench.values) * self._n_parts))
        singles = copies.singles
        if len(singles):
            scores[singles] = self._score(copies.columns, given, copies.firsts[singles].tolist())
        for i, columns in copies.groups.items():
            scores[i] = self._score(columns[-1:], np.concatenate([given, columns[:-1]]))[0]
        return scores

    def _score(
        self, candidates: FloatArray | SpreadColumns, given: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return an array (candidates x scores)."""
        questions = [Question(candidates, given, target, picked) for target in self._targets]
        scores = self._bench.criterion.score(questions, self._bench.values, self._bench.engine)
        return mean_over_versions(scores, self._n_versions)


def _in_parts(draws: range, size: int) -> list[range]:
    return [draws[start : start + size] for start in range(0, len(draws), size)]


def mean_over_versions(scores: list[FloatArray], n_versions: int) -> FloatArray:
    """Return an array (candidates x scores) of answers (candidates x values) to versions of some questions."""
    means = np.stack(scores).reshape(-1, n_versions, *scores[0].shape).mean(axis=1)
    return np.concatenate(list(means), axis=1)
