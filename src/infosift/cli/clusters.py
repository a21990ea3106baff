"""Work on a Dask cluster: one that runs somewhere, or one that is started on this machine for the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib

from infosift.errors import InputError
from infosift.progress import held_back

LOCAL = "local"
_SECONDS_TO_CONNECT = 10


@contextmanager
def working_on(scheduler: str | None, n_jobs: int) -> Iterator[int]:
    """Let work be done by the workers of a scheduler, if there is one; yield the number of jobs to ask for.

    On this machine there are so many workers, or one per core for -1.
    """
    if scheduler is None:
        yield n_jobs
        return
    with _client_of(scheduler, n_jobs) as client, joblib.parallel_config(backend="dask", client=client):
        yield -1


@contextmanager
def _client_of(scheduler: str, n_jobs: int) -> Iterator[Any]:
    try:
        import dask

        # What goes wrong is said in a sentence.
        dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError('--scheduler needs Dask: install it with pip install "infosift[dask]".') from None
    if scheduler == LOCAL:
        n_workers = None if n_jobs == -1 else n_jobs
        with held_back():
            cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1)
        with cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler {scheduler} is no Dask scheduler that answers: give the address of one, such as "
            f"tcp://127.0.0.1:8786, or {LOCAL} to start workers on this machine."
        ) from error
    with client:
        yield client
