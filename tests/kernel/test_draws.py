"""Draws, functions of ranks, series scores and pairs of the kernel, against their definitions in whole numbers."""

import math
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, rankdata

from infosift import _kernel
from infosift.inference.permutation import fixed_point_bits, padded_rows

INSTRUCTIONS = ["baseline", "avx2"] if _kernel.has_avx2() else ["baseline"]
SEEDS = st.integers(0, 2**32 - 1)
KEYS = st.integers(0, 2**64 - 1)
# The most rows of a number of bits, one row more, and some others.
ROWS_AT_THE_BOUND = [511, 512, 2046, 2047, 8176, 8177, 20_000]


def by_every_instruction_set(function, *arguments):
    """What a function of the kernel returns; the same bits, whatever the instruction set."""
    answers = [function(*arguments, instructions=which) for which in INSTRUCTIONS]
    for other in answers[1:]:
        for one, expected in zip(other, answers[0], strict=True):
            np.testing.assert_array_equal(one, expected)
    return answers[0]


# Permutations.


def within_strata(strata):
    """The rows stratum by stratum, and where each stratum begins."""
    order = [row for stratum in sorted(set(strata)) for row, own in enumerate(strata) if own == stratum]
    sizes = [list(strata).count(stratum) for stratum in sorted(set(strata))]
    starts = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    return np.array(order, dtype=np.uint32), np.array(starts, dtype=np.uint32)


@given(KEYS, st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 2**40), st.integers(0, 5))
def test_permutations_are_whole_and_leave_no_stratum(key, strata, first, count):
    drawn = _kernel.permutations(key, *within_strata(strata), first, count)
    assert drawn.shape == (count, len(strata))
    assert drawn.dtype == np.uint32
    for index in drawn:
        assert sorted(index.tolist()) == list(range(len(strata)))
        assert [strata[row] for row in index] == strata


@given(
    KEYS, st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(0, 2**40), st.sets(st.integers(1, 19))
)
def test_a_draw_is_known_by_its_number_whatever_range_it_is_drawn_in(key, strata, first, cuts):
    order, starts = within_strata(strata)
    together = _kernel.permutations(key, order, starts, first, 20)
    bounds = [0, *sorted(cuts), 20]
    parts = [_kernel.permutations(key, order, starts, first + a, b - a) for a, b in pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(parts), together)


