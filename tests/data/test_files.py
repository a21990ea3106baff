"""Files as people have them: encodings, comments, decimal commas, repeated names, Excel, damage."""

import gzip
import io
import subprocess
import sys
import warnings
from struct import pack

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pytest
import xlsxwriter

from infosift import DataWarning, InputError
from infosift.data.files import ReadOptions, TableFile, require_whole_arrow

NAMES = "größe,y\n"

LINES = "1.5,2\n2.5,3\nµ,4\n"


def read(path, *ignored, target="y", **reading):
    features, others = TableFile.open(str(path), ReadOptions(**reading)).read([target], ignore=ignored)
    return features, others[target]


def refusal(path, **reading):
    with pytest.raises(InputError) as caught:
        read(path, **reading)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8"])
@pytest.mark.parametrize("compressed", [False, True])
def test_an_encoding_by_name(tmp_path, encoding, compressed):
    path = tmp_path / ("table.csv.gz" if compressed else "table.csv")
    content = ("größe,y\n" + "µ,2\nß,3\n").encode(encoding)
    path.write_bytes(gzip.compress(content) if compressed else content)
    features, target = read(path, encoding=encoding)
    assert features.to_dict(as_series=False) == {"größe": ["µ", "ß"]}
    assert target.to_list() == [2, 3]


@pytest.mark.parametrize("content", ["größe,y\n1,2\n", "a,y\n" + "1,2\n" * 5000 + "ö,3\n"])
def test_text_that_is_not_utf_8_says_what_to_do(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content.encode("latin-1"))
    assert refusal(path).endswith("(its text is not UTF-8: name its encoding, such as --encoding latin-1).")
    path.write_bytes(content.encode("utf-16"))
    assert refusal(path).endswith("(its text is UTF-16: add --encoding utf-16).")
    assert 'There is no encoding "latin-99": give one such as' in refusal(path, encoding="latin-99")
    path.write_bytes(content.encode("latin-1"))
    assert "is not in that encoding: name another one" in refusal(path, encoding="ascii")


def test_lines_that_are_comments(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# measured; in; May\na,y\n1,2\n# a pause\n3,4\n")
    features, target = read(path, comment="#")
    assert features["a"].to_list() == [1, 3]
    assert target.to_list() == [2, 4]
    assert "--comment must say how a comment begins" in refusal(path, comment="")


def test_what_is_said_of_text_is_for_text(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1], "y": [2]}).write_parquet(path)
    assert "--encoding is for files of text, and" in refusal(path, encoding="latin-1")
    assert "--comment is for files of text, and" in refusal(path, comment="#")


def test_excel(tmp_path, monkeypatch):
    path = tmp_path / "table.xlsx"
    frame = pl.DataFrame({"a": [1.5, 2.5, None], "town": ["Bern", "NA", "Basel"], "y": [1, 2, 4]})
    frame.write_excel(path)
    features, target = read(path)
    assert features["a"].to_list() == [1.5, 2.5, None]
    assert features["town"].to_list() == ["Bern", None, "Basel"]
    assert target.to_list() == [1, 2, 4]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert read("-")[0].equals(features)
    pl.DataFrame({"a": ["1", "2", "n.d.", "4"], "y": [1, 2, 3, 4]}).write_excel(path)
    assert 'has numbers like "1", but row 2 (the first row is 0) is "n.d."' in refusal(path)


def test_excel_that_is_none(tmp_path):
    path = tmp_path / "table.xlsx"
    path.write_bytes(b"PK")
    assert "table.xlsx cannot be read as a table (" in refusal(path)


def test_excel_without_its_package(tmp_path, monkeypatch):
    path = tmp_path / "table.xlsx"
    path.write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    assert refusal(path) == (
        'Excel files need the package fastexcel: install it with pip install "infosift[excel]".'
    )


