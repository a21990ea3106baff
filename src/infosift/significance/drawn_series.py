"""Series scores of candidates, of the data and of surrogates."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray
from infosift.significance.conditional import Conditional

_VALUES_AT_ONCE = 4_000_000


class DrawnSeries:
    """Series scores of the data (draw 0) and of surrogates (all others): many draws in one matrix product."""

    def __init__(self, conditional: Conditional, purpose: str) -> None:
        self._conditional, self._purpose = conditional, purpose

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x candidates x scores)."""
        conditional = self._conditional
        series = conditional.series
        conditional.bench.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws))
        n_functions = series.parts.shape[0] * series.parts.shape[1]
        n_products = series.candidates.shape[0] * series.candidates.shape[1]
        at_once = max(1, _VALUES_AT_ONCE // (n_functions * (series.n_rows + n_products)))
        scores = []
        for start in range(0, len(draws), at_once):
            part = draws[start : start + at_once]
            scores.append(series.scores(np.stack([conditional.source(draw) for draw in part])))
            conditional.bench.reporter.advance(len(part))
        return np.concatenate(scores)
