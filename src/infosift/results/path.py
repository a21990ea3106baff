"""What follows from the steps of a selection: what was selected when, why the search stopped, an order of all.

And every feature in one row: its verdict, the numbers behind it, and which others carry the same information.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from infosift.arrays import FloatArray
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
        adjusted = "" if rejected[-1].alpha == selection.settings.alpha else "adjusted "
        p_value = compared_p_value(selection, rejected[-1])
        return f"{rejected[-1].feature} {verb} ({adjusted}p = {p_value:.2g})"
    # The test of the last step did not ask for what was done, but a number of features did.
    if last is not None and last.significant != (last.action == "add"):
        return f"{'min' if last.action == 'add' else 'max'}_features was reached"
    if last is not None and last.action == "remove":
        return "no feature is left" if not selection.indices else "min_features was reached"
    candidates = selection.steps[0].candidates if selection.steps else ()
    are_left = set(candidates) - {column for step in selection.accepted for column in step.columns}
    most = selection.settings.max_features
    if are_left or (most is not None and len(selection.settings.keep) >= most):
        return "max_features was reached"
    return "no candidate is left"


def compared_p_value(selection: Selection, step: Step, p_value: float | None = None) -> float:
    """Return the p-value of a step, or a bound of it, as it compares with alpha, of which its test had a share.

    The weighted Bonferroni adjustment: the p-value is divided by the share.
    """
    p_value = step.p_value if p_value is None else p_value
    return min(1.0, p_value * (selection.settings.alpha / step.alpha))


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


@dataclass(frozen=True, kw_only=True)
class FeatureRow:
    """A feature with its verdict and the numbers behind it.

    ``step`` is the step that selected it, or at which the search stopped. ``information`` is that of the feature
    alone. ``p_value`` and ``unadjusted_p_value`` are those of its verdict, or of its own step. ``substitutes`` are
    redundant features whose information a selected one carries. ``for_prediction`` is whether it is a feature to
    predict with; None where these were not wanted.
    """

    feature: str
    verdict: str
    step: int | None
    information: float | None
    p_value: float | None
    unadjusted_p_value: float | None
    n_candidates: int | None
    given: tuple[str, ...]
    redundant_with: tuple[str, ...]
    substitutes: tuple[str, ...]
    for_prediction: bool | None
    note: str


def feature_rows(selection: Selection) -> list[FeatureRow]:
    """Return the row of each feature, in the order of the table."""
    judged = {verdict.feature: verdict for verdict in selection.verdicts}
    names, notes = selection.feature_names, _notes(selection)
    verdicts, tests, steps = _verdicts(selection), _tests(selection), _steps(selection)
    substitutes: dict[str, list[str]] = defaultdict(list)
    for verdict in selection.verdicts:
        for carrier in verdict.redundant_with[:1]:
            substitutes[carrier].append(verdict.feature)
    rows, advised = [], selection.for_prediction
    for name, information in zip(names, selection.information_alone.tolist(), strict=True):
        own, (p_value, unadjusted) = judged.get(name), tests.get(name, (None, None))
        rows.append(
            FeatureRow(
                feature=name,
                verdict=verdicts[name],
                step=steps.get(name),
                information=None if np.isnan(information) else information,
                p_value=p_value,
                unadjusted_p_value=unadjusted,
                n_candidates=None if own is None else own.n_candidates,
                given=() if own is None else own.given,
                redundant_with=() if own is None else own.redundant_with,
                substitutes=tuple(substitutes[name]),
                for_prediction=None if advised is None else name in advised.names,
                note="; ".join(notes[name]),
            )
        )
    return rows


def p_values(selection: Selection) -> FloatArray:
    """Return the p-value of each feature, in the order of the table; NaN where it was not tested."""
    tests = _tests(selection)
    return np.array([tests.get(name, (None,))[0] for name in selection.feature_names], dtype=np.float64)


def _verdicts(selection: Selection) -> dict[str, str]:
    """Return a verdict for every feature, also for those that were not or could not be tested."""
    untested = {*selection.constant, *selection.near_unique, *dict(selection.duplicates)}
    usual = "not reached" if selection.is_partial else "not selected"
    verdicts = dict.fromkeys(selection.feature_names, usual)
    verdicts |= dict.fromkeys(untested, "not tested")
    verdicts |= {verdict.feature: verdict.verdict for verdict in selection.verdicts}
    verdicts |= dict.fromkeys(selection.settings.ignore, "ignored")
    verdicts |= dict.fromkeys(selection.names, "selected")
    return verdicts | dict.fromkeys(selection.settings.keep, "kept")


def _steps(selection: Selection) -> dict[str, int]:
    """Return the last step that was about each feature."""
    return {
        selection.feature_names[column]: number
        for number, step in enumerate(selection.steps, start=1)
        for column in step.columns
    }


def _tests(selection: Selection) -> dict[str, tuple[float | None, float | None]]:
    """Return p-values, adjusted and not: of a verdict, else of a feature's own step, else of the first step."""
    tests: dict[str, tuple[float | None, float | None]] = {}
    names = selection.feature_names
    members_of = {members[0]: members for _, members in selection.settings.feature_groups}
    first = selection.steps[0] if selection.steps else None
    if first is not None and first.action == "add" and len(first.candidate_p_values):
        both = zip(first.candidate_p_values.tolist(), first.candidate_unadjusted_p_values.tolist(), strict=True)
        for column, of_candidate in zip(first.candidates, both, strict=True):
            tests |= dict.fromkeys(members_of.get(names[column], (names[column],)), of_candidate)
    for step in selection.steps:
        tests |= dict.fromkeys((names[i] for i in step.columns), (step.p_value, step.unadjusted_p_value))
    tests |= {one.feature: (one.p_value, one.p_value) for one in selection.replacements}
    return tests | {one.feature: (one.p_value, one.unadjusted_p_value) for one in selection.verdicts}


def _notes(selection: Selection) -> dict[str, list[str]]:
    """Return, by feature, remarks that explain its verdict."""
    notes: dict[str, list[str]] = defaultdict(list)
    groups = dict(selection.settings.feature_groups)

    def note(names: Any, text: str) -> None:
        for name in names:
            notes[name].append(text)

    for step in selection.steps:
        members = [selection.feature_names[column] for column in step.columns]
        if not step.accepted:
            note(members, "the search stopped here")
        elif step.action == "add" and not step.significant:
            note(members, "not significant: selected for the number of features")
        elif len(members) == 2 and step.feature not in groups:
            for name, other in (members, members[::-1]):
                notes[name].append(f"selected as a pair with {other}")
    for replacement in selection.replacements:
        first, second = replacement.replaced
        notes[replacement.feature].append(f"replaced {first} and {second}")
        note(replacement.replaced, f"selected, then replaced by {replacement.feature}")
    note(selection.removed, "selected, then removed: the others carry the same information")
    note(selection.constant, "constant")
    note(selection.near_unique, "near-unique: its categories hardly repeat")
    for duplicate, original in selection.duplicates:
        notes[duplicate].append(f"duplicate of {original}")
    for group, members_of_group in groups.items():
        note(members_of_group, f"in group {group}")
    note(selection.discrete, "discrete")
    return notes