def test_whole_numbers_beyond_64_bits(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a,b,y\n{2**63},{10**45},1\n1,2,2\n,3,{2**64}\n")
    features, target = read(path)
    assert features["a"].to_list() == [float(2**63), 1.0, None]
    assert features["b"].to_list() == [1e45, 2.0, 3.0]
    assert target.to_list() == [1.0, 2.0, float(2**64)]


def test_a_name_without_end(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a" * 140_000 + ",y\n1,2\n")
    assert refusal(path).endswith("has a column whose name has more than 131,072 characters: shorten it.")


def damaged_arrow_files(frame, count):
    """Copies of an Arrow file with some of its bytes changed: some of them make the reader panic."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    rng = np.random.default_rng(0)
    for _ in range(count):
        content = np.frombuffer(buffer.getvalue(), dtype=np.uint8).copy()
        content[rng.integers(8, len(content), size=3)] = rng.integers(256, size=3)
        yield content.tobytes()


def test_damaged_arrow_files_are_one_sentence(tmp_path, capfd):
    frame = pl.DataFrame({"a": [1.0, None] * 50, "b": [True, None] * 50, "y": list(range(100))})
    path = tmp_path / "table.arrow"
    sentences = []
    for content in damaged_arrow_files(frame, 300):
        path.write_bytes(content)
        try:
            read(path)
        except InputError as error:
            sentences.append(str(error))
    assert not any("\n" in sentence for sentence in sentences)
    assert any(sentence.endswith("(it is damaged).") for sentence in sentences)
    assert capfd.readouterr().err == ""


def test_damage_is_one_sentence_on_the_command_line(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,2\n" * 5000)[:-20])
    command = [sys.executable, "-m", "infosift", "select", str(path), "-t", "y"]
    said = subprocess.run(command, capture_output=True, check=False)
    assert said.returncode == 2
    assert len(said.stderr.decode().strip().splitlines()) == 1


def open_file(path, content, **reading):
    path.write_text(content, encoding="utf-8")
    return TableFile.open(str(path), ReadOptions(**reading))


def read_with_notes(file, target="y"):
    """The features, the target and what was noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        features, others = file.read(target)
    return (
        features.to_dict(as_series=False),
        others[target].to_list(),
        [str(warning.message) for warning in caught],
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_file_settles_what_a_comma_is(path, separator):
    lines = ["size;gap;n;y", "15,707;-0,619;1.250;1,0", "17,190;0,132;12.500;2,5"]
    features, target, notes = read_with_notes(open_file(path, "\n".join(lines).replace(";", separator)))
    assert features == {"size": [15.707, 17.19], "gap": [-0.619, 0.132], "n": [1250.0, 12500.0]}
    assert target == [1.0, 2.5]
    assert notes[0] == (
        'Numbers are read with decimal commas, as in "gap" ("0,619"), also in "size" ("15,707"), "n" ("1.250"): '
        'if that is wrong, set decimal="point".'
    )


def test_columns_that_stay_as_written_settle_nothing(path):
    file = open_file(path, "a;kind;who;y\n1,5;1.250;0.5;1\n2,5;2.500;1.5;2\n")
    features, others = file.read(["y"], labels=["who"], as_written=["kind"])
    assert features.to_dict(as_series=False) == {"a": [1.5, 2.5], "kind": [1.25, 2.5]}
    assert others.to_dict(as_series=False) == {"y": [1, 2], "who": [0.5, 1.5]}


def test_nothing_is_noted_where_nothing_had_to_be_settled(path):
    assert read_with_notes(open_file(path, "a;n;y\n1,5;7;1\n2,5;8;2\n")) == (
        {"a": [1.5, 2.5], "n": [7, 8]},
        [1, 2],
        [],
    )


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
        open_file(path, content).read(["y"])


@pytest.mark.parametrize(("decimal", "expected"), [("comma", [1.234, 2.5]), ("point", [1234.0, 2500.0])])
def test_the_decimal_mark_as_told(path, decimal, expected):
    features, *_ = read_with_notes(open_file(path, 'a,y\n"1,234",1\n"2,500",2\n', decimal=decimal))
    assert features == {"a": expected}


def test_points_divide_thousands_where_commas_are_decimal(path):
    features, *_ = read_with_notes(open_file(path, "a;b;y\n1.230;1.5;1\n2.500;2.25;2\n", decimal="comma"))
    assert features == {"a": [1230.0, 2500.0], "b": [1.5, 2.25]}


def test_repeated_names(path):
    content = "a,b,a,a.1,a,b,y\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n"
    features, _, notes = read_with_notes(open_file(path, content))
    assert {name: cells[0] for name, cells in features.items()} == {
        **{"a": 1, "b": 2, "a.2": 3, "a.1": 4, "a.3": 5, "b.1": 6},
    }
    assert notes == [
        '"a" occurs 3 times: the others are called "a.2", "a.3"; "b" occurs 2 times: the second is called "b.1".'
    ]
    with pytest.raises(InputError, match=r'"b" is the target, and 2 columns of .* are called so: rename them\.$'):
        open_file(path, content).read(["b"])


def test_no_header(path):
    content = "1.5,2,x\n2.5,3,z\n"
    features, target, _ = read_with_notes(open_file(path, content, has_header=False), "1")
    assert features == {"0": [1.5, 2.5], "2": ["x", "z"]}
    assert target == [2, 3]


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("15.7,4,1\n1,2,3\n", "its first line looks like data (15.7, 4, 1), so if it has no names"),
        ("15,7;4;1\n1;2;3\n", "its first line looks like data (15,7, 4, 1), so if it has no names"),
        ("# made by hand, in May\na,y\n1,2\n", "begins with #, so if that is a comment, add --comment '#'."),
        ("% made by hand, in May\na,y\n1,2\n", "add --comment '%'."),
        ("// made by hand, in May\na,y\n1,2\n", "add --comment '//'."),
        ("; made by hand\na,y\n1,2\n", "add --comment ';'."),
        ("a,b\n1,2\n", "it has a, b."),
        ("a,yy\n1,2\n", 'did you mean "yy"?'),
    ],
)
def test_what_a_first_line_may_be(path, content, hint):
    with pytest.raises(InputError) as caught:
        open_file(path, content).read(["y"])
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
    features, target, notes = read_with_notes(TableFile.open(str(book), ReadOptions(sheet="data")))
    assert features == {"a": [1, 3], "a.2": [2, 4], "a.1": [3, 5]}
    assert target == [4, 6]
    assert notes == ['"a" occurs 2 times: the second is called "a.2".']
    with pytest.raises(InputError) as caught:
        TableFile.open(str(book)).read(["y"])
    assert str(caught.value) == (
        f'{book} has no column "y" in its sheet "notes": it has made by. Other sheets, for --sheet, are "data".'
    )
    with pytest.raises(InputError, match='has no sheet "dat": it has "notes", "data"'):
        TableFile.open(str(book), ReadOptions(sheet="dat"))


def test_excel_without_a_header(tmp_path):
    path = tmp_path / "table.xlsx"
    pl.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}).write_excel(path, include_header=False)
    features, target, _ = read_with_notes(TableFile.open(str(path), ReadOptions(has_header=False)), "1")
    assert (features, target) == ({"0": [1.5, 2.5]}, [1, 2])