def splitmix(state):
    """Numbers of splitmix64 (Steele, Lea and Flood 2014), from a state on."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        yield mixed ^ mixed >> 31


def rotated(number, by):
    return (number << by | number >> 64 - by) % 2**64


def random_halves(key, draw):
    """Numbers of 32 bits by xoshiro256++ (Blackman and Vigna 2021): both halves of each, the lower one first."""
    seeds = splitmix(next(splitmix((next(splitmix(key)) + draw) % 2**64)))
    a, b, c, d = (next(seeds) for _ in range(4))
    while True:
        drawn = (rotated((a + d) % 2**64, 23) + a) % 2**64
        yield from (drawn % 2**32, drawn >> 32)
        c, d = c ^ a, d ^ b
        a, b, c, d = a ^ d, b ^ c, c ^ (b << 17) % 2**64, rotated(d, 45)


def slow_permutation(key, strata, draw):
    """The definition: Fisher and Yates in each stratum from its last row on, by whole numbers of Lemire (2019)."""
    halves, sources = random_halves(key, draw), list(range(len(strata)))
    for stratum in sorted(set(strata)):
        rows = [row for row, own in enumerate(strata) if own == stratum]
        taken = list(rows)
        for last in range(len(rows) - 1, 0, -1):
            scaled = next(half for half in halves if half * (last + 1) % 2**32 >= 2**32 % (last + 1)) * (last + 1)
            other = scaled >> 32
            taken[last], taken[other] = taken[other], taken[last]
        for row, source in zip(rows, taken, strict=True):
            sources[row] = source
    return sources


@given(KEYS, st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 2**64 - 3))
def test_permutations_are_the_same_on_every_machine(key, strata, first):
    drawn = _kernel.permutations(key, *within_strata(strata), first, 2)
    assert drawn.tolist() == [slow_permutation(key, strata, first + draw) for draw in range(2)]


def test_other_keys_and_other_numbers_have_other_draws():
    order, starts = within_strata([0] * 30)
    keys, firsts = np.random.default_rng(0).integers(2**64, size=3, dtype=np.uint64).tolist(), (0, 50, 2**33)
    drawn = [_kernel.permutations(key, order, starts, first, 50) for key in keys for first in firsts]
    assert len({tuple(index) for index in np.concatenate(drawn).tolist()}) == 450


@pytest.mark.parametrize("key", [0, 1, 20_260_101])
@pytest.mark.parametrize("others", [0, 1, 5])  # rows of a stratum that is drawn before
def test_all_orders_are_as_likely(key, others):
    order, starts = within_strata([0] * others + [1] * 4)
    drawn = _kernel.permutations(key, order, starts, 1, 24_000)[:, others:] - others
    counts = dict.fromkeys(permutations(range(4)), 0)
    for index in drawn.tolist():
        counts[tuple(index)] += 1
    statistic = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi2.ppf(1e-4, 23) < statistic < chi2.ppf(1 - 1e-4, 23)


def test_orders_of_successive_draws_and_of_successive_keys_do_not_depend_on_each_other():
    order, starts = within_strata([0] * 3)
    number = {own: i for i, own in enumerate(permutations(range(3)))}
    successive = _kernel.permutations(7, order, starts, 0, 36_001)
    by_key = np.concatenate([_kernel.permutations(key, order, starts, 1, 1) for key in range(36_001)])
    for drawn in (successive, by_key):
        numbers = [number[tuple(index)] for index in drawn.tolist()]
        counts = np.bincount([6 * a + b for a, b in pairwise(numbers)], minlength=36)
        assert chi2.ppf(1e-4, 35) < np.sum((counts - 1000) ** 2 / 1000) < chi2.ppf(1 - 1e-4, 35)


def test_row_numbers_are_as_likely_where_there_are_many():
    order, starts = within_strata([0] * 1000)
    counts = np.bincount(_kernel.permutations(3, order, starts, 1, 20_000)[:, 17], minlength=1000)
    assert chi2.ppf(1e-4, 999) < np.sum((counts - 20) ** 2 / 20) < chi2.ppf(1 - 1e-4, 999)


# The target in draws.


def slow_permuted(functions, sources):
    """The definition: each row gives its functions to the row it takes its value from, where they add up."""
    n_rows = functions.shape[2]
    permuted = np.zeros((*functions.shape[:2], len(sources), -(-n_rows // 16) * 16), dtype=np.int64)
    for draw, source in enumerate(sources.tolist()):
        for row, taken in enumerate(source):
            permuted[:, :, draw, taken] += functions[:, :, row]
    return permuted


@given(SEEDS, st.integers(1, 50), st.integers(1, 3), st.integers(1, 4), st.lists(st.booleans(), max_size=5))
def test_functions_move_to_the_rows_that_are_taken(seed, n_rows, n_components, n_functions, are_whole):
    rng = np.random.default_rng(seed)
    functions = rng.integers(-500, 500, size=(n_components, n_functions, n_rows), dtype=np.int16)
    drawn = [rng.permutation(n_rows) if whole else rng.integers(0, n_rows, size=n_rows) for whole in are_whole]
    sources = np.array(drawn, dtype=np.uint32).reshape(-1, n_rows)
    permuted = _kernel.permuted_functions(functions, sources)
    assert permuted.dtype == np.int16
    np.testing.assert_array_equal(permuted, slow_permuted(functions, sources))
    # With them, a column that stays has the sums of products that it would have if it moved.
    column = rng.integers(-9, 9, size=n_rows)
    for draw, source in enumerate(sources):
        moved = functions.astype(np.int64) @ column[source]
        np.testing.assert_array_equal(permuted[:, :, draw, :n_rows].astype(np.int64) @ column, moved)


@pytest.mark.parametrize("sign", [-1, 1])
def test_sums_that_16_bits_do_not_hold_are_cut_off(sign):
    functions = np.full((1, 1, 40), sign * 1000, dtype=np.int16)
    sources = np.stack([np.repeat([3, 7], [33, 7]), np.repeat([3, 7], [32, 8])]).astype(np.uint32)
    permuted = _kernel.permuted_functions(functions, sources)[0, 0]
    assert permuted[:, [3, 7]].tolist() == [[sign * 32_767, sign * 7000], [sign * 32_000, sign * 8000]]
    assert np.count_nonzero(permuted) == 4


# Functions of ranks.


def slow_rank_functions(column, bits):
    """The definition: four polynomials and five steps of ranks, of unit variance in multiples of 2^-bits."""
    scale = np.abs(column).max()
    ranks = (rankdata(np.round(column / scale if scale > 0 else column, 9)) - 0.5) / len(column)
    t = 2 * ranks - 1
    functions = [3**0.5 * t, 5**0.5 * (1.5 * t**2 - 0.5), 7**0.5 * (2.5 * t**3 - 1.5 * t)]
    functions.append(3 * (35 * t**4 - 30 * t**2 + 3) / 8)
    functions += [np.where(ranks > cut / 6, 1.0, 0.0) for cut in range(1, 6)]
    centred = [own - own.mean() for own in functions]
    unit = [own / own.std() if own.std() > 1e-9 else np.zeros_like(own) for own in centred]
    return np.clip(unit, -8, 8) * 2.0**bits


KINDS = {
    "different": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.integers(-2, 3, size=n) * 1.0,
    "rare": lambda rng, n: (np.arange(n) == n // 2) * 1.0,
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=n),
    "nearly equal": lambda rng, n: 1 + 1e-9 * rng.integers(-3, 4, size=n) + 1e-12 * rng.normal(size=n),
    "around zero": lambda rng, n: np.append(1.0, 1e-11 * rng.normal(size=n))[:n],
    "constant": lambda rng, n: np.full(n, -3.0),
    "zero": lambda rng, n: np.zeros(n),
    "huge": lambda rng, n: 1e300 * rng.normal(size=n),
}


@given(SEEDS, st.lists(st.sampled_from(sorted(KINDS)), max_size=4), st.integers(1, 300), st.integers(-3, 11))
@settings(max_examples=300)
def test_rank_functions_against_their_definition(seed, kinds, n_rows, bits):
    rng = np.random.default_rng(seed)
    columns = np.array([KINDS[kind](rng, n_rows) for kind in kinds]).reshape(-1, n_rows)
    found = _kernel.rank_functions(columns, bits)
    assert found.shape == (len(columns), 9, -(-n_rows // 16) * 16)
    assert found.dtype == np.int16
    assert not found[:, :, n_rows:].any()
    for column, functions in zip(columns, found, strict=True):
        assert np.abs(functions[:, :n_rows] - slow_rank_functions(column, bits)).max() <= 0.5 + 1e-6


@given(SEEDS, st.integers(2, 200))
def test_rank_functions_are_those_of_ranks_whatever_the_other_columns_and_the_order_of_rows(seed, n_rows):
    rng = np.random.default_rng(seed)
    columns = np.stack([KINDS[kind](rng, n_rows) for kind in ("tied", "different", "rare")])
    together, order = _kernel.rank_functions(columns, 9), rng.permutation(n_rows)
    for column, functions in zip(columns, together, strict=True):
        np.testing.assert_array_equal(_kernel.rank_functions(column[None], 9)[0], functions)
        moved = _kernel.rank_functions(column[None, order], 9)[0]
        np.testing.assert_array_equal(moved[:, :n_rows], functions[:, order])
    increasing = _kernel.rank_functions(np.argsort(np.argsort(columns[1:2])) ** 2.0, 9)
    np.testing.assert_array_equal(increasing, together[1:2])


# Series.


def slow_sum(ours, theirs):
    """A sum of products in Python's whole numbers, of which none is too large."""
    return sum(a * b for a, b in zip(ours.tolist(), theirs.tolist(), strict=True))


