"""Commands on a Dask cluster: one of this machine, one that runs already, and none."""

import json
import os
import signal
import subprocess
import sys

import polars as pl
import pytest

from infosift import Selection
from infosift.cli.input_file import read_table
from infosift.cli.options import InputFile
from samples import friedman

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in two Parquet files, with a column of each kind that workers read."""
    X, y = friedman(0, n=60)
    frame = pl.DataFrame(X[:, :6], schema=[f"x{i}" for i in range(6)]).with_columns(
        y=y, flag=X[:, 7] > 0.5, who=pl.Series(range(60)) // 3
    )
    folder = tmp_path_factory.mktemp("parts") / "table"
    folder.mkdir()
    frame[:35].write_parquet(folder / "1.parquet")
    frame[35:].write_parquet(folder / "2.parquet")
    return folder


def run(*words):
    return subprocess.run([sys.executable, "-m", "infosift", *map(str, words)], capture_output=True, text=True)


def evidence(file):
    content = json.loads(file.read_text())
    del content["digest"]
    for step in content.get("steps", []):
        del step["seconds"], step["bytes_sent"]
    return content


def test_a_scheduler_of_this_process_selects_the_same(infosift, folder, tmp_path):
    words = ["select", folder, "--target", "y", "--ignore", "who", "--max-features", 1, "--quiet", "--json"]
    assert infosift(*words, tmp_path / "here").exit_code == 0
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        result = infosift(*words, tmp_path / "workers", "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 0, result.output
    assert evidence(tmp_path / "workers") == evidence(tmp_path / "here")


@pytest.mark.cluster
def test_a_cluster_that_runs_already_selects_the_same(folder, tmp_path):
    words = ["stability", folder, "--target", "y", "--resamples", "4", "--quiet", "--json"]
    assert run(*words, tmp_path / "here").returncode == 0
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        done = run(*words, tmp_path / "workers", "--scheduler", cluster.scheduler_address)
    assert done.returncode == 0, done.stderr
    assert evidence(tmp_path / "workers") == evidence(tmp_path / "here")


@pytest.mark.cluster
def test_workers_of_this_machine_select_the_same(folder, tmp_path):
    words = ["select", folder, "--target", "y", "--groups", "who", "--ignore", "x5", "--quiet"]
    results = ["--csv", tmp_path / "chosen.csv", "--stability", "2", "--report", tmp_path / "report.html"]
    assert run(*words, "--json", tmp_path / "here").returncode == 0
    done = run(*words, "--json", tmp_path / "workers", "--scheduler", "local", "--jobs", "2", *results)
    assert done.returncode == 0, done.stderr
    assert evidence(tmp_path / "workers") == evidence(tmp_path / "here")
    chosen = pl.read_csv(tmp_path / "chosen.csv")
    assert chosen.columns == [*Selection.from_json((tmp_path / "here").read_text()).names, "y"]
    assert len(chosen) == 60
    assert "2 half-samples" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://"])
def test_an_address_where_no_scheduler_answers_is_refused(refused, folder, address, monkeypatch):
    monkeypatch.setattr("infosift.cli.options._SECONDS_TO_CONNECT", 1)
    said = refused("select", folder, "--target", "y", "--scheduler", address)
    assert said.startswith(f"--scheduler {address} is no Dask scheduler that answers: give")


def test_without_dask_a_sentence_says_how_to_get_it(refused, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused("select", folder, "--target", "y", "--scheduler", "local")
    assert said == '--scheduler needs Dask: install it with pip install "infosift[dask]".'


@pytest.mark.cluster
@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_while_workers_work_is_said_in_a_sentence(folder, tmp_path):
    checkpoint = tmp_path / "run.json"
    words = ["select", folder, "--target", "y", "--scheduler", "local", "--jobs", "1", "--checkpoint", checkpoint]
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


def unread(file, categorical=None, **named):
    source = InputFile(file=str(file), target="y", categorical=categorical)
    return read_table(source, **named, by_workers=True)


def test_what_must_be_read_to_be_known_is_not_left_to_workers(folder, tmp_path):
    assert not unread(folder).is_read
    assert unread(folder).names == [*(f"x{i}" for i in range(6)), "flag", "who"]
    assert unread(folder, groups="who").row_groups.to_list() == [i // 3 for i in range(60)]
    frame = pl.read_parquet(folder)
    frame.write_csv(tmp_path / "table.csv")
    assert unread(tmp_path / "table.csv").is_read  # text
    for column in (pl.col("who").cast(pl.String), pl.col("who").cast(pl.Date)):
        frame.with_columns(column).write_parquet(tmp_path / "table.parquet")
        assert unread(tmp_path / "table.parquet").is_read
    frame.with_columns(pl.col("who").cast(pl.String)).write_parquet(tmp_path / "table.parquet")
    assert not unread(tmp_path / "table.parquet", categorical=["who"]).is_read
    assert not unread(tmp_path / "table.parquet", ignore=["who"]).is_read
    assert unread(folder).in_memory().features.equals(frame.drop("y"))


def test_rows_that_workers_refuse_are_counted_from_one_too(refused, folder, tmp_path):
    frame = pl.read_parquet(folder).with_columns(x2=pl.when(pl.int_range(60) == 4).then(None).otherwise("x2"))
    frame.write_parquet(tmp_path / "table.parquet")
    words = ["select", tmp_path / "table.parquet", "--target", "y", "--missing", "error"]
    here = refused(*words)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        assert refused(*words, "--scheduler", cluster.scheduler_address) == here
    assert "in row 5 (the first row is 1)" in here
