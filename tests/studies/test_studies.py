"""The studies in small versions, their command, and what happens where data or packages are missing."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import studies
from infosift import BSplineBasis, Calibrated, InputError, MutualInfoSelector
from studies import calibration, criteria, rbfn, simulated
from studies.__main__ import app
from studies.census import READINGS, columns_of
from studies.data_files import CENSUS, HOUSING, NITROGEN

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ["INFOSIFT_DATA"]) if "INFOSIFT_DATA" in os.environ else None
SMALL = studies.Setting(quick=True, data=DATA, n_jobs=1)
PEERS = ("boruta", "mlxtend", "hidimstat", "knockpy")
FIGURES = {
    "friedman": {"forward"},
    "sensitivity": {"by-k", "forward-by-k", "bias-variance", "distributions"},
    "housing": {"forward"},
    "nitrogen": {"forward", "spectra"},
    "census": {"forward"},
}


def needs(file):
    there = DATA is not None and (DATA / file.name).exists()
    return pytest.mark.skipif(not there, reason=f"{file.name} is not in INFOSIFT_DATA")


NEEDS = {
    "housing": needs(HOUSING),
    "nitrogen": needs(NITROGEN),
    "census": needs(CENSUS),
    "power": pytest.mark.skipif(not all(map(find_spec, PEERS)), reason=f"not all of {PEERS} are installed"),
}


@pytest.fixture(scope="module")
def friedman():
    return studies.run("friedman", SMALL)


def check_files_of(outcome, folder):
    """Tables are rectangular, and what is written is what the study returned."""
    outcome.save(folder)
    assert set(outcome.figures) == FIGURES.get(outcome.name, set())
    assert {file.name for file in folder.iterdir()} == {
        f"{outcome.name}.json",
        f"{outcome.name}.md",
        *(f"{outcome.name}-{figure}.{kind}" for figure in outcome.figures for kind in ("png", "svg")),
    }
    written = (folder / f"{outcome.name}.json").read_text()
    assert json.loads(written) == json.loads(json.dumps(outcome.numbers))
    for table in outcome.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_a_study_is_written_to_a_folder(friedman, tmp_path):
    check_files_of(friedman, tmp_path)


def test_counts_of_a_table_add_up_to_the_runs(friedman):
    for table in friedman.tables[:3]:
        ours = [row for row in table.rows if "ours" in row[0]]
        assert len(ours) == 3
        for row in ours:
            assert sum(map(int, row[1:])) == friedman.numbers["n_runs"] == 6


@pytest.mark.simulation
def test_the_same_study_gives_the_same_numbers(friedman):
    assert studies.run("friedman", SMALL).numbers == friedman.numbers


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in studies.NAMES if name != "friedman"]
)
def test_a_small_version_runs(name, tmp_path):
    check_files_of(studies.run(name, SMALL), tmp_path)


def test_a_situation_of_the_calibration_is_counted():
    sample = partial(simulated.friedman, n=60, n_copies=1)
    counted = ("any", "clean", "all", "exact", "redundant", "repeated", "groups")
    means = calibration.count(calibration.Situation("small", sample, 1, counted, ""), 1)
    drawn = sample(0)
    method = Calibrated(null="residual")
    selector = MutualInfoSelector(method=method, missing="partial", random_state=0, n_jobs=1).fit(drawn.X, drawn.y)
    selected = set(selector.selection_.indices)
    assert selected
    assert means["any"] == 1
    assert means["clean"] == (selected <= drawn.truth)
    assert means["groups"] == len({3 if column == 10 else column for column in selected} & drawn.truth)
    assert means["redundant"] == means["repeated"] == ({3, 10} <= selected)


def test_a_cell_of_the_criteria_is_counted():
    counts = criteria.cell("the paper's problem", "gaussian-copula", "filter", n_runs=1)
    assert 0 < counts["informative"] <= 5
    assert counts["runs"] == 1
    (table, seconds) = criteria.outcome({"the paper's problem": {"gaussian-copula": {"filter": counts}}}).tables
    assert table.rows == (("gaussian-copula", f"{counts['informative']:.1f} / {counts['others']:.1f} / 0"),)
    assert seconds.columns == ("criterion", "filter")


def test_sets_of_features_are_compared_by_the_test_error_of_the_network():
    X, y = simulated.draw_friedman(0, 90)
    frame = pl.DataFrame(X[:, :4], schema=list("abcd"))
    selector = MutualInfoSelector(method="published", random_state=0, n_jobs=1)
    found = rbfn.compare((frame[:60], y[:60]), (frame[60:], y[60:]), selector, cv=2, seed=0)
    assert tuple(found.rmse) == rbfn.SETS
    model = rbfn.RBFNRegressor(cv=2, random_state=0).fit(X[:60, :4], y[:60])
    assert found.rmse["all"] == pytest.approx(np.sqrt(np.mean((y[60:] - model.predict(X[60:, :4])) ** 2)))
    table = rbfn.errors_over_splits("title", [found, found], dict.fromkeys(("selected", "peak", "all"), ("", "")))
    assert [row[0] for row in table.rows] == list(rbfn.SETS)
    assert table.rows[2][2] == "4"
    assert rbfn.verdict([found], ["split 0"]).startswith("Mean test error of the selected features")


def test_both_readings_have_the_papers_number_of_features():
    names = [f"a{number:03d}_X" for number in range(1, 139)]
    assert {reading: len(columns_of(reading, names)) for reading in READINGS} == {"A": 104, "B": 104}


@needs(NITROGEN)
def test_the_basis_of_the_spectra_is_where_the_paper_has_it():
    frame = NITROGEN.read(DATA)
    spectra = frame.select([name for name in frame.columns if name.startswith("wl")]).to_numpy()
    basis = BSplineBasis(range(150, 191)).fit(spectra)
    assert (basis.n_functions_, basis.order_) == (170, 4)


def study(*arguments, **environment):
    runner = CliRunner(env={"COLUMNS": "120", "INFOSIFT_DATA": None, **environment})
    return runner.invoke(app, [*map(str, arguments)])


def test_the_command_prints_the_papers_figures_next_to_ours(friedman, tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "run", lambda name, setting: friedman)
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
    message = " ".join(result.stderr.split())
    assert 'needs boruta, mlxtend, hidimstat and knockpy: pip install ".[study]".' in message


DONE = []


def run_of(kind, number):
    DONE.append((kind, number))
    return {"number": number, "exact": True}


def resumed(file, kind, numbers):
    """Results of a study with the runs of a file, and the runs that were executed for them."""
    DONE.clear()
    setting = studies.Setting(n_jobs=1, runs=studies.Runs(file))
    return list(setting.map(partial(run_of, kind), numbers)), list(DONE)


@pytest.mark.parametrize(
    ("kind", "numbers", "left"), [("a", [1, 2], []), ("a", [2, 3, 1], [3]), ("b", [1], [1]), ("a", [], [])]
)
def test_runs_of_the_file_are_not_repeated_and_others_are(tmp_path, kind, numbers, left):
    resumed(tmp_path / "study.runs", "a", [1, 2])
    results, executed = resumed(tmp_path / "study.runs", kind, numbers)
    assert results == [{"number": number, "exact": True} for number in numbers]
    assert executed == [(kind, number) for number in left]


def test_a_run_that_was_being_written_is_repeated_and_a_damaged_file_refused(tmp_path):
    file = tmp_path / "study.runs"
    resumed(file, "a", [1, 2, 3, 4])
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]) + lines[3][:10])  # killed while the fourth was written
    assert studies.Runs(file).n_before == 3
    _, executed = resumed(file, "a", [1, 2, 3, 4])
    assert executed == [("a", 4)]
    assert file.read_bytes() == whole
    file.write_bytes(b"not a run\n" + whole)
    with pytest.raises(InputError, match=r"study\.runs is damaged: remove it to start the study anew\."):
        studies.Runs(file)


@pytest.mark.simulation
def test_the_command_resumes_a_study(tmp_path):
    results = study("calibration", "--quick", "--out", tmp_path)
    file = tmp_path / "calibration.runs"
    expected, whole = (tmp_path / "calibration.json").read_text(), file.read_bytes()
    file.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    again = study("calibration", "--quick", "--out", tmp_path)
    assert (results.exit_code, again.exit_code) == (0, 0)
    assert f"{file} has 3 runs of an earlier start" in again.stderr
    assert (tmp_path / "calibration.json").read_text() == expected
    assert file.read_bytes() == whole


@pytest.mark.cluster
def test_workers_of_a_cluster_give_the_same_numbers(tmp_path):
    pytest.importorskip("distributed")
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, words in ((here, ["--jobs", "1"]), (there, ["--scheduler", "local", "--jobs", "2"])):
        command = [sys.executable, "-m", "studies", "calibration", "--quick", "--out", str(folder), *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (there / "calibration.json").read_text() == (here / "calibration.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_can_be_interrupted(tmp_path):
    folder = tmp_path / "results"
    command = [sys.executable, "-m", "studies", "friedman", "--out", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not folder.exists():  # created when the study starts
        assert process.poll() is None
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in message


def test_results_are_whole_or_not_there(tmp_path, monkeypatch):
    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        studies.Outcome("trial", (), {"a": 1}).save(tmp_path)
    assert not list(tmp_path.iterdir())
