"""Shifts of rows in time: what moves together stays together, so that rows need not be exchangeable."""

from __future__ import annotations

import numpy as np

from infosift.arrays import IntArray
from infosift.random_streams import stream

CIRCULAR = "circular"


def n_shifts(n_rows: int) -> int:
    """Return how many shifts there are besides none."""
    return 2 * n_rows - 1


def shifted_rows(n_rows: int, seed: int, step: int, numbers: range) -> IntArray:
    """Return from which row each takes its value in some draws (draws x rows), each draw by a shift of its own.

    The rows are laid in a ring with their mirror image, so that the last row does not meet the first, from which
    it may be far. All shifts of the ring are in an order of chance, short ones too: of series that wander, these
    are most like the data, and without them the data would seem rare. Beyond the last shift they come again.
    """
    shifts = 1 + stream(seed, "shifts", step).permutation(n_shifts(n_rows))
    own = shifts[(np.asarray(numbers) - 1) % len(shifts)]
    places = (np.arange(n_rows) + own[:, None]) % (2 * n_rows)
    return np.asarray(np.where(places < n_rows, places, 2 * n_rows - 1 - places))
