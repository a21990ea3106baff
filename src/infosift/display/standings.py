"""How each candidate stands at the steps of a search: its score, its rank and its p-values, as they are stored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from infosift.results.selection import Selection


@dataclass(frozen=True)
class Standing:
    """A candidate at a step: its statistic, or else its information, and its rank by that.

    Steps count from 1. Candidates of the published method have no p-values.
    """

    step: int
    rank: int
    n_candidates: int
    score: float
    p_value: float | None
    unadjusted_p_value: float | None


def standings(selection: Selection) -> dict[str, list[Standing]]:
    """Return how each feature stands at the steps that compared it with others to add one of them.

    Features of a group stand together.
    """
    found = defaultdict[str, list[Standing]](list)
    unit_of = {names[0]: names for _, names in selection.settings.feature_groups}
    for number, step in enumerate(selection.steps, start=1):
        scores = step.candidate_statistics if len(step.candidate_statistics) else step.candidate_information
        if step.action != "add" or not len(scores):
            continue
        ranks = 1 + np.searchsorted(np.sort(-scores), -scores)
        nothing = [None] * len(scores)
        for column, rank, score, p_value, unadjusted in zip(
            step.candidates,
            ranks.tolist(),
            scores.tolist(),
            step.candidate_p_values.tolist() or nothing,
            step.candidate_unadjusted_p_values.tolist() or nothing,
            strict=True,
        ):
            own = selection.feature_names[column]
            for name in unit_of.get(own, (own,)):
                found[name].append(Standing(number, rank, len(scores), score, p_value, unadjusted))
    return found
