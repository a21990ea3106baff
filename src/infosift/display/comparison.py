"""A model on the selected features beside one on all: what terminal and report say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from infosift.display.phrases import count, in_a_sentence, name_of_subset, range_of, signed
from infosift.errors import listing

if TYPE_CHECKING:
    from infosift.results.comparison import SubsetComparison, SubsetScores

_MOST_NAMES = 12
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
    console.print(Text(how(comparison), style="dim"))


def cells(one: SubsetScores) -> dict[str, tuple[str, str]]:
    """Return number of features, score and difference to all, each with its range, spread or standard error."""
    sizes = f"({range_of(one.n_features)})" if len(set(one.n_features)) > 1 else ""
    gap = (f"{one.difference:+.3f}", f"± {one.standard_error:.3f}") if one.subset != "all" else ("", "")
    return {
        "features": (f"{one.mean_n_features:,.1f}".removesuffix(".0"), sizes),
        "score": (signed(f"{one.mean:.3f}"), f"± {one.spread:.3f}"),
        "difference": (signed(gap[0]), gap[1]),
    }


def how(comparison: SubsetComparison) -> str:
    """Return what the numbers are, and how they came about."""
    groups = "" if comparison.n_row_groups is None else f" of {count(comparison.n_row_groups, 'row group')}"
    return (
        f"{comparison.measure} of {comparison.model} on rows left out: mean ± standard deviation over "
        f"{comparison.n_folds} folds{groups}, each with a selection of its own on the other rows. "
        "Differences have their standard error. No features: each row gets the same guess."
    )


def how_often(comparison: SubsetComparison) -> str:
    """Return in how many folds each feature was selected; empty where none ever was."""
    by_count: dict[int, list[str]] = {}
    for name, number in comparison["selected"].chosen:
        by_count.setdefault(number, []).append(in_a_sentence(name))
    if not by_count:
        return ""
    said = [f"in {number}: {listing(names, _MOST_NAMES)}" for number, names in by_count.items()]
    said[0] = said[0].replace(":", f" of {count(comparison.n_folds, 'fold')}:", 1)
    return f"Selected {'; '.join(said)}."
