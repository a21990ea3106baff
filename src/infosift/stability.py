"""Stability selection: how often features are selected over complementary pairs of half-samples of the rows."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from infosift.arrays import BoolArray, IntArray
from infosift.data.columns import NamedColumns
from infosift.data.groups import FeatureUnit, read_row_groups
from infosift.data.table import Table
from infosift.engines.base import ThreadEngine, single_threaded_blas
from infosift.errors import Hint, InputError, require_count, require_rows, require_verbosity
from infosift.progress import ProgressBar, Reporter
from infosift.random_streams import SeedLike, resolve_seed, stream
from infosift.results.resampled import Stability, Substitutes
from infosift.results.selection import INTERRUPT, Settings
from infosift.results.serialization import Record
from infosift.search.base import make_problem
from infosift.search.checkpoint import Checkpoint
from infosift.search.runner import Run, RunState
from infosift.selector import MutualInfoSelector, problem_on_all_rows

_FEWEST_ROWS = 4  # two in each half
# Share of the half-samples on which one feature has to replace another, and the other it, to be its substitute.
_LEAST_REPLACED = 0.05


def selection_stability(
    selector: MutualInfoSelector,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 50,
    groups: Any = None,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    checkpoint: Any = None,
) -> Stability:
    """Return how often each feature is selected over half-samples of the rows.

    Rows are divided at random into two halves that have no row in common, again and again, and features are
    selected on each half: the complementary pairs of Shah and Samworth (2013). Rows are drawn without replacement.
    A bootstrap would have rows twice, which are nearest neighbours of each other at no distance, and estimates by
    neighbours would take them for dependence.

    Parameters
    ----------
    selector : MutualInfoSelector
        The selector, of which each half-sample has a copy with a seed of its own. ``time_limit`` holds for each
        half-sample; ``checkpoint`` and ``verbose`` of the selector are not used.
    X : array-like or data frame of shape (n_rows, n_features)
        Features: numbers, text or categories.
    y : array-like of shape (n_rows,) or (n_rows, n_targets)
        The target: numbers, classes or censored times. Both halves have the same share of each class, or of
        events, up to one row.
    n_resamples : int, default=50
        Number of half-samples, an even number.
    groups : array-like of shape (n_rows,) or None, default=None
        Which rows belong together. A half has half of the groups, each as a whole.
    random_state : int, NumPy generator or None, default=0
        Seed of the half-samples and of the selections on them; that of the selector is not used. It fixes the
        result to the last bit, whatever ``n_jobs``.
    n_jobs : int or None, default=None
        Number of half-samples to work on at once, each by a process of its own; None is that of the selector.
        ``joblib.parallel_config`` can name another backend, such as "threading".
    verbose : int, default=0
        1 shows on standard error, after two seconds, how many half-samples are done.
    checkpoint : str, path or None, default=None
        File that has what was selected on each half-sample that is done. A run that was killed goes on from there
        when it is started again with the same data and parameters, to the same result. ``n_resamples`` may
        differ: half-samples do not depend on how many there are. The file of another run is refused.

    Returns
    -------
    Stability
        The frequency of each feature and of groups of features that replace each other, and a bound on how many
        features reach a frequency by chance.

    Raises
    ------
    KeyboardInterrupt
        Where a key is pressed to interrupt; the checkpoint then has what is done.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector, selection_stability
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> stability = selection_stability(MutualInfoSelector(), X, y, n_resamples=10)
    >>> stability.stable(0.9)
    ('bmi', 's5')
    """
    if not isinstance(selector, MutualInfoSelector):
        raise InputError(f"selector must be a MutualInfoSelector, not {selector!r}.")
    n_resamples = require_count("n_resamples", n_resamples, least=2)
    if n_resamples % 2:
        raise InputError(
            Hint("n_resamples"), f" must be even, since half-samples come in pairs, not {n_resamples}."
        )
    is_shown, n_jobs = require_verbosity(verbose), selector.n_jobs if n_jobs is None else n_jobs
    ThreadEngine(n_jobs)  # refuses what is no number of jobs
    file = None if checkpoint is None else Checkpoint(checkpoint, StabilityState)
    stored = None if file is None else file.seed
    seed = stored if stored is not None and random_state is None else resolve_seed(random_state)
    parameters = clone(selector).set_params(random_state=seed).get_params(deep=False)
    data, table = read(X, y, groups, parameters)
    state = StabilityState(settings=data.settings) if file is None else file.resume(table, data.settings)
    with ProgressBar(is_shown) as bar:
        half_samples = _select_on_all(data, seed, n_resamples, n_jobs, Reporter(bar), file, state)
    return _stability(data, half_samples)


@dataclass(frozen=True, eq=False, kw_only=True)
class HalfSample(Record):
    """The selection on a half-sample: positions of selected features, and pairs of a redundant and a selected one.

    The selected feature of a pair carries the information of the redundant one.
    """

    number: int
    selected: tuple[int, ...]
    redundant: tuple[tuple[int, int], ...]
    is_partial: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class StabilityState(RunState):
    """The half-samples that are done."""

    half_samples: tuple[HalfSample, ...] = ()


@dataclass(frozen=True)
class ResampledData:
    """The rows to use, which columns are discrete as decided by all of them, and the parameters of selections."""

    features: NamedColumns
    target: NamedColumns
    row_groups: IntArray | None
    parameters: Mapping[str, Any]
    settings: Settings
    candidates: tuple[FeatureUnit, ...]
    target_name: str
    n_rows_dropped: int

    @property
    def n_rows(self) -> int:
        """Number of rows to use."""
        return self.features.n_rows


def read(X: Any, y: Any, groups: Any, parameters: Mapping[str, Any]) -> tuple[ResampledData, Table]:
    """Read all rows, and refuse what a selection on them refuses; the table is that of such a selection."""
    features, target, problem, rows = problem_on_all_rows(X, y, groups, parameters, "selection_stability")
    numbers = None if groups is None else read_row_groups(groups, features.n_rows)
    require_rows(int(rows.sum()), _FEWEST_ROWS, "A pair of half-samples")
    table = problem.table
    kinds = table.target.kinds
    classes = [i for i, kind in enumerate(kinds) if kind.n_classes is not None]
    decided: dict[str, Any] = {"discrete_features": False}
    if not table.target.is_censored:
        decided["discrete_target"] = tuple(kind.name for kind in kinds)
    data = ResampledData(
        features=features.take(rows).with_discrete(table.discrete),
        target=target.take(rows).with_discrete(classes),
        row_groups=None if numbers is None else read_row_groups(numbers[rows], int(rows.sum())),
        parameters={**parameters, **decided},
        settings=problem.settings,
        candidates=tuple(problem.candidates),
        target_name=table.target.name,
        n_rows_dropped=problem.n_rows_dropped,
    )
    return data, table


def draw_pair(data: ResampledData, seed: int, pair: int) -> tuple[BoolArray, BoolArray]:
    """Draw a pair of disjoint half-samples without replacement; return which rows are in either.

    Rows are divided, or whole groups of them. Both halves have the same number, so that of an odd number one, at
    random, is in neither. Those of one class, or with an event, are divided evenly, up to one (stratified); the
    class of a group is the most frequent one of its rows.
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


