"""Tables that workers read: what is known of them, prepared and fetched, is what it is of a table in memory."""

import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from infosift import DataWarning, InputError, MutualInfoSelector
from infosift.data.columns import NamedColumns, missing_by_name, require_finite
from infosift.data.frames import read_columns
from infosift.data.prepare import Preparation, scale_distances
from infosift.engines import in_memory, source_of
from infosift.engines.base import ColumnBlocks, ThreadEngine
from infosift.engines.remote_table import RemoteColumns, read_block, read_remotely
from infosift.results.serialization import read_label, written_label

ENGINE = ThreadEngine(1)


def spread(columns, cuts):
    """Columns as they would be with workers, in blocks that begin at some positions."""
    starts = (0, *cuts)
    blocks = tuple(columns[start:stop] for start, stop in zip(starts, (*cuts, None), strict=True))
    return RemoteColumns(ENGINE, ColumnBlocks(starts, blocks), columns.shape)


@given(
    cuts=st.sets(st.integers(1, 9)).map(sorted),
    positions=st.lists(st.integers(0, 9)),
    rows=st.lists(st.integers(0, 5), min_size=1),
)
def test_remote_columns_are_like_an_array(cuts, positions, rows):
    array = np.random.default_rng(0).normal(size=(10, 6))
    columns = spread(array, cuts)
    assert (len(columns), columns.shape) == (10, (10, 6))
    np.testing.assert_array_equal(columns[positions], array[np.array(positions, dtype=int)])
    np.testing.assert_array_equal(columns[:0], array[:0])
    np.testing.assert_array_equal(columns[2:5], array[2:5])
    some = columns[:, np.array(rows)]
    assert some.shape == (10, len(rows))
    np.testing.assert_array_equal(some[positions], array[:, rows][np.array(positions, dtype=int)])
    np.testing.assert_array_equal(columns[:, np.arange(6) > 2][[3]], array[[3], 3:])
    scale = np.linspace(0.5, 2, 10)
    np.testing.assert_array_equal(scale_distances(columns, scale)[range(10)], scale_distances(array, scale))


def test_columns_that_were_fetched_stay_here_and_not_too_many():
    array = np.random.default_rng(0).normal(size=(200, 4))
    columns = spread(array, [50, 120])
    np.testing.assert_array_equal(columns[range(200)], array)
    columns.column_blocks = ColumnBlocks(
        (0, 50, 120), tuple(np.zeros_like(array) for _ in range(3))
    )  # others by now
    np.testing.assert_array_equal(columns[[199, 170]], array[[199, 170]])
    np.testing.assert_array_equal(columns[[0]], np.zeros((1, 4)))


CELLS = st.one_of(
    st.sampled_from([0.0, 1.0, np.nan, 2.5]), st.floats(-3, 3).map(lambda x: round(x, 2)), st.just(np.inf)
)