def slow_squares(candidate, target, scale):
    """The squared coefficient of each function of a candidate and each of a component in a draw."""
    return [[(slow_sum(f, g) * scale) ** 2 for g in target] for f in candidate]


def slow_scores(candidate, n_smooth, target, sums, scale):
    """The definition, in one draw: the kinds of scores, added up over components, and their cube roots."""
    scores, components = [], iter(target)
    for count in sums:
        total = np.zeros(5)
        for _ in range(count):
            squares = slow_squares(candidate, next(components), scale)
            smooth, steps = squares[:n_smooth], squares[n_smooth:]
            total += [
                smooth[0][0],
                sum(own[0] for own in smooth),
                max(smooth[0][1], *smooth[1][:2]),
                max((own[0] for own in smooth[2:] + steps), default=0.0),
                smooth[0][0] + max(smooth[0][2:], default=0.0),
            ]
        scores += np.cbrt(total).tolist()[: 5 if target.shape[1] > 2 else 4]
    return scores


def slow_effect(candidate, n_smooth, target, scale):
    """The definition: squares with the first function of each component, and of two with two."""
    effect = 0.0
    for component in target:
        squares = slow_squares(candidate[:n_smooth], component, scale)
        effect += sum(own[0] for own in squares) + sum(own[order] for own in squares[:2] for order in (0, 1))
    return effect


def functions_of_size(rng, largest, *shape):
    return rng.integers(-largest, largest, size=shape, dtype=np.int16, endpoint=True)


@given(
    seed=SEEDS,
    n_rows=st.integers(1, 40),
    n_candidates=st.integers(0, 3),
    n_draws=st.integers(0, 6),
    n_smooth=st.integers(2, 5),
    n_steps=st.integers(0, 6),
    n_products=st.integers(0, 3),
    sums=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    largest=st.sampled_from([0, 1, 3000]),
)
def test_series_against_their_definition(
    seed, n_rows, n_candidates, n_draws, n_smooth, n_steps, n_products, sums, largest
):
    rng, scale = np.random.default_rng(seed), 1 / (3000**2 * math.sqrt(n_rows))
    candidates = padded_rows(functions_of_size(rng, largest, n_candidates, n_smooth + n_steps, n_rows))
    target = padded_rows(functions_of_size(rng, largest, sum(sums), 2 + n_products, n_draws, n_rows))
    arguments = candidates, n_smooth, target
    scores = by_every_instruction_set(_kernel.series_scores, *arguments, np.array(sums), scale)
    effects = by_every_instruction_set(_kernel.series_effects, *arguments, scale)
    assert scores.shape == (n_candidates, len(sums) * (5 if n_products else 4), n_draws)
    assert (scores.dtype, effects.dtype) == (np.float32, np.float64)
    assert effects.shape == (n_candidates, n_draws)
    for i, draw in product(range(n_candidates), range(n_draws)):
        own = target[:, :, draw]
        expected = slow_scores(candidates[i], n_smooth, own, sums, scale)
        np.testing.assert_allclose(scores[i, :, draw], expected, rtol=1e-6)  # of 24 bits
        assert effects[i, draw] == pytest.approx(slow_effect(candidates[i], n_smooth, own, scale), rel=1e-12)


