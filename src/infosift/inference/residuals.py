"""Residuals of a target given a subset, in a form whose distribution does not depend on the subset."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.rank_basis import (
    expected_polynomials,
    functions_of,
    polynomials,
    standardised,
    uniform_ranks,
)
from infosift.data.targets import Target, TargetResiduals
from infosift.inference.kernel_ridge import KernelRidge, predict_with_spread
from infosift.random_streams import stream

# Randomised residuals cost power by their chance, so that scores are averaged over some versions of them.
_VERSIONS = 3


def residuals_of_target(target: Target, regression: KernelRidge) -> TargetResiduals:
    """Return the residuals of all components of a target given the subset of a regression."""
    return target.residuals(*predict_with_spread(target.components, regression))


def marginal_functions(target: Target) -> list[FloatArray]:
    """Return functions (functions x rows) of each component: an indicator itself, or polynomials of ranks."""
    return [
        standardised(component[None]) if is_indicator else functions_of(component[None])[0].smooth
        for component, is_indicator in zip(target.components, target.has_indicators, strict=True)
    ]


def residual_functions(residuals: TargetResiduals) -> list[FloatArray]:
    """Return functions (functions x rows) of the residual of each component: polynomials of its ranks.

    Where a residual is an interval (Dunn and Smyth 1996), the mean of a polynomial over it needs no randomisation.
    """
    return [
        standardised(expected_polynomials(low, high) if is_interval else polynomials(uniform_ranks(low)))
        for low, high, is_interval in zip(residuals.low, residuals.high, residuals.is_interval, strict=True)
    ]


def randomised_residuals(residuals: TargetResiduals) -> FloatArray:
    """Return residuals as numbers of unit spread, which neighbours need (versions x components x rows).

    An interval is replaced by a uniform point of it, the same in every run. There is one version where none is an
    interval.
    """
    n_versions = _VERSIONS if residuals.is_interval.any() else 1
    places = stream(0, "points of the target").uniform(size=(n_versions, 1, residuals.raw.shape[1]))
    points = residuals.high - (residuals.high - residuals.low) * places
    spread = points.std(axis=2, keepdims=True)
    return np.asarray(points / np.where(spread > 0, spread, 1))


def residual_variance(target: Target, regression: KernelRidge | None) -> float:
    """Return the mean squared residual of all components given the subset of a regression (None: an empty one)."""
    components = target.components
    predicted = components.mean(axis=1, keepdims=True) if regression is None else regression.predict(components)
    return float(np.mean((components - predicted) ** 2))
