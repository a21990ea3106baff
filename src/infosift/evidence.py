"""What a choice rests on: estimates, tests, steps and verdicts, each with every number it was decided by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from infosift.arrays import FloatArray
from infosift.records import Record


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldEstimates(Record):
    """Estimates on the rows without each fold, and their mean and variance."""

    estimates: FloatArray
    mean: float
    variance: float
    n_neighbors: int


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborChoice(Record):
    """The number of neighbours that best tells features from their shuffled copies.

    The tables have a row per feature and a column per entry of ``candidates`` (numbers of neighbours); a feature
    that is constant or repeats another has NaN. ``feature`` is the one with the largest t at the chosen number;
    ``estimates`` and ``shuffled_estimates`` are its values at that number, one per fold. ``t_threshold`` is None
    when the largest t of all decided, the published rule. ``n_rows`` is the number of rows looked at: of a long
    table, a sample of them.
    """

    n_neighbors: int
    feature: str
    candidates: tuple[int, ...]
    feature_names: tuple[str, ...]
    t: FloatArray
    mean: FloatArray
    variance: FloatArray
    shuffled_mean: FloatArray
    shuffled_variance: FloatArray
    estimates: FloatArray
    shuffled_estimates: FloatArray
    n_folds: int
    t_threshold: float | None
    n_rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class PermutationTest(Record):
    """A score beside the scores of shuffled copies.

    ``p_low`` and ``p_high`` bound, with 95 % confidence, the p-value that all permutations would give.
    """

    score: float
    threshold: float
    p_value: float
    p_low: float
    p_high: float
    n_permutations: int
    alpha: float
    null: FloatArray

    @property
    def significant(self) -> bool:
        """Whether the score is above the threshold, which is the same as p_value <= alpha."""
        return self.score > self.threshold


@dataclass(frozen=True, eq=False, kw_only=True)
class Step(PermutationTest):
    """One step of a search: the best candidate, its test, and the scores of all candidates it was best among.

    ``feature`` is the name of a column or a group, ``columns`` its positions and ``index`` the first of them;
    ``candidates`` are the first positions of all that it was best among. ``information`` is that of all columns
    chosen so far together with this one, in nats. By the published method it is the score; by the calibrated one
    the score is how far the best lies above its surrogates, in standard deviations, and ``candidate_p_values`` are
    those of each candidate as one of all, by ``candidate_permutations`` draws.
    """

    feature: str
    index: int
    columns: tuple[int, ...]
    information: float
    accepted: bool
    seconds: float = field(compare=False)
    candidates: tuple[int, ...]
    candidate_scores: FloatArray
    candidate_p_values: FloatArray = field(default_factory=lambda: np.empty(0))
    candidate_permutations: int = 0


@dataclass(frozen=True, eq=False)
class ColumnVerdict(Record):
    """What there is to say about a column: chosen, redundant (with which), irrelevant or undecided.

    One that passes alone where the search was stopped before it was tried beside those chosen is undecided too.
    ``p_value`` is that of its step where it is chosen, and otherwise that of the column alone, as one of many.
    """

    feature: str
    verdict: str
    p_value: float
    redundant_with: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Exchange(Record):
    """A column that took the place of two chosen ones, since it tells as much as both; ``p_value`` is its own."""

    feature: str
    in_place_of: tuple[str, str]
    p_value: float
