"""The default selection on everyday tables, against other selectors."""

from __future__ import annotations

import warnings
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import everyday_table
from benchmarks.timing import Result, interleaved
from benchmarks.workloads import Size
from infosift.errors import InputError
from studies.selectors import DEFAULT, prepare, require_installed, select_by

# Each with the most features of a table that it gets through in a minute or two.
_PEERS = {
    "scikit-learn sequential": 100,
    "Boruta": 100,
    "mlxtend sequential": 30,
    "L1 path": 100,
    "mRMR, given the number": 100,
}


def default_selection(size: Size) -> list[Result]:
    """Whole default (calibrated) selection: searches around a model, Boruta, L1 path, mRMR given our number."""
    results = []
    for name in size.tables:
        table = everyday_table(name)
        if table is not None:
            X, y = table
            rows = np.random.default_rng(0).permutation(len(y))[: size.table_rows]
            results += _against_peers(name, X[rows, : size.table_columns], y[rows])
    return results


def _against_peers(name: str, X: np.ndarray, y: np.ndarray) -> list[Result]:
    """Time all on one table. A round is enough: these are seconds of the processor, and seeds are fixed."""
    peers = [peer for peer, most in _PEERS.items() if X.shape[1] <= most and _installed(peer)]
    selected: dict[str, frozenset[int]] = {}

    def select(who: str) -> None:
        selected[who] = select_by(who, X, y, 0, len(selected.get(DEFAULT, ())))

    for who in (DEFAULT, *peers):
        prepare(who)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contestants = {who: lambda who=who: select(who) for who in (DEFAULT, *peers)}
        times = interleaved(contestants, 1, process_time)
    work = f"default selection, {name}, {X.shape[0]:,} × {X.shape[1]}"
    results = []
    for peer in _PEERS:
        if peer in peers:
            note = f"CPU time; {len(selected[DEFAULT])} selected, peer {len(selected[peer])}"
            results.append(Result(work, peer, times[DEFAULT], times[peer], note=note))
        elif X.shape[1] <= _PEERS[peer]:
            results.append(Result(work, peer, times[DEFAULT], None, note="CPU time; not installed"))
    return results


def _installed(who: str) -> bool:
    try:
        require_installed([who])
    except InputError:
        return False
    return True
