"""Neighbours: the criterion's estimate of information, which sees any kind of dependence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.engines.base import ColumnBlocks, Question, equal_parts
from infosift.inference.conditional_test import ConditionalTest, SurrogateColumns, randomised_residuals
from infosift.inference.max_test import NullSample, TestStatistic
from infosift.inference.statistics.series import effects_of

_VALUES_AT_ONCE = 8_000_000
_DRAWS_SCREENED = 20
# Where the target has several versions, one of them is enough to see that a test is hopeless: after so many draws,
# with so many of them as large as the data. That happens to a p-value of 0.03 once in 200 times, so that it is for
# tests at lower levels.
_HOPELESS = ((9, 3), (19, 4), (39, 7))
_HOPELESS_ALPHA = 0.03


class NeighborStatistic(TestStatistic):
    """Tests all candidates by scores of the criterion, by default estimates from nearest neighbours.

    A candidate has several scores: for each value of the criterion's parameter, its information about each
    component of the target's residual and, given a subset, that of subset and candidate together about the same.
    Where a test is about residuals, too, there is also the information of the candidate's own residual given the
    subset, in which small differences between near-duplicates show.
    """

    # Of more candidates, only those of largest raw effect are scored: in each draw its own, so that the data have
    # no advantage over the surrogates.
    max_candidates = 300
    # Where censoring depends on a feature, so do spread and shape of martingale residuals, which neighbours see.
    takes_censored = False

    def __init__(self, test: ConditionalTest, purpose: str, n_slots: int = 1) -> None:
        super().__init__(test, f"{purpose} by neighbours", n_slots)
        self._context = test.context
        self._given = self._context.table.scale_distances(test.given[:, test.rows], test.subset)
        components = self._components()[..., test.rows]
        self._n_components, self._n_versions = components.shape[:2]  # versions are those in use
        self._versions = components.swapaxes(0, 1)  # (versions x components x columns x rows)
        self._n_ways = 1 + (len(self._given) > 0) + test.tests_residuals
        self.per_candidate = len(test.units) <= self.max_candidates
        self._digests = [] if self.per_candidate else [self._context.table.digest(unit) for unit in test.units]
        self.screened_best: list[int] = []  # the best candidate by each score, where candidates are screened

    def _components(self) -> FloatArray:
        """Return what candidates are to be informative about (components x versions x columns x rows)."""
        return self.test.components

    def handicaps(self) -> FloatArray | None:
        """Return those of the components of the target's residual, for each of their scores."""
        handicaps = self._context.table.target.handicaps(of_sums=False)
        if handicaps is None or self._n_components != len(handicaps):  # views of a whole target have none
            return None
        of_scores = np.tile(np.repeat(handicaps, len(self._context.values)), self._n_ways)
        return of_scores if self.per_candidate else of_scores[:, None]

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the candidate with the largest statistic, and the position of that in the sample."""
        if self.per_candidate:
            return self.largest(sample)
        position = int(np.argmax(sample.observed))
        return self.test.units[self.screened_best[position]], position

    def run(self, alpha: float, n_permutations: int | None = None, *, precise: bool = False) -> NullSample:
        """Draw until the result is clear; one version of the target is tried first, and may show it hopeless."""
        if n_permutations is None and len(self._versions) > 1 and alpha < _HOPELESS_ALPHA:
            self._n_versions = 1
            for count, enough in _HOPELESS:
                drawn = self.sample(count)
                if np.count_nonzero(drawn.max_statistics[1:] >= drawn.max_statistics[0]) >= enough:
                    return drawn
            self._n_versions, self._drawn = len(self._versions), []
        return super().run(alpha, n_permutations, precise=precise)

    def scores(self, draws: range) -> FloatArray:
        """Return (draws x candidates x scores); of screened candidates, the largest ones (draws x scores x 1)."""
        units = self.test.units
        n_targets = self._n_components * self._n_versions
        n_questions = len(draws) * min(len(units), self.max_candidates) * n_targets * self._n_ways
        self._context.reporter.begin(f"{self.purpose}, {draws[-1]} surrogates", n_questions)
        if not self.per_candidate:
            parts = equal_parts(len(draws), max(1, _VALUES_AT_ONCE // len(units)))
            return np.concatenate([self._screened_scores(draws[part]) for part in parts])[:, :, None]
        n_columns = sum(len(unit.columns) for unit in units)
        parts = equal_parts(len(draws), max(1, _VALUES_AT_ONCE // (n_columns * len(self.test.rows))))
        every = np.arange(len(units))
        return np.concatenate([self._scores_of(draws[part], [every] * len(draws[part])) for part in parts])

    def _screened_scores(self, draws: range) -> FloatArray:
        """Return the largest of each score over screened candidates (draws x scores); keep which, of draw 0."""
        effects = np.round(effects_of(self.test, draws), DIGITS)
        screened = [np.lexsort((self._digests, -of_draw))[: self.max_candidates] for of_draw in effects]
        parts = equal_parts(len(draws), _DRAWS_SCREENED)
        scores = np.concatenate([self._scores_of(draws[part], screened[part]) for part in parts])
        if draws[0] == 0:
            self.screened_best = screened[0][scores[0].argmax(axis=0)].tolist()
        return np.asarray(scores.max(axis=1))

    def _surrogates(self, draws: range, positions: Sequence[IntArray], **options: bool) -> SurrogateColumns:
        numbers = np.repeat(draws, len(positions[0]))
        return self.test.blocks.surrogates(numbers, np.concatenate(positions), self.test.indices, **options)

    def _scores_of(self, draws: range, positions: Sequence[IntArray]) -> FloatArray:
        """Return (draws x candidates x scores), for the positions of as many candidates in each draw."""
        surrogates = self._surrogates(draws, positions)
        scores = [self._scores_given(self._given[:0], surrogates)]
        if len(self._given):
            # About the residual and not the target itself, about which the subset is informative: a surrogate
            # whose dependence on the subset is not quite that of its column would be recognised by that.
            scores.append(self._scores_given(self._given, surrogates))
        if self.test.tests_residuals:
            residuals = self._surrogates(draws, positions, of_residuals=True)
            scores.append(self._scores_given(self._given[:0], residuals))
        together = np.concatenate(scores, axis=1)
        return together.reshape(len(draws), -1, together.shape[1])

    def _scores_given(self, given: FloatArray, surrogates: SurrogateColumns) -> FloatArray:
        """Return (surrogates x scores): all single features at once, groups one by one."""
        scores = np.empty((len(surrogates.firsts), len(self._context.values) * self._n_components))
        singles: IntArray = surrogates.singles
        if len(singles):
            scores[singles] = self._score(surrogates.columns, given, surrogates.firsts[singles].tolist())
        for i, columns in surrogates.groups.items():
            scores[i] = self._score(columns[-1:], np.concatenate([given, columns[:-1]]))[0]
        return scores

    def _score(
        self, candidates: FloatArray | ColumnBlocks, given: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return (candidates x scores): one for each value and component, the mean over versions of the target."""
        targets = self._versions[: self._n_versions].swapaxes(0, 1).reshape(-1, *self._versions.shape[2:])
        questions = [Question(candidates, given, target, picked) for target in targets]
        scores = self._context.criterion.score(questions, self._context.values, self._context.engine)
        means = np.stack(scores).reshape(-1, self._n_versions, *scores[0].shape).mean(axis=1)
        return np.concatenate(list(means), axis=1)


class JointInformation(NeighborStatistic):
    """The information of subset and candidate together about the whole target: the test of ``permutation_test``.

    Where the null predicts candidates from the subset, it is about the residual of the target, the mean over
    versions of randomised residuals of classes.
    """

    def _components(self) -> FloatArray:
        """Return the target, or its residuals, as one component of several columns."""
        if not self.test.context.null.predicts_candidates or self.test.target_residuals is None:
            return self.test.context.table.distance_target[None, None]
        return randomised_residuals(self.test.target_residuals)[None]

    def _scores_of(self, draws: range, positions: Sequence[IntArray]) -> FloatArray:
        scores = self._scores_given(self._given, self._surrogates(draws, positions))
        return scores.reshape(len(draws), -1, scores.shape[1])