@pytest.mark.parametrize("n_rows", [16, 512, 528, 1600])  # registers at once, and those that are left
@pytest.mark.parametrize("n_functions", [2, 3, 6, 8, 13])
def test_batches_of_candidates_draws_and_rows_change_no_bits(n_rows, n_functions):
    # Batches are of 64 candidates, 32 draws, four of these at once, and 512 rows.
    rng = np.random.default_rng(n_rows + n_functions)
    candidates = functions_of_size(rng, 500, 67, n_functions, n_rows)
    target = functions_of_size(rng, 500, 3, 4, 39, n_rows)
    sums, scale = np.array([1, 2]), 1e-6
    scores = by_every_instruction_set(_kernel.series_scores, candidates, 2, target, sums, scale)
    effects = by_every_instruction_set(_kernel.series_effects, candidates, 2, target, scale)
    for i, draw in product((0, 1, 63, 64, 66), (0, 3, 31, 32, 36, 38)):
        own = candidates[[i]], 2, np.ascontiguousarray(target[:, :, [draw]])
        np.testing.assert_array_equal(_kernel.series_scores(*own, sums, scale)[0, :, 0], scores[i, :, draw])
        assert _kernel.series_effects(*own, scale)[0, 0] == effects[i, draw]
    products = np.einsum("cfr,kgdr->cfkgd", *(own.astype(np.float64) for own in (candidates, target)))  # exact
    first = np.cbrt((products[:, 0, 0, 0] * scale) ** 2)
    np.testing.assert_allclose(scores[:, 0], first, rtol=1e-6)


@given(SEEDS)
@settings(max_examples=20)
def test_roots_are_right_to_the_last_bits(seed):
    # A first function that is a number in one row, and zero in all others: its score is a root of a square.
    rng = np.random.default_rng(seed)
    candidates, target = np.zeros((1, 2, 16), dtype=np.int16), np.zeros((1, 2, 500, 16), dtype=np.int16)
    candidates[0, 0, 0] = 2 ** rng.integers(0, 14)
    target[0, 0, :, 0] = rng.integers(-(2**15) + 1, 2**15, size=500)
    scale = 10.0 ** rng.integers(-9, 3)
    scores = by_every_instruction_set(_kernel.series_scores, candidates, 2, target, np.array([1]), scale)[0, 0]
    products = int(candidates[0, 0, 0]) * target[0, 0, :, 0].astype(np.float64)
    np.testing.assert_allclose(scores, np.cbrt((products * np.float32(scale)) ** 2), rtol=4 * 2.0**-24)
    assert not scores[products == 0].any()


# Sums at the bound.


def whole_sums(candidates, target):
    """The absolute sum of products of the first functions of each candidate and of one component, by draw.

    With one function that is not zero on either side and a scale of one, an effect is twice its square.
    """
    effects = by_every_instruction_set(_kernel.series_effects, candidates, 2, target, 1.0)
    return np.sqrt(effects / 2)


def alone(functions):
    """Functions (... x rows) as the first of two, the second zero (... x 2 x rows), padded."""
    return padded_rows(np.stack([functions, np.zeros_like(functions)], axis=-2))


@pytest.mark.parametrize("n_rows", ROWS_AT_THE_BOUND)
def test_the_largest_sums_of_products_do_not_overflow(n_rows):
    bits = fixed_point_bits(n_rows)
    ones = np.full(n_rows, 2**bits, dtype=np.int16)  # of unit variance about zero
    signs = ones * (-1) ** np.arange(n_rows)
    signs = signs.astype(np.int16)
    candidates = alone(np.stack([ones, signs, -signs]))
    target = np.ascontiguousarray(alone(np.stack([ones, -ones, signs]))[None].swapaxes(1, 2))
    largest = n_rows * 4**bits
    assert largest < n_rows * (Fraction(2) ** bits + Fraction(1, 2)) ** 2 < 2**31
    unlike = n_rows % 2 * 4**bits  # of an odd number of rows with alternating signs, one is left
    expected = [[largest, largest, unlike], [unlike, unlike, largest], [unlike, unlike, largest]]
    np.testing.assert_array_equal(whole_sums(candidates, target), expected)
    scores = by_every_instruction_set(_kernel.series_scores, candidates, 2, target, np.array([1]), 1.0)
    np.testing.assert_allclose(scores[:, 0], np.cbrt(np.square(expected, dtype=np.float64)), rtol=1e-6)


