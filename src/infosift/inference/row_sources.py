"""From which row each takes its value in a draw: the same for all candidates, wherever their columns lie."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import shuffled_rows
from infosift.data.types import are_categorical, coordinates_of
from infosift.engines.base import Sendable
from infosift.inference.shifts import CIRCULAR, shifted_rows
from infosift.inference.strata import shuffled_within, strata_of
from infosift.random_streams import stream

# Draws that share a stream, and how many numbers of rows are kept.
_DRAWS_AT_ONCE = 64
_MOST_KEPT = 24_000_000
# Rows that a local permutation takes values from: the nearest ones, the row itself included (Runge 2018).
_NEAREST = 5


# Numbers of rows, as small as they can be kept.
_Rows: TypeAlias = NDArray[np.unsignedinteger[Any]]


class Shuffle(Protocol):
    """What becomes of shuffled orders of the rows beside a subset."""

    def sources(self, numbers: Sequence[int], orders: IntArray) -> IntArray:
        """Return from which row each takes its value in some draws, for shuffled orders (draws x rows)."""
        ...


def shuffle_of(null: str, given: FloatArray, seed: int, step: int, *, in_strata: bool = True) -> Shuffle:
    """Return how a null shuffles beside the given columns; without any, all nulls follow the orders."""
    if null == "local" and len(given):
        return AmongNearRows(given, seed, step)
    return WithinStrata(given) if null == "residual" and len(given) and in_strata else AsDrawn()


class AsDrawn:
    """Follows the orders."""

    def sources(self, numbers: Sequence[int], orders: IntArray) -> IntArray:
        """Return the orders."""
        return orders


class WithinStrata:
    """Follows the orders within strata: should residuals still depend on the subset, so do those of surrogates."""

    def __init__(self, given: FloatArray) -> None:
        self._strata = strata_of(given)

    def sources(self, numbers: Sequence[int], orders: IntArray) -> IntArray:
        """Return the orders, followed within strata."""
        return shuffled_within(self._strata, orders)


class AmongNearRows:
    """Takes, for each row, the value of a row that is near to it in a subset.

    No row is taken twice where that can be helped (Runge 2018).
    """

    def __init__(self, given: FloatArray, seed: int, step: int) -> None:
        self._seed, self._step = seed, step
        points = coordinates_of(given, are_categorical(given)).T
        nearest = min(_NEAREST, len(points))
        self._near = KDTree(points).query(points, nearest, p=np.inf)[1].reshape(len(points), nearest)

    def sources(self, numbers: Sequence[int], orders: IntArray) -> IntArray:
        """Return from which near row each takes its value; an order is that in which the rows are served."""
        return np.stack([self._source(number, order) for number, order in zip(numbers, orders, strict=True)])

    def _source(self, number: int, order: IntArray) -> IntArray:
        near = stream(self._seed, "local", self._step, number).permuted(self._near, axis=1)
        source, free = np.empty_like(order), np.ones(len(order), dtype=bool)
        for row in order:
            still_free = near[row][free[near[row]]]
            source[row] = still_free[0] if len(still_free) else near[row, 0]
            free[source[row]] = False
        return source


class Sources(Sendable):
    """The sources of all draws of a test; draw 0 is the data, of which each row has its own values."""

    def __init__(
        self, null: str, shuffle: Shuffle, seed: int, step: int, n_rows: int, row_groups: IntArray | None
    ) -> None:
        self._null, self._shuffle, self._seed, self._step = null, shuffle, seed, step
        self.n_rows, self._row_groups = n_rows, row_groups
        self._lock = Lock()
        self._kept: dict[int, _Rows] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send elsewhere: all that it takes to draw the same again."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_kept")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock(), _kept={})

    def __call__(self, draws: Sequence[int]) -> IntArray:
        """Return from which row each takes its value in some draws (draws x rows)."""
        sources = np.empty((len(draws), self.n_rows), dtype=np.int64)
        for block in sorted({draw // _DRAWS_AT_ONCE for draw in draws}):
            own = [i for i, draw in enumerate(draws) if draw // _DRAWS_AT_ONCE == block]
            sources[own] = self._block(block)[[draws[i] % _DRAWS_AT_ONCE for i in own]]
        return sources

    @property
    def _kind(self) -> type[np.unsignedinteger[Any]]:
        return np.uint16 if self.n_rows <= np.iinfo(np.uint16).max else np.uint32

    def _block(self, block: int) -> _Rows:
        """Return the sources of some draws, which share a stream; the last ones are kept."""
        with self._lock:  # others who ask for the same had better wait for it
            if block not in self._kept:
                if (len(self._kept) + 1) * _DRAWS_AT_ONCE * self.n_rows > _MOST_KEPT:
                    self._kept.clear()
                numbers = range(block * _DRAWS_AT_ONCE, (block + 1) * _DRAWS_AT_ONCE)
                found = self._shuffle.sources(numbers, self._orders(block, numbers)).astype(self._kind)
                if block == 0:
                    found[0] = np.arange(self.n_rows)
                self._kept[block] = found
            return self._kept[block]

    def _orders(self, block: int, numbers: range) -> IntArray:
        if self._null == CIRCULAR:
            return shifted_rows(self.n_rows, self._seed, self._step, numbers)
        generator, rows = stream(self._seed, "surrogate", self._step, block), np.arange(self.n_rows)
        if self._row_groups is None:
            return generator.permuted(np.tile(rows, (_DRAWS_AT_ONCE, 1)), axis=1)
        return np.stack([shuffled_rows(rows, generator, self._row_groups) for _ in range(_DRAWS_AT_ONCE)])
