"""Files as people have them: encodings, comments, Excel, damage, huge numbers."""

import gzip
import io
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from infosift.data.files import ReadOptions, TableFile
from infosift.errors import InputError

NAMES = "größe,y\n"
LINES = "1.5,2\n2.5,3\nµ,4\n"


def read(path, *ignored, target="y", **reading):
    return TableFile.open(str(path), ReadOptions(**reading)).read(target, ignored)


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