@given(SEEDS, st.sampled_from([511, 512, 2046]), st.booleans())
@settings(max_examples=30)
def test_functions_that_are_rounded_up_in_every_row_do_not_overflow(seed, n_rows, like):
    # Of unit variance before they are rounded, and as large as such can be.
    rng, bits = np.random.default_rng(seed), fixed_point_bits(n_rows)
    shares = rng.uniform(0.2, 1, size=(2, n_rows))
    shares[1] = shares[0] if like else shares[1]
    unit = shares / np.sqrt(np.mean(shares**2, axis=1, keepdims=True))
    functions = np.ceil(np.ldexp(unit, bits) - 0.5).astype(np.int16)
    sums = whole_sums(alone(functions[:1]), alone(functions[1])[None, :, None])
    assert sums[0, 0] == slow_sum(*functions) < 2**31


def sources_of(n_rows, n_taken):
    """A draw in which all rows take from a few, each of these as often, and one in which each takes its own."""
    return np.stack([np.arange(n_rows) % n_taken, np.arange(n_rows)]).astype(np.uint32)


@pytest.mark.parametrize("n_rows", [2, 50, 64, *ROWS_AT_THE_BOUND, 100_000])
@pytest.mark.parametrize("taken", ["one", "two", "one of 64"])
def test_where_rows_are_taken_many_times_the_largest_sums_do_not_overflow_either(n_rows, taken):
    bits = fixed_point_bits(n_rows, repeats_rows=True)
    n_taken = {"one": 1, "two": 2, "one of 64": -(-n_rows // 64)}[taken]
    ones = np.full((1, 2, n_rows), 2**bits, dtype=np.int16)
    ones[0, 1] = 0
    target = _kernel.permuted_functions(ones, sources_of(n_rows, n_taken))
    # As large as a function of unit variance can be in the rows that are taken, and at most eight deviations.
    largest = math.floor(min(8, math.sqrt(n_rows / n_taken)) * 2**bits)
    taken_rows, few = np.arange(n_rows) < n_taken, np.full(n_rows, 2**bits, dtype=np.int16)
    candidates = alone(np.stack([few, -few, np.where(taken_rows, largest, 0).astype(np.int16)]))
    exact = slow_permuted(ones, sources_of(n_rows, n_taken)).clip(-32_767, 32_767)
    np.testing.assert_array_equal(target, exact)
    expected = [[abs(slow_sum(own[0], drawn)) for drawn in exact[0, 0]] for own in candidates]
    assert max(map(max, expected)) < 2**31
    np.testing.assert_array_equal(whole_sums(candidates, target), expected)


# Pairs.


def divided(products, shift):
    """Products divided by a power of two and rounded, as 16 bits hold them."""
    return np.clip((products + (1 << (shift - 1))) >> shift, -32_767, 32_767)


def slow_coefficients(a, b, drawn, bits, least_spread):
    """The definition, for two functions: their product of mean zero and unit variance with the target in draws."""
    a, b, drawn = a.astype(np.int64), b.astype(np.int64), drawn.astype(np.int64)
    mean = np.mean(a * b) * 4.0**-bits
    squares = np.mean(divided(a * a, bits + 2) * divided(b * b, bits + 2)) * 4.0 ** (2 - bits)
    variance = squares - mean**2
    if variance <= least_spread**2:
        return np.zeros(len(drawn)), variance
    sums = (divided(a * drawn, bits) * b).sum(axis=1) - mean * 2.0**bits * drawn.sum(axis=1)
    return np.abs(sums) * 4.0**-bits / np.sqrt(variance * len(a)), variance


def slow_largest(functions, n_rows, firsts, others, target, bits, least_spread, weights):
    """The definition: all pairs, combinations of functions and components one by one (pairs x draws)."""
    weight_of = dict(np.ndenumerate(weights))
    coefficients = {}
    for i in firsts:
        for j in range(max(i + 1, others), len(functions)):
            for (first, second), weight in weight_of.items():
                one, other = functions[i, first, :n_rows], functions[j, second, :n_rows]
                for component in target[:, 0, :, :n_rows]:
                    found, variance = slow_coefficients(one, other, component, bits, least_spread)
                    assume(abs(variance - least_spread**2) > 1e-5)  # about which rounding decides
                    coefficients[i, j] = np.maximum(coefficients.get((i, j), 0.0), weight * found)
    return coefficients


@given(
    seed=SEEDS,
    n_features=st.integers(2, 40),
    n_rows=st.integers(1, 40),
    bits=st.integers(1, 9),
    n_orders=st.integers(1, 3),
    n_components=st.integers(1, 2),
    n_draws=st.integers(0, 4),
    least_spread=st.sampled_from([0.1, 0.9]),
    data=st.data(),
)
@settings(max_examples=60)
def test_pairs_against_their_definition(
    seed, n_features, n_rows, bits, n_orders, n_components, n_draws, least_spread, data
):
    start, stop, others = (data.draw(st.integers(0, n_features)) for _ in range(3))
    start, stop = sorted((start, stop))
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_features, n_orders, n_rows))
    values[-1] = 1  # squared, it does not vary
    functions = padded_rows(np.rint(np.ldexp(values, bits)).astype(np.int16))
    drawn = rng.normal(size=(n_components, 1, n_draws, n_rows))
    target = padded_rows(np.rint(np.ldexp(drawn, bits)).astype(np.int16))
    weights = rng.choice([0.0, 0.5, 1.0], size=(n_orders, n_orders)).astype(np.float32)
    shared = functions, n_rows, start, stop, others, target, bits, least_spread, weights
    largest, pairs = by_every_instruction_set(_kernel.largest_pairs, *shared)
    assert (largest.dtype, pairs.dtype, pairs.shape) == (np.float64, np.int64, (n_draws, 2))
    expected = slow_largest(functions, n_rows, range(start, stop), others, target, bits, least_spread, weights)
    for draw in range(n_draws):
        most = max((own[draw] for own in expected.values()), default=0.0)
        assert largest[draw] == pytest.approx(most, rel=1e-4, abs=1e-5)
        if largest[draw] > 0:
            assert expected[tuple(pairs[draw].tolist())][draw] == pytest.approx(most, rel=1e-4, abs=1e-5)


