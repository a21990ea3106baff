"""Which engine is active, and a small cluster: the same bits as here, from a table in memory and from a file."""

import joblib
import numpy as np
import polars as pl
import pytest

from infosift import Calibrated, InputError, MutualInfoSelector
from infosift.engines import ThreadEngine, active_engine

distributed = pytest.importorskip("distributed")
from infosift.engines.dask import DaskEngine  # noqa: E402  # it needs what may not be there

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def select(X, y, **options):
    return MutualInfoSelector(method=Calibrated(n_permutations=39), random_state=0, **options).fit(X, y).selection_


def test_one_job_is_one_thread_here(client):
    with joblib.parallel_config(backend="dask"):
        assert isinstance(active_engine(None), DaskEngine)
        assert isinstance(active_engine(1), ThreadEngine)
    assert isinstance(active_engine(None), ThreadEngine)


def engine_there(item):
    with joblib.parallel_config(backend="dask"):
        return type(active_engine(None)).__name__


def test_a_selection_within_a_task_stays_with_its_worker(client):
    assert client.submit(engine_there, 0, pure=False).result() == "ThreadEngine"


def test_a_small_cluster_gives_the_same_bits(client, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    frame = pl.DataFrame(X, schema=list("abcdef")).with_columns(y=X[:, 0] + X[:, 1] ** 2)
    expected = select(frame.drop("y"), frame["y"])
    frame.write_parquet(tmp_path / "table.parquet")
    unread = pl.scan_parquet(tmp_path / "table.parquet")
    with joblib.parallel_config(backend="dask"):
        assert select(frame.drop("y"), frame["y"]) == expected
        assert select(unread.drop("y"), unread.select("y")) == expected
        with pytest.raises(InputError, match="inconsistent numbers of samples"):
            select(unread.drop("y"), frame["y"][:50])
