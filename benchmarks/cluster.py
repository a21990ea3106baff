"""A selection on one thread and on workers of a cluster of this machine: ``python -m benchmarks.cluster N D``.

Prints seconds, ratios, and the peak memory of this process and of the largest worker in megabytes. For a table
that takes long, ``python -m benchmarks.cluster N D 2`` runs it with two workers only.
"""

from __future__ import annotations

import sys
from time import perf_counter

import joblib
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.memory import megabytes
from infosift import MutualInfoSelector


def main() -> None:
    """Select from a table of noise and three features that matter, in each way."""
    n_rows, n_features, *n_workers = map(int, sys.argv[1:])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.5 * rng.normal(size=n_rows)
    if n_workers:
        _on_workers(X, y, *n_workers)
        return
    one_thread, selection = _timed(X, y, n_jobs=1)
    print(f"one thread: {one_thread:.1f} s, {megabytes('VmHWM'):.0f} MB", flush=True)
    one_worker, of_one = _on_workers(X, y, 1)
    two_workers, of_two = _on_workers(X, y, 2)
    assert selection == of_one == of_two, "the same bits"
    print(f"one worker takes {one_worker / one_thread:.2f} times as long as one thread (at most 1.3)")
    print(f"two workers are {one_worker / two_workers:.2f} times as fast as one (at least 1.7)")


def _on_workers(X: np.ndarray, y: np.ndarray, n_workers: int) -> tuple[float, object]:
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        _timed(X[:, :8], y)  # workers import what they need
        seconds, selection = _timed(X, y)
        peak = max(client.run(megabytes, "VmHWM").values())
    print(
        f"{n_workers} worker{'s' * (n_workers > 1)}: {seconds:.1f} s, this process {megabytes('VmHWM'):.0f} MB, "
        f"a worker {peak:.0f} MB, {', '.join(selection.names)}",
        flush=True,
    )
    return seconds, selection


def _timed(X: np.ndarray, y: np.ndarray, **options: object) -> tuple[float, object]:
    began = perf_counter()
    selection = MutualInfoSelector(random_state=0, **options).fit(X, y).selection_
    return perf_counter() - began, selection


if __name__ == "__main__":
    main()
