"""Arrays, lists and data frames of any library become the same named columns."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from infosift import (
    InputError,
    MutualInfoSelector,
    compare_subsets,
    expand_dates,
    mutual_information,
    parse_numbers,
)
from infosift.data.frames import read_column, read_columns

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


def counts():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.8, size=(120, 4)).astype(float)
    return X, X[:, 2] + 0.2 * rng.normal(size=120)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix])
def test_sparse_tables_are_like_dense_ones(kind):
    X, y = counts()
    selector = MutualInfoSelector(random_state=0).fit(kind(X), y)
    assert selector.selection_ == MutualInfoSelector(random_state=0).fit(X, y).selection_
    assert selector.selection_.names == ("x2",)
    transformed = selector.transform(kind(X))
    assert sparse.issparse(transformed)
    np.testing.assert_array_equal(transformed.toarray(), X[:, [2]])
    assert mutual_information(kind(X), y) == mutual_information(X, y)


def all_kinds():
    """Return a table of 60 rows with a column of each kind, as polars has it, and a target."""
    rng = np.random.default_rng(0)
    places = [int(i) for i in rng.permutation(60)]
    first = dt.datetime(2024, 1, 1)
    frame = pl.DataFrame(
        {
            "number": rng.normal(size=60),
            "date": [first + dt.timedelta(days=i) for i in places],
            "duration": [dt.timedelta(hours=6 * i * i) for i in places],
            "text": ["abc"[i % 3] for i in places],
            "category": pl.Series(["xy"[i % 2] for i in places], dtype=pl.Categorical),
            "gaps": [None if i % 7 == 0 else i / 2 for i in places],
            "flag": [i > 30 for i in places],
        }
    )
    return frame, frame["number"].to_numpy() + np.array(places) / 20


LIBRARIES = {"pandas": pl.DataFrame.to_pandas, "polars": pl.DataFrame.clone, "pyarrow": pl.DataFrame.to_arrow}


def selecting(*names):
    return MutualInfoSelector(keep=names, max_features=len(names), missing="partial", random_state=0)


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", ["date", "duration", "text", "category", "gaps", "flag"])
def test_tables_that_fit_takes_transform_takes(kind, library):
    frame, y = all_kinds()
    X = LIBRARIES[library](frame)
    selector = selecting("number", kind).fit(X, y)
    array = selector.transform(X)
    np.testing.assert_array_equal(array, clone(selector).fit_transform(X, y))
    is_text = kind in ("text", "category")
    assert array.dtype == (object if is_text else float)
    days = frame.select(pl.col("date").dt.epoch("d"), pl.col("duration").dt.total_hours() / 24)
    expected = frame.with_columns(days).select("number", kind)
    assert [tuple(row) for row in np.where(pd.isna(array), None, array)] == expected.rows()
    for output, native in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        out = selector.set_output(transform=output).transform(X)
        assert isinstance(out, native)
        if output == "polars":
            assert out.schema == frame.select("number", kind).schema
            assert out.equals(frame.select("number", kind))
        elif library == "pandas":
            pd.testing.assert_frame_equal(out, X[["number", kind]])
        np.testing.assert_array_equal(selector.inverse_transform(out)[:, [0, frame.columns.index(kind)]], array)


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_pipelines_take_dates_selected_or_not(library):
    frame, y = all_kinds()
    X = LIBRARIES[library](frame)
    for names in (["number"], ["number", "date", "duration", "flag"]):
        pipeline = make_pipeline(selecting(*names), LinearRegression()).fit(X, y)
        assert pipeline.predict(X).shape == (60,)
        assert pipeline[0].transform(X).dtype == float


def test_frames_keep_their_index_and_are_left_as_they_were():
    frame, y = all_kinds()
    X = frame.to_pandas().set_index(np.arange(100, 160))
    selector = selecting("number", "date").set_output(transform="pandas").fit(X, y)
    out = selector.transform(X)
    assert list(out.index) == list(X.index)
    out.loc[100, "number"] = 7.0
    pd.testing.assert_frame_equal(X, frame.to_pandas().set_index(np.arange(100, 160)))


def test_gaps_are_refused_by_transform_as_by_fit_but_for_ignored_features():
    frame, y = all_kinds()
    X = frame.select("number", "gaps", "date").to_pandas()
    selector = MutualInfoSelector(keep="number", max_features=1, ignore="gaps", missing="error", random_state=0)
    assert selector.fit_transform(X, y).shape == (60, 1)
    X.loc[3, "date"] = None
    with pytest.raises(InputError, match=r'^Column "date" has a missing value \(NaN\) in row 3'):
        selector.fit(X.ffill(), y).transform(X)


@pytest.mark.parametrize("values", [["a", "b", "a"], np.arange(3).astype("M8[ns]"), np.arange(3).astype("m8[h]")])
def test_masked_text_and_times_are_missing(values):
    columns = read_columns(np.ma.array(np.column_stack([values, values]), mask=[[1, 0], [0, 0], [0, 1]]))
    assert np.isnan(columns.values).tolist() == [[True, False, False], [False, False, True]]
    assert bool(columns.discrete) == isinstance(values, list)


def test_masked_cells_are_missing_to_transform():
    X, y = counts()
    masked = np.ma.masked_equal(X, 3.0)
    out = MutualInfoSelector(missing="partial", keep=2, max_features=1, random_state=0).fit_transform(masked, y)
    np.testing.assert_array_equal(out[:, 0], np.where(X[:, 2] == 3, np.nan, X[:, 2]))


def test_the_inverse_takes_what_transform_returned():
    frame, y = all_kinds()
    selector = selecting("gaps").fit(frame, y)
    restored = selector.inverse_transform(selector.transform(frame))
    assert np.isnan(restored[:, 5]).sum() == frame["gaps"].null_count() > 0
    assert not np.delete(restored, 5, axis=1).any()
    with pytest.raises(InputError, match=r"^X has 2 columns, not one for each selected feature \(1\): pass what"):
        selector.inverse_transform(np.zeros((5, 2)))
    nothing = MutualInfoSelector(random_state=0).fit(np.arange(20.0)[:, None] % 5, np.arange(20.0) // 5)
    assert nothing.selection_.names == ()
    np.testing.assert_array_equal(nothing.inverse_transform(np.empty((20, 0))), np.zeros((20, 1)))


def test_a_comparison_takes_sparse_tables():
    X, y = counts()
    selector = MutualInfoSelector(max_features=1, random_state=0)
    check = compare_subsets(sparse.csr_array(X), y, "ridge", selector=selector, cv=3)
    assert check == compare_subsets(X, y, "ridge", selector=selector, cv=3)


def test_a_sparse_table_without_room_for_its_zeros():
    huge = sparse.csr_array(([1.0], ([0], [0])), shape=(10**7, 10**7))
    with pytest.raises(
        InputError, match=r"needs 2,400,000 GB with its zeros, and there are [\d,]+: take fewer col"
    ):
        read_columns(huge)


NO_TABLES = {
    "one dimension": (np.arange(40.0), "have 1 dimension: pass a table"),
    "a cube": (np.zeros((40, 2, 2)), "have 3 dimensions: pass a table"),
    "a name": ("table.csv", "is text, and no values: read a file first"),
    "rows of several lengths": ([[1, 2], [3]] * 20, "rows or cells differ in length: give every row as many"),
    "complex numbers": (np.ones((40, 2), dtype=complex), "Complex data not supported: pass the real and the"),
    "no columns": (np.ones((40, 0)), r"0 feature\(s\) \(shape=\(40, 0\)\) while a minimum of 1 is required"),
}


@pytest.mark.parametrize("kind", NO_TABLES)
def test_what_is_no_table_is_refused_in_one_sentence(kind):
    X, said = NO_TABLES[kind]
    with pytest.raises(InputError, match=said) as refused:
        MutualInfoSelector().fit(X, np.arange(40.0))
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (3, r"y should be a 1d array, got an array of shape \(\)"),
        (np.zeros((120, 1, 1)), "Found array with dim 3, while dim <= 2 is required"),
        (np.zeros(119), "the table has 120 rows and the target has 119: give as many of both"),
        (np.zeros(120) + 1j, "Complex data not supported"),
        ([[1, 2], [3]], "rows or cells differ in length"),
    ],
)
def test_what_is_no_target_is_refused_in_one_sentence(y, said):
    X, _ = counts()
    with pytest.raises(InputError, match=said) as refused:
        MutualInfoSelector().fit(X, y)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pd.DataFrame({"a": [1j, 2], "b": [1, 2]}), '"a" is complex, so pass its parts as columns'),
        (np.array([[1j, 1], [2, 2]], dtype=object), '"x0" is complex, so pass its parts as columns'),
        (np.zeros(2, dtype=[("a", float), ("b", int)]), "^The data are a structured array: make a data frame"),
        (np.zeros((2, 2), dtype="V4"), "^The data are a structured array: make a data frame"),
    ],
)
def test_numbers_of_two_parts_and_records_are_refused(data, said):
    with pytest.raises(InputError, match=said):
        read_columns(data)


def test_decimals_that_are_no_number_are_missing():
    values = np.array([[Decimal("1.5")], [Decimal("sNaN")], [Decimal("NaN")]], dtype=object)
    np.testing.assert_array_equal(read_columns(values).values, [[1.5, np.nan, np.nan]])


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
def test_transform_returns_numbers_that_numpy_has_no_type_for_as_floats():
    X = pl.DataFrame(
        {"whole": pl.Series(range(40), dtype=pl.Int128), "cents": [Decimal(i) / 100 for i in range(40)]}
    )
    selector = MutualInfoSelector(keep=[0, 1], max_features=2, random_state=0).fit(X, np.arange(40) ** 2)
    np.testing.assert_allclose(selector.transform(X), np.arange(40)[:, None] * [1, 0.01])


def test_new_data_that_are_no_table_are_refused_in_one_sentence():
    X, y = counts()
    selector = MutualInfoSelector(keep=[0], max_features=1, random_state=0).fit(X, y)
    with pytest.raises(InputError, match=r"Reshape your data"):  # as scikit-learn's checks want it
        selector.transform(X[:, 0])
    with pytest.raises(InputError, match=r'^Column "a" has values of the type List\(Int64\): make numbers'):
        selector.inverse_transform(pl.DataFrame({"a": [[1, 2]]}))
    with pytest.raises(InputError, match=r"^The target must be a table, .* 0 dimensions"):
        mutual_information(X, None)


def test_a_number_too_large_for_any_float_is_named():
    X = np.array([[1, 10**400]] * 20, dtype=object)
    with pytest.raises(
        InputError, match=r'"x1" has a whole number that no float can hold \(one of 401 digits\) in row 0'
    ):
        MutualInfoSelector().fit(X, np.arange(20.0))


def test_a_target_without_values_is_named():
    X, _ = counts()
    with pytest.raises(InputError, match=r'^The target "target" has no value in any row: give one that has\.$'):
        MutualInfoSelector().fit(X, np.full(120, np.nan))


def test_a_frame_without_rows_is_refused_in_one_sentence():
    with pytest.raises(InputError, match=r"0 sample\(s\) \(shape=\(0, 2\)\)"):
        MutualInfoSelector().fit(pl.DataFrame({"a": [], "b": []}, schema={"a": float, "b": float}), [])


@pytest.mark.parametrize("function", [expand_dates, parse_numbers])
@pytest.mark.parametrize("data", [3, None, [1, 2], np.zeros((2, 2)), pl.Series([1]), sparse.eye_array(3)])
def test_what_is_no_frame_is_refused_in_one_sentence(function, data):
    with pytest.raises(InputError, match=rf"^{function.__name__} takes a data frame, and no \w+: make one of it"):
        function(data)


def test_a_record_batch_is_refused_in_one_sentence():
    batch = pa.RecordBatch.from_pydict({"a": [1.0, 2.0, 4.0]})
    with pytest.raises(InputError, match=r"^A RecordBatch is no data frame: .* pyarrow\.Table\.$"):
        MutualInfoSelector().fit(batch, [1.0, 2.0, 4.0])


def test_sparse_frames_may_be_filled_with_gaps():
    X, y = counts()
    frame = pd.DataFrame(X).astype(float).rename(columns=str)
    frame.iloc[::9, 1] = np.nan
    filled = frame.astype(pd.SparseDtype(float, np.nan))
    selector = MutualInfoSelector(random_state=0, max_features=1)
    dense, thin = (selector.fit(table, y).selection_ for table in (frame, filled))
    assert dense.steps == thin.steps
    np.testing.assert_array_equal(selector.transform(filled), selector.transform(frame))


NEAR = {
    "array": lambda low: np.column_stack([low + np.arange(5), np.arange(5)]),
    "frame": lambda low: pd.DataFrame({"a": low + np.arange(5), "b": np.arange(5)}),
    "frame with text": lambda low: pl.DataFrame({"a": low + np.arange(5), "b": list("uvwxy")}),
    "objects": lambda low: np.array([[low + i, i] for i in range(5)], dtype=object),
    "lists": lambda low: [[low + i, i] for i in range(5)],
    "128 bits": lambda low: pl.DataFrame({"a": pl.Series([low + i for i in range(5)], dtype=pl.Int128)}),
}


@pytest.mark.parametrize("kind", NEAR)
def test_whole_numbers_that_floats_cannot_tell_apart_are_counted_from_the_smallest(kind):
    columns = read_columns(NEAR[kind](2**62))
    np.testing.assert_array_equal(columns.values[0], np.arange(5))
    assert not columns.summary.are_constant[0]
    np.testing.assert_array_equal(read_columns(NEAR[kind](2**50)).values[0], 2**50 + np.arange(5))


def test_whole_numbers_beyond_floats():
    near = read_column(np.array([10**400 + 3, None, 10**400], dtype=object))
    np.testing.assert_array_equal(near.values, [[3.0, np.nan, 0.0]])
    with pytest.raises(
        InputError, match=r'^Column "target" has a whole number that no .* \(.* digits\) in row 1 '
    ):
        read_column(np.array([1, 10**4000, 2.5], dtype=object))
