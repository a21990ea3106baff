"""A real cluster on this machine: the same bits as threads, whatever happens to its workers."""

import os
import random
import signal
import sys
import threading
import time

import joblib
import numpy as np
import pytest

from infosift import Calibrated, Filter, InputError, MutualInfoSelector, Published, selection_stability
from infosift.criteria.ksg import KSG
from infosift.engines import ThreadEngine
from infosift.engines.base import ColumnBlocks, Question
from infosift.registry import CRITERIA
from workers import Killer, with_workers

distributed = pytest.importorskip("distributed")
from infosift.engines.dask import DaskEngine  # noqa: E402  # it needs what may not be there

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

KILLS = int(os.environ.get("INFOSIFT_KILLS", "3"))


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def table(n_rows=80, n_features=12, *, classes=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    X[:, 3] = X[:, 3].round()
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 0] + 0.3 * rng.normal(size=n_rows)
    return X, (y > np.median(y)).astype(int) if classes else y


def on_cluster(X, y, groups=None, **options):
    with joblib.parallel_config(backend="dask"):
        return MutualInfoSelector(**{"random_state": 0, **options}).fit(X, y, groups).selection_


def here(X, y, groups=None, **options):
    return MutualInfoSelector(**{"random_state": 0, "n_jobs": 1, **options}).fit(X, y, groups).selection_


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


def test_row_groups_give_the_same_bits(cluster, client):
    with_workers(cluster, client, 2)
    (X, y), groups = table(), np.repeat(np.arange(20), 4)
    found = on_cluster(X, y, groups)
    assert found == here(X, y, groups)
    assert len(found.names) > 1  # so that some features were looked at beside others


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
@pytest.mark.parametrize("method", [Calibrated(n_permutations=99), "published"], ids=["calibrated", "published"])
def test_every_criterion_gives_the_same_bits(client, criterion, method):
    X, y = table(60, 6)
    options = {"criterion": criterion, "method": method, "max_features": 2}
    assert on_cluster(X, y, **options) == here(X, y, **options)


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_worker_that_is_killed_changes_nothing(cluster, client, seed):
    with_workers(cluster, client, 2)
    X, y = table(150, 40)
    expected = here(X, y, random_state=seed)
    random.seed(seed)
    killer = Killer(client, [random.uniform(0, 3)])
    killer.start()
    found = on_cluster(X, y, random_state=seed)
    killer.join()
    assert killer.killed
    assert found == expected


def test_a_killed_worker_that_held_the_table_is_replaced_by_one_that_comes_late(cluster, client):
    with_workers(cluster, client, 1)
    engine = DaskEngine(client)
    columns = np.random.default_rng(0).normal(size=(30, 50))
    target = np.random.default_rng(1).normal(size=(1, 50))
    question = Question(columns, columns[:0], target, picked=list(range(30)))
    expected = KSG().score([question], (3, 5), ThreadEngine(1))[0]
    np.testing.assert_array_equal(KSG().score([question], (3, 5), engine)[0], expected)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    np.testing.assert_array_equal(KSG().score([question], (3, 5), engine)[0], expected)
    with_workers(cluster, client, 3)
    np.testing.assert_array_equal(KSG().score([question], (3, 5), engine)[0], expected)


def test_the_record_says_how_many_bytes_a_step_sent(client):
    X, y = table(100, 300)
    steps = on_cluster(X, y, max_features=2).steps
    assert steps[0].bytes_sent > X.nbytes > steps[1].bytes_sent > 100 * 8
    assert all(step.bytes_sent is None for step in here(X, y, max_features=2).steps)


def doubled(columns):
    return 2 * columns


def test_columns_that_lie_with_workers_are_scored_there(client):
    columns, target = np.random.default_rng(0).normal(size=(30, 4000)), np.ones((1, 4000))
    picked, found = [29, 3, 4, 5, 0], []
    for engine in (ThreadEngine(1), DaskEngine(client)):
        blocks = engine.persist(doubled, (columns[:4], columns[4:20], columns[20:]))
        question = Question(ColumnBlocks((0, 4, 20), tuple(blocks)), columns[:1], target, picked)
        found.append(engine.score(sums, [question, question]))
    np.testing.assert_array_equal(found[0][0][:, 0], 2 * columns[picked].sum(axis=1) + columns[0].sum() + 4000)
    np.testing.assert_array_equal(found[1], found[0])
    assert engine.bytes_sent < columns.nbytes + 8 * (target.nbytes + columns[:1].nbytes)


