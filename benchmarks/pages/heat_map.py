"""The picture of the comparison: in how many runs each selector finds exactly the relevant features."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studies.selectors import DEFAULT

if TYPE_CHECKING:
    from studies.power import Figures

_NAMES = {
    DEFAULT: "infosift",
    "Boruta": "Boruta",
    "scikit-learn sequential": "scikit-learn\nsequential",
    "mlxtend sequential": "mlxtend\nsequential",
    "L1 path": "L1 path",
    "mRMR, told the number": "mRMR, told\nhow many",
    "dCRT, lasso": "dCRT\n(lasso)",
    "dCRT, forest": "dCRT\n(forest)",
    "knockoffs": "knockoffs",
}
_LIGHT = 55  # per cent, up to which numbers are written in black


def draw(by_kind: dict[str, dict[str, Figures]], n_rows: str, path: Path) -> None:
    """Draw kinds of dependence by selectors, ours first, and write it as SVG with its text as text."""
    import matplotlib
    from matplotlib.figure import Figure

    who = [one for one in _NAMES if any(one in by for by in by_kind.values())]
    shares = np.array(
        [[100 * by[one]["exact"] if one in by else np.nan for one in who] for by in by_kind.values()]
    )
    figure = Figure(figsize=(8.6, 4.4), layout="constrained")
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=100, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        shown = "–" if np.isnan(share) else f"{share:.0f}"
        weight = "bold" if column == 0 else "normal"
        ax.text(
            column,
            row,
            shown,
            ha="center",
            va="center",
            color="white" if share > _LIGHT else "black",
            weight=weight,
        )
    ax.set_xticks(range(len(who)), [_NAMES[one] for one in who], fontsize=9)
    ax.set_yticks(range(len(by_kind)), list(by_kind))
    ax.xaxis.tick_top()
    ax.get_xticklabels()[0].set_weight("bold")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(who) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(by_kind) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.axhline(len(by_kind) - 1.5, color="white", linewidth=8)  # above the tables with nothing to find
    ax.tick_params(which="minor", length=0)
    ours, others = (
        max(
            int(by[one]["runs"])
            for by in by_kind.values()
            for one in who
            if one in by and (one == DEFAULT) == is_ours
        )
        for is_ours in (True, False)
    )
    ax.set_xlabel(
        f"runs that select exactly the relevant features, in per cent\n"
        f"simulated tables of {n_rows} rows and 10 features; infosift: {ours} runs, others: {others}"
    )
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "infosift", "font.family": "sans-serif"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
