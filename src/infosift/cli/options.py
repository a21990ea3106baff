"""What can be said on the command line, in one place for all commands."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Missing(Enum):
    """What to do with missing values."""

    error = "error"
    drop = "drop"
    partial = "partial"


class Method(Enum):
    """Which procedure chooses."""

    calibrated = "calibrated"
    published = "published"


class Criterion(Enum):
    """Which estimate of mutual information."""

    ksg = "ksg"
    ksg2 = "ksg2"


class Null(Enum):
    """What a column that adds nothing looks like."""

    residual = "residual"
    local = "local"
    shuffle = "shuffle"


class TargetKind(Enum):
    """Whether a target is numbers or classes."""

    auto = "auto"
    numbers = "numbers"
    classes = "classes"


_MORE = "may be repeated"

File = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, TSV, Parquet or Arrow file with names for its columns; - reads from standard input.",
        show_default=False,
    ),
]
Target = Annotated[str, typer.Option(help="The column to tell something about.", show_default=False)]
Alpha = Annotated[float, typer.Option(help="Significance level, between 0 and 1.")]
Jobs = Annotated[int, typer.Option(help="Number of threads; -1 is one per core.")]
Seed = Annotated[int, typer.Option(help="Seed that fixes the result.", min=0)]
Ignore = Annotated[list[str] | None, typer.Option(help=f"A column not to look at; {_MORE}.", show_default=False)]
Keep = Annotated[
    list[str] | None, typer.Option(help=f"A column that is in from the start; {_MORE}.", show_default=False)
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help=f"A column of numbers that are categories; {_MORE}. Text always is.", show_default=False),
]
KindOfTarget = Annotated[
    TargetKind,
    typer.Option(
        "--target-kind",
        help="What the target holds; auto: text, two values and few whole numbers are classes.",
    ),
]
HowMissing = Annotated[
    Missing,
    typer.Option(
        help="Where there are missing values: refuse, leave out the rows, or compare rows in what they have "
        "(published method only)."
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        help="A file of columns that enter or stay out together: JSON (group: columns) or CSV (column, group).",
        show_default=False,
    ),
]


def kinds(categorical: list[str] | None, columns: list[str], target: str, kind: TargetKind) -> dict[str, object]:
    """Return what is discrete, of some columns and the target, as the functions of the package are told."""
    are_classes = kind is TargetKind.classes or target in (categorical or ())
    return {
        "discrete_features": [name for name in categorical or () if name in columns and name != target] or "auto",
        "discrete_target": False if kind is TargetKind.numbers else True if are_classes else "auto",
    }


Json = Annotated[Path | None, typer.Option(help="Write all the evidence to this file.", show_default=False)]
Neighbors = Annotated[
    int | None, typer.Option(min=1, help="Number of neighbours of the estimate.", show_default="6")
]
