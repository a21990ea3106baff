"""Files as spreadsheets write them: decimal commas, repeated names, no names, several sheets."""

import warnings

import polars as pl
import pytest
import xlsxwriter

from infosift import InputError
from infosift.data.columns import deduplicate_names
from infosift.data.files import ReadOptions, TableFile


def open_file(path, content, **reading):
    path.write_text(content, encoding="utf-8")
    return TableFile.open(str(path), ReadOptions(**reading))


def read(file, target="y"):
    """The features, the target and what was noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        features, values = file.read(target)
    return features.to_dict(as_series=False), values.to_list(), [str(warning.message) for warning in caught]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_file_settles_what_a_comma_is(path, separator):
    lines = ["size;gap;n;y", "15,707;-0,619;1.250;1,0", "17,190;0,132;12.500;2,5"]
    features, target, notes = read(open_file(path, "\n".join(lines).replace(";", separator)))
    assert features == {"size": [15.707, 17.19], "gap": [-0.619, 0.132], "n": [1250.0, 12500.0]}
    assert target == [1.0, 2.5]
    assert notes[0] == (
        'Numbers are read with decimal commas, as in "gap" ("0,619"), also in "size" ("15,707"), "n" ("1.250"): '
        'if that is wrong, set decimal="point".'
    )


def test_columns_that_stay_as_written_settle_nothing(path):
    file = open_file(path, "a;kind;who;y\n1,5;1.250;0.5;1\n2,5;2.500;1.5;2\n")
    features, _ = file.read("y", labels=["who"], as_written=["kind"])
    assert features.to_dict(as_series=False) == {"a": [1.5, 2.5], "kind": [1.25, 2.5], "who": [0.5, 1.5]}


def test_nothing_is_noted_where_nothing_had_to_be_settled(path):
    assert read(open_file(path, "a;n;y\n1,5;7;1\n2,5;8;2\n")) == ({"a": [1.5, 2.5], "n": [7, 8]}, [1, 2], [])


@pytest.mark.parametrize(
    "content",
    [
        "a;b;y\n1,234;x;1\n2,500;z;2\n",  # nothing tells
        "a;b;y\n1,234;1,234.5;1\n2,500;2,0;2\n",
        "a;b;c;y\n1,234;1,5;1,234,567;1\n2,500;2,5;1;2\n",  # of others, one has commas between thousands
        "a;b;c;y\n1,234;1,5;7.25;1\n2,500;2,5;3.5;2\n",  # of others, one has decimal points
        'a,b,y\n"1,234","1,5",1\n"2,500","2,5",2\n',  # commas between cells are no continental habit
    ],
)
def test_a_file_that_does_not_settle_it_is_refused(path, content):
    with pytest.raises(InputError, match=r'"a" has numbers like "1,234", whose comma may .*: set decimal="comma"'):
        open_file(path, content).read("y")


@pytest.mark.parametrize(("decimal", "expected"), [("comma", [1.234, 2.5]), ("point", [1234.0, 2500.0])])
def test_the_decimal_mark_as_told(path, decimal, expected):
    features, *_ = read(open_file(path, 'a,y\n"1,234",1\n"2,500",2\n', decimal=decimal))
    assert features == {"a": expected}


def test_points_divide_thousands_where_commas_are_decimal(path):
    features, *_ = read(open_file(path, "a;b;y\n1.230;1.5;1\n2.500;2.25;2\n", decimal="comma"))
    assert features == {"a": [1230.0, 2500.0], "b": [1.5, 2.25]}


def test_repeated_names(path):
    content = "a,b,a,a.1,a,b,y\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n"
    features, _, notes = read(open_file(path, content))
    assert {name: cells[0] for name, cells in features.items()} == {
        **{"a": 1, "b": 2, "a.2": 3, "a.1": 4, "a.3": 5, "b.1": 6},
    }
    assert notes == [
        '"a" occurs 3 times: the others are called "a.2", "a.3"; "b" occurs 2 times: the second is called "b.1".'
    ]
    with pytest.raises(InputError, match=r'"b" is the target, and 2 columns of .* are called so: rename them\.$'):
        open_file(path, content).read("b")


def test_later_names_are_unique():
    assert deduplicate_names(["a", "a", "a.1", "a"]) == (["a", "a.2", "a.1", "a.3"], {"a": ["a.2", "a.3"]})
    assert deduplicate_names(["a", "b"]) == (["a", "b"], {})
    many, _ = deduplicate_names(["a", "a.1", "a", "a.1", "a.1.1", "a"])
    assert len(set(many)) == 6


def test_no_header(path):
    content = "1.5,2,x\n2.5,3,z\n"
    features, target, _ = read(open_file(path, content, has_header=False), "1")
    assert features == {"0": [1.5, 2.5], "2": ["x", "z"]}
    assert target == [2, 3]


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("15.7,4,1\n1,2,3\n", "its first line looks like data (15.7, 4, 1), so if it has no names"),
        ("15,7;4;1\n1;2;3\n", "its first line looks like data (15,7, 4, 1), so if it has no names"),
        ("# made by hand, in May\na,y\n1,2\n", "begins with #, so if that is a comment, add --comment '#'."),
        ("% made by hand\na,y\n1,2\n", "add --comment '%'."),
        ("// made by hand\na,y\n1,2\n", "add --comment '//'."),
        ("; made by hand\na,y\n1,2\n", "add --comment ';'."),
        ("a,b\n1,2\n", "it has a, b."),
        ("a,yy\n1,2\n", 'did you mean "yy"?'),
    ],
)
def test_what_a_first_line_may_be(path, content, hint):
    with pytest.raises(InputError) as caught:
        open_file(path, content).read("y")
    assert 'has no column "y": ' in str(caught.value)
    assert hint in str(caught.value)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as made:
        for sheet, rows in {
            "notes": [["made by"], ["me"]],
            "data": [["a", "a", "a.1", "y"], [1, 2, 3, 4], [3, 4, 5, 6]],
        }.items():
            written = made.add_worksheet(sheet)
            for number, row in enumerate(rows):
                written.write_row(number, 0, row)
    return path


def test_sheets_of_excel(book):
    features, target, notes = read(TableFile.open(str(book), ReadOptions(sheet="data")))
    assert features == {"a": [1, 3], "a.2": [2, 4], "a.1": [3, 5]}
    assert target == [4, 6]
    assert notes == ['"a" occurs 2 times: the second is called "a.2".']
    with pytest.raises(InputError) as caught:
        TableFile.open(str(book)).read("y")
    assert str(caught.value) == (
        f'{book} has no column "y" in its sheet "notes": it has made by. Other sheets, for --sheet, are "data".'
    )
    with pytest.raises(InputError, match='has no sheet "dat": it has "notes", "data"'):
        TableFile.open(str(book), ReadOptions(sheet="dat"))


def test_excel_without_a_header(tmp_path):
    path = tmp_path / "table.xlsx"
    pl.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}).write_excel(path, include_header=False)
    features, target, _ = read(TableFile.open(str(path), ReadOptions(has_header=False)), "1")
    assert (features, target) == ({"0": [1.5, 2.5]}, [1, 2])


def test_what_is_said_of_some_formats_only(tmp_path, path):
    with pytest.raises(InputError, match="--sheet is for Excel files, and"):
        open_file(path, "a,y\n1,2\n", sheet="data")
    table = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1], "y": [2]}).write_parquet(table)
    with pytest.raises(InputError, match="--no-header is for files of text and Excel files, and"):
        TableFile.open(str(table), ReadOptions(has_header=False))
