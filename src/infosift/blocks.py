"""Rows that belong together, such as repeated measures: shuffles move them, and folds leave them out, as one."""

from __future__ import annotations

from math import ceil, factorial
from typing import Any

import numpy as np

from infosift.arrays import IntArray
from infosift.checks import InputError, require_rows


def read_blocks(values: Any, n_rows: int) -> IntArray:
    """Return the number of its block for each row; equal values are one block."""
    values = np.asarray(values)
    if values.shape != (n_rows,):
        raise InputError(
            f"blocks must have one value for each of the {n_rows} rows, not the shape {values.shape}."
        )
    missing = [value is None or value != value for value in values.tolist()]
    if any(missing):
        raise InputError(
            f"blocks has no value for row {missing.index(True)} (the first row is 0): fill it in first."
        )
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def require_enough_to_shuffle(n_rows: int, blocks: IntArray | None, alpha: float, share: float) -> int | None:
    """Refuse so few rows, or blocks, that no order of them is as rare as alpha, or the share of it a test has.

    Return how many blocks there are.
    """
    needed = next(number for number in range(2, 200) if factorial(number) >= ceil(1 / (alpha * share) - 1e-9))
    if blocks is None:
        require_rows(n_rows, needed, f"alpha={alpha:g}")
        return None
    count = int(blocks.max()) + 1
    if count < needed:
        raise InputError(
            f"blocks has {count} block{'s' * (count != 1)}, and alpha={alpha:g} needs at least {needed}, "
            "since only whole blocks are shuffled."
        )
    return count


def shuffled_rows(rows: IntArray, generator: np.random.Generator, blocks: IntArray | None = None) -> IntArray:
    """Return from which row each of some rows takes its value when they are shuffled.

    With blocks, the rows of a block stay together and in order: the rows lie side by side, block after block, and
    the blocks change places. Blocks of the same size replace each other; others overlap.
    """
    if blocks is None:
        return generator.permutation(rows)
    own = blocks[rows]
    present = np.unique(own)
    place = np.empty(blocks.max() + 1, dtype=np.int64)
    place[present] = generator.permutation(len(present))
    source = np.empty_like(rows)
    source[np.argsort(own, kind="stable")] = rows[np.argsort(place[own], kind="stable")]
    return source
