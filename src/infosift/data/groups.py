"""Feature groups, which are selected together, and row groups, which are shuffled and left out together.

Also features that may be identifiers of row groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, factorial
from typing import Any

import numpy as np
from scipy.stats import chi2, rankdata
from scipy.stats import f as f_distribution

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.columns import as_list, positions
from infosift.data.prepare import dense_ranks
from infosift.data.targets import Target
from infosift.errors import Hint, InputError, RowNumber, listing, require_rows
from infosift.random_streams import stream

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDENTIFIERS = re.compile(
    "id|(person|patient|subject|participant|respondent|proband|donor|customer|client|user|student|pupil|animal|"
    "family|household|batch|lot)(id)?"
)
_NUMBERING = {"no", "nr", "num", "number", "code", "key"}
# The fewest values of an identifier: fewer are levels of a category, or a rating, unless the name says otherwise.
_FEWEST_VALUES = 13
_FEWEST_NAMED_VALUES = 5
# Repeats from 2 to 20 have half their mean as standard deviation, and those of rounded normal values 0.8 of it.
_MOST_UNEVEN = 0.7
# Share of the values that have one row: of measurements that repeat by chance, many have.
_MOST_SINGLE = 0.1
# The probability that effects of values are as significant as needed, by chance, in any feature of a table.
_UNLIKELY = 0.01
# Median square difference of successive values, as a share of what it is where values have no order.
_WITHOUT_ORDER = 0.35
# That of the indicator of a class with a tenth of the rows: of smaller ones, mean squares are far from normal.
_LEAST_VARIANCE = 0.09


@dataclass(frozen=True)
class FeatureUnit:
    """What is selected as one: a feature, or a group of them, by position."""

    name: str
    columns: tuple[int, ...]


def read_feature_groups(groups: Any, names: Sequence[str]) -> tuple[FeatureUnit, ...]:
    """Read ``feature_groups``: a name for each group, and its features by name or position."""
    if groups is None:
        return ()
    if not isinstance(groups, Mapping):
        raise InputError(
            Hint("feature_groups"), f" must be a dict of names and lists of features, not {groups!r}."
        )
    units = []
    owner: dict[int, str] = {}
    for name, features in groups.items():
        columns = positions(features, names, f'The feature group "{name}"')
        if not columns:
            raise InputError(f'The feature group "{name}" has no features.')
        if str(name) in names:
            raise InputError(f'The feature group "{name}" has the name of a feature: give it another.')
        for column in columns:
            if column in owner:
                both = f'"{owner[column]}" and "{name}"'
                raise InputError(f'"{names[column]}" is in the feature groups {both}: leave it in one of them.')
            owner[column] = str(name)
        units.append(FeatureUnit(str(name), columns))
    return tuple(units)


def positions_in_groups(
    given: Any, names: Sequence[str], groups: Sequence[FeatureUnit], parameter: str
) -> tuple[int, ...]:
    """Return the positions of features given by name, position or group name; a group must be whole."""
    by_name = {group.name: group.columns for group in groups}
    found: list[int] = []
    for which in as_list(given):
        columns = by_name.get(which) if isinstance(which, str) else None
        found += positions([which], names, Hint(parameter)) if columns is None else columns
    for group in groups:
        left_out = [f'"{names[i]}"' for i in group.columns if i not in found]
        if 0 < len(left_out) < len(group.columns):
            raise InputError(
                Hint(parameter),
                f' has a part of the feature group "{group.name}", without {listing(left_out)}: give the name of '
                "the group.",
            )
    return tuple(dict.fromkeys(found))


def read_row_groups(values: Any, n_rows: int) -> IntArray:
    """Assign a number from zero to the group of each row; rows of equal values are one group."""
    values = np.asarray(values)
    if values.shape != (n_rows,):
        raise InputError(
            Hint("groups"), f" must have one value for each of the {n_rows:,} rows, not the shape {values.shape}."
        )
    missing = [value is None or value != value for value in values.tolist()]
    if any(missing):
        raise InputError(
            Hint("groups"), " has no value for ", RowNumber(missing.index(True)), ": fill it in first."
        )
    try:
        numbers = np.unique(values, return_inverse=True)[1]
    except TypeError:  # values of several types have no order
        numbers = np.unique([f"{type(value).__name__} {value}" for value in values], return_inverse=True)[1]
    return np.asarray(numbers, dtype=np.int64)


@dataclass(frozen=True)
class RepeatedValues:
    """A feature, by position, whose values repeat: how many there are, and the rows of each.

    ``have_effects`` is whether they are many, of about as many rows each, and have effects on the target that are
    not smooth: then the feature is taken as an identifier, whatever its name.
    """

    feature: int
    n_values: int
    fewest_rows: int
    most_rows: int
    have_effects: bool


def repeated_values_of(
    features: tuple[FloatArray, BoolArray], target: Target, n_features: int
) -> list[RepeatedValues]:
    """Find the features that may be identifiers of rows that belong together, such as those of a person.

    Features are prepared columns (columns x rows), and which of them are categorical; ``n_features`` are those of
    the whole table.
    """
    components = target.components[target.components.var(axis=1) >= _LEAST_VARIANCE]
    scores = rankdata(components, axis=1) - (target.n_rows + 1) / 2
    level = _UNLIKELY / (n_features * max(1, len(components)))
    found = []
    for i, (column, is_categorical) in enumerate(zip(*features, strict=True)):
        rows = np.flatnonzero(~np.isnan(column))
        codes = dense_ranks(column[rows])
        counts = np.bincount(codes)
        if not _FEWEST_NAMED_VALUES <= len(counts) <= len(rows) / 2:
            continue
        are_even = counts.std() <= _MOST_UNEVEN * counts.mean() and np.mean(counts == 1) <= _MOST_SINGLE
        are_like = len(counts) >= _FEWEST_VALUES and are_even
        have_effects = are_like and _have_effects(codes, scores[:, rows], is_categorical, level)
        found.append(RepeatedValues(i, len(counts), int(counts.min()), int(counts.max()), have_effects))
    return found


def is_called_identifier(name: str) -> bool:
    """Tell whether the last word of a name, but for "number" and the like, is one for an identifier."""
    words = [word.lower() for word in _WORD.findall(name)]
    last = next((word for word in reversed(words) if word not in _NUMBERING), "")
    return _IDENTIFIERS.fullmatch(last) is not None


def _have_effects(codes: IntArray, scores: FloatArray, is_categorical: bool, level: float) -> bool:
    """Tell whether the mean of any score (scores x rows) differs from value to value of a feature.

    Of categories, whose values have no order, by analysis of variance. Of numbers, by the mean square difference
    of successive values (von Neumann 1941), which must be above chance: it has two thirds of the degrees of
    freedom, since successive differences are correlated by one half. Their median must be about as large as
    without any order. It is smaller where the target is a smooth function of a measurement, an age or a count, or
    has a few steps.
    """
    counts = np.bincount(codes)
    n_values, n_rows = len(counts), len(codes)
    sums = np.array([np.bincount(codes, weights=own) for own in scores]).reshape(-1, n_values)
    means = sums / counts
    within = (scores**2).sum(axis=1) - (sums * means).sum(axis=1)
    error = np.maximum(within, 1e-9 * n_rows) / (n_rows - n_values)
    effects = (sums * means).sum(axis=1) / (n_values - 1)
    if is_categorical:
        return bool(np.any(f_distribution.sf(effects / error, n_values - 1, n_rows - n_values) < level))
    squares = np.diff(means) ** 2 / (1 / counts[1:] + 1 / counts[:-1])
    p_values = f_distribution.sf(squares.mean(axis=1) / error, 2 * (n_values - 1) / 3, n_rows - n_values)
    typical = np.median(squares, axis=1) / chi2.median(1)
    return bool(np.any((p_values < level) & (typical >= _WITHOUT_ORDER * effects)))


def require_enough_to_shuffle(n_rows: int, row_groups: IntArray | None, alpha: float, share: float) -> int | None:
    """Refuse so few rows, or groups, that they have fewer orders than a p-value of ``alpha * share`` needs.

    Return how many groups there are.
    """
    needed = next(number for number in range(2, 200) if factorial(number) >= ceil(1 / (alpha * share) - 1e-9))
    if row_groups is None:
        require_rows(n_rows, needed, Hint("alpha", alpha))
        return None
    count = int(row_groups.max()) + 1
    if count < needed:
        raise InputError(
            Hint("groups"),
            f" has {count} group{'s' * (count != 1)} of rows, and ",
            Hint("alpha", alpha),
            f" needs at least {needed}, since only whole groups are shuffled.",
        )
    return count


def sample_rows(n_rows: int, seed: int, row_groups: IntArray | None, most: int) -> IntArray:
    """Draw at most ``most`` rows without replacement, in ascending order; all rows where there are no more.

    With row groups, whole groups are drawn until there are as many rows.
    """
    rows = np.arange(n_rows)
    if n_rows <= most:
        return rows
    generator = stream(seed, "rows to choose by")
    if row_groups is None:
        return np.sort(generator.choice(rows, most, replace=False))
    order = generator.permutation(int(row_groups.max()) + 1)
    sizes = np.bincount(row_groups)[order]
    before = np.cumsum(sizes) - sizes
    return np.flatnonzero(np.isin(row_groups, order[before < most]))


def shuffled_rows(rows: IntArray, generator: np.random.Generator, row_groups: IntArray | None = None) -> IntArray:
    """Permute rows at random: return the source of each.

    With row groups, each group takes its values from one group, in their order, and each gives them to one. Where
    the other has fewer rows, some are taken more than once, and where it has more, some are left out, spread
    evenly. So a group is as whole in a surrogate as in the data.
    """
    if row_groups is None:
        return generator.permutation(rows)
    by_group = np.argsort(row_groups[rows], kind="stable")
    sizes = np.unique(row_groups[rows], return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    giver = np.argsort(generator.permutation(len(sizes)))
    taker = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(rows)) - starts[taker]
    taken = starts[giver[taker]] + within * sizes[giver[taker]] // sizes[taker]
    source = np.empty_like(rows)
    source[by_group] = rows[by_group[taken]]
    return source
