"""Selections on pairs of half-samples, beside each other and resumed from a file, summed up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from infosift.engines.blas import on_one_thread
from infosift.engines.threads import ThreadEngine
from infosift.errors import InputError, require_count, require_verbosity
from infosift.progress import ProgressBar, Reporter
from infosift.random_streams import SeedLike, resolve_seed
from infosift.results.records import Record
from infosift.results.settings import Settings
from infosift.results.stability import Stability
from infosift.search.checkpoint import checkpoint_path, read_whole, require_same_run, write_whole
from infosift.search.problem import settings_of
from infosift.selector import MutualInfoSelector
from infosift.stability.half_samples import Data, HalfSample, read, select
from infosift.stability.substitutes import substitutes


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
        The target, numbers or classes. Both halves have the same share of each class, up to one row.
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
        raise InputError(f"n_resamples must be even, since half-samples come in pairs, not {n_resamples}.")
    is_shown = require_verbosity(verbose)
    n_jobs = selector.n_jobs if n_jobs is None else n_jobs
    ThreadEngine(n_jobs)  # refuses what is no number of jobs
    path = None if checkpoint is None else checkpoint_path(checkpoint)
    saved = None if path is None else read_whole(path, Saved)
    is_given = random_state is not None or saved is None
    seed = resolve_seed(random_state) if is_given else saved.settings.seed  # type: ignore[union-attr]
    parameters = clone(selector).set_params(random_state=seed).get_params(deep=False)
    data = read(X, y, groups, parameters, settings_of(parameters, has_row_groups=groups is not None))
    state = Saved(data=data.digest, version=version("infosift"), settings=data.settings, found=())
    if path is not None and saved is not None:
        require_same_run(path, saved, state)
        state = saved
    with ProgressBar() if is_shown else nullcontext() as bar:
        found = _select_on_all(data, seed, n_resamples, n_jobs, Reporter(bar), path, state)
    return _summed_up(data, found)


@dataclass(frozen=True, eq=False, kw_only=True)
class Saved(Record):
    """What was found on half-samples that are done, and what the run was asked."""

    data: str
    version: str
    settings: Settings
    found: tuple[HalfSample, ...]


def _select_on_all(
    data: Data,
    seed: int,
    n_resamples: int,
    n_jobs: int | None,
    reporter: Reporter,
    path: Path | None,
    state: Saved,
) -> list[HalfSample]:
    """Return what is found on each half-sample, in order; what is done is written as soon as it is."""
    known = {half.number: half for half in state.found}
    left = [number for number in range(n_resamples) if number not in known]
    reporter.begin("selecting on half-samples", n_resamples)
    reporter.advance(n_resamples - len(left))
    for half in _beside_each_other(data, seed, left, n_jobs):
        known[half.number] = half
        reporter.advance(1)
        if path is not None and not half.is_partial:
            state = replace(state, found=(*state.found, half))
            write_whole(path, state)
    return [known[number] for number in range(n_resamples)]


def _beside_each_other(data: Data, seed: int, numbers: list[int], n_jobs: int | None) -> Iterator[HalfSample]:
    if not numbers:
        return
    run = Parallel(n_jobs=n_jobs, prefer="processes", return_as="generator")
    with on_one_thread():  # a limit that threads would set and lift beside each other is set before
        yield from run(delayed(_select)(os.getpid(), data, seed, number) for number in numbers)


def _select(asking_process: int, data: Data, seed: int, number: int) -> HalfSample:
    """Select on a half-sample; a process that was started for it leaves interrupts to the one that asks."""
    if os.getpid() != asking_process and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return select(data, seed, number)


def _summed_up(data: Data, found: Sequence[HalfSample]) -> Stability:
    names = data.features.names
    frequencies = np.zeros(len(names))
    for half in found:
        frequencies[list(half.selected)] += 1
    n_selected = [sum(set(unit.columns) <= set(half.selected) for unit in data.candidates) for half in found]
    return Stability(
        feature_names=names,
        target_name=data.target_name,
        frequencies=frequencies / len(found),
        groups=substitutes(found, names),
        selected=tuple(tuple(names[i] for i in half.selected) for half in found),
        n_candidates=len(data.candidates),
        mean_selected=sum(n_selected) / len(found),
        n_rows=data.n_rows,
        n_rows_dropped=data.n_rows_dropped,
        n_row_groups=data.settings.n_row_groups,
        n_partial=sum(half.is_partial for half in found),
        settings=data.settings,
        version=version("infosift"),
    )
