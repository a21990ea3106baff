"""Pages that quote studies and benchmarks: tables and figures are those of the files which these wrote."""

import re

import pytest

pytest.importorskip("sklearn", minversion="1.8", reason="benchmarks need scikit-learn 1.8")

from benchmarks.pages import __main__ as pages
from benchmarks.pages import results
from benchmarks.pages.claims import Claim, Page
from benchmarks.pages.tables import tables
from studies import power

WITHOUT_OTHER_FIGURES = ("README.md", "docs/comparison.md")


@pytest.mark.parametrize("path", pages.PAGES)
def test_pages_say_what_the_files_say(path):
    assert pages.written(path) == pages.text_of(path)


@pytest.mark.parametrize("path", WITHOUT_OTHER_FIGURES)
def test_every_number_comes_from_a_file_or_is_given(path):
    assert pages.PAGES[path].unaccounted(pages.text_of(path), tables()) == []


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


def test_tables_and_figures_of_studies_take_the_place_of_those_in_pages():
    cell = {"all": 1.0, "clean": 0.95, "exact": 0.95, "CPU seconds": 0.2, "runs": 20}
    table, *_ = power.outcome({"100": {"linear": {"calibrated": cell, "Boruta": cell}}}).tables
    text = "Text with 3 of 4.\n\n{}\n\nMore, and **bold**.\n\n**Another**\n\n| a |\n| --- |\n"
    before = table.to_markdown().replace("95 (", "90 (")
    page = Page("page.md", (Claim("with {} of", lambda: [7]),))
    written = page.written(text.format(before), {table.title: f"{table.to_markdown()}\n"})
    assert written == text.format(table.to_markdown()).replace("3 of 4", "7 of 4")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("In 12 % of runs.", []),
        ("At a level of 5 %,\nas said.", []),
        ("In 12 % of runs, 3 of them late.", ["3"]),
        ("In 12 % of runs, twice as many, or two thirds.", ["twice", "two", "third"]),
        ("**Known**\n\n| a | 3 |\n| --- | --- |\n\nText.", []),
        ("**Unknown**\n\n| a | 3 |\n| --- | --- |\n\nText.", ["3"]),
        ("```python\nx = 3\n```\n\n`n = 4`, [a link](page-5.md)", []),
    ],
)
def test_numbers_that_nothing_accounts_for_are_found(text, numbers):
    page = Page("page.md", (Claim("In {} % of runs", lambda: [12]),), given=("At a level of 5 %, as said",))
    text += "" if "In 12" in text else "\n\nIn 12 % of runs."
    text += "" if "At a" in text else "\n\nAt a level of 5 %, as said."
    found = page.unaccounted(text, {"Known": ""})
    assert len(found) == len(numbers)
    assert all(number in context for number, context in zip(numbers, found, strict=True))


def test_what_is_given_is_on_the_page():
    with pytest.raises(SystemExit, match=r"page\.md does not say: at 5 %"):
        Page("page.md", (), given=("at 5 %",)).unaccounted("Nothing.", {})


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("power", "python -m studies power"),
        ("benchmarks", "python -m benchmarks --only default"),
        ("large", "python -m benchmarks --only large"),
    ],
)
def test_what_was_not_run_is_named(name, command, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match=rf"{name}\.json is not there: {command} --out"):
        results.numbers_of.__wrapped__(name)
