"""Data the tests share: the paper's problem, selections and tests of it, columns of many kinds for hypothesis."""

import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

from infosift import KSG, Calibrated, MutualInfoSelector, Published
from infosift.data.columns import NamedColumns
from infosift.data.groups import FeatureUnit
from infosift.data.table import make_table
from infosift.engines.base import ThreadEngine, join_columns
from infosift.inference.conditional_test import ConditionalTest, TestContext
from infosift.inference.nulls import as_null
from infosift.progress import Reporter
from infosift.results.serialization import with_digest
from studies.simulated import draw_friedman

INFORMATIVE = frozenset(range(5))


def friedman(seed, n=100):
    """Equation 3 of the paper: five informative columns of ten."""
    return draw_friedman(seed, n)


_METHODS = {"calibrated": Calibrated, "published": Published}
_VARIANTS = {"ksg": 1, "ksg2": 2}


def make_selector(method="calibrated", criterion="ksg", **options):
    """A selector whose method and criterion, given by their short names, get the options that are theirs."""
    of_method = {name: options.pop(name) for name in _METHODS[method]().get_params() if name in options}
    of_criterion = {name: options.pop(name) for name in ("n_neighbors", "max_neighbors") if name in options}
    return MutualInfoSelector(
        method=_METHODS[method](**of_method) if of_method else method,
        criterion=KSG(variant=_VARIANTS[criterion], **of_criterion) if of_criterion else criterion,
        **options,
    )


def small_selection(names, extra=None, target="yield", **options):
    """A selection from the first columns of the paper's problem, under other names, and some extra ones."""
    X, y = friedman(0, n=60)
    frame = pl.DataFrame(X[:, : len(names)], schema=list(names)).with_columns(**(extra or {}))
    return make_selector(**{"random_state": 0, **options}).fit(frame, pl.Series(target, y)).selection_


# Options of the selections from six features that tests share.
_CASES = {
    "calibrated": {},
    "three": {"max_features": 3},
    "published": {"method": "published"},
    "backward": {"search": "backward"},
    "filter": {"search": "filter"},
    "floating": {"search": "floating"},
    "grouped": {"feature_groups": {"both": ["d", "e"]}, "max_features": 1},
}


@cache
def selection(case):
    """A selection that tests of results and displays share, fitted once: one of ``_CASES``, or "untested"."""
    if case != "untested":
        return small_selection("abcdef", **_CASES[case])
    with pytest.warns(UserWarning, match="Constant"):
        return MutualInfoSelector(random_state=0).fit(np.ones((40, 2)), np.arange(40.0)).selection_


def with_new_digest(text):
    """Return the JSON of a record that was changed on purpose, with the digest that to_json would have written."""
    content = json.loads(text)
    del content["digest"]
    return json.dumps(with_digest(content))


class SmallParts(ThreadEngine):
    """Has parts for each of its threads, however small."""

    def parts(self, n_items, most, step=1):
        return super().parts(n_items, most)


def conditional_on(
    X,
    y,
    subset=(),
    *,
    names=None,
    seed=0,
    step=0,
    null="residual",
    values=(5, 10),
    n_jobs=1,
    engine=None,
    discrete=(),
    residuals=False,
    event=None,
    **of_table,
):
    """The test of features (features x rows) conditional on a subset of them, as in the calibrated method."""
    names = tuple(names or (f"x{i}" for i in range(len(X))))
    target = NamedColumns(("y",), y[None], discrete=frozenset([0] if np.unique(y).size < 5 else []), event=event)
    table = make_table(NamedColumns(names, X, discrete=frozenset(discrete)), target, seed=0, **of_table)
    context = TestContext(table, KSG(), values, engine or SmallParts(n_jobs), seed, as_null(null), Reporter())
    units = [unit for unit in table.units if not set(unit.columns) & set(subset)]
    return ConditionalTest(context, subset, units, step, residuals=residuals)


def drawn_columns(test, draws, **options):
    """The columns of surrogates for each draw and positions of candidates, fetched one by one."""
    numbers = np.repeat([draw for draw, _ in draws], [len(positions) for _, positions in draws])
    flat = np.concatenate([positions for _, positions in draws])
    surrogates = test.blocks.surrogates(numbers, flat, test.indices, **options)
    of_units = [
        join_columns(surrogates.columns.locate(range(first, first + len(test.units[position].columns))))
        for position, first in zip(flat, surrogates.firsts, strict=True)
    ]
    ends = np.cumsum([len(positions) for _, positions in draws])
    return [
        np.concatenate([np.empty((0, len(test.rows))), *of_units[end - len(positions) : end]])
        for end, (_, positions) in zip(ends, draws, strict=True)
    ]


def conditional_of_groups(subset=(), *, classes=False, **options):
    """Numbers, categories and groups of features, conditional on a subset of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 80))
    X[2], X[5] = rng.integers(0, 2, size=80), rng.integers(0, 6, size=80)
    y = X[0] + X[1] * X[8] + 0.5 * rng.normal(size=80)
    y = np.digitize(y, [-0.5, 0.5]).astype(float) if classes else y
    groups = (FeatureUnit("a pair", (1, 5)), FeatureUnit("four", (3, 4, 6, 7)))
    return conditional_on(X, y, subset, **{"feature_groups": groups, "discrete": (2, 5), "step": 1, **options})


_CONTINUOUS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(size=n),
    "lognormal": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "far from zero": lambda rng, n: 1e6 + rng.normal(size=n),
}
_TIED = {
    "integers": lambda rng, n: rng.integers(0, 5, size=n).astype(float),
    "binary": lambda rng, n: rng.integers(0, 2, size=n).astype(float),
    "half zeros": lambda rng, n: np.maximum(rng.normal(size=n), 0.0),
    "rounded": lambda rng, n: rng.normal(size=n).round(1),
}


@st.composite
def columns(draw, n_rows, n_columns, kinds):
    """Draw columns (columns x rows) of the given kinds, some of them tied to each other."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    drawn = [kinds[draw(st.sampled_from(sorted(kinds)))](rng, n_rows) for _ in range(n_columns)]
    values = np.array(drawn).reshape(n_columns, n_rows)
    if draw(st.booleans()):
        values = values + rng.normal(size=n_rows) * (kinds is _CONTINUOUS)
    return values


@st.composite
def problems(draw, ties, max_rows=400):
    """Draw (X, Y, k): 1 to 6 columns in X, 1 to 3 in Y, k + 2 to 400 rows."""
    kinds = {**_CONTINUOUS, **_TIED} if ties else _CONTINUOUS
    k = draw(st.integers(1, 20))
    n_rows = draw(st.integers(k + 2, max_rows))
    X = draw(columns(n_rows, draw(st.integers(1, 6)), kinds))
    Y = draw(columns(n_rows, draw(st.integers(1, 3)), kinds))
    return X, Y, k
