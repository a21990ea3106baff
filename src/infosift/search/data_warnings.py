"""Data warnings: what the data show before a search, and the selection after it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from infosift.arrays import FloatArray
from infosift.data.leaks import CUTS, ORDER, VALUES, Leak, leaks_of
from infosift.data.table import Table
from infosift.data.types import has_categories
from infosift.engines.base import Engine
from infosift.errors import Hint, listing
from infosift.inference.diagnostics import FOUND_OF_TEN, SerialDependence, serial_dependence
from infosift.results.data_warning import DataWarningRecord, data_warning
from infosift.results.selection import Selection
from infosift.search.base import Problem

# Share of rows that are dropped for missing values, from which on it is worth a sentence.
_MANY_DROPPED = 0.1
# A feature would have to share half of the variance of its ranks with the target.
_TOO_STRONG = math.sqrt(0.5)
_MOST_NAMES = 5
# Rows of a class where nothing is known about the power.
_FEWEST_OF_A_CLASS = 5
_WHY = {
    ORDER: "rows are in the same order by both",
    VALUES: "rows of one value have one value of the target",
    CUTS: "a few cuts between its values give the class",
}


def warnings_of_data(
    table: Table, n_rows_dropped: int, missing: Mapping[str, int], engine: Engine
) -> tuple[DataWarningRecord, ...]:
    """Return what is known before a search; ``missing`` are numbers of missing values by feature."""
    return (*_untested(table), *_leaks(table, engine), *_dropped(table.n_rows, n_rows_dropped, missing))


def warnings_of_selection(problem: Problem, selection: Selection, engine: Engine) -> tuple[DataWarningRecord, ...]:
    """Return what is known after a search."""
    return (*_order(problem, selection, engine), *_power(problem.table, selection))


def _untested(table: Table) -> list[DataWarningRecord]:
    """Return which features cannot be tested; in a feature group, others may carry them."""
    in_groups = {i for unit in table.units for i in unit.columns}
    kinds: dict[str, tuple[str, Sequence[int]]] = {
        "empty": ("Empty features, without any value, are not tested", table.empty),
        "constant": (
            "Constant features carry no information and are not tested",
            [i for i in table.constant if i not in table.empty],
        ),
        "near-unique": (
            "Near-unique features, whose categories hardly repeat, are not tested",
            table.near_unique,
        ),
    }
    said = []
    for kind, (sentence, columns) in kinds.items():
        names = [table.names[i] for i in columns if i not in in_groups]
        if names:
            said.append(data_warning(kind, f"{sentence}: {listing(_quoted(names))}.", features=names))
    pairs = [f'"{table.names[i]}" (of "{table.names[j]}")' for i, j in table.duplicates.items()]
    if pairs:
        names = [table.names[i] for i in table.duplicates]
        message = f"Duplicates of an earlier feature are not tested: {listing(pairs)}."
        said.append(data_warning("duplicate", message, features=names))
    return said


def _quoted(names: Sequence[str]) -> list[str]:
    return [f'"{name}"' for name in names]


def _leaks(table: Table, engine: Engine) -> list[DataWarningRecord]:
    """Return which features determine the target nearly alone; they are looked at where their columns lie."""
    spread, unread = engine.spread(table.columns), {*table.constant, *table.ignored}
    by_block = engine.each(leaks_of, spread.blocks, table.target, table.row_groups)
    found = [
        replace(leak, feature=start + leak.feature)
        for start, leaks in zip(spread.starts, by_block, strict=True)
        for leak in leaks
    ]
    by_way: dict[tuple[bool, str], list[Leak]] = {}
    for leak in sorted(found, key=lambda leak: (leak.target, leak.feature)):
        if leak.feature in unread:
            continue
        by_way.setdefault((leak.is_after, leak.how), []).append(leak)
    return [_leak(table, is_after, how, found) for (is_after, how), found in by_way.items()]


def _leak(table: Table, is_after: bool, how: str, leaks: Sequence[Leak]) -> DataWarningRecord:
    names = list(dict.fromkeys(table.names[leak.feature] for leak in leaks))
    shown = _quoted(names)
    which = "the target of the row after" if is_after else "the target"
    one = len(names) == 1
    return data_warning(
        "leak",
        f"{listing(shown, _MOST_NAMES)} {'determines' if one else 'each determine'} {which} nearly alone: "
        f"{_WHY[how]}. If {'it is' if one else 'they are'} computed from the target, or known only after it, "
        f"leave {'it' if one else 'them'} out: ",
        Hint("ignore", tuple(names)),
        ".",
        features=names,
    )


def _dropped(n_rows: int, n_rows_dropped: int, missing: Mapping[str, int]) -> list[DataWarningRecord]:
    if n_rows_dropped <= _MANY_DROPPED * (n_rows + n_rows_dropped):
        return []
    most = sorted(missing, key=lambda name: -missing[name])
    counts = [f'{missing[name]:,} in "{name}"' for name in most]
    where = f" ({listing(counts, _MOST_NAMES)})" if most else ""
    return [
        data_warning(
            "gaps",
            f"{n_rows_dropped:,} of {n_rows + n_rows_dropped:,} rows had missing values and were dropped{where}: "
            "where they differ from the others, the answer may not hold for them. Ignore the features with many "
            "gaps, or use the values that a row has with ",
            Hint("missing", "partial"),
            ".",
            features=most,
        )
    ]


def _order(problem: Problem, selection: Selection, engine: Engine) -> list[DataWarningRecord]:
    if problem.table.row_groups is not None or not problem.method.shuffles_rows:
        return []
    table, selected = problem.table, list(selection.indices)
    found = serial_dependence(table.columns[selected], table.target, engine)
    return [] if found is None else [_serial(found, table.names[selected[found.feature]])]


def _serial(found: SerialDependence, name: str) -> DataWarningRecord:
    return data_warning(
        "order",
        f"{found.sentence(name)} Shuffled rows do not, so p-values are too small. Say which rows belong together "
        "with ",
        Hint("groups"),
        ", or shift a series in time with ",
        Hint("method.null", "circular"),
        ".",
        features=[name],
    )


def _power(table: Table, selection: Selection) -> list[DataWarningRecord]:
    """Return whether there are too few rows for so many features, or of a class."""
    least = selection.smallest_detectable_correlation
    if least is not None and least > _TOO_STRONG:
        number = len(selection.steps[0].candidates)
        return [
            data_warning(
                "power",
                f"There are too few rows for so many features: with {table.n_rows:,} rows and {number:,} "
                f"feature{'s' * (number != 1)}, only a rank correlation of about {min(least, 0.99):.2f} with the "
                f"target is found in {FOUND_OF_TEN} of 10 such tables. Leave features out that cannot matter, or "
                "collect more rows.",
            )
        ]
    return [warning for target in table.target for warning in _small_classes(target, table, least)]


def _small_classes(target: FloatArray, table: Table, least: float | None) -> list[DataWarningRecord]:
    """Return the classes so small that a feature which separates one from all others would hardly be found.

    The rank correlation of such a feature with the class is the root of 3 p (1 - p), where p is the share of the
    rows that are of the class.
    """
    if not has_categories(target):
        return []
    counts = np.unique(target, return_counts=True)[1]
    shares = counts / table.n_rows
    is_small = counts < _FEWEST_OF_A_CLASS if least is None else np.sqrt(3 * shares * (1 - shares)) < least
    small = np.sort(counts[is_small]).tolist()
    if not small:
        return []
    sizes = listing([f"{count:,}" for count in small], _MOST_NAMES)
    which = "A class of the target has" if len(small) == 1 else f"{len(small)} classes of the target have"
    return [
        data_warning(
            "imbalance",
            f"{which} only {sizes} of {table.n_rows:,} rows, too few to see what separates "
            f"{'it' if len(small) == 1 else 'each'} from the others: merge small classes, or collect more rows of "
            "them.",
        )
    ]
