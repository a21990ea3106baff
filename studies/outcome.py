"""What studies share: how one is run, the runs that are done, and its tables, figures and numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import joblib
from scipy.stats import binomtest

from infosift.errors import InputError
from infosift.io import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from infosift.results.selection import Selection

Item = TypeVar("Item")
Track = Callable[[Sequence[Item], str], Iterable[Item]]


def untracked(items: Sequence[Any], label: str) -> Iterable[Any]:
    """Iterate without a progress bar."""
    return items


class Runs:
    """Results of runs in a file, one a line, so that an interrupted study resumes where it stopped.

    The key of a run is a hash of its function, its arguments and the version of infosift: another study, other
    data or another version never share a result.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._answers = path, dict[str, Any]()
        *lines, rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
        try:
            self._answers.update(map(json.loads, lines))
        except (ValueError, TypeError) as error:
            raise InputError(f"{path} is damaged: remove it to start the study anew.") from error
        if rest:  # of a line that was being written when the study was ended
            write_file(path, b"".join(line + b"\n" for line in lines))
        self.n_before = len(self._answers)

    def keys(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[str]:
        """Return the keys of calls of a function."""
        seed = joblib.hash((version("infosift"), function))
        return [joblib.hash((seed, call)) for call in calls]

    def __contains__(self, key: str) -> bool:
        return key in self._answers

    def __getitem__(self, key: str) -> Any:
        return self._answers[key]

    def add(self, key: str, answer: Any) -> None:
        """Append a result, which is anything that JSON can hold."""
        with self._path.open("ab") as file:
            file.write(json.dumps([key, answer]).encode() + b"\n")
        self._answers[key] = answer


@dataclass(frozen=True)
class Setting:
    """How to run a study.

    Parameters
    ----------
    quick : bool
        Run a small version, as a trial.
    data : Path or None
        Folder of the data files.
    n_jobs : int or None
        Number of processes or threads, as in joblib.
    track : callable
        Wraps a sequence of items, with a label, to show progress.
    runs : Runs or None
        Results of earlier runs, which are not repeated; new ones are added.
    """

    quick: bool = False
    data: Path | None = None
    n_jobs: int | None = None
    track: Track[Any] = untracked
    runs: Runs | None = None

    def map(self, function: Callable[..., Any], *items: Sequence[Any]) -> Iterator[Any]:
        """Yield the results of calls of a function, each in a process of one thread.

        Inside ``joblib.parallel_config(backend="dask")`` the workers of a cluster execute the calls.
        """
        calls = list(zip(*items, strict=True))
        run = joblib.Parallel(n_jobs=self.n_jobs, prefer="processes", return_as="generator")
        if self.runs is None:
            yield from run(joblib.delayed(function)(*call) for call in calls)
            return
        keys = self.runs.keys(function, calls)
        left = {key: call for key, call in zip(keys, calls, strict=True) if key not in self.runs}
        for key, answer in zip(left, run(joblib.delayed(function)(*call) for call in left.values()), strict=True):
            self.runs.add(key, answer)
        yield from map(self.runs.__getitem__, keys)


def per_cent(share: float, n_runs: int, digits: int = 0) -> str:
    """Return a share of runs in per cent, with its 95 % Wilson interval."""
    low, high = binomtest(round(share * n_runs), n_runs).proportion_ci(method="wilson")
    return f"{100 * share:.{digits}f} ({100 * low:.{digits}f}–{100 * high:.{digits}f})"


def on_data_sets(runs: Mapping[str, Collection[int]]) -> str:
    """Return the numbers of data sets, such as "ours on 100 data sets, others on 20 data sets"."""
    return ", ".join(
        f"{name} on {' or '.join(map(str, sorted(counts)))} data set{'s' * (max(counts) > 1)}"
        for name, counts in runs.items()
    )


@dataclass(frozen=True)
class Table:
    """Rows of cells under a title."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [f"**{self.title}**", "", self._line(self.columns), self._line(["---"] * len(self.columns))]
        return "\n".join([*lines, *map(self._line, self.rows)])

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Outcome:
    """The results of a study."""

    name: str
    tables: tuple[Table, ...]
    numbers: dict[str, Any]
    figures: dict[str, Figure] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def save(self, folder: Path) -> None:
        """Write the numbers as JSON, the tables as Markdown and the figures as PNG and SVG to a folder."""
        write_file(folder / f"{self.name}.json", json.dumps(self.numbers, indent=1).encode())
        text = "\n\n".join([*(table.to_markdown() for table in self.tables), *self.remarks])
        write_file(folder / f"{self.name}.md", f"{text}\n".encode())
        for name, figure in self.figures.items():
            for kind in ("png", "svg"):
                drawn = BytesIO()
                figure.savefig(drawn, format=kind, dpi=150)
                write_file(folder / f"{self.name}-{name}.{kind}", drawn.getvalue())


def forward_search(selection: Selection, title: str) -> Any:
    """Draw the path of a forward search under a title."""
    from infosift.display.plots import PathDisplay

    display = PathDisplay.from_selection(selection).plot()
    display.ax_.set_title(title)
    return display.figure_