def test_what_is_said_of_some_formats_only(tmp_path, path):
    with pytest.raises(InputError, match="--sheet is for Excel files, and"):
        open_file(path, "a,y\n1,2\n", sheet="data")
    table = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1], "y": [2]}).write_parquet(table)
    with pytest.raises(InputError, match="--skip or --header-row is for files of text and Excel files, and"):
        TableFile.open(str(table), ReadOptions(skip=2))
    with pytest.raises(InputError, match="--no-header is for files of text and Excel files, and"):
        TableFile.open(str(table), ReadOptions(has_header=False))


FRAME = pl.DataFrame(
    {
        "text": ["é", None, "more than twelve letters"] * 10,
        "kind": pl.Series(["a", "b", "a"] * 10, dtype=pl.Categorical),
        "flag": [True, None, False] * 10,
        "y": range(30),
    }
)


def written(compression, frame=FRAME):
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression=compression)
    return buffer.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_whole_files_are_whole(compression, tmp_path):
    rows = 100_000
    nested = FRAME.with_columns(list=pl.concat_list("y", "y"), of_parts=pl.struct("y", "text"))
    wide = pl.DataFrame({"zero": np.zeros(rows), "same": ["always the same"] * rows, "none": [None] * rows})
    for frame in (FRAME, nested, wide, FRAME.head(0), FRAME.head(1)):
        content = written(compression, frame)
        require_whole_arrow(content)
        path = tmp_path / "table.arrow"
        path.write_bytes(content)
        require_whole_arrow(path)
    table = pa.table({"a": pa.array(["x", None] * 1000).dictionary_encode(), "zero": np.zeros(2000)})
    feather.write_feather(table, path, compression=compression)
    require_whole_arrow(path)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4"])
