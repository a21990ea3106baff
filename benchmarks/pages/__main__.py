"""Write tables and figures of the files into the pages, and draw the picture."""

from __future__ import annotations

from benchmarks.pages import calibration, comparison, heat_map, readme
from benchmarks.pages.claims import Page
from benchmarks.pages.results import ROOT, numbers_of
from benchmarks.pages.tables import tables

PERFORMANCE = Page("docs/performance.md", ())
PAGES = {
    page.path: page
    for page in (readme.PAGE, comparison.PAGE, calibration.METHOD, calibration.STATISTICS, PERFORMANCE)
}
PICTURE, _ROWS_OF_PICTURE = ROOT / "docs" / "power.svg", "100"


def text_of(path: str) -> str:
    """Return a page as it is."""
    return (ROOT / path).read_text(encoding="utf-8")


def written(path: str) -> str:
    """Return a page with the tables and figures of the files."""
    return PAGES[path].written(text_of(path), tables())


def draw() -> None:
    """Draw the picture."""
    heat_map.draw(numbers_of("power")["rows"][_ROWS_OF_PICTURE], _ROWS_OF_PICTURE, PICTURE)


def main() -> None:
    """Write all pages, and the picture."""
    for path in PAGES:
        before, after = text_of(path), written(path)
        (ROOT / path).write_text(after, encoding="utf-8")
        print(f"{path}: {'new figures' if after != before else 'nothing new'}")
    draw()


if __name__ == "__main__":
    main()
