"""Files that are no tables, or damaged ones: an answer or one sentence, never a traceback."""

import gzip
import io
import os
import random

import numpy as np
import polars as pl
import pytest

from hazards import cut, delete, flip
from infosift.data.files import TableFile

FILES = int(os.environ.get("INFOSIFT_DAMAGES", "100"))
PIECES = [
    *(
        b"\0",
        b'"',
        b'"""',
        b"'",
        b"\\",
        b",",
        b";",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b",,,,,,,\n",
        b"#",
        b"\x1a",
        b"\x1b[31m",
    ),
    *(
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        "é".encode("latin-1"),
        "é".encode("utf-16"),
        b"\xed\xa0\x80",
        "\u2028".encode(),
    ),
    *(b"NaN", b"1e999", b"-", b"9" * 50, b"a", b"y", b"1", b"2.5", b"2024-13-45"),
]
HINTS = [[], [], ["--missing", "drop"], ["--encoding", "utf-16"], ["--encoding", "latin-1"], ["--dates", "expand"]]


@pytest.fixture(scope="module")
def contents():
    """A small table in every format."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=40),
            "b": ["x", "ÿ", "a longer text"] * 13 + [None],
            "c": pl.Series(range(40)).cast(pl.Datetime),
            "y": range(40),
        }
    )
    written = {}
    for ending, write in (
        ("csv", frame.write_csv),
        ("parquet", frame.write_parquet),
        ("arrow", frame.write_ipc),
        ("xlsx", frame.write_excel),
    ):
        buffer = io.BytesIO()
        write(buffer)
        written[ending] = buffer.getvalue()
    return {**written, "csv.gz": gzip.compress(written["csv"], mtime=0)}


def insert(content, rng):
    for _ in range(rng.choice([1, 3, 30])):
        place = rng.randrange(len(content) + 1)
        content = content[:place] + rng.choice(PIECES) + content[place:]
    return content


def make_up(content, rng):
    return rng.choice([b"", b"a,b,c,y\n"]) + b"".join(rng.choice(PIECES) for _ in range(rng.randrange(80)))


def noise(content, rng):
    return rng.choice([b"", b"a,b,c,y\n"]) + rng.randbytes(rng.randrange(400))


def damaged(contents, seed):
    """Return the ending and the content of a file."""
    rng = random.Random(seed)
    ending = rng.choice(list(contents))
    # Polars ends the process at some pages of Parquet whose bytes were changed.
    kinds = (cut, make_up, noise) if ending == "parquet" else (cut, flip, insert, delete, make_up, noise)
    content = rng.choice(kinds)(contents[ending], rng)
    return (rng.choice(["csv", "tsv", "xlsx", "arrow", "txt", "parquet"]) if seed % 8 == 0 else ending), content


def require_answer_or_sentence(result, case):
    is_ended = result.exception is None or isinstance(result.exception, SystemExit)
    assert is_ended, f"{case}: {result.exception!r}"
    said = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert (result.exit_code, len(said)) in {(0, 0), (2, 1)}, f"{case}: {result.stderr}"


def test_damaged_files_are_an_answer_or_one_sentence(infosift, contents, tmp_path):
    answers = 0
    for seed in range(FILES):
        ending, content = damaged(contents, seed)
        path = tmp_path / f"table.{ending}"
        path.write_bytes(content)
        hints = HINTS[seed % len(HINTS)] if ending in ("csv", "csv.gz", "tsv") else []
        result = infosift("score", path, "a", "-t", "y", *hints, width=1000)
        require_answer_or_sentence(result, f"seed {seed}")
        if seed % 4 == 1:
            piped = infosift("score", "-", "a", "-t", "y", input=content, width=1000)
            require_answer_or_sentence(piped, f"seed {seed}, piped")
        answers += result.exit_code == 0
    assert 0 < answers < FILES / 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n\n",
        b"\0" * 100,
        b"a,y",
        b"a,y\n",
        b"a,y\n1,2\n",
        b"a,y\n" + b"1\n" * 20,
        b"a,y\n" + b"1,2,3\n" * 20,
        b"a,y\n" + b"1,2\n1,2,3\n" * 20,
        b'a,y\n"1,2\n' * 20,
        b'"a,y\n1,2\n',
        b"a,y\n" + b"1,\0\n" * 20,
        b"a,y\n" + "1,é\n".encode() * 10 + "1,é\n".encode("latin-1") * 10,
        b"\xef\xbb\xbf\xef\xbb\xbfa,y\n1,2\n",
        b"\xff\xfea,y\n1,2\n",
        b"\xff\xfe" + "a,y\n1,2\n".encode("utf-16-le"),
        b"a,a\n1,2\n",
        b",\n1,2\n",
        b"a" * 200_000 + b",y\n1,2\n",
        b"a,y\n" + b"1" * 400_000 + b",2\n1,3\n",
        b"a,y\r1,2\r3,4\r",
        b"\x1f\x8b" + b"\0" * 40,
        b"PAR1" + b"\0" * 40 + b"PAR1",
        b"ARROW1\0\0" + b"\0" * 40 + b"ARROW1",
        b"PK\x03\x04" + b"\0" * 40,
        b"\x1b[31mred\x1b[0m\x07,\x9b2J\n1,2\n",
    ],
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "pq", "arrow", "feather", "xlsx", "txt"])
def test_what_is_no_table_is_one_sentence(infosift, content, ending, tmp_path):
    path = tmp_path / f"table.{ending}"
    path.write_bytes(content)
    result = infosift("score", path, "a", "-t", "y", width=1000)
    require_answer_or_sentence(result, ending)
    assert "\x1b[31mred" not in result.stderr
    assert "\x9b" not in result.stderr


def test_names_cannot_move_the_cursor(infosift, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\x1b[2Jred,y\n1,2\n")
    result = infosift("select", path, "-t", "z")
    assert r'has no column "z": it has \x1b[2Jred, y.' in result.stderr


@pytest.mark.parametrize(
    ("kind", "value"), [(pl.Date, 2**31 - 1), (pl.Datetime("us"), 2**61), (pl.Datetime("ms"), -(2**60))]
)
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_dates_that_no_calendar_has(infosift, kind, value, ending, tmp_path):
    path = tmp_path / f"table.{ending}"
    whole = pl.Series([*range(39), value], dtype=pl.Int32 if kind == pl.Date else pl.Int64)
    frame = pl.DataFrame({"a": np.arange(40) % 7, "sold": whole.cast(kind), "y": range(40)})
    (frame.write_ipc if ending == "arrow" else frame.write_parquet)(path)
    result = infosift("select", path, "-t", "y", "--csv", tmp_path / "out.csv", "--dates", "expand")
    assert result.exit_code == 2
    assert 'Column "sold" has a date or time outside the years 1 to 9999 in row 40 ' in result.stderr


def test_the_last_moments_of_the_calendar(tmp_path):
    import datetime as dt

    ends = {"day": [dt.date.min, dt.date.max], "moment": [dt.datetime.min, dt.datetime.max]}
    path = tmp_path / "table.parquet"
    pl.DataFrame({**ends, "hour": [dt.time.min, dt.time.max], "y": [1, 2]}).write_parquet(path)
    assert TableFile.open(str(path)).read(["y"])[0].to_dict(as_series=False)["moment"] == ends["moment"]
