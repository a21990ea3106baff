"""A line for every feature: what was found about it, and by which numbers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from infosift.display.phrases import probability, series, signed
from infosift.display.standings import standings

if TYPE_CHECKING:
    from infosift.results.selection import Selection
    from infosift.results.steps import Verdict

# In the order in which they are listed; the marks are those of the figure of verdicts.
VERDICTS = {
    "kept": ("★", "in from the start, as asked"),
    "selected": (
        "●",
        "significantly informative: beside others selected, or on its own where a filter was used",
    ),
    "redundant": ("■", "informative alone, but not conditional on the selected features"),
    "undecided": ("◇", "not settled by the permutations, or not tested conditional on the selected features"),
    "irrelevant": ("▽", "not significantly informative, with p-values adjusted for the number of features"),
    "not selected": ("○", "a candidate, but never the best of a step, or not significant"),
    "not reached": ("○", "nothing was decided before the run ended"),
    "not tested": ("–", "constant, near-unique or a duplicate"),
    "ignored": ("–", "not looked at, as asked"),
}
_RANKS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}


def features(selection: Selection) -> list[dict[str, Any]]:
    """Return what there is to say about all features: the selected ones first, then by verdict and p-value."""
    lines = _Evidence(selection).lines()
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


class _Evidence:
    """Numbers and notes by the name of a feature."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.said = {said.feature: said for said in selection.verdicts}
        self.selected, self.kept, self.ignored = (
            set(names) for names in (selection.names, selection.settings.keep, selection.settings.ignore)
        )
        duplicates = (name for name, _ in selection.duplicates)
        self.unusable = {*selection.constant, *selection.near_unique, *duplicates}
        self.scores, self.p_values = self._of_the_steps()
        self.notes = self._notes()

    def lines(self) -> list[dict[str, Any]]:
        return [self._line(place, name) for place, name in enumerate(self.selection.feature_names, start=1)]

    def _line(self, place: int, name: str) -> dict[str, Any]:
        said = self.said.get(name)
        verdict = self._verdict(name, said)
        p, unadjusted = self.p_values.get(name, (None, None))
        if said is not None:
            p, unadjusted = said.p_value, said.unadjusted_p_value
        score = self.scores.get(name)
        return {
            "place": place,
            "name": name,
            "verdict": verdict,
            "mark": VERDICTS[verdict][0],
            "rank": _RANKS[verdict],
            "p": p,
            "p_shown": "" if p is None else probability(p),
            "unadjusted": unadjusted,
            "unadjusted_shown": "" if unadjusted is None else probability(unadjusted),
            "redundant_with": () if said is None else said.redundant_with,
            "score": score,
            "score_shown": "" if score is None else signed(f"{score:.3f}"),
            "note": "; ".join(self.notes[name]),
        }

    def _verdict(self, name: str, said: Verdict | None) -> str:
        if name in self.kept:
            return "kept"
        if name in self.selected:
            return "selected"
        if name in self.ignored:
            return "ignored"
        if said is not None:
            return said.verdict
        if name in self.unusable:
            return "not tested"
        return "not reached" if self.selection.is_partial else "not selected"

    def _of_the_steps(self) -> tuple[dict[str, float], dict[str, tuple[float, float | None]]]:
        """Return the scores of the first step, and p-values: of a feature's own step, or else of the first."""
        selection = self.selection
        scores: dict[str, float] = {}
        p_values: dict[str, tuple[float, float | None]] = {}
        for name, (first, *_) in standings(selection).items():
            if first.step == 1:
                scores[name] = first.score
                if first.p_value is not None:
                    p_values[name] = first.p_value, first.unadjusted_p_value
        for step in selection.steps:
            for column in step.columns:
                p_values[selection.feature_names[column]] = step.p_value, step.unadjusted_p_value
        p_values |= {found.feature: (found.p_value, found.p_value) for found in selection.replacements}
        return scores, p_values

    def _notes(self) -> dict[str, list[str]]:
        selection, notes = self.selection, defaultdict[str, list[str]](list)
        for step in selection.steps:
            members = [selection.feature_names[column] for column in step.columns]
            if not step.accepted:
                _note(notes, members, "the search stopped here")
            elif step.action == "add" and not step.significant:
                _note(notes, members, "not significant: selected for the number of features")
            elif len(members) == 2 and step.feature not in dict(selection.settings.feature_groups):
                for name, other in (members, members[::-1]):
                    notes[name].append(f"selected as a pair with {other}")
        for replacement in selection.replacements:
            notes[replacement.feature].append(f"replaced {series(replacement.replaced)}")
            _note(notes, replacement.replaced, f"selected, then replaced by {replacement.feature}")
        _note(notes, selection.removed, "selected, then removed: the others carry the same information")
        _note(notes, selection.constant, "constant")
        _note(notes, selection.near_unique, "near-unique: its categories hardly repeat")
        for duplicate, original in selection.duplicates:
            notes[duplicate].append(f"duplicate of {original}")
        for group, members_of_group in selection.settings.feature_groups:
            _note(notes, members_of_group, f"in group {group}")
        _note(notes, selection.discrete, "discrete")
        return notes


def _note(notes: dict[str, list[str]], names: Any, text: str) -> None:
    for name in names:
        notes[name].append(text)
