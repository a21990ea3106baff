"""A line for every feature: what was found about it, and by which numbers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from infosift.display.report.figures import address_of
from infosift.display.wording import (
    MEANINGS,
    by_chance,
    count,
    name_of_measure,
    percent,
    probability,
    series,
    signed,
)
from infosift.results.feature_table import FeatureRow, feature_rows
from infosift.results.path import Standing, standings

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.stability import Stability

# In the order in which they are listed; the marks are those of the figure of verdicts.
VERDICTS = {
    "kept": ("★", "in from the start, as asked"),
    "selected": (
        "●",
        "significantly informative: beside others selected, or on its own where a filter was used",
    ),
    "redundant": ("■", MEANINGS["redundant"]),
    "undecided": ("◇", MEANINGS["undecided"]),
    "irrelevant": ("▽", MEANINGS["irrelevant"]),
    "not selected": ("○", "a candidate, but never the best of a step, or not significant"),
    "not reached": ("○", "nothing was decided before the run ended"),
    "not tested": ("–", "constant, near-unique or a duplicate"),
    "ignored": ("–", "not looked at, as asked"),
}
_RANKS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
_MOST_NAMES = 12


def features(selection: Selection) -> list[dict[str, Any]]:
    """Return what there is to say about all features: the selected ones first, then by verdict and p-value."""
    scores, rows = _scores_of_the_first_step(selection), feature_rows(selection)
    lines = [_line(place, row, scores.get(row.feature)) for place, row in enumerate(rows, start=1)]
    order = {name: place for place, name in enumerate(selection.names)}
    last = len(order)
    return sorted(
        lines,
        key=lambda line: (
            line["rank"],
            order.get(line["name"], last),
            2.0 if line["p"] is None else line["p"],
            2.0 if line["unadjusted"] is None else line["unadjusted"],
            0.0 if line["score"] is None else -line["score"],
            line["place"],
        ),
    )


def used_verdicts(lines: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the verdicts that occur, with what they mean."""
    used = {line["verdict"] for line in lines}
    return [
        {"verdict": name, "mark": mark, "meaning": meaning}
        for name, (mark, meaning) in VERDICTS.items()
        if name in used
    ]


def _line(place: int, row: FeatureRow, score: float | None) -> dict[str, Any]:
    return {
        "place": place,
        "name": row.feature,
        "verdict": row.verdict,
        "mark": VERDICTS[row.verdict][0],
        "rank": _RANKS[row.verdict],
        "p": row.p_value,
        "p_shown": "" if row.p_value is None else probability(row.p_value),
        "unadjusted": row.unadjusted_p_value,
        "unadjusted_shown": "" if row.unadjusted_p_value is None else probability(row.unadjusted_p_value),
        "redundant_with": row.redundant_with,
        "score": score,
        "score_shown": "" if score is None else signed(f"{score:.3f}"),
        "note": row.note,
    }


def _scores_of_the_first_step(selection: Selection) -> dict[str, float]:
    return {name: first.score for name, (first, *_) in standings(selection).items() if first.step == 1}


def accounts(
    selection: Selection,
    lines: list[dict[str, Any]],
    check: SubsetComparison | None = None,
    stability: Stability | None = None,
) -> list[dict[str, Any]]:
    """Return an account of each feature, in the order of the table: labels, words and other features."""
    found = _Found(selection, check, stability)
    return [
        {
            "name": line["name"],
            "place": line["place"],
            "verdict": line["verdict"],
            "mark": line["mark"],
            "at_steps": " ".join(f"{one.step}:{one.score:.4g}" for one in found.standings.get(line["name"], ())),
            "said": [entry for entry in found.about(line) if entry["words"] or entry["names"]],
        }
        for line in lines
    ]


def _entry(label: str, words: str, names: list[str] | tuple[str, ...] = ()) -> dict[str, Any]:
    more = len(names) - _MOST_NAMES
    return {
        "label": label,
        "words": words,
        "names": [{"name": name, "address": address_of(name)} for name in names[:_MOST_NAMES]],
        "more": f" and {more:,} more" if more > 0 else "",
    }


