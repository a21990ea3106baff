"""Data warnings: what a careful statistician would point out about the data, before a search and after it.

A check is a function that yields records: a kind, a message and its features. Parameters that remedy the matter
are Hints in the message. To add a warning, write its check and name it in BEFORE_SEARCH or AFTER_SEARCH.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from infosift.data.columns import describe_gaps
from infosift.data.groups import is_called_identifier, repeated_values_of
from infosift.data.leaks import CUTS, ORDER, VALUES, Leak, leaks_of
from infosift.data.types import n_categories
from infosift.engines.base import Engine
from infosift.errors import DataWarning, Hint, listing
from infosift.inference.diagnostics import SerialDependence, serial_dependence
from infosift.results.selection import DETECTED_OF_TEN, Selection
from infosift.results.steps import DataWarningRecord, data_warning
from infosift.search.base import Problem

Records: TypeAlias = Iterable[DataWarningRecord]
# A feature would have to share half of the variance of its ranks with the target to be detected.
_TOO_STRONG = math.sqrt(0.5)
# Rows of a class that are too few where the power of the test is unknown.
_FEWEST_OF_A_CLASS = 5
# From so many permutations on, a test takes minutes.
_MANY_PERMUTATIONS = 20_000
# What columns of a censored time and of its event are called, as whole words of a name.
_TIMES = re.compile(
    r"(?<![a-z])(times?|days|weeks|months|years|duration|tenure|survival|followup|os|pfs|dfs|rfs)(?![a-z])", re.I
)
_EVENTS = re.compile(
    r"(?<![a-z])(events?|status|died|dead|death|deceased|cens(or|ored)?|relapsed?|recurrence|failed|failure|churn"
    r"(ed)?)(?![a-z])",
    re.I,
)
# Columns of numeric text that are described one by one.
_DESCRIBED = 3
_WHY_LEAK = {
    ORDER: "rows are in the same order by both",
    VALUES: "rows of one value have one value of the target",
    CUTS: "a few cuts between its values give the class",
}


def warnings_before_search(problem: Problem, engine: Engine) -> tuple[DataWarningRecord, ...]:
    """Return what the data show before a search."""
    return tuple(chain.from_iterable(check(problem, engine) for check in BEFORE_SEARCH))


def warnings_after_search(problem: Problem, selection: Selection, engine: Engine) -> tuple[DataWarningRecord, ...]:
    """Return what the data show once a selection is known."""
    return tuple(chain.from_iterable(check(problem, selection, engine) for check in AFTER_SEARCH))


def emit(records: Records, stacklevel: int) -> None:
    """Issue each record as a DataWarning of the caller that so many frames are above."""
    for record in records:
        warnings.warn(DataWarning(*record.parts), stacklevel=stacklevel + 1)


def untested_features(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of features that cannot be tested; those of a feature group are tested with the group."""
    table = problem.table
    in_groups = {i for unit in table.units for i in unit.columns}
    reasons: dict[str, tuple[str, Iterable[int]]] = {
        "empty": ("Empty features, without any value, are not tested", table.empty),
        "constant": (
            "Constant features carry no information and are not tested",
            [i for i in table.constant if i not in table.empty],
        ),
        "near-unique": ("Near-unique features, whose categories hardly repeat, are not tested", table.near_unique),
    }
    for kind, (reason, columns) in reasons.items():
        if names := [table.names[i] for i in columns if i not in in_groups]:
            yield data_warning(kind, f"{reason}: {listing(_quoted(names))}.", features=names)
    if table.duplicates:
        pairs = [f'"{table.names[i]}" (of "{table.names[j]}")' for i, j in table.duplicates.items()]
        yield data_warning(
            "duplicate",
            f"Duplicates of an earlier feature are not tested: {listing(pairs)}.",
            features=[table.names[i] for i in table.duplicates],
        )


def _scan(problem: Problem, engine: Engine, scan: Callable[..., list[Any]], *shared: Any) -> list[Any]:
    """Return what a scan of blocks of columns finds; workers scan the columns that they hold."""
    table = problem.table
    located = engine.distribute(table.columns)
    kinds = np.split(table.is_categorical, located.starts[1:])
    by_block = engine.map(scan, list(zip(located.blocks, kinds, strict=True)), *shared)
    return [
        replace(one, feature=start + one.feature)
        for start, found in zip(located.starts, by_block, strict=True)
        for one in found
    ]


