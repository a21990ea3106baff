"""The scores of a model on the selected features, the peak, all features and none, fold by fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.phrases import name_of_subset
from infosift.display.plots.canvas import BLUE, GREY, PALE, Display, draw_bars, height_of_rows, name_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results.comparison import SubsetComparison


@dataclass(eq=False)
class ComparisonDisplay(Display):
    """The score of each fold as a grey dot, joined between subsets, and the mean of each subset with its spread.

    Parameters
    ----------
    subsets : tuple of str
        What the rows are called.
    scores : ndarray
        The score of each subset (rows) in each fold (columns).
    measure : str
        What the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import ComparisonDisplay, compare_subsets
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> ComparisonDisplay.from_comparison(compare_subsets(X, X[:, 1] + 0.1 * X[:, 0], "ridge")).scores.shape
    (4, 5)
    """

    subsets: tuple[str, ...]
    scores: FloatArray
    measure: str

    @classmethod
    def from_comparison(cls, comparison: SubsetComparison) -> Self:
        """Take the scores of all subsets and folds."""
        return cls(
            subsets=tuple(name_of_subset(one.subset) for one in comparison.subsets),
            scores=np.array([one.scores for one in comparison.subsets]),
            measure=comparison.measure,
        )

    def _size(self) -> tuple[float, float]:
        return (6.4, height_of_rows(len(self.subsets)))

    def _draw(self, ax: Axes) -> None:
        places = np.arange(len(self.subsets))
        ax.plot(self.scores, places, color=PALE, lw=1)
        ax.plot(self.scores.T.ravel(), np.tile(places, self.scores.shape[1]), "o", ms=4, color=GREY, label="fold")
        mean, spread = self.scores.mean(axis=1), self.scores.std(axis=1, ddof=1)
        draw_bars(ax, mean - spread, mean + spread, places, color=BLUE, lw=2, label="standard deviation")
        ax.plot(mean, places, "D", ms=7, color=BLUE, label="mean")
        name_rows(ax, self.subsets, "")
        ax.set_xlabel(f"{self.measure} on rows left out")
