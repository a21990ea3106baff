"""Arrays, lists and data frames of any library become the same named columns."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift.data.columns import NamedColumns
from infosift.data.frames import read_column, read_columns
from infosift.data.targets import decide_kinds, read_target
from infosift.data.validation import require_finite
from infosift.errors import InputError

CONTENT = {"a": [1.5, 2.0, 3.0], "b": [4, 5, 6]}


@pytest.mark.parametrize("frame", [pd.DataFrame(CONTENT), pl.DataFrame(CONTENT), pa.table(CONTENT)])
def test_frames_of_any_library_give_the_same_columns(frame):
    columns = read_columns(frame)
    assert columns.names == ("a", "b")
    np.testing.assert_array_equal(columns.values, [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    "column", [[1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), pd.Series([1, 2, 3]), pl.Series([1, 2, 3])]
)
def test_one_dimension_is_one_column(column):
    columns = read_columns(column)
    assert columns.names == ("x",)
    np.testing.assert_array_equal(columns.values, [[1.0, 2.0, 3.0]])


def test_names_are_kept():
    assert read_columns(np.zeros((3, 2))).names == ("x0", "x1")
    assert read_columns(pd.Series([1.0, 2.0], name="age")).names == ("age",)
    assert read_column(pl.Series("age", [1.0, 2.0])).names == ("age",)
    assert read_column([1.0, 2.0]).names == ("target",)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"flag": [True, False], "count": pd.array([1, None], dtype="Int64")}),
        pl.DataFrame({"flag": [True, False], "count": [1, None]}),
    ],
)
def test_booleans_are_categories_and_gaps_are_nan(frame):
    columns = read_columns(frame)
    assert columns.discrete == {0}
    np.testing.assert_array_equal(columns.values[1], [1.0, np.nan])


CITIES = {"a": [1.0, 2.0, 3.0, 4.0], "city": ["Bern", None, "Basel", "Bern"], "day": ["1", "2", "2", "1"]}


def as_categories(frame):
    return frame.assign(city=frame["city"].astype("category"), day=frame["day"].astype("category"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(CITIES),
        pd.DataFrame(CITIES).astype({"city": "string", "day": "string"}),
        as_categories(pd.DataFrame(CITIES)),
        pl.DataFrame(CITIES),
        pl.DataFrame(CITIES).with_columns(pl.col("city", "day").cast(pl.Categorical)),
        pl.DataFrame(CITIES).with_columns(pl.col("city").cast(pl.Enum(["Basel", "Bern"]))),
        pa.table(CITIES),
        pa.table({**CITIES, "city": pa.array(CITIES["city"]).dictionary_encode()}),
    ],
)
def test_text_and_categories_of_any_library_become_the_same_codes(frame):
    columns = read_columns(frame)
    assert columns.discrete == {1, 2}
    np.testing.assert_array_equal(columns.values[0], CITIES["a"])
    np.testing.assert_array_equal(columns.values[1], [0.0, np.nan, 1.0, 0.0])
    np.testing.assert_array_equal(columns.values[2], [0.0, 1.0, 1.0, 0.0])


def test_arrays_of_objects_and_text():
    columns = read_columns(np.array([[1, "a", None], [2.5, "b", 3], [None, 7, 4]], dtype=object))
    assert columns.discrete == {1}
    np.testing.assert_array_equal(columns.values, [[1.0, 2.5, np.nan], [0.0, 1.0, 2.0], [np.nan, 3.0, 4.0]])
    columns = read_columns([["1", "a"], ["2", "b"]])
    assert columns.discrete == {1}
    np.testing.assert_array_equal(columns.values, [[1.0, 2.0], [0.0, 1.0]])


def test_numbers_as_categories_keep_their_type():
    assert read_column(pd.Series([3, 4, 3], dtype="category")).discrete == {0}
    assert read_column(pl.Series([True, False])).discrete == {0}
    assert read_column(np.array([True, False])).discrete == {0}
    assert read_column([3, 4, 3]).discrete == set()


def test_columns_that_are_neither_are_named():
    with pytest.raises(InputError, match=r'Column "many" has values of the type List.*: make numbers'):
        read_columns(pl.DataFrame({"many": [[1.0, 2.0]], "a": [1.0]}))
    with pytest.raises(InputError, match=r'Column "x0" has \{\} in row 1 .*neither a number nor a category'):
        read_columns(np.array([[1.0], [{}]], dtype=object))


@pytest.mark.parametrize(
    ("asked", "discrete"),
    [
        ("auto", {1, 2}),
        (True, {0, 1, 2}),
        (False, {2}),
        (None, {2}),
        ("many", {0, 2}),
        ([0, "two"], {0, 1, 2}),
        (np.array([True, False, False]), {0, 2}),
    ],
)
def test_which_features_are_discrete(asked, discrete):
    columns = read_columns(
        pl.DataFrame({"many": [1, 2, 3, 4], "two": [5.5, 7.0, 7.0, None], "text": list("aabb")})
    )
    assert columns.mark_discrete(asked).discrete == discrete
    assert columns.mark_discrete(asked, takes_categories=False).discrete == (
        {2} if isinstance(asked, str) and asked == "auto" else discrete
    )


@pytest.mark.parametrize("asked", ["none", [7], [[True]], [True, False]])
def test_features_that_are_not_there_cannot_be_discrete(asked):
    with pytest.raises(InputError, match="discrete_features"):
        read_columns(np.zeros((3, 3))).mark_discrete(asked)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ([0, 1] * 6, True),
        ([0.5, 1.5] * 6, True),
        ([0.5, 1.5, 2.5] * 4, False),
        ([0, 1, 2] * 4, True),
        ([0, 1, 2, 3, 4, 5], False),
        (list(range(20)) * 3, True),
        (list(range(21)) * 30, False),
        ([True, False] * 6, True),
        (["low", "high"] * 6, True),
    ],
)
def test_which_targets_are_classes(target, expected):
    columns = read_target(target)
    (kind,) = decide_kinds(columns, "auto")
    assert kind.name == ("classes" if expected else "numbers")
    assert kind.n_classes == (len(set(target)) if expected else None)
    for asked in (True, "classes"):
        assert decide_kinds(columns, asked)[0].name == "classes"
    (kind,) = decide_kinds(columns, False)
    assert kind.name == ("classes" if columns.discrete else "numbers")
    with pytest.raises(InputError, match='must be "auto", True, False, "classes" or "numbers", not'):
        decide_kinds(columns, "ranks")


def test_names_become_text_and_must_be_unique():
    assert read_columns(pd.DataFrame({400: [1.0], 410: [2.0]})).names == ("400", "410")
    twice = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "a"])
    with pytest.raises(InputError, match=r'must be unique, and "a" occurs more than once\.'):
        read_columns(twice)


def test_masked_cells_are_missing():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 1e6]], mask=[[False, False], [False, True]])
    np.testing.assert_array_equal(read_columns(masked).values, [[1.0, 3.0], [2.0, np.nan]])
    np.testing.assert_array_equal(read_column(masked[:, 1]).values, [[2.0, np.nan]])


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"a": [2**53 + 2, None], "b": ["x", "y"]}),
        pd.DataFrame({"a": pd.array([2**53 + 2, None], dtype="int64[pyarrow]"), "b": ["x", "y"]}),
        pl.DataFrame({"a": pl.Series([2**53 + 2, None], dtype=pl.Int128), "b": ["x", "y"]}),
        pa.table({"a": [Decimal(2**53 + 2), None], "b": ["x", "y"]}),
        pa.table({"a": [Decimal(2**53 + 2), None]}),
        pl.DataFrame({"a": pl.Series([2**53 + 2, None], dtype=pl.Int128)}),
    ],
)
def test_large_whole_numbers_and_decimals_with_gaps(frame):
    np.testing.assert_array_equal(read_columns(frame).values[0], [2.0**53 + 2, np.nan])


def test_a_target_of_large_whole_numbers():
    np.testing.assert_array_equal(read_column(pl.Series([2**63, 1], dtype=pl.Int128)).values, [[2.0**63, 1.0]])


@pytest.mark.parametrize(
    ("data", "message"), [(pl.LazyFrame({"a": [1.0]}), "lazy: collect"), ({"a": [1.0]}, "a dict")]
)
def test_what_is_no_table_yet(data, message):
    with pytest.raises(InputError, match=message):
        read_columns(data)


@pytest.mark.parametrize(
    ("value", "said"), [(np.nan, "missing value"), (np.inf, "infinite value"), (-np.inf, "infinite value")]
)
def test_the_first_bad_value_is_located(value, said):
    require_finite(NamedColumns(("a", "b", "c"), np.zeros((3, 5))))
    columns = NamedColumns(("a", "b", "c"), np.zeros((3, 5)))
    columns.values[1, 3:] = columns.values[2, 0] = value
    with pytest.raises(InputError, match=f'Column "b" has .*{said}.* in row 3 '):
        require_finite(columns)
