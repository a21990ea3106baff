"""What a selection on a cluster will take: ``python -m benchmarks.cost_model`` measures the constants of a model.

The time is that of the work, which workers share, and that of tasks and of all else, which one process does:

    seconds = (per_value * rows * features * steps + at_the_end) / workers + per_task * tasks + rest

They are measured with one worker on three tables. Two workers, and a fourth table, are predicted and measured.
Last, the model is asked about a large table.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import joblib
import numpy as np
from distributed import Client, LocalCluster, get_task_stream
from scipy.optimize import nnls

from infosift import MutualInfoSelector

_MEASURED = ((500, 1000), (1000, 1000), (1000, 3000))
_PREDICTED = (2000, 2000)
_LARGE, _STEPS_OF_LARGE = (10**6, 10**5), 10
_MOST_ROWS = 20_000  # that are tested
_BYTES_OF_BLOCK, _BLOCKS_PER_WORKER = 4_000_000, 4


@dataclass(frozen=True)
class Run:
    """A selection: what it was of, how many steps and tasks it had, and the time of these tasks and of all."""

    n_rows: int
    n_features: int
    n_steps: int
    n_tasks: int
    busy: float
    seconds: float

    @property
    def n_blocks(self) -> int:
        """Blocks of the table, for one worker."""
        return _n_blocks(self.n_rows, self.n_features, 1)

    @property
    def n_values(self) -> int:
        """Values that are tested, those of all steps."""
        return self.n_rows * self.n_features * self.n_steps


@dataclass(frozen=True)
class Model:
    """The constants, in seconds."""

    per_value: float
    at_the_end: float
    per_task: float
    rest: float

    @classmethod
    def fitted(cls, runs: list[Run]) -> Model:
        """Return the constants that come nearest to runs with one worker; none is negative."""
        work = np.array([[run.n_values, 1.0] for run in runs])
        alone = np.array([[run.n_tasks, 1.0] for run in runs])
        per_value, at_the_end = nnls(work, [run.busy for run in runs])[0]
        per_task, rest = nnls(alone, [max(0.0, run.seconds - run.busy) for run in runs])[0]
        return cls(per_value, at_the_end, per_task, rest)

    def seconds(self, n_values: int, n_tasks: int, n_workers: int) -> float:
        """Return what a run is expected to take."""
        work = self.per_value * n_values + self.at_the_end
        return work / n_workers + self.per_task * n_tasks + self.rest


def main() -> None:
    """Measure, predict and extrapolate."""
    runs = [_run(*size, n_workers=1) for size in _MEASURED]
    model = Model.fitted(runs)
    passes = float(np.mean([run.n_tasks / (run.n_steps * run.n_blocks) for run in runs]))
    print(
        f"{1e6 * model.per_value:.2f} s for a million values in a step, {model.at_the_end:.1f} s at the end, "
        f"{1000 * model.per_task:.1f} ms for a task, {model.rest:.1f} s for the rest; {passes:.1f} tasks per "
        "block and step\n\n| rows | features | workers | predicted | measured |\n|---|---|---|---|---|"
    )
    for n_rows, n_features in (*_MEASURED, _PREDICTED):
        for n_workers in (1, 2):
            run = _run(n_rows, n_features, n_workers)
            expected = model.seconds(run.n_values, run.n_tasks, n_workers)
            print(f"| {n_rows:,} | {n_features:,} | {n_workers} | {expected:.0f} s | {run.seconds:.0f} s |")
    _extrapolate(model, passes)


def _extrapolate(model: Model, passes: float) -> None:
    n_rows, n_features = min(_LARGE[0], _MOST_ROWS), _LARGE[1]
    print(f"\n{_LARGE[0]:,} rows and {n_features:,} features, {_STEPS_OF_LARGE} steps:\n")
    print("| workers | hours |\n|---|---|")
    for n_workers in (1, 10, 30, 100, 300, 1000):
        n_tasks = int(passes * _STEPS_OF_LARGE * _n_blocks(n_rows, n_features, n_workers))
        seconds = model.seconds(n_rows * n_features * _STEPS_OF_LARGE, n_tasks, n_workers)
        print(f"| {n_workers:,} | {seconds / 3600:.1f} |")


def _n_blocks(n_rows: int, n_features: int, n_workers: int) -> int:
    return max(-(-8 * n_rows * n_features // _BYTES_OF_BLOCK), _BLOCKS_PER_WORKER * n_workers)


def _run(n_rows: int, n_features: int, n_workers: int) -> Run:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.5 * rng.normal(size=n_rows)
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        MutualInfoSelector(random_state=0).fit(X[:, :8], y)  # workers import what they need
        with get_task_stream(client) as tasks:
            began = perf_counter()
            selection = MutualInfoSelector(random_state=0).fit(X, y).selection_
            seconds = perf_counter() - began
    parts = [part for task in tasks.data for part in task["startstops"]]
    busy = sum(part["stop"] - part["start"] for part in parts)
    return Run(n_rows, n_features, len(selection.steps), len(tasks.data), busy, seconds)


if __name__ == "__main__":
    main()
