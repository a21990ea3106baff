"""Regression on smooth functions of features and on products of pairs: what each feature adds, and its shape.

It is a smoothing spline analysis of variance (Wahba 1990; Gu 2013) in few functions: natural cubic splines of
each feature, of which the line is free and bends cost by their second derivative, indicators of categories, and
products of the first functions of two features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit

from infosift.arrays import FloatArray, IntArray
from infosift.data.prepare import to_gaussian_ranks
from infosift.data.types import are_categorical

_N_KNOTS = 8
# Functions of a feature that are multiplied with those of another one.
_N_MULTIPLIED = 3
# What a line costs, of what a bend does: next to nothing, so that there is a solution for any number of features.
_COST_OF_LINE = 1e-4
_COST_OF_CATEGORY = 1.0
_COST_OF_PRODUCT = 1.0
# Ridges that are compared, and by how much products cost more.
_RIDGES = 10.0 ** np.arange(-6.0, 1.5, 0.5)
_RATIOS = (1.0, 10.0, 100.0, 1e4)
# What a degree of freedom counts for in generalised cross-validation, of numbers and of classes (Kim and Gu 2004).
_COST_OF_FREEDOM = (1.2, 1.4)
_LEAST_FREE = 0.1
_NEGLIGIBLE = 1e-12
# Long tails are those of less than this interquartile range, in standard deviations; that of a normal is 1.35.
_NARROW = 0.7
# By which the costs of the bends of one feature may differ from those of all.
_FACTORS = (1e-3, 0.1, 10.0, 1e3)
# Reweighted least squares converge in a few rounds.
_ROUNDS = 4
_LEAST_SHARE = 1e-3
# Of a line of unit spread, before the data, bends less: where classes are separated, coefficients would be without
# bound (Gelman et al. 2008).
_SPREAD_OF_LOG_ODDS = 2.5


@dataclass(frozen=True)
class SmoothFunctions:
    """Functions of a feature: orthonormal over its rows, of mean zero, with what each costs (``costs``).

    The first is the line, the others bends of rising second derivative (Demmler and Reinsch 1975), of numbers with
    long tails in their normal scores. ``places`` are those of the ``observed`` values on that scale.
    """

    observed: FloatArray
    places: FloatArray
    knots: FloatArray
    weights: FloatArray  # of the functions below, (all of them x functions)
    costs: FloatArray

    @classmethod
    def of(cls, column: FloatArray) -> SmoothFunctions:
        """Return the functions of a column of numbers."""
        observed, first_rows = np.unique(column, return_index=True)
        z = (column - column.mean()) / column.std()
        if np.ptp(np.quantile(z, (0.25, 0.75))) < _NARROW:
            z = to_gaussian_ranks(column)
        places, values = z[first_rows], np.unique(z)
        at = np.linspace(0, 1, min(_N_KNOTS, len(values)))
        knots = np.unique(values if len(values) <= _N_KNOTS else np.quantile(z, at))
        plain = _natural_splines(z, knots)
        lower = np.linalg.qr(plain[:, :2] / np.sqrt(len(z)))[1]
        first = np.zeros((plain.shape[1], 2))
        first[:2] = np.linalg.inv(lower)
        bends = np.zeros((plain.shape[1], max(0, plain.shape[1] - 2)))
        costs = np.zeros(0)
        if bends.shape[1]:
            bends[2:] = np.eye(bends.shape[1])
            bends[:2] = -np.linalg.lstsq(plain[:, :2], plain[:, 2:], rcond=None)[0]
            values_of = plain @ bends
            gram = values_of.T @ values_of / len(z)
            costs, vectors = eigh(_roughness(knots), gram + _NEGLIGIBLE * np.trace(gram) * np.eye(len(gram)))
            bends = bends @ vectors
        weights = np.concatenate([first[:, 1:], bends], axis=1)
        return cls(observed, places, knots, weights, np.maximum([0.0, *costs], _COST_OF_LINE))

    def at(self, values: FloatArray) -> FloatArray:
        """Return the functions at some values (values x functions)."""
        return _natural_splines(np.interp(values, self.observed, self.places), self.knots) @ self.weights


@dataclass(frozen=True)
class CategoryFunctions:
    """Orthonormal contrasts of categories, one less than there are (``weights``: categories x functions)."""

    categories: FloatArray
    shares: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, column: FloatArray) -> CategoryFunctions:
        """Return the contrasts of the categories of a column."""
        categories, counts = np.unique(column, return_counts=True)
        shares = counts / len(column)
        values, vectors = eigh(np.diag(shares) - np.outer(shares, shares))
        return cls(categories, shares, vectors[:, 1:] / np.sqrt(values[1:]))

    @property
    def costs(self) -> FloatArray:
        """What each function costs: of two categories what a line does."""
        number = self.weights.shape[1]
        return np.full(number, _COST_OF_LINE if number <= 1 else _COST_OF_CATEGORY / number)

    def at(self, values: FloatArray) -> FloatArray:
        """Return the functions at some values (values x functions)."""
        return np.asarray(((values[:, None] == self.categories) - self.shares) @ self.weights)


def functions_of_column(column: FloatArray) -> SmoothFunctions | CategoryFunctions:
    """Return the functions of a column: of numbers, or of categories; none of a constant."""
    if are_categorical(column[None])[0] or np.ptp(column) == 0:
        return CategoryFunctions.of(column)
    return SmoothFunctions.of(column)


def _natural_splines(z: FloatArray, knots: FloatArray) -> FloatArray:
    """Return natural cubic splines (values x functions): one, the line, and truncated cubics."""
    if len(knots) < 3:
        return np.column_stack([np.ones_like(z), z])

    def cubic(k: int) -> FloatArray:
        above = np.maximum(z - knots[k], 0) ** 3 - np.maximum(z - knots[-1], 0) ** 3
        return np.asarray(above / (knots[-1] - knots[k]))

    last = cubic(len(knots) - 2)
    return np.column_stack([np.ones_like(z), z, *(cubic(k) - last for k in range(len(knots) - 2))])


def _roughness(knots: FloatArray) -> FloatArray:
    """Return integrals of products of second derivatives of the truncated cubics: lines between knots."""
    left, right = knots[:-1], knots[1:]
    offsets = np.array([-1, 1]) / (2 * np.sqrt(3))  # two points of Gauss are exact for products of lines
    points = ((left + right) / 2)[:, None] + offsets * (right - left)[:, None]
    weights = np.repeat((right - left) / 2, 2)
    z = points.ravel()

    def second(k: int) -> FloatArray:
        above = 6 * np.maximum(z - knots[k], 0) - 6 * np.maximum(z - knots[-1], 0)
        return np.asarray(above / (knots[-1] - knots[k]))

    last = second(len(knots) - 2)
    bends = np.stack([second(k) - last for k in range(len(knots) - 2)])
    return np.asarray((bends * weights) @ bends.T)


class _Moments(NamedTuple):
    """Mean products of a design with itself and with a target, the target's mean square, and the mean weight."""

    gram: FloatArray
    moments: FloatArray
    total: float
    weight: float