def test_pairs_in_many_draws_and_in_parts_are_those_of_each():
    rng = np.random.default_rng(0)
    functions, target = functions_of_size(rng, 300, 70, 2, 48), functions_of_size(rng, 300, 2, 1, 71, 48)
    functions[50] = functions[3]  # of equal coefficients the first pair counts
    shared = 0, target, 8, 0.1, np.ones((2, 2), dtype=np.float32)
    largest, pairs = by_every_instruction_set(_kernel.largest_pairs, functions, 43, 0, 70, *shared)
    for draw in range(71):
        own = np.ascontiguousarray(target[:, :, [draw]])
        alone_in_draw, its_pair = _kernel.largest_pairs(functions, 43, 0, 70, 0, own, *shared[2:])
        assert (alone_in_draw[0], its_pair[0].tolist()) == (largest[draw], pairs[draw].tolist())
    parts = [_kernel.largest_pairs(functions, 43, i, min(i + 32, 70), *shared) for i in (0, 32, 64)]
    np.testing.assert_array_equal(np.max([found for found, _ in parts], axis=0), largest)


@pytest.mark.parametrize("n_rows", [511, 512, 2000])
def test_the_largest_sums_of_pairs_do_not_overflow(n_rows):
    # Of unit variance, and as large as functions can be where the target is: eight standard deviations.
    bits = fixed_point_bits(n_rows) - 2
    taken = np.arange(n_rows) < n_rows // 64 + 1
    largest = 8 * 2**bits
    functions = np.where(taken, largest, 0).astype(np.int16)[None].repeat(2, axis=0)[:, None]
    target = padded_rows(np.full((1, 1, 1, n_rows), largest, dtype=np.int16))
    target[..., n_rows // 2 :] = 0
    shared = 0, 2, 0, target, bits, 0.1, np.ones((1, 1), dtype=np.float32)
    found, _ = by_every_instruction_set(_kernel.largest_pairs, padded_rows(functions), n_rows, *shared)
    expected, _ = slow_coefficients(*functions[:, 0], target[0, 0, :, :n_rows], bits, 0.1)
    assert found == pytest.approx(expected, rel=1e-4)
    assert 8 * n_rows * (2**bits + 1) ** 2 < 2**31


# Maxima.


def slow_statistics(scores, handicaps):
    """The definition (candidates x draws): scores in standard deviations over all draws, less handicaps."""
    statistics = np.full(scores[:, 0].shape, -np.inf)
    for i, of_candidate in enumerate(scores.astype(np.float64)):
        for own, handicap in zip(of_candidate, handicaps[i], strict=True):
            spread = own.std() if own.std() > 1e-6 * np.sqrt(np.mean(own**2)) else 0.0
            in_spreads = (own - own.mean()) / spread if spread else np.zeros_like(own)
            statistics[i] = np.maximum(statistics[i], in_spreads - handicap)
    return statistics


@given(
    seed=SEEDS,
    shape=st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 70)),
    dtype=st.sampled_from([np.float32, np.float64]),
    has_handicaps=st.booleans(),
    constant=st.booleans(),
)
def test_maxima_against_their_definition(seed, shape, dtype, has_handicaps, constant):
    rng = np.random.default_rng(seed)
    spaced = rng.permuted(np.broadcast_to(np.linspace(2, 4, shape[2]), shape), axis=2)  # so that all scores vary
    scores = (spaced + 0.1 * rng.normal(size=shape)).astype(dtype)
    scores[0, 0] = 0.1 if constant else scores[0, 0]
    handicaps = rng.uniform(size=shape[:2]) if has_handicaps else None
    observed, n_exceed, maxima = _kernel.studentised_maxima(scores, handicaps)
    statistics = slow_statistics(scores, np.zeros(shape[:2]) if handicaps is None else handicaps)
    rounding = 1e-5 if dtype == np.float32 else 1e-11
    np.testing.assert_allclose(observed, statistics[:, 0], atol=rounding)
    np.testing.assert_allclose(maxima, statistics.max(axis=0), atol=rounding)
    for count, own in zip(n_exceed, statistics, strict=True):
        assert np.sum(own[1:] >= own[0] + rounding) <= count <= np.sum(own[1:] >= own[0] - rounding)


