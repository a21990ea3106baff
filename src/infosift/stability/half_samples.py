"""Pairs of disjoint half-samples of the rows, and the selection on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import IntArray
from infosift.data.columns import NamedColumns
from infosift.data.frames import read_columns
from infosift.data.groups import FeatureUnit, read_row_groups
from infosift.data.targets import read_target
from infosift.data.validation import rows_to_use
from infosift.engines.blas import on_one_thread
from infosift.engines.threads import ThreadEngine
from infosift.errors import InputError, require_rows, require_same_length
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.results.records import Record
from infosift.results.selection import INTERRUPT, Selection
from infosift.results.settings import Settings
from infosift.search.checkpoint import fingerprint
from infosift.search.problem import make_problem
from infosift.search.run import Run

_FEWEST_ROWS = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class HalfSample(Record):
    """What was found on a half-sample: positions of selected features, and pairs of a redundant one and another.

    The other is a selected feature that carries the information of the redundant one.
    """

    number: int
    selected: tuple[int, ...]
    redundant: tuple[tuple[int, int], ...]
    is_partial: bool


@dataclass(frozen=True)
class Data:
    """The rows to use, with what is discrete decided by all of them, and what selections are asked."""

    features: NamedColumns
    target: NamedColumns
    row_groups: IntArray | None
    parameters: Mapping[str, Any]
    settings: Settings
    candidates: tuple[FeatureUnit, ...]
    target_name: str
    n_rows_dropped: int
    digest: str

    @property
    def n_rows(self) -> int:
        """Number of rows to use."""
        return self.features.n_rows


def read(X: Any, y: Any, groups: Any, parameters: Mapping[str, Any], settings: Settings) -> Data:
    """Read all rows, and refuse what a selection on them would refuse, as it would."""
    if y is None:
        raise InputError("selection_stability requires y to be passed, but the target y is None.")
    features, target = read_columns(X), read_target(y)
    require_same_length(features.n_rows, target.n_rows)
    problem = make_problem(features, target, groups, parameters, settings, ThreadEngine(1))
    numbers = None if groups is None else read_row_groups(groups, features.n_rows)
    rows = rows_to_use(features, target, problem.table.ignored, settings.missing)
    require_rows(int(rows.sum()), _FEWEST_ROWS, "A pair of half-samples")
    table = problem.table
    classes = [i for i, number in enumerate(table.n_classes) if number is not None]
    decided = {"discrete_features": False, "discrete_target": False}
    return Data(
        features=features.take(rows).with_discrete(table.discrete),
        target=target.take(rows).with_discrete(classes),
        row_groups=None if numbers is None else read_row_groups(numbers[rows], int(rows.sum())),
        parameters={**parameters, **decided},
        settings=problem.settings,
        candidates=tuple(problem.candidates),
        target_name=table.target_name,
        n_rows_dropped=problem.n_rows_dropped,
        digest=fingerprint(table),
    )


def draw_pair(data: Data, seed: int, pair: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows are in the one half and which in the other, drawn without replacement.

    What is divided is the rows, or whole groups of them. Each half has the same number, so that of an odd number
    one, at random, is in neither. Those of one class are divided evenly, up to one; a group is of the class that
    most of its rows have.
    """
    generator = stream(seed, "pairs of half-samples", pair)
    numbers = np.arange(data.n_rows) if data.row_groups is None else data.row_groups
    classes = _class_of_each(data, numbers)
    shuffled = generator.permutation(len(classes))
    shuffled = shuffled[: len(shuffled) // 2 * 2]
    dealt = shuffled[np.argsort(classes[shuffled], kind="stable")]
    first = int(generator.integers(2))  # which half has one more of a class is settled by chance
    in_first, in_second = dealt[first::2], dealt[1 - first :: 2]
    return np.isin(numbers, in_first), np.isin(numbers, in_second)


def _class_of_each(data: Data, numbers: IntArray) -> IntArray:
    """Return the class of each row, or the most frequent one of each group; all have one where there are none."""
    discrete = sorted(data.target.discrete)
    values = np.nan_to_num(data.target.values[discrete]) if discrete else np.zeros((1, data.n_rows))
    codes = np.unique(values, axis=1, return_inverse=True)[1].ravel()
    counts = np.zeros((int(numbers.max()) + 1, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (numbers, codes), 1)
    return np.asarray(counts.argmax(axis=1))


def select(data: Data, seed: int, number: int) -> HalfSample:
    """Select on one half-sample, with random streams of its own."""
    pair, half = divmod(number, 2)
    rows = draw_pair(data, seed, pair)[half]
    own = int(stream(seed, "selections on half-samples", number).integers(2**32))
    groups = None if data.row_groups is None else data.row_groups[rows]
    with on_one_thread():
        try:
            problem = make_problem(
                data.features.take(rows),
                data.target.take(rows),
                groups,
                data.parameters,
                replace(data.settings, seed=own),
                ThreadEngine(1),
            )
        except InputError as error:
            raise InputError(f"On half-sample {number + 1}: {error}") from error
        selection = Run(problem, ThreadEngine(1), Reporter(None, data.settings.time_limit)).select()
    if selection.ended_by == INTERRUPT:
        raise KeyboardInterrupt
    return _found(number, selection)


def _found(number: int, selection: Selection) -> HalfSample:
    place = {name: i for i, name in enumerate(selection.feature_names)}
    return HalfSample(
        number=number,
        selected=selection.indices,
        redundant=tuple(
            (place[said.feature], place[carrier]) for said in selection.verdicts for carrier in said.redundant_with
        ),
        is_partial=selection.is_partial,
    )
