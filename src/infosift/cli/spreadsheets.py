"""Tables for spreadsheets: as CSV, on request without what these would take for formulas."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from infosift.cli.running import write_text

if TYPE_CHECKING:
    import polars as pl

# As the Open Worldwide Application Security Project advises against CSV injection.
_FORMULA = r"[=+\-@\t\r\n]"


def write_csv(path: Path, frame: pl.DataFrame, what: str, escape: bool, quiet: bool = False) -> None:
    """Write a table as CSV, to a file or to standard output; where asked, no cell of it is a formula."""
    write_text(path, (_without_formulas(frame) if escape else frame).write_csv(), what, quiet)


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose names and text begin with a quote where they would be formulas."""
    import polars as pl
    import polars.selectors as cs

    text = (cs.string(include_categorical=True) | cs.enum()).cast(pl.String)
    frame = frame.with_columns(text.str.replace(f"^{_FORMULA}", "'$0"))
    taken = set(frame.columns)
    renamed = {}
    for name in frame.columns:
        if re.match(_FORMULA, name):
            renamed[name] = f"'{name}"
            while renamed[name] in taken:
                renamed[name] = f"'{renamed[name]}"
            taken.add(renamed[name])
    return frame.rename(renamed)
