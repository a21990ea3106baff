"""Puts the tables of studies into the pages, and draws the picture: ``python -m benchmarks.pages``.

A study writes its numbers to ``docs/results`` (``infosift study power --out docs/results``). A table of a page
that has the title of one of theirs is replaced by it, and the tests hold the pages to the files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import heat_map
from infosift.studies import criteria, power, prediction

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
PAGES = (ROOT / "README.md", ROOT / "docs" / "comparison.md")
PICTURE, _ROWS_OF_PICTURE = ROOT / "docs" / "power.svg", "100"
_TABLE = re.compile(r"^\*\*(?P<title>.+)\*\*\n\n(?:\|.*\n)+", flags=re.M)


def numbers_of(study: str) -> Any:
    """Return the numbers that a study wrote."""
    file = RESULTS / f"{study}.json"
    if not file.exists():
        raise SystemExit(f"{file} is not there: infosift study {study} --out {RESULTS} writes it.")
    return json.loads(file.read_text(encoding="utf-8"))


def tables() -> dict[str, str]:
    """Return all tables of the studies that pages show, by title, in Markdown."""
    outcomes = (
        power.outcome(numbers_of("power")["rows"]),
        prediction.outcome(numbers_of("prediction")["data sets"]),
        criteria.outcome(numbers_of("criteria")),
    )
    return {table.title: f"{table.to_markdown()}\n" for outcome in outcomes for table in outcome.tables}


def tables_of(text: str) -> dict[str, str]:
    """Return the tables of a page that have a title, by title."""
    return {found["title"]: found[0] for found in _TABLE.finditer(text)}


def main() -> None:
    """Replace the tables of all pages."""
    current = tables()
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = _TABLE.sub(lambda found: current.get(found["title"], found[0]), before)
        page.write_text(after, encoding="utf-8")
        print(f"{page.name}: {'new tables' if after != before else 'nothing new'}")
    heat_map.draw(numbers_of("power")["rows"][_ROWS_OF_PICTURE], _ROWS_OF_PICTURE, PICTURE)


if __name__ == "__main__":
    main()
