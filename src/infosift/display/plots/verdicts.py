"""The verdict on each feature over its p-value, and which selected feature explains which redundant one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, GREY, ORANGE, PALE, Lines, RowsDisplay, as_written, draw_bars
from infosift.errors import Hint, InputError
from infosift.results.path import candidate_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results.selection import Selection

# Marker, filling and edge: in grey print the shape shows what the colour does not.
_MARKS = {
    "selected": ("o", BLUE, BLUE),
    "redundant": ("s", ORANGE, ORANGE),
    "undecided": ("D", "white", BLUE),
    "not shown": ("v", PALE, GREY),
}
_MOST_COLUMNS = 20
_DARK = 0.55  # share from which on a number in its cell is written in white
_NOT_STORED = "#ececec"


@dataclass(eq=False)
class VerdictsDisplay(RowsDisplay):
    """The verdict on each feature over its p-value: those selected first, then the others by their p-values.

    Parameters
    ----------
    names : tuple of str
        Features.
    verdicts : tuple of {"selected", "redundant", "undecided", "not shown"}
        The verdict on each.
    p_values : ndarray of shape (n_features,)
        That of its step where a feature was selected, and otherwise that of the feature alone; adjusted for the
        number of candidates.
    unadjusted_p_values : ndarray of shape (n_features,)
        The same as if each were the only candidate; NaN where there is none.
    alpha : float
        The significance level.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import VerdictsDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(max_features=1, random_state=0).fit(X, X[:, 1] ** 2)
    >>> display = VerdictsDisplay.from_selection(selector.selection_)
    >>> display.names[0], display.verdicts[0]
    ('x1', 'selected')
    """

    verdicts: tuple[str, ...]
    p_values: FloatArray
    unadjusted_p_values: FloatArray
    alpha: float

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the verdicts on all features that could be selected."""
        if not selection.verdicts:
            hint = Hint("method", "calibrated")
            raise InputError("The selection has no verdicts: they come with ", hint, ", where features vary.")
        ordered = sorted(
            selection.verdicts,
            key=lambda one: (one.verdict != "selected", one.p_value, one.unadjusted_p_value or 0.0),
        )
        return cls(
            names=tuple(one.feature for one in ordered),
            verdicts=tuple(one.verdict for one in ordered),
            p_values=np.array([one.p_value for one in ordered]),
            unadjusted_p_values=np.array([one.unadjusted_p_value for one in ordered], dtype=np.float64),
            alpha=selection.settings.alpha,
        )

    def _draw(self, ax: Axes) -> None:
        evidence = -np.log10(self.p_values[: self.most_rows])
        unadjusted = -np.log10(self.unadjusted_p_values[: self.most_rows])
        verdicts = np.array(self.verdicts[: self.most_rows])
        places = np.arange(len(evidence))
        draw_bars(ax, 0, evidence, places, color=PALE, lw=1.5, zorder=1)
        ax.axvline(-np.log10(self.alpha), color=GREY, ls="--", lw=1.2, zorder=1, label=f"alpha = {self.alpha:g}")
        differs = ~np.isclose(unadjusted, evidence) & ~np.isnan(unadjusted)
        if differs.any():
            ax.plot(unadjusted[differs], places[differs], "|", color=GREY, ms=8, label="unadjusted p", zorder=1)
        for verdict, (marker, filling, edge) in _MARKS.items():
            drawn = verdicts == verdict
            if drawn.any():
                ax.plot(evidence[drawn], places[drawn], marker, mfc=filling, mec=edge, ms=7, label=verdict)
        ax.set(xlabel="$-\\log_{10}\\,p$\n(of its step where selected, else of the feature alone; adjusted)")
        self._name_rows(ax)


