"""Series scores of candidates, of the data and of surrogates."""

from __future__ import annotations

from functools import partial

import numpy as np

from infosift.arrays import FloatArray
from infosift.engines.blas import on_one_thread
from infosift.significance.conditional import Conditional
from infosift.significance.max_test import Draws, draws_of, joined
from infosift.significance.series import Series

# Of the target's functions, in many draws: they fit into the cache, or are enough to be worth a product.
_VALUES_IN_CACHE = 500_000
_MOST_VALUES = 8_000_000
_DRAWS_AT_ONCE = 64
# Scores of so many values are kept from look to look; more are worked out again, some candidates at a time.
_MOST_KEPT = 10_000_000
_DRAWS_KEPT = 1000
_TO_SETTLE = 5  # times as many, where some are near alpha
_MOST_SCORES = 5
# Up to so many values of all candidates, draws are so cheap that thousands may settle what is near alpha.
_FEW_VALUES = 500_000


class DrawnSeries:
    """Series scores of the data (draw 0) and of surrogates (all others): many draws in one matrix product."""

    def __init__(self, conditional: Conditional, purpose: str) -> None:
        self._conditional, self._purpose = conditional, purpose
        n_units, n_scores = len(conditional.units), _MOST_SCORES * len(conditional.part_functions)
        self._n_scores, self._at_once = n_scores, max(1, _MOST_KEPT // (_DRAWS_KEPT * n_scores))
        self.is_cheap = n_units <= self._at_once and n_units * conditional.bench.table.n_rows <= _FEW_VALUES
        self._kept: list[FloatArray] = []

    def draws(self, count: int) -> Draws:
        """Return the data and so many surrogates."""
        n_units = len(self._conditional.units)
        at_once = min(self._at_once, max(1, _TO_SETTLE * _MOST_KEPT // (count * self._n_scores)))
        if n_units <= at_once:
            done = sum(map(len, self._kept))
            self._kept.append(self.scores(range(done, count + 1), slice(0, n_units)))
            return draws_of(np.concatenate(self._kept))
        parts = [slice(start, start + at_once) for start in range(0, n_units, at_once)]
        return joined([draws_of(self.scores(range(count + 1), part)) for part in parts])

    def scores(self, draws: range, units: slice) -> FloatArray:
        """Return an array (draws x candidates x scores)."""
        bench, n_rows = self._conditional.bench, self._conditional.bench.table.n_rows
        bench.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws))
        series = [self._conditional.series(block) for block in self._conditional.blocks(units)]
        at_once = self._draws_at_once(n_rows)
        scores = []
        for start in range(0, len(draws), at_once):
            part = draws[start : start + at_once]
            moved = self._conditional.target.moved(self._conditional.sources(part))
            with on_one_thread():  # here, since what one thread sets is so for all
                found = bench.engine.each(partial(_scores_of, moved), series)
            scores.append(np.concatenate(found, axis=1))
            bench.reporter.advance(len(part))
        return np.concatenate(scores)

    def _draws_at_once(self, n_rows: int) -> int:
        n_parts, n_functions = self._conditional.target.functions.shape[:2]
        n_values = int(n_parts * n_functions * n_rows)
        return int(max(1, _VALUES_IN_CACHE // n_values, min(_DRAWS_AT_ONCE, _MOST_VALUES // n_values)))


def _scores_of(moved: FloatArray, series: Series) -> FloatArray:
    return series.scores(moved)
