"""Selection over half-samples, against one selection on all rows."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.data import everyday_table
from benchmarks.timing import Result, interleaved
from benchmarks.workloads import Size
from infosift import MutualInfoSelector, selection_stability

_TABLE = "diabetes"
_MOST_TIMES = 25
_MOST_REPEATS = 3


def stability(size: Size) -> list[Result]:
    """Stability over half-samples, two at once: one selection on all rows, two threads."""
    X, y = everyday_table(_TABLE)
    rows = np.random.default_rng(0).permutation(len(y))[: size.table_rows]
    X, y = X[rows, : size.table_columns], y[rows]

    def select() -> object:
        return MutualInfoSelector(random_state=0, n_jobs=2).fit(X, y)

    def resample(n: int) -> object:
        return selection_stability(MutualInfoSelector(), X, y, n_resamples=n, n_jobs=2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resample(2)  # starts the processes
        contestants = {"half-samples": lambda: resample(size.resamples), "one": select}
        times = interleaved(contestants, min(size.repeats, _MOST_REPEATS))
    note = f"{times['half-samples'] / times['one']:.3g} times as long, aim at most {_MOST_TIMES}"
    work = f"stability, {size.resamples} half-samples, {_TABLE}, {X.shape[0]:,} × {X.shape[1]}"
    return [Result(work, "infosift, once", times["half-samples"], times["one"], 1 / _MOST_TIMES, note)]
