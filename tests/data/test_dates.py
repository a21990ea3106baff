"""Dates of any library and file become the same days; weekdays and months are categories on request."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift import InputError, MutualInfoSelector, expand_dates
from infosift.data.files import TableFile
from infosift.data.frames import read_column, read_columns

DATES = [dt.date(2024, 5, 1), None, dt.date(1969, 12, 31)]
TIMES = [dt.datetime(2024, 5, 1, 12), None, dt.datetime(1969, 12, 31, 6)]
OF_DATES, OF_TIMES = [19844.0, np.nan, -1.0], [19844.5, np.nan, -0.75]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"date": pd.to_datetime(DATES), "time": pd.to_datetime(TIMES)}),
        pd.DataFrame({"date": pd.Series(DATES, dtype=object), "time": pd.Series(TIMES, dtype=object)}),
        pd.DataFrame({"date": DATES, "time": TIMES}).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame({"date": pd.to_datetime(DATES), "time": pd.to_datetime(TIMES).tz_localize("UTC")}),
        pl.DataFrame({"date": DATES, "time": TIMES}),
        pl.DataFrame({"date": DATES, "time": TIMES}).with_columns(pl.col("time").dt.cast_time_unit("ns")),
        pa.table({"date": DATES, "time": TIMES}),
        np.array([DATES, TIMES], dtype="datetime64[us]").T,
        np.array([DATES, TIMES], dtype=object).T,
    ],
)
def test_dates_are_days_since_1970(frame):
    columns = read_columns(frame)
    np.testing.assert_array_equal(columns.values, [OF_DATES, OF_TIMES])
    assert not columns.discrete


def test_zones_are_brought_to_one_time():
    zoned = pd.to_datetime(["2024-05-01 14:00"]).tz_localize("Europe/Zurich")
    np.testing.assert_array_equal(read_columns(pd.DataFrame({"time": zoned})).values, [[19844.5]])
    objects = np.array([[zoned[0].to_pydatetime()]], dtype=object)
    np.testing.assert_array_equal(read_columns(objects).values, [[19844.5]])


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([dt.timedelta(hours=36), None]),
        pd.Series(pd.to_timedelta(["36h", None])),
        pd.Series([dt.timedelta(hours=36), None], dtype=object),
        np.array([np.timedelta64(36, "h"), np.timedelta64("NaT")]),
    ],
)
def test_durations_are_days(column):
    np.testing.assert_array_equal(read_column(column).values, [[1.5, np.nan]])


def test_times_of_day_and_periods():
    np.testing.assert_array_equal(read_column(pl.Series([dt.time(18), None])).values, [[0.75, np.nan]])
    np.testing.assert_array_equal(read_column(pa.chunked_array([[dt.time(18)]])).values, [[0.75]])
    months = pd.DataFrame({"month": pd.period_range("2024-01", periods=2, freq="M")})
    np.testing.assert_array_equal(np.diff(read_columns(months).values), [[31.0]])


def test_what_is_partly_dates_is_categories():
    assert read_column(np.array([dt.date(2024, 5, 1), "unknown"], dtype=object)).discrete == {0}
    assert read_column(np.array([dt.date(2024, 5, 1), dt.timedelta(1)], dtype=object)).discrete == {0}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_weekday_and_month_are_categories_on_request(library):
    frame = library({"when": pl.Series(TIMES).to_pandas() if library is pd.DataFrame else TIMES, "a": [1, 2, 3]})
    expanded = read_columns(expand_dates(frame))
    assert expanded.names == ("when", "a", "when weekday", "when month")
    assert expanded.discrete == {2, 3}
    np.testing.assert_array_equal(expanded.values[2], [0.0, np.nan, 0.0])  # both are Wednesdays
    np.testing.assert_array_equal(expanded.values[3], [0.0, np.nan, 1.0])
    without = library({"a": [1, 2, 3]})
    assert expand_dates(without) is without


def test_expanded_dates_keep_the_index_and_clash_with_nothing():
    frame = pd.DataFrame({"when": pd.to_datetime(DATES)}, index=[7, 8, 9])
    assert expand_dates(frame)["when weekday"].to_dict()[7] == "Wednesday"
    with pytest.raises(InputError, match='has a column "when month" already: rename it'):
        expand_dates(frame.assign(**{"when month": 1}))


@pytest.mark.filterwarnings("ignore:.*nearly alone:UserWarning", "ignore:Rows depend on:UserWarning")  # a trend
def test_a_rhythm_of_weeks_is_found():
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=150)
    y = (np.arange(150) % 7 >= 5) + 0.2 * rng.normal(size=150)
    X = pd.DataFrame({"when": days, "noise": rng.normal(size=150)})
    assert MutualInfoSelector(random_state=0).fit(X, y).selection_.names == ()
    selector = MutualInfoSelector(random_state=0).fit(expand_dates(X), y)
    assert selector.selection_.names == ("when weekday",)
    trend = MutualInfoSelector(random_state=0).fit(X, np.arange(150) + rng.normal(size=150))
    assert trend.selection_.names == ("when",)
    transformed = trend.set_output(transform="pandas").transform(X)
    pd.testing.assert_frame_equal(transformed, X[["when"]])


@pytest.mark.filterwarnings("ignore:Read as dates")
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-05-01", "", "1969-12-31"], DATES),
        (["2024/5/1", "NA", "1969/12/31"], DATES),
        (["1.5.2024", "", "31.12.1969"], DATES),
        (["01/05/2024", "", "31/12/1969"], DATES),
        (["05/01/2024", "", "12/31/1969"], DATES),
        (["2024-05-01 12:00", "", "1969-12-31T06:00:00.000"], TIMES),
        (["2024-05-01T14:00:00+02:00", "", "1969-12-31T06:00Z"], TIMES),
        (["1.5.2024 12:00", "", "31.12.1969 6:00"], TIMES),
    ],
)
def test_dates_written_in_a_file(tmp_path, cells, expected):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["when,y", *(f"{cell},{row}" for row, cell in enumerate(cells))]))
    features, _ = TableFile.open(str(path)).read("y")
    assert features["when"].to_list() == expected


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["01/02/2024", "03/04/2024"], 'dates like "01/02/2024", whose first number may be the day or the month'),
        (
            ["2024-01-01", "2024-01-02", "soon"],
            'dates like "2024-01-01", but row 2 (the first row is 0) is "soon"',
        ),
    ],
)
def test_dates_that_cannot_be_read(tmp_path, cells, message):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["when,y", *(f"{cell},{row}" for row, cell in enumerate(cells))]))
    with pytest.raises(InputError) as caught:
        TableFile.open(str(path)).read("y")
    assert message in str(caught.value)
    features, _ = TableFile.open(str(path)).read("y", as_written=["when"])
    assert features["when"].to_list() == cells


@pytest.mark.parametrize("ending", ["parquet", "arrow", "xlsx"])
def test_dates_of_other_files(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    frame = pl.DataFrame({"when": DATES, "y": [1, 2, 3]})
    write = {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "xlsx": frame.write_excel}[ending]
    write(path)
    features, _ = TableFile.open(str(path)).read("y")
    np.testing.assert_array_equal(read_columns(features).values, [OF_DATES])
