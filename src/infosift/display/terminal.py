"""What a person reads in a terminal: a selection, the choice of a number of neighbours, a test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.bar import Bar
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from infosift.display.wording import (
    CAUTION,
    MEANINGS,
    SINGLE_TEST,
    by_chance,
    cells,
    count,
    every_informative,
    explained,
    falling,
    has_bounds,
    headline,
    how_compared,
    how_often,
    how_resampled,
    levels,
    limits,
    measured,
    name_of_measure,
    name_of_subset,
    outcome,
    percent,
    probability,
    range_of,
    selected,
    series,
    substitutes_of,
    the_target,
    values_of,
    whose_information,
)
from infosift.errors import listing
from infosift.results.comparison import SubsetComparison
from infosift.results.selection import Selection
from infosift.results.stability import Stability
from infosift.results.steps import NeighborChoice, PermutationTest, Step, Verdict

_MOST_NAMES = 12
# Columns of the table of steps that a narrow terminal does without, and the width of the table with each of them.
_WIDTHS = {"level": 98, "95 % interval": 89, "step": 72, "threshold": 65, "statistic": 53}
_WIDTH_OF_STATISTIC = 12
# A column goes before names of up to the one width are folded to the other.
_WIDE_NAME, _LEAST_WIDTH_OF_NAME = 20, 7
_STYLES = {"selected": "green", "redundant": "yellow", "undecided": "blue"}
_WIDTH = 30


def print_selection(selection: Selection, console: Console) -> None:
    """Print the answer, then the evidence; names are shown as they are, whatever characters they have."""
    names = selected(selection)
    console.print(
        Text(headline(selection) + ": " * bool(names), style="bold") + Text(", ".join(names), style="not bold")
    )
    if selection.steps:
        console.print(_steps_table(selection, console.width))
    for sentence in (*falling(selection), *_sentences(selection), *explained(selection)):
        console.print(Text(sentence))
    _print_verdicts(selection, console)
    for sentence in limits(selection):
        console.print(Text(sentence))
    console.print(Text(_how(selection), style="dim"))
    if not selection.adjusted and len(selection.feature_names) > 1 and selection.names:
        console.print(Text(CAUTION, style="dim"))


def _print_verdicts(selection: Selection, console: Console) -> None:
    """Print the features that are not selected, with what their verdicts say."""
    for verdict, meaning in MEANINGS.items():
        said = _with_reasons(selection, verdict)
        if said:
            listed = f" ({meaning}): {listing(said, most=_MOST_NAMES)}"
            console.print(Text(verdict.capitalize(), style="bold") + Text(listed, style="not bold"))
        if verdict == "redundant":
            for sentence in every_informative(selection, "--search filter"):
                console.print(Text(sentence))


def _sentences(selection: Selection) -> list[str]:
    """Return what is to be said about the search."""
    said = [f"The search stopped because {selection.stopped}."]
    if not selection.adjusted and selection.conditional and len(selection.steps) > 1:
        peak = selection.peak
        at_peak = measured(selection, peak.information or 0.0)
        said.append(f"The {name_of_measure(selection)} peaks ({at_peak}) with {', '.join(peak.names)}.")
    for replacement in selection.replacements:
        said.append(
            f"{replacement.feature} replaced {series(replacement.replaced)}: it is as informative as both."
        )
    if selection.removed:
        said.append(f"Removed, since the others carry the same information: {', '.join(selection.removed)}.")
    return said


def _with_reasons(selection: Selection, verdict: str) -> list[str]:
    """Return the features of a verdict: redundant ones with which, others by p-value with both p-values."""
    found = [said for said in selection.verdicts if said.verdict == verdict]
    if verdict == "redundant":
        return [f"{said.feature} (with {', '.join(said.redundant_with)})" for said in found]
    found.sort(key=lambda said: (said.p_value, said.unadjusted_p_value or 0.0))
    return [f"{said.feature} ({_both_p_values(said, is_first=said is found[0])})" for said in found]


def _both_p_values(said: Verdict, is_first: bool) -> str:
    """Return the p-value that a verdict rests on and the unadjusted one, which the first says in words."""
    shown = probability(said.p_value)
    names = ("p = ", "unadjusted ") if is_first else ("", "")
    if said.unadjusted_p_value is None or said.n_candidates == 1:
        return f"{names[0]}{shown}"
    return f"{names[0]}{shown}, {names[1]}{probability(said.unadjusted_p_value)}"


def _steps_table(selection: Selection, width: int) -> Table:
    score = selection.criterion_unit or "score"
    columns: dict[str, Callable[[int, Step], str | Text]] = {
        "step": lambda number, step: str(number),
        "feature": lambda number, step: Text(step.feature),
        score: lambda number, step: f"{step.information:.3f}",
        "statistic": lambda number, step: f"{step.statistic:.2f}",
        "threshold": lambda number, step: _threshold(step),
        "p-value": lambda number, step: probability(step.p_value),
        "level": lambda number, step: f"{step.alpha:g}",
        "95 % interval": lambda number, step: f"{probability(step.p_low)} to {probability(step.p_high)}",
        "verdict": lambda number, step: _verdict(selection, step),
    }
    longest = max(cell_len(step.feature) for step in selection.steps)
    spare = width - max(0, min(longest, _WIDE_NAME) - _LEAST_WIDTH_OF_NAME)
    if all(step.alpha == selection.settings.alpha for step in selection.steps):
        del columns["level"]
    if selection.steps[0].information_threshold is not None:
        del columns["statistic"]
        spare += _WIDTH_OF_STATISTIC
    for name in [name for name, least_width in _WIDTHS.items() if spare < least_width]:
        columns.pop(name, None)
    caption = f"{score}: {name_of_measure(selection)} {whose_information(selection)}"
    if "statistic" in columns:
        caption += "; statistic: how far above surrogates, in standard deviations"
    if "level" in columns:
        caption += "; level: share of alpha that the p-value is compared with"
    table = Table(caption=caption, caption_justify="left")
    for name in columns:
        if name == "feature":
            table.add_column(name, overflow="fold", min_width=_LEAST_WIDTH_OF_NAME)
        else:
            table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for number, step in enumerate(selection.steps, start=1):
        table.add_row(*(cell(number, step) for cell in columns.values()))
    return table


def _threshold(step: Step) -> str:
    """Return what a step had to exceed: in the unit of the criterion, or in standard deviations."""
    if step.information_threshold is not None:
        return f"{step.information_threshold:.3f}"
    return f"{step.threshold:.2f}"


def _verdict(selection: Selection, step: Step) -> str:
    found = outcome(selection, step)
    if not step.accepted:
        return f"[red]{'halt' if found == 'not selected' else found}[/red]"
    return f"[{'green' if found == 'selected' else 'yellow'}]{found}[/]"


def _how(selection: Selection) -> str:
    settings = selection.settings
    grouped = "" if settings.n_row_groups is None else f" in {count(settings.n_row_groups, 'group')}"
    dropped = f" ({selection.n_rows_dropped:,} more had missing values)" if selection.n_rows_dropped else ""
    tested = f" (tests on {selection.n_rows_tested:,} of them)" if selection.n_rows_tested else ""
    parts = [f"{selection.n_rows:,} rows{grouped}{tested}{dropped}"]
    parts += [f"{number} classes" for number in selection.n_classes if number is not None]
    if selection.discrete:
        parts.append(count(len(selection.discrete), "discrete feature"))
    if selection.steps:
        sampled = f" on {selection.n_rows_sampled:,} of the rows" if selection.n_rows_sampled else ""
        by = f" (chosen by {selection.neighbors.feature}{sampled})" if selection.neighbors else ""
        if selection.criterion_values:
            parts.append(f"{values_of(selection.criterion_parameter, selection.criterion_values)}{by}")
        parts.append(f"{range_of(step.n_permutations for step in selection.steps)} permutations per step")
    divided = levels(settings.alpha, selection.alpha_shares)
    alpha = f"alpha = {settings.alpha:g}{f' ({divided})' if divided else ''}"
    return ", ".join([*parts, alpha, f"seed {settings.seed}"])


def print_ranking(selection: Selection, console: Console) -> None:
    """Print all features in order, with what was found about each; those that could not be tested are named."""
    said = {verdict.feature: verdict for verdict in selection.verdicts}
    of_steps = {
        selection.feature_names[column]: outcome(selection, step)
        for step in selection.steps
        for column in step.columns
    }
    table = Table(title=f"Features by what they say about {the_target(selection.target_name)}")
    for name in ("rank", "feature", "verdict", *(("p-value", "unadjusted") if said else ())):
        table.add_column(name, justify="left" if name in ("feature", "verdict") else "right", overflow="fold")
    for rank, name in enumerate(selection.ranking, start=1):
        found = said.get(name)
        is_in = name in selection.names
        verdict = of_steps.get(name, "selected") if is_in else found.verdict if found else "not selected"
        p_values = [] if found is None else [found.p_value, found.unadjusted_p_value]
        shown = ["" if p_value is None else probability(p_value) for p_value in p_values]
        table.add_row(str(rank), Text(name), verdict, *shown, style="bold" if is_in else None)
    console.print(table)
    untested = [name for name in selection.feature_names if name not in selection.ranking]
    if untested:
        console.print(Text(f"Not tested: {listing(untested, most=_MOST_NAMES)}."))
    console.print(
        Text("Selected features in the order selected, then the others by what they would add.", style="dim")
    )


def print_choice(choice: NeighborChoice, console: Console) -> None:
    """Print the number of neighbours chosen, and how well each separates features from their shuffled copies."""
    console.print(
        Text(count(choice.n_neighbors, "neighbour"), style="bold")
        + Text(f": this number separates {choice.feature} best from its shuffled copies.", style="not bold")
    )
    table = Table(caption="t: difference of the means, in standard deviations", caption_justify="left")
    for name in ("neighbours", "largest t", "of feature"):
        table.add_column(name, justify="left" if name == "of feature" else "right")
    for k, t in zip(choice.candidates, choice.t.T, strict=True):
        best = int(np.nanargmax(t))
        row = (str(k), f"{t[best]:.2f}", Text(choice.feature_names[best]))
        table.add_row(*row, style="bold" if k == choice.n_neighbors else None)
    console.print(table)
    console.print(Text(f"{choice.n_rows:,} rows, {choice.n_folds} folds", style="dim"))


def print_test(test: PermutationTest, feature: str, given: list[str], target: str, console: Console) -> None:
    """Print what a permutation test found."""
    conditional = f", conditional on {', '.join(given)}" if given else ""
    verb = "is" if test.significant else "is not"
    console.print(
        Text(
            f"In a single test, {feature} {verb} significantly informative about {target}{conditional}.",
            style="bold",
        )
    )
    shown = {
        "information": f"{test.information:.4f} nats",
        "threshold": f"{test.information_threshold:.4f} nats",
        "p-value": f"{probability(test.p_value)} ({probability(test.p_low)} to {probability(test.p_high)})",
        "permutations": str(test.n_permutations),
    }
    for name, value in shown.items():
        console.print(Text(f"  {name:12} {value}"))
    console.print(Text(SINGLE_TEST.format(alpha=f"{test.alpha:g}", passing=f"{100 * test.alpha:g}"), style="dim"))


_WIDTH_WITH_RANGES, _WIDTH_WITH_DIFFERENCES = 48, 70


_DIFFERENCE = "difference to all"


def print_comparison(comparison: SubsetComparison, console: Console) -> None:
    """Print a line for each subset, then the answer in words."""
    table = Table()
    table.add_column("subset")
    table.add_column("features", justify="right", no_wrap=True)
    table.add_column(Text(comparison.measure), justify="right", no_wrap=True)
    is_wide = console.width >= _WIDTH_WITH_DIFFERENCES
    if is_wide:
        table.add_column(_DIFFERENCE, justify="right", no_wrap=True)
    for one in comparison.subsets:
        name = name_of_subset(one.subset)
        features, score, difference = (" ".join(cell).strip() for cell in cells(one).values())
        if console.width < _WIDTH_WITH_RANGES:
            name, features = one.subset, features.partition(" ")[0]
        table.add_row(name, features, score, *([difference] if is_wide else []))
    console.print(table)
    console.print(Text(comparison.summary))
    if said := how_often(comparison):
        console.print(Text(said))
    console.print(Text(how_compared(comparison), style="dim"))


_MOST_ROWS = 20


_WIDTH_WITH_SUBSTITUTES = 60


def print_stability(stability: Stability, console: Console) -> None:
    """Print a line for each feature that is ever selected, then the answer in words."""
    with_substitutes = bool(stability.groups) and console.width >= _WIDTH_WITH_SUBSTITUTES
    table = Table()
    table.add_column("feature", overflow="fold", min_width=7)
    table.add_column("selected", justify="right", no_wrap=True)
    with_bounds = has_bounds(stability)
    if with_bounds:
        table.add_column("by chance", justify="right", no_wrap=True)
    if with_substitutes:
        table.add_column("replaced by", overflow="fold")
    shown = [name for name in stability.ranking if stability.frequency(name) > 0]
    for name in shown[:_MOST_ROWS]:
        more = [Text(by_chance(stability, name))] if with_bounds else []
        more += [Text(", ".join(substitutes_of(stability, name)))] if with_substitutes else []
        table.add_row(Text(name), percent(stability.frequency(name)), *more)
    if shown:
        console.print(table)
    if len(shown) > _MOST_ROWS:
        least = percent(stability.frequency(shown[_MOST_ROWS]))
        console.print(Text(f"{count(len(shown) - _MOST_ROWS, 'more feature')} in {least} or less."))
    console.print(Text(stability.summary))
    console.print(Text(how_resampled(stability), style="dim"))


def print_bars(selection: Selection, console: Console) -> None:
    """Print a bar for each feature: those selected in their order, then the others by their information."""
    alone = dict(zip(selection.feature_names, np.nan_to_num(selection.information_alone).tolist(), strict=True))
    said = {verdict.feature: verdict for verdict in selection.verdicts}
    others = sorted((name for name in said if name not in selection.names), key=lambda name: -alone[name])
    most = max((*(alone[name] for name in said), 0.0)) or 1.0
    picture = Table.grid(padding=(0, 2))
    for column in ("feature", "bar", "information"):
        picture.add_column(no_wrap=column != "feature", justify="right" if column == "information" else "left")
    for name in (name for name in (*selection.names, *others) if name in said):
        style, length = _STYLES.get(said[name].verdict), max(0.0, alone[name])
        bar = Bar(most, 0, length, width=_WIDTH, color=style or "default")
        shown = f"{length:.2f}" if length else "–"
        picture.add_row(Text(name), bar, shown, Text(_became(said[name], length), style=style or "dim"))
    console.print(Text("Information of each feature alone, in nats", style="bold"))
    console.print(picture)


def _became(said: Verdict, information: float) -> str:
    if said.redundant_with:
        return f"{said.verdict} with {series(said.redundant_with)}"
    if said.verdict == "selected" and not information:
        return "selected: informative only beside the others"
    return said.verdict
