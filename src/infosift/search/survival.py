"""Survival curves of the selected features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import dense_ranks
from infosift.data.survival import survival_curve
from infosift.data.targets import CensoredTimes
from infosift.results.steps import SurvivalCurve
from infosift.search.base import Problem

_THIRDS = ("lowest third", "middle third", "highest third")
_MOST_CATEGORIES = 6
_MOST_FEATURES = 12
_MOST_TIMES = 200


def curves_of(problem: Problem, features: Sequence[int]) -> tuple[SurvivalCurve, ...]:
    """Return the survival curves of thirds, or categories, of the first of these features."""
    return tuple(curve for feature in features[:_MOST_FEATURES] for curve in _curves(problem, feature))


def _curves(problem: Problem, feature: int) -> Iterator[SurvivalCurve]:
    """Yield the curve of each third of a feature's numbers, or of each of its largest categories."""
    table = problem.table
    kind: CensoredTimes = table.target.kinds[0]  # type: ignore[assignment]
    column = np.asarray(table.columns[[feature]])[0]
    known = np.flatnonzero(~np.isnan(column))
    parts, labels = _parts(problem, feature, column[known])
    for part, label in enumerate(labels):
        rows = known[parts == part]
        if len(rows):
            own = table.target.columns[0][rows]
            times, shares = _thinned(*survival_curve(own))
            yield SurvivalCurve(
                feature=table.names[feature],
                values=label,
                n_rows=len(rows),
                n_events=int(np.count_nonzero(~np.signbit(own))),
                times=times * kind.longest,
                shares=shares,
            )


def _parts(problem: Problem, feature: int, column: FloatArray) -> tuple[IntArray, tuple[str, ...]]:
    """Return the part of each value of a feature, and what the parts are called."""
    codes = dense_ranks(column)
    n_values = int(codes.max()) + 1
    name = problem.table.names[feature]
    if problem.table.is_categorical[feature] or n_values <= len(_THIRDS):
        names = problem.categories.get(name, ())
        if len(names) != n_values:
            names = tuple(f"value {i + 1} of {n_values}" for i in range(n_values))
        largest = np.argsort(-np.bincount(codes), kind="stable")[:_MOST_CATEGORIES]
        place = np.full(n_values, -1)
        place[np.sort(largest)] = np.arange(len(largest))
        return place[codes], tuple(names[i] for i in np.sort(largest))
    cuts = np.quantile(codes, (1 / 3, 2 / 3), method="lower")
    return np.searchsorted(cuts, codes, side="left"), _THIRDS


def _thinned(times: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points of a curve where it falls, and its ends; of very many, as many as a picture shows."""
    falls = np.flatnonzero(np.diff(shares, prepend=2.0) < 0)
    if len(falls) > _MOST_TIMES:
        falls = falls[np.linspace(0, len(falls) - 1, _MOST_TIMES).astype(np.int64)]
    kept = np.unique([*falls, len(times) - 1])
    return times[kept], shares[kept]
