"""Text that is numbers or dates: read in files and by parse_numbers, warned of in data frames."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from infosift import InputError, MutualInfoSelector, parse_numbers
from infosift.data.files import TableFile
from infosift.data.frames import read_columns
from infosift.data.written_values import describe_numeric_text, read_written


def read(*cells, decimal=None):
    (column,) = read_written(pl.DataFrame({"a": list(cells)}), decimal).columns
    return column.to_list()


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["12.3%", "-4 %", None, "+0.5%"], [12.3, -4.0, None, 0.5]),
        (["12,3 %", "4 %"], [12.3, 4.0]),
        (["€ 5", "€ 7.25", "€1,250.50"], [5.0, 7.25, 1250.5]),
        (["5 €", "1.250,50 €"], [5.0, 1250.5]),
        (["$1,000", "$950", "-$12,500"], [1000.0, 950.0, -12500.0]),
        (["US$ 5", "US$ 6"], [5.0, 6.0]),
        (["CHF 1'250.50", "CHF 3"], [1250.5, 3.0]),
        (["5 kg", "7.5 kg", "1.234 kg"], [5.0, 7.5, 1.234]),
        (["20 °C", "-3 °C"], [20.0, -3.0]),
        (["3m²", "4m²"], [3.0, 4.0]),
        (["1,234.50", "950.00", "12"], [1234.5, 950.0, 12.0]),
        (["1.234,50", "950,00"], [1234.5, 950.0]),
        (["1,234,567", "12"], [1234567.0, 12.0]),
        (["1,234", "950.5"], [1234.0, 950.5]),
        (["1 234,5", "12"], [1234.5, 12.0]),
        (["1\u202f234", "1\u00a0234"], [1234.0, 1234.0]),
        ([" 1.5 ", "1e3"], [1.5, 1000.0]),
    ],
)
def test_numbers_that_are_clear(cells, numbers):
    assert read(*cells) == numbers


@pytest.mark.parametrize(
    "cells",
    [
        ["5 kg", "300 g"],
        ["5%", "0.5"],
        ["€ 5", "$ 5"],
        ["044 123 45 67", "044 765 43 21"],
        ["192.168.0.1", "10.0.0.12"],
        ["12A", "14B"],
        ["red", "5 kg"],
        ["10-20", "20-30"],
        ["INV 1001", "INV 1002"],
    ],
)
def test_text_that_stays_text(cells):
    assert read_written(pl.DataFrame({"a": cells})).columns == []


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1,234", "2,500"], 'numbers like "1,234", whose comma may be decimal or divide thousands'),
        (["1,234 kg", "2,500 kg"], 'numbers like "1,234", whose comma may be decimal or divide thousands'),
        (["€ 1.234", "€ 950"], 'numbers like "1.234", whose point may be decimal or divide thousands'),
    ],
)
def test_numbers_that_may_be_two(cells, said):
    with pytest.raises(InputError) as caught:
        read(*cells)
    assert said in str(caught.value)


def test_what_resolves_them_is_named():
    with pytest.raises(InputError, match='thousands: set decimal="comma" or decimal="point"'):
        read("1,234", "2,500")


@pytest.mark.parametrize(
    ("cells", "comma", "point"),
    [
        (["1,234", "2,500", None], [1.234, 2.5, None], [1234.0, 2500.0, None]),
        (["1,234 kg", "2,500 kg"], [1.234, 2.5], [1234.0, 2500.0]),
        (["1.234", "12.500"], [1234.0, 12500.0], [1.234, 12.5]),
        (["€ 1.234", "€ 950"], [1234.0, 950.0], [1.234, 950.0]),
        # What can be read in one way only is read so.
        (["1,5", "2,25"], [1.5, 2.25], [1.5, 2.25]),
        (["1.5", "2.25"], [1.5, 2.25], [1.5, 2.25]),
        (["1,234.5", "2,500"], [1234.5, 2500.0], [1234.5, 2500.0]),
        (["1,5e3", ",25"], [1500.0, 0.25], [1500.0, 0.25]),
        (["1.5e3", "2"], [1500.0, 2.0], [1500.0, 2.0]),
    ],
)
def test_the_decimal_mark_can_be_told(cells, comma, point):
    assert read(*cells, decimal="comma") == comma
    assert read(*cells, decimal="point") == point


def test_what_is_left_off_is_said(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("rate,fee,day,plain,y\n1%,€ 5,2024-05-01,1,3\n2%,€ 6,2024-05-02,2,4\n")
    with pytest.warns(UserWarning, match="Read as") as caught:
        TableFile.open(str(path)).read(["y"])
    assert [str(warning.message) for warning in caught] == [
        'Read as numbers: "rate" ("1%"), "fee" ("€ 5").',
        'Read as dates, which count in days: "day" ("2024-05-01").',
    ]


def test_a_slip_among_numbers_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("rate,y\n1%,1\n2%,2\nlow,3\n4%,4\n")
    with pytest.raises(InputError) as caught:
        TableFile.open(str(path)).read(["y"])
    assert str(caught.value) == (
        'Column "rate" has numbers like "1%", but row 2 (the first row is 0) is "low": make it a number, '
        'empty it, or set ignore="rate" or discrete_features="rate".'
    )
    features, _ = TableFile.open(str(path)).read(["y"], as_written=["rate"])
    assert features["rate"].to_list() == ["1%", "2%", "low", "4%"]


@pytest.mark.parametrize(
    ("text", "looks_like"),
    [
        ("{}.5%", 'numbers, such as "0.5%" (100 of 100 cells)'),
        ("€ {}", 'numbers, such as "€ 0" (100 of 100 cells)'),
        ("{} kg", 'numbers, such as "0 kg" (100 of 100 cells)'),
        ("{}", 'numbers, such as "0" (100 of 100 cells)'),
        ("no. {}", None),
        ("{} people and more", None),
    ],
)
def test_text_that_looks_like_something_else(text, looks_like):
    assert describe_numeric_text([text.format(number) for number in range(100)]) == looks_like
    assert describe_numeric_text([text.format(number % 3) for number in range(100)]) is None


def test_whole_numbers_as_text_may_be_names():
    assert describe_numeric_text([f"80{number % 40:02}" for number in range(100)]) is None
    assert (
        describe_numeric_text([f"{number % 40}%" for number in range(100)])
        == 'numbers, such as "0%" (100 of 100 cells)'
    )


def test_columns_of_a_type_for_categories_are_what_they_say():
    text = pd.Series([f"{number}%" for number in range(60)])
    assert read_columns(pd.DataFrame({"rate": text})).numeric_text
    assert not read_columns(pd.DataFrame({"rate": text.astype("category")})).numeric_text
    assert not read_columns(pl.DataFrame({"rate": pl.Series(text).cast(pl.Categorical)})).numeric_text


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, lambda content: np.array([*content.values()]).T])
def test_data_frames_of_numbers_in_disguise_are_named(library):
    rng = np.random.default_rng(0)
    X = library({"rate": [f"{value:.3f}%" for value in rng.normal(size=60)], "b": list("uvw") * 20})
    y = rng.normal(size=60)
    with pytest.warns(UserWarning, match="looks like|Near-unique") as caught:
        MutualInfoSelector(random_state=0).fit(X, y)
    said = [str(warning.message) for warning in caught if "looks like" in str(warning.message)]
    name = "x0" if isinstance(X, np.ndarray) else "rate"
    assert said == [
        f'"{name}" is text that looks like numbers, such as "0.126%" (60 of 60 cells): make numbers or dates '
        "of it, in Python with parse_numbers where every cell is one, or declare it categorical: "
        f'discrete_features="{name}".'
    ]
    with pytest.warns(UserWarning, match="Near-unique") as caught:
        MutualInfoSelector(discrete_features=[0], random_state=0).fit(X, y)
    # Old scikit-learn and new polars have their deprecations.
    assert len([warning for warning in caught if warning.category is not DeprecationWarning]) == 1
    MutualInfoSelector(ignore=[0], random_state=0).fit(X, y)


@pytest.mark.filterwarnings("ignore:Near-unique")
def test_many_numbers_in_disguise_are_one_warning():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{i}": [f"{value:.3f}%" for value in rng.normal(size=60)] for i in range(30)})
    with pytest.warns(UserWarning, match="looks like|Near-unique") as caught:
        MutualInfoSelector(random_state=0).fit(X.assign(z=rng.normal(size=60)), rng.normal(size=60))
    (said,) = (str(warning.message) for warning in caught if "looks like" in str(warning.message))
    assert said.startswith('"x0" is text that looks like numbers, such as "0.126%" (60 of 60 cells); "x1" is text')
    assert "; and 27 more columns: make numbers or dates of them, in Python with parse_numbers" in said


@pytest.mark.filterwarnings("ignore:Near-unique")
def test_dates_in_disguise_are_named():
    days = pd.date_range("2024-01-01", periods=60).strftime("%d.%m.%Y")
    X = pd.DataFrame({"when": days, "b": list("uvw") * 20})
    with pytest.warns(UserWarning, match=r'"when" is text that looks like dates, such as "01.01.2024" \(60 of 60'):
        MutualInfoSelector(random_state=0).fit(X, np.arange(60.0))


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
    features, _ = TableFile.open(str(path)).read(["n"])
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


@pytest.mark.parametrize(
    "cells", [["--6", "-5"], ["+-6", "4"], ["0x10", "0x10"], ["1x10", "2x10"], ["0b11", "0b11"]]
)
def test_what_only_begins_like_a_number_is_none(cells):
    frame = pl.DataFrame({"a": cells})
    assert parse_numbers(frame).equals(frame)


def test_signs_may_follow_a_currency_and_units_begin_with_any_letter():
    frame = parse_numbers(pl.DataFrame({"a": ["€ -5", "-€5"], "b": ["3 bed", "4 bed"], "c": ["2 x", "3 x"]}))
    assert frame.rows() == [(-5, 3, 2), (-5, 4, 3)]


@pytest.mark.parametrize("cells", [["१२", "३"], ["१२ kg", "3 kg"], ["٢٠٢٤-٠١-٠٢", "٢٠٢٤-٠١-٠٣"]])
def test_digits_of_other_scripts_are_refused_in_one_sentence(cells, tmp_path):
    frame = pl.DataFrame({"a": cells, "y": [1, 2]})
    with pytest.raises(
        InputError, match=f'^Column "a" has digits of another script, as in "{cells[0]}": write them'
    ):
        parse_numbers(frame)
    frame.write_csv(tmp_path / "table.csv")
    with pytest.raises(InputError, match="digits of another script"):
        TableFile.open(str(tmp_path / "table.csv")).read(["y"])
    names = pl.DataFrame({"a": ["Room १२", "Room ३"]})
    assert parse_numbers(names).equals(names)
