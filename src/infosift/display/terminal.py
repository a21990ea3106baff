"""Results in a terminal: a selection, a ranking, bars, the choice of k, a test, a comparison, stability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from rich.bar import Bar
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from infosift.display import on_command_line, wording
from infosift.display.wording import count, interval, percent, probability, series, values_of
from infosift.errors import listing
from infosift.results.path import FeatureRow, compared_p_value, feature_rows

if TYPE_CHECKING:
    from infosift.results.resampled import Stability, SubsetComparison
    from infosift.results.selection import Selection
    from infosift.results.steps import NeighborChoice, PermutationTest, Step, Verdict

# Columns of the table of steps with the keys of their cells, and the width that the optional ones need.
_COLUMNS = {
    "step": "number",
    "feature": "feature",
    "score": "information",
    "statistic": "statistic",
    "threshold": "threshold",
    "p-value": "p_value",
    "95 % interval": "interval",
    "verdict": "outcome",
}
_WIDTHS = {"95 % interval": 89, "step": 72, "threshold": 65, "statistic": 53}
_WIDTH_OF_STATISTIC = 12
# Optional columns are dropped until names of up to the first width fit; longer ones are folded to the second.
_WIDE_NAME, _LEAST_WIDTH_OF_NAME = 20, 7
_COLOURS = {"selected": "green", "kept": "green", "redundant": "yellow", "undecided": "blue"}
_WIDTH_OF_BARS = 30
_WIDTH_WITH_RANGES, _WIDTH_WITH_DIFFERENCES = 48, 70
_WIDTH_WITH_SUBSTITUTES, _WIDTH_WITH_REASONS = 60, 50
_WIDTH_OF_SPARK, _SPARKS = 8, "▁▂▃▄▅▆▇█"
_STATED_ELSEWHERE = (
    *("discrete", "the search stopped here"),
    "not significant: selected for the number of features",
)
# The second answer has a colour that no verdict has.
_COLOUR_OF_PREDICTION = "blue"
_MOST_ROWS_OF_STABILITY, _MOST_ROWS_OF_OTHERS = 20, 8


def print_selection(selection: Selection, console: Console, verbose: bool = False) -> None:
    """Print the answer, the verdicts, then why and what to do; ``verbose`` prints the numbers of each step too.

    Names are printed literally, whatever characters they have.
    """
    names, rows = wording.selected_units(selection), _rows(selection)
    _print_headed(console, wording.headline(selection) + ": " * bool(names), ", ".join(names))
    _print_sentences(console, [*wording.explained(selection), *wording.survival(selection)])
    _print_verdicts(selection, rows, console)
    if selection.steps and verbose:
        console.print(_steps_table(selection, console.width))
        _print_sentences(console, wording.falling(selection))
    sentences = [
        *wording.sizes(selection),
        *wording.why_stopped(selection),
        *wording.about_search(selection),
        *wording.meanings(rows.values()),
        *(wording.limits if verbose else wording.power)(selection),
        *wording.every_informative(selection, on_command_line),
    ]
    _print_sentences(console, sentences)
    _print_sentences(console, wording.for_prediction(selection, on_command_line), style=_COLOUR_OF_PREDICTION)
    _print_sentences(console, [_how_selected(selection, verbose), *wording.caution(selection)], style="dim")


def _print_headed(console: Console, head: str, text: str) -> None:
    console.print(Text(head, style="bold") + Text(text, style="not bold"))


def _add_columns(table: Table, titles: Iterable[str]) -> None:
    """Add columns: of names, of other text without a width of its own, or of what is never wrapped."""
    for title in titles:
        if title in ("", "feature", "replaced by"):
            least = _LEAST_WIDTH_OF_NAME if title == "feature" else None
            table.add_column(title, overflow="fold", min_width=least)
        else:
            table.add_column(title, justify="left" if title == "verdict" else "right", no_wrap=True)


def _print_sentences(console: Console, sentences: list[str], style: str = "") -> None:
    for sentence in sentences:
        console.print(Text(sentence, style=style))


def _rows(selection: Selection) -> dict[str, FeatureRow]:
    """Return the rows of features by name; selected ones have the outcome of their step.

    The p-values of steps are as they compare with alpha.
    """
    rows = {row.feature: row for row in feature_rows(selection)}
    for step in selection.steps:
        for name in (selection.feature_names[column] for column in step.columns):
            is_selected = step.action == "add" and name in selection.names
            if is_selected or not selection.verdicts:
                verdict = wording.outcome(selection, step) if is_selected else rows[name].verdict
                rows[name] = replace(rows[name], verdict=verdict, p_value=compared_p_value(selection, step))
    return rows


def _print_verdicts(selection: Selection, rows: dict[str, FeatureRow], console: Console) -> None:
    """Print the features with their verdicts and p-values: all that are selected, and the first of the others."""
    selected = [rows[name] for name in selection.names]
    others = [row for name, row in rows.items() if name not in selection.names and row.p_value is not None]
    others.sort(
        key=lambda row: (list(wording.VERDICTS).index(row.verdict), row.p_value, row.unadjusted_p_value or 0)
    )
    if not selected and not others:
        return
    details = _details(selection, [*selected, *others])
    with_details = console.width >= _WIDTH_WITH_REASONS and any(details.values())
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    title = "size, shape" if selection.importance else ""
    _add_columns(table, ["feature", "verdict", "p-value"])
    if with_details:
        table.add_column(title, overflow="fold")
    for row in (*selected, *others[:_MOST_ROWS_OF_OTHERS]):
        cells = [Text(row.feature), Text(row.verdict, style=_COLOURS.get(row.verdict, "dim"))]
        cells += [Text(probability(row.p_value)), details[row.feature]]
        table.add_row(*cells[: 3 + with_details])
    console.print(table)
    if more := others[_MOST_ROWS_OF_OTHERS:]:
        counts = Counter(row.verdict for row in more)
        listed = series([f"{number:,} more {verdict}" for verdict, number in counts.items()])
        console.print(Text(f"And {listed}; a report (--report FILE) has all."))


def _details(selection: Selection, rows: Iterable[FeatureRow]) -> dict[str, Text]:
    """Write size and shape of the effect of each selected feature, and why others have their verdicts."""
    sizes = {name: wording.size_in_words(one) for one in selection.importance for name in one.features}
    width = max(map(len, sizes.values()), default=0)
    details = {}
    for row in rows:
        effect = f"{sizes[row.feature]:{width}}  {_shape(selection, row.feature)}" if row.feature in sizes else ""
        reason = _reason(row)
        gap = "  " * bool(effect and reason)
        details[row.feature] = Text(effect.rstrip()) + Text(f"{gap}{reason}", style="dim")
    return details


def _shape(selection: Selection, feature: str) -> str:
    """Draw the effect of a number as a line of characters, with its shape in a word; of one outcome only."""
    curves = () if selection.effects is None else selection.effects.curves
    own = [curve for curve in curves if curve.feature == feature]
    if len(own) != 1 or own[0].categories:
        return ""
    heights = own[0].fitted[np.linspace(0, len(own[0].fitted) - 1, _WIDTH_OF_SPARK).astype(int)]
    span = float(np.ptp(heights))
    levels = np.rint((heights - heights.min()) / (span or 1.0) * (len(_SPARKS) - 1)).astype(int)
    return f"{''.join(_SPARKS[level] for level in levels)} {own[0].shape}"


def _reason(row: FeatureRow) -> str:
    """State why a feature has its verdict, without what other lines state."""
    return "; ".join(part for part in wording.reason(row).split("; ") if part not in _STATED_ELSEWHERE)


def _steps_table(selection: Selection, width: int) -> Table:
    """Tabulate the steps, without the columns that a narrow terminal has no space for."""
    columns = dict(_COLUMNS)
    longest = max(cell_len(step.feature) for step in selection.steps)
    spare = width - max(0, min(longest, _WIDE_NAME) - _LEAST_WIDTH_OF_NAME)
    if selection.steps[0].information_threshold is not None:
        del columns["statistic"]
        spare += _WIDTH_OF_STATISTIC
    for name in [name for name, least_width in _WIDTHS.items() if spare < least_width]:
        columns.pop(name, None)
    unit = selection.criterion_unit or "score"
    caption = f"{unit}: {wording.name_of_measure(selection)} {wording.whose_information(selection)}"
    if "statistic" in columns:
        caption += "; statistic: how far above surrogates, in standard deviations"
    table = Table(caption=caption, caption_justify="left")
    _add_columns(table, [unit if name == "score" else name for name in columns])
    for number, step in enumerate(selection.steps, start=1):
        cells = {"number": str(number), **wording.step_cells(selection, step)}
        table.add_row(
            *(_outcome(step, cells[key]) if key == "outcome" else Text(cells[key]) for key in columns.values())
        )
    return table


def _outcome(step: Step, outcome: str) -> Text:
    if not step.accepted:
        return Text("halt" if outcome == "not selected" else outcome, style="red")
    return Text(outcome, style="green" if outcome == "selected" else "yellow")


def _how_selected(selection: Selection, verbose: bool) -> str:
    """Describe the rows and alpha behind the numbers; ``verbose`` adds criterion, draws and shares of alpha."""
    settings = selection.settings
    grouped = "" if settings.n_row_groups is None else f" in {count(settings.n_row_groups, 'group')}"
    dropped = f" ({selection.n_rows_dropped:,} more had missing values)" if selection.n_rows_dropped else ""
    tested = f" (tests on {selection.n_rows_tested:,} of them)" if selection.n_rows_tested else ""
    parts = [f"{selection.n_rows:,} rows{grouped}{tested}{dropped}"]
    parts += [kind for kind in selection.target_kinds if kind != "numbers"]
    if selection.discrete:
        parts.append(count(len(selection.discrete), "discrete feature"))
    if selection.steps and verbose:
        sampled = f" on {selection.n_rows_sampled:,} of the rows" if selection.n_rows_sampled else ""
        by = f" (chosen by {selection.neighbors.feature}{sampled})" if selection.neighbors else ""
        if selection.criterion_values:
            parts.append(f"{values_of(selection.criterion_parameter, selection.criterion_values)}{by}")
        parts.append(f"{wording.draws(selection)} per step")
    divided = wording.levels_of(selection) if verbose else ""
    alpha = f"alpha = {settings.alpha:g}{f' ({divided})' if divided else ''}"
    more = "; --verbose shows the evidence of each step" if selection.steps and not verbose else ""
    return f"{', '.join([*parts, alpha, f'seed {settings.seed}'])}{more}"


def print_ranking(selection: Selection, console: Console) -> None:
    """Print all features in order with their verdicts and p-values, then those that were not tested."""
    rows = _rows(selection)
    table = Table(title=f"Features by what they say about {wording.target_of(selection)}")
    for name in ("rank", "feature", "verdict", *(("p-value", "unadjusted") if selection.verdicts else ())):
        table.add_column(name, justify="left" if name in ("feature", "verdict") else "right", overflow="fold")
    for rank, name in enumerate(selection.ranking, start=1):
        row, is_selected = rows[name], name in selection.names
        p_values = [row.p_value, row.unadjusted_p_value] if selection.verdicts else []
        cells = [str(rank), name, row.verdict, *map(probability, p_values)]
        table.add_row(*map(Text, cells), style="bold" if is_selected else None)
    console.print(table)
    untested = [name for name in selection.feature_names if name not in selection.ranking]
    if untested:
        console.print(Text(f"Not tested: {listing(untested, most=wording.MOST_NAMES)}."))
    order = "Selected features in the order selected, then the others by what they would add."
    console.print(Text(order, style="dim"))


def print_bars(selection: Selection, console: Console) -> None:
    """Print a bar for each feature: those selected in their order, then the others by their information."""
    alone = dict(zip(selection.feature_names, np.nan_to_num(selection.information_alone).tolist(), strict=True))
    verdicts = {one.feature: one for one in selection.verdicts}
    others = sorted((name for name in verdicts if name not in selection.names), key=lambda name: -alone[name])
    most = max((*(alone[name] for name in verdicts), 0.0)) or 1.0
    picture = Table.grid(padding=(0, 2))
    for column in ("feature", "bar", "information"):
        picture.add_column(no_wrap=column != "feature", justify="right" if column == "information" else "left")
    for name in (name for name in (*selection.names, *others) if name in verdicts):
        length, colour = max(0.0, alone[name]), _COLOURS.get(verdicts[name].verdict)
        bar = Bar(most, 0, length, width=_WIDTH_OF_BARS, color=colour or "default")
        verdict = Text(_verdict(verdicts[name], length), style=colour or "dim")
        picture.add_row(Text(name), bar, f"{length:.2f}" if length else "–", verdict)
    console.print(Text("Information of each feature alone, in nats", style="bold"))
    console.print(picture)


def _verdict(verdict: Verdict, information: float) -> str:
    if verdict.redundant_with:
        return f"{verdict.verdict} with {series(verdict.redundant_with)}"
    if verdict.verdict == "selected" and not information:
        return "selected: informative only given the others"
    return verdict.verdict


def print_choice(choice: NeighborChoice, console: Console) -> None:
    """Print the number of neighbours chosen, and how well each separates features from shuffled surrogates."""
    best = f": this number separates {choice.feature} best from its shuffled surrogates."
    _print_headed(console, count(choice.n_neighbors, "neighbour"), best)
    table = Table(caption="t: difference of the means, in standard deviations", caption_justify="left")
    for name in ("neighbours", "largest t", "of feature"):
        table.add_column(name, justify="left" if name == "of feature" else "right")
    for row in wording.choice_rows(choice):
        cells = (str(row["k"]), f"{row['t']:.2f}", Text(row["feature"]))
        table.add_row(*cells, style="bold" if row["is_chosen"] else None)
    console.print(table)
    console.print(Text(f"{choice.n_rows:,} rows, {choice.n_folds} folds", style="dim"))


def print_test(test: PermutationTest, feature: str, given: list[str], target: str, console: Console) -> None:
    """Print the result of a permutation test of one feature, conditional on others if any are given."""
    conditional = f", conditional on {', '.join(given)}" if given else ""
    verb = "is" if test.significant else "is not"
    answer = f"In a single test, {feature} {verb} significantly informative about {target}{conditional}."
    console.print(Text(answer, style="bold"))
    numbers = {
        "information": f"{test.information:.4f} nats",
        "threshold": f"{test.information_threshold:.4f} nats",
        "p-value": f"{probability(test.p_value)} ({interval(test.p_low, test.p_high)})",
        "permutations": str(test.n_permutations),
    }
    _print_sentences(console, [f"  {name:12} {value}" for name, value in numbers.items()])
    console.print(
        Text(wording.SINGLE_TEST.format(alpha=f"{test.alpha:g}", passing=f"{100 * test.alpha:g}"), style="dim")
    )


def print_comparison(comparison: SubsetComparison, console: Console) -> None:
    """Print a line for each subset of features that a model was fitted to, then the answer in words."""
    is_wide = console.width >= _WIDTH_WITH_DIFFERENCES
    table = Table("subset")
    for column in ("features", comparison.measure, *(["difference to all"] if is_wide else [])):
        table.add_column(Text(column), justify="right", no_wrap=True)
    for scores in comparison.subsets:
        name = wording.name_of_subset(scores.subset)
        features, *others = (" ".join(cell).strip() for cell in wording.comparison_cells(scores).values())
        if console.width < _WIDTH_WITH_RANGES:
            name, features = scores.subset.replace("_", " "), features.partition(" ")[0]
        table.add_row(name, features, *others[: 1 + is_wide])
    console.print(table)
    _print_sentences(console, [comparison.summary, *filter(None, [wording.how_often(comparison)])])
    console.print(Text(wording.how_compared(comparison), style="dim"))


def print_stability(stability: Stability, console: Console) -> None:
    """Print a line for each feature that is ever selected on a half-sample, then the answer in words."""
    shown, table = stability.ever_selected, Table()
    columns: dict[str, Callable[[str], str]] = {"feature": str}
    columns["selected"] = lambda name: percent(stability.frequency(name))
    if wording.has_bounds(stability):
        columns["by chance"] = lambda name: wording.by_chance(stability, name)
    if stability.groups and console.width >= _WIDTH_WITH_SUBSTITUTES:
        columns["replaced by"] = lambda name: ", ".join(wording.substitutes_of(stability, name))
    _add_columns(table, columns)
    for name in shown[:_MOST_ROWS_OF_STABILITY]:
        table.add_row(*(Text(cell(name)) for cell in columns.values()))
    if shown:
        console.print(table)
    if others := shown[_MOST_ROWS_OF_STABILITY:]:
        least = percent(stability.frequency(others[0]))
        console.print(Text(f"{count(len(others), 'more feature')} in {least} or less."))
    console.print(Text(stability.summary))
    console.print(Text(wording.how_resampled(stability), style="dim"))
