"""A picture of a selection for a terminal: the information of each feature alone, and what became of it."""

from __future__ import annotations

import numpy as np
from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from infosift.display.phrases import series
from infosift.results.selection import Selection
from infosift.results.steps import Verdict

_STYLES = {"selected": "green", "redundant": "yellow", "undecided": "blue"}
_WIDTH = 30


def print_bars(selection: Selection, console: Console) -> None:
    """Print a bar for each feature: those selected in their order, then the others by their information."""
    alone = dict(zip(selection.feature_names, np.nan_to_num(selection.information_alone).tolist(), strict=True))
    said = {verdict.feature: verdict for verdict in selection.verdicts}
    others = sorted((name for name in said if name not in selection.names), key=lambda name: -alone[name])
    most = max((*(alone[name] for name in said), 0.0)) or 1.0
    picture = Table.grid(padding=(0, 2))
    for column in ("feature", "bar", "information"):
        picture.add_column(no_wrap=column != "feature", justify="right" if column == "information" else "left")
    for name in (name for name in (*selection.names, *others) if name in said):
        style, length = _STYLES.get(said[name].verdict), max(0.0, alone[name])
        bar = Bar(most, 0, length, width=_WIDTH, color=style or "default")
        shown = f"{length:.2f}" if length else "–"
        picture.add_row(Text(name), bar, shown, Text(_became(said[name], length), style=style or "dim"))
    console.print(Text("Information of each feature alone, in nats", style="bold"))
    console.print(picture)


def _became(said: Verdict, information: float) -> str:
    if said.redundant_with:
        return f"{said.verdict} with {series(said.redundant_with)}"
    if said.verdict == "selected" and not information:
        return "selected: informative only beside the others"
    return said.verdict
