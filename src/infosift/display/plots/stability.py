"""Displays of resampled results: selection frequencies over half-samples, and scores of a model over folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from infosift.arrays import FloatArray
from infosift.display.plots.canvas import BLUE, GREY, PALE, Display, RowsDisplay, draw_bars, write_sentence
from infosift.display.wording import name_of_subset
from infosift.results.resampled import THRESHOLD

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infosift.results import Stability, SubsetComparison

_THRESHOLDS = (0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(eq=False)
class StabilityDisplay(RowsDisplay):
    """The selection frequency of each feature as a bar; above, how many reach a frequency by chance.

    A circle is the frequency of a group of features that replace each other, on the bar of the first of them.

    Parameters
    ----------
    names : tuple of str
        Features that are ever selected, the most frequent first.
    frequencies : ndarray
        Share of the half-samples in which each is selected.
    group_frequencies : ndarray
        Share in which one of the group is that each leads; NaN where it leads none.
    thresholds : tuple of float
        Frequencies at which the bound is shown.
    bounds : ndarray
        How many features reach each of these by chance, at most and on average.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, selection_stability
    >>> from infosift.display.plots import StabilityDisplay
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> stability = selection_stability(MutualInfoSelector(), X, X[:, 1], n_resamples=4)
    >>> StabilityDisplay.from_stability(stability).names
    ('x1', 'x2')
    """

    most_rows: ClassVar[int] = 30

    frequencies: FloatArray
    group_frequencies: FloatArray
    thresholds: tuple[float, ...]
    bounds: FloatArray

    @classmethod
    def from_stability(cls, stability: Stability) -> Self:
        """Take the features that are ever selected."""
        names = stability.ever_selected
        led = {group.features[0]: group.frequency for group in stability.groups}
        return cls(
            names=names,
            frequencies=np.array([stability.frequency(name) for name in names]),
            group_frequencies=np.array([led.get(name, np.nan) for name in names]),
            thresholds=_THRESHOLDS,
            bounds=np.array([stability.bound(threshold) for threshold in _THRESHOLDS]),
        )

    def _size(self) -> tuple[float, float]:
        width, height = super()._size()
        return (width, height + 0.4)

    def _draw(self, ax: Axes) -> None:
        if not self.names:
            write_sentence(ax, "Nothing is selected on any half-sample.")
            return
        shown = self.frequencies[: self.most_rows]
        places = np.arange(len(shown))
        is_stable = shown >= THRESHOLD - 1e-9
        ax.barh(places, shown, height=0.6, color=np.where(is_stable, BLUE, PALE).tolist())
        ax.axvline(THRESHOLD, color=GREY, ls="--", lw=1.2, label=f"frequency {THRESHOLD:g}")
        groups = self.group_frequencies[: self.most_rows]
        if not np.isnan(groups).all():
            ax.plot(groups, places, "o", mfc="white", mec=BLUE, ms=7, label="it or a feature that replaces it")
        self._name_rows(ax)
        ax.set(xlabel="share of half-samples on which it is selected", xlim=(0, 1.02))
        above = ax.secondary_xaxis("top")
        above.set_xticks(list(self.thresholds), [f"{bound:.2g}" for bound in self.bounds], fontsize="small")
        above.set_xlabel("features that reach it by chance, at most", fontsize="small", loc="right")


@dataclass(eq=False)
class ComparisonDisplay(RowsDisplay):
    """The score of each fold as a grey dot, joined between subsets, and the mean of each subset with its spread.

    Parameters
    ----------
    names : tuple of str
        The subsets of features that the model was fitted to.
    scores : ndarray of shape (n_subsets, n_folds)
        The score of each subset in each fold.
    measure : str
        What the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import compare_subsets
    >>> from infosift.display.plots import ComparisonDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> ComparisonDisplay.from_comparison(compare_subsets(X, X[:, 1] + 0.1 * X[:, 0], "ridge")).scores.shape
    (5, 5)
    """

    scores: FloatArray
    measure: str

    @classmethod
    def from_comparison(cls, comparison: SubsetComparison) -> Self:
        """Take the scores of all subsets and folds."""
        return cls(
            names=tuple(name_of_subset(one.subset) for one in comparison.subsets),
            scores=np.array([one.scores for one in comparison.subsets]),
            measure=comparison.measure,
        )

    def _draw(self, ax: Axes) -> None:
        places = np.arange(len(self.names))
        ax.plot(self.scores, places, color=PALE, lw=1)
        ax.plot(self.scores.T.ravel(), np.tile(places, self.scores.shape[1]), "o", ms=4, color=GREY, label="fold")
        mean, spread = self.scores.mean(axis=1), self.scores.std(axis=1, ddof=1)
        draw_bars(ax, mean - spread, mean + spread, places, color=BLUE, lw=2, label="standard deviation")
        ax.plot(mean, places, "D", ms=7, color=BLUE, label="mean")
        self._name_rows(ax)
        ax.set_xlabel(f"{self.measure} on rows left out")


@dataclass(eq=False)
class SizesDisplay(Display):
    """The score of a model against the number of features, with the scores of whole subsets as lines.

    Parameters
    ----------
    sizes, means, spreads : ndarray
        Numbers of features, and mean and standard deviation of their scores over folds.
    subsets : dict of str to tuple of float
        Mean number of features and mean score of the subsets that the curve is compared with.
    measure : str
        What the scores are.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import compare_subsets
    >>> from infosift.display.plots import SizesDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SizesDisplay.from_comparison(compare_subsets(X, y, "ridge", cv=3, sizes=[1, 2, 4])).sizes
    array([1., 2., 4.])
    """

    sizes: FloatArray
    means: FloatArray
    spreads: FloatArray
    subsets: dict[str, tuple[float, float]]
    measure: str

    @classmethod
    def from_comparison(cls, comparison: SubsetComparison) -> Self:
        """Take the means and spreads of all numbers of features, and the means of whole subsets."""
        curve = comparison.sizes
        return cls(
            sizes=np.array([one.mean_n_features for one in curve]),
            means=np.array([one.mean for one in curve]),
            spreads=np.array([one.spread for one in curve]),
            subsets={
                name_of_subset(name): (comparison[name].mean_n_features, comparison[name].mean)
                for name in ("selected", "for_prediction", "all")
            },
            measure=comparison.measure,
        )

    def _draw(self, ax: Axes) -> None:
        ax.fill_between(self.sizes, self.means - self.spreads, self.means + self.spreads, color=PALE, lw=0)
        ax.plot(self.sizes, self.means, "o-", color=BLUE, ms=5, label="first so many")
        styles = zip(self.subsets.items(), ("-", "--", ":"), strict=True)
        for (name, (number, mean)), style in styles:
            ax.axhline(mean, color=GREY, lw=1, ls=style, label=f"{name} ({number:.3g})")
        ax.set_xlabel("number of features")
        ax.set_ylabel(f"{self.measure} on rows left out")
