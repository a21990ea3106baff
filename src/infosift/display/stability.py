"""How often features are selected over half-samples: what terminal and report say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from infosift.display.phrases import count
from infosift.results.stability import rounded_up

if TYPE_CHECKING:
    from infosift.results.stability import Stability

_MOST_ROWS = 20
_WIDTH_WITH_STAND_INS = 60


def print_stability(stability: Stability, console: Console) -> None:
    """Print a line for each feature that is ever selected, then the answer in words."""
    with_stand_ins = bool(stability.groups) and console.width >= _WIDTH_WITH_STAND_INS
    table = Table()
    table.add_column("feature", overflow="fold", min_width=7)
    table.add_column("selected", justify="right", no_wrap=True)
    with_bounds = has_bounds(stability)
    if with_bounds:
        table.add_column("by chance", justify="right", no_wrap=True)
    if with_stand_ins:
        table.add_column("replaced by", overflow="fold")
    shown = [name for name in stability.ranking if stability.frequency(name) > 0]
    for name in shown[:_MOST_ROWS]:
        more = [Text(by_chance(stability, name))] if with_bounds else []
        more += [Text(", ".join(stand_ins_of(stability, name)))] if with_stand_ins else []
        table.add_row(Text(name), percent(stability.frequency(name)), *more)
    if shown:
        console.print(table)
    if len(shown) > _MOST_ROWS:
        least = percent(stability.frequency(shown[_MOST_ROWS]))
        console.print(Text(f"{count(len(shown) - _MOST_ROWS, 'more feature')} in {least} or less."))
    console.print(Text(stability.summary))
    console.print(Text(how(stability), style="dim"))


def percent(frequency: float) -> str:
    """Return a frequency in percent, with a decimal where it has one."""
    return f"{100 * frequency:.1f}".removesuffix(".0") + " %"


def by_chance(stability: Stability, name: str) -> str:
    """Return the bound at the frequency of a feature; empty where there is none, as for what is kept."""
    frequency = stability.frequency(name)
    if name in stability.settings.keep:
        return "kept"
    return f"at most {rounded_up(stability.bound(frequency)):.2f}" if frequency > 0.5 else ""


def has_bounds(stability: Stability) -> bool:
    """Tell whether there is a bound, or something else, to say beside any frequency."""
    return any(by_chance(stability, name) for name in stability.feature_names)


def stand_ins_of(stability: Stability, name: str) -> list[str]:
    """Return the features that a feature replaces and is replaced by."""
    for group in stability.groups:
        if name in group.features:
            return [other for other in group.features if other != name]
    return []


def how(stability: Stability) -> str:
    """Return what the numbers are, and how they came about."""
    groups = "" if stability.n_row_groups is None else f" of {count(stability.n_row_groups, 'row group')}"
    bounds = (
        "By chance: how many irrelevant features are expected to reach such a share, for those above one half. "
    )
    bounds = bounds if has_bounds(stability) else ""
    mean = f"{stability.mean_selected:.1f} of {count(stability.n_candidates, 'candidate')}"
    return (
        f"Share of {stability.n_resamples} half-samples{groups} on which a feature is selected; on average {mean} "
        f"are. Half-samples come in pairs without a row in common. {bounds}A half has fewer rows, so weaker "
        "features are selected less often than on all rows."
    )