@pytest.mark.parametrize("made_up", [2**54, -(2**40)])
def test_lengths_that_are_made_up_do_no_harm(compression, made_up, tmp_path):
    content = written(compression)
    path = tmp_path / "table.arrow"
    refused = 0
    for place in range(8, len(content) - 8, 8):
        path.write_bytes(content[:place] + pack("<q", made_up) + content[place + 8 :])
        try:
            TableFile.open(str(path)).read(["y"])
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)  # noqa: PT017
    assert refused > 50


def test_what_is_no_arrow_file_is_left_to_the_reader(tmp_path):
    for content in (b"", b"ARROW1", b"ARROW1\0\0" + b"\0" * 40, b"a,b\n1,2\n"):
        require_whole_arrow(content)
        path = tmp_path / "table.arrow"
        path.write_bytes(content)
        require_whole_arrow(path)
    with pytest.raises(OSError, match="it is damaged"):
        require_whole_arrow(written("lz4")[:-10] + pack("<i", 10**9) + b"ARROW1")


TABLE = "a,b,y\n1,red,3\n4,blue,6\n7,red,9\n"
TOPS = {
    "a title": "Sales of the year\n",
    "a title and an empty line": "Sales of the year\n\n",
    "filled up with separators": "Sales of the year,,\nby the office,,\n,,\n",
    "words and a value": "Sales of the year\nfrom,\n",
    "a quoted line break": '"Sales\nof, the, year"\n\n',
}


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("separator", [",", ";"])
def test_names_are_found_below_comments(tmp_path, top, separator):
    path = tmp_path / "table.csv"
    text = TOPS[top] if top == "a quoted line break" else TOPS[top].replace(",", separator)
    path.write_text(text + TABLE.replace(",", separator))
    row = text.count("\n") + 1
    with pytest.warns(
        DataWarning, match=f"^The names of columns are those in row {row}: if .* set --header-row.$"
    ):
        file = TableFile.open(str(path))
    features, target = file.read(["y"])
    assert features.rows() == [(1, "red"), (4, "blue"), (7, "red")]
    assert target["y"].to_list() == [3, 6, 9]
    given = TableFile.open(str(path), ReadOptions(skip=row - 1)).read(["y"])[0]
    assert given.equals(features)
    without = TableFile.open(str(path), ReadOptions(skip=row, has_header=False))
    assert without.read("2")[0].rows() == features.rows()


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n1,red,3\n",
        ",b,y\nx,red,big\nz,blue,small\n",
        'a,b\nfoo,"x, y, z"\nbar,"u, v, w"\n',
        'a,b\nfoo,"x\ny, z, u, v"\n',
        "a,y\nx,1\nz,2\n",
        "a\n1\n2\n",
        "",
    ],
)
def test_a_header_at_the_top_stays_one(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text + "\n" * (not text))
    header = text.split("\n")[0].split(",")
    try:
        assert TableFile.open(str(path)).names == header
    except InputError as error:
        assert "it is empty" in str(error)  # noqa: PT017


@pytest.mark.parametrize("top", [(), (("Sales of the year",), ("from", "2024"), ())])
def test_names_are_found_in_a_sheet(tmp_path, top):
    rows = [*top, ("a", "b", "c", "y"), *((i, i / 2, "xz"[i % 2], 3.5 * i) for i in range(5))]
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        features, target = TableFile.open(str(path)).read(["y"])
    assert ["those in row 4:" in str(one.message) for one in caught] == [True] * bool(top)
    assert (features.columns, features["a"].to_list()) == (["a", "b", "c"], list(range(5)))
    assert target["y"].to_list() == [0, 3.5, 7, 10.5, 14]
    place = len(top)
    assert TableFile.open(str(path), ReadOptions(skip=place)).read(["y"])[0].equals(features)
    numbered = TableFile.open(str(path), ReadOptions(skip=place + 1, has_header=False)).read("3")[0]
    assert numbered.rows() == features.rows()


def test_a_closed_standard_input_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^Standard input is closed: pipe a table into it, or name a file"):
        TableFile.open("-")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("n_open", [5, 7])
def test_too_few_file_handles_are_no_damage(tmp_path, n_open):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1, 2], "y": [2, 3]}).write_parquet(path)
    code = (
        "import resource, infosift.data.files as files\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({n_open}, {n_open}))\n"
        f"try: files.TableFile.open({str(path)!r}).read('y')\n"
        "except files.InputError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert "cannot be read as a table (too many files are open: close some, or raise" in said