@given(SEEDS, st.integers(2, 40), st.sampled_from([np.float32, np.float64]))
def test_equal_draws_have_equal_statistics_and_count_as_large(seed, n_draws, dtype):
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(3, 2, 4)).astype(dtype)
    which = rng.integers(0, 4, size=n_draws)
    observed, n_exceed, maxima = _kernel.studentised_maxima(np.ascontiguousarray(distinct[..., which]))
    assert np.all(n_exceed >= np.sum(which[1:] == which[0]))
    assert len(set(zip(which.tolist(), maxima.tolist(), strict=True))) == len(set(which.tolist()))
    assert maxima[0] == observed.max()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_do_not_vary_count_for_nothing(dtype):
    scores = np.full((2, 1, 30), 0.1, dtype=dtype)
    observed, n_exceed, maxima = _kernel.studentised_maxima(scores)
    assert (observed.tolist(), n_exceed.tolist(), maxima.tolist()) == ([0, 0], [29, 29], [0] * 30)
    handicapped = _kernel.studentised_maxima(scores, np.array([[2.0], [1.0]]))
    assert (handicapped[0].tolist(), handicapped[2].tolist()) == ([-2, -1], [-1] * 30)


# What is refused.


def zeros(*shape, dtype=np.int16):
    return np.zeros(shape, dtype=dtype)


def whole_numbers(*values, dtype=np.int64):
    return np.array(values, dtype=dtype)


def rows_of(*values):
    return whole_numbers(*values, dtype=np.uint32)


