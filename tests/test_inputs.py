import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift.checks import InputError
from infosift.inputs import NamedColumns, read_column, read_columns, require_finite

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
def test_booleans_are_numbers_and_gaps_are_nan(frame):
    np.testing.assert_array_equal(read_columns(frame).values, [[1.0, 0.0], [1.0, np.nan]])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_text_columns_are_named(library):
    frame = library({"a": [1.0, 2.0], "city": ["Bern", "Basel"], "day": ["1", "2"]})
    with pytest.raises(InputError, match=r'Not numeric: "city" \(.*\), "day" \(.*\); encode'):
        read_columns(frame)


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
    "target",
    [
        np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
        pd.Series(pd.to_timedelta([1, 2], unit="s")),
        ["1.5", "2.5"],
        np.array([1.0, "two"], dtype=object),
    ],
)
def test_a_target_that_is_no_number_is_refused(target):
    with pytest.raises(InputError, match='"target" is not numeric'):
        read_column(target)


@pytest.mark.parametrize(
    ("data", "message"), [(pl.LazyFrame({"a": [1.0]}), "lazy: collect"), ({"a": [1.0]}, "a dict")]
)
def test_what_is_no_table_yet(data, message):
    with pytest.raises(InputError, match=message):
        read_columns(data)


def test_many_text_columns_are_counted():
    frame = pl.DataFrame({f"t{i}": ["u", "v"] for i in range(9)})
    with pytest.raises(InputError, match=r'"t4" .* and 4 more; encode'):
        read_columns(frame)


def test_a_target_of_words_is_quoted():
    with pytest.raises(InputError, match=r'"kind" is not numeric .*setosa'):
        read_column(pd.Series(["setosa", "virginica"], name="kind"))


@pytest.mark.parametrize(
    ("value", "said"), [(np.nan, "missing value"), (np.inf, "infinite value"), (-np.inf, "infinite value")]
)
def test_the_first_bad_value_is_located(value, said):
    columns = NamedColumns(("a", "b", "c"), np.zeros((3, 5)))
    require_finite(columns)
    columns.values[1, 3:] = columns.values[2, 0] = value
    with pytest.raises(InputError, match=f'Column "b" has .*{said}.* in row 3 '):
        require_finite(columns)
    with pytest.raises(InputError, match=r"in row 4 .the first row is 1"):
        require_finite(columns, first_row=1)