def sums(candidates, given, target, n_threads):
    return np.array([[own.sum() + given.sum() + target.sum()] for own in candidates])


def noted(item, folder):
    (folder / f"{item}-{time.monotonic_ns()}").touch()
    if item == 3:
        raise InputError("Column three is no good.")
    return item**2


def test_an_error_of_the_data_is_raised_once_and_not_tried_again(client, tmp_path):
    engine = DaskEngine(client)
    assert list(engine.map(noted, [1, 2, 4], tmp_path)) == [1, 4, 16]
    with pytest.raises(InputError, match="Column three is no good"):
        list(engine.map(noted, [3], tmp_path))
    assert len(list(tmp_path.glob("3-*"))) == 1


def test_why_the_work_has_ended_is_heard_where_nobody_can_be_told(client, tmp_path, monkeypatch):
    def nobody_there(futures):
        raise RuntimeError("Client is closed.")

    monkeypatch.setattr(client, "cancel", nobody_there)
    with pytest.raises(InputError, match="Column three is no good"):
        list(DaskEngine(client).map(noted, list(range(40)), tmp_path))


def pages_asked_for(item):
    """Return how many pages the system gives to arrays that are gone at once, after the first of them."""
    import resource  # not on every system

    counts = []
    for _ in range(item + 1):
        np.ones(250_000)
        counts.append(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt)
    return counts[-1] - counts[0]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are not told")
def test_workers_hold_on_to_memory_for_the_next_array(client):
    assert next(DaskEngine(client).map(pages_asked_for, [100])) < 100 * 250_000 * 8 / 4096 / 10


def slowly(item, folder):
    (folder / str(item)).touch()
    time.sleep(1)
    return item


def test_whoever_waits_is_told_so_and_may_end_the_work(client, tmp_path):
    told = []
    assert list(DaskEngine(client, told.append).map(slowly, [0], tmp_path)) == [0]
    assert len(told) > 2

    def enough(count):
        raise EnoughError

    with pytest.raises(EnoughError):
        list(DaskEngine(client, enough).map(slowly, range(100), tmp_path))
    assert len(list(tmp_path.iterdir())) < 50


class EnoughError(Exception):
    """Ends the work."""


def test_a_time_limit_ends_a_run_with_what_is_decided(client):
    X, y = table(150, 40)
    selection = on_cluster(X, y, time_limit=0.3)
    assert selection.is_partial


def test_half_samples_are_selected_on_by_the_workers(client, tmp_path):
    X, y = table(60, 6)
    options = {"n_resamples": 6, "random_state": 0}
    expected = selection_stability(MutualInfoSelector(), X, y, n_jobs=1, **options)
    checkpoint = tmp_path / "halves.json"
    with joblib.parallel_config(backend="dask"):
        half = selection_stability(
            MutualInfoSelector(), X, y, checkpoint=checkpoint, random_state=0, n_resamples=2
        )
        assert half.n_resamples == 2
        assert selection_stability(MutualInfoSelector(), X, y, checkpoint=checkpoint, **options) == expected


def test_a_cluster_without_workers_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr("infosift.engines.dask.DaskEngine.seconds_for_workers", 1)
    with (
        distributed.LocalCluster(n_workers=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        with_workers(cluster, client, 0)
        with pytest.raises(InputError, match="had no worker for 1 seconds: start workers"):
            DaskEngine(client)


def test_a_lost_scheduler_is_said_and_the_checkpoint_goes_on(tmp_path):
    X, y = table(150, 40)
    expected, checkpoint = here(X, y), tmp_path / "run.json"
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        client = distributed.Client(cluster, timeout=2)

        def close():
            while not checkpoint.exists():
                time.sleep(0.02)
            cluster.close()

        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        with pytest.raises(
            InputError, match=r"connection to the Dask cluster was lost .*: start again with the same"
        ):
            on_cluster(X, y, checkpoint=checkpoint)
        closing.join()
        client.close()
    assert here(X, y, checkpoint=checkpoint) == expected
