"""The experiments of the paper, in their small versions, and what happens where data or tools are missing."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import studies
from infosift.errors import InputError
from studies.__main__ import app
from studies.census import READINGS, columns_of
from studies.data_files import CENSUS, HOUSING, NITROGEN

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ["INFOSIFT_DATA"]) if "INFOSIFT_DATA" in os.environ else None
SMALL = studies.Setting(quick=True, data=DATA, n_jobs=1)


def needs(file):
    there = DATA is not None and (DATA / file.name).exists()
    return pytest.mark.skipif(not there, reason=f"{file.name} is not in INFOSIFT_DATA")


PEERS = ("boruta", "mlxtend", "hidimstat", "knockpy")
needs_peers = pytest.mark.skipif(not all(map(find_spec, PEERS)), reason=f"not all of {PEERS} are installed")


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("friedman", {"forward"}),
        ("sensitivity", {"by-k", "forward-by-k", "bias-variance", "distributions"}),
        pytest.param("housing", {"forward"}, marks=needs(HOUSING)),
        pytest.param("nitrogen", {"forward", "spectra"}, marks=needs(NITROGEN)),
        pytest.param("census", {"forward"}, marks=needs(CENSUS)),
        ("calibration", set()),
        pytest.param("power", set(), marks=needs_peers),
        ("prediction", set()),
        ("criteria", set()),
    ],
)
def test_a_small_version_runs_and_is_written_down(name, figures, tmp_path):
    outcome = studies.run(name, SMALL)
    assert set(outcome.figures) == figures
    outcome.save(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        f"{name}.json",
        f"{name}.md",
        *(f"{name}-{figure}.{kind}" for figure in figures for kind in ("png", "svg")),
    }
    assert json.loads((tmp_path / f"{name}.json").read_text()) == json.loads(json.dumps(outcome.numbers))
    for table in outcome.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_same_study_gives_the_same_numbers():
    assert studies.run("friedman", SMALL).numbers == studies.run("friedman", SMALL).numbers


def test_counts_of_a_table_add_up_to_the_runs():
    outcome = studies.run("friedman", SMALL)
    for table in outcome.tables[:3]:
        ours = [row for row in table.rows if "ours" in row[0]]
        assert len(ours) == 3
        for row in ours:
            assert sum(map(int, row[1:])) == outcome.numbers["n_runs"] == 6


def test_both_readings_have_the_papers_number_of_features():
    names = [f"a{number:03d}_X" for number in range(1, 139)]
    assert {reading: len(columns_of(reading, names)) for reading in READINGS} == {"A": 104, "B": 104}


@needs(NITROGEN)
def test_the_basis_of_the_spectra_is_where_the_paper_has_it():
    from infosift import BSplineBasis

    frame = NITROGEN.read(DATA)
    spectra = frame.select([name for name in frame.columns if name.startswith("wl")]).to_numpy()
    basis = BSplineBasis(range(150, 191)).fit(spectra)
    assert (basis.n_functions_, basis.order_) == (170, 4)


def study(*arguments, **environment):
    runner = CliRunner(env={"COLUMNS": "120", "INFOSIFT_DATA": None, **environment})
    return runner.invoke(app, [*map(str, arguments)])


def test_the_command_prints_the_papers_figures_beside_ours(tmp_path):
    result = study("friedman", "--quick", "--out", tmp_path / "results")
    assert result.exit_code == 0, result.output
    assert "permutation stop, paper (of 100)" in result.stdout
    assert "permutation stop, ours (of 6)" in result.stdout
    assert (tmp_path / "results" / "friedman.json").exists()


def test_says_where_data_can_be_had(tmp_path):
    result = study("housing", "--out", tmp_path / "results")
    assert result.exit_code == 2
    assert not (tmp_path / "results").exists()
    assert "needs boston_housing.csv: give its folder with --data or in INFOSIFT_DATA" in result.stderr
    result = study("census", "--data", tmp_path, "--out", tmp_path)
    assert result.exit_code == 2
    assert f"There is no delve_census_house.csv.gz in {tmp_path}" in " ".join(result.stderr.split())
    assert "Delve" in result.stderr


def test_refuses_another_file_of_that_name(tmp_path):
    pl.DataFrame({"MEDV": [1.0, 2.0]}).write_csv(tmp_path / HOUSING.name)
    with pytest.raises(InputError, match="not the file that the study expects"):
        HOUSING.read(tmp_path)


def test_refuses_a_file_as_folder(tmp_path):
    (tmp_path / "results").write_text("mine")
    result = study("friedman", "--quick", "--out", tmp_path / "results")
    assert result.exit_code == 2
    assert "cannot be a folder for the results" in result.stderr
    assert (tmp_path / "results").read_text() == "mine"


def test_says_that_figures_need_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("infosift.display.plots.canvas.find_spec", lambda name: None)
    result = study("friedman", "--quick", "--out", tmp_path)
    assert result.exit_code == 2
    assert "need matplotlib" in result.stderr


def test_says_that_the_comparison_needs_other_selectors(monkeypatch, tmp_path):
    monkeypatch.setattr("studies.selectors.find_spec", lambda name: None)
    result = study("power", "--quick", "--out", tmp_path)
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert 'needs boruta, mlxtend, hidimstat and knockpy: pip install ".[study]".' in told


def test_a_study_goes_on_from_the_runs_that_are_done(tmp_path):
    results = study("calibration", "--quick", "--out", tmp_path)
    file = tmp_path / "calibration.runs"
    whole = file.read_bytes()
    expected = json.loads((tmp_path / "calibration.json").read_text())
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]) + lines[3][:10])  # ended while the fourth was written
    again = study("calibration", "--quick", "--out", tmp_path)
    assert (results.exit_code, again.exit_code) == (0, 0)
    assert f"{file} has 3 runs of an earlier start" in again.stderr
    assert json.loads((tmp_path / "calibration.json").read_text()) == expected
    assert file.read_bytes() == whole
    file.write_bytes(b"not a run\n" + whole)
    damaged = study("calibration", "--quick", "--out", tmp_path)
    assert damaged.exit_code == 2
    assert "calibration.runs is damaged: remove it to start the study anew." in " ".join(damaged.stderr.split())


@pytest.mark.cluster
def test_workers_of_a_cluster_give_the_same_numbers(tmp_path):
    pytest.importorskip("distributed")
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, words in ((here, ["--jobs", "1"]), (there, ["--scheduler", "local", "--jobs", "2"])):
        command = [sys.executable, "-m", "studies", "calibration", "--quick", "--out", str(folder), *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (there / "calibration.json").read_text() == (here / "calibration.json").read_text()


DONE = []


def run_of(kind, number):
    DONE.append((kind, number))
    return {"number": number, "exact": True}


@pytest.mark.parametrize(
    ("kind", "numbers", "left"), [("a", [1, 2], []), ("a", [2, 3, 1], [3]), ("b", [1], [1]), ("a", [], [])]
)
def test_runs_of_the_file_are_not_done_again_and_others_are(tmp_path, kind, numbers, left):
    for asked in ("a", [1, 2]), (kind, numbers):
        DONE.clear()
        setting = studies.Setting(n_jobs=1, runs=studies.Runs(tmp_path / "study.runs"))
        answers = list(setting.map(partial(run_of, asked[0]), asked[1]))
        assert answers == [{"number": number, "exact": True} for number in asked[1]]
    assert [(kind, number) for number in left] == DONE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_can_be_interrupted(tmp_path):
    folder = tmp_path / "results"
    command = [sys.executable, "-m", "studies", "friedman", "--out", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not folder.exists():  # it is made when the study starts
        assert process.poll() is None
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in told
