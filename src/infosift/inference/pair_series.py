"""Pairs of features that are informative only together: products of their functions, all pairs in each draw."""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.criteria.rank_basis import standardised
from infosift.engines.base import equal_parts
from infosift.inference.candidates import MOST_FUNCTIONS, Candidates
from infosift.inference.conditional import Conditional
from infosift.inference.copies import within_blocks
from infosift.inference.series import carried_back, exact

# Beyond as many features only products of first functions are looked at, and only those of the features with the
# largest effects: in each draw its own, so that the data have no advantage over the surrogates.
_MOST_FEATURES = 300
_MOST_ROWS = 2_000
_VALUES_AT_ONCE = 2_000_000
_VALUES_OF_FORMS = 8_000_000
_LEAST_SPREAD = 0.1
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
        self._parts = exact(np.stack([part[0] for part in conditional.part_functions]))
        self._blocks = conditional.bench.engine.keep(
            _forms_of, conditional.blocks, self._rows, 1 if self._has_many else 2
        )
        self.best: tuple[int, int] | None = None

    @cached_property
    def _forms(self) -> FloatArray:
        """The functions of all features (orders x features x rows), in the order of their places."""
        forms = np.concatenate(list(self._conditional.bench.engine.each(np.asarray, self._blocks)), axis=1)
        return forms[:, self.places].astype(np.float64)

    @property
    def is_cheap(self) -> bool:
        """Whether many draws cost little."""
        return not self._has_many and 2 * len(self.places) ** 2 * len(self._rows) <= _FEW_VALUES

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x 1 x 1) of the largest coefficient; remember the pair of draw 0."""
        reporter = self._conditional.bench.reporter
        reporter.begin(f"{self._purpose}, {draws[-1]} surrogates", len(draws))
        at_once = max(1, _VALUES_AT_ONCE // (len(self._parts) * self._parts.shape[1]))
        if self._has_many:
            at_once = min(at_once, max(1, _VALUES_OF_FORMS // (_MOST_FEATURES * len(self._rows))))
        largest = []
        for start in range(0, len(draws), at_once):
            part = draws[start : start + at_once]
            moved = carried_back(self._parts, self._conditional.sources(part))[:, :, self._rows].swapaxes(0, 1)
            found = self._largest_of_promising(moved) if self._has_many else self._largest(moved)
            largest += [fit for fit, _ in found]
            if part[0] == 0:
                self.best = found[0][1]
            reporter.advance(len(part))
        return np.array(largest)[:, None, None]

    def _largest(self, moved: FloatArray) -> list[tuple[float, tuple[int, int]]]:
        """Return the largest coefficient of each draw, and its pair; ``moved`` is (draws x parts x rows)."""
        n_draws, forms = len(moved), self._forms
        fits, pairs = np.full(n_draws, -1.0), np.zeros((n_draws, 2), dtype=np.int64)
        first, second = np.triu_indices(len(self.places), k=1)
        at_once = max(1, _VALUES_AT_ONCE // (len(forms) ** 2 * len(self._rows)))
        blocks = [(first[part], second[part]) for part in equal_parts(len(first), at_once)]
        for found, of_pairs in self._conditional.bench.engine.each(_largest_of_pairs, blocks, forms, moved):
            better = found > fits
            fits[better], pairs[better] = found[better], of_pairs[better]
        return [
            (float(fit / np.sqrt(len(self._rows))), (self.places[i], self.places[j]))
            for fit, (i, j) in zip(fits, pairs, strict=True)
        ]

    def _largest_of_promising(self, moved: FloatArray) -> list[tuple[float, tuple[int, int]]]:
        """Return the largest coefficient of each draw, of first functions of the most promising features."""
        engine = self._conditional.bench.engine
        effects = np.concatenate(list(engine.each(_effects_of, self._blocks, moved)))[self.places]
        promising = [
            np.sort(np.argsort(-np.round(of_draw, DIGITS), kind="stable")[:_MOST_FEATURES])
            for of_draw in effects.T
        ]
        forms = self._forms_of_some(promising)
        found = engine.each(_largest_of_forms, list(zip(forms, moved, strict=True)))
        return [
            (fit, (self.places[which[i]], self.places[which[j]]))
            for which, (fit, i, j) in zip(promising, found, strict=True)
        ]

    def _forms_of_some(self, asked: list[IntArray]) -> list[NDArray[np.float32]]:
        """Return the first functions (features x rows) of some features for each draw."""
        places = [np.array(self.places)[which] for which in asked]
        forms = [np.empty((len(own), len(self._rows)), dtype=np.float32) for own in places]
        inside = within_blocks(self._conditional.parts_of_units, places)
        items = [(self._blocks[number], own) for number, own, _ in inside]
        answers = self._conditional.bench.engine.each(_forms_at, items)
        for of_block, (_, _, which) in zip(answers, inside, strict=True):
            for own, among, found in zip(forms, which, of_block, strict=True):
                own[among] = found
        return forms


def _forms_of(candidates: Candidates, rows: IntArray, n_orders: int) -> NDArray[np.float32]:
    """Return the first functions of all candidates (orders x candidates x rows), of unit variance."""
    forms = np.empty((n_orders, len(candidates.units), len(rows)), dtype=np.float32)
    size = max(1, _VALUES_AT_ONCE // (MOST_FUNCTIONS * candidates.n_rows))
    for part in equal_parts(len(candidates.units), size):
        found = candidates.functions(range(part.start, part.stop))
        for order in range(n_orders):
            own = np.stack([one.smooth[min(order, len(one.smooth) - 1)][rows] for one in found])
            forms[order, part] = exact(standardised(own))
    return forms


def _largest_of_pairs(
    pairs: tuple[IntArray, IntArray], forms: FloatArray, moved: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the largest coefficient of the products of some pairs in each draw, and its pair.

    Products are of unit variance; where one hardly varies it is zero.
    """
    n_draws, n_parts, n_rows = moved.shape
    first, second = pairs
    products = np.concatenate([a[first] * b[second] for a, b in product(forms, repeat=2)])
    varies = products.std(axis=1, keepdims=True) > _LEAST_SPREAD
    products = exact(standardised(products) * varies)
    found = np.abs(products @ moved.reshape(-1, n_rows).T).reshape(-1, n_draws, n_parts).max(axis=2)
    which = found.argmax(axis=0)
    of_pairs = np.stack([first, second], axis=1)[which % len(first)]
    return found[which, np.arange(n_draws)], of_pairs


