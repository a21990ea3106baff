"""Pages that quote studies: tables and figures are those of the files which the studies wrote."""

import re

import pytest

pytest.importorskip("sklearn", minversion="1.8", reason="benchmarks need scikit-learn 1.8")

from benchmarks import pages, results
from benchmarks.claims import CLAIMS, Claim
from benchmarks.results import ROOT

from infosift.studies import power


@pytest.mark.parametrize("name", CLAIMS)
def test_pages_say_what_the_files_say(name):
    assert pages.written(name) == (ROOT / name).read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_files(tmp_path, monkeypatch):
    before = pages.PICTURE.read_text(encoding="utf-8")
    monkeypatch.setattr(pages, "PICTURE", tmp_path / "power.svg")
    pages.draw()
    assert labels_of(pages.PICTURE.read_text(encoding="utf-8")) == labels_of(before)


def labels_of(picture):
    return re.findall(r"<text[^>]*>([^<]+)</text>", picture)


def test_a_claim_finds_its_figures_across_lines_and_leaves_the_rest():
    claim = Claim("in {} to {} % of runs, Boruta in {} %", lambda: (7, "1.5", 30))
    page = "It does so 5 times, in 75\n  to 9,700 % of runs,\nBoruta in 2 %. The 4th."
    assert claim.written(page) == "It does so 5 times, in 7\n  to 1.5 % of runs,\nBoruta in 30 %. The 4th."
    with pytest.raises(SystemExit, match="does not say"):
        claim.written("Nothing of the kind.")
    with pytest.raises(SystemExit, match="There are 1 figures"):
        Claim("in {} of {}", lambda: [1]).written("in 3 of 4")


def test_tables_and_figures_of_studies_take_the_place_of_those_in_pages(tmp_path, monkeypatch):
    cell = {"all": 1.0, "clean": 0.95, "exact": 0.95, "CPU seconds": 0.2, "runs": 20}
    table, *_ = power.outcome({"100": {"linear": {"calibrated": cell, "Boruta": cell}}}).tables
    page = "Text with 3 of 4.\n\n{}\n\nMore, and **bold**.\n\n**Another**\n\n| a |\n| --- |\n"
    before = table.to_markdown().replace("95 (", "90 (")
    (tmp_path / "page.md").write_text(page.format(before), encoding="utf-8")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "CLAIMS", {"page.md": (Claim("with {} of", lambda: [7]),)})
    monkeypatch.setattr(pages, "tables", lambda: {table.title: f"{table.to_markdown()}\n"})
    assert pages.written("page.md") == page.format(table.to_markdown()).replace("3 of 4", "7 of 4")


def test_a_study_that_was_not_run_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match=r"power\.json is not there: infosift study power --out"):
        results.numbers_of.__wrapped__("power")
