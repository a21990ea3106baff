"""Comparisons: how well a model predicts from subsets of the features, and which criterion separates them best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from scipy.stats import t as student

from infosift.arrays import FloatArray
from infosift.errors import require_choice
from infosift.results import view_named
from infosift.results.serialization import Library, Record, data_frame

_SURE = 0.975
_COLUMNS_OF_SUBSETS = (
    *("subset", "mean", "spread", "mean_n_features", "difference", "standard_error"),
    *("gain", "gain_error"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetScores(Record):
    """The scores of a model on one subset of the features, fold by fold.

    Parameters
    ----------
    subset : {"selected", "peak", "all", "none"}
        Which features; from none of them, each row gets the same guess: the mean, or the share of each class.
    scores : ndarray
        The score of the rows left out, one for each fold; more is better.
    mean, spread : float
        Mean and standard deviation of the scores.
    n_features : tuple of int
        Number of features in each fold; in a fold of none, the guess is constant.
    chosen : tuple of (str, int)
        Features that were in the subset, and in how many folds, the most frequent first.
    difference : float
        Mean of the scores less those of all features.
    standard_error : float
        Of the difference, with the correction of Nadeau and Bengio (2003) for training rows that folds share.
    gain, gain_error : float
        Mean of the scores less those of the constant guess, and its standard error.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import compare_subsets
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> compare_subsets(X, X[:, 1] + 0.1 * X[:, 0], "ridge")["selected"].chosen
    (('x0', 5), ('x1', 5))
    """

    subset: str
    scores: FloatArray
    mean: float
    spread: float
    n_features: tuple[int, ...]
    chosen: tuple[tuple[str, int], ...]
    difference: float
    standard_error: float
    gain: float
    gain_error: float

    @property
    def mean_n_features(self) -> float:
        """Mean number of features over the folds."""
        return sum(self.n_features) / len(self.n_features)

    @property
    def n_empty_folds(self) -> int:
        """Number of folds without any feature, where the guess is constant."""
        return self.n_features.count(0)

    @property
    def difference_is_clear(self) -> bool:
        """Whether the 95 % interval of the difference to all features, by Student's t, is away from 0."""
        return abs(self.difference) > self._half_width(self.standard_error)

    @property
    def beats_a_guess(self) -> bool:
        """Whether the 95 % interval of the gain over a constant guess, by Student's t, is above 0."""
        return self.gain > self._half_width(self.gain_error)

    def _half_width(self, standard_error: float) -> float:
        return float(student.ppf(_SURE, len(self.scores) - 1)) * standard_error


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetComparison(Record):
    """How well a model predicts from the selected features, the peak, all features and none, by cross-validation.

    In each fold the features are selected again, without the rows that are predicted. ``comparison["selected"]``
    are the scores of one subset.

    Parameters
    ----------
    feature_names : tuple of str
        All features.
    target_name : str
        The target.
    model : str
        The model in words, or the name of its class.
    measure : str
        What the scores are: "R²", "ROC AUC" or the name of another; more is better.
    subsets : tuple of SubsetScores
        The scores of the selected features, of the peak, of all features and of none.
    n_classes : int or None
        Number of classes of the target; None for numbers.
    n_rows, n_rows_dropped : int
        Number of rows used, and of rows dropped for missing values.
    n_gaps : int
        Number of missing values that were filled by means, or were categories of their own, for the model.
    n_row_groups : int or None
        Number of groups of rows, none of which is in two folds; None where each row was on its own.
    n_partial_folds : int
        Number of folds in which the search was ended early.
    seed : int
        The seed.
    version : str
        The version of infosift.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import compare_subsets
    >>> from infosift.results import SubsetComparison
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> comparison = compare_subsets(X, X[:, 1] + 0.1 * X[:, 0], "ridge")
    >>> round(comparison["all"].mean, 3)
    1.0
    >>> SubsetComparison.from_json(comparison.to_json()) == comparison
    True
    """

    feature_names: tuple[str, ...]
    target_name: str
    model: str
    measure: str
    subsets: tuple[SubsetScores, ...]
    n_classes: int | None
    n_rows: int
    n_rows_dropped: int
    n_gaps: int
    n_row_groups: int | None
    n_partial_folds: int
    seed: int
    version: str

    def __getitem__(self, subset: str) -> SubsetScores:
        """Return the scores of the subset "selected", "peak", "all" or "none"."""
        by_name = {one.subset: one for one in self.subsets}
        require_choice("subset", subset, tuple(by_name))
        return by_name[subset]

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.subsets[0].scores)

    @property
    def summary(self) -> str:
        """The comparison in words."""
        selected, everything = self["selected"], self["all"]
        sentences = [
            f"With {self.model}, the {self.measure} is {_number(selected.mean)} from the selected features "
            f"({_count(selected)}), {_number(everything.mean)} from all {_count(everything)} and "
            f"{_number(self['none'].mean)} from a constant guess.",
            self._relation(selected),
        ]
        if empty := selected.n_empty_folds:
            sentences.append(
                f"In {empty} of {self.n_folds} folds nothing was selected, which leaves a constant guess."
            )
        if self.n_partial_folds:
            sentences.append(f"In {self.n_partial_folds} of {self.n_folds} folds the search was ended early.")
        if self.n_gaps:
            sentences.append(f"For the model, {self.n_gaps:,} missing values were filled.")
        return " ".join(sentences)

    def _relation(self, selected: SubsetScores) -> str:
        if not any(one.beats_a_guess for one in self.subsets):
            return "No subset is clearly better than the guess, so this model cannot tell which subset is better."
        error = f"(standard error {selected.standard_error:.3f})"
        if not selected.difference_is_clear:
            return f"The difference to all, {_number(selected.difference, '+')} {error}, is not clear."
        better = "better" if selected.difference > 0 else "worse"
        return f"The selected features are clearly {better} than all, by {abs(selected.difference):.3f} {error}."

    def to_frame(
        self, table: Literal["subsets", "folds", "features"] = "subsets", library: Library | None = None
    ) -> Any:
        """Return the comparison as a data frame.

        Parameters
        ----------
        table : {"subsets", "folds", "features"}, default="subsets"
            A row for each subset; for each subset and fold; or for each feature, with the number of folds in which
            it was in the selected features and in the peak.
        library : {"pandas", "polars", "pyarrow"} or None
            None is pandas where it is installed, else polars.
        """
        counts = {subset: dict(self[subset].chosen) for subset in ("selected", "peak")}
        tables: dict[str, dict[str, list[Any]]] = {
            "subsets": {name: [getattr(one, name) for one in self.subsets] for name in _COLUMNS_OF_SUBSETS},
            "folds": {
                "fold": [fold for _ in self.subsets for fold in range(1, self.n_folds + 1)],
                "subset": [one.subset for one in self.subsets for _ in range(self.n_folds)],
                "score": [float(score) for one in self.subsets for score in one.scores],
                "n_features": [number for one in self.subsets for number in one.n_features],
            },
            "features": {"feature": list(self.feature_names)}
            | {subset: [own.get(name, 0) for name in self.feature_names] for subset, own in counts.items()},
        }
        require_choice("table", table, tuple(tables))
        return data_frame(tables[table], library)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores and return the display; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of pyplot, ``display.figure_``.
        """
        return view_named("comparison_display")(self).plot(ax)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.subset} {one.mean:.3f} ± {one.spread:.3f}" for one in self.subsets)
        return f"SubsetComparison({self.measure} of {self.model}, {self.n_folds} folds: {shown})"


def _number(score: float, sign: str = "") -> str:
    return f"{score:{sign}.3f}".replace("-", "−")


def _count(one: SubsetScores) -> str:
    mean = f"{one.mean_n_features:,.1f}".removesuffix(".0")
    return mean if len(set(one.n_features)) == 1 else f"{mean} on average"


@dataclass(frozen=True, eq=False, kw_only=True)
class CriterionChoice(Record):
    """The criterion that best separates features from shuffled ones.

    Read it in this order. Where ``t`` is not well above ``noise_t``, the criteria detect nothing, and the choice
    means nothing. Where ``share`` is not near 1, or ``margin`` below about 2, another sample of rows may well
    choose the other criterion.

    Parameters
    ----------
    criterion : str
        The one with the largest t, by its name in ``criteria``.
    value : int, float or None
        The value of its structural parameter that separates best; None where it has none.
    criteria : tuple of str
        The criteria compared: short names, or objects as they are written.
    values : tuple of (int, float or None)
        The best value of each.
    features : tuple of str
        The feature that each separates best.
    t : ndarray
        The separation of that feature by that value, one for each criterion, in standard deviations: the largest
        over all features and values.
    noise_t : ndarray
        The mean of the same over the halves, with the target shuffled. It is above zero, the more so the more
        values a criterion compares.
    half_t : ndarray
        The same as ``t`` on random halves of the rows (criteria x halves). Each two of them share no row.
    runner_up : str or None
        The criterion with the next largest t; None where only one is compared.
    share : float
        Share of the halves in which the chosen one has the largest t of all.
    margin : float or None
        How far its t is above that of the runner-up, on average over the halves, in standard deviations of this
        difference. None with one criterion, and where the difference is always the same.
    n_folds, n_rows : int
        Number of folds, and of rows used; of a long table, a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_criterion
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> choice = choose_criterion(X, X[:, 1], ["ksg", "series"], n_folds=10, random_state=0)
    >>> choice.t.shape, choice.half_t.shape
    ((2,), (2, 6))
    """

    criterion: str
    value: float | None
    criteria: tuple[str, ...]
    values: tuple[float | None, ...]
    features: tuple[str, ...]
    t: FloatArray
    noise_t: FloatArray
    half_t: FloatArray
    runner_up: str | None
    share: float
    margin: float | None
    n_folds: int
    n_rows: int
