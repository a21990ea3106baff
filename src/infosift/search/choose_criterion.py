"""The choice of a criterion: by the separation of features from their shuffled copies, as that of k is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.criteria.base import Value
from infosift.data.table import Table
from infosift.engines.base import Engine
from infosift.errors import require_rows
from infosift.random_streams import stream
from infosift.results.criterion_choice import CriterionChoice
from infosift.search.choose_k import Resampling, best_column, fewest_rows, separate


@dataclass(frozen=True)
class _Best:
    """What separates best by one criterion."""

    t: float
    value: Value
    feature: str


def compare(
    tables: Mapping[str, Table],
    criteria: Mapping[str, Criterion],
    resampling: Resampling,
    n_halves: int,
    engine: Engine,
) -> CriterionChoice:
    """Compare criteria, each on its own table of the same rows, by their largest t.

    Folds, shuffles and halves are the same for all criteria. On each half the same is done again, with the target
    as it is and shuffled: how much the choice hangs on the rows, and what t is where there is nothing to see.
    """
    names, n_rows = tuple(criteria), next(iter(tables.values())).n_rows
    n_folds = resampling.n_folds
    require_rows(n_rows, 2 * fewest_rows(n_folds), f"Choosing a criterion with {n_folds} folds")
    halves = _halves(n_rows, n_halves, resampling.seed)
    found = [_best(tables[name], criteria[name], resampling, engine) for name in names]
    half_t, noise_t = (
        np.array(
            [
                [
                    _best(part, criteria[name], resampling, engine).t
                    for part in _parts(tables[name], halves, shuffled)
                ]
                for name in names
            ]
        )
        for shuffled in (None, resampling.seed)
    )
    t = np.array([best.t for best in found])
    order = np.argsort(-t, kind="stable")  # the first of equals, as of equal numbers of neighbours
    chosen, runner_up = int(order[0]), int(order[1]) if len(order) > 1 else None
    return CriterionChoice(
        criterion=names[chosen],
        value=found[chosen].value,
        criteria=names,
        values=tuple(best.value for best in found),
        features=tuple(best.feature for best in found),
        t=t,
        noise_t=noise_t.mean(axis=1),
        half_t=half_t,
        runner_up=None if runner_up is None else names[runner_up],
        share=float(np.mean(half_t[chosen] == half_t.max(axis=0))),
        margin=None if runner_up is None else _margin(half_t[chosen] - half_t[runner_up]),
        n_folds=min(n_folds, n_rows),
        n_rows=n_rows,
    )


def _halves(n_rows: int, n_halves: int, seed: int) -> list[IntArray]:
    """Return random halves of the rows, each with one that shares no row with it."""
    halves: list[IntArray] = []
    for number in range(n_halves // 2):
        order = stream(seed, "halves of the rows", number).permutation(n_rows)
        halves += [np.sort(order[: n_rows // 2]), np.sort(order[n_rows // 2 : 2 * (n_rows // 2)])]
    return halves


def _parts(table: Table, halves: list[IntArray], shuffle_seed: int | None) -> list[Table]:
    """Return the table of each half, with the rows of the target shuffled where there is a seed for it."""
    parts = [table.take(half) for half in halves]
    if shuffle_seed is None:
        return parts
    orders = [
        stream(shuffle_seed, "target of a half", number).permutation(part.n_rows)
        for number, part in enumerate(parts)
    ]
    return [replace(part, target=part.target[:, order]) for part, order in zip(parts, orders, strict=True)]


def _best(table: Table, criterion: Criterion, resampling: Resampling, engine: Engine) -> _Best:
    found = separate(table, criterion, resampling, engine)
    column = best_column(found.t, None)
    feature = found.deciding_feature(table, column)
    return _Best(float(found.t[feature, column]), found.values[column], table.names[table.usable[feature]])


def _margin(differences: FloatArray) -> float | None:
    spread = differences.std(ddof=1)
    return float(differences.mean() / spread) if spread > 0 else None
