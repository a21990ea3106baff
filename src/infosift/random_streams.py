"""Random streams that depend on what they are for, and on nothing that happened before."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from infosift.errors import Hint, InputError, shown

_SEEDS = 2**128
SeedLike = int | np.integer | np.random.RandomState | np.random.Generator | None


def resolve_seed(random_state: SeedLike) -> int:
    """Return the one integer that fixes a run: the given one, or one drawn from the given or a fresh source."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < _SEEDS:
        return int(random_state)
    raise InputError(
        Hint("random_state"),
        " must be None, a non-negative integer of up to 128 bits or a NumPy random generator, not "
        f"{shown(random_state)}.",
    )


def stream(seed: int, purpose: str, *place: int) -> np.random.Generator:
    """Return the generator for one purpose (a word) and place (a step, a fold, a permutation) of a run."""
    return np.random.default_rng([seed, crc32(purpose.encode()), *place])
