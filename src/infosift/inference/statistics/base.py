"""What a test statistic is: scores of candidates in draws, and which candidate they would select."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.groups import FeatureUnit
from infosift.inference.conditional_test import ConditionalTest
from infosift.inference.max_test import NullSample, capped, max_test, schedule_of_draws


class TestStatistic:
    """A statistic of candidates and target conditional on a subset; a new one returns ``scores`` of draws.

    Attributes
    ----------
    per_candidate : bool
        Whether a sample has a statistic for each candidate, so that each has a p-value of its own. Else it has
        only the best of many in each draw.
    is_precise : bool
        Whether draws are cheap enough to go on until p-values are precise.
    """

    __test__ = False  # of pytest, to which a class of this name is one of its own

    per_candidate = True
    is_precise = False

    def __init__(self, test: ConditionalTest, purpose: str) -> None:
        self.test, self.purpose = test, purpose
        self._drawn: list[FloatArray] = []

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used for a test, where so many more features may be selected.

        By default it can, unless surrogates have lost their dependence on the subset, which it would see.
        """
        return not test.is_series_only

    def scores(self, draws: range) -> FloatArray:
        """Return the scores of all candidates in draws (draws x candidates x scores); draw 0 is the data."""
        raise NotImplementedError

    def sample(self, n_permutations: int) -> NullSample:
        """Return the statistics of the data and of so many surrogates; none is drawn twice."""
        self._drawn.append(self.scores(range(sum(map(len, self._drawn)), n_permutations + 1)))
        return NullSample.of_scores(np.concatenate(self._drawn))

    def schedule(self, alpha: float) -> Iterable[int]:
        """Return after how many permutations the test may end."""
        return schedule_of_draws(alpha, settles=self.is_precise)

    def run(self, alpha: float, n_permutations: int | None = None, *, precise: bool = False) -> NullSample:
        """Draw a requested number of permutations or, where that is None, as many as it takes to decide."""
        schedule = self.schedule(alpha) if n_permutations is None else [n_permutations]
        schedule = capped(schedule, self.test.n_distinct)
        return max_test(self.sample, alpha, schedule, precise=precise and self.is_precise)

    def largest(self, sample: NullSample) -> tuple[FeatureUnit, int]:
        """Return the candidate of the largest statistic, and its position.

        Of equal ones the digest of the columns decides, so that their order does not.
        """
        units, digest = self.test.units, self.test.context.table.digest
        position = max(range(len(units)), key=lambda i: (sample.observed[i], digest(units[i])))
        return units[position], position

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the candidate to select, and the position of its statistic in the sample."""
        return self.largest(sample)
