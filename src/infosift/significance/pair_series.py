"""Pairs of features that are informative only together: products of their functions, all pairs in each draw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_functions import standardised
from infosift.engines.blas import on_one_thread
from infosift.significance.conditional import Conditional
from infosift.significance.series import carried_back, exact

# Beyond as many features only products of first functions are looked at, and only those of the features with the
# largest effects: in each draw its own, so that the data have no advantage over the surrogates.
_MOST_FEATURES = 300
_MOST_ROWS = 2_000
_VALUES_AT_ONCE = 2_000_000
_MOST_FUNCTIONS = 8
_LEAST_SPREAD = 0.1
_DIGITS = 9
# Up to so many values in all products of functions, draws are cheap.
_FEW_VALUES = 4_000_000


class PairSeries:
    """The largest coefficient of the product of any two single features with the residual of the target."""

    def __init__(self, conditional: Conditional, purpose: str) -> None:
        self._conditional, self._purpose = conditional, purpose
        digest, units = conditional.bench.table.digest, conditional.units
        singles = [i for i, unit in enumerate(units) if len(unit.columns) == 1]
        self.places = sorted(singles, key=lambda i: digest(units[i]))  # of equal products the first is taken
        self._has_many = len(self.places) > _MOST_FEATURES
        n_rows = conditional.bench.table.n_rows
        self._rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)
        self._forms = [exact(standardised(form)) for form in self._functions(1 if self._has_many else 2)]
        self._parts = exact(np.stack([part[0] for part in conditional.part_functions]))
        self.best: tuple[int, int] | None = None

    def _functions(self, n_orders: int) -> FloatArray:
        """Return the first functions of all features (orders x features x rows), some features at a time."""
        forms = np.empty((n_orders, len(self.places), len(self._rows)))
        size = max(1, _VALUES_AT_ONCE // (_MOST_FUNCTIONS * self._conditional.bench.table.n_rows))
        for start in range(0, len(self.places), size):
            found = self._conditional.functions(self.places[start : start + size])
            for place, own in enumerate(found, start):
                for order in range(n_orders):
                    forms[order, place] = own.smooth[min(order, len(own.smooth) - 1)][self._rows]
        return forms

    @property
    def is_cheap(self) -> bool:
        """Whether many draws cost little."""
        return not self._has_many and 2 * len(self.places) ** 2 * len(self._rows) <= _FEW_VALUES

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x 1 x 1) of the largest coefficient; remember the pair of draw 0."""
        reporter = self._conditional.bench.reporter
        reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws))
        at_once = max(1, _VALUES_AT_ONCE // (len(self._parts) * self._parts.shape[1]))
        largest = []
        for start in range(0, len(draws), at_once):
            part = draws[start : start + at_once]
            moved = carried_back(self._parts, self._conditional.sources(part))[:, :, self._rows].swapaxes(0, 1)
            if self._has_many:
                found = [self._largest_of_promising(parts) for parts in moved]
            else:
                found = self._largest(moved)
            largest += [fit for fit, _ in found]
            if part[0] == 0:
                self.best = found[0][1]
            reporter.advance(len(part))
        return np.array(largest)[:, None, None]

    def _largest(self, moved: FloatArray) -> list[tuple[float, tuple[int, int]]]:
        """Return the largest coefficient of each draw, and its pair; ``moved`` is (draws x parts x rows)."""
        n_draws, n_parts, n_rows = moved.shape
        fits, pairs = np.full(n_draws, -1.0), np.zeros((n_draws, 2), dtype=np.int64)
        for first, second, products in self._products():
            with on_one_thread():
                found = np.abs(products @ moved.reshape(-1, n_rows).T).reshape(-1, n_draws, n_parts).max(axis=2)
            which = found.argmax(axis=0)
            better = found[which, np.arange(n_draws)] > fits
            fits[better] = found[which, np.arange(n_draws)][better]
            pairs[better] = np.stack([first[which], second[which]], axis=1)[better]
        return [
            (float(fit / np.sqrt(n_rows)), (self.places[i], self.places[j]))
            for fit, (i, j) in zip(fits, pairs, strict=True)
        ]

    def _products(self) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Yield blocks of products of functions, of unit variance, and which features they are of.

        Where a product hardly varies it is zero.
        """
        first, second = np.triu_indices(len(self.places), k=1)
        at_once = max(1, _VALUES_AT_ONCE // (len(self._forms) ** 2 * len(self._rows)))
        for start in range(0, len(first), at_once):
            own, others = first[start : start + at_once], second[start : start + at_once]
            products = np.concatenate([a[own] * b[others] for a, b in product(self._forms, repeat=2)])
            varies = products.std(axis=1, keepdims=True) > _LEAST_SPREAD
            n_forms = len(self._forms) ** 2
            yield np.tile(own, n_forms), np.tile(others, n_forms), exact(standardised(products) * varies)

    def _largest_of_promising(self, parts: FloatArray) -> tuple[float, tuple[int, int]]:
        """Return the largest coefficient of first functions of the features with the largest effects in a draw."""
        with on_one_thread():
            effects = np.abs(self._forms[0] @ parts.T).max(axis=1)
            which = np.sort(np.argsort(-np.round(effects, _DIGITS), kind="stable")[:_MOST_FEATURES])
            form = self._forms[0][which]
            means = form @ form.T / len(self._rows)
            spread = np.sqrt(np.maximum((form**2) @ (form**2).T / len(self._rows) - means**2, 0))
            spread = np.where(spread > _LEAST_SPREAD, spread, np.inf)
            centred = parts - parts.mean(axis=1, keepdims=True)
            fits = np.stack([np.triu(np.abs((form * part) @ form.T) / spread, k=1) for part in centred]).max(
                axis=0
            )
        i, j = np.unravel_index(int(np.round(fits, _DIGITS).argmax()), fits.shape)
        largest = float(np.round(fits[i, j], _DIGITS) / np.sqrt(len(self._rows)))
        return largest, (self.places[which[i]], self.places[which[j]])
