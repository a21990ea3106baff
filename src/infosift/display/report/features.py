"""A line for every feature: what was found about it, and by which numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infosift.display.outcomes import MEANINGS
from infosift.display.phrases import probability, signed
from infosift.display.standings import standings
from infosift.results.feature_table import FeatureRow, feature_rows

if TYPE_CHECKING:
    from infosift.results.selection import Selection

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
