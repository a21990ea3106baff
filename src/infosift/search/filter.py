"""A filter: every feature tested on its own, redundant ones included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import FeatureUnit
from infosift.errors import require_choice
from infosift.inference.permutation import interval_of_p, threshold
from infosift.results.steps import Step
from infosift.search.base import Alone, Decisions, Method, Problem, Tests

CONTROLS = ("fwer", "fdr", None)


class Filter(BaseEstimator):  # type: ignore[misc]
    """Select all relevant features: each is tested on its own, so that redundant ones are selected too.

    A feature that is informative only together with another is not found.

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
        require_choice("control", self.control, CONTROLS)

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds."""
        return {"fwer": "family-wise error", "fdr": "false discovery rate"}.get(self.control or "", "")

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield a step for each feature that passes, the surest first, and one for the first that does not."""
        candidates, settings = problem.candidates, problem.settings
        most = len(candidates)
        if settings.max_features is not None:
            most = min(most, settings.max_features - len(problem.kept))
        if most <= 0:
            return
        started = perf_counter()
        least_p = settings.alpha / len(candidates) if self.control == "fdr" else settings.alpha
        alone = tests.alone(problem.kept, candidates, 0, least_p)
        adjusted = self._adjusted(alone)
        limit = self._threshold(alone, adjusted <= settings.alpha, settings.alpha)
        seconds = perf_counter() - started
        for rank, place in enumerate(_surest_first(problem, candidates, alone, adjusted)[:most]):
            step = _step(candidates[place], alone, place, float(adjusted[place]), limit, settings.alpha)
            is_needed = len(problem.kept) + rank < settings.min_features
            step = replace(step, accepted=step.significant or is_needed)
            if rank == 0:
                step = _with_candidates(replace(step, seconds=seconds), candidates, alone, adjusted)
            yield step
            if not step.accepted:
                return

    def _threshold(self, alone: Alone, passing: NDArray[np.bool_], alpha: float) -> float:
        """Return what the statistic must exceed; by other than the maximum, the least of those that pass."""
        if self.control == "fwer" or not passing.any():
            return threshold(alone.null, alpha)
        return float(alone.statistics[passing].min())

    def _adjusted(self, alone: Alone) -> FloatArray:
        if self.control == "fwer":
            return alone.p_values
        return benjamini_hochberg(alone.unadjusted) if self.control == "fdr" else alone.unadjusted


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted for the false discovery rate: which are at most alpha is what is selected at it."""
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * len(p_values) / np.arange(1, len(p_values) + 1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def _surest_first(
    problem: Problem, candidates: Sequence[FeatureUnit], alone: Alone, adjusted: FloatArray
) -> IntArray:
    """Return the places of candidates by p-value and statistic; of equal ones the digest decides."""
    digests = np.array([problem.table.digest(unit).hex() for unit in candidates])
    return np.lexsort((digests, -alone.statistics, alone.unadjusted, adjusted))


def _step(unit: FeatureUnit, alone: Alone, place: int, p_value: float, limit: float, alpha: float) -> Step:
    count = int(alone.counts[place])
    low, high = interval_of_p(min(count, max(0, round(p_value * (1 + count)) - 1)), count)
    return Step(
        information=float(alone.information[place]),
        information_threshold=None,
        statistic=float(alone.statistics[place]),
        threshold=limit,
        p_value=p_value,
        p_low=min(low, p_value),
        p_high=max(high, p_value),
        unadjusted_p_value=float(alone.unadjusted[place]),
        n_permutations=count,
        alpha=alpha,
        null=np.empty(0),
        feature=unit.name,
        index=unit.columns[0],
        columns=unit.columns,
        accepted=False,
        seconds=0.0,
        candidates=(),
    )


def _with_candidates(step: Step, candidates: Sequence[FeatureUnit], alone: Alone, adjusted: FloatArray) -> Step:
    """Return the first step with what was found about all candidates."""
    return replace(
        step,
        candidates=tuple(unit.columns[0] for unit in candidates),
        candidate_information=alone.information,
        candidate_statistics=alone.statistics,
        candidate_p_values=adjusted,
        candidate_unadjusted_p_values=alone.unadjusted,
        candidate_permutations=alone.n_permutations,
        candidate_null=alone.null,
    )
