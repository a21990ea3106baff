"""Arrow files whose lengths are made up: refused, since polars would ask for more memory than there is."""

import io
from struct import pack

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pytest

from infosift.data.files import TableFile, require_whole
from infosift.errors import InputError

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
        require_whole(content)
        path = tmp_path / "table.arrow"
        path.write_bytes(content)
        require_whole(path)
    table = pa.table({"a": pa.array(["x", None] * 1000).dictionary_encode(), "zero": np.zeros(2000)})
    feather.write_feather(table, path, compression=compression)
    require_whole(path)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4"])
@pytest.mark.parametrize("made_up", [2**54, -(2**40)])
def test_lengths_that_are_made_up_do_no_harm(compression, made_up, tmp_path):
    content = written(compression)
    path = tmp_path / "table.arrow"
    refused = 0
    for place in range(8, len(content) - 8, 8):
        path.write_bytes(content[:place] + pack("<q", made_up) + content[place + 8 :])
        try:
            TableFile.open(str(path)).read("y")
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)  # noqa: PT017
    assert refused > 50


def test_what_is_no_arrow_file_is_left_to_the_reader(tmp_path):
    for content in (b"", b"ARROW1", b"ARROW1\0\0" + b"\0" * 40, b"a,b\n1,2\n"):
        require_whole(content)
        path = tmp_path / "table.arrow"
        path.write_bytes(content)
        require_whole(path)
    with pytest.raises(OSError, match="it is damaged"):
        require_whole(written("lz4")[:-10] + pack("<i", 10**9) + b"ARROW1")