class AdditiveModel:
    """Regression on functions of features (columns x rows) and of products of pairs, with a ridge for bends.

    ``components`` (components x rows) are numbers or, where ``has_classes``, indicators of classes, each of which
    has a logistic regression of its own. The ridge, and what products cost, are chosen by generalised
    cross-validation.
    """

    def __init__(
        self,
        columns: FloatArray,
        components: FloatArray,
        pairs: Sequence[tuple[int, int]] = (),
        *,
        has_classes: bool = False,
    ) -> None:
        self.n_rows, self.has_classes = columns.shape[1], has_classes
        self.functions = [functions_of_column(column) for column in columns]
        designs = [own.at(column) for own, column in zip(self.functions, columns, strict=True)]
        costs = [own.costs for own in self.functions]
        of_features = [np.eye(len(columns), dtype=bool)[[i] * own.shape[1]] for i, own in enumerate(designs)]
        ends = np.cumsum([own.shape[1] for own in designs])
        self.places = [slice(end - own.shape[1], end) for end, own in zip(ends, designs, strict=True)]
        for i, j in pairs:
            one, other = designs[i][:, :_N_MULTIPLIED], designs[j][:, :_N_MULTIPLIED]
            products = (one[:, :, None] * other[:, None]).reshape(self.n_rows, -1)
            designs.append(products - products.mean(axis=0))
            costs.append(
                np.add.outer(costs[i][:_N_MULTIPLIED], costs[j][:_N_MULTIPLIED]).ravel() + _COST_OF_PRODUCT
            )
            of_features.append(np.tile(np.isin(np.arange(len(columns)), (i, j)), (products.shape[1], 1)))
        self.design, self._costs = np.concatenate(designs, axis=1), np.concatenate(costs)
        self._needs = np.concatenate(of_features)
        self._is_product = self._needs.sum(axis=1) > 1
        self.components = components
        self.penalties = [self._penalty_of(own) for own in components]

    def _penalty_of(self, component: FloatArray) -> FloatArray:
        """Return what each column of the design costs, for a component."""
        if not self.has_classes:
            return self._cross_validated(component - component.mean(), np.ones(self.n_rows))
        penalty, everything = self._costs, np.arange(len(self._costs))
        for last in (False, True):
            probabilities = Logistic(self.design, component, penalty, everything).predicted
            weights = probabilities * (1 - probabilities)
            log_odds = np.log(probabilities / (1 - probabilities))
            target = log_odds + (component - probabilities) / weights
            penalty = self._cross_validated(target, weights, bends=last)
        return penalty

    def _cross_validated(self, target: FloatArray, weights: FloatArray, *, bends: bool = True) -> FloatArray:
        """Return the costs of least error by generalised cross-validation, of a regression with weights.

        Without ``bends`` those of all features count alike.
        """
        n, roots = self.n_rows, np.sqrt(weights)
        away = roots * (target - weights @ target / weights.sum())
        design = roots[:, None] * (self.design - weights @ self.design / weights.sum())
        moments = _Moments(design.T @ design / n, design.T @ away / n, float(np.mean(away**2)), weights.mean())
        costs, error = self._best_ridge(moments)
        costs = self._best_bends(moments, costs, error) if bends else costs
        least = (1 + self._costs) / (_SPREAD_OF_LOG_ODDS**2 * n) if self.has_classes else 0.0
        return np.asarray(costs + least)

    def _best_ridge(self, of: _Moments) -> tuple[FloatArray, float]:
        """Return the costs by the best ridge, and by how much products cost more, with their error."""
        best, least = self._costs * _RIDGES[-1] * of.weight, np.inf
        for ratio in _RATIOS if self._is_product.any() else _RATIOS[:1]:
            costs = self._costs * np.where(self._is_product, ratio, 1.0)
            scale = 1 / np.sqrt(costs)
            values, vectors = np.linalg.eigh(of.gram * scale[:, None] * scale)
            squares = (vectors.T @ (scale * of.moments)) ** 2
            shrunk = 1 / (np.maximum(values, 0.0) + of.weight * _RIDGES[:, None])
            errors = self._errors(of.total - (2 * shrunk - shrunk**2 * values) @ squares, shrunk @ values)
            if errors.min() < least:
                best, least = costs * _RIDGES[errors.argmin()] * of.weight, float(errors.min())
        return best, least

    def _best_bends(self, of: _Moments, best: FloatArray, least: float) -> FloatArray:
        """Return costs in which bends of single features count for less or more, one after the other."""
        for place in self.places:
            bends = slice(place.start + 1, place.stop)
            for own in [best[bends] * factor for factor in _FACTORS] if bends.stop > bends.start else ():
                costs = best.copy()
                costs[bends] = own
                inverse = np.linalg.inv(of.gram + np.diag(costs))
                found = inverse @ of.moments
                left = of.total - 2 * of.moments @ found + found @ of.gram @ found
                error = float(self._errors(left, np.sum(of.gram * inverse)))
                if error < least:
                    best, least = costs, error
        return best

    def _errors(self, left: FloatArray, freedom: FloatArray) -> FloatArray:
        """Return generalised cross-validation errors, by what is left of the target and degrees of freedom."""
        free = 1 - _COST_OF_FREEDOM[self.has_classes] * (freedom + 1) / self.n_rows
        errors = np.maximum(left, 0.0) / np.maximum(free, _LEAST_FREE) ** 2
        return np.asarray(np.where(free > _LEAST_FREE, errors, np.inf))

    def response(self, predictors: FloatArray) -> FloatArray:
        """Return what a sum of functions stands for: a number, or the probability of a class."""
        return _probabilities(predictors) if self.has_classes else predictors

    def fit(self, features: Sequence[int]) -> AdditiveFit:
        """Fit the functions and products of these features only."""
        without = ~np.isin(np.arange(self._needs.shape[1]), features)
        return AdditiveFit(self, np.flatnonzero(~self._needs[:, without].any(axis=1)))


