"""Selections that reports are made of: with names that are hard to show, and with many features."""

import numpy as np
import polars as pl

from infosift import Calibrated, MutualInfoSelector, compare_subsets, selection_stability
from samples import friedman, make_selector, small_selection

ODD = ("<script>alert(1)</script>", "\"&'", "🧪 $x_1$", "שלום", "a" * 120, "plain")


def select(names=tuple("abcdef"), **options):
    return small_selection(names, **{"max_features": 3, **options})


def select_and_check(names=ODD):
    """A selection, and what a model makes of it."""
    X, y = friedman(0, n=80)
    frame, target = pl.DataFrame(X[:, : len(names)], schema=list(names)), pl.Series("yield", y)
    selector = MutualInfoSelector(method=Calibrated(n_permutations=30), max_features=3, random_state=0)
    check = compare_subsets(frame, target, "ridge", selector=selector, cv=3)
    return selector.fit(frame, target).selection_, check


def select_and_measure(names=ODD):
    """The same selection, and how often each feature is selected over half-samples."""
    X, y = friedman(0, n=80)
    frame, target = pl.DataFrame(X[:, : len(names)], schema=list(names)), pl.Series("yield", y)
    selector = MutualInfoSelector(method=Calibrated(n_permutations=30), max_features=3, random_state=0)
    stability = selection_stability(selector, frame, target, n_resamples=4)
    return selector.fit(frame, target).selection_, stability


def wide_selection(n_features=2000):
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(60, n_features)), schema=[f"wavelength {i} nm" for i in range(n_features)])
    selector = make_selector(method="published", n_neighbors=6, n_permutations=19, max_features=1, random_state=0)
    return selector.fit(X, (X[:, 7] ** 2).alias("protein")).selection_


LINKED = (
    'a "quoted" name',
    "<b>bold</b> & 'more'",
    "δ, 🧪 and a comma",
    "long " * 30 + "name",
    "50 %/#?&=+",
    "שלום",
    "plain",
    " ",
)


def linked_results():
    """A selection with redundant features, its stability and a check by a model."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 120))
    near = [source + 0.3 * rng.normal(size=120) for source in (first, second, first)]
    columns = [first, near[0], second, near[1], near[2], *rng.normal(size=(3, 120))]
    frame = pl.DataFrame(dict(zip(LINKED, columns, strict=True)))
    target = pl.Series("yield", first + second + 0.2 * rng.normal(size=120))
    selector = MutualInfoSelector(method=Calibrated(n_permutations=99), random_state=0)
    stability = selection_stability(selector, frame, target, n_resamples=4)
    check = compare_subsets(frame, target, "ridge", selector=selector, cv=3)
    return selector.fit(frame, target).selection_, check, stability
