"""Tables with a feature that leaks the target, and tables with strong but legitimate ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import norm

from infosift.arrays import FloatArray
from studies.simulated import Sample, series

Generator = np.random.Generator
_COLUMNS = 6


def _after(y: FloatArray) -> FloatArray:
    return np.roll(y, -1)


def _wrong(y: FloatArray, rng: Generator) -> FloatArray:
    """Return a copy in which one row of a hundred has the value of another."""
    rows = rng.permutation(len(y))[: max(1, len(y) // 100)]
    copy = y.copy()
    copy[rows] = rng.permutation(y)[rows]
    return copy


# What a leaking feature is, given the target and chance.
OF_NUMBERS: dict[str, Callable[[FloatArray, Generator], FloatArray]] = {
    "a copy": lambda y, rng: y.copy(),
    "another unit": lambda y, rng: 0.92 * y,
    "another unit and zero": lambda y, rng: 32 + 1.8 * y,
    "the negative": lambda y, rng: -y,
    "an exponential": lambda y, rng: np.exp(y),
    "a root": lambda y, rng: np.sqrt(y - y.min()),
    "a cube": lambda y, rng: y**3,
    "the rank": lambda y, rng: np.argsort(np.argsort(y)).astype(np.float64),
    "rounded": lambda y, rng: np.round(y, 1),
    "a copy but for 1e-3": lambda y, rng: y + 1e-3 * y.std() * rng.normal(size=len(y)),
    "an exponential but for 1e-3": lambda y, rng: np.exp(y) * (1 + 1e-3 * rng.normal(size=len(y))),
    "a copy with a row of a hundred wrong": _wrong,
    "the target of the row after": lambda y, rng: _after(y),
}
# The same of a target of three classes; a code is a number for each class.
OF_CLASSES: dict[str, Callable[[FloatArray, Generator], FloatArray]] = {
    "codes": lambda y, rng: np.array([7.0, 3.0, 12.0])[y.astype(int)],
    "codes but for 1e-3": lambda y, rng: y + 1e-3 * rng.normal(size=len(y)),
    "several codes of each class": lambda y, rng: 3 * y + rng.integers(0, 3, size=len(y)),
    "the score that classes are cuts of": lambda y, rng: y + rng.uniform(size=len(y)),
    "the class of the row after": lambda y, rng: _after(y),
}


def _target(rng: Generator, X: FloatArray) -> FloatArray:
    return np.asarray(X[:, 0] + 0.7 * X[:, 1] + 0.5 * rng.normal(size=len(X)))


def _classes(y: FloatArray) -> FloatArray:
    return np.searchsorted(np.quantile(y, [0.4, 0.75]), y).astype(np.float64)


def leak(name: str, seed: int, n: int = 300) -> Sample:
    """Draw a table whose last feature is a leak: of numbers, of classes, or of a series of either."""
    rng = np.random.default_rng([seed, n, 7])
    X = rng.normal(size=(n, _COLUMNS))
    of_series = name.removesuffix(", of a series")
    y = _target(rng, X) if of_series == name else series(rng, n, 1, 0.95)[:, 0]
    if of_series in OF_CLASSES:
        y = _classes(y)
    recode = {**OF_NUMBERS, **OF_CLASSES}[of_series]
    return Sample(np.column_stack([X, recode(y, rng)]), y, frozenset({0, 1}))


LEAKS = (
    *OF_NUMBERS,
    *OF_CLASSES,
    "the target of the row after, of a series",
    "the class of the row after, of a series",
)


def honest(seed: int, n: int, strength: float, *, classes: bool = False) -> Sample:
    """Draw a table whose first feature explains a share of the target's variance, or gives a share of its classes.

    Classes are two. The strength of a feature is then how often a cut of it tells them right.
    """
    rng = np.random.default_rng([seed, n, 8, int(1000 * strength)])
    X = rng.normal(size=(n, _COLUMNS))
    if not classes:
        y = np.sqrt(strength) * X[:, 0] + np.sqrt(1 - strength) * rng.normal(size=n)
        return Sample(X, y, frozenset({0}))
    y = rng.integers(0, 2, size=n).astype(np.float64)
    X[:, 0] += 2 * norm.ppf(strength) * y
    X[:, 1] = np.where(rng.uniform(size=n) < strength, y, 1 - y)
    return Sample(X, y, frozenset({0, 1}))
