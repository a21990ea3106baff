"""Regression on the subset: each row predicted from the others, by kernel ridge regression."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import eigh
from scipy.special import ndtri
from scipy.stats import rankdata

from infosift.arrays import FloatArray, IntArray
from infosift.data.encoding import as_points, has_categories
from infosift.engines.base import Engine
from infosift.engines.blas import on_one_thread
from infosift.random_streams import stream

# Of the Gaussian kernel, in units of the root of the number of columns; and of the ridge, in units of n.
_WIDTHS = (0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_RIDGES = tuple(10.0 ** (exponent / 2) for exponent in range(-12, 0))
# Up to as many rows the kernel matrix is exact; beyond, it is spanned by some of the rows (Nyström).
_MOST_EXACT = 400
_LANDMARKS = 250
_NEGLIGIBLE = 1e-10
LEAST_PROBABILITY = 1e-3
_LEAST_SPREAD = 0.1  # of the mean
_LEAST_DISTANCE = 1e-3  # of the mean, whose logarithm is taken
# The middle half of a normal column is 1.35 standard deviations wide.
_NARROW = 0.7


class Smoother:
    """Predicts columns of numbers from a subset, each row from all others.

    The width of the kernel and the ridge are chosen for each predicted column by its leave-one-out error, which
    has a closed form; the mean of the other rows is one of the choices. The same numbers come out whatever else is
    predicted and however many threads there are.
    """

    def __init__(self, subset: FloatArray, seed: int, engine: Engine) -> None:
        points = np.concatenate([as_points(_without_long_tails(column)) for column in subset]).T
        self.n_rows = len(points)
        landmarks = (
            stream(seed, "landmarks").choice(self.n_rows, _LANDMARKS, replace=False)
            if self.n_rows > _MOST_EXACT
            else None
        )
        with on_one_thread():
            squares = _squared_distances(points, points if landmarks is None else points[landmarks]) / len(subset)
            self._fits = engine.each(partial(_fit, squares, landmarks), _WIDTHS)

    def predict(self, column: FloatArray) -> FloatArray:
        """Return what each row of a column would be by the others."""
        centred = column - column.mean()
        least = centred * (self.n_rows / (self.n_rows - 1))
        least_error = np.mean(least**2)
        with on_one_thread():
            for basis, kept, free in self._fits:
                residuals = (centred - (kept * (centred @ basis)) @ basis.T) / free
                errors = np.mean(residuals**2, axis=1)
                best = int(np.argmin(errors))
                if errors[best] < least_error:
                    least, least_error = residuals[best], errors[best]
        return np.asarray(column - least)


def expected_spread(left: FloatArray, smoother: Smoother) -> FloatArray:
    """Return how far from its prediction each row is expected to be; one where all of them are on it.

    Distances are predicted as they are, and by their logarithms, which can follow a spread down to almost nothing;
    that under which the distances are likelier is taken.
    """
    away = np.abs(left)
    mean = away.mean()
    if not mean > 0:
        return np.ones_like(left)
    plain = np.maximum(smoother.predict(away), _LEAST_SPREAD * mean)
    by_logarithm = np.exp(smoother.predict(np.log(np.maximum(away, _LEAST_DISTANCE * mean))))
    spreads = [spread * np.mean(away / spread) for spread in (plain, by_logarithm)]
    return min(spreads, key=lambda spread: float(np.mean(np.log(spread) + away / spread)))


def _without_long_tails(column: FloatArray) -> FloatArray:
    """Return normal scores in place of numbers most of which lie close together beside their spread."""
    if has_categories(column):
        return column
    low, high = np.quantile(column, (0.25, 0.75))
    if high - low >= _NARROW * column.std():
        return column
    return np.asarray(ndtri((rankdata(column) - 0.5) / len(column)))


def _fit(
    squares: FloatArray, landmarks: IntArray | None, width: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a basis, the share of it that each ridge keeps, and one less the leverage of each row."""
    kernel = np.exp(-squares / (2 * width**2))
    basis, eigenvalues = (
        _spectrum(kernel) if landmarks is None else _spectrum_by_landmarks(kernel, kernel[landmarks])
    )
    kept = eigenvalues / (eigenvalues + np.array(_RIDGES)[:, None] * len(kernel))
    leverage = kept @ (basis**2).T + 1 / len(kernel)
    return basis, kept, 1 - leverage


def _squared_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.asarray(np.maximum(squares, 0))


def _spectrum(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return an orthonormal basis of centred functions of the points, and the kernel's eigenvalue of each."""
    matrix -= matrix.mean(axis=0)
    matrix -= matrix.mean(axis=1, keepdims=True)
    eigenvalues, basis = eigh(matrix)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues.max()
    return np.ascontiguousarray(basis[:, held]), eigenvalues[held]


def _spectrum_by_landmarks(to_landmarks: FloatArray, among: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the same for the kernel that the landmarks span (Nyström)."""
    eigenvalues, vectors = eigh(among)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
    features = to_landmarks @ (vectors[:, held] / np.sqrt(eigenvalues[held]))
    features -= features.mean(axis=0)
    eigenvalues, vectors = eigh(features.T @ features)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
    return features @ (vectors[:, held] / np.sqrt(eigenvalues[held])), eigenvalues[held]
