"""Functions of the rows that span a Gaussian kernel of the subset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

from infosift.arrays import FloatArray, IntArray
from infosift.engines.base import equal_parts
from infosift.random_streams import stream

# Up to as many rows the kernel matrix is exact; beyond, it is spanned by some of the rows (Nyström).
_MOST_EXACT = 400
_LANDMARKS = 250
# Of more rows the functions are held in single precision, and worked with in parts.
_MOST_IN_DOUBLE = 4_096
_ROWS_OF_PART = 1_024
_NEGLIGIBLE = 1e-8


class Basis:
    """Functions of the rows (rows x functions), in parts of rows.

    Those of a long table are held in single precision: it is the largest thing that a worker has in memory, and
    what is predicted by it is uncertain by much more.
    """

    def __init__(self, n_rows: int, n_functions: int) -> None:
        self._parts = _parts_of(n_rows)
        self._held = np.empty((n_rows, n_functions), np.float64 if len(self._parts) == 1 else np.float32)

    def __setitem__(self, rows: slice, values: FloatArray) -> None:
        self._held[rows] = values

    @property
    def n_rows(self) -> int:
        """Of how many rows they are functions."""
        return len(self._held)

    def of(self, rows: IntArray) -> FloatArray:
        """Return the functions of some rows."""
        return self._held[rows].astype(np.float64, copy=False)

    def coefficients_of(self, columns: FloatArray) -> FloatArray:
        """Return the products of columns with the functions."""
        products = np.zeros((len(columns), self._held.shape[1]))
        for part, values in self.in_parts():
            products += columns[:, part] @ values
        return products

    def sums(self, coefficients: FloatArray) -> FloatArray:
        """Return columns, each a sum of the functions with coefficients of its own."""
        columns = np.empty((len(coefficients), self.n_rows))
        for part, values in self.in_parts():
            np.matmul(coefficients, values.T, out=columns[:, part])
        return columns

    def in_parts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield parts of the rows, with the functions of these."""
        for part in self._parts:
            yield part, self._held[part].astype(np.float64, copy=False)


@dataclass(frozen=True)
class Kernel:
    """A kernel as a sum over functions, which are orthonormal and have mean zero, each with its eigenvalue."""

    basis: Basis
    eigenvalues: FloatArray


def spanned_kernel(width: float, points: FloatArray, n_columns: int) -> Kernel:
    """Return the functions that span a kernel of a width, in units of the root of the number of columns.

    It is spanned by as many of the landmarks as it takes, which for a wide one are few. Of a long table it is
    never there for all rows at once.
    """
    landmarks = _landmarks(len(points))
    marks = points if landmarks is None else points[landmarks]
    factor, pivots, rank, _ = dpstrf(_kernel(marks, marks, width, n_columns), tol=_NEGLIGIBLE, lower=1)
    span, lower = marks[pivots[:rank] - 1], np.tril(factor[:rank, :rank])
    parts = _parts_of(len(points))

    @lru_cache(maxsize=1)  # of a table in one part they are worked out once
    def functions_of(number: int) -> FloatArray:
        kernel = _kernel(points[parts[number]], span, width, n_columns)
        return np.ascontiguousarray(solve_triangular(lower, kernel.T, lower=True).T)

    mean = sum(functions_of(number).sum(axis=0) for number in range(len(parts))) / len(points)
    products = np.zeros((rank, rank))
    for number in range(len(parts)):
        centred = functions_of(number) - mean
        products += centred.T @ centred
    eigenvalues, vectors = eigh(products)
    held = eigenvalues > _NEGLIGIBLE * eigenvalues[-1]
    vectors, eigenvalues = vectors[:, held] / np.sqrt(eigenvalues[held]), eigenvalues[held]
    basis = Basis(len(points), len(eigenvalues))
    for number, part in enumerate(parts):
        basis[part] = (functions_of(number) - mean) @ vectors
    return Kernel(basis, eigenvalues)


def _parts_of(n_rows: int) -> list[slice]:
    return [slice(0, n_rows)] if n_rows <= _MOST_IN_DOUBLE else equal_parts(n_rows, _ROWS_OF_PART)


def _landmarks(n_rows: int) -> IntArray | None:
    """Return the rows that span the kernel, the same in every run; None where all do."""
    if n_rows <= _MOST_EXACT:
        return None
    return stream(0, "landmarks").choice(n_rows, _LANDMARKS, replace=False)


def _kernel(points: FloatArray, others: FloatArray, width: float, n_columns: int) -> FloatArray:
    return np.asarray(np.exp(-(cdist(points, others, "sqeuclidean") / n_columns) / (2 * width**2)))
