"""Results that reports are made of, each fitted once: with names that are hard to show, and with many features."""

from functools import cache

import numpy as np
import polars as pl

from infosift import Calibrated, MutualInfoSelector, compare_subsets, selection_stability
from infosift.display.report import render
from samples import friedman, make_selector, small_selection

ODD = ("<script>alert(1)</script>", "\"&'", "🧪 $x_1$", "שלום", "a" * 120, "plain")
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

# A report is drawn in half a second, so tests that only read one share it. Records have no hash: keep them alive.
_RENDERED = {}


def page_of(selection, check=None, stability=None):
    """The page of results, which is rendered once for the same objects."""
    key = (id(selection), id(check), id(stability))
    if key not in _RENDERED:
        _RENDERED[key] = (render(selection, check, stability), selection, check, stability)
    return _RENDERED[key][0]


@cache
def odd_selection():
    return small_selection(ODD, max_features=3)


@cache
def odd_results():
    """A selection from features of odd names, a check by a model and the stability over half-samples."""
    X, y = friedman(0, n=80)
    frame, target = pl.DataFrame(X[:, : len(ODD)], schema=list(ODD)), pl.Series("yield", y)
    selector = MutualInfoSelector(method=Calibrated(n_permutations=30), max_features=3, random_state=0)
    return _with_check_and_stability(selector, frame, target)


@cache
def wide_selection(n_features=2000):
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(60, n_features)), schema=[f"wavelength {i} nm" for i in range(n_features)])
    selector = make_selector(method="published", n_neighbors=6, n_permutations=19, max_features=1, random_state=0)
    return selector.fit(X, (X[:, 7] ** 2).alias("protein")).selection_


@cache
def linked_results():
    """A selection with redundant features, a check by a model and the stability over half-samples."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 120))
    near = [source + 0.3 * rng.normal(size=120) for source in (first, second, first)]
    columns = [first, near[0], second, near[1], near[2], *rng.normal(size=(3, 120))]
    frame = pl.DataFrame(dict(zip(LINKED, columns, strict=True)))
    target = pl.Series("yield", first + second + 0.2 * rng.normal(size=120))
    selector = MutualInfoSelector(method=Calibrated(n_permutations=99), random_state=0)
    return _with_check_and_stability(selector, frame, target)


def _with_check_and_stability(selector, frame, target):
    stability = selection_stability(selector, frame, target, n_resamples=4)
    check = compare_subsets(frame, target, "ridge", selector=selector, cv=3)
    return selector.fit(frame, target).selection_, check, stability
