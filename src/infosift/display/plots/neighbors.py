"""How the number of neighbours was chosen."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PALE, Display, as_written
from infosift.display.wording import named
from infosift.errors import Hint, InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import NeighborChoice, Selection


@dataclass(eq=False)
class NeighborsDisplay(Display):
    """How well each number of neighbours separates features from shuffled surrogates, and both at the chosen one.

    Once drawn, ``panels_`` are the two axes inside ``ax_``.

    Parameters
    ----------
    candidates : tuple of int
        The numbers of neighbours compared.
    t : ndarray of shape (n_features, n_candidates)
        The separation of each feature from its shuffled surrogates, in standard deviations; NaN for a feature that
        was not examined.
    feature_names : tuple of str
        Names of the features.
    n_neighbors : int
        The number chosen.
    feature : str
        The feature with the largest t at that number.
    estimates, shuffled_estimates : ndarray
        Its estimates at that number and those of its shuffled surrogates, one per fold.
    t_threshold : float or None
        The t that counts, where the largest of all did not decide.
    parameter : str
        What was chosen: the number of neighbours, or the parameter of another criterion.
    measure, unit : str
        What the criterion measures, and its unit; "" for a share.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_n_neighbors
    >>> from infosift.display.plots import NeighborsDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> display = NeighborsDisplay.from_choice(choose_n_neighbors(X, X[:, 1], random_state=0))
    >>> display.feature, display.t.shape
    ('x1', (3, 20))
    """

    candidates: tuple[float, ...]
    t: FloatArray
    feature_names: tuple[str, ...]
    n_neighbors: float
    feature: str
    estimates: FloatArray
    shuffled_estimates: FloatArray
    t_threshold: float | None = None
    parameter: str = "number of neighbours"
    measure: str = "mutual information"
    unit: str = "nats"

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the choice that the selection was made with."""
        parameter, hint = named(selection.criterion_parameter or "parameter"), Hint("method", "published")
        if selection.neighbors is None:
            raise InputError(f"The {parameter} was not chosen by resampling: leave the choice to ", hint, ".")
        return replace(
            cls.from_choice(selection.neighbors),
            parameter=parameter,
            measure=selection.criterion_measure,
            unit=selection.criterion_unit,
        )

    @classmethod
    def from_choice(cls, choice: NeighborChoice) -> Self:
        """Take the numbers of a choice, which have the same names there."""
        return cls(**{one.name: getattr(choice, one.name) for one in fields(cls) if hasattr(choice, one.name)})

    def _size(self) -> tuple[float, float]:
        return (9.6, 4.0)

    @property
    def _symbol(self) -> str:
        return "k" if self.parameter == "number of neighbours" else self.parameter

    def _draw(self, ax: Axes) -> None:
        ax.set_axis_off()
        left, right = ax.inset_axes((0, 0, 0.48, 1)), ax.inset_axes((0.52, 0, 0.48, 1))
        self._draw_separation(left)
        unit = f" ({self.unit})" if self.unit else ""
        draw_distributions(right, self.estimates, self.shuffled_estimates, f"{self.measure}{unit}")
        right.yaxis.tick_right()
        right.yaxis.set_label_position("right")
        right.set_title(f"{as_written(self.feature)} at {self._symbol} = {self.n_neighbors}", fontsize="medium")
        self.panels_ = (left, right)

    def _draw_separation(self, ax: Axes) -> None:
        deciding = self.feature_names.index(self.feature)
        others = np.delete(self.t, deciding, axis=0)
        others = others[~np.isnan(others).any(axis=1)]
        if len(others):
            lines = ax.plot(self.candidates, others.T, color=PALE if len(others) > 20 else GREY, lw=0.8)
            lines[0].set_label("other features")
        ax.plot(self.candidates, self.t[deciding], color=BLUE, lw=2.2, label=f"feature {as_written(self.feature)}")
        chosen = self.candidates.index(self.n_neighbors)
        ax.plot(self.n_neighbors, self.t[deciding, chosen], "o", ms=10, mfc="none", mec=BLUE)
        ax.axvline(
            self.n_neighbors, color=ORANGE, ls="--", lw=1.5, label=f"chosen, {self._symbol} = {self.n_neighbors}"
        )
        if self.t_threshold is not None:
            ax.axhline(self.t_threshold, color=ORANGE, ls=":", label="t that counts")
        if all(isinstance(value, int) for value in self.candidates):
            ax.locator_params(axis="x", integer=True)
        name = f"{self.parameter} k" if self._symbol == "k" else self.parameter
        ax.set(xlabel=name, ylabel="t, separation from shuffled surrogates")
        _add_legend_above(ax)


def draw_distributions(
    ax: Axes, estimates: FloatArray, shuffled: FloatArray, label: str = "mutual information (nats)"
) -> None:
    """Draw the resampling distributions of a feature and of its shuffled surrogates."""
    edges = np.histogram_bin_edges(np.concatenate([estimates, shuffled]), bins=24).tolist()
    ax.hist(shuffled, edges, color=ORANGE, hatch="////", edgecolor="white", lw=0.5, label="shuffled surrogates")
    ax.hist(estimates, edges, color=BLUE, alpha=0.85, edgecolor="white", lw=0.5, label="the feature")
    ax.set(xlabel=label, ylabel="number of folds")
    _add_legend_above(ax)


def _add_legend_above(ax: Axes) -> None:
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.3 * (high - low))
    ax.legend(loc="upper left", framealpha=0.85, edgecolor="none", fontsize="small")
