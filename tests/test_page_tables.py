"""Tables and the picture of the pages are those that the files of docs/results give."""

import re

import pytest

pytest.importorskip("sklearn", minversion="1.8", reason="benchmarks need scikit-learn 1.8")

from benchmarks import pages


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_files(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- table:") == text.count("<!-- end -->")
    assert pages.filled(text) == text, "python -m benchmarks.pages writes the tables anew"


def test_every_table_has_a_page():
    regions = [
        name for page in pages.PAGES for name in re.findall(r"<!-- table: (\S+) -->", page.read_text("utf-8"))
    ]
    assert sorted(regions) == sorted(pages.TABLES)


def test_the_picture_is_that_of_the_files(tmp_path):
    pages.draw_power(tmp_path / "power.svg")
    drawn, shown = (path.read_text(encoding="utf-8") for path in (tmp_path / "power.svg", pages.PICTURE))
    labels = re.compile(r"<text[^>]*>([^<]+)</text>")  # other versions of Matplotlib draw other lines
    assert labels.findall(drawn) == labels.findall(shown)


def test_regions_are_replaced_and_the_rest_is_kept():
    text = "Before 3 %.\n\n<!-- table: large-tables -->\nold\n<!-- end -->\n\nAfter, **bold**.\n"
    (table,) = pages.TABLES["large-tables"]()
    expected = f"<!-- table: large-tables -->\n\n{table.to_markdown()}\n\n<!-- end -->"
    assert pages.filled(text) == f"Before 3 %.\n\n{expected}\n\nAfter, **bold**.\n"
    with pytest.raises(SystemExit, match="There is no table tables"):
        pages.filled(text.replace("large-tables", "tables"))


@pytest.mark.parametrize(
    ("name", "command"), [("power", "python -m studies power"), ("large", "python -m benchmarks --only large")]
)
def test_the_command_that_writes_a_missing_file_is_named(name, command, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match=rf"{name}\.json is not there: {command} --out"):
        pages.results_of.__wrapped__(name)