def _class_of_each(data: ResampledData, numbers: IntArray) -> IntArray:
    """Return the class of each row, or the most frequent one of each group; zeros where there are no classes."""
    discrete = sorted(data.target.discrete)
    if data.target.event is not None:
        values = np.signbit(data.target.values).astype(np.float64)
    else:
        values = np.nan_to_num(data.target.values[discrete]) if discrete else np.zeros((1, data.n_rows))
    codes = np.unique(values, axis=1, return_inverse=True)[1].ravel()
    counts = np.zeros((int(numbers.max()) + 1, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (numbers, codes), 1)
    return np.asarray(counts.argmax(axis=1))


def _select_on_all(
    data: ResampledData,
    seed: int,
    n_resamples: int,
    n_jobs: int | None,
    reporter: Reporter,
    checkpoint: Checkpoint[StabilityState] | None,
    state: StabilityState,
) -> list[HalfSample]:
    """Select on every half-sample; each is written to the checkpoint as soon as it is done."""
    done = {half.number: half for half in state.half_samples}
    left = [number for number in range(n_resamples) if number not in done]
    reporter.begin("selecting on half-samples", n_resamples)
    reporter.advance(n_resamples - len(left))
    for half in _selections(data, seed, left, n_jobs):
        done[half.number] = half
        reporter.advance(1)
        if checkpoint is not None and not half.is_partial:
            state = replace(state, half_samples=(*state.half_samples, half))
            checkpoint.write(state)
    return [done[number] for number in range(n_resamples)]


def _selections(data: ResampledData, seed: int, numbers: list[int], n_jobs: int | None) -> Iterator[HalfSample]:
    """Yield the selections on half-samples in their order, computed in parallel."""
    if not numbers:
        return
    in_turn = get_active_backend(prefer="processes")[0].supports_return_generator
    run = Parallel(n_jobs=n_jobs, prefer="processes", return_as="generator" if in_turn else "list")
    with single_threaded_blas():  # set here, once, where threads would each set and lift the limit
        yield from run(delayed(_select)(os.getpid(), data, seed, number) for number in numbers)


def _select(parent: int, data: ResampledData, seed: int, number: int) -> HalfSample:
    """Select on a half-sample; a process that was started for it leaves interrupts to its parent."""
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return select(data, seed, number)


def select(data: ResampledData, seed: int, number: int) -> HalfSample:
    """Select on one half-sample, with random streams of its own."""
    pair, half = divmod(number, 2)
    rows = draw_pair(data, seed, pair)[half]
    own = int(stream(seed, "selections on half-samples", number).integers(2**32))
    groups = None if data.row_groups is None else data.row_groups[rows]
    settings = replace(data.settings, seed=own)
    with single_threaded_blas():
        try:
            problem = make_problem(
                data.features.take(rows), data.target.take(rows), groups, data.parameters, settings
            )
        except InputError as error:
            raise InputError(f"On half-sample {number + 1}: ", *error.parts) from error
        selection = Run(problem, ThreadEngine(1), Reporter(None, settings.time_limit)).select()
    if selection.ended_by == INTERRUPT:
        raise KeyboardInterrupt
    place = {name: i for i, name in enumerate(selection.feature_names)}
    redundant = [
        (place[verdict.feature], place[carrier])
        for verdict in selection.verdicts
        for carrier in verdict.redundant_with
    ]
    return HalfSample(
        number=number, selected=selection.indices, redundant=tuple(redundant), is_partial=selection.is_partial
    )


def find_substitutes(half_samples: Sequence[HalfSample], names: Sequence[str]) -> tuple[Substitutes, ...]:
    """Return the groups of features that replace each other, the most frequently selected group first.

    One feature is replaced by another on a half-sample where the other is selected and it is redundant with that.
    Two are substitutes if each is replaced by the other on at least a twentieth of the half-samples, and both are
    selected together less often than one replaces the other. A group is a feature and all its substitutes that are
    in no group before, beginning with the feature that is selected most often.
    """
    is_selected = np.zeros((len(half_samples), len(names)), dtype=bool)
    replaced: IntArray = np.zeros((len(names), len(names)), dtype=np.int64)
    for row, half in zip(is_selected, half_samples, strict=True):
        row[list(half.selected)] = True
        for redundant, carrier in half.redundant:
            replaced[redundant, carrier] += 1
    counts = is_selected.sum(axis=0)
    ungrouped = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0]
    groups = []
    while ungrouped:
        leader, *others = ungrouped
        own = [other for other in others if _are_substitutes(leader, other, replaced, is_selected)]
        ungrouped = [other for other in others if other not in own]
        if own:
            members = [leader, *own]
            frequency = float(is_selected[:, members].any(axis=1).mean())
            groups.append(Substitutes(features=tuple(names[i] for i in members), frequency=frequency))
    return tuple(sorted(groups, key=lambda group: -group.frequency))


def _are_substitutes(one: int, other: int, replaced: IntArray, is_selected: np.ndarray) -> bool:
    both_ways = (int(replaced[one, other]), int(replaced[other, one]))
    together = int((is_selected[:, one] & is_selected[:, other]).sum())
    return min(both_ways) >= _LEAST_REPLACED * len(is_selected) and together < sum(both_ways)


def _stability(data: ResampledData, half_samples: Sequence[HalfSample]) -> Stability:
    names = data.features.names
    counts = np.bincount([i for half in half_samples for i in half.selected], minlength=len(names))
    n_selected = sum(set(unit.columns) <= set(half.selected) for half in half_samples for unit in data.candidates)
    return Stability(
        feature_names=names,
        target_name=data.target_name,
        frequencies=counts / len(half_samples),
        groups=find_substitutes(half_samples, names),
        selected=tuple(tuple(names[i] for i in half.selected) for half in half_samples),
        n_candidates=len(data.candidates),
        mean_selected=n_selected / len(half_samples),
        n_rows=data.n_rows,
        n_rows_dropped=data.n_rows_dropped,
        n_row_groups=data.settings.n_row_groups,
        n_partial=sum(half.is_partial for half in half_samples),
        settings=data.settings,
        version=version("infosift"),
    )
