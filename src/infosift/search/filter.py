"""A filter: every feature is tested on its own, and redundant ones are selected too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray
from infosift.data.groups import FeatureUnit
from infosift.errors import require_choice
from infosift.inference.permutation import interval_of_p, threshold
from infosift.registry import CONTROLS
from infosift.results.steps import Step
from infosift.search.base import Decisions, MarginalTests, Method, Phase, Problem, Tests
from infosift.search.stepwise import slots_left

_DIGITS_OF_FDR = 15


class Filter(BaseEstimator):  # type: ignore[misc]
    """Select all relevant features: each is tested on its own, so that redundant ones are selected too.

    A feature that is informative only together with another is not selected.

    Parameters
    ----------
    control : {"fwer", "fdr"} or None, default="fwer"
        What alpha bounds. "fwer": the probability of any false positive, by the largest statistic of all features
        in each permutation (Westfall and Young 1993). "fdr": the expected share of false ones among those
        selected (Benjamini and Hochberg 1995). None: the probability of a false positive for each feature, so
        that of many irrelevant ones a share of alpha is selected.

    Examples
    --------
    >>> from infosift import Filter, MutualInfoSelector
    >>> MutualInfoSelector(search=Filter(control="fdr")).get_params()["search__control"]
    'fdr'
    """

    starts_full: ClassVar[bool] = False
    is_conditional: ClassVar[bool] = False

    def __init__(self, *, control: str | None = "fwer") -> None:
        self.control = control

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        require_choice("control", self.control, tuple(CONTROLS))

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return {"fwer": "family-wise error", "fdr": "false discovery rate"}.get(self.control or "", "")

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield a step for each feature that passes, by increasing p-value, and for the first that does not."""
        candidates, settings = problem.candidates, problem.settings
        most = slots_left(problem, ())
        if most <= 0:
            return
        started = perf_counter()
        least_p = settings.alpha / len(candidates) if self.control == "fdr" else settings.alpha
        marginal = tests.alone(problem.kept, candidates, Phase.SEARCH.stream(0), least_p)
        adjusted = self._adjusted(marginal)
        limit = self._threshold(marginal, adjusted <= settings.alpha, settings.alpha)
        # By p-value and statistic; of equal ones the digest decides.
        digests = np.array([problem.table.digest(unit).hex() for unit in candidates])
        places = np.lexsort((digests, -marginal.statistics, marginal.unadjusted, adjusted))
        # The first step has the tests of all candidates.
        of_candidates: dict[str, Any] = {
            "seconds": perf_counter() - started,
            "candidates": tuple(unit.columns[0] for unit in candidates),
            "candidate_information": marginal.information,
            "candidate_statistics": marginal.statistics,
            "candidate_p_values": adjusted,
            "candidate_unadjusted_p_values": marginal.unadjusted,
            "candidate_permutations": len(marginal.null),
            "candidate_null": marginal.null,
        }
        for rank, place in enumerate(places[:most]):
            step = _step(candidates[place], marginal, place, float(adjusted[place]), limit, settings.alpha)
            is_forced = len(problem.kept) + rank < settings.min_features
            accepted = step.significant or is_forced
            step = replace(step, accepted=accepted, **({} if rank else of_candidates))
            yield step
            if not step.accepted:
                return

    def _adjusted(self, marginal: MarginalTests) -> FloatArray:
        if self.control == "fwer":
            return marginal.p_values
        if self.control is None:
            return marginal.unadjusted
        # Benjamini and Hochberg; rounded, so that a p-value that equals alpha in exact arithmetic does so here.
        return np.asarray(np.round(false_discovery_control(marginal.unadjusted), _DIGITS_OF_FDR))

    def _threshold(self, marginal: MarginalTests, passing: NDArray[np.bool_], alpha: float) -> float:
        """Return the critical value of the statistic; unless the maximum has one, the least of those that pass."""
        if self.control == "fwer" or not passing.any():
            return threshold(marginal.null, alpha)
        return float(marginal.statistics[passing].min())


def _step(
    unit: FeatureUnit, marginal: MarginalTests, place: int, p_value: float, limit: float, alpha: float
) -> Step:
    count = int(marginal.counts[place])
    low, high = interval_of_p(min(count, max(0, round(p_value * (1 + count)) - 1)), count)
    return Step(
        information=float(marginal.information[place]),
        information_threshold=None,
        statistic=float(marginal.statistics[place]),
        threshold=limit,
        p_value=p_value,
        p_low=min(low, p_value),
        p_high=max(high, p_value),
        unadjusted_p_value=float(marginal.unadjusted[place]),
        n_permutations=count,
        alpha=alpha,
        null=np.empty(0),
        feature=unit.name,
        index=unit.columns[0],
        columns=unit.columns,
    )
