"""Pairs: features that are informative only together, by products of their functions, all pairs in each draw."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infosift import _kernel
from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.criteria.rank_basis import standardised
from infosift.data.groups import FeatureUnit
from infosift.engines.base import equal_parts
from infosift.inference.conditional_test import MOST_FUNCTIONS, CandidateBlock, ConditionalTest
from infosift.inference.max_test import NullSample, TestStatistic
from infosift.inference.permutation import FixedPoint, padded_rows, to_fixed_point

_MOST_ROWS = 2_000
_VALUES_AT_ONCE = 2_000_000
_SCREENED_VALUES_AT_ONCE = 8_000_000
# A product of less spread, of two functions of unit variance, is nearly constant: a few rows would decide about
# it.
_LEAST_SPREAD = 0.1
# Up to so many values in all products of functions, draws are so cheap that many may settle what is near alpha.
_FEW_VALUES = 4_000_000


class PairStatistic(TestStatistic):
    """Tests all pairs of single features by the largest coefficient of a product with the target's residual.

    For two features, the first or second function of each is multiplied, in all combinations.
    """

    per_candidate = False
    # Of more features, only first functions are multiplied, and only those of the features of largest effect: in
    # each draw its own, so that the data have no advantage over the surrogates.
    max_features = 300

    def __init__(self, test: ConditionalTest, purpose: str) -> None:
        super().__init__(test, f"{purpose} in pairs")
        self._engine = test.context.engine
        digest, n_rows = test.context.table.digest, test.context.table.n_rows
        # Of equal coefficients the first pair is taken, so the digest and not the order of the columns decides.
        self._positions = np.array(sorted(_single_features(test), key=lambda i: digest(test.units[i])))
        self._is_screened = len(self._positions) > self.max_features
        self._rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)
        self._bits = test.indices.bits
        first = np.stack([own[:1] for own in test.component_functions])
        self._target = to_fixed_point(first, self._bits)  # (components x 1 x rows)
        n_orders = 1 if self._is_screened else 2
        self._functions_of_blocks = self._engine.persist(
            _functions_of, test.blocks.handles, self._rows, n_orders, self._bits
        )
        n_values = 2 * len(self._positions) ** 2 * len(self._rows)
        self.is_precise = not self._is_screened and n_values <= _FEW_VALUES
        self.best_pair = (0, 0)

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used: where two features may come in, and there are two of one column."""
        return n_slots > 1 and super().applies(test, n_slots) and len(_single_features(test)) > 1

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the pair of the largest coefficient in the data."""
        units = self.test.units
        one, other = sorted((units[i] for i in self.best_pair), key=self.test.context.table.digest)
        return FeatureUnit(f"{one.name} + {other.name}", (*one.columns, *other.columns)), 0

    @cached_property
    def _functions(self) -> FixedPoint:
        """The functions of all single features (orders x features x padded rows), in order of their positions."""
        functions = np.concatenate(list(self._engine.map(np.asarray, self._functions_of_blocks)), axis=1)
        return padded_rows(functions[:, self._positions])

    def scores(self, draws: range) -> FloatArray:
        """Return the largest coefficient of each draw (draws x 1 x 1); keep the pair of draw 0."""
        reporter = self.test.context.reporter
        reporter.begin(f"{self.purpose}, {draws[-1]} surrogates", len(draws))
        at_once = max(1, _VALUES_AT_ONCE // self._target.size)
        if self._is_screened:
            at_once = min(at_once, max(1, _SCREENED_VALUES_AT_ONCE // (self.max_features * len(self._rows))))
        largest: list[FloatArray] = []
        for part in equal_parts(len(draws), at_once):
            drawn = _kernel.permuted_functions(self._target, self.test.indices(draws[part]))
            target = np.ascontiguousarray(drawn[..., self._rows])  # (components x 1 x draws x rows)
            coefficients, pairs = self._largest_of_screened(target) if self._is_screened else self._largest(target)
            largest.append(coefficients)
            if draws[part][0] == 0:
                self.best_pair = (int(pairs[0][0]), int(pairs[0][1]))
            reporter.advance(part.stop - part.start)
        return np.concatenate(largest)[:, None, None]

    def _largest(self, drawn: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the largest coefficient of each draw, and its pair."""
        n_draws = drawn.shape[2]
        sums, pairs = np.full(n_draws, -1), np.zeros((n_draws, 2), dtype=np.int64)
        first, second = np.triu_indices(len(self._positions), k=1)
        at_once = max(1, _VALUES_AT_ONCE // (len(self._functions) ** 2 * len(self._rows)))
        blocks = [(first[part], second[part]) for part in equal_parts(len(first), at_once)]
        shared = self._functions, len(self._rows), padded_rows(drawn), self._bits
        for found, of_pairs in self._engine.map(_largest_of_pairs, blocks, *shared):
            better = found > sums
            sums[better], pairs[better] = found[better], of_pairs[better]
        return sums * 4.0**-self._bits / np.sqrt(len(self._rows)), self._positions[pairs]

    def _largest_of_screened(self, drawn: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the same for first functions of the features of largest effect in each draw."""
        target = _as_numbers(drawn[:, 0].swapaxes(0, 1), self._bits)  # (draws x components x rows)
        effects = np.concatenate(
            list(self._engine.map(_effects_of, self._functions_of_blocks, target, self._bits))
        )
        by_effect = np.argsort(-np.round(effects[self._positions].T, DIGITS), axis=1, kind="stable")
        screened = self._positions[np.sort(by_effect[:, : self.max_features], axis=1)]  # (draws x features)
        functions = self.test.blocks.gather(_first_functions, screened.ravel(), self._functions_of_blocks)
        items = list(zip(np.split(np.stack(functions), len(target)), target, strict=True))
        largest = list(self._engine.map(_largest_of_functions, items, self._bits))
        pairs = [own[[i, j]] for own, (_, i, j) in zip(screened, largest, strict=True)]
        return np.array([coefficient for coefficient, _, _ in largest]), np.stack(pairs)


def _single_features(test: ConditionalTest) -> list[int]:
    """Return the positions of the candidates of one column."""
    return [i for i, unit in enumerate(test.units) if len(unit.columns) == 1]


def _functions_of(block: CandidateBlock, rows: IntArray, n_orders: int, bits: int) -> FixedPoint:
    """Return the first functions of all candidates of a block (orders x candidates x rows), of unit variance."""
    functions = np.empty((n_orders, len(block.units), len(rows)), dtype=np.int16)
    size = max(1, _VALUES_AT_ONCE // (MOST_FUNCTIONS * block.columns.shape[1]))
    for part in equal_parts(len(block.units), size):
        of_part = block.functions(range(part.start, part.stop))
        for order in range(n_orders):
            own = np.stack([one.smooth[min(order, len(one.smooth) - 1)][rows] for one in of_part])
            functions[order, part] = to_fixed_point(standardised(own), bits)
    return functions


def _as_numbers(functions: FixedPoint, bits: int) -> FloatArray:
    return np.asarray(np.ldexp(functions.astype(np.float64), -bits))


def _largest_of_pairs(
    pairs: tuple[IntArray, IntArray], functions: FixedPoint, n_rows: int, target: FixedPoint, bits: int
) -> tuple[IntArray, IntArray]:
    """Return the largest sum of products with these pairs in each draw, and its pair.

    Products are brought to unit variance; where one hardly varies it is zero.
    """
    first, second = pairs
    largest, which = _kernel.largest_pairs(functions, n_rows, first, second, target, bits, _LEAST_SPREAD)
    return largest, np.stack([first[which], second[which]], axis=1)


def _effects_of(functions: FixedPoint, target: FloatArray, bits: int) -> FloatArray:
    """Return the largest coefficient of the first function of each feature with the target (features x draws)."""
    n_draws, n_components, n_rows = target.shape
    products = _as_numbers(functions[0], bits) @ target.reshape(-1, n_rows).T
    return np.asarray(np.abs(products).reshape(-1, n_draws, n_components).max(axis=2))


def _first_functions(item: tuple[FixedPoint, IntArray]) -> list[FixedPoint]:
    functions, positions = item
    return list(functions[0][positions])


def _largest_of_functions(item: tuple[FixedPoint, FloatArray], bits: int) -> tuple[float, int, int]:
    """Return the largest coefficient of a product of two functions with a component of the target, and which two.

    All products are one matrix product, (f * y) @ f.T, and their variances another: nothing of the size
    pairs x rows is made.
    """
    functions, target = _as_numbers(item[0], bits), item[1]
    n_rows = functions.shape[1]
    means = functions @ functions.T / n_rows
    spread = np.sqrt(np.maximum((functions**2) @ (functions**2).T / n_rows - means**2, 0))
    spread = np.where(spread > _LEAST_SPREAD, spread, np.inf)
    centred = target - target.mean(axis=1, keepdims=True)
    largest = np.stack(
        [np.triu(np.abs((functions * component) @ functions.T) / spread, k=1) for component in centred]
    ).max(axis=0)
    i, j = np.unravel_index(int(np.round(largest, DIGITS).argmax()), largest.shape)
    return float(np.round(largest[i, j], DIGITS) / np.sqrt(n_rows)), int(i), int(j)
