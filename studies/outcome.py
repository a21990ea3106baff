"""What a study is given and what comes out of it: tables, figures, and all numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from infosift.io import write_file
from studies.runs import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Item = TypeVar("Item")
Track = Callable[[Sequence[Item], str], Iterable[Item]]


def untracked(items: Sequence[Any], label: str) -> Iterable[Any]:
    """Go through items without a progress bar."""
    return items


@dataclass(frozen=True)
class Setting:
    """How to run a study: ``quick`` for a small version, ``data`` the folder of the data sets.

    What ``runs`` has is not done again.
    """

    quick: bool = False
    data: Path | None = None
    n_jobs: int | None = None
    track: Track[Any] = untracked
    runs: Runs | None = None

    def map(self, function: Callable[..., Any], *items: Sequence[Any]) -> Iterator[Any]:
        """Yield the answers of runs that are best done side by side, each on one thread of a process of its own.

        Inside ``joblib.parallel_config(backend="dask")`` they are done by the workers of a cluster.
        """
        from joblib import Parallel, delayed

        calls = list(zip(*items, strict=True))
        run = Parallel(n_jobs=self.n_jobs, prefer="processes", return_as="generator")
        if self.runs is None:
            yield from run(delayed(function)(*call) for call in calls)
            return
        keys = self.runs.keys(function, calls)
        left = {key: call for key, call in zip(keys, calls, strict=True) if key not in self.runs}
        for key, answer in zip(left, run(delayed(function)(*call) for call in left.values()), strict=True):
            self.runs.add(key, answer)
        yield from map(self.runs.__getitem__, keys)


def per_cent(share: float, n_runs: int) -> str:
    """Return a share of runs in per cent, with its 95 % interval by Wilson."""
    from scipy.stats import binomtest

    low, high = binomtest(round(share * n_runs), n_runs).proportion_ci(method="wilson")
    return f"{100 * share:.0f} ({100 * low:.0f}–{100 * high:.0f})"


def on_data_sets(runs: Mapping[str, Collection[int]]) -> str:
    """Return on how many data sets each was run, such as "ours on 100 data sets, others on 20 data sets"."""
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
    """What a study found."""

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
