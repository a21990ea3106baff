"""Simulated data sets in which the relevant features are known.

The problem of the paper (equation 3), kinds of dependence, features that are uninformative given another one,
repeated measures, and autocorrelated series. A seed fixes a data set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.signal import lfilter

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.survival import censored_target

Generator = np.random.Generator
_COLUMNS = 10
_BURN_IN = 1_000  # rows before those of a series, after which it is stationary


@dataclass(frozen=True)
class Sample:
    """A table with a known answer.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The features.
    y : ndarray of shape (n_rows,)
        The target: numbers, classes or censored times.
    truth : frozenset of int
        Positions of the relevant features.
    copies : frozenset of int
        Positions of noisy copies of the feature ``original``; each can stand for it.
    original : int
        Position of the feature that is copied.
    row_groups : ndarray of shape (n_rows,) or None
        Which rows belong together, as the visits of one person do.
    module : int
        How many neighbouring features are correlated, of which the first may be relevant.
    """

    X: FloatArray
    y: FloatArray
    truth: frozenset[int]
    copies: frozenset[int] = frozenset()
    original: int = 0
    row_groups: IntArray | None = None
    module: int = 1


def draw_friedman(seed: int, n_rows: int = 100) -> tuple[FloatArray, FloatArray]:
    """Draw the problem of the paper (equation 3): ten uniform features, the first five of them relevant."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 10))
    y = 10 * np.sin(X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n_rows)


def noise(seed: int, n: int, d: int) -> Sample:
    """Draw features and a target that are independent."""
    rng = np.random.default_rng([seed, n, d])
    return Sample(rng.normal(size=(n, d)), rng.normal(size=n), frozenset())


