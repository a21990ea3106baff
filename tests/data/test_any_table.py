"""Whatever table a person has: it is fitted, or refused in one sentence that names the feature or the cause."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from infosift import Selection
from samples import make_selector

CELLS = {
    "floats": st.floats(width=32),
    "wild floats": st.floats(),
    "integers": st.integers(-5, 5),
    "large integers": st.integers(-(2**62), 2**62),
    "booleans": st.booleans(),
    "text": st.sampled_from(["", "a", "b", "ab", "1", "ö", "nan"]),
    "any text": st.text(max_size=3),
    "constant": st.just(3.5),
    "few": st.sampled_from([0.0, 1.5]),
}
FEW_ROWS = st.integers(1, 25)


@st.composite
def columns(draw, n_rows):
    """Draw a list of values of one kind, some of them missing."""
    kind = draw(st.sampled_from(sorted(CELLS)))
    values = draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))
    gaps = draw(st.sampled_from([0, 0, 1, n_rows // 3, n_rows]))
    for row in draw(st.lists(st.integers(0, max(n_rows - 1, 0)), max_size=gaps)):
        values[row] = None
    return values


@st.composite
def tables(draw, n_rows=FEW_ROWS):
    """Draw a data frame of some library or an array, and a target."""
    n_rows = draw(n_rows)
    content = {f"column {i}": draw(columns(n_rows)) for i in range(draw(st.integers(1, 5)))}
    if draw(st.booleans()) and len(content) > 1:
        content["column 1"] = content["column 0"]
    target = draw(columns(n_rows))
    library = draw(st.sampled_from(["pandas", "polars", "pyarrow", "numpy", "lists"]))
    if library == "pandas":
        return pd.DataFrame(content), pd.Series(target, name="y")
    if library == "polars":
        return pl.DataFrame(content, strict=False), pl.Series("y", target, strict=False)
    if library == "pyarrow":
        return pa.table(content), np.array(target, dtype=object)
    rows = [list(row) for row in zip(*content.values(), strict=True)]
    return (np.array(rows, dtype=object) if library == "numpy" else rows), target


OPTIONS = {
    "missing": st.sampled_from(["error", "drop", "partial"]),
    "scale": st.sampled_from(["standard", "rank", "none"]),
    "criterion": st.sampled_from(["ksg", "ksg", "ksg2"]),
    "discrete_features": st.sampled_from(["auto", True, False, [0]]),
    "discrete_target": st.sampled_from(["auto", True, False]),
    "n_neighbors": st.sampled_from(["auto", 1, 3]),
    "feature_groups": st.sampled_from([None, {"all": [0, -1]}]),
    "keep": st.sampled_from([None, [0]]),
    "ignore": st.sampled_from([None, [-1]]),
}


@given(table=tables(), options=st.fixed_dictionaries(OPTIONS))
@settings(max_examples=300, deadline=None)
def test_fits_or_says_why_not(table, options):
    selector = make_selector(method="published", n_permutations=19, max_features=3, random_state=0, **options)
    assert_fits_or_says_why_not(selector, *table)


@given(table=tables(n_rows=st.integers(30, 60)), options=st.fixed_dictionaries(OPTIONS))
@settings(max_examples=100, deadline=None)
def test_the_default_fits_or_says_why_not(table, options):
    assert_fits_or_says_why_not(make_selector(max_features=3, random_state=0, **options), *table)


def assert_fits_or_says_why_not(selector, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        refusal = refusal_of(selector, X, y)
    if refusal is not None:
        assert 10 < len(refusal) < 700
        assert not hasattr(selector, "selection_")
        return
    selection = selector.selection_
    width = len(X[0]) if isinstance(X, list) else X.shape[1]
    assert selector.n_features_in_ == len(selection.feature_names) == width
    assert selector.get_support().sum() == len(selector.selected_) == len(set(selector.selected_))
    for step in selection.steps:
        assert np.isfinite([step.information, step.information_threshold or 0.0]).all()
        assert np.isfinite([step.statistic, step.threshold, *step.null]).all()
    assert Selection.from_json(selection.to_json()) == selection


def refusal_of(selector, X, y):
    """Fit, and return what is said where that is refused; other errors are no refusals."""
    try:
        selector.fit(X, y)
    except ValueError as error:
        return str(error)
    return None
