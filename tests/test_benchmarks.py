"""The benchmarks run, in tiny sizes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", minversion="1.8", reason="benchmarks need scikit-learn 1.8")


def smoke_run(folder, *words):
    command = [sys.executable, "-m", "benchmarks", "--smoke", "--out", str(folder), *words]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "benchmarks.json").read_text())


def test_some_of_the_benchmarks_can_be_run(tmp_path):
    content = smoke_run(tmp_path, "--only", "one-column", "given", "criteria")
    assert {"scikit-learn", "SciPy KD-tree", "infosift, ksg"} <= {result["peer"] for result in content["results"]}
    assert content["growth"] == {}


@pytest.mark.endurance
def test_a_smoke_run_of_the_benchmarks(tmp_path):
    content = smoke_run(tmp_path)
    peers = {result["peer"] for result in content["results"]}
    assert {
        "scikit-learn",
        "SciPy KD-tree",
        "tigramite",
        "infosift, one thread",
        "infosift, ksg",
        "infosift, once",
    } <= peers
    assert {
        "scikit-learn sequential",
        "Boruta",
        "mlxtend sequential",
        "L1 path",
        "mRMR, given the number",
    } <= peers
    for result in content["results"]:
        assert result["ratio"] is None or result["ratio"] > 0
        assert (result["ratio"] is None) == ("not installed" in result["note"]), result
    selections = [result["work"] for result in content["results"] if "selection" in result["work"]]
    assert {work.split()[0] for work in selections} == {"published", "default"}
    assert set(content["growth"]) == {"one column", "given 3 columns"}
    (table,) = json.loads((tmp_path / "large.json").read_text())["large tables"]
    assert (table["rows"], table["features"]) == (300, 6)
    assert table["seconds"] > 0
    assert table["peak megabytes"] > 0
    assert table["selected"] > 0
