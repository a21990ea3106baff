"""Pairs of features that are informative only together: products of their functions, all pairs in each draw."""

from __future__ import annotations

from itertools import product

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.engines.blas import on_one_thread
from infosift.significance.conditional import Conditional
from infosift.significance.series import carried_back, exact, standardised

# Beyond as many features only products of first functions are looked at, and only those of the features with the
# largest effects: in each draw its own, so that the data have no advantage over the surrogates.
_MOST_FEATURES = 300
_MOST_ROWS = 2_000
_LEAST_SPREAD = 0.1
_DIGITS = 9


class PairSeries:
    """The largest coefficient of the product of any two single features with the residual of the target."""

    def __init__(self, conditional: Conditional, purpose: str) -> None:
        self._conditional, self._purpose = conditional, purpose
        self.places = [i for i, unit in enumerate(conditional.units) if len(unit.columns) == 1]
        self._has_many = len(self.places) > _MOST_FEATURES
        functions = [conditional.candidate_functions[i] for i in self.places]
        n_rows = conditional.bench.table.n_rows
        self._rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)
        self._forms = [
            exact(standardised(np.stack([own[min(order, len(own) - 1)][self._rows] for own in functions])))
            for order in range(1 if self._has_many else 2)
        ]
        self._parts = exact(np.stack([part[0] for part in conditional.part_functions]))
        self._spreads = None if self._has_many else self._spreads_of(self._forms)
        self.best: tuple[int, int] | None = None

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x 1 x 1) of the largest coefficient; remember the pair of draw 0."""
        self._conditional.bench.reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws))
        largest = []
        for draw in draws:
            fit, pair = self._largest(draw)
            largest.append(fit)
            if draw == 0:
                self.best = pair
            self._conditional.bench.reporter.advance(1)
        return np.array(largest)[:, None, None]

    def _largest(self, draw: int) -> tuple[float, tuple[int, int]]:
        parts = carried_back(self._parts, self._conditional.source(draw))[:, self._rows]
        parts = parts - parts.mean(axis=1, keepdims=True)
        which = self._promising(parts)
        forms = [form[which] for form in self._forms] if self._has_many else self._forms
        spreads = self._spreads_of(forms) if self._spreads is None else self._spreads
        best, pair = -1.0, (0, 0)
        for part in parts:
            for (a, b), spread in zip(product(forms, repeat=2), spreads, strict=True):
                with on_one_thread():
                    fits = np.round(np.triu(np.abs((a * part) @ b.T) / spread, k=1), _DIGITS)
                if fits.max() > best:
                    i, j = np.unravel_index(int(fits.argmax()), fits.shape)
                    best, pair = float(fits[i, j]), (self.places[which[i]], self.places[which[j]])
        return float(best / np.sqrt(len(self._rows))), pair

    def _promising(self, parts: FloatArray) -> IntArray:
        """Return which features are paired in a draw: all, or those with the largest effects."""
        if not self._has_many:
            return np.arange(len(self.places))
        with on_one_thread():
            effects = np.abs(self._forms[0] @ parts.T).max(axis=1)
        return np.sort(np.argsort(-np.round(effects, _DIGITS), kind="stable")[:_MOST_FEATURES])

    def _spreads_of(self, forms: list[FloatArray]) -> list[FloatArray]:
        """Return the standard deviation of the product of any two features; infinite where it hardly varies."""
        n_rows, spreads = len(self._rows), []
        for a, b in product(forms, repeat=2):
            with on_one_thread():
                spread = np.sqrt(np.maximum((a**2) @ (b**2).T / n_rows - (a @ b.T / n_rows) ** 2, 0))
            spreads.append(np.where(spread > _LEAST_SPREAD, spread, np.inf))
        return spreads
