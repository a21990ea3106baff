"""What can be said on the command line, in one place for all commands."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Missing(Enum):
    """What to do about missing values."""

    error = "error"
    drop = "drop"
    partial = "partial"


class MissingRows(Enum):
    """What to do about rows with missing values."""

    error = "error"
    drop = "drop"


class Scale(Enum):
    """How numbers are made comparable."""

    standard = "standard"
    rank = "rank"
    none = "none"


class Method(Enum):
    """How features are tested."""

    calibrated = "calibrated"
    published = "published"


class Search(Enum):
    """Which feature next, and when to stop."""

    forward = "forward"
    backward = "backward"
    floating = "floating"
    filter = "filter"


class Control(Enum):
    """What alpha bounds in a filter."""

    fwer = "fwer"
    fdr = "fdr"
    none = "none"


class Criterion(Enum):
    """What is measured."""

    ksg = "ksg"
    ksg2 = "ksg2"
    quadratic = "quadratic"
    gamma = "gamma"
    delta = "delta"
    neighbor_error = "neighbor-error"
    histogram = "histogram"
    kernel_density = "kernel-density"
    gaussian_copula = "gaussian-copula"
    series = "series"


class Null(Enum):
    """How surrogates are drawn."""

    residual = "residual"
    local = "local"
    shuffle = "shuffle"


class NullOfSearch(Enum):
    """How surrogates are drawn in a search."""

    residual = "residual"
    local = "local"
    shuffle = "shuffle"
    circular = "circular"


class Model(Enum):
    """Which model to check a selection by."""

    ridge = "ridge"
    forest = "forest"
    neighbors = "neighbors"


class TargetKind(Enum):
    """Whether a target is numbers or classes."""

    auto = "auto"
    numbers = "numbers"
    classes = "classes"


_MORE = "may be repeated, or be several with commas between them"
RESAMPLES = 50

Target = Annotated[
    str, typer.Option("--target", "-t", help="The column to select features for.", show_default=False)
]
Alpha = Annotated[float, typer.Option(help="Significance level, between 0 and 1.")]
HowTested = Annotated[
    Method,
    typer.Option("--method", help="How features are tested: with family-wise error control, or as published."),
]
HowDrawn = Annotated[
    NullOfSearch | None,
    typer.Option(
        "--null",
        help="With --method calibrated, how surrogates are drawn: residuals shuffled; from near rows; all rows "
        "shuffled; or, for rows in the order of time, residuals shifted in time.",
        show_default="residual",
    ),
]
Estimate = Annotated[
    Criterion,
    typer.Option(
        "--criterion",
        help="What is measured: mutual information by nearest neighbours (ksg), or another criterion.",
    ),
]
Jobs = Annotated[int, typer.Option(help="Number of threads; -1 is one per core.")]
Seed = Annotated[int, typer.Option(help="Seed that fixes the result.", min=0)]
Ignore = Annotated[list[str] | None, typer.Option(help=f"A feature not to look at; {_MORE}.", show_default=False)]
Keep = Annotated[
    list[str] | None, typer.Option(help=f"A feature that is in from the start; {_MORE}.", show_default=False)
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help=f"A feature of numbers that are categories; {_MORE}. Text always is.", show_default=False),
]
KindOfTarget = Annotated[
    TargetKind,
    typer.Option(
        "--target-kind",
        help="What the target holds; auto: text, two values and few whole numbers are classes.",
    ),
]
HowScaled = Annotated[
    Scale,
    typer.Option(
        "--scale",
        help="Numbers: standardised, by normal quantiles of their ranks, or as they are, where all have one unit.",
    ),
]
HowMissing = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: refuse them, drop the rows, or use the values that a row has.",
    ),
]
RowsMissing = Annotated[
    MissingRows, typer.Option("--missing", help="Rows with missing values: refuse or drop them.")
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="A column that says which rows belong together, such as the person in repeated measures. It is no "
        "feature; its groups are shuffled as a whole.",
        show_default=False,
    ),
]
FeatureGroups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file of features that enter or stay out together: JSON (group: features) or CSV (a line per "
        "feature: its name and its group).",
        show_default=False,
    ),
]
HowSearched = Annotated[
    Search,
    typer.Option(
        "--search",
        help="Add the best while it adds; remove from all the least needed; both in turn; or test each feature on "
        "its own, which selects all relevant ones, redundant ones included.",
    ),
]
HowControlled = Annotated[
    Control | None,
    typer.Option(
        "--control",
        help="With --search filter: what alpha bounds, the probability of any false positive, the share of false "
        "ones among those selected, or the false positive rate of each test.",
        show_default="fwer",
    ),
]
MinFeatures = Annotated[
    int,
    typer.Option(min=0, help="Select at least this many; those past the test are marked as not significant."),
]
MaxFeatures = Annotated[
    int | None, typer.Option(min=1, help="Stop when this many features are selected.", show_default=False)
]
TimeLimit = Annotated[float | None, typer.Option(help="Stop after this many seconds.", show_default=False)]
Json = Annotated[
    Path | None,
    typer.Option(help="Write all the evidence to this file; - is standard output.", show_default=False),
]
Csv = Annotated[
    Path | None,
    typer.Option(
        help="Write the selected features and the target, all rows, to this file; - is standard output.",
        show_default=False,
    ),
]
CsvEscape = Annotated[
    bool,
    typer.Option(
        "--csv-escape",
        help="In --csv, put a ' before names and text that a spreadsheet would take for formulas.",
    ),
]
Report = Annotated[Path | None, typer.Option(help="Write a report to hand on, one HTML file.", show_default=False)]
OpenReport = Annotated[
    bool, typer.Option("--open", help="Open the report in a browser; without --report, a temporary one.")
]
Plot = Annotated[
    Path | None, typer.Option(help="Draw the search to this file: .png, .svg or .pdf.", show_default=False)
]
FrequenciesCsv = Annotated[
    Path | None, typer.Option("--csv", help="Write the frequencies to this file.", show_default=False)
]
FrequenciesPlot = Annotated[
    Path | None,
    typer.Option("--plot", help="Draw the frequencies to this file: .png, .svg or .pdf.", show_default=False),
]
CheckModel = Annotated[
    Model | None,
    typer.Option(
        "--check-model",
        help="Also cross-validate a model on the selected features, the peak and all features: linear with a "
        "squared penalty, a random forest, or nearest neighbours. Each of the five folds selects anew.",
        show_default=False,
    ),
]
StabilityToo = Annotated[
    int | None,
    typer.Option(
        "--stability",
        metavar="[N]",
        help=f"Show how often each feature is selected over N half-samples of the rows ({RESAMPLES} unless said).",
        show_default=False,
    ),
]
Resamples = Annotated[int, typer.Option(help="Number of half-samples, an even number.")]
CheckpointFile = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        help="Write decisions to this file, and resume from it if it exists.",
        show_default=False,
    ),
]
Progress = Annotated[
    bool | None, typer.Option(help="Whether to show what is being done.", show_default="in a terminal")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Neighbors = Annotated[
    int | None, typer.Option(min=1, help="Number of neighbours of the estimate.", show_default="6")
]


def discrete(categorical: list[str], names: list[str], target: str, kind: TargetKind) -> dict[str, object]:
    """Return what is discrete, of some features and the target, as the functions of the package are told."""
    are_classes = kind is TargetKind.classes or target in categorical
    return {
        "discrete_features": [name for name in categorical if name in names and name != target] or "auto",
        "discrete_target": False if kind is TargetKind.numbers else True if are_classes else "auto",
    }
