"""The features in a report: a line for each in the table of all features, and an account of each in words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from infosift.display import wording
from infosift.display.wording import count, percent, probability, series
from infosift.results.path import CandidateRank, candidate_ranks, feature_rows

if TYPE_CHECKING:
    from infosift.results import Selection, Stability, SubsetComparison

# What becomes of a feature whose step is not accepted, and of one whose step is.
_ACTIONS = {"add": ("rejected", "added"), "remove": ("needed", "removed")}


def feature_lines(selection: Selection) -> list[dict[str, Any]]:
    """Return a line for each feature as the page shows it: the selected ones first, then by verdict and p-value.

    ``place`` is the position in the table, ``rank`` that of the verdict, and ``score`` the feature's statistic, or
    its information, as a candidate of the first step.
    """
    ranks, order = candidate_ranks(selection), {name: place for place, name in enumerate(selection.names)}
    lines = []
    for place, row in enumerate(feature_rows(selection), start=1):
        first = next((one for one in ranks.get(row.feature, ()) if one.step == 1), None)
        lines.append(
            {
                **asdict(row),
                "place": place,
                "mark": wording.VERDICTS[row.verdict][0],
                "rank": list(wording.VERDICTS).index(row.verdict),
                "score": None if first is None else first.score,
            }
        )
    return sorted(
        lines,
        key=lambda line: (
            line["rank"],
            order.get(line["feature"], len(order)),
            2.0 if line["p_value"] is None else line["p_value"],
            2.0 if line["unadjusted_p_value"] is None else line["unadjusted_p_value"],
            -(line["score"] or 0.0),
            line["place"],
        ),
    )


def address_of(name: str) -> str:
    """Return the address of a feature's account on the page."""
    return f"#feature={quote(name, safe='', errors='replace')}"


def accounts(
    selection: Selection,
    lines: list[dict[str, Any]],
    check: SubsetComparison | None = None,
    stability: Stability | None = None,
) -> list[dict[str, Any]]:
    """Return an account of each feature in words, in the order of its line.

    An account has entries of a label, words and names of other features, and as ``at_steps`` the feature's score
    at each step that compared it.
    """
    ranks, steps, explains = candidate_ranks(selection), _own_steps(selection), defaultdict[str, list[str]](list)
    p_values = {one.feature: f"{one.rests_on}." for one in selection.verdicts}
    for verdict in selection.verdicts:
        for carrier in verdict.redundant_with:
            explains[carrier].append(verdict.feature)
    uses_statistics = any(len(step.candidate_statistics) for step in selection.steps)
    score = "statistic" if uses_statistics else wording.name_of_measure(selection)
    found = []
    for line in lines:
        name = line["feature"]
        entries = [
            _entry("P-value", p_values.get(name) or _p_value_of_single_test(selection, line["p_value"])),
            _entry("Steps", series(steps[name])),
            _entry("As a candidate", _rank_at_each_step(ranks.get(name, []), score)),
            _entry("Explained by", "", line["redundant_with"]),
            _entry("Explains", "", explains[name]),
            *([] if stability is None else _of_half_samples(stability, name, line["place"])),
            *([] if check is None else [_entry("Model", _of_folds(check, name))]),
            _entry("Note", line["note"]),
        ]
        at_steps = " ".join(f"{one.step}:{one.score:.4g}" for one in ranks.get(name, ()))
        entries = [entry for entry in entries if entry["words"] or entry["names"]]
        found.append({**line, "at_steps": at_steps, "entries": entries})
    return found


def _entry(label: str, words: str, names: list[str] | tuple[str, ...] = ()) -> dict[str, Any]:
    more = len(names) - wording.MOST_NAMES
    return {
        "label": label,
        "words": words,
        "names": [{"name": name, "address": address_of(name)} for name in names[: wording.MOST_NAMES]],
        "more": f" and {more:,} more" if more > 0 else "",
    }


def _p_value_of_single_test(selection: Selection, p_value: float | None) -> str:
    if p_value is None:
        return ""
    return f"p = {p_value:.2g}{'' if selection.adjusted else ', of a single test'}."


def _own_steps(selection: Selection) -> dict[str, list[str]]:
    """Describe, by feature, the steps that tested the feature itself."""
    steps = defaultdict[str, list[str]](list)
    for number, step in enumerate(selection.steps, start=1):
        words = f"{_ACTIONS[step.action][step.accepted]} at step {number} (p = {probability(step.p_value)})"
        for column in step.columns:
            steps[selection.feature_names[column]].append(words)
    return steps


def _rank_at_each_step(ranks: list[CandidateRank], score: str) -> str:
    """Write the ranks of a candidate, such as "4th of 10 by statistic at step 1, then 2nd and 7th."."""
    words = [f"{_ordinal(one.rank)} of {one.n_candidates:,} by {score} at step {one.step}" for one in ranks]
    if len(words) > 1 and all(after.step == before.step + 1 for before, after in pairwise(ranks)):
        words[1:] = [f"then {series([_ordinal(one.rank) for one in ranks[1:]])}"]
    return f"{', '.join(words)}." if words else ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _of_half_samples(stability: Stability, name: str, place: int) -> list[dict[str, Any]]:
    """Describe how often a feature is selected on half-samples, alone and together with its substitutes."""
    words, frequency = "never selected.", float(stability.frequencies[place - 1])
    if frequency:
        bound = wording.by_chance(stability, name)
        chance = f"; by chance, {bound} features reach that" if bound.startswith("at most") else ""
        words = f"selected in {percent(frequency)} of {stability.n_resamples}{chance}."
    entries = [_entry("Half-samples", words)]
    for group in (group for group in stability.groups if name in group.features):
        words = f"it or one of these is selected in {percent(group.frequency)} of the half-samples:"
        entries.append(_entry("Substitutes", words, [other for other in group.features if other != name]))
    return entries


def _of_folds(check: SubsetComparison, name: str) -> str:
    """Describe in how many folds of a check by a model a feature is selected."""
    selected, advised = (check.in_folds(subset).get(name, 0) for subset in ("selected", "for_prediction"))
    of_folds = f"of {count(check.n_folds, 'fold')}"
    if not selected:
        return "selected in no fold" + (f", for prediction in {advised} {of_folds}." if advised else ".")
    return f"selected in {selected} {of_folds}, for prediction in {advised}."