@dataclass
class _Found:
    """What was found, by the name of a feature."""

    selection: Selection
    check: SubsetComparison | None
    stability: Stability | None

    def __post_init__(self) -> None:
        self.standings = standings(self.selection)
        self._said = {said.feature: said for said in self.selection.verdicts}
        self._steps = self._own_steps()
        in_surrogates = any(len(step.candidate_statistics) for step in self.selection.steps)
        self._ranked_by = "statistic" if in_surrogates else name_of_measure(self.selection)
        self._carries = defaultdict[str, list[str]](list)
        for said in self.selection.verdicts:
            for name in said.redundant_with:
                self._carries[name].append(said.feature)
        groups = () if self.stability is None else self.stability.groups
        self._group = {name: group for group in groups for name in group.features}
        subsets = ("selected", "peak") if self.check is not None else ()
        self._folds = {name: dict(self.check[name].chosen) for name in subsets if self.check is not None}

    def about(self, line: dict[str, Any]) -> list[dict[str, Any]]:
        name = line["name"]
        return [
            _entry("P-value", self._p_value(line)),
            _entry("Steps", series(self._steps.get(name, []))),
            _entry("As a candidate", _ranks(self.standings.get(name, []), self._ranked_by)),
            _entry("Explained by", "", line["redundant_with"]),
            _entry("Explains", "", self._carries[name]),
            _entry("Half-samples", self._half_samples(name, line["place"])),
            self._substitutes(name),
            _entry("Model", self._of_the_folds(name)),
            _entry("Note", line["note"]),
        ]

    def _p_value(self, line: dict[str, Any]) -> str:
        said = self._said.get(line["name"])
        if said is not None:
            return f"{said.rests_on}."
        if line["p"] is None:
            return ""
        adjusted = "" if self.selection.adjusted else ", of a single test"
        return f"p = {line['p']:.2g}{adjusted}."

    def _own_steps(self) -> dict[str, list[str]]:
        """Return what the steps did that are about a feature itself."""
        done = {("add", True): "added", ("add", False): "rejected"}
        done |= {("remove", True): "removed", ("remove", False): "found to be needed"}
        found = defaultdict[str, list[str]](list)
        for number, step in enumerate(self.selection.steps, start=1):
            words = f"{done[step.action, step.accepted]} at step {number} (p = {probability(step.p_value)})"
            for column in step.columns:
                found[self.selection.feature_names[column]].append(words)
        return found

    def _half_samples(self, name: str, place: int) -> str:
        if self.stability is None:
            return ""
        frequency = float(self.stability.frequencies[place - 1])
        chance = by_chance(self.stability, name) if frequency else ""
        beside = f"; by chance, {chance} features reach that" if chance.startswith("at most") else ""
        if not frequency:
            return "never selected."
        return f"selected in {percent(frequency)} of {self.stability.n_resamples}{beside}."

    def _substitutes(self, name: str) -> dict[str, Any]:
        group = self._group.get(name)
        if group is None:
            return _entry("Substitutes", "")
        words = f"it or one of these is selected in {percent(group.frequency)} of the half-samples:"
        return _entry("Substitutes", words, [other for other in group.features if other != name])

    def _of_the_folds(self, name: str) -> str:
        if self.check is None:
            return ""
        often = {subset: chosen.get(name, 0) for subset, chosen in self._folds.items()}
        if not any(often.values()):
            return "selected in no fold."
        folds = count(self.check.n_folds, "fold")
        return f"selected in {often['selected']} of {folds}, in the peak in {often['peak']}."


def _ranks(stood: list[Standing], measure: str) -> str:
    """Return a candidate's rank at each step, such as "4th of 10 by statistic at step 1, then 2nd and 7th"."""
    said = [f"{_ordinal(one.rank)} of {one.n_candidates:,} by {measure} at step {one.step}" for one in stood]
    if len(said) > 1 and all(after.step == before.step + 1 for before, after in pairwise(stood)):
        said[1:] = [f"then {series([_ordinal(one.rank) for one in stood[1:]])}"]
    return f"{', '.join(said)}." if said else ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
