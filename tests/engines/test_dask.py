"""A real cluster on this machine: the same bits as threads, whatever happens to its workers."""

import os
import random
import signal
import threading
import time

import joblib
import numpy as np
import pytest

from infosift import Calibrated, Filter, MutualInfoSelector, Published
from infosift.criteria import CRITERIA

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

KILLS = int(os.environ.get("INFOSIFT_KILLS", "3"))


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def with_workers(cluster, client, count):
    cluster.scale(count)
    client.wait_for_workers(count)
    while len(client.scheduler_info(n_workers=-1)["workers"]) != count:
        time.sleep(0.05)


def table(n_rows=80, n_features=12, *, classes=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    X[:, 3] = X[:, 3].round()
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.3 * rng.normal(size=n_rows)
    return X, (y > np.median(y)).astype(int) if classes else y


def on_cluster(X, y, **options):
    with joblib.parallel_config(backend="dask"):
        return MutualInfoSelector(**{"random_state": 0, **options}).fit(X, y).selection_


def here(X, y, **options):
    return MutualInfoSelector(**{"random_state": 0, "n_jobs": 1, **options}).fit(X, y).selection_


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_bits(cluster, client, n_workers):
    with_workers(cluster, client, n_workers)
    for options in (
        {},
        {"method": Published(n_folds=5)},
        {"search": Filter(control="fdr"), "feature_groups": {"two": ["x1", "x9"], "far": ["x0", "x11"]}},
    ):
        X, y = table(classes=n_workers == 2)
        assert on_cluster(X, y, **options) == here(X, y, **options)


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
@pytest.mark.parametrize("method", [Calibrated(n_permutations=99), "published"], ids=["calibrated", "published"])
def test_every_criterion_gives_the_same_bits(client, criterion, method):
    X, y = table(60, 6)
    options = {"criterion": criterion, "method": method, "max_features": 2}
    assert on_cluster(X, y, **options) == here(X, y, **options)


class Killer(threading.Thread):
    """Kills a worker, by the signal that none can catch, after each of some delays."""

    def __init__(self, client, delays):
        super().__init__(daemon=True)
        self.client, self.delays, self.killed = client, delays, 0

    def run(self):
        for delay in self.delays:
            time.sleep(delay)
            pids = list(self.client.run(os.getpid).values())
            os.kill(random.choice(pids), signal.SIGKILL)
            self.killed += 1


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_worker_that_is_killed_changes_nothing(cluster, client, seed):
    with_workers(cluster, client, 2)
    X, y = table(150, 40)
    expected = here(X, y, random_state=seed)
    random.seed(seed)
    killer = Killer(client, [random.uniform(0, 3), random.uniform(0, 3)])
    killer.start()
    found = on_cluster(X, y, random_state=seed)
    killer.join()
    assert killer.killed
    assert found == expected
