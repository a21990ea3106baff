"""What all displays share: their base classes, colours, names drawn literally, and figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from infosift.errors import InputError
from infosift.results.serialization import in_whole_characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Distinct with red-green colour blindness, and in grey print by their lightness.
BLUE, ORANGE, GREY, PALE = "#0b559f", "#e08214", "#777777", "#d0d0d0"

# What is drawn at each place along an axis: a name, or several that share a line.
Lines: TypeAlias = dict[int, tuple[str, ...]]

_LONGEST_NAME = 24
_ROW_HEIGHT = 0.24  # inches
_PANELS_OF_ROW, _WIDTH_OF_PANEL, _HEIGHT_OF_PANEL = 3, 3.1, 2.6  # inches
_MARGIN = 0.17  # of a panel


def require_matplotlib() -> None:
    """Refuse early, rather than after a long run."""
    if find_spec("matplotlib") is None:
        raise InputError('The figures need matplotlib: pip install "infosift[plot]".')


def new_figure(rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.4, 4.0), **options: Any) -> Any:
    """Return a figure that pyplot does not know, so that it has no window and need not be closed, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


@dataclass(eq=False)
class Display(ABC):
    """Base of the displays: each stores the numbers it draws, and draws them on axes.

    A display defines ``_draw``, and ``_size`` where the default size does not fit. Those that are linked with the
    other views of a report define ``rows`` or ``columns``.
    """

    ax_: Axes = field(init=False, repr=False)
    figure_: Figure | SubFigure = field(init=False, repr=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on those of a new figure of pyplot, which is then the current one.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        Display
            Itself, with the axes as ``ax_`` and the figure as ``figure_``.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            return self._fill(pyplot.figure(figsize=self._size(), layout="constrained").subplots())
        self._draw_on(ax)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(framealpha=0.85, edgecolor="none", fontsize="small")
        return self

    def plot_for_file(self) -> Self:
        """Draw on a new figure that pyplot does not know, as for a report."""
        return self._fill(new_figure(size=self._size())[1])

    def _fill(self, axes: Axes) -> Self:
        """Draw on the only axes of a figure, with the legend below."""
        self._draw_on(axes)
        if axes.get_legend_handles_labels()[0]:
            self.figure_.legend(loc="outside lower center", ncols=5, frameon=False, fontsize="small")
        return self

    def _draw_on(self, axes: Axes) -> None:
        self._draw(axes)
        self.ax_, self.figure_ = axes, axes.figure

    @property
    def rows(self) -> Lines:
        """The features drawn at each height of the axes, by their place from the top."""
        return {}

    @property
    def columns(self) -> Lines:
        """The features drawn at each place from left to right."""
        return {}

    def _size(self) -> tuple[float, float]:
        return (6.4, 4.0)

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...


@dataclass(eq=False)
class RowsDisplay(Display):
    """Base of the displays with a named row for each feature, of which the first few dozen are drawn.

    Parameters
    ----------
    names : tuple of str
        Names of the rows, from the top down; those beyond ``most_rows`` are counted in one more row.
    """

    names: tuple[str, ...]
    most_rows: ClassVar[int] = 40

    @property
    def rows(self) -> Lines:
        """The features drawn at each height, from the top down; the last row has those that are only counted."""
        return self._in_rows(self.names)

    def _in_rows(self, names: Sequence[str]) -> Lines:
        rows: Lines = {place: (name,) for place, name in enumerate(names[: self.most_rows])}
        others = tuple(names[self.most_rows :])
        return {**rows, self.most_rows: others} if others else rows

    def _size(self) -> tuple[float, float]:
        return (6.4, 1.6 + _ROW_HEIGHT * len(self.rows))

    def _name_rows(self, ax: Axes, of_the_others: str = "") -> None:
        """Name the rows from the top down; ``of_the_others`` is appended to the number of those not drawn."""
        labels = [as_written(self.rows[place][0]) for place in range(min(len(self.names), self.most_rows))]
        more = len(self.names) - len(labels)
        labels += [f"and {more} more{of_the_others}"] if more else []
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        if more:
            ax.get_yticklabels()[-1].set(color=GREY, style="italic")


@dataclass(eq=False)
class PanelsDisplay(Display):
    """Base of the displays with a panel for each feature, which are ``panels_`` inside ``ax_`` once drawn."""

    panels_: list[Axes] = field(init=False, repr=False)

    @property
    @abstractmethod
    def features(self) -> tuple[str, ...]:
        """The features that are drawn, each once."""

    @property
    def _shape(self) -> tuple[int, int]:
        """Number of panels in a column, and in a row."""
        number = max(1, len(self.features))
        return -(-number // _PANELS_OF_ROW), min(_PANELS_OF_ROW, max(2, number))

    def _size(self) -> tuple[float, float]:
        n_rows, n_columns = self._shape
        return (_WIDTH_OF_PANEL * n_columns, 0.3 + _HEIGHT_OF_PANEL * n_rows)

    def _new_panels(self, ax: Axes, label: str) -> Iterator[tuple[str, Axes]]:
        """Yield a panel for each feature; the first of each row has the label."""
        ax.set_axis_off()
        self.panels_ = []
        n_rows, n_columns = self._shape
        width, height = 1 / n_columns, 1 / n_rows
        for place, feature in enumerate(self.features):
            row, column = divmod(place, n_columns)
            left, bottom = (column + _MARGIN / 2) * width, 1 - (row + 1 - _MARGIN) * height
            panel = ax.inset_axes((left, bottom, width * (1 - _MARGIN), height * (1 - 2 * _MARGIN)))
            panel.tick_params(labelsize="x-small")
            panel.set_ylabel("" if column else as_written(label), fontsize="small")
            self.panels_.append(panel)
            yield feature, panel


def as_written(name: str) -> str:
    """Return a name, shortened in its middle, such that matplotlib draws it literally and not as a formula."""
    text = " ".join(in_whole_characters(str(name)).split())
    if len(text) > _LONGEST_NAME:
        tail = _LONGEST_NAME // 3
        text = f"{text[: _LONGEST_NAME - tail - 1]}…{text[-tail:]}"
    return text.replace("$", r"\$")


def write_sentence(ax: Axes, sentence: str) -> None:
    """Write a sentence on axes without anything to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, sentence, transform=ax.transAxes, ha="center", va="center", color=GREY)


def draw_bars(ax: Axes, starts: Any, ends: Any, heights: Any, **style: Any) -> None:
    """Draw horizontal bars as one line with gaps: a legend is placed clear of lines, but not of ``hlines``."""
    gaps = np.full(len(heights), np.nan)
    x = np.column_stack([np.broadcast_to(starts, gaps.shape), ends, gaps])
    ax.plot(x.ravel(), np.repeat(heights, 3), **style)


def label_of_scores(measure: str, unit: str) -> str:
    """Label an axis by what a criterion measures and its unit; an empty measure stands for test statistics."""
    if not measure:
        return "statistic above surrogates (standard deviations)"
    with_target = " with the target" if unit == "nats" else ""
    return f"{measure}{with_target}{f' ({unit})' if unit else ''}"
