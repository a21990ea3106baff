"""Claims: parts of sentences whose figures come from files; and what no claim accounts for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

TABLE = re.compile(r"^\*\*(?P<title>.+)\*\*\n\n(?:\|.*\n)+", flags=re.M)
_FIGURE = r"(\d[\d,.]*\d|\d)"
# Where a figure is no claim: code, the address of a link.
_NO_TEXT = re.compile(r"^```.*?^```|`[^`\n]+`|\]\([^)]*\)", flags=re.M | re.S)
_NUMBER = re.compile(
    r"(?<![A-Za-z])(?:\d[\d,.]*\d|\d)|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|sixty|hundred|thousand"
    r"|million|hal(?:f|ve)|third|quarter|tenth|twice|double)s?\b",
    flags=re.I,
)


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what finds a part of a sentence, whatever the figures in place of {} are and wherever lines end."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in text.split("{}")]
    return re.compile(_FIGURE.join(parts))


@dataclass(frozen=True)
class Claim:
    """A part of a sentence, with {} for figures, and these."""

    text: str
    figures: Callable[[], Iterable[Any]]

    def written(self, page: str) -> str:
        """Return a page with its figures."""
        found = pattern_of(self.text).search(page)
        if found is None:
            raise SystemExit(f"The page does not say: {self.text}")
        figures = [str(figure) for figure in self.figures()]
        if len(figures) != len(found.groups()):
            raise SystemExit(f"There are {len(figures)} figures for: {self.text}")
        for number in reversed(range(len(figures))):
            start, end = found.span(number + 1)
            page = page[:start] + figures[number] + page[end:]
        return page


@dataclass(frozen=True)
class Page:
    """A page, its claims, and ``given``: parts with numbers that nobody measured, such as sizes and settings."""

    path: str
    claims: tuple[Claim, ...]
    given: tuple[str, ...] = ()

    def written(self, text: str, tables: dict[str, str]) -> str:
        """Return the page with the tables and figures of the files."""
        text = TABLE.sub(lambda found: tables.get(found["title"], found[0]), text)
        for claim in self.claims:
            text = claim.written(text)
        return text

    def unaccounted(self, text: str, tables: dict[str, str]) -> list[str]:
        """Return each number of the page, with what stands around it, that comes from no file and is not given.

        Numbers are also words, from two on.
        """
        text = TABLE.sub(lambda found: "" if found["title"] in tables else found[0], text)
        known = [found.span() for found in _NO_TEXT.finditer(text)]
        for part in (*(claim.text for claim in self.claims), *self.given):
            places = [found.span() for found in pattern_of(part).finditer(text)]
            if not places:
                raise SystemExit(f"{self.path} does not say: {part}")
            known += places
        return [
            " ".join(text[max(0, found.start() - 40) : found.end() + 40].split())
            for found in _NUMBER.finditer(text)
            if not any(start <= found.start() and found.end() <= end for start, end in known)
        ]