class AdditiveFit:
    """A fit to the columns of a model's design that are ``used``, a regression for each component."""

    def __init__(self, model: AdditiveModel, used: IntArray) -> None:
        self.model, self.used = model, used
        kind = Logistic if model.has_classes else Linear
        self.regressions = [
            kind(model.design, component, penalty, used)
            for component, penalty in zip(model.components, model.penalties, strict=True)
        ]

    @property
    def errors(self) -> FloatArray:
        """The squared residual of each row, summed over components, without what the fit took of its noise."""
        return np.asarray(np.sum([own.residuals**2 / own.left for own in self.regressions], axis=0))

    @property
    def freedom(self) -> float:
        """Degrees of freedom, the mean over components."""
        return float(np.mean([own.freedom for own in self.regressions]))


class Linear:
    """Least squares with a penalty (as many as columns of the design), on some of the columns and the mean.

    ``left`` is the share of its noise that the residual of a row has: the diagonal of (I - H)(I - H)'.
    """

    def __init__(self, design: FloatArray, target: FloatArray, penalty: FloatArray, used: IntArray) -> None:
        self.mean, weights, own = float(target.mean()), np.ones(len(target)), design[:, used]
        self._solve(own, target - self.mean, weights, penalty[used])
        self.predicted = self.mean + own @ self.coefficients
        self.residuals = target - self.predicted
        self._count_freedom(own, weights)
        self.noise = float(np.sum(self.residuals**2) / max(1.0, len(target) - self.freedom))

    def _solve(self, design: FloatArray, target: FloatArray, weights: FloatArray, penalty: FloatArray) -> None:
        """Regress a centred target with weights."""
        weighted = weights[:, None] * design
        self._gram = weighted.T @ design
        self.inverse = np.linalg.inv(self._gram + len(target) * np.diag(penalty)) if len(penalty) else np.eye(0)
        self.coefficients = self.inverse @ (weighted.T @ target)

    def _count_freedom(self, design: FloatArray, weights: FloatArray) -> None:
        """Work out what each row has of its own noise, and how many degrees of freedom that leaves out."""
        scaled = np.sqrt(weights)[:, None] * design
        projected, of_mean = scaled @ self.inverse, weights / weights.sum()
        leverages = np.einsum("rk,rk->r", projected, scaled) + of_mean
        squares = np.einsum("rk,rk->r", projected @ self._gram, projected) + of_mean
        self.left = np.maximum(1 - 2 * leverages + squares, _LEAST_FREE)
        self.freedom = float(2 * leverages.sum() - squares.sum())


