"""The synthetic problem of the paper, equation 3."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray
from infosift.functions import score_candidates

NAMES = tuple(f"X{number}" for number in range(1, 11))
INFORMATIVE = frozenset(NAMES[:5])


def draw(seed: int, n_rows: int = 100) -> tuple[FloatArray, FloatArray]:
    """Draw a data set: ten uniform features, of which the first five act on the target."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 10))
    y = 10 * np.sin(X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n_rows)


def whole_path(X: FloatArray, y: FloatArray, n_neighbors: int) -> tuple[list[int], list[float]]:
    """Add the best feature until none is left; return the features in order and the information after each."""
    selected: list[int] = []
    scores: list[float] = []
    while len(selected) < X.shape[1]:
        left = [column for column in range(X.shape[1]) if column not in selected]
        given = X[:, selected] if selected else None
        information = score_candidates(X[:, left], y, given, n_neighbors=n_neighbors)
        best = int(np.argmax(information))
        selected.append(left[best])
        scores.append(float(information[best]))
    return selected, scores
