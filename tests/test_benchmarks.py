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
    content = json.loads((tmp_path / "results.json").read_text())
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


def test_tables_of_studies_take_the_place_of_those_in_pages(tmp_path, monkeypatch):
    from benchmarks import pages

    from infosift.studies import power

    cell = {"all": 1.0, "clean": 0.95, "exact": 0.95, "CPU seconds": 0.2, "runs": 20}
    table, *_ = power.outcome({"100": {"linear": {"calibrated": cell, "Boruta": cell}}}).tables
    page = tmp_path / "page.md"
    before = table.to_markdown().replace("95 (", "90 (")
    page.write_text(
        f"Text.\n\n{before}\n\nMore, and **bold**.\n\n**Another**\n\n| a |\n| --- |\n", encoding="utf-8"
    )
    monkeypatch.setattr(pages, "PAGES", (page,))
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match="infosift study power"):
        pages.main()
    monkeypatch.setattr(pages, "tables", lambda: {table.title: f"{table.to_markdown()}\n"})
    monkeypatch.setattr(
        pages, "numbers_of", lambda study: {"rows": {"100": {"linear": {"calibrated": cell, "Boruta": cell}}}}
    )
    monkeypatch.setattr(pages, "PICTURE", tmp_path / "power.svg")
    pages.main()
    after = page.read_text(encoding="utf-8")
    assert after == f"Text.\n\n{table.to_markdown()}\n\nMore, and **bold**.\n\n**Another**\n\n| a |\n| --- |\n"
    assert set(pages.tables_of(after)) == {table.title, "Another"}
    drawn = pages.PICTURE.read_text(encoding="utf-8")
    assert "linear" in drawn
    assert drawn.count(">95<") == 2
    assert "infosift: 20 runs, others: 20" in drawn
