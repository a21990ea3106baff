"""Figures in the text of pages, and where each comes from: ``python -m benchmarks.pages`` writes them there.

A claim is a part of a sentence with {} in the place of figures. The tests hold the pages to the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.results import (
    exact,
    exact_over,
    false_beside,
    found_all,
    from_noise,
    n_runs_of,
    seconds_over_ours,
)
from infosift.studies.rivals import DEFAULT, OURS

_SEQUENTIAL = ("scikit-learn sequential", "mlxtend sequential")
_CONTROLLED = ("dCRT, lasso", "dCRT, forest", "knockoffs", "knockoffs+")
_ROWS = (50, 100, 300)
_TOGETHER = ("circular", "exclusive or", "multiplicative")


@dataclass(frozen=True)
class Claim:
    """A part of a sentence, with {} for figures, and these."""

    text: str
    figures: Callable[[], Iterable[Any]]

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds it in a page, whatever its figures are and wherever its lines end."""
        parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in self.text.split("{}")]
        return re.compile(r"(\d[\d,.]*\d|\d)".join(parts))

    def written(self, page: str) -> str:
        """Return a page with its figures."""
        found = self.pattern.search(page)
        if found is None:
            raise SystemExit(f"The page does not say: {self.text}")
        figures = [str(figure) for figure in self.figures()]
        if len(figures) != len(found.groups()):
            raise SystemExit(f"There are {len(figures)} figures for: {self.text}")
        for number in reversed(range(len(figures))):
            start, end = found.span(number + 1)
            page = page[:start] + figures[number] + page[end:]
        return page


_README = (
    Claim(
        "it does so in {} to {} % of runs, Boruta in {} to {} %, "
        "sequential searches around nearest neighbours in {} to {} %.",
        lambda: (*exact_over(100, DEFAULT), *exact_over(100, "Boruta"), *exact_over(100, *_SEQUENTIAL)),
    ),
    Claim(
        "There are {} runs of infosift and {} of each other",
        lambda: [n_runs_of(who) for who in (DEFAULT, "Boruta")],
    ),
    Claim(
        "it selects something from ten features of pure noise in {} % of runs",
        lambda: [from_noise(100, DEFAULT)],
    ),
    Claim("Boruta does from ten in {} %.", lambda: [from_noise(100, "Boruta")]),
    Claim(
        "one that adds nothing was selected beside them in {} to {} % of the runs above",
        lambda: false_beside(100, DEFAULT),
    ),
    Claim(
        "in {} % of runs if the dependence is a circle, but in {} % if it is made of thresholds",
        lambda: [exact(50, kind, DEFAULT) for kind in ("circular", "threshold")],
    ),
    Claim(
        "In 100 rows it finds a circle, an exclusive or and a product in {} to {} % of runs, Boruta in {} to {} %",
        lambda: (*exact_over(100, DEFAULT, kinds=_TOGETHER), *exact_over(100, "Boruta", kinds=_TOGETHER)),
    ),
)
_COMPARISON = (
    Claim(
        "are found by the dCRT with a lasso in {} % of runs, by ours in {} %",
        lambda: [found_all(50, "linear", who) for who in ("dCRT, lasso", DEFAULT)],
    ),
    Claim(
        "they find exactly what matters in at most {} % of runs, ours in {} % or more",
        lambda: (
            exact_over(100, *_CONTROLLED, kinds=_TOGETHER)[1],
            exact_over(100, DEFAULT, kinds=_TOGETHER)[0],
        ),
    ),
    Claim(
        "(exact in {} and {} % of runs against {} and {} %)",
        lambda: [exact(n, "threshold", who) for who in ("Boruta", DEFAULT) for n in (50, 100)],
    ),
    Claim(
        "the dCRT with a lasso is exact in {} % of runs, ours in {} %",
        lambda: [exact(50, "linear", who) for who in ("dCRT, lasso", DEFAULT)],
    ),
    Claim(
        "Boruta takes {} times as long as the default at n = 100, "
        "scikit-learn's sequential search {} times and mlxtend's {} times",
        lambda: [round(seconds_over_ours(100, who)) for who in ("Boruta", *_SEQUENTIAL)],
    ),
    Claim(
        "the sequential selectors select something in {} % of runs, and Boruta in {} to {} %",
        lambda: (
            min(from_noise(n, who) for n in _ROWS for who in _SEQUENTIAL),
            min(from_noise(n, "Boruta") for n in _ROWS),
            max(from_noise(n, "Boruta") for n in _ROWS),
        ),
    ),
    Claim(
        "our published method in {} % of runs at n = 100, the default in {} %",
        lambda: [from_noise(100, who) for who in OURS],
    ),
)
CLAIMS = {"README.md": _README, "docs/comparison.md": _COMPARISON}
