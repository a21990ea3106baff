"""Where on a grid, such as that of wavelengths, the selected features lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, ORANGE, Display, as_written
from infosift.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results.selection import Selection

_DARK = 10  # of the ranges, those selected first
# As shares of the grid: names closer than the one would overlap, ranges below the other need an edge to be seen.
_CLOSEST_LABELS, _NARROW = 0.035, 0.005


@dataclass(eq=False)
class SpectrumDisplay(Display):
    """The mean of sampled curves, such as spectra, and the selected ranges, those selected first darker.

    Parameters
    ----------
    grid, mean_curve : ndarray of shape (n_samples_of_a_curve,)
        Where the curves are sampled, and their mean.
    ranges : ndarray of shape (n_selected, 2)
        Ends of the ranges, in the order selected.
    names : tuple of str
        Names of the ranges; where they would overlap, the first of them is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import SpectrumDisplay
    >>> values = np.random.default_rng(0).normal(size=(60, 3))
    >>> X = pl.DataFrame(values, schema=["wl400", "wl410", "wl420"])
    >>> selection = MutualInfoSelector(max_features=1, random_state=0).fit(X, X["wl410"] ** 2).selection_
    >>> SpectrumDisplay.from_selection(selection, X).ranges.tolist()
    [[405.0, 415.0]]
    """

    grid: FloatArray
    mean_curve: FloatArray
    ranges: FloatArray
    names: tuple[str, ...]

    @classmethod
    def from_selection(cls, selection: Selection, spectra: Any, grid: Any = None, ranges: Any = None) -> Self:
        """Take the selected features of a selection, and the mean of the curves.

        Parameters
        ----------
        selection : Selection
            Of the columns of ``spectra``, or of others that have ``ranges``.
        spectra : array-like or data frame of shape (n_curves, n_samples_of_a_curve)
            The curves.
        grid : array-like of shape (n_samples_of_a_curve,) or None, default=None
            Where the curves are sampled; by default the last number in the name of each column.
        ranges : array-like of shape (n_features, 2) or None, default=None
            Ends of the range of each feature that could be selected, such as ``BSplineBasis.ranges_``; by default
            half a step of the grid to both sides.
        """
        # Here, so that a selection read from a file is drawn without loading scikit-learn.
        from infosift.data.columns import as_frame
        from infosift.data.frames import read_columns

        curves = read_columns(spectra)
        n_samples, n_features = len(curves.names), len(selection.feature_names)
        if n_samples != n_features and ranges is None:
            raise InputError(
                f"The selection is of {n_features} features and the spectra have {n_samples}: "
                "give ranges, the two ends for each feature of the selection."
            )
        names = selection.feature_names if as_frame(spectra) is None else curves.names
        places = _read_grid(grid, names, n_samples)
        if ranges is None:
            centres = places if grid is not None else _numbers_in(selection.feature_names)
            ranges = centres[:, None] + _half_a_step(places) * np.array([-1, 1])
        order = np.argsort(places, kind="stable")
        return cls(
            grid=places[order],
            mean_curve=np.nanmean(curves.values, axis=1)[order],
            ranges=_read_ranges(ranges, n_features)[list(selection.indices)],
            names=selection.names,
        )

    def _size(self) -> tuple[float, float]:
        return (8.0, 4.0)

    def _draw(self, ax: Axes) -> None:
        later = len(self.ranges) > _DARK
        narrow = _NARROW * float(np.ptp(self.grid))
        for number, (low, high) in enumerate(self.ranges):
            dark = number < _DARK
            label = (f"first {_DARK} selected" if later else "selected") if number == 0 else None
            color = (ORANGE, 0.35 if dark else 0.05)
            ax.axvspan(low, high, color=color, lw=1 if high - low < narrow else 0, label=label)
        ax.plot(self.grid, self.mean_curve, color=BLUE, lw=1.8, label="mean curve")
        ax.set(xlabel="position on the grid", ylabel="mean of the curves")
        self._name_ranges(ax)

    def _name_ranges(self, ax: Axes) -> None:
        closest = _CLOSEST_LABELS * float(np.ptp(self.grid))
        named: dict[float, str] = {}
        for centre, name in zip(self.ranges[:_DARK].mean(axis=1).tolist(), self.names, strict=False):
            if all(abs(centre - other) >= closest for other in named):
                named[centre] = as_written(name)
        if named:
            above = ax.secondary_xaxis("top")
            above.set_xticks(list(named), list(named.values()), rotation=90)
            above.tick_params(labelsize="small", color=ORANGE)


def _read_grid(grid: Any, names: Sequence[str], n_samples: int) -> FloatArray:
    places = _numbers_in(names) if grid is None else np.asarray(grid, dtype=np.float64)
    if places.shape != (n_samples,):
        raise InputError(f"Give grid, with one position for each of the {n_samples} columns of the spectra.")
    return places


def _numbers_in(names: Sequence[str]) -> FloatArray:
    found = [re.findall(r"\d+(?:\.\d+)?", name) for name in names]
    for name, numbers in zip(names, found, strict=True):
        if not numbers:
            raise InputError(f'The name of the column "{name}" has no number to place it by: give grid.')
    return np.array([float(numbers[-1]) for numbers in found])


def _half_a_step(grid: FloatArray) -> float:
    steps = np.diff(np.unique(grid))
    return float(np.median(steps)) / 2 if len(steps) else 0.5


def _read_ranges(ranges: Any, n_features: int) -> FloatArray:
    ends = np.asarray(ranges, dtype=np.float64)
    if ends.shape != (n_features, 2):
        raise InputError(f"ranges must have two ends for each of the {n_features} features of the selection.")
    return ends
