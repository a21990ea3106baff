"""Data sets that show one thing each: what matters is known, and so is what does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from infosift.arrays import FloatArray
from infosift.studies.synthetic import draw as draw_friedman

Generator = np.random.Generator
_COLUMNS = 10


@dataclass(frozen=True)
class Sample:
    """Columns, a target, and the positions of the columns that matter; ``copies`` of a column stand for it."""

    X: FloatArray
    y: FloatArray
    truth: frozenset[int]
    copies: frozenset[int] = frozenset()
    original: int = 0


def noise(seed: int, n: int, d: int) -> Sample:
    """Draw columns that have nothing to do with the target."""
    rng = np.random.default_rng([seed, n, d])
    return Sample(rng.normal(size=(n, d)), rng.normal(size=n), frozenset())


def friedman(seed: int, n: int, n_copies: int = 0, sd: float = 0.05) -> Sample:
    """Draw the paper's problem, with noisy copies of X4 if asked for."""
    X, y = draw_friedman(seed, n)
    rng = np.random.default_rng([seed, n, 1])
    copies = X[:, [3]] + sd * rng.normal(size=(n, n_copies))
    positions = frozenset(range(X.shape[1], X.shape[1] + n_copies))
    return Sample(np.concatenate([X, copies], axis=1), y, frozenset(range(5)), positions, original=3)


def exclusive_or(seed: int, n: int) -> Sample:
    """Draw a target that depends on the product of two signs."""
    rng = np.random.default_rng([seed, n, 2])
    X = rng.normal(size=(n, _COLUMNS))
    return Sample(X, np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=n), frozenset({0, 1}))


def correlated_noise(seed: int, n: int) -> Sample:
    """Draw thirty useless columns with a correlation of 0.9 between any two, and two that matter."""
    rng = np.random.default_rng([seed, n, 3])
    shared = np.sqrt(0.9) * rng.normal(size=(n, 1)) + np.sqrt(0.1) * rng.normal(size=(n, 30))
    useful = rng.normal(size=(n, 2))
    y = useful.sum(axis=1) + 0.5 * rng.normal(size=n)
    return Sample(np.concatenate([shared, useful], axis=1), y, frozenset({30, 31}))


def _circle(X: FloatArray, e: FloatArray, rng: Generator) -> FloatArray:
    angle = rng.uniform(0, 2 * np.pi, size=len(X))
    X[:, 0] = np.cos(angle) + 0.1 * rng.normal(size=len(X))
    return np.asarray(np.sin(angle) + 0.1 * e)


# What y is, given ten standard normal columns and noise, and how many of the columns, the first ones, matter.
KINDS: dict[str, tuple[Callable[[FloatArray, FloatArray, Generator], FloatArray], int]] = {
    "linear": (lambda X, e, rng: X[:, :3].sum(axis=1) + e, 3),
    "heteroscedastic": (lambda X, e, rng: X[:, 0] + np.exp(0.7 * X[:, 1]) * e, 2),
    "circular": (_circle, 1),
    "exclusive or": (lambda X, e, rng: np.sign(X[:, 0] * X[:, 1]) + 0.3 * e, 2),
    "multiplicative": (lambda X, e, rng: X[:, 0] * X[:, 1] + 0.3 * e, 2),
    "threshold": (lambda X, e, rng: ((X[:, 0] > 0) & (X[:, 1] > 0)) + 1.0 * (X[:, 2] > 0.5) + 0.3 * e, 3),
    "heavy-tailed noise": (
        lambda X, e, rng: X[:, 0] + np.abs(X[:, 1]) + 0.5 * rng.standard_t(2, size=len(X)),
        2,
    ),
}


def kind(name: str, seed: int, n: int) -> Sample:
    """Draw one of the kinds of dependence."""
    if name == "Friedman":
        return friedman(seed, n)
    target, useful = KINDS[name]
    rng = np.random.default_rng([seed, n, 4, sorted(KINDS).index(name)])
    X, e = rng.normal(size=(n, _COLUMNS)), rng.normal(size=n)
    return Sample(X, target(X, e, rng), frozenset(range(useful)))
