"""What can be said on the command line, in one place for all commands."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

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


RESAMPLES = 50

# What is used most has no panel, and is shown first.
_FEATURES = "Which features"
_COLUMNS = "What columns hold"
_TESTS = "How to test"
_RESULTS = "Results"
_RUNNING = "Running"


def option(*names: str, panel: str | None = None, metavar: str | None = None, **details: Any) -> Any:
    """Return an option that is shown in a panel of the help."""
    return typer.Option(*names, rich_help_panel=panel, metavar=metavar, **details)


Target = Annotated[str, option("--target", "-t", metavar="COLUMN", help="The column to select features for.")]
Alpha = Annotated[float, option(metavar="LEVEL", help="Significance level, between 0 and 1.")]
Ignore = Annotated[
    list[str] | None, option(metavar="NAMES", help="Features not to look at, with commas or repeated.")
]
HowMissing = Annotated[
    Missing,
    option(
        "--missing",
        metavar="HOW",
        help="Missing values: refuse them (error), drop the rows (drop), or use the values that a row has "
        "(partial).",
    ),
]
RowsMissing = Annotated[
    MissingRows,
    option(
        "--missing",
        metavar="HOW",
        help="Rows with missing values: refuse them (error) or drop them (drop).",
    ),
]
Report = Annotated[Path | None, option(metavar="FILE", help="Write a report to hand on, one HTML file.")]
OpenReport = Annotated[bool, option("--open", help="Open the report in a browser, a temporary one if need be.")]
Resamples = Annotated[int, option(metavar="N", help="Half-samples, an even number.")]

Keep = Annotated[
    list[str] | None,
    option(panel=_FEATURES, metavar="NAMES", help="Features that are in from the start, with commas or repeated."),
]
FeatureGroups = Annotated[
    Path | None,
    option(
        panel=_FEATURES,
        metavar="FILE",
        help="Features that enter or stay out together: JSON (group: features) or CSV (feature, group).",
    ),
]
MinFeatures = Annotated[
    int,
    option(panel=_FEATURES, metavar="N", min=0, help="Select at least so many, significant or not."),
]
MaxFeatures = Annotated[int | None, option(panel=_FEATURES, metavar="N", min=1, help="Stop at so many features.")]

Categorical = Annotated[
    list[str] | None,
    option(
        panel=_COLUMNS,
        metavar="NAMES",
        help="Numbers that are categories, with commas or repeated; text always is.",
    ),
]
KindOfTarget = Annotated[
    TargetKind,
    option(
        "--target-kind",
        panel=_COLUMNS,
        metavar="KIND",
        help="The target: numbers, classes, or auto, where text, two values and few whole numbers are classes.",
    ),
]
Groups = Annotated[
    str | None,
    option(
        panel=_COLUMNS,
        metavar="COLUMN",
        help="Which rows belong together, such as those of a person: shuffled as a whole, and no feature.",
    ),
]
HowScaled = Annotated[
    Scale,
    option(
        "--scale",
        panel=_COLUMNS,
        metavar="HOW",
        help="Numbers: standard, rank (normal quantiles of ranks) or none (as they are, all in one unit).",
    ),
]

HowTested = Annotated[
    Method,
    option(
        "--method",
        panel=_TESTS,
        metavar="NAME",
        help="calibrated, with family-wise error control, or published, as in the paper.",
    ),
]
HowDrawn = Annotated[
    NullOfSearch | None,
    option(
        "--null",
        panel=_TESTS,
        metavar="NAME",
        help="Surrogates of the calibrated method: residual, local (from near rows), shuffle, or circular "
        "(shifted, for rows in the order of time).",
        show_default="residual",
    ),
]
HowSearched = Annotated[
    Search,
    option(
        "--search",
        panel=_TESTS,
        metavar="NAME",
        help="forward (add the best), backward (remove the least needed), floating (both), or filter (each on its "
        "own, redundant ones included).",
    ),
]
HowControlled = Annotated[
    Control | None,
    option(
        "--control",
        panel=_TESTS,
        metavar="NAME",
        help="What alpha bounds in a filter: fwer (any false positive), fdr (the share of false ones), or none "
        "(those of each test).",
        show_default="fwer",
    ),
]
Estimate = Annotated[
    Criterion,
    option(
        "--criterion",
        panel=_TESTS,
        metavar="NAME",
        help=f"What is measured: {', '.join(criterion.value for criterion in Criterion)}.",
    ),
]
NullOfTest = Annotated[
    Null,
    option(
        "--null",
        panel=_TESTS,
        metavar="NAME",
        help="Surrogates: residual (keep their dependence on the given features), local or shuffle.",
    ),
]
Neighbors = Annotated[
    int | None,
    option(panel=_TESTS, metavar="N", min=1, help="Neighbors of the estimate.", show_default="6"),
]

Json = Annotated[
    Path | None, option(panel=_RESULTS, metavar="FILE", help="All the evidence; - is standard output.")
]
Csv = Annotated[
    Path | None,
    option(panel=_RESULTS, metavar="FILE", help="The selected features and the target; - is standard output."),
]
CsvEscape = Annotated[
    bool, option("--csv-escape", panel=_RESULTS, help="In --csv, put a ' before what a spreadsheet would compute.")
]
Plot = Annotated[
    Path | None, option(panel=_RESULTS, metavar="FILE", help="A picture of the search: .png, .svg or .pdf.")
]
RankingCsv = Annotated[
    Path | None,
    option("--csv", panel=_RESULTS, metavar="FILE", help="The features in their order; - is standard output."),
]
FrequenciesCsv = Annotated[
    Path | None, option("--csv", panel=_RESULTS, metavar="FILE", help="The frequencies; - is standard output.")
]
FrequenciesPlot = Annotated[
    Path | None,
    option("--plot", panel=_RESULTS, metavar="FILE", help="A picture of the frequencies: .png, .svg or .pdf."),
]
ChoicePlot = Annotated[
    Path | None,
    option("--plot", panel=_RESULTS, metavar="FILE", help="A picture of the choice: .png, .svg or .pdf."),
]
CheckModel = Annotated[
    Model | None,
    option(
        "--check-model",
        panel=_RESULTS,
        metavar="NAME",
        help="Also cross-validate ridge, forest or neighbors on the selected features, the peak and all features.",
    ),
]
StabilityToo = Annotated[
    int | None,
    option(
        "--stability",
        panel=_RESULTS,
        metavar="[N]",
        help=f"Also show how often features are selected over N half-samples ({RESAMPLES} unless said).",
    ),
]

TimeLimit = Annotated[float | None, option(panel=_RUNNING, metavar="SECONDS", help="Stop after so long.")]
Seed = Annotated[int, option(panel=_RUNNING, metavar="N", min=0, help="Seed that fixes the result.")]
Jobs = Annotated[int, option(panel=_RUNNING, metavar="N", help="Threads; -1 is one per core.")]
Scheduler = Annotated[
    str | None,
    option(
        panel=_RUNNING,
        metavar="ADDRESS",
        help="Work on the Dask cluster of this scheduler; local starts --jobs workers here.",
    ),
]
CheckpointFile = Annotated[
    Path | None,
    option("--checkpoint", panel=_RUNNING, metavar="FILE", help="Write decisions here, and resume from it."),
]
Progress = Annotated[
    bool | None, option(panel=_RUNNING, help="Show what is being done.", show_default="in a terminal")
]
Quiet = Annotated[bool, option("--quiet", panel=_RUNNING, help="Print nothing but errors.")]


def discrete(categorical: list[str], names: list[str], target: str, kind: TargetKind) -> dict[str, object]:
    """Return what is discrete, of some features and the target, as the functions of the package are told."""
    are_classes = kind is TargetKind.classes or target in categorical
    return {
        "discrete_features": [name for name in categorical if name in names and name != target] or "auto",
        "discrete_target": False if kind is TargetKind.numbers else True if are_classes else "auto",
    }
