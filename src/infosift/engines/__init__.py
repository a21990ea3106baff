"""Where blocks of candidate columns are scored: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
from joblib.parallel import get_active_backend

from infosift.engines.base import Engine, ThreadEngine

if TYPE_CHECKING:
    from infosift.engines.remote_table import ColumnSource

__all__ = ["Engine", "ThreadEngine", "active_engine", "in_memory", "is_dask_collection", "source_of"]


def active_engine(
    n_jobs: int | None = None, on_block: Callable[[int], object] | None = None, data: Any = None
) -> Engine:
    """Return the engine of the cluster inside ``joblib.parallel_config(backend="dask")``, else that of threads.

    With ``n_jobs=1`` it is one thread of this process even there, unless the data are of Dask: these are always
    processed by workers, if there are any.
    """
    threads = ThreadEngine(n_jobs, on_block=on_block)
    is_of_dask = is_dask_collection(data)
    client = _client(or_last=is_of_dask) if is_of_dask or n_jobs != 1 else None
    if client is None:
        return threads
    from infosift.engines.dask import DaskEngine

    return DaskEngine(client, on_block)


def _client(or_last: bool) -> Any:
    """Return the client of the active joblib backend if that is a Dask cluster; None on a worker of it.

    Else, with ``or_last``, the client that was last created in this process, if any.
    """
    backend = get_active_backend()[0]
    is_active = type(backend).__name__ == "DaskDistributedBackend"
    if not is_active and not or_last:
        return None
    try:
        from distributed import default_client
        from distributed.worker import thread_state

        on_worker = hasattr(thread_state, "execution_state")
        return None if on_worker else backend.client if is_active else default_client()
    except (ImportError, ValueError):
        return None


def is_dask_collection(data: Any) -> bool:
    """Tell whether data are a collection of Dask, without importing it."""
    return not isinstance(data, type) and callable(getattr(data, "__dask_graph__", None))


def in_memory(data: Any) -> Any:
    """Read lazy data, such as a target; a lazy frame of one column becomes that column."""
    if nw.dependencies.is_polars_lazyframe(data):
        frame = data.collect()
        return frame.to_series() if frame.width == 1 else frame
    return data.compute() if is_dask_collection(data) else data


def source_of(data: Any) -> ColumnSource | None:
    """Return a lazy table as a source of columns; None for a table in memory."""
    if not nw.dependencies.is_polars_lazyframe(data) and not is_dask_collection(data):
        return None
    from infosift.engines.remote_table import lazy_source  # which tables in memory do without

    return lazy_source(data)
