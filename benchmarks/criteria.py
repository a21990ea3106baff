"""Time of all criteria on the same candidates, against nearest neighbours."""

from __future__ import annotations

from functools import partial
from time import process_time

from benchmarks.data import columns
from benchmarks.timing import Result, interleaved
from benchmarks.workloads import Size
from infosift import score_candidates
from infosift.registry import CRITERIA

_PEER = "ksg"
_MOST_SECONDS = 2.0
_MOST_REPEATS = 3


def criteria(size: Size) -> list[Result]:
    """MI(S + c; y) for many candidates c given three columns S by each criterion: nearest neighbours (ksg)."""
    n = size.given[0]
    C, S, y = columns(n, size.given_d, n_given=3)
    contestants = {name: partial(score_candidates, C, y, S, criterion=name) for name in CRITERIA}
    times = interleaved(contestants, min(size.repeats, _MOST_REPEATS), process_time)
    return [
        Result(
            f"{C.shape[1]} candidates given 3 columns by {name}, n = {n:,}",
            f"infosift, {_PEER}",
            seconds,
            times[_PEER],
            note=f"CPU time, {'within' if seconds <= _MOST_SECONDS else 'beyond'} {_MOST_SECONDS:g} s",
        )
        for name, seconds in times.items()
        if name != _PEER
    ]
