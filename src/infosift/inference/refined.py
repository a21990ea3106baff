"""Small p-values of many candidates: only those that few surrogates reach are drawn further."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.inference.conditional import Conditional
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.max_test import MOST_DRAWN_VALUES, Draws

# A p-value that so many surrogates stand for is known well enough (Besag and Clifford 1991).
_ENOUGH = 10
_MOST_DRAWS = 200_000


def refined(
    draws: Draws, conditional_of: Callable[[list[int]], Conditional], least_p: float, purpose: str
) -> tuple[FloatArray, IntArray]:
    """Return unadjusted p-values that can be as small as ``least_p``, and the number of surrogates behind each.

    ``conditional_of`` returns candidates at some places. Fewer of them are left at each turn, so that draws cost
    less the more there are.
    """
    p_values, counts = draws.unadjusted_p_values, np.full(len(draws.observed), draws.n_permutations)
    places, count = np.flatnonzero(draws.as_high < _ENOUGH), draws.n_permutations
    wanted = min(_MOST_DRAWS, math.ceil(1 / least_p))
    while len(places):
        conditional = conditional_of(places.tolist())
        affordable = MOST_DRAWN_VALUES // (len(places) * conditional.bench.table.n_rows)
        if min(wanted, affordable) <= count:
            break
        count = min(wanted, affordable)
        drawn = DrawnSeries(conditional, purpose).draws(count)
        p_values[places], counts[places] = drawn.unadjusted_p_values, count
        places = places[drawn.as_high < _ENOUGH]
    return p_values, counts
