import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", minversion="1.8", reason="benchmarks need scikit-learn 1.8")


def test_a_smoke_run_of_the_benchmarks(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "--smoke", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "benchmarks.json").read_text())
    peers = {result["peer"] for result in content["results"]}
    assert {
        "scikit-learn",
        "SciPy KD-tree",
        "tigramite",
        "infosift, one thread",
        "infosift, ksg",
        "infosift, once",
    } <= peers
    assert {"scikit-learn sequential", "Boruta", "mlxtend sequential", "L1 path", "mRMR, told the number"} <= peers
    for result in content["results"]:
        assert result["ratio"] is None or result["ratio"] > 0
        assert (result["ratio"] is None) == ("not installed" in result["note"]), result
    selections = [result["work"] for result in content["results"] if "selection" in result["work"]]
    assert {work.split()[0] for work in selections} == {"published", "default"}
    assert set(content["growth"]) == {"one column", "beside 3 columns"}
    (table,) = json.loads((tmp_path / "large.json").read_text())["large tables"]
    assert (table["rows"], table["features"]) == (300, 6)
    assert table["seconds"] > 0
    assert table["peak megabytes"] > 0
    assert table["selected"] > 0
