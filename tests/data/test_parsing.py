"""Text of data frames that is numbers or dates: read as the command line reads files."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift import InputError, parse_numbers
from infosift.data.files import TableFile
from infosift.data.frames import read_columns

CELLS = {
    "rate": ["3.5 %", "NA", "12 %"],
    "paid": ["€ 1.250,50", "€ 3,00", None],
    "when": ["1.5.2024", "", "31.12.2024"],
    "town": ["Bern", "NA", "Basel"],
    "slip": ["1.5", "2.5", "low"],
    "n": [1, 2, 3],
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_library(library):
    parsed = parse_numbers(library(CELLS))
    assert isinstance(parsed, type(library(CELLS)))
    columns = read_columns(parsed)
    values = dict(zip(columns.names, columns.values, strict=True))
    np.testing.assert_array_equal(values["rate"], [3.5, np.nan, 12.0])
    np.testing.assert_array_equal(values["paid"], [1250.5, 3.0, np.nan])
    np.testing.assert_array_equal(np.diff(values["when"][[0, 2]]), [244.0])
    assert [columns.names[i] for i in sorted(columns.discrete)] == ["town", "slip"]


@pytest.mark.filterwarnings("ignore:Read as")
def test_files_are_read_the_same(tmp_path):
    path = tmp_path / "table.csv"
    frame = pl.DataFrame(CELLS).drop("slip")
    frame.write_csv(path)
    features, _ = TableFile.open(str(path)).read("n")
    parsed = parse_numbers(frame).drop("n", "town")
    assert features.drop("town").cast({pl.Date: pl.Datetime("us")}).equals(parsed)


def test_what_is_no_text_stays():
    frame = pd.DataFrame({1: [1.5, 2.5], "kind": pd.Series(["1", "2"], dtype="category")}, index=[7, 9])
    assert parse_numbers(frame) is frame
    parsed = parse_numbers(frame.assign(rate=["1%", "2%"], day=[dt.date(2024, 5, 1)] * 2))
    assert parsed["rate"].to_dict() == {7: 1.0, 9: 2.0}
    assert parsed["kind"].dtype == "category"


def test_the_decimal_mark():
    frame = pl.DataFrame({"a": ["1,234", "2,500"]})
    with pytest.raises(
        InputError, match=r'"a" has numbers like "1,234", .*: set decimal="comma" or decimal="point"'
    ):
        parse_numbers(frame)
    assert parse_numbers(frame, decimal="comma")["a"].to_list() == [1.234, 2.5]
    assert parse_numbers(frame, decimal="point")["a"].to_list() == [1234.0, 2500.0]
    with pytest.raises(InputError, match="decimal must be one of"):
        parse_numbers(frame, decimal=",")
