"""Neighbours: the criterion's estimate of information, which sees any kind of dependence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.engines.base import ColumnBlocks, Question, equal_parts
from infosift.inference.candidate_blocks import DrawOf, SurrogateColumns
from infosift.inference.conditional_test import ConditionalTest
from infosift.inference.max_test import GrowingSample, NullSample, schedule_of_draws
from infosift.inference.residuals import randomised_residuals
from infosift.inference.statistics.series import effects_of, highest

_VALUES_AT_ONCE = 8_000_000
_DRAWS_SCREENED = 20


class NeighborStatistic:
    """Tests all candidates by scores of the criterion, by default estimates from nearest neighbours.

    A candidate has several scores: for each value of the criterion's parameter, its information about each
    component of the target's residual and, given a subset, that of subset and candidate together about the same.
    Where a test is about residuals, too, there is also the information of the candidate's own residual given the
    subset, in which small differences between near-duplicates show.
    """

    is_precise = False
    # Of more candidates, only those of largest raw effect are scored: in each draw its own, so that the data have
    # no advantage over the surrogates.
    max_candidates = 300

    def __init__(self, test: ConditionalTest, purpose: str) -> None:
        self._test, self._purpose, self._context = test, f"{purpose} by neighbours", test.context
        self._given = self._context.table.scale_distances(test.given[:, test.rows], test.subset)
        components = test.components[..., test.rows]
        self._n_components, self._n_versions = components.shape[:2]
        self._targets = [version for component in components for version in component]
        self.is_screened = len(test.units) > self.max_candidates
        self.per_candidate = not self.is_screened
        self._digests = [self._context.table.digest(unit) for unit in test.units] if self.is_screened else []
        self.screened_best: list[int] = []  # the best candidate by each score, where candidates are screened
        self.sample = GrowingSample(self.scores)

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used: not where surrogates have lost the subset."""
        return not test.is_series_only

    def schedule(self, alpha: float, n_permutations: int | None) -> Iterable[int]:
        """Return after how many permutations the test may end."""
        return schedule_of_draws(alpha, n_permutations)

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the candidate with the largest statistic, and the position of that in the sample."""
        if self.is_screened:
            position = int(np.argmax(sample.observed))
            return self._test.units[self.screened_best[position]], position
        position = highest(self._test, sample)
        return self._test.units[position], position

    def scores(self, draws: range) -> FloatArray:
        """Return (draws x candidates x scores); of screened candidates, the largest ones (draws x scores x 1)."""
        units = self._test.units
        n_ways = 1 + (len(self._given) > 0) + self._test.tests_residuals
        n_questions = len(draws) * min(len(units), self.max_candidates) * len(self._targets) * n_ways
        self._context.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", n_questions)
        if self.is_screened:
            parts = equal_parts(len(draws), max(1, _VALUES_AT_ONCE // len(units)))
            return np.concatenate([self._screened_scores(draws[part]) for part in parts])[:, :, None]
        n_columns = sum(len(unit.columns) for unit in units)
        parts = equal_parts(len(draws), max(1, _VALUES_AT_ONCE // (n_columns * len(self._test.rows))))
        every = np.arange(len(units))
        return np.concatenate([self._scores_of([(draw, every) for draw in draws[part]]) for part in parts])

    def _screened_scores(self, draws: range) -> FloatArray:
        """Return the largest of each score over screened candidates (draws x scores); keep which, of draw 0."""
        effects = np.round(effects_of(self._test, draws), DIGITS)
        screened = [np.lexsort((self._digests, -of_draw))[: self.max_candidates] for of_draw in effects]
        pairs = list(zip(draws, screened, strict=True))
        parts = equal_parts(len(pairs), _DRAWS_SCREENED)
        scores = np.concatenate([self._scores_of(pairs[part]) for part in parts])
        if draws[0] == 0:
            self.screened_best = screened[0][scores[0].argmax(axis=0)].tolist()
        return np.asarray(scores.max(axis=1))

    def _scores_of(self, draws: Sequence[DrawOf]) -> FloatArray:
        """Return (draws x candidates x scores), for draws and the positions of as many candidates in each."""
        blocks, indices = self._test.blocks, self._test.indices
        surrogates = blocks.surrogates(draws, indices)
        scores = [self._scores_given(self._given[:0], surrogates)]
        if len(self._given):
            # About the residual and not the target itself, about which the subset is informative: a surrogate
            # whose dependence on the subset is not quite that of its column would be recognised by that.
            scores.append(self._scores_given(self._given, surrogates))
        if self._test.tests_residuals:
            residuals = blocks.surrogates(draws, indices, of_residuals=True)
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
        questions = [Question(candidates, given, target, picked) for target in self._targets]
        scores = self._context.criterion.score(questions, self._context.values, self._context.engine)
        means = np.stack(scores).reshape(-1, self._n_versions, *scores[0].shape).mean(axis=1)
        return np.concatenate(list(means), axis=1)


class JointInformation(NeighborStatistic):
    """The information of subset and candidate together about the whole target: the test of ``permutation_test``.

    Where the null predicts candidates from the subset, it is about the residual of the target, the mean over
    versions of randomised residuals of classes.
    """

    def __init__(self, test: ConditionalTest, purpose: str) -> None:
        super().__init__(test, purpose)
        residuals = test.target_residuals if test.context.null.predicts_candidates else None
        target = test.context.table.distance_target[None] if residuals is None else randomised_residuals(residuals)
        self._targets, self._n_versions, self._n_components = list(target[..., test.rows]), len(target), 1

    def _scores_of(self, draws: Sequence[DrawOf]) -> FloatArray:
        scores = self._scores_given(self._given, self._test.blocks.surrogates(draws, self._test.indices))
        return scores.reshape(len(draws), -1, scores.shape[1])