@dataclass(eq=False)
class RedundancyDisplay(RowsDisplay):
    """How much of the evidence for each redundant feature went as each selected one was added.

    A cell is the share of a feature's statistic at the first step that it lost from the step at which a feature
    was added to the next one; below zero it gained. A dot marks the selected features that carry its information.

    Parameters
    ----------
    names : tuple of str
        The redundant features, those with the largest statistic at the first step first.
    explained_by : tuple of str
        The selected features, in the order selected; those that were added together have one name.
    shares : ndarray of shape (n_names, n_explained_by)
        Share of the statistic of the first step that was lost; NaN where a statistic was not stored.
    carried : ndarray of bool, of the same shape
        Whether a selected feature carries the information of a redundant one.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> from infosift.display.plots import RedundancyDisplay
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> X = np.column_stack([x, x + 0.3 * rng.normal(size=200), rng.normal(size=200)])
    >>> selector = MutualInfoSelector(random_state=0).fit(X, x + 0.1 * rng.normal(size=200))
    >>> display = RedundancyDisplay.from_selection(selector.selection_)
    >>> display.names, display.explained_by, bool(display.shares[0, 0] > 0.5)
    (('x1',), ('x0',), True)
    """

    explained_by: tuple[str, ...]
    shares: FloatArray
    carried: NDArray[np.bool_]

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Take the statistics of redundant features before and after each selected one was added."""
        carriers = {one.feature: one.redundant_with for one in selection.verdicts if one.verdict == "redundant"}
        if not carriers or not selection.names:
            raise InputError("No feature was found to be redundant, so there is nothing to draw.")
        ranks = candidate_ranks(selection)
        scores = {name: {one.step: one.score for one in ranks.get(name, ())} for name in carriers}
        names = sorted(carriers, key=lambda name: -scores[name].get(1, -np.inf))
        added = _added(selection)
        return cls(
            names=tuple(names),
            explained_by=tuple(added),
            shares=np.array([[_lost(scores[name], step) for _, step in added.values()] for name in names]),
            carried=np.array(
                [[not members.isdisjoint(carriers[name]) for members, _ in added.values()] for name in names]
            ),
        )

    @property
    def shown(self) -> list[int]:
        """Positions in ``names`` of the strongest few dozen, those that the same feature carries together."""
        strongest = range(min(len(self.names), self.most_rows))
        best = np.where(self.carried, np.nan_to_num(self.shares, nan=-1.0), -np.inf)
        return sorted(strongest, key=lambda place: (int(np.argmax(best[place])), place))

    @property
    def rows(self) -> Lines:
        """The redundant features that are drawn, from the top down, and those that are not."""
        in_order = [*self.shown, *range(self.most_rows, len(self.names))]
        return self._in_rows([self.names[place] for place in in_order])

    @property
    def columns(self) -> Lines:
        """The selected features that are drawn."""
        return {place: (name,) for place, name in enumerate(self.explained_by[:_MOST_COLUMNS])}

    def _size(self) -> tuple[float, float]:
        width, height = super()._size()
        longest = max(len(as_written(name)) for name in self.explained_by[:_MOST_COLUMNS])
        return (width, height + 0.06 * longest)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        shares = np.ma.masked_invalid(self.shares[self.shown, :_MOST_COLUMNS])
        colors = LinearSegmentedColormap.from_list("lost", [ORANGE, "white", BLUE]).with_extremes(bad=_NOT_STORED)
        edges = [np.arange(length + 1) - 0.5 for length in shares.shape[::-1]]
        ax.pcolormesh(*edges, shares, cmap=colors, vmin=-1, vmax=1, edgecolor="white", lw=1)
        for (row, column), share in np.ndenumerate(shares.filled(np.nan)):
            if not np.isnan(share):
                color = "white" if share > _DARK else "black"
                text = f"{100 * share:.0f}".replace("-", "−")
                ax.text(column, row, text, ha="center", va="center", fontsize="small", color=color)
        self._mark(ax)
        self._name_rows(ax)
        if len(self.names) > len(shares):
            ax.axhline(len(shares) - 0.5, color="white", lw=1)
        columns = [as_written(name) for name in self.explained_by[:_MOST_COLUMNS]]
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor")
        rest = len(self.explained_by) - len(columns)
        which = f" (the first {len(columns)}, of {rest + len(columns)})" if rest else ""
        ax.set(
            xlabel=f"selected feature{which}\n% of the statistic of the first step lost as it was added",
            xlim=(-0.5, len(columns) - 0.5),
        )
        ax.spines[:].set_visible(False)
        ax.tick_params(axis="x", length=0)

    def _mark(self, ax: Axes) -> None:
        rows, columns = np.nonzero(self.carried[self.shown, :_MOST_COLUMNS])
        width = min(len(self.explained_by), _MOST_COLUMNS)
        # A fixed distance from the left edge, however wide the columns are.
        aside = 0.5 - 0.02 * width
        if len(rows):
            ax.plot(columns - aside, rows, "o", ms=4, mfc="black", mec="white", label="carries its information")
        if np.isnan(self.shares[self.shown, :_MOST_COLUMNS]).any():
            ax.plot([], [], "s", ms=9, color=_NOT_STORED, mec=GREY, mew=0.5, label="no statistic stored")


def _added(selection: Selection) -> dict[str, tuple[set[str], int | None]]:
    """Return the selected features in their order, as labels with their members and the step that added them."""
    of_step: dict[str, tuple[str, set[str], int | None]] = {}
    for number, step in enumerate(selection.steps, start=1):
        if selection.stayed(step):
            members = {selection.feature_names[column] for column in step.columns}
            of_step |= dict.fromkeys(members, (step.feature, members, number))
    units = [of_step.get(name, (name, {name}, None)) for name in selection.names]
    return {label: (members, step) for label, members, step in units}


def _lost(scores: dict[int, float], step: int | None) -> float:
    """Return the share of the first score that is lost from a step to the next one; NaN where one is missing."""
    if step is None or not {1, step, step + 1} <= set(scores) or scores[1] <= 0:
        return np.nan
    return (scores[step] - scores[step + 1]) / scores[1]