class Logistic(Linear):
    """Penalised logistic regression of an indicator, by reweighted least squares."""

    def __init__(self, design: FloatArray, target: FloatArray, penalty: FloatArray, used: IntArray) -> None:
        own, share = design[:, used], np.clip(target.mean(), _LEAST_SHARE, 1 - _LEAST_SHARE)
        self.mean, self.noise = float(np.log(share / (1 - share))), 1.0
        log_odds, weights, means = np.full(len(target), self.mean), np.ones(len(target)), own.mean(axis=0)
        self._solve(own - means, target - share, weights, penalty[used])
        for _ in range(_ROUNDS if len(used) else 0):
            probabilities = _probabilities(log_odds)
            weights = probabilities * (1 - probabilities)
            working = log_odds + (target - probabilities) / weights
            centre, means = weights @ working / weights.sum(), weights @ own / weights.sum()
            self._solve(own - means, working - centre, weights, penalty[used])
            self.mean = float(centre - means @ self.coefficients)
            log_odds = self.mean + own @ self.coefficients
        self.predicted = _probabilities(log_odds)
        self.residuals = target - self.predicted
        self._count_freedom(own - means, weights)


def _probabilities(log_odds: FloatArray) -> FloatArray:
    return np.asarray(np.clip(expit(log_odds), _LEAST_SHARE, 1 - _LEAST_SHARE))