def leaks(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of features that determine the target nearly alone."""
    table = problem.table
    skipped = {*table.constant, *table.ignored}
    detected = _scan(problem, engine, leaks_of, table.target, table.row_groups)
    by_kind: dict[tuple[bool, str], list[Leak]] = {}
    for leak in sorted(detected, key=lambda leak: (leak.target, leak.feature)):
        if leak.feature not in skipped:
            by_kind.setdefault((leak.is_after, leak.how), []).append(leak)
    for (is_after, how), alike in by_kind.items():
        names = list(dict.fromkeys(table.names[leak.feature] for leak in alike))
        determines, if_they_are, them = (
            ("determines", "it is", "it") if len(names) == 1 else ("each determine", "they are", "them")
        )
        yield data_warning(
            "leak",
            f"{listing(_quoted(names))} {determines} the target{' of the row after' * is_after} nearly alone: "
            f"{_WHY_LEAK[how]}. If {if_they_are} computed from the target, or known only after it, leave {them} "
            "out: ",
            Hint("ignore", tuple(names)),
            ".",
            features=names,
        )


def forgotten_groups(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of features that may be identifiers of rows that belong together, where no groups are given.

    Where none is called an identifier, only of the one with most values: those of a person, such as the age, may
    be one too.
    """
    table = problem.table
    if table.row_groups is not None or not problem.method.shuffles_rows:
        return
    repeated = _scan(problem, engine, repeated_values_of, table.target, len(table.names))
    usable = [one for one in repeated if one.feature in table.usable]
    named = [one for one in usable if is_called_identifier(table.names[one.feature])]
    others = [one for one in usable if one.have_effects]
    for one in named or sorted(others, key=lambda one: (-one.n_values, table.digests[one.feature]))[:1]:
        name, fewest, most = table.names[one.feature], one.fewest_rows, one.most_rows
        times = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        yield data_warning(
            "groups",
            f'"{name}" repeats {times} times for each of {one.n_values:,} values: if rows of one {name} belong '
            "together, p-values are too small, unless they are kept together with ",
            Hint("groups", name),
            ".",
            features=[name],
        )


def missing_values(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Say which values are missing, and what becomes of their rows."""
    yield from gaps(problem.n_missing, problem.settings.missing, problem.table.n_rows, problem.n_rows_dropped)


def gaps(n_missing: Mapping[str, int], missing: str, n_rows: int, n_dropped: int) -> Iterator[DataWarningRecord]:
    """Say which values of features are missing, and how many of all rows are used and dropped."""
    n_all = n_rows + n_dropped
    counts = describe_gaps(n_missing, n_all)
    parts: list[str | Hint] = []
    if missing == "drop" and n_dropped:
        parts = [
            f"{n_dropped:,} of {n_all:,} rows had missing values and were dropped{f' ({counts})' * bool(counts)}: "
            "where they differ from the others, the answer may not hold for them. Ignore the features with many "
            "gaps, or use the values that a row has with ",
            Hint("missing", "partial"),
            ".",
        ]
    elif n_dropped:
        parts = [f"Rows without a target are left out: {n_dropped:,} of {n_all:,}."]
    if missing == "partial" and counts:
        space = " " * bool(parts)
        parts += [
            f"{space}Values are missing ({counts}; {n_all:,} rows): each feature is used in the rows that have "
        ]
        parts += ["it. Only rows without gaps are used with ", Hint("missing", "drop"), "."]
    if parts:
        yield data_warning("gaps", *parts, features=sorted(n_missing, key=lambda name: -n_missing[name]))


def numeric_text(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of text that reads like numbers or dates, unless it is ignored or declared categorical."""
    known = {*problem.settings.ignore, *(problem.settings.discrete_features or ())}
    columns = {name: kind for name, kind in problem.numeric_text.items() if name not in known}
    if columns:
        described = [f'"{name}" is text that looks like {kind}' for name, kind in columns.items()]
        more = f"; and {len(described) - _DESCRIBED:,} more columns" if len(described) > _DESCRIBED else ""
        it = "it" if len(columns) == 1 else "them"
        yield data_warning(
            "numeric-text",
            f"{'; '.join(described[:_DESCRIBED])}{more}: make numbers or dates of {it}, in Python with "
            f"parse_numbers where every cell is one, or declare {it} categorical: ",
            Hint("discrete_features", tuple(columns)),
            ".",
            features=tuple(columns),
        )


def whole_number_target(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Say that whole numbers were tested as scores and as codes of classes, and what settles it."""
    target = problem.table.target
    if names := [name for name, kind in zip(target.names, target.kinds, strict=True) if kind.name == "both"]:
        is_one = len(names) == 1
        yield data_warning(
            "target",
            f"The target{'' if is_one else 's'} {listing(_quoted(names))} {'has' if is_one else 'have'} few whole "
            "numbers, which may be scores or codes: features are tested for both, at some cost in power. Say "
            "which with ",
            Hint("discrete_target", "numbers"),
            " or ",
            Hint("discrete_target", "classes"),
            ".",
        )


def censored_times(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of a target named like a time, where a column of two values is named like an event."""
    table, target = problem.table, problem.table.target
    times = [name for name in target.names if _TIMES.search(name)]
    events = [name for name, kind in zip(target.names, target.kinds, strict=True) if kind.n_classes == 2]
    candidates = [i for i in table.usable if _EVENTS.search(table.names[i])]
    events += [table.names[i] for i in candidates if n_categories(np.asarray(table.columns[[i]])[0]) == 2]
    named = [name for name in events if _EVENTS.search(name)]
    if times and named and not target.is_censored:
        yield data_warning(
            "censored",
            f'The target "{times[0]}" is named like a time, and "{named[0]}" like an event that ends it or is not '
            "seen. If so, make one target of both: in Python with censored_target(event, time), on the command "
            "line with --time and --event.",
            features=[name for name in named[:1] if name in table.names],
        )


def small_alpha(problem: Problem, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of a significance level that only very many permutations can reach."""
    alpha = problem.settings.alpha
    yield from many_permutations(alpha, problem.method.fewest_permutations(alpha))


def many_permutations(alpha: float, fewest: int) -> Iterator[DataWarningRecord]:
    """Warn where a test needs many permutations to reach its level, and takes long however clear its answer."""
    if fewest > _MANY_PERMUTATIONS:
        yield data_warning(
            "permutations",
            Hint("alpha", alpha),
            f" needs at least {fewest:,} permutations per test, which takes long: raise ",
            Hint("alpha"),
            ", or limit the time of a selection with ",
            Hint("time_limit"),
            ".",
        )


def dependent_rows(problem: Problem, selection: Selection, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of rows that depend on those next to them, which permutation tests assume to be exchangeable."""
    table, selected = problem.table, list(selection.indices)
    if table.row_groups is None and problem.method.shuffles_rows:
        dependence = serial_dependence(table.columns[selected], table.target.views[-1], engine)
        if dependence is not None:
            yield row_order(dependence, table.names[selected[dependence.feature]])


def row_order(dependence: SerialDependence, name: str) -> DataWarningRecord:
    """Return the warning of a serial dependence of the target and the feature of this name."""
    return data_warning(
        "order",
        "Rows depend on those next to them in the file: neighbouring rows have a rank correlation of "
        f"{dependence.of_target:.2f} in the residual of the target and of {dependence.of_feature:.2f} in that of "
        f'"{name}". Shuffled rows do not, so p-values are too small. A selection allows for it where rows that '
        "belong together are named with ",
        Hint("groups"),
        ", or where a series is shifted in time with ",
        Hint("method.null", "circular"),
        ".",
        features=[name],
    )


def too_few_rows(problem: Problem, selection: Selection, engine: Engine) -> Iterator[DataWarningRecord]:
    """Warn of too few rows for so many features; where there are enough, of too few rows of a class."""
    n_rows, least = problem.table.n_rows, selection.smallest_detectable_correlation
    if least is None or least <= _TOO_STRONG:
        yield from _small_classes(problem, least)
        return
    number = len(selection.steps[0].candidates)
    yield data_warning(
        "power",
        f"There are too few rows for so many features: with {n_rows:,} rows and {number:,} "
        f"feature{'s' * (number != 1)}, only a rank correlation of about {min(least, 0.99):.2f} with the target "
        f"is detected in {DETECTED_OF_TEN} of 10 such tables. Leave features out that cannot matter, or collect "
        "more rows.",
    )


def _small_classes(problem: Problem, least: float | None) -> Iterator[DataWarningRecord]:
    """Warn of classes so small that a feature which separates one from all others would hardly be detected.

    The rank correlation of such a feature with the class is the root of 3 p (1 - p), where p is the share of the
    rows that are of the class.
    """
    n_rows, target = problem.table.n_rows, problem.table.target
    for column, kind in zip(target.columns, target.kinds, strict=True):
        counts = np.array(kind.class_counts(column), dtype=np.int64)
        shares = counts / n_rows
        is_small = counts < _FEWEST_OF_A_CLASS if least is None else np.sqrt(3 * shares * (1 - shares)) < least
        if small := np.sort(counts[is_small]).tolist():
            one = len(small) == 1
            yield data_warning(
                "imbalance",
                f"{'A class' if one else f'{len(small)} classes'} of the target {'has' if one else 'have'} only "
                f"{listing([f'{count:,}' for count in small])} of {n_rows:,} rows, too few to see what separates "
                f"{'it' if one else 'each'} from the others: merge small classes, or collect more rows of them.",
            )


def _quoted(names: Sequence[str]) -> list[str]:
    return [f'"{name}"' for name in names]


BEFORE_SEARCH: tuple[Callable[[Problem, Engine], Records], ...] = (
    untested_features,
    leaks,
    forgotten_groups,
    missing_values,
    numeric_text,
    whole_number_target,
    censored_times,
    small_alpha,
)
AFTER_SEARCH: tuple[Callable[[Problem, Selection, Engine], Records], ...] = (dependent_rows, too_few_rows)
