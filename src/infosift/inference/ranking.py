"""Which of several candidates: the one that, with the subset, leaves least of the target unexplained."""

from __future__ import annotations

import numpy as np

from infosift.arrays import DIGITS, FloatArray
from infosift.engines.base import on_one_thread
from infosift.inference.conditional import Conditional

_SHORT_LIST = 8
_RIDGE = 1e-6


def best_of(conditional: Conditional, places: list[int]) -> int:
    """Return the place of the best of some candidates: no chance is left in it.

    Of a short list by raw effect it is the one whose functions, and products of the first with the subset,
    predict the residual of the target best, each row by the others.
    """
    effects = np.round(conditional.effects([0])[0], DIGITS)
    digest, units = conditional.bench.table.digest, conditional.units
    by_effect = sorted(places, key=lambda i: (effects[i], digest(units[i])), reverse=True)
    short = by_effect[:_SHORT_LIST]
    return min(short, key=lambda i: (round(_error(conditional, i), DIGITS), short.index(i)))


def _error(conditional: Conditional, place: int) -> float:
    functions, subset = conditional.functions([place])[0].smooth, conditional.subset_functions
    if subset is not None:
        functions = np.concatenate([functions, subset * functions[:1]])
    return leave_one_out_error(functions, conditional.raw_residuals)


def leave_one_out_error(functions: FloatArray, targets: FloatArray) -> float:
    """Return the mean squared error of targets (targets x rows), each row predicted from the others."""
    n_rows = functions.shape[1]
    design = np.concatenate([np.ones((1, n_rows)), functions])
    with on_one_thread():
        gram = design @ design.T + _RIDGE * n_rows * np.eye(len(design))
        hat = np.linalg.solve(gram, design)
        leverage = np.einsum("fr,fr->r", design, hat)
        residuals = targets - (targets @ design.T) @ hat
    return float(np.mean((residuals / np.maximum(1 - leverage, _RIDGE)) ** 2))
