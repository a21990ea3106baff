"""Generic linear and nearest-neighbour models of a target, for every number of features of an order at once.

Least angle regression makes orders; ridge regressions and the mean of the nearest rows stand for models that a
user may have. Designs (columns x rows) are of features in their order, and ``ends`` says how many columns the
first so many features have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.inference.max_test import Scores

# Ridges that are compared, in units of the number of rows.
_RIDGES = np.array([10.0, 1.0, 1e-1, 1e-2, 1e-3])
# What a degree of freedom costs in generalised cross-validation; and where a fit uses up so much of the rows, that
# tells nothing of it.
_COST_OF_FREEDOM = 1.1
_MOST_FREEDOM = 0.8
_N_NEIGHBORS = (5, 10)
_LEAST_SPREAD = 1e-6
# Columns that are hardly independent of those before do not enter the lasso, nor where correlations are as good as
# zero: shares of their length, and of the first correlation.
_LEAST_INDEPENDENT = 1e-7
_NEGLIGIBLE = 1e-9


def lasso_order(columns: Scores, target: FloatArray, most_steps: int, *, positive: bool = False) -> IntArray:
    """Return the order in which columns (columns x rows) enter the lasso, its penalty lowered from the largest.

    Columns are centred and scaled to length one. In each of at most so many steps a column enters, or leaves;
    with ``positive``, coefficients are not negative (Efron, Hastie, Johnstone and Tibshirani 2004). scikit-learn's
    ``lars_path`` has the coefficients too, in about twice the time; here hundreds of paths are followed.
    """
    centred = columns - columns.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("cr,cr->c", centred, centred))
    known = np.flatnonzero(length > _LEAST_SPREAD)
    scaled = centred[known] / length[known, None]
    correlations = scaled @ (target - target.mean())
    may_enter, active, left = np.ones(len(known), dtype=bool), _ActiveSet(scaled, most_steps), -1
    heights = correlations if positive else np.abs(correlations)
    entering, height = (int(heights.argmax()), float(heights.max())) if len(known) else (-1, 0.0)
    end = _NEGLIGIBLE * height
    for _ in range(most_steps):
        if height <= end:
            break
        if entering >= 0:
            may_enter[entering] = False
            active.enter(entering, 1.0 if positive else float(np.sign(correlations[entering])))
        direction, rates = active.direction()
        step, entering = _next_to_enter(correlations, rates, height, may_enter, positive)
        if left >= 0:  # a column that left cannot come back in the same step
            may_enter[left] = True
        step_to_zero, leaving = active.next_to_leave(direction)
        left = -1
        if step_to_zero < step:
            step, entering, left = step_to_zero, -1, active.columns[leaving]
        height, correlations = height - step, correlations - step * rates
        active.coefficients += step * direction
        if left >= 0:
            active.leave(leaving)
    return known[active.entered]


class _ActiveSet:
    """The columns that have entered, whose correlations with the residual are equally high but for their signs."""

    def __init__(self, scaled: FloatArray, most: int) -> None:
        self._scaled, self.columns, self.entered = scaled, list[int](), list[int]()
        self.coefficients, self._signs = np.zeros(0), np.zeros(0)
        self._products = np.empty((most, len(scaled)))  # of active columns with all
        self._gram = np.empty((most, most))
        self._factor = self._gram[:0, :0]

    def enter(self, column: int, sign: float) -> None:
        """Add a column, unless it depends on those that are active."""
        count = len(self.columns)
        products = np.dot(self._scaled, self._scaled[column], out=self._products[count])
        self._gram[count, : count + 1] = products[[*self.columns, column]]
        factor, info = dpotrf(self._gram[: count + 1, : count + 1], lower=1)
        if info == 0 and factor[count, count] ** 2 > _LEAST_INDEPENDENT:
            self._factor = factor
            self.columns.append(column)
            self.coefficients, self._signs = np.append(self.coefficients, 0.0), np.append(self._signs, sign)
            if column not in self.entered:
                self.entered.append(column)

    def leave(self, place: int) -> None:
        """Take the column at a place away."""
        count = len(self.columns)
        others = [i for i in range(count) if i != place]
        self._products[: count - 1] = self._products[others]
        self._gram[: count - 1, : count - 1] = self._gram[np.ix_(others, others)]
        self._factor, _ = dpotrf(self._gram[: count - 1, : count - 1], lower=1)
        del self.columns[place]
        self.coefficients, self._signs = self.coefficients[others], self._signs[others]

    def direction(self) -> tuple[FloatArray, FloatArray]:
        """Return in which direction coefficients move so that their correlations fall alike, and how all fall."""
        direction, _ = dpotrs(self._factor, self._signs, lower=1)
        return direction, direction @ self._products[: len(direction)]

    def next_to_leave(self, direction: FloatArray) -> tuple[float, int]:
        """Return after which step the first coefficient is zero, and its place."""
        steps = np.full(len(direction), np.inf)
        np.divide(-self.coefficients, direction, out=steps, where=self.coefficients * direction < 0)
        place = int(steps.argmin())
        return float(steps[place]), place


def _next_to_enter(
    correlations: FloatArray, rates: FloatArray, height: float, may_enter: BoolArray, positive: bool
) -> tuple[float, int]:
    """Return after which step the first column is as correlated as the active ones, and which; -1 for the end."""
    signs = np.array([[1.0]] if positive else [[1.0], [-1.0]])
    nearing = 1 - signs * rates
    steps = np.maximum(height - signs * correlations, 0.0)
    steps /= np.where(nearing > _NEGLIGIBLE, nearing, _NEGLIGIBLE * _NEGLIGIBLE)
    steps[:, ~may_enter] = np.inf
    first = int(steps.argmin())
    step = float(steps.flat[first])
    return (step, first % len(rates)) if step < height else (height, -1)


def scaled_by(columns: FloatArray, train: IntArray) -> FloatArray:
    """Centre and scale columns (columns x rows) by their mean and standard deviation in some rows."""
    of_train = columns[:, train]
    mean, spread = of_train.mean(axis=1, keepdims=True), of_train.std(axis=1, keepdims=True)
    return np.asarray((columns - mean) / np.where(spread > _LEAST_SPREAD, spread, 1.0))


class RidgePath:
    """Ridge regressions of centred targets (components x rows) on the first columns of a centred design.

    The Cholesky factor of the first columns is a part of that of all columns, and so is its inverse: one
    factorisation for each ridge is enough for every number of columns. For each number, the ridge is chosen by
    generalised cross-validation (Golub, Heath and Wahba 1979).
    """

    def __init__(self, design: FloatArray, target: FloatArray, ends: Sequence[int] | IntArray) -> None:
        n_columns, n_rows = design.shape
        last, sizes, penalties = np.asarray(ends), range(len(ends)), _RIDGES * n_rows
        inverses = _inverse_factors(design @ design.T, penalties)
        rotated = inverses @ (design @ target.T)
        # (ridges x columns x sizes x components): with so many columns, those of all others are zero.
        used = np.arange(n_columns)[:, None] < last
        kept = np.where(used[:, :, None], rotated[:, :, None], 0.0)
        own = (inverses.transpose(0, 2, 1) @ kept.reshape(len(_RIDGES), n_columns, -1)).reshape(kept.shape)
        explained, traces = (_sums_of_squares(each, last) for each in (rotated, inverses))
        left = float((target**2).sum()) - explained - penalties[:, None] * (own**2).sum(axis=(1, 3))
        freedom = _COST_OF_FREEDOM * (last - penalties[:, None] * traces + 1) / n_rows
        enough = freedom <= _MOST_FREEDOM
        errors = np.where(enough, left / np.where(enough, 1 - freedom, 1.0) ** 2, math.inf)
        #: (sizes x columns x components)
        self.coefficients = own[errors.argmin(axis=0), :, sizes]

    def predict(self, design: FloatArray) -> FloatArray:
        """Predict the targets of other rows (sizes x components x rows)."""
        return np.asarray(self.coefficients.transpose(0, 2, 1) @ design)


def _inverse_factors(gram: FloatArray, penalties: FloatArray) -> FloatArray:
    """Return the inverse of the Cholesky factor of a matrix with each penalty on its diagonal."""
    inverses = np.empty((len(penalties), *gram.shape))
    for inverse, penalty in zip(inverses, penalties, strict=True):
        factor, _ = dpotrf(gram + penalty * np.eye(len(gram)), lower=1, clean=1)
        inverse[:] = dtrtri(factor, lower=1)[0]
    return inverses


def _sums_of_squares(values: FloatArray, ends: IntArray) -> FloatArray:
    """Return sums of squares over the first rows (ridges x ends) of arrays (ridges x rows x columns)."""
    return np.asarray(np.einsum("rij,rij->ri", values, values).cumsum(axis=1)[:, ends - 1])


def ridge_errors(
    design: FloatArray, target: FloatArray, ends: Sequence[int] | IntArray, train: IntArray, test: IntArray
) -> FloatArray:
    """Return squared errors of ridge regressions in the rows of a test (sizes x rows)."""
    centre = target[:, train].mean(axis=1, keepdims=True)
    path = RidgePath(design[:, train], target[:, train] - centre, ends)
    return np.asarray(((target[:, test] - centre - path.predict(design[:, test])) ** 2).sum(axis=1))


def neighbor_errors(design: FloatArray, target: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
    """Return squared errors of the mean of the nearest rows, a mean over numbers of neighbours.

    Rows that are as near as the last of the nearest count too.
    """
    inside, outside = design[:, test].astype(np.float32), design[:, train].astype(np.float32)
    distances = (outside**2).sum(axis=0) - 2 * inside.T @ outside  # less what all rows of training share
    numbers = [min(k, len(train)) - 1 for k in _N_NEIGHBORS]
    farthest = np.partition(distances, numbers, axis=1)[:, numbers].T
    values = np.vstack([target[:, train], np.ones(len(train))]).astype(np.float32)
    errors = np.zeros(len(test))
    for bound in farthest:
        sums = values @ (distances <= bound[:, None]).T.astype(np.float32)
        errors += ((target[:, test] - sums[:-1] / sums[-1]) ** 2).sum(axis=0)
    return errors / len(numbers)
