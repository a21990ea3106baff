"""What a run leaves behind: the selection with its settings and all the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np

from infosift.evidence import ColumnVerdict, Exchange, NeighborChoice, Step
from infosift.records import Record

INTERRUPT, TIME_LIMIT = "an interrupt", "the time limit"


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings(Record):
    """All that decides the outcome of a run besides the data.

    None stands for "auto" in ``n_neighbors``, ``n_permutations``, ``discrete_features`` and ``discrete_target``.
    """

    alpha: float
    method: str
    criterion: str
    search: str
    n_neighbors: int | None
    n_permutations: int | None
    n_folds: int
    max_neighbors: int
    t_threshold: float | None
    max_features: int | None
    seed: int
    scale: str = "standard"
    missing: str = "error"
    null: str = "shuffle"
    discrete_features: tuple[str, ...] | None = None
    discrete_target: bool | None = None
    keep: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    n_blocks: int | None = None
    time_limit: float | None = None


@dataclass(frozen=True, kw_only=True)
class Subset:
    """Some columns in the order they were taken, and the score of all of them together."""

    names: tuple[str, ...]
    indices: tuple[int, ...]
    score: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection(Record):
    """The chosen columns and all the evidence for them.

    ``neighbors`` is None where the number of neighbours was given or there was nothing to choose it by.
    ``duplicates`` are pairs of a column and the earlier one it repeats; ``identifiers`` are columns of categories
    that hardly repeat. ``discrete`` are the columns taken as categories, and ``n_classes`` the number of classes
    of each target, None for numbers. ``n_rows`` is the number of rows used, and ``n_dropped`` that of rows left
    out for missing values. By the calibrated method, ``exchanges`` are columns that took the place of two chosen
    ones, ``pruned`` are columns that were chosen and then found to add nothing to the others, and ``verdicts`` say
    something about every column that could be chosen. ``ended_by`` is what ended the run before its own end, "an
    interrupt" or "the time limit", and None where it came to its end.
    """

    feature_names: tuple[str, ...]
    target_name: str
    n_rows: int
    constant: tuple[str, ...]
    duplicates: tuple[tuple[str, str], ...]
    neighbors: NeighborChoice | None
    steps: tuple[Step, ...]
    settings: Settings
    version: str
    exchanges: tuple[Exchange, ...] = ()
    pruned: tuple[str, ...] = ()
    verdicts: tuple[ColumnVerdict, ...] = ()
    n_dropped: int = 0
    identifiers: tuple[str, ...] = ()
    discrete: tuple[str, ...] = ()
    n_classes: tuple[int | None, ...] = (None,)
    ended_by: str | None = None

    @property
    def is_partial(self) -> bool:
        """Whether the run was ended before its own end; what is decided till then is here, and holds."""
        return self.ended_by is not None

    @property
    def accepted(self) -> tuple[Step, ...]:
        """The steps that added a column."""
        return tuple(step for step in self.steps if step.accepted)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the chosen columns: those kept, then the others in the order chosen."""
        return self._names(self.indices)

    @property
    def indices(self) -> tuple[int, ...]:
        """Positions of the chosen columns: those kept, then the others in the order chosen."""
        names = list(self._names(self._columns(self.accepted)))
        for exchange in self.exchanges:
            first, second = sorted(map(names.index, exchange.in_place_of))
            names[first] = exchange.feature
            del names[second]
        return tuple(self.feature_names.index(name) for name in names if name not in self.pruned)

    def stayed(self, step: Step) -> bool:
        """Tell whether all that a step added is still there after exchanges and pruning."""
        return step.accepted and set(step.columns) <= set(self.indices)

    def _columns(self, path: tuple[Step, ...]) -> tuple[int, ...]:
        kept = (self.feature_names.index(name) for name in self.settings.keep)
        return (*kept, *(column for step in path for column in step.columns))

    def _names(self, columns: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.feature_names[i] for i in columns)

    @property
    def n_neighbors(self) -> int | None:
        """Number of neighbours used, chosen or given."""
        return self.settings.n_neighbors if self.neighbors is None else self.neighbors.n_neighbors

    @property
    def n_rows_sampled(self) -> int | None:
        """Number of rows that the number of neighbours was chosen on, where these are not all."""
        looked_at = self.n_rows if self.neighbors is None else self.neighbors.n_rows
        return looked_at if looked_at < self.n_rows else None

    @property
    def peak(self) -> Subset:
        """The subset with the highest score on the path, the rejected last step included."""
        path = self.steps[: int(np.argmax([step.information for step in self.steps])) + 1] if self.steps else ()
        columns = self._columns(path)
        return Subset(names=self._names(columns), indices=columns, score=path[-1].information if path else None)

    @property
    def stopped(self) -> str:
        """Why the search ended, in words."""
        if self.ended_by is not None:
            return f"{self.ended_by} came before it was done"
        if self.steps and not self.steps[-1].accepted:
            return f"{self.steps[-1].feature} adds no significant information"
        last = self.steps[-1] if self.steps else None
        are_left = last is not None and not set(last.candidates) <= set(last.columns)
        most = self.settings.max_features
        if are_left or (most is not None and len(self.settings.keep) >= most):
            return "as many columns are chosen as were asked for"
        return "no usable column is left"

    def to_frame(self, library: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """Return the steps as a data frame, one row each.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"} or None
            None is pandas where it is installed, else polars.
        """
        columns = [
            *("feature", "score", "threshold", "p_value", "p_low", "p_high"),
            *("n_permutations", "accepted", "seconds"),
        ]
        content = {name: [getattr(step, name) for step in self.steps] for name in columns}
        installed: Literal["pandas", "polars"] = "pandas" if find_spec("pandas") else "polars"
        return nw.from_dict(content, backend=library or installed).to_native()

    def plot(self, kind: str = "path", ax: Any = None) -> Any:
        """Draw the selection and return the display; needs matplotlib.

        Parameters
        ----------
        kind : {"path", "neighbors", "ranking", "verdicts"}, default="path"
            The steps, the choice of the number of neighbours, the scores of the first step, or the verdicts.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure, ``display.figure_``, without a window.
        """
        from infosift import plots

        return plots.draw(self, kind, ax)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the selection, its figures and how to repeat it as one HTML file to hand on; needs matplotlib.

        Parameters
        ----------
        path : str or path
            The file to write; it needs no other file and no network to be read.
        """
        from infosift.report import write_report

        write_report(self, path)

    def __repr__(self) -> str:
        chosen = ", ".join(self.names) or "nothing"
        sample = (
            f", n_neighbors chosen on {self.n_rows_sampled} of {self.n_rows} rows" if self.n_rows_sampled else ""
        )
        return (
            f"Selection({chosen}; {len(self.names)} of {len(self.feature_names)} columns, {self.stopped}{sample})"
        )
