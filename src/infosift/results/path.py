"""What follows from the steps of a selection: what was selected when, why the search stopped, an order of all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from infosift.results.steps import Step

if TYPE_CHECKING:
    from infosift.results.selection import Selection


def columns_after(selection: Selection, path: Sequence[Step]) -> tuple[int, ...]:
    """Return the positions of what is selected after some steps, in the order selected."""
    columns = [*(selection.feature_names.index(name) for name in selection.settings.keep), *selection.start]
    for step in (step for step in path if step.accepted):
        columns = [column for column in columns if column not in step.columns]
        columns += step.columns if step.action == "add" else ()
    return tuple(columns)


def names_after_replacements(selection: Selection) -> list[str]:
    """Return the names of what is selected after all steps and replacements, before anything is removed."""
    names = [selection.feature_names[i] for i in columns_after(selection, selection.steps)]
    for replacement in selection.replacements:
        first, second = sorted(map(names.index, replacement.replaced))
        names[first] = replacement.feature
        del names[second]
    return names


def ranking(selection: Selection) -> tuple[str, ...]:
    """Return all features that could be tested: those selected, then the others by what they would add."""
    order = dict.fromkeys(selection.names)
    in_groups = {names[0]: names for _, names in selection.settings.feature_groups}
    for step in reversed(selection.steps):
        if step.action == "remove" and step.accepted:
            order |= dict.fromkeys(selection.feature_names[i] for i in step.columns)
        scores = step.candidate_information if len(step.candidate_information) else step.candidate_statistics
        if len(scores) and step.action == "add":
            for place in np.argsort(-scores, kind="stable"):
                name = selection.feature_names[step.candidates[place]]
                order |= dict.fromkeys(in_groups.get(name, (name,)))
    return tuple(order)


def why_stopped(selection: Selection) -> str:
    """Return why the search stopped, in words."""
    if selection.ended_by is not None:
        return f"{selection.ended_by} came before it was done"
    last = selection.steps[-1] if selection.steps else None
    rejected = [step for step in selection.steps if not step.accepted]
    if rejected and rejected[-1].action == "remove":
        return f"{rejected[-1].feature} is needed, and so are all others"
    if rejected:
        verb = "adds no significant information" if selection.conditional else "is not significantly informative"
        return f"{rejected[-1].feature} {verb}{_level(rejected[-1], selection.settings.alpha)}"
    if last is not None and not _is_warranted(last):
        return f"{'min' if last.action == 'add' else 'max'}_features was reached"
    if last is not None and last.action == "remove":
        return "no feature is left" if not selection.indices else "min_features was reached"
    candidates = selection.steps[0].candidates if selection.steps else ()
    are_left = set(candidates) - {column for step in selection.accepted for column in step.columns}
    most = selection.settings.max_features
    if are_left or (most is not None and len(selection.settings.keep) >= most):
        return "max_features was reached"
    return "no candidate is left"


def _level(step: Step, alpha: float) -> str:
    """Return which level a p-value had to reach, where it is at most alpha but the test had a share of that."""
    return f" (p = {step.p_value:.2g}, needed at most {step.alpha:g})" if step.p_value <= alpha else ""


def _is_warranted(step: Step) -> bool:
    """Tell whether the test of a step asks for what was done, and not a number of features."""
    return step.significant == (step.action == "add")


@dataclass(frozen=True)
class CandidateRank:
    """A candidate at a step: its statistic, or else its information, and its rank by that.

    Steps count from 1. Candidates of the published method have no p-values.
    """

    step: int
    rank: int
    n_candidates: int
    score: float
    p_value: float | None
    unadjusted_p_value: float | None


def candidate_ranks(selection: Selection) -> dict[str, list[CandidateRank]]:
    """Rank each feature at every step that compared candidates to add one of them; equal scores share a rank.

    The features of a group have the rank of their group.
    """
    ranks_of = defaultdict[str, list[CandidateRank]](list)
    members_of = {members[0]: members for _, members in selection.settings.feature_groups}
    for number, step in enumerate(selection.steps, start=1):
        scores = step.candidate_statistics if len(step.candidate_statistics) else step.candidate_information
        if step.action != "add" or not len(scores):
            continue
        ranks = 1 + np.searchsorted(np.sort(-scores), -scores)
        none = [None] * len(scores)
        numbers = zip(
            ranks.tolist(),
            repeat(len(scores)),
            scores.tolist(),
            step.candidate_p_values.tolist() or none,
            step.candidate_unadjusted_p_values.tolist() or none,
            strict=False,
        )
        for column, of_candidate in zip(step.candidates, numbers, strict=True):
            name = selection.feature_names[column]
            for member in members_of.get(name, (name,)):
                ranks_of[member].append(CandidateRank(number, *of_candidate))
    return ranks_of