@settings(deadline=None)
@given(
    table=st.integers(1, 6).flatmap(
        lambda d: st.lists(st.lists(CELLS, min_size=d, max_size=d), min_size=2, max_size=12)
    ),
    discrete=st.sets(st.integers(0, 5)),
    ignored=st.sets(st.integers(0, 5)),
    scale=st.sampled_from(["standard", "rank", "none"]),
)
def test_what_is_known_and_prepared_is_that_of_a_table_in_memory(table, discrete, ignored, scale):
    values = np.array(table)
    n_rows, n_columns = values.shape
    discrete, ignored = ({i for i in some if i < n_columns} for some in (discrete, ignored))
    held = read_columns(pl.DataFrame(values, schema=[f"c{i}" for i in range(n_columns)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThreadEngine, "block_bytes", 8 * n_rows * 2)
        remote = read_remotely(source_of(pl.LazyFrame(values, schema=list(held.names))), n_rows, ENGINE, 1)
    assert len(remote.handles) == -(-n_columns // 2)
    held, remote = held.with_discrete(discrete), remote.with_discrete(discrete)
    assert_alike(held, remote, sorted(ignored), Preparation(3, "ties", scale))
    whole = held.complete_rows(sorted(ignored))
    if whole.any():
        assert_alike(held.take(whole), remote.take(whole), sorted(ignored), Preparation(3, "ties", scale))


def assert_alike(held, remote, ignored, how):
    assert (remote.names, remote.n_rows, remote.discrete) == (held.names, held.n_rows, held.discrete)
    for fact, value in vars(held.summary).items():
        np.testing.assert_array_equal(getattr(remote.summary, fact), value, err_msg=fact)
    assert missing_by_name(remote, ignored) == missing_by_name(held, ignored)
    assert refusal(remote, ignored) == refusal(held, ignored)
    np.testing.assert_array_equal(remote.complete_rows(ignored), held.complete_rows(ignored))
    order = sorted(held.discrete, reverse=True)
    assert remote.count_categories(order) == held.count_categories(order)
    if any(held.summary.infinite_rows[i] >= 0 for i in range(len(held.names)) if i not in ignored):
        return
    expected, found = held.prepared(how, ignored), remote.prepared(how, ignored)
    np.testing.assert_array_equal(found.columns[range(len(held.names))], expected.columns)
    assert found.digests == expected.digests
    np.testing.assert_array_equal(found.is_categorical, expected.is_categorical)
    assert (found.spreads is None) == (expected.spreads is None) == (how.scale != "none")
    if expected.spreads is not None:
        np.testing.assert_array_equal(found.spreads, expected.spreads)


def refusal(columns, ignored):
    try:
        require_finite(columns, ignored=ignored, may_ignore=True)
    except InputError as error:
        return str(error)
    return None


def mixed(n_rows=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "text": rng.choice(["a", "b", "c"], size=n_rows),
            "whole": rng.integers(0, 9, size=n_rows),
            "flag": rng.uniform(size=n_rows) > 0.5,
            "price": [f"{value:.2f}" for value in rng.uniform(size=n_rows)],
        }
    )


def sources():
    frame = mixed()
    yield pl.from_pandas(frame).lazy(), frame
    dask_frame = pytest.importorskip("dask.dataframe")
    dask_array = pytest.importorskip("dask.array")
    yield dask_frame.from_pandas(frame, npartitions=3), frame
    numbers = frame[["number", "whole"]].to_numpy()
    yield dask_array.from_array(numbers, chunks=(17, 1)), numbers
    plain = frame[["number", "whole"]].set_axis([5, 7], axis=1)
    yield dask_frame.from_pandas(plain, npartitions=2), plain


@pytest.mark.parametrize("number", range(4))
def test_what_is_read_of_a_source_is_what_is_read_of_the_table(number, monkeypatch):
    unread, table = list(sources())[number]
    monkeypatch.setattr(ThreadEngine, "block_bytes", 8 * 40 * 2)
    held, remote = read_columns(table), read_remotely(source_of(unread), 40, ENGINE, 1)
    assert isinstance(held, NamedColumns)
    assert remote.numeric_text == held.numeric_text
    assert_alike(held, remote, [0], Preparation(0, "ties"))


def test_tables_in_memory_are_no_sources():
    for table in (np.zeros((3, 2)), [[1, 2]], mixed(), pl.DataFrame({"a": [1]}), None):
        assert source_of(table) is None
        assert in_memory(table) is table


def test_rows_that_do_not_go_with_the_target_are_refused():
    with pytest.raises(InputError, match=r"40.*39|39.*40"):
        read_remotely(source_of(pl.from_pandas(mixed()).lazy()), 39, ENGINE)


def test_without_a_cluster_data_of_dask_are_read_here_and_lazy_frames_refused():
    dask_frame, dask_array = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
    frame = mixed()[["number", "text", "whole"]]
    y = (frame["number"] ** 2).rename("y")
    expected = MutualInfoSelector(random_state=0).fit(frame, y)
    unread = dask_frame.from_pandas(frame.assign(y=y), npartitions=2)
    found = MutualInfoSelector(random_state=0).fit(unread[list(frame)], unread["y"])
    assert found.selection_ == expected.selection_
    assert list(found.feature_names_in_) == list(frame)
    assert list(found.transform(unread[list(frame)]).compute()) == list(expected.selection_.names)
    array = frame[["number", "whole"]].to_numpy()
    found = MutualInfoSelector(random_state=0).fit(
        dask_array.from_array(array), dask_array.from_array(y.to_numpy())
    )
    assert found.selection_ == MutualInfoSelector(random_state=0).fit(array, y.to_numpy()).selection_
    assert not hasattr(found, "feature_names_in_")
    with pytest.raises(InputError, match="lazy: collect"):
        MutualInfoSelector().fit(pl.from_pandas(frame).lazy(), y)
    lazy = pl.from_pandas(frame).lazy()
    assert expected.transform(lazy).collect().columns == list(expected.selection_.names)
    with pytest.raises(InputError, match="other features than"):
        expected.transform(lazy.select("text", "number", "whole"))


@pytest.mark.parametrize("columns", [["1", 1], [1, 2.5], [pd.Timestamp("2024-05-01"), "a"], ["a", "b"]])
def test_names_and_labels_of_a_frame_of_dask_are_those_of_the_frame(columns):
    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2), columns=pd.Index(columns, dtype=object))
    source = source_of(pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2))
    assert source.names == read_columns(frame).names
    assert source.labels == read_columns(frame).labels
    assert [read_label(label) for label in source.labels or map(written_label, columns)] == columns


def test_an_unread_table_is_transformed_as_one_in_memory_where_there_is_nothing_to_keep():
    table = pl.DataFrame({"a": np.random.default_rng(0).normal(size=40)})
    with pytest.raises(NotFittedError):
        MutualInfoSelector().transform(table.lazy())
    selector = MutualInfoSelector(random_state=0).fit(table, np.random.default_rng(1).normal(size=40))
    assert not selector.selection_.names
    with pytest.warns(DataWarning, match="No features were selected") as said:
        assert selector.transform(table.lazy()).collect_schema().names() == []
    assert [warning.filename for warning in said] == [__file__]


def memory():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell about memory")
def test_what_is_known_of_a_file_is_forgotten_once_a_block_is_read(tmp_path):
    # Of 1,000 columns in 20 groups of rows it is megabytes for each block, and workers hold what they were asked.
    names = [f"x{i}" for i in range(1000)]
    table = pl.DataFrame(np.zeros((200, 1000)), schema=names)
    table.write_parquet(tmp_path / "wide.parquet", row_group_size=10)
    source = source_of(pl.scan_parquet(tmp_path / "wide.parquet"))
    asked = [(source.block(slice(i, i + 10)), tuple(names[i : i + 10])) for i in range(0, 300, 10)]
    sent = [pickle.loads(pickle.dumps(item)) for item in asked]
    read_block(sent[0])
    before = memory()
    for item in sent:
        assert read_block(item)[0].shape == (10, 200)
    assert memory() - before < 60
