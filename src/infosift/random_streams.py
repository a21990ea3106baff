"""Random streams named by their purpose, so that each is independent of what was drawn before."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from infosift.errors import Hint, InputError, shown

_N_SEEDS = 2**128
SeedLike = int | np.integer | np.random.RandomState | np.random.Generator | None


def resolve_seed(random_state: SeedLike) -> int:
    """Return the integer that fixes a run: the given one, or one drawn from a generator or from the system."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < _N_SEEDS:
        return int(random_state)
    raise InputError(
        Hint("random_state"),
        " must be None, a non-negative integer of up to 128 bits or a NumPy random generator, not "
        f"{shown(random_state)}.",
    )


def stream(seed: int, purpose: str, *place: int) -> np.random.Generator:
    """Return the random generator for a purpose and a place in a run.

    Parameters
    ----------
    seed : int
        The seed of the run.
    purpose : str
        What is drawn, such as "folds". Other purposes have other streams, of which none depends on another.
    *place : int
        Which step, fold or permutation it is for.
    """
    return np.random.default_rng([seed, crc32(purpose.encode()), *place])
