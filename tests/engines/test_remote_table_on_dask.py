"""Tables that the workers of a real cluster read: the same bits, little that travels, no worker past its limit."""

import os
import random

import joblib
import numpy as np
import polars as pl
import pytest

from infosift import Calibrated, InputError, MutualInfoSelector, Published
from workers import Killer, with_workers

dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

MEGABYTE = 10**6
# Of the table on which memory is measured; a real one is asked for with INFOSIFT_MEGABYTES=2000.
MEGABYTES = int(os.environ.get("INFOSIFT_MEGABYTES", "3"))
# Python and packages take more than a third of so little memory, so that Dask is to move data to disk early.
LIMIT, WHEN_TO_SPILL = 600, {"target": 0.05, "spill": 0.8, "pause": 0.9}


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def mixed(n_rows=150, n_numbers=30):
    """Numbers, some with gaps or on a grid, a constant, a copy, text, a flag and categories."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_numbers))
    X[:, 3] = X[:, 3].round()
    X[:, 4] = 7
    X[:, 6] = 2 * X[:, 5] + 1
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.3 * rng.normal(size=n_rows)
    text, flag = rng.choice(["low", "middle", "high"], size=n_rows), rng.uniform(size=n_rows) > 0.5
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(n_numbers)]).with_columns(
        text=pl.Series(text), flag=pl.Series(flag), kind=pl.Series(text[::-1].tolist()).cast(pl.Categorical)
    )
    return frame.with_columns(y=y + flag + (text == "low"))


def with_gaps(frame):
    rng = np.random.default_rng(1)
    return frame.with_columns(
        pl.when(pl.Series(rng.uniform(size=len(frame)) < 0.05)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("x0", "x5", "text")
    )


def selected(X, y, **options):
    return MutualInfoSelector(**{"random_state": 0, **options}).fit(X, y).selection_


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": Published(n_folds=5), "max_features": 2},
        {"search": "filter", "scale": "rank"},
        {"scale": "none", "ignore": ["x7", "text"], "keep": "x8", "feature_groups": {"two": ["x1", "x29"]}},
        {"search": "backward", "ignore": [f"x{i}" for i in range(3, 30)], "method": Calibrated(n_permutations=99)},
        {"missing": "drop"},
        {"missing": "partial", "method": Calibrated(n_permutations=99), "max_features": 3},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
def test_a_parquet_file_gives_the_same_bits(client, tmp_path, monkeypatch, options):
    frame = with_gaps(mixed()) if "missing" in options else mixed()
    frame.write_parquet(tmp_path / "table.parquet")
    unread = pl.scan_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr("infosift.engines.dask.fitting_block_bytes", lambda client: 8 * 150 * 16)
    with joblib.parallel_config(backend="dask"):
        found = selected(unread.drop("y"), unread.select("y"), **options)
    assert found == selected(frame.drop("y"), frame["y"], **options)


@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
def test_collections_of_dask_give_the_same_bits_without_a_word_about_them(client):
    dask_frame, dask_array = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
    frame = mixed(100, 12).to_pandas()
    unread = dask_frame.from_pandas(frame, npartitions=3)
    columns = [name for name in frame if name != "y"]
    assert selected(unread[columns], unread["y"]) == selected(frame[columns], frame["y"])
    numbers = frame[[f"x{i}" for i in range(12)]].to_numpy()
    X, y = dask_array.from_array(numbers, chunks=(40, 5)), frame["y"].to_numpy()
    assert selected(X, dask_array.from_array(y, chunks=50), n_jobs=1) == selected(numbers, y)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore::infosift.DataWarning")
def test_a_worker_that_is_killed_is_no_loss_of_what_it_read(cluster, client, tmp_path, seed):
    with_workers(cluster, client, 2)
    frame = mixed(200, 60)
    frame.write_parquet(tmp_path / "table.parquet")
    unread = pl.scan_parquet(tmp_path / "table.parquet")
    expected = selected(frame.drop("y"), frame["y"])
    random.seed(seed)
    killer = Killer(client, [random.uniform(0, 3)])
    killer.start()
    with joblib.parallel_config(backend="dask"):
        found = selected(unread.drop("y"), frame["y"])
    killer.join()
    assert killer.killed
    assert found == expected


def test_bad_values_are_refused_as_of_a_table_in_memory(client):
    frame = with_gaps(mixed(60))
    with pytest.raises(InputError) as here:
        selected(frame.drop("y"), frame["y"], missing="error")
    with joblib.parallel_config(backend="dask"), pytest.raises(InputError) as there:
        selected(frame.lazy().drop("y"), frame["y"], missing="error")
    assert str(there.value) == str(here.value)
    with joblib.parallel_config(backend="dask"), pytest.raises(InputError, match=r"60.*50|50.*60"):
        selected(frame.lazy().drop("y"), frame["y"][:50])


def peak_memory():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / MEGABYTE


def write_large(file, n_rows, n_features):
    """Write noise and five features that matter, in parts, so that nobody needs memory for all of it."""
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    a, b, c, d, e = five = rng.normal(size=(5, n_rows))
    y = a + b**2 + c * a + 2 * np.sin(2 * d) + e + 0.3 * rng.normal(size=n_rows)
    schema = arrow.schema([(name, arrow.float64()) for name in ("y", *(f"x{i}" for i in range(n_features)))])
    with parquet.ParquetWriter(file, schema, compression="none", use_dictionary=False) as writer:
        for rows in np.array_split(np.arange(n_rows), 8):
            noise = rng.normal(size=(n_features - 5, len(rows)))
            writer.write_table(arrow.table([y[rows], *five[:, rows], *noise], schema=schema))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell about memory")
def test_a_table_larger_than_workers_may_be_is_read_in_parts(tmp_path):
    n_rows = 100 * MEGABYTES if MEGABYTES > 100 else 400
    write_large(tmp_path / "table.parquet", n_rows, MEGABYTES * MEGABYTE // (8 * n_rows))
    unread, before = pl.scan_parquet(tmp_path / "table.parquet"), peak_memory()
    with (
        dask.config.set({f"distributed.worker.memory.{name}": share for name, share in WHEN_TO_SPILL.items()}),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", memory_limit=f"{LIMIT}MB"
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        workers = set(client.run(os.getpid).values())
        selection = selected(unread.drop("y"), unread.select("y"))
        peaks, alive = client.run(peak_memory).values(), set(client.run(os.getpid).values())
    print(f"driver {before:.0f} to {peak_memory():.0f} MB, workers", sorted(map(round, peaks)))
    assert sorted(selection.names) == [f"x{i}" for i in range(5)]
    assert alive == workers  # none was started again for having passed its limit
    assert max(peaks) < LIMIT
    assert selection.steps[0].bytes_sent < MEGABYTES * MEGABYTE / 4
