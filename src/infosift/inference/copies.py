"""Copies of candidates in draws, in blocks that lie where they were made: only scores of them travel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import scale_distances
from infosift.engines.base import Engine, SpreadColumns, joined_columns
from infosift.inference.candidates import Candidates
from infosift.inference.row_sources import Sources

# A block, the draws and places in it, and the weights of its columns, if distances in them have such.
_Asked: TypeAlias = tuple[Candidates, list[tuple[int, IntArray]], FloatArray | None]


class Copies:
    """Copies of some candidates in each of some draws, one after the other.

    ``firsts`` says where the columns of each begin among ``columns``, and ``sizes`` how many it has.
    """

    def __init__(self, columns: SpreadColumns, firsts: IntArray, sizes: IntArray, engine: Engine) -> None:
        self.columns, self.firsts, self._sizes, self._engine = columns, firsts, sizes, engine

    @cached_property
    def singles(self) -> IntArray:
        """Those of one column, in the order in which they lie."""
        return self._in_order(np.flatnonzero(self._sizes == 1))

    @cached_property
    def groups(self) -> dict[int, FloatArray]:
        """The columns of each of the others, brought here."""
        groups = self._in_order(np.flatnonzero(self._sizes > 1))
        if not len(groups):
            return {}
        ends = np.cumsum(self._sizes[groups])
        positions = np.arange(ends[-1]) + np.repeat(
            self.firsts[groups] - ends + self._sizes[groups], self._sizes[groups]
        )
        pieces = [(piece,) for piece in self.columns.pieces(positions.tolist())]
        found = np.concatenate(list(self._engine.each(joined_columns, pieces)))
        return dict(zip(groups.tolist(), np.split(found, ends[:-1]), strict=True))

    def _in_order(self, which: IntArray) -> IntArray:
        return which[np.argsort(self.firsts[which])]


def within_blocks(
    parts: Sequence[slice], asked: Sequence[IntArray]
) -> list[tuple[int, list[IntArray], list[IntArray]]]:
    """Return each block in which any of the places asked are, with these, counted in it, and which they are."""
    found = []
    for number, part in enumerate(parts):
        which = [np.flatnonzero((own >= part.start) & (own < part.stop)) for own in asked]
        if any(map(len, which)):
            places = [own[inside] - part.start for own, inside in zip(asked, which, strict=True)]
            found.append((number, places, which))
    return found


def copies_of(asked: _Asked, sources: Sources, of_residuals: bool) -> FloatArray:
    """Return copies of candidates, or of their residuals, for each draw and places; draw 0 is the data.

    They are as distances are taken in them.
    """
    candidates, draws, weights = asked
    found = []
    for draw, places in draws:
        source, columns = sources([draw])[0], candidates.columns_at(places)
        if of_residuals:
            copies = candidates.residuals(columns, source)
        else:
            copies = candidates.copies(columns, None if draw == 0 else source)
        found.append(copies if weights is None else scale_distances(copies, weights[columns]))
    return np.concatenate(found)