def _effects_of(forms: NDArray[np.float32], moved: FloatArray) -> FloatArray:
    """Return how much of the target each feature goes with by its first function (features x draws)."""
    n_draws, n_parts, n_rows = moved.shape
    products = forms[0].astype(np.float64) @ moved.reshape(-1, n_rows).T
    return np.asarray(np.abs(products).reshape(-1, n_draws, n_parts).max(axis=2))


def _forms_at(asked: tuple[NDArray[np.float32], list[IntArray]]) -> list[NDArray[np.float32]]:
    forms, places = asked
    return [forms[0][own] for own in places]


def _largest_of_forms(asked: tuple[NDArray[np.float32], FloatArray]) -> tuple[float, int, int]:
    """Return the largest coefficient of products of functions with parts of the target, and of which two."""
    form, parts = asked[0].astype(np.float64), asked[1]
    n_rows = form.shape[1]
    means = form @ form.T / n_rows
    spread = np.sqrt(np.maximum((form**2) @ (form**2).T / n_rows - means**2, 0))
    spread = np.where(spread > _LEAST_SPREAD, spread, np.inf)
    centred = parts - parts.mean(axis=1, keepdims=True)
    fits = np.stack([np.triu(np.abs((form * part) @ form.T) / spread, k=1) for part in centred]).max(axis=0)
    i, j = np.unravel_index(int(np.round(fits, DIGITS).argmax()), fits.shape)
    return float(np.round(fits[i, j], DIGITS) / np.sqrt(n_rows)), int(i), int(j)
