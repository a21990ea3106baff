"""Arguments and options of the commands, each declared once, and the parameters that they set.

A command is a dataclass: its fields are its arguments and options, and it inherits those that it shares with other
commands. Values that have names are read from the registries of the library when they are needed, so that what is
registered there is offered here too, and so that ``infosift --help`` starts without NumPy.
Messages and the report name an option by the table in display/__init__.

Modules that define commands do not postpone the evaluation of annotations: Typer would evaluate those of inherited
fields in the module of the command, which does not import what they are made of.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from typer.core import TyperCommand

import infosift
from infosift.errors import InputError
from infosift.progress import held_back
from infosift.registry import (
    CONTROLS,
    CRITERIA,
    GOALS,
    METHODS,
    MISSING,
    MODELS,
    NULLS,
    SCALES,
    SEARCHES,
    TARGET_KINDS,
    Registry,
)

if TYPE_CHECKING:
    import polars as pl

    from infosift.cli.input_file import InputTable

RESAMPLES = 50
LOCAL_SCHEDULER = "local"
_SECONDS_TO_CONNECT = 10

# Panels of the help, which shows options without a panel first: those that are used most.
_READING = "Reading the file"
_COLUMNS = "What columns hold"
_FEATURES = "Which features"
TESTS = "How to test"
RESULTS = "Results"
_RUNNING = "Running"


@dataclass(frozen=True)
class Choice:
    """The named values of an option.

    Attributes
    ----------
    registry : mapping
        The registry of the library that has them, or phrases by name; None is called ``none``.
    about : str
        What the values are; the help begins with it.
    default : mapping
        The phrase of a value that leaves the choice to the library.
    """

    registry: Mapping[Any, Any]
    about: str
    default: Mapping[str, str] = field(default_factory=dict)

    def phrases(self) -> dict[str, str]:
        """Return the names that are registered at this moment, each with a phrase for the help or an empty one."""
        phrases = self.registry.summaries() if isinstance(self.registry, Registry) else self.registry
        return {**self.default, **{"none" if name is None else name: phrases[name] for name in phrases}}

    def names(self) -> list[str]:
        """Return the names for completion in a shell."""
        return list(self.phrases())

    def help(self) -> str:
        """Return the help of the option."""
        choices = [f"{name} ({phrase})" if phrase else name for name, phrase in self.phrases().items()]
        return f"{self.about}: {', '.join(choices)}."

    def require(self, value: str | None) -> str | None:
        """Refuse names that are not registered."""
        if value is not None and value not in self.names():
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, self.names()))}.")
        return value


# By the field of the commands that has the option.
CHOICES = {
    "goal": Choice(GOALS, "What the features are for"),
    "missing": Choice(MISSING, "Missing values"),
    "scale": Choice(SCALES, "How numbers are scaled"),
    "target_kind": Choice(
        TARGET_KINDS, "What the target holds", {"auto": "text and two values are classes, few whole numbers both"}
    ),
    "method": Choice(METHODS, "How features are tested"),
    "null": Choice(NULLS, "How surrogates are drawn"),
    "search": Choice(SEARCHES, "Which feature next"),
    "control": Choice(CONTROLS, "What alpha bounds, in a filter or along a forward search (without none)"),
    "criterion": Choice(CRITERIA, "What is measured"),
    "check_model": Choice(
        MODELS, "Also cross-validate a model on the selected features, the peak and all features"
    ),
}


class Command(TyperCommand):
    """A command with choices in its help, and an option --stability whose number may be left out."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, with the choices that are registered at this moment."""
        for parameter in self.params:
            if parameter.name in CHOICES and getattr(parameter, "help", "") is None:
                parameter.help = CHOICES[parameter.name].help()  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the number of half-samples where it is left out, which Typer has no option for."""
        following = [*args[1:], ""]
        words = [
            f"{word}={RESAMPLES}" if word == "--stability" and not after.removeprefix("-").isdecimal() else word
            for word, after in zip(args, following, strict=False)
        ]
        try:
            return list(super().parse_args(ctx, words))
        except typer.BadParameter as error:
            error.message = _in_plain_words(error.message)
            raise


def _in_plain_words(message: str) -> str:
    """Reword what Pydantic, by which Typer reads numbers, says of other values."""
    wanted, _, _ = message.removeprefix("Input should be ").partition(", unable")
    if wanted == message:
        return message
    for theirs, ours in {
        "a valid integer": "an integer",
        "a valid": "a",
        "greater than or equal to": "at least",
    }.items():
        wanted = wanted.replace(theirs, ours)
    return f"it must be {wanted}."


def option(
    text: str | None,
    panel: str | None = None,
    metavar: str | None = None,
    *,
    names: tuple[str, ...] = (),
    **details: Any,
) -> Any:
    """Declare an option with its help, which is shown in a panel of that of the command."""
    return typer.Option(*names, help=text, rich_help_panel=panel, metavar=metavar, **details)


def choice(parameter: str, panel: str | None = None, **details: Any) -> Any:
    """Declare an option whose values are registered; its help is that of ``CHOICES``."""
    values = CHOICES[parameter]
    return option(None, panel, "NAME", callback=values.require, autocompletion=values.names, **details)


def csv_option(what: str) -> Any:
    """Declare an option for a table in a CSV file."""
    return option(f"{what}; - is standard output.", RESULTS, "FILE", names=("--csv",))


def plot_option(what: str) -> Any:
    """Declare an option for a picture."""
    return option(f"A picture of {what}: .png, .svg or .pdf.", RESULTS, "FILE", names=("--plot",))


# Options of commands that have no base in common but InputFile, or not even that.
Alpha = Annotated[float, option("Significance level, between 0 and 1.", metavar="LEVEL")]
Ignore = Annotated[list[str] | None, option("Features to leave out, with commas or repeated.", metavar="NAMES")]
Missing = Annotated[str, choice("missing")]
OpenReport = Annotated[
    bool, option("Open the report in a browser, a temporary one if need be.", names=("--open",))
]
NumberOfNeighbors = Annotated[
    int | None, option("Neighbors of the estimate.", TESTS, "N", min=1, show_default="6")
]
Json = Annotated[Path | None, option("All the evidence; - is standard output.", RESULTS, "FILE")]
TimeLimit = Annotated[float | None, option("Stop after so long.", _RUNNING, "SECONDS")]
Seed = Annotated[int, option("Seed that fixes the result.", _RUNNING, "N", min=0)]
Jobs = Annotated[int, option("Threads; -1 is one per core.", _RUNNING, "N")]
Quiet = Annotated[bool, option("Print nothing but errors.", _RUNNING, names=("--quiet",))]
_FILE = typer.Argument(
    metavar="DATA",
    help="A CSV, TSV, Parquet, Arrow or Excel file, or a folder of Parquet files; - is standard input.",
    show_default=False,
)


@dataclass(frozen=True, kw_only=True)
class InputFile:
    """The file that a command reads: how it is read, its target, and what its columns hold."""

    file: Annotated[str, _FILE]
    target: Annotated[
        str, option("The column to select features for.", metavar="COLUMN", names=("--target", "-t"))
    ]
    encoding: Annotated[
        str | None, option("That of text, such as latin-1.", _READING, "NAME", show_default="utf-8")
    ] = None
    comment: Annotated[str | None, option("How lines of comment begin, such as '#'.", _READING, "SIGN")] = None
    decimal: Annotated[
        Literal["comma", "point"] | None,
        option("Which mark is decimal: comma, point.", _READING, "MARK", show_default="as the file shows"),
    ] = None
    no_header: Annotated[
        bool, option("There are no names; columns are called 0, 1, 2 ...", _READING, names=("--no-header",))
    ] = False
    header_row: Annotated[
        int | None,
        option("The row of the names, the first being 1.", _READING, "N", min=1, show_default="as the file shows"),
    ] = None
    skip: Annotated[
        int | None, option("Rows above the names, or the data, to leave out.", _READING, "N", min=0)
    ] = None
    sheet: Annotated[
        str | None, option("The sheet of an Excel file.", _READING, "NAME", show_default="the first")
    ] = None
    dates: Annotated[
        Literal["days", "expand"],
        option(
            "Dates: days (as numbers of days), expand (with weekdays and months as categories too).",
            _READING,
            "NAME",
        ),
    ] = "days"
    categorical: Annotated[
        list[str] | None,
        option("Numbers that are categories, with commas or repeated; text always is.", _COLUMNS, "NAMES"),
    ] = None
    target_kind: Annotated[str, choice("target_kind", _COLUMNS)] = "auto"

    @property
    def target_columns(self) -> list[str]:
        """The columns that the target is made of."""
        return [self.target]

    def target_of(self, columns: "pl.DataFrame") -> Any:
        """Return the target that these columns make."""
        return columns[self.target]

    @property
    def n_skipped(self) -> int | None:
        """Rows above the header, or above the data where there is none; None where the file shows it."""
        if self.header_row is None:
            return self.skip
        for other, is_given in (("--skip", self.skip is not None), ("--no-header", self.no_header)):
            if is_given:
                raise InputError(f"--header-row and {other} exclude each other: leave one of them out.")
        return self.header_row - 1

    def discrete(self, categorical: list[str], names: list[str]) -> dict[str, Any]:
        """Return the parameters of the library that say which features, and whether the target, are categories."""
        target = "classes" if self.target_kind == "auto" and self.target in categorical else self.target_kind
        features = [name for name in categorical if name in names and name not in self.target_columns]
        return {"discrete_features": features or "auto", "discrete_target": target}


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(InputFile):
    """What the commands that select features have in common."""

    target: Annotated[
        str,
        option(
            "The column to select features for.", metavar="COLUMN", names=("--target", "-t"), show_default=False
        ),
    ] = ""
    time: Annotated[
        str | None,
        option("In place of a target: the time of an event, or up to which none was seen.", metavar="COLUMN"),
    ] = None
    event: Annotated[
        str | None,
        option("With --time: whether the event was seen, 1 or true; 0 or false is censored.", metavar="COLUMN"),
    ] = None
    event_value: Annotated[
        str | None,
        option("Which value of --event is one, such as dead, where it has two others.", metavar="VALUE"),
    ] = None
    alpha: Alpha = 0.05
    ignore: Ignore = None
    missing: Missing = "partial"
    groups: Annotated[
        str | None,
        option(
            "Which rows belong together, such as those of a person: shuffled as a whole, and no feature.",
            _COLUMNS,
            "COLUMN",
        ),
    ] = None
    scale: Annotated[str, choice("scale", _COLUMNS)] = "standard"
    keep: Annotated[
        list[str] | None, option("Features to select from the start, with commas or repeated.", _FEATURES, "NAMES")
    ] = None
    feature_groups: Annotated[
        Path | None,
        option(
            "Features that enter or stay out together: JSON (group: features) or CSV (feature, group).",
            _FEATURES,
            "FILE",
        ),
    ] = None
    goal: Annotated[str, choice("goal", _FEATURES)] = "explain"
    min_features: Annotated[int, option("Select at least so many, significant or not.", _FEATURES, "N", min=0)] = 0
    max_features: Annotated[int | None, option("Stop at so many features.", _FEATURES, "N", min=1)] = None
    method: Annotated[str, choice("method", TESTS)] = "calibrated"
    null: Annotated[str | None, choice("null", TESTS, show_default="residual")] = None
    search: Annotated[str, choice("search", TESTS)] = "forward"
    control: Annotated[str | None, choice("control", TESTS, show_default="fwer")] = None
    criterion: Annotated[str, choice("criterion", TESTS)] = "ksg"
    json: Json = None
    csv: Annotated[Path | None, csv_option("The features")] = None
    csv_escape: Annotated[
        bool,
        option("In --csv, put a ' before what a spreadsheet would compute.", RESULTS, names=("--csv-escape",)),
    ] = False
    plot: Annotated[Path | None, plot_option("what each selected feature does")] = None
    seed: Seed = 0
    jobs: Jobs = -1
    scheduler: Annotated[
        str | None,
        option(
            "Work on the Dask cluster of this scheduler; local starts --jobs workers here.", _RUNNING, "ADDRESS"
        ),
    ] = None
    checkpoint: Annotated[Path | None, option("Write decisions here; resume from it.", _RUNNING, "FILE")] = None
    progress: Annotated[
        bool | None, option("Show what is being done.", _RUNNING, show_default="in a terminal")
    ] = None
    quiet: Quiet = False

    @property
    def target_columns(self) -> list[str]:
        """The column of the target, or those of the time and the event."""
        of_event = {"--time": self.time, "--event": self.event, "--event-value": self.event_value}
        given = [name for name, value in of_event.items() if value]
        if self.target and not given:
            return [self.target]
        if self.target:
            raise InputError(
                f"{given[0]} is for times until an event, which have no --target: leave one of them out."
            )
        if not (self.time and self.event):
            missing = [name for name in ("--time", "--event") if not of_event[name]]
            what = f"{given[0]} needs {' and '.join(missing)}" if given else "Name what to select features for"
            raise InputError(f"{what}: --target, or for times until an event --time and --event.")
        if self.time == self.event:
            raise InputError(f'"{self.time}" cannot be both the time and the event: name a column for each.')
        return [self.time, self.event]

    def target_of(self, columns: "pl.DataFrame") -> Any:
        """Return the column of the target, or censored times."""
        if self.target:
            return super().target_of(columns)
        time, event = (columns[name] for name in self.target_columns)
        return infosift.censored_target(event, time, event_value=self.event_value)

    def parameters(self, table: "InputTable") -> dict[str, Any]:
        """Return the parameters of a selector, but for those that only some of the commands set."""
        from infosift.data.files import read_groups_file

        is_watched = Console(stderr=True).is_terminal and not self.quiet
        unchanged = ("alpha", "goal", "criterion", "scale", "missing", "min_features", "max_features")
        return {
            **{name: getattr(self, name) for name in unchanged},
            "method": _configured("method", self.method, "null", self.null),
            "search": _configured("search", self.search, "control", self.control),
            "keep": table.roles.keep or None,
            "feature_groups": None if self.feature_groups is None else read_groups_file(self.feature_groups),
            **self.discrete(table.roles.categorical, table.names),
            "random_state": self.seed,
            "verbose": is_watched if self.progress is None else self.progress,
        }


def _configured(kind: str, name: str, parameter: str, value: str | None) -> Any:
    """Return the name of a method or search, or the object where a parameter of its own is set."""
    if value is None:
        return name
    from sklearn.base import clone

    registry = CHOICES[kind].registry
    takers = [other for other, registered in registry.items() if hasattr(registered, parameter)]
    if name not in takers:
        raise InputError(
            f"--{parameter} is for --{kind} {' or '.join(takers)}: choose that, or leave --{parameter} out."
        )
    return clone(registry[name]).set_params(**{parameter: None if value == "none" else value})


@contextmanager
def workers(scheduler: str | None, n_jobs: int) -> Iterator[int]:
    """Let the workers of a Dask scheduler do the work, if there is one; yield the number of jobs to start."""
    if scheduler is None:
        yield n_jobs
        return
    import joblib

    with _connect(scheduler, n_jobs) as client, joblib.parallel_config(backend="dask", client=client):
        yield -1


def _connect(scheduler: str, n_jobs: int) -> Any:
    """Connect to a Dask scheduler, or start one here with so many workers (-1: one per core)."""
    try:
        import dask

        # The error below says what failed, in place of the log; workers of this machine need no other scheduler.
        quiet = {"logging": {"distributed": "critical", "distributed.client": "critical"}}
        dask.config.set({**quiet, "scheduler-address": None})
        from distributed import Client
    except ImportError:
        raise InputError('--scheduler needs Dask: install it with pip install "infosift[dask]".') from None
    if scheduler == LOCAL_SCHEDULER:
        with held_back():
            return Client(n_workers=None if n_jobs == -1 else n_jobs, threads_per_worker=1)
    try:
        return Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler {scheduler} is no Dask scheduler that answers: give the address of one, such as "
            f"tcp://127.0.0.1:8786, or {LOCAL_SCHEDULER} to start workers on this machine."
        ) from error
