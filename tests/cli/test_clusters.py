"""Commands on a Dask cluster: one of this machine, one that runs already, and none."""

import json
import os
import signal
import subprocess
import sys

import polars as pl
import pytest
from typer.testing import CliRunner

from infosift.cli import app, clusters
from samples import friedman

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    X, y = friedman(0, n=60)
    file = tmp_path_factory.mktemp("cluster") / "table.csv"
    pl.DataFrame(X[:, :6], schema=[f"x{i}" for i in range(6)]).with_columns(y=y).write_csv(file)
    return file


def run(*words):
    return subprocess.run([sys.executable, "-m", "infosift", *map(str, words)], capture_output=True, text=True)


def evidence(file):
    content = json.loads(file.read_text())
    del content["seal"]
    for step in content.get("steps", []):
        del step["seconds"], step["bytes_sent"]
    return content


def test_workers_of_this_machine_select_the_same(file, tmp_path):
    for where, words in (("here", []), ("workers", ["--scheduler", "local", "--jobs", "2"])):
        done = run("select", file, "--target", "y", "--json", tmp_path / where, *words)
        assert done.returncode == 0, done.stderr
    assert evidence(tmp_path / "workers") == evidence(tmp_path / "here")


def test_a_cluster_that_runs_already_selects_the_same(file, tmp_path):
    words = ["stability", file, "--target", "y", "--resamples", "4", "--quiet", "--json"]
    assert run(*words, tmp_path / "here").returncode == 0
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        done = run(*words, tmp_path / "workers", "--scheduler", cluster.scheduler_address)
    assert done.returncode == 0, done.stderr
    assert evidence(tmp_path / "workers") == evidence(tmp_path / "here")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://"])
def test_an_address_where_no_scheduler_answers_is_refused(file, address, monkeypatch):
    monkeypatch.setattr(clusters, "_SECONDS_TO_CONNECT", 1)
    found = CliRunner().invoke(app, ["select", str(file), "--target", "y", "--scheduler", address])
    assert found.exit_code == 2
    assert f"--scheduler {address} is no Dask scheduler that answers: give" in " ".join(found.output.split())


def test_without_dask_a_sentence_says_how_to_get_it(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = CliRunner().invoke(app, ["select", str(file), "--target", "y", "--scheduler", "local"])
    assert found.exit_code == 2
    assert '--scheduler needs Dask: install it with pip install "infosift[dask]".' in " ".join(
        found.output.split()
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_while_workers_work_is_said_in_a_sentence(file, tmp_path):
    checkpoint = tmp_path / "run.json"
    words = ["select", file, "--target", "y", "--scheduler", "local", "--jobs", "1", "--checkpoint", checkpoint]
    process = subprocess.Popen(
        [sys.executable, "-m", "infosift", *map(str, words)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not checkpoint.exists() and process.poll() is None:
        pass
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it too
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "Interrupted" in said
