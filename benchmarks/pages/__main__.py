"""Puts the tables and figures of studies into the pages, and draws the picture: ``python -m benchmarks.pages``.

A study writes its numbers to ``docs/results`` (``infosift study power --out docs/results``). A table of a page
that has the title of one of theirs is replaced by it, and so are the figures of claims.
"""

from __future__ import annotations

import re
from functools import cache

from benchmarks import heat_map
from benchmarks.claims import CLAIMS
from benchmarks.results import ROOT, numbers_of
from infosift.studies import power

PICTURE, _ROWS_OF_PICTURE = ROOT / "docs" / "power.svg", "100"
TABLE = re.compile(r"^\*\*(?P<title>.+)\*\*\n\n(?:\|.*\n)+", flags=re.M)


@cache
def tables() -> dict[str, str]:
    """Return all tables of the studies that pages show, by title, in Markdown."""
    found = power.outcome(numbers_of("power")["rows"]).tables
    return {table.title: f"{table.to_markdown()}\n" for table in found}


def written(name: str) -> str:
    """Return a page with the tables and figures of the files."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = TABLE.sub(lambda found: tables().get(found["title"], found[0]), text)
    for claim in CLAIMS[name]:
        text = claim.written(text)
    return text


def main() -> None:
    """Write all pages, and the picture."""
    for name in CLAIMS:
        before, after = (ROOT / name).read_text(encoding="utf-8"), written(name)
        (ROOT / name).write_text(after, encoding="utf-8")
        print(f"{name}: {'new figures' if after != before else 'nothing new'}")
    draw()


def draw() -> None:
    """Draw the picture."""
    heat_map.draw(numbers_of("power")["rows"][_ROWS_OF_PICTURE], _ROWS_OF_PICTURE, PICTURE)


if __name__ == "__main__":
    main()