def genes(seed: int, n: int, d: int, n_relevant: int, *, modules: bool, classes: bool) -> Sample:
    """Draw many features, of which a few act linearly: on a number, or on the log odds of two classes.

    In ``modules``, twenty neighbouring features are correlated by 0.6, and each relevant one has a module of its
    own: the others of it, ``copies`` here, can stand for it.
    """
    rng = np.random.default_rng([seed, n, d, n_relevant, modules, classes])
    X, size = rng.normal(size=(n, d)), 20
    if modules:
        X = np.sqrt(0.4) * X + np.sqrt(0.6) * rng.normal(size=(n, -(-d // size)))[:, np.arange(d) // size]
    relevant = np.arange(n_relevant) * size
    signal = X[:, relevant].sum(axis=1) / np.sqrt(n_relevant)
    y = (rng.logistic(size=n) < 3 * signal) * 1.0 if classes else signal + 0.7 * rng.normal(size=n)
    mates = {i for first in relevant for i in range(first + 1, first + size)} if modules else set()
    return Sample(X, y, frozenset(relevant.tolist()), frozenset(mates))


def many_weak(seed: int, n: int, module: int) -> Sample:
    """Draw 200 features in modules correlated by 0.6, of which 20 act linearly, each of another module."""
    rng = np.random.default_rng([seed, n, module, 7])
    X: FloatArray = rng.normal(size=(n, 200))
    if module > 1:
        shared = rng.normal(size=(n, 200 // module))
        X = np.sqrt(0.4) * X + np.sqrt(0.6) * shared[:, np.arange(200) // module]
    relevant = np.arange(20) * 10
    signs = np.where(np.arange(20) % 2, -1.0, 1.0)
    y = np.asarray(0.3 * X[:, relevant] @ signs + rng.normal(size=n), dtype=np.float64)
    return Sample(X, y, frozenset(relevant.tolist()), module=module)


def of_kind(seed: int, kind: str, n_relevant: int) -> Sample:
    """Draw ten features of a kind that tests find hard, and a target that depends on the first of them."""
    rng = np.random.default_rng([seed, n_relevant, *kind.encode()])
    n = 300 if kind == "20 levels" else 200
    X: Any = rng.normal(size=(n, _COLUMNS))
    effect = X[:, :n_relevant].sum(axis=1)
    if kind == "20 levels":
        codes = rng.integers(20, size=(n, _COLUMNS))
        of_levels = rng.normal(size=(20, _COLUMNS))
        effect = of_levels[codes[:, :n_relevant], np.arange(n_relevant)].sum(axis=1)
        X = np.char.add("level ", codes.astype(str))
    elif kind == "Cauchy":
        X = rng.standard_cauchy(size=(n, _COLUMNS))
        effect = np.arctan(X[:, :n_relevant]).sum(axis=1)
    elif kind == "counts with many zeros":
        X = rng.poisson(0.5 * rng.gamma(1.0, size=(n, _COLUMNS))).astype(np.float64)
        effect = np.minimum(X[:, :n_relevant], 3).sum(axis=1)
    y = effect + 0.7 * rng.normal(size=n)
    if kind == "classes 95 : 5":
        y = (y > np.quantile(y, 0.95)) * 1.0
    return Sample(X, y, frozenset(range(n_relevant)))


KINDS_OF_COLUMNS = ("20 levels", "Cauchy", "counts with many zeros", "classes 95 : 5")


def _ring(X: FloatArray, width: float) -> BoolArray:
    return np.asarray(np.abs(np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) - 0.35) <= width)


def _of_signs(X: FloatArray, first: int, least: float) -> BoolArray:
    return np.asarray((X[:, first] - 0.5) * (0.5 - X[:, first + 1]) >= least)


# Classes of uniform features, most of which matter only together (Passemiers and others 2024), and how many do.
TOGETHER: dict[str, tuple[Callable[[FloatArray, Generator], BoolArray], int]] = {
    "ring": (lambda X, rng: _ring(X, 0.1151), 2),
    "exclusive or": (lambda X, rng: _of_signs(X, 0, 0.0), 2),
    "ring or exclusive or": (lambda X, rng: _ring(X, 0.0704) | _of_signs(X, 2, 0.0337), 4),
    "ring, exclusive or, or sum": (
        lambda X, rng: (
            _ring(X, 0.0479)
            | _of_signs(X, 2, 0.0598)
            | (X[:, 4] + X[:, 5] + rng.normal(0, 0.2, size=len(X)) >= 1.4074)
        ),
        6,
    ),
}


def together(name: str, seed: int, n: int, d: int) -> Sample:
    """Draw classes of d uniform features, the first of which matter together."""
    rng = np.random.default_rng([seed, n, d, sorted(TOGETHER).index(name)])
    classes, n_relevant = TOGETHER[name]
    X = rng.uniform(size=(n, d))
    return Sample(X, classes(X, rng).astype(np.float64), frozenset(range(n_relevant)))


# The log hazard of each kind, and which features it depends on. Hazards that cross have shapes of their own.
HAZARDS: dict[str, tuple[Callable[[FloatArray], FloatArray], int]] = {
    "no effect": (lambda X: np.zeros(len(X)), 0),
    "linear hazard": (lambda X: 0.8 * X[:, 0] + 0.8 * X[:, 1], 2),
    "U-shaped hazard": (lambda X: 1.2 * (X[:, 0] ** 2 - 1), 1),
    "product in the hazard": (lambda X: 1.2 * X[:, 0] * X[:, 1], 2),
    "crossing hazards": (lambda X: np.zeros(len(X)), 1),
}
# What the log of the time of censoring depends on besides chance.
CENSORING: dict[str, Callable[[FloatArray], FloatArray]] = {
    "independent": lambda X: np.zeros(len(X)),
    "heavy ties": lambda X: np.zeros(len(X)),
    "depends on x0": lambda X: 0.8 * X[:, 0],
    "depends on a bend of x0": lambda X: 0.8 * X[:, 0] ** 2,
}


def survival(name: str, seed: int, n: int, censored: float, censoring: str = "independent") -> Sample:
    """Draw ten features and times until an event, of which a share is censored."""
    rng = np.random.default_rng([seed, n, round(100 * censored), *name.encode(), *censoring.encode()])
    X = rng.normal(size=(n, _COLUMNS))
    log_hazard, n_relevant = HAZARDS[name]
    shapes = np.exp(0.6 * X[:, 0]) if name == "crossing hazards" else np.ones(n)
    times = rng.weibull(shapes) * np.exp(-log_hazard(X))
    ends = rng.exponential(size=n) * np.exp(CENSORING[censoring](X))
    ends = ends / np.quantile(ends / times, censored)  # so that they come before so many of the events
    observed = np.minimum(times, ends)
    if censoring == "heavy ties":
        observed = np.ceil(3 * observed / np.median(observed))
    return Sample(X, censored_target(times <= ends, observed), frozenset(range(n_relevant)))


def changing_hazards(name: str, seed: int, n: int) -> Sample:
    """Draw times whose hazard changes with time where x0 is 1, and is early censored where x1 is large.

    Given x0, x1 is uninformative. Hazards cross, or begin late, or end, as where some are cured.
    """
    rng = np.random.default_rng([seed, n, *name.encode()])
    treated = rng.uniform(size=n) < 0.5
    other = rng.normal(size=n) + 1.5 * treated
    times = rng.exponential(size=n)
    if name == "crossing":
        times = times ** np.where(treated, 2.5, 1 / 3)
    elif name == "delayed":
        times = np.where(treated, 0.5 * times + 0.5, times)
    else:
        times = np.where(treated, np.where(rng.uniform(size=n) < 0.6, np.inf, 0.3 * times), times)
    ends = np.where(other > np.median(other), 0.4 * rng.uniform(size=n), 5.0)
    X = np.column_stack([treated, other, rng.normal(size=(n, 2))])
    return Sample(X, censored_target(times <= ends, np.minimum(times, ends)), frozenset({0}))


def friedman(seed: int, n: int, n_copies: int = 0, sd: float = 0.05) -> Sample:
    """Draw the problem of the paper, with ``n_copies`` copies of X4 to which noise of ``sd`` is added."""
    X, y = draw_friedman(seed, n)
    rng = np.random.default_rng([seed, n, 1])
    copies = X[:, [3]] + sd * rng.normal(size=(n, n_copies))
    positions = frozenset(range(X.shape[1], X.shape[1] + n_copies))
    return Sample(np.concatenate([X, copies], axis=1), y, frozenset(range(5)), positions, original=3)


def with_gaps(sample: Callable[[int], Sample], share: float, seed: int) -> Sample:
    """Draw a data set, and remove a share of the values of its features completely at random."""
    drawn = sample(seed)
    missing = np.random.default_rng([seed, 5]).uniform(size=drawn.X.shape) < share
    return replace(drawn, X=np.where(missing, np.nan, drawn.X))


def visits(seed: int, n_people: int, fewest: int, most: int, share: float) -> Sample:
    """Draw repeated measures: ``fewest`` to ``most`` rows a person, a share of each variance between people.

    One feature is relevant, another depends on it, and three are noise.
    """
    rng = np.random.default_rng([seed, n_people, fewest, most, round(100 * share)])
    person = np.repeat(np.arange(n_people), rng.integers(fewest, most + 1, size=n_people))

    def draw() -> FloatArray:
        of_people, of_rows = rng.normal(size=n_people), rng.normal(size=len(person))
        return np.asarray(np.sqrt(share) * of_people[person] + np.sqrt(1 - share) * of_rows)

    X = np.column_stack([draw() for _ in range(5)])
    X[:, 1] += X[:, 0]
    return Sample(X, X[:, 0] + 0.7 * draw(), frozenset({0}), row_groups=person)


def series(rng: Generator, n: int, d: int, persistence: float) -> FloatArray:
    """Draw independent autoregressive series of order one, of shape (n, d)."""
    shocks = rng.normal(size=(n + _BURN_IN, d))
    return np.asarray(lfilter([1.0], [1.0, -persistence], shocks, axis=0)[_BURN_IN:])


def walks(seed: int, n: int, d: int, persistence: float = 0.98) -> Sample:
    """Draw a target and features that are independent, persistent series: none is relevant."""
    drawn = series(np.random.default_rng([seed, n, d, 6]), n, d + 1, persistence)
    return Sample(drawn[:, :d], drawn[:, d], frozenset())


def exclusive_or(seed: int, n: int) -> Sample:
    """Draw a target that depends on the product of two signs."""
    rng = np.random.default_rng([seed, n, 2])
    X = rng.normal(size=(n, _COLUMNS))
    return Sample(X, np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=n), frozenset({0, 1}))


def correlated_noise(seed: int, n: int) -> Sample:
    """Draw thirty irrelevant features with pairwise correlations of 0.9, and two relevant ones."""
    rng = np.random.default_rng([seed, n, 3])
    shared = np.sqrt(0.9) * rng.normal(size=(n, 1)) + np.sqrt(0.1) * rng.normal(size=(n, 30))
    useful = rng.normal(size=(n, 2))
    y = useful.sum(axis=1) + 0.5 * rng.normal(size=n)
    return Sample(np.concatenate([shared, useful], axis=1), y, frozenset({30, 31}))


def _circle(X: FloatArray, e: FloatArray, rng: Generator) -> FloatArray:
    angle = rng.uniform(0, 2 * np.pi, size=len(X))
    X[:, 0] = np.cos(angle) + 0.1 * rng.normal(size=len(X))
    return np.asarray(np.sin(angle) + 0.1 * e)


# The target as a function of ten standard normal features and noise, and how many of the features, from the
# first on, are relevant.
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


def _binary_noise(rng: Generator) -> tuple[FloatArray, FloatArray]:
    X = rng.integers(0, 2, size=(120, 61)).astype(np.float64)
    return X, np.where(rng.uniform(size=120) < 0.85, X[:, 0], 1 - X[:, 0])


def _children(
    n: int,
    cause: Callable[[Generator, int], FloatArray],
    child: Callable[[FloatArray, FloatArray], FloatArray],
    target: Callable[[FloatArray, FloatArray], FloatArray],
) -> Callable[[Generator], tuple[FloatArray, FloatArray]]:
    """Return a function that draws a cause, a child of it that is uninformative given the cause, and a target."""

    def draw(rng: Generator) -> tuple[FloatArray, FloatArray]:
        x = cause(rng, n)
        columns = np.column_stack([x, child(x, rng.normal(size=n))])
        return columns, target(x, rng.normal(size=n))

    return draw


def _normal(rng: Generator, n: int) -> FloatArray:
    return rng.normal(size=n)


def _two_humps(rng: Generator) -> tuple[FloatArray, FloatArray]:
    x = rng.normal(size=150)

    def noise() -> FloatArray:
        humps = rng.choice([-1.2, 1.2], size=150) + 0.3 * rng.normal(size=150)
        return np.where(x > 0, humps, rng.normal(size=150))

    return np.column_stack([x, x / 2 + noise()]), 2 * x + noise()


# Features that depend on the first one, or are of another kind, and are uninformative given it.
USELESS = {
    "sixty binary features": _binary_noise,
    "a child of a step": _children(
        200,
        lambda rng, n: rng.uniform(-2, 2, size=n),
        lambda x, e: 3 * np.sign(x) + 2 * e,
        lambda x, e: 3 * np.sign(x) + x + 0.3 * e,
    ),
    "a child of a wave": _children(
        200,
        _normal,
        lambda x, e: np.sin(12 * x) + 0.7 * e,
        lambda x, e: x + np.sin(12 * x) + 0.3 * e,
    ),
    "a child of long tails": _children(
        150,
        lambda rng, n: rng.standard_cauchy(size=n),
        lambda x, e: np.arctan(x) + 0.5 * e,
        lambda x, e: np.arctan(x) + 0.3 * e,
    ),
    "a child whose spread depends on it, classes": _children(
        150, _normal, lambda x, e: np.exp(x) * e, lambda x, e: np.where(x + 0.5 * e > 0, 1.0, 0.0)
    ),
    "a child that is zero where it is, classes": _children(
        150,
        lambda rng, n: np.maximum(0, rng.normal(size=n) + 0.25),
        lambda x, e: x * np.exp(e),
        lambda x, e: np.where(x + 0.3 * e > 0.7, 1.0, 0.0),
    ),
    "a child and a target whose spreads vanish with it": _children(
        150, _normal, lambda x, e: np.abs(x) * e, lambda x, e: x + 0.5 * np.abs(x) * e
    ),
    "a child and a target whose noise has two humps or one with it": _two_humps,
}


# What a child of x0 and a target take from it; children of "spreads" have only a spread from it.
_CHILDREN: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "square": lambda x: x**2,
    "sine": lambda x: np.sin(2 * x),
    "exponential": np.exp,
    "step": lambda x: np.where(x > 0, 2.0, 0.0),
    "near copy": lambda x: x,
    "classes": lambda x: x,
    "spreads that vanish": lambda x: x,
}
CHILDREN = tuple(_CHILDREN)


def child(name: str, seed: int, n: int) -> Sample:
    """Draw x0, a child of it, and a target on which the child has no bearing given x0."""
    rng = np.random.default_rng([seed, n, 8, CHILDREN.index(name)])
    x, noise, e = rng.normal(size=(3, n))
    cause, spread = _CHILDREN[name](x), 0.1 if name == "near copy" else 0.5
    own, y = cause + spread * noise, _CHILDREN[name](x) + 0.5 * e
    if name == "classes":
        y = (y > 0) * 1.0
    elif name == "spreads that vanish":
        own, y = np.abs(x) * noise, x + 0.5 * np.abs(x) * e
    return Sample(np.column_stack([x, own]), y, frozenset({0}))


def useless(name: str, seed: int) -> Sample:
    """Draw a relevant feature and others that are uninformative given it."""
    X, y = USELESS[name](np.random.default_rng([seed, 4]))
    return Sample(X, y, frozenset({0}))
