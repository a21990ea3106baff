"""A false discovery rate along the path of a forward search: which steps are added (ForwardStop)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from infosift.arrays import DIGITS
from infosift.data.groups import FeatureUnit
from infosift.inference.permutation import threshold
from infosift.results.steps import Step
from infosift.search.base import Phase, Problem, Tests, Units, units_of, without

# For a false discovery rate, steps are tested ahead while so many more, with p-values of zero, would bring the
# estimate to alpha.
_MOST_AHEAD = 5
_LARGEST_P = 1 - 1e-9


class ForwardStop:
    """Additions of which a share of at most alpha is expected to be false (G'Sell and others 2016).

    With p(i) the adjusted p-value of step i, the rate after k steps is estimated by the mean of -log(1 - p(i)),
    each of which has mean 1 where nothing is left to find. The path is as long as the last estimate that is at
    most alpha. So steps are tested ahead, and added together once the estimate is as low again; where that is out
    of reach, the first of them is the one that ends the search. The p-value of a step is then that estimate.
    """

    def __init__(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> None:
        self._problem, self._tests, self._alpha = problem, tests, problem.settings.alpha
        self._rates = [step.p_value for step in decided]
        # The last steps of equal estimates were added together, and perhaps not yet all of them.
        while self._rates and self._rates[-1] == decided[-1].p_value:
            self._rates.pop()
        self.n_known = len(self._rates)
        self._ahead: list[Step] = []

    def add(self, subset: Units, candidates: Units, stream: int, slots_left: int) -> Step:
        """Return the next step: added if the estimate is at most alpha at it, or later on the path."""
        if not self._ahead:
            number = stream - Phase.SEARCH.stream(0)
            self._ahead = self._batch(self._rates[:number], list(subset), candidates, slots_left)
            self._rates[number:] = [step.p_value for step in self._ahead]
        return self._ahead.pop(0)

    def _batch(
        self, rates: Sequence[float], subset: list[FeatureUnit], candidates: Units, slots_left: int
    ) -> list[Step]:
        """Return the steps up to the next at which the estimate is at most alpha; if there is none, the first."""
        total = len(rates) * (rates[-1] if rates else 0.0)
        steps: list[Step] = []
        sums: list[float] = []
        while not steps or (
            candidates and slots_left > 0 and total <= self._alpha * (len(rates) + len(steps) + _MOST_AHEAD)
        ):
            stream = Phase.SEARCH.stream(len(rates) + len(steps))
            steps.append(self._tests.add(subset, candidates, stream, slots_left))
            total += _log_term(steps[-1].p_value * self._alpha / steps[-1].alpha)
            sums.append(total)
            size = len(rates) + len(steps)
            if total <= self._alpha * size:
                return [self._with_rate(step, round(total / size, DIGITS), size, accepted=True) for step in steps]
            added = units_of(self._problem.table, steps[-1])
            subset, candidates = [*subset, *added], without(candidates, added)
            slots_left -= len(added)
        first = len(rates) + 1
        return [self._with_rate(steps[0], round(sums[0] / first, DIGITS), first, accepted=False)]

    def _with_rate(self, step: Step, rate: float, size: int, *, accepted: bool) -> Step:
        """Return a step with the estimate after ``size`` steps in place of its p-value."""
        scale = self._alpha / step.alpha
        own = _log_term(step.p_value * scale)
        low, high = (rate + (_log_term(p * scale) - own) / size for p in (step.p_low, step.p_high))
        largest = -math.expm1(-max(0.0, own + (self._alpha - rate) * size))  # p-value that would be accepted
        return replace(
            step,
            p_value=min(1.0, rate),
            p_low=min(1.0, max(0.0, low)),
            p_high=min(1.0, high),
            threshold=threshold(step.null, min(1.0, largest / scale)),
            alpha=self._alpha,
            accepted=accepted,
        )


def _log_term(p_value: float) -> float:
    return -math.log1p(-min(p_value, _LARGEST_P))