GOOD = {
    "permutations": {"key": 1, "order": rows_of(0, 2, 1), "starts": rows_of(0, 2, 3), "first": 0, "count": 2},
    "permuted_functions": {"functions": zeros(2, 3, 5), "sources": zeros(4, 5, dtype=np.uint32)},
    "rank_functions": {"columns": zeros(2, 5, dtype=np.float64), "bits": 11},
    "series_scores": {
        "candidates": zeros(2, 8, 16),
        "smooth": 3,
        "target": zeros(3, 2, 4, 16),
        "sums": whole_numbers(1, 2),
        "scale": 1.0,
    },
    "series_effects": {"candidates": zeros(2, 8, 16), "smooth": 3, "target": zeros(3, 2, 4, 16), "scale": 1.0},
    "largest_pairs": {
        "functions": zeros(3, 2, 16),
        "rows": 9,
        "start": 0,
        "stop": 2,
        "others": 1,
        "target": zeros(3, 1, 4, 16),
        "bits": 9,
        "least_spread": 0.1,
        "weights": zeros(2, 2, dtype=np.float32),
    },
    "predicted_by_trees": {
        "half_ranks": zeros(2, 5, dtype=np.int64),
        "samples": zeros(4, 5, dtype=np.uint16),
        "targets": zeros(3, 5, dtype=np.float64),
        "least_rows": 2,
        "most_depth": 3,
    },
    "studentised_maxima": {"scores": zeros(2, 3, 5, dtype=np.float32), "handicaps": np.zeros((2, 3))},
}
SERIES = [
    ({"candidates": zeros(2, 8, 15), "target": zeros(3, 2, 4, 15)}, "multiple of 16"),
    ({"candidates": zeros(2, 8, 0), "target": zeros(3, 2, 4, 0)}, "multiple of 16"),
    ({"candidates": zeros(2, 8, 32)}, "same number of rows"),
    ({"smooth": 1}, "two smooth functions"),
    ({"smooth": 9}, "two smooth functions"),
    ({"target": zeros(3, 1, 4, 16)}, "two smooth functions"),
    ({"instructions": "mmx"}, "instructions"),
]
REFUSED = {
    "permutations": [
        ({"order": rows_of(0, 3, 1)}, "numbered from 0"),
        ({"order": rows_of(), "starts": rows_of(0, 0)}, "starts must ascend"),
        ({"starts": rows_of(0, 2)}, "starts must ascend"),
        ({"starts": rows_of(1, 3)}, "starts must ascend"),
        ({"starts": rows_of(0, 2, 2, 3)}, "starts must ascend"),
        ({"starts": rows_of(3)}, "starts must ascend"),
        ({"starts": rows_of()}, "starts must ascend"),
    ],
    "permuted_functions": [
        ({"sources": zeros(4, 6, dtype=np.uint32)}, "same number of rows"),
        ({"sources": zeros(4, 5, dtype=np.uint32) + np.uint32(5)}, "numbered from 0"),
    ],
    "rank_functions": [({"columns": zeros(2, 0, dtype=np.float64)}, "have rows"), ({"bits": 13}, "bits")],
    "series_scores": [
        *SERIES,
        ({"sums": whole_numbers(1, 1)}, "add up"),
        ({"sums": whole_numbers(3, 0)}, "positive"),
        ({"sums": whole_numbers(4, -1)}, "positive"),
        ({"sums": whole_numbers()}, "add up"),
    ],
    "series_effects": SERIES,
    "largest_pairs": [
        ({"functions": zeros(3, 2, 15), "target": zeros(3, 1, 4, 15)}, "multiple of 16"),
        ({"target": zeros(3, 1, 4, 32)}, "same number of rows"),
        ({"target": zeros(3, 2, 4, 16)}, "same number of rows"),
        ({"rows": 17}, "same number of rows"),
        ({"stop": 4}, "pairs"),
        ({"start": 3}, "pairs"),
        ({"others": 4}, "pairs"),
        ({"functions": zeros(1, 2, 16), "stop": 1}, "pairs"),
        ({"functions": zeros(3, 33, 16)}, "pairs"),
        ({"weights": zeros(2, 3, dtype=np.float32)}, "weight"),
        ({"weights": zeros(1, 2, dtype=np.float32)}, "weight"),
        ({"bits": 10}, "bits"),
        ({"bits": 0}, "bits"),
        ({"instructions": "mmx"}, "instructions"),
    ],
    "predicted_by_trees": [
        ({"half_ranks": zeros(2, 0, dtype=np.int64)}, "same number of rows"),
        ({"samples": zeros(4, 6, dtype=np.uint16)}, "same number of rows"),
        ({"targets": zeros(3, 6, dtype=np.float64)}, "same number of rows"),
        ({"least_rows": 0}, "row"),
    ],
    "studentised_maxima": [
        ({"scores": zeros(0, 3, 5, dtype=np.float32)}, "scores"),
        ({"scores": zeros(2, 0, 5, dtype=np.float32)}, "scores"),
        ({"scores": zeros(2, 3, 0, dtype=np.float32)}, "scores"),
        ({"handicaps": np.zeros((2, 2))}, "handicap"),
    ],
}


@pytest.mark.parametrize(
    ("name", "changes", "message"), [(name, *refused) for name, cases in REFUSED.items() for refused in cases]
)
def test_refuses_what_does_not_fit_together(name, changes, message):
    getattr(_kernel, name)(**GOOD[name])
    with pytest.raises(ValueError, match=message):
        getattr(_kernel, name)(**{**GOOD[name], **changes})


def of_another_kind(array):
    """Arrays with a dimension less, with one more, of other numbers, and of which rows are not next to another."""
    spaced = np.repeat(array, 2, axis=-1)[..., ::2]
    return [array[0], array[None], array.astype(np.int8), array.astype(np.complex128), spaced]


# A list of handicaps of two dimensions becomes an array; all other arrays must be as they are needed.
ARRAYS = [
    (name, argument)
    for name, arguments in GOOD.items()
    for argument, value in arguments.items()
    if isinstance(value, np.ndarray) and argument != "handicaps"
]


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_refuses_other_arrays_and_copies_none(name, argument):
    for wrong in (*of_another_kind(GOOD[name][argument]), None, GOOD[name][argument].tolist()):
        with pytest.raises(TypeError):
            getattr(_kernel, name)(**{**GOOD[name], argument: wrong})


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("permutations", {"key": -1}),
        ("permutations", {"key": 2**64}),
        ("permutations", {"first": -1}),
        ("permutations", {"count": -1}),
        ("rank_functions", {"bits": 1.5}),
        ("series_scores", {"smooth": -1}),
        ("largest_pairs", {"rows": -1}),
        ("largest_pairs", {"start": -1}),
        ("studentised_maxima", {"handicaps": np.zeros(6)}),
    ],
)
def test_refuses_numbers_that_count_nothing(name, changes):
    with pytest.raises(TypeError):
        getattr(_kernel, name)(**{**GOOD[name], **changes})
