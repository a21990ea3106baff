"""Medians of interleaved repeats, so that a slow moment of the machine hits every contestant alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from time import perf_counter
from typing import Any


@dataclass
class Result:
    """One line of the table: what both did, how long it took them, and how many times faster we were."""

    work: str
    peer: str
    ours_seconds: float
    peer_seconds: float | None
    bar: float | None = None
    note: str = ""
    ratio: float | None = field(init=False)

    def __post_init__(self) -> None:
        self.ratio = None if self.peer_seconds is None else self.peer_seconds / self.ours_seconds

    def to_dict(self) -> dict[str, Any]:
        """Return the line for JSON."""
        return asdict(self)


def interleaved(
    contestants: Mapping[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Return the median seconds of each contestant over rounds in which each runs once."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            times[name].append(seconds(run, clock))
    return {name: median(values) for name, values in times.items()}


def seconds(run: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Time one call, by the clock on the wall or by ``process_time`` of the processor."""
    started = clock()
    run()
    return clock() - started
