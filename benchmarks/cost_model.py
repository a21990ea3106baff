"""What a selection on a cluster will take: ``python -m benchmarks.cost_model`` measures the constants of a model.

Steps that select a feature have the time of their work, which workers share, and that of tasks and of all else,
which one process does:

    work = per_value * rows * features * steps
    tasks = per_block * blocks * steps + others
    asking = per_task * tasks + (per_feature * features + per_row * rows) * steps
    seconds = work / workers + waiting * tasks + rest

``asking`` is what this process and the scheduler are busy with, most of it while workers work. So no number of
workers is faster. Where they share the cores of one machine with the workers, a run takes at least the time of all
of them, divided by the cores.

The constants are measured with one worker on five tables, in small blocks, so that there are several. Two workers,
and a sixth table, are predicted and measured. Then the model predicts a large table. The last step, which
selects nothing, is no part of it: how long that takes depends on how near its p-values come to their levels, since
draws go on until that is clear.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from time import perf_counter, process_time

import joblib
import numpy as np
from distributed import Client, LocalCluster, get_task_stream
from scipy.optimize import nnls

from infosift import MutualInfoSelector
from infosift.engines import dask as dask_engine
from infosift.search import calibrated

_MEASURED = ((1000, 1000), (1000, 4000), (2000, 2000), (500, 4000), (4000, 500))
_PREDICTED = (2000, 4000)
_STEPS = 3
_LARGE, _STEPS_OF_LARGE = (10**6, 10**5), 10
# Of a block at most, as workers with little memory have it and with much.
_SMALL, _GREAT = dask_engine._LEAST_BYTES_OF_BLOCK, dask_engine._MOST_BYTES_OF_BLOCK


@dataclass(frozen=True)
class Run:
    """A selection: what it was of, its tasks, processor times of workers and of all else, and the time it took."""

    n_rows: int
    n_features: int
    n_tasks: int
    busy: float
    asking: float
    seconds: float

    @property
    def n_values(self) -> int:
        """Values that are tested, those of all steps."""
        return self.n_rows * self.n_features * _STEPS


@dataclass(frozen=True)
class Model:
    """The constants, in seconds and in tasks."""

    per_value: float
    waiting: float
    rest: float
    per_task: float
    per_feature: float
    per_row: float
    per_block: float
    others: float

    @classmethod
    def fitted(cls, runs: list[Run]) -> Model:
        """Return the constants that come nearest to runs with one worker; none is negative."""
        work = np.array([[run.n_values] for run in runs], dtype=float)
        tasks = np.array([[run.n_tasks, 1.0] for run in runs])
        asking = np.array([[run.n_tasks, run.n_features * _STEPS, run.n_rows * _STEPS] for run in runs])
        blocks = np.array([[_n_blocks(run.n_rows, run.n_features, 1, _SMALL) * _STEPS, 1.0] for run in runs])
        return cls(
            *nnls(work, [run.busy for run in runs])[0],
            *nnls(tasks, [max(0.0, run.seconds - run.busy) for run in runs])[0],
            *nnls(asking, [run.asking for run in runs])[0],
            *nnls(blocks, [run.n_tasks for run in runs])[0],
        )

    def in_words(self) -> str:
        """Return the constants in a line each."""
        return (
            f"work: {1e6 * self.per_value:.2f} s for a million values in a step\n"
            f"tasks: {self.per_block:.1f} for a block in a step, and {self.others:.0f} others\n"
            f"asking: {1e3 * self.per_task:.1f} ms for a task; in a step {1e3 * self.per_feature:.3f} ms for a "
            f"feature and {1e3 * self.per_row:.3f} ms for a row\n"
            f"waiting: {1e3 * self.waiting:.1f} ms for a task, and {self.rest:.1f} s in all"
        )

    def seconds(
        self, n_rows: int, n_features: int, n_steps: int, n_workers: int, size: int, n_cores: int = 0
    ) -> float:
        """Return what a run is expected to take; ``n_cores`` where all processes share those of one machine."""
        work = self.per_value * n_rows * n_features * n_steps
        n_tasks = self.per_block * _n_blocks(n_rows, n_features, n_workers, size) * n_steps + self.others
        asking = self.per_task * n_tasks + (self.per_feature * n_features + self.per_row * n_rows) * n_steps
        shared = (work + asking) / n_cores if n_cores else 0.0
        return max(work / n_workers + self.waiting * n_tasks + self.rest, asking, shared)


def main() -> None:
    """Measure, predict and extrapolate."""
    dask_engine._MOST_BYTES_OF_BLOCK = _SMALL  # so that small tables have several
    measured = {(size, 1): _run(*size, n_workers=1) for size in _MEASURED}
    model = Model.fitted(list(measured.values()))
    print(model.in_words())
    print("\n| rows | features | workers | predicted | measured |\n|---|---|---|---|---|", flush=True)
    for size, n_workers in product((*_MEASURED, _PREDICTED), (1, 2)):
        run = measured.get((size, n_workers)) or _run(*size, n_workers)
        expected = model.seconds(*size, _STEPS, n_workers, _SMALL, os.cpu_count() or 0)
        print(
            f"| {size[0]:,} | {size[1]:,} | {n_workers} | {expected:.0f} s | {run.seconds:.0f} s |",
            flush=True,
        )
    _extrapolate(model)


def _extrapolate(model: Model) -> None:
    n_rows, n_features = min(_LARGE[0], calibrated._MOST_ROWS), _LARGE[1]
    print(f"\n{_LARGE[0]:,} rows and {n_features:,} features, {_STEPS_OF_LARGE} steps:\n")
    print("| workers | hours |\n|---|---|")
    for n_workers in (1, 10, 30, 100, 300, 1000):
        seconds = model.seconds(n_rows, n_features, _STEPS_OF_LARGE, n_workers, _GREAT)
        print(f"| {n_workers:,} | {seconds / 3600:.2f} |")


def _n_blocks(n_rows: int, n_features: int, n_workers: int, size: int) -> int:
    least = min(dask_engine._BLOCKS_PER_THREAD * n_workers, dask_engine._MOST_BLOCKS)
    return max(-(-8 * n_rows * n_features // size), least)


def _run(n_rows: int, n_features: int, n_workers: int) -> Run:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.5 * rng.normal(size=n_rows)
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        MutualInfoSelector(random_state=0, max_features=_STEPS).fit(X[:, :8], y)  # workers import what they need
        before, began_asking = sum(client.run(process_time).values()), process_time()
        with get_task_stream(client) as tasks:
            began = perf_counter()
            MutualInfoSelector(random_state=0, max_features=_STEPS).fit(X, y)
            seconds = perf_counter() - began
            asking = process_time() - began_asking
        busy = sum(client.run(process_time).values()) - before
    return Run(n_rows, n_features, len(tasks.data), busy, asking, seconds)


if __name__ == "__main__":
    main()
