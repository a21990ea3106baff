"""Pairs: features that are informative only together, by products of their functions, all pairs in each draw."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infosift import _kernel
from infosift.arrays import FloatArray, IntArray
from infosift.criteria.rank_basis import N_OF_CANDIDATES, Functions, functions_of, polynomials, standardised
from infosift.data.groups import FeatureUnit
from infosift.engines.base import equal_parts
from infosift.inference.conditional_test import MOST_FUNCTIONS, CandidateBlock, ConditionalTest
from infosift.inference.max_test import NullSample, TestStatistic
from infosift.inference.nulls import BITS_OF_SQUARES
from infosift.inference.permutation import FixedPoint, fixed_point_bits, padded_rows, to_fixed_point

_MOST_ROWS = 2_000
_VALUES_AT_ONCE = 2_000_000
_SCREENED_VALUES_AT_ONCE = 8_000_000
# Pairs of so many features, each with all later ones, are compared in one call: the kernel takes 32 functions.
_FEATURES_AT_ONCE = 32
# The first two functions of candidates are multiplied, of more candidates the first alone; with the functions of
# selected features, which are few, twice as many.
_MOST_OF_TWO_ORDERS = 1_000
# The cuts of which both sides are functions, too, that are one there and zero elsewhere: a product of two is one
# where both features are on a side (x0 > a and x1 <= b). Of more candidates, there would be too many.
_CUTS = (1, 2, 3)
_MOST_WITH_SIDES = 100
# What a coefficient of two sides counts for: there are nine times as many as of polynomials.
_WEIGHT_OF_SIDES = 0.95
# Three functions are multiplied, and sums must fit into 32 bits (src/kernel/series.hpp).
_FEWER_BITS = 2
_MOST_DEVIATIONS = 8
# A product of less spread, of two functions of unit variance, is nearly constant: a few rows would decide about
# it.
_LEAST_SPREAD = 0.1
# Products of two functions are at most 64 standard deviations, and have so many bits after the point.
_BITS_OF_PRODUCTS = 6
# Up to so many values in all products of functions, draws are so cheap that many may settle what is near alpha.
_FEW_VALUES = 4_000_000


# The subset among positions of pairs.
_SELECTED = -1


class PairStatistic(TestStatistic):
    """Tests all pairs of features by the largest coefficient of a product with the target's residual.

    Pairs are of two candidates of one column where both may come in, and of such a candidate and a selected
    feature. For two candidates, the first or second polynomial of each is multiplied, in all combinations, for one
    and a selected feature the first four; and the sides of three cuts (x0 > a and x1 <= b). Each draw is one
    matrix product: functions times the target, and functions (src/kernel/pairs.cpp). Where the variance of the
    target differs from row to row, as that of censored times, the statistic of a draw is that of the pair of its
    largest coefficient, in units of the coefficient's own standard deviation.
    """

    per_candidate = False
    # Of more features, only those of largest effect are multiplied, and ``n_screened`` of them: in each draw its
    # own, so that the data have no advantage over the surrogates.
    max_features = 10_000
    n_screened = 2_000

    def __init__(self, test: ConditionalTest, purpose: str, n_slots: int = 1) -> None:
        super().__init__(test, f"{purpose} in pairs", n_slots)
        self._engine = test.context.engine
        digest, n_rows = test.context.table.digest, test.context.table.n_rows
        # Of equal coefficients the first pair is taken, so the digest and not the order of the columns decides.
        self._positions = np.array(sorted(_single_features(test), key=lambda i: digest(test.units[i])))
        self._is_screened = len(self._positions) > self.max_features
        self._rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)
        self._bits = fixed_point_bits(len(self._rows)) - _FEWER_BITS
        first = np.stack([own[:1] for own in test.component_functions(polynomials)])
        self._target = to_fixed_point(first, self._bits)  # (components x 1 x rows)
        variances = test.target.row_variances
        self._variances = (
            None if variances is None else to_fixed_point(variances[:, :1] / 2**BITS_OF_SQUARES, self._bits)
        )
        self._n_orders = 2 if len(self._positions) <= _MOST_OF_TWO_ORDERS else 1
        self._cuts = _CUTS if len(self._positions) <= _MOST_WITH_SIDES else ()
        self._selected = self._functions_of_subset() if len(test.given) else None
        n_orders = self._n_orders if self._selected is None else 2 * self._n_orders
        self._functions_of_blocks = self._engine.persist(
            _functions_of, test.blocks.handles, self._rows, n_orders, self._cuts, self._bits
        )
        self._has_two = n_slots > 1 and len(self._positions) > 1
        n_functions = len(self._positions) * (self._n_orders + 2 * len(self._cuts))
        self.is_precise = n_functions**2 * len(self._rows) <= 2 * _FEW_VALUES
        self.best_pair = (0, 0)

    @classmethod
    def applies(cls, test: ConditionalTest, n_slots: int) -> bool:
        """Tell whether it can be used: where there are pairs."""
        n_single = len(_single_features(test))
        has_pairs = n_single > 0 if len(test.given) else n_single > 1 and n_slots > 1
        return has_pairs and super().applies(test, n_slots)

    def best(self, sample: NullSample, alpha: float) -> tuple[FeatureUnit, int]:
        """Return the pair of the largest coefficient in the data; with a selected feature, only the candidate."""
        units = self.test.units
        if _SELECTED in self.best_pair:
            return units[max(self.best_pair)], 0
        one, other = sorted((units[i] for i in self.best_pair), key=self.test.context.table.digest)
        return FeatureUnit(f"{one.name} + {other.name}", (*one.columns, *other.columns)), 0

    def largest(self, sample: NullSample) -> tuple[FeatureUnit, int]:
        """Return what is tested: a pair has no p-value of its own."""
        return self.best(sample, 1.0)

    def _functions_of_subset(self) -> FixedPoint:
        """Return the functions of the selected features (features x orders x rows)."""
        functions = functions_of(self.test.given, N_OF_CANDIDATES)
        return _of_orders(functions, 2 * self._n_orders, self._cuts, self._rows, self._bits)

    @cached_property
    def _functions(self) -> FixedPoint:
        """The functions of all single features (features x orders x padded rows), in order of their positions."""
        functions = np.concatenate(list(self._engine.map(np.asarray, self._functions_of_blocks)))
        return padded_rows(functions[self._positions])

    @cached_property
    def _functions_of_two(self) -> FixedPoint:
        """Those that are multiplied with each other."""
        n_functions = self._functions.shape[1]
        sides = range(n_functions - 2 * len(self._cuts), n_functions)
        return np.ascontiguousarray(self._functions[:, [*range(self._n_orders), *sides]])

    def scores(self, draws: range) -> FloatArray:
        """Return the largest coefficient of each draw (draws x 1 x 1); keep the pair of draw 0."""
        reporter = self.test.context.reporter
        reporter.begin(f"{self.purpose}, {draws[-1]} surrogates", len(draws))
        at_once = max(1, _VALUES_AT_ONCE // self._target.size)
        if self._is_screened:
            at_once = min(at_once, max(1, _SCREENED_VALUES_AT_ONCE // (self.n_screened * len(self._rows))))
        most = _MOST_DEVIATIONS << self._bits
        largest: list[FloatArray] = []
        for part in equal_parts(len(draws), at_once):
            drawn = _kernel.permuted_functions(self._target, self.test.indices(draws[part]))
            # (components x 1 x draws x padded rows); a row that is taken more than once may have a larger value
            target = np.ascontiguousarray(padded_rows(np.clip(drawn[..., self._rows], -most, most)))
            coefficients, pairs = self._largest(target)
            if self._variances is not None:
                variances = _kernel.permuted_functions(self._variances, self.test.indices(draws[part]))
                coefficients = self._studentised(pairs, drawn[..., self._rows], variances[..., self._rows])
            largest.append(coefficients)
            if draws[part][0] == 0:
                self.best_pair = (int(pairs[0][0]), int(pairs[0][1]))
            reporter.advance(part.stop - part.start)
        return np.concatenate(largest)[:, None, None]

    def _largest(self, target: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the largest coefficient of each draw, and its pair."""
        largest, pairs = np.full(target.shape[2], -1.0), np.zeros((target.shape[2], 2), dtype=np.int64)
        if self._has_two:
            of_two = self._largest_of_screened if self._is_screened else self._largest_of_two
            largest, pairs = of_two(target)
        if self._selected is not None:
            found, of_pairs = self._largest_with_selected(target, self._selected)
            better = found > largest
            largest, pairs = np.where(better, found, largest), np.where(better[:, None], of_pairs, pairs)
        return largest, pairs

    def _studentised(self, pairs: IntArray, target: FixedPoint, variances: FixedPoint) -> FloatArray:
        """Return the largest coefficient of the pair of each draw, in units of its own standard deviation.

        All sums are of whole numbers below 2^53, and so exact in whichever order.
        """
        largest = np.zeros(len(pairs))
        different, which = np.unique(pairs, axis=0, return_inverse=True)
        for number, pair in enumerate(different.tolist()):
            draws = np.flatnonzero(which.ravel() == number)
            one, others = self._functions_of_pair(pair)
            products = np.ldexp(one[:, None] * others[:, None], -2 * self._bits).reshape(-1, one.shape[1])
            products -= products.mean(axis=1, keepdims=True)
            weights = np.tile(_weights(len(one), 2 * len(self._cuts)).ravel(), len(others))
            weights[products.std(axis=1) <= _LEAST_SPREAD] = 0
            products = np.rint(np.ldexp(products, _BITS_OF_PRODUCTS))
            for own, by_row in zip(target, variances, strict=True):
                sums = products @ own[0, draws].T.astype(np.float64)
                squares = products**2 @ by_row[0, draws].T.astype(np.float64)
                ratios = np.divide(sums**2, squares, out=np.zeros_like(sums), where=squares > 0)
                found = weights[:, None] * np.sqrt(np.ldexp(ratios, -self._bits - BITS_OF_SQUARES))
                largest[draws] = np.maximum(largest[draws], found.max(axis=0))
        return largest

    def _functions_of_pair(self, pair: list[int]) -> tuple[FloatArray, FloatArray]:
        """Return the functions of the first of a pair (functions x rows), and of the other.

        The other (features x functions x rows) is a candidate, or all selected features.
        """
        n_rows = len(self._rows)
        places = [int(np.flatnonzero(self._positions == i)[0]) for i in pair if i != _SELECTED]
        if self._selected is not None and len(places) == 1:
            return self._functions[places[0], :, :n_rows].astype(np.float64), self._selected.astype(np.float64)
        if self._is_screened:
            gathered = self.test.blocks.gather(_first_functions, np.array(pair), self._functions_of_blocks)
            both = np.stack(gathered).astype(np.float64)
        else:
            both = self._functions_of_two[places, :, :n_rows].astype(np.float64)
        return both[0], both[1:]

    def _largest_of_two(self, target: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the largest coefficient of two candidates in each draw, and which they are."""
        return self._largest_of(self._functions_of_two, self._positions, target)

    def _largest_with_selected(self, target: FixedPoint, selected: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the same for a candidate and a selected feature."""
        functions = np.concatenate([self._functions, padded_rows(selected)])
        positions = np.append(self._positions, np.full(len(selected), _SELECTED))
        return self._largest_of(functions, positions, target, len(self._positions))

    def _largest_of(
        self, functions: FixedPoint, positions: IntArray, target: FixedPoint, others: int = 0
    ) -> tuple[FloatArray, IntArray]:
        """Return the largest coefficient of features with later ones, or with those from ``others`` on."""
        parts = [(part.start, part.stop) for part in equal_parts(others or len(functions), _FEATURES_AT_ONCE)]
        weights = _weights(functions.shape[1], 2 * len(self._cuts))
        shared = np.ascontiguousarray(functions), len(self._rows), others, target, self._bits, weights
        largest, pairs = np.full(target.shape[2], -1.0), np.zeros((target.shape[2], 2), dtype=np.int64)
        for found, of_pairs in self._engine.map(_largest_of_pairs, parts, *shared):
            better = found > largest
            largest[better], pairs[better] = found[better], of_pairs[better]
        return largest, positions[pairs]

    def _largest_of_screened(self, target: FixedPoint) -> tuple[FloatArray, IntArray]:
        """Return the same for the features of largest effect in each draw."""
        effects = list(self._engine.map(_effects_of, self._functions_of_blocks, target[..., : len(self._rows)]))
        # Effects are whole numbers, and equal ones are in the order of the digests.
        by_effect = np.argsort(-np.concatenate(effects)[self._positions].T, axis=1, kind="stable")
        screened = self._positions[np.sort(by_effect[:, : self.n_screened], axis=1)]  # (draws x features)
        functions = self.test.blocks.gather(_first_functions, screened.ravel(), self._functions_of_blocks)
        of_draws = np.split(padded_rows(np.stack(functions)), len(screened))
        items = [(own, target[:, :, [draw]]) for draw, own in enumerate(of_draws)]
        found = list(self._engine.map(_largest_of_screened, items, len(self._rows), self._bits))
        pairs = [own[pair] for own, (_, pair) in zip(screened, found, strict=True)]
        return np.array([coefficient for coefficient, _ in found]), np.stack(pairs)


def _single_features(test: ConditionalTest) -> list[int]:
    """Return the positions of the candidates of one column."""
    return [i for i, unit in enumerate(test.units) if len(unit.columns) == 1]


def _functions_of(
    block: CandidateBlock, rows: IntArray, n_orders: int, cuts: Sequence[int], bits: int
) -> FixedPoint:
    """Return the functions of all candidates of a block (candidates x functions x rows), of unit mean square."""
    size = max(1, _VALUES_AT_ONCE // (MOST_FUNCTIONS * block.columns.shape[1]))
    parts = equal_parts(len(block.units), size)
    functions = (block.functions(range(part.start, part.stop)) for part in parts)
    return np.concatenate([_of_orders(own, n_orders, cuts, rows, bits) for own in functions])


def _of_orders(
    functions: Sequence[Functions], n_orders: int, cuts: Sequence[int], rows: IntArray, bits: int
) -> FixedPoint:
    """Return the first functions of each feature, then the sides of its cuts (features x functions x rows).

    Of a feature with fewer functions, the last comes again; one without steps has no sides.
    """
    smooth = [one.smooth[np.minimum(np.arange(n_orders), len(one.smooth) - 1)][:, rows] for one in functions]
    steps = np.zeros((len(functions), len(cuts), len(rows)))
    for own, one in zip(steps, functions, strict=True):
        if len(one.steps):
            own[:] = one.steps[list(cuts)][:, rows]
    sides = np.concatenate([steps > 0, steps < 0], axis=1)  # gaps are on neither
    shares = np.broadcast_to(sides.mean(axis=-1, keepdims=True), sides.shape)
    of_unit_square = np.divide(sides, np.sqrt(shares), out=np.zeros(sides.shape), where=sides)
    return to_fixed_point(np.concatenate([standardised(np.stack(smooth)), of_unit_square], axis=1), bits)


def _weights(n_functions: int, n_sides: int) -> NDArray[np.float32]:
    """Return what coefficients of products count for (functions x functions): none of a polynomial and a side."""
    is_side = np.arange(n_functions) >= n_functions - n_sides
    weights = np.where(is_side, _WEIGHT_OF_SIDES, 1.0) * (is_side[:, None] == is_side)
    return np.asarray(weights, dtype=np.float32)


def _largest_of_pairs(
    features: tuple[int, int],
    functions: FixedPoint,
    n_rows: int,
    others: int,
    target: FixedPoint,
    bits: int,
    weights: NDArray[np.float32],
) -> tuple[FloatArray, IntArray]:
    """Return the largest coefficient of some features with later ones in each draw, and the two."""
    return _kernel.largest_pairs(functions, n_rows, *features, others, target, bits, _LEAST_SPREAD, weights)


def _effects_of(functions: FixedPoint, target: FixedPoint) -> IntArray:
    """Return the largest sum of products of the first function of each feature with the target, over components.

    Sums (features x draws) are of whole numbers below 2^53, and so exact in whichever order.
    """
    n_components, _, n_draws, n_rows = target.shape
    drawn = target.reshape(-1, n_rows).astype(np.float64)
    products = np.abs(functions[:, 0].astype(np.float64) @ drawn.T)
    return np.asarray(products.reshape(-1, n_components, n_draws).max(axis=1), dtype=np.int64)


def _first_functions(item: tuple[FixedPoint, IntArray]) -> list[FixedPoint]:
    functions, positions = item
    return list(functions[positions, :1])


def _largest_of_screened(item: tuple[FixedPoint, FixedPoint], n_rows: int, bits: int) -> tuple[float, IntArray]:
    functions, target = item
    own = np.ascontiguousarray(functions), n_rows, 0, np.ascontiguousarray(target), bits, _weights(1, 0)
    largest, pairs = _largest_of_pairs((0, len(functions)), *own)
    return float(largest[0]), pairs[0]
