"""What selections on resampled rows show: how stable they are, how well a model predicts, which criterion is best.

Stability is how often features are selected on half-samples, and how many are by chance (Shah and Samworth, 2013).
Comparisons are of how well a model predicts from subsets of the features, and of how well criteria separate them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from infosift.arrays import FloatArray
from infosift.errors import InputError, listing, require_choice
from infosift.results import view_named
from infosift.results.selection import Settings
from infosift.results.serialization import Library, Record, data_frame

ASSUMPTIONS = ("unimodal", "none")
_ROUNDING = 1e-9
_LARGEST_SHARE = 1 / sqrt(3)
THRESHOLD = 0.75
_MOST_NAMES = 12
_MOST_GROUPS = 3
_SURE = 0.975
_COLUMNS_OF_SUBSETS = (
    *("subset", "mean", "spread", "mean_n_features", "difference", "standard_error"),
    *("gain", "gain_error"),
)


def chance_bound(
    threshold: float, n_pairs: int, mean_selected: float, n_candidates: int, assumption: str = "unimodal"
) -> float:
    """Return a bound on the expected number of features of low selection probability that reach a threshold.

    Of low probability are those selected on a half-sample with a probability of at most ``share``, that of a
    feature drawn at random: ``mean_selected / n_candidates``. Without an assumption the bound is Theorem 1 of
    Shah and Samworth. "unimodal" is their Theorem 2: the share of the pairs in both halves of which such a feature
    is selected has a distribution with one peak. Where that theorem gives no bound, it is Theorem 1.
    """
    require_choice("assumption", assumption, ASSUMPTIONS)
    frequency = on_grid(require_frequency(threshold, above=0.5), n_pairs)
    if n_candidates == 0:
        return 0.0
    share = mean_selected / n_candidates
    by_chance_in_both = share * mean_selected
    bounds = [mean_selected / frequency]  # Markov's inequality
    if frequency > 0.5:
        bounds.append(by_chance_in_both / (2 * frequency - 1))
    if assumption == "unimodal" and _applies(frequency, n_pairs, share):
        bounds.append(by_chance_in_both * _factor_of_unimodal(frequency, n_pairs))
    return min(bounds)


def require_frequency(threshold: object, above: float) -> float:
    """Return a threshold of selection frequencies, which must lie above a bound and be at most 1."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not above < float(threshold) <= 1:
        raise InputError(f"threshold must be a frequency above {above:g} and at most 1, not {threshold!r}.")
    return float(threshold)


def on_grid(threshold: float, n_pairs: int) -> float:
    """Return the smallest frequency of so many pairs of half-samples that reaches a threshold."""
    return ceil(2 * n_pairs * threshold - _ROUNDING) / (2 * n_pairs)


def _applies(frequency: float, n_pairs: int, share: float) -> bool:
    """Tell whether Theorem 2 bounds this frequency."""
    if share > _LARGEST_SHARE or frequency < 0.5 + 1 / n_pairs - _ROUNDING:
        return False
    return frequency > 0.75 or frequency > min(0.5 + share**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * share**2)


def _factor_of_unimodal(frequency: float, n_pairs: int) -> float:
    """Return the constant of Theorem 2."""
    if frequency <= 0.75:
        return 1 / (2 * (2 * frequency - 1 - 1 / (2 * n_pairs)))
    return 4 * (1 - frequency + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)


@dataclass(frozen=True, eq=False, kw_only=True)
class Substitutes(Record):
    """Features that replace each other: where one is selected, others of them are redundant with it.

    Parameters
    ----------
    features : tuple of str
        The features, the most frequently selected first.
    frequency : float
        Share of the half-samples in which at least one of them is selected.

    Examples
    --------
    >>> from infosift.results import Substitutes
    >>> Substitutes(features=("weight", "girth"), frequency=0.98).frequency
    0.98
    """

    features: tuple[str, ...]
    frequency: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Stability(Record):
    """How often each feature is selected over half-samples of the rows.

    Half-samples come in pairs without a row in common: the first and the second, the third and the fourth, and so
    on.

    Parameters
    ----------
    feature_names : tuple of str
        All features.
    target_name : str
        The target.
    frequencies : ndarray
        Share of the half-samples in which each feature is selected; 1 for those kept.
    groups : tuple of Substitutes
        Features that replace each other, where there are some, the most frequently selected group first. They need
        verdicts, which the calibrated method has.
    selected : tuple of tuple of str
        The features selected on each half-sample, in the order selected.
    n_candidates : int
        Number of features that could be selected, on all rows. Those kept do not count; a feature group is one.
    mean_selected : float
        Mean number of these that a half-sample selects.
    n_rows, n_rows_dropped : int
        Number of rows used, and of rows dropped for missing values.
    n_row_groups : int or None
        Number of groups of rows, which half-samples have as a whole; None where each row was on its own.
    n_partial : int
        Number of half-samples on which the search was ended early.
    settings : Settings
        The parameters of the selections; the seed is that of the half-samples.
    version : str
        The version of infosift.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, selection_stability
    >>> from infosift.results import Stability
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> stability = selection_stability(MutualInfoSelector(), X, X[:, 1], n_resamples=4)
    >>> stability.frequencies.tolist(), stability.stable(0.9)
    ([0.0, 1.0, 0.25], ('x1',))
    >>> Stability.from_json(stability.to_json()) == stability
    True
    """

    feature_names: tuple[str, ...]
    target_name: str
    frequencies: FloatArray
    groups: tuple[Substitutes, ...]
    selected: tuple[tuple[str, ...], ...]
    n_candidates: int
    mean_selected: float
    n_rows: int
    n_rows_dropped: int
    n_row_groups: int | None
    n_partial: int
    settings: Settings
    version: str

    @property
    def n_resamples(self) -> int:
        """Number of half-samples."""
        return len(self.selected)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of half-samples."""
        return len(self.selected) // 2

    @property
    def ranking(self) -> tuple[str, ...]:
        """All features, the most frequently selected first."""
        return tuple(self.feature_names[i] for i in np.argsort(-self.frequencies, kind="stable"))

    @property
    def ever_selected(self) -> tuple[str, ...]:
        """The features that some half-sample selects, the most frequently selected first."""
        return tuple(name for name in self.ranking if self.frequency(name) > 0)

    def frequency(self, feature: str) -> float:
        """Return the share of the half-samples in which a feature is selected."""
        if feature not in self.feature_names:
            raise InputError(f'There is no feature "{feature}": give one of {listing(list(self.feature_names))}.')
        return float(self.frequencies[self.feature_names.index(feature)])

    def stable(self, threshold: float = THRESHOLD) -> tuple[str, ...]:
        """Return the features whose frequency reaches a threshold, the most frequently selected first.

        Parameters
        ----------
        threshold : float, default=0.75
            A frequency above 0 and at most 1.
        """
        least = require_frequency(threshold, above=0) - _ROUNDING
        return tuple(name for name in self.ranking if self.frequency(name) >= least)

    def stable_groups(self, threshold: float = THRESHOLD) -> tuple[Substitutes, ...]:
        """Return the groups of features that replace each other whose frequency reaches a threshold.

        Parameters
        ----------
        threshold : float, default=0.75
            A frequency above 0 and at most 1.
        """
        least = require_frequency(threshold, above=0) - _ROUNDING
        return tuple(group for group in self.groups if group.frequency >= least)

    def bound(
        self, threshold: float = THRESHOLD, *, assumption: Literal["unimodal", "none"] = "unimodal"
    ) -> float:
        """Return how many features reach a threshold by chance, at most and on average: Shah and Samworth (2013).

        By chance are features that a half-sample selects with a probability of at most ``mean_selected /
        n_candidates``, that of a feature drawn at random. It holds for single features, not for groups.

        Parameters
        ----------
        threshold : float, default=0.75
            A frequency above 0.5 and at most 1.
        assumption : {"unimodal", "none"}, default="unimodal"
            "none" is the bound of any selection. "unimodal" assumes that the share of the pairs in which such a
            feature is selected in both halves has a distribution with one peak.
        """
        return chance_bound(threshold, self.n_pairs, self.mean_selected, self.n_candidates, assumption)

    def rounded_bound(self, threshold: float = THRESHOLD) -> float:
        """Return the bound as it is shown: with two decimals, rounded up.

        Parameters
        ----------
        threshold : float, default=0.75
            A frequency above 0.5 and at most 1.
        """
        return ceil(100 * self.bound(threshold)) / 100

    @property
    def summary(self) -> str:
        """The stability in words."""
        least, listed = 100 * on_grid(THRESHOLD, self.n_pairs), partial(listing, most=_MOST_NAMES)
        stable = [name for name in self.stable() if name not in self.settings.keep]
        which = f"{listed(stable)} {'is' if len(stable) == 1 else 'are'}" if stable else "No feature is"
        sentences = [f"{which} selected in at least {least:.0f} % of {self.n_resamples} half-samples."]
        if self.mean_selected:
            sentences.append(
                f"By chance alone, at most {self.rounded_bound():.2f} irrelevant features, here those "
                "selected no more often than one drawn at random, are expected to reach that share (Shah and "
                "Samworth 2013)."
            )
        for group in self.groups[:_MOST_GROUPS]:
            *first, last = group.features
            names = f"{', '.join(first)} and {last}" if len(first) < _MOST_NAMES else listed(list(group.features))
            share = f"{100 * group.frequency:.0f} %"
            sentences.append(f"{names} replace each other: one of them is selected in {share}.")
        if more := self.groups[_MOST_GROUPS:]:
            sentences.append(f"So do the features of {len(more)} more group{'s' * (len(more) > 1)}.")
        if self.n_partial:
            sentences.append(f"On {self.n_partial} of {self.n_resamples} half-samples the search was ended early.")
        return " ".join(sentences)

    def to_frame(
        self, table: Literal["features", "groups", "half-samples"] = "features", library: Library | None = None
    ) -> Any:
        """Return the frequencies as a data frame.

        Parameters
        ----------
        table : {"features", "groups", "half-samples"}, default="features"
            A row for each feature, the most frequently selected first, with the bound where its frequency is above
            one half; for each group of features that replace each other; or for each half-sample. Names of several
            features in one cell have commas between them.
        library : {"pandas", "polars", "pyarrow"} or None
            None is pandas where it is installed, else polars.
        """
        frequencies = np.sort(self.frequencies)[::-1].tolist()
        group_of = {name: ", ".join(group.features) for group in self.groups for name in group.features}
        tables: dict[str, dict[str, list[Any]]] = {
            "features": {
                "feature": list(self.ranking),
                "frequency": frequencies,
                "bound": [self.bound(one) if one > 0.5 else None for one in frequencies],
                "group": [group_of.get(name, "") for name in self.ranking],
            },
            "groups": {
                "features": [group.features for group in self.groups],
                "frequency": [group.frequency for group in self.groups],
            },
            "half-samples": {
                "pair": [1 + number // 2 for number in range(self.n_resamples)],
                "n_features": [len(names) for names in self.selected],
                "selected": list(self.selected),
            },
        }
        require_choice("table", table, tuple(tables))
        return data_frame(tables[table], library)

    def plot(self, ax: Any = None) -> Any:
        """Draw the frequencies and the bound, and return the display; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of pyplot, ``display.figure_``.
        """
        return view_named("stability_display")(self).plot(ax)

    def __repr__(self) -> str:
        shown = [f"{name} {self.frequency(name):.2f}" for name in self.ranking if self.frequency(name) > 0]
        return f"Stability({listing(shown, _MOST_NAMES) or 'nothing selected'}; {self.n_resamples} half-samples)"


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetScores(Record):
    """The scores of a model on one subset of the features, fold by fold.

    Parameters
    ----------
    subset : str
        Which features: "selected", "for_prediction", "peak", "all" or "none"; or "first 8" for a number of them.
        From none of them, each row gets the same guess: the mean, or the share of each class.
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
    """How well a model predicts from selected features, those for prediction, all and none, by cross-validation.

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
        The scores of the selected features, of those for prediction, of the peak, of all and of none; then of the
        numbers of features that were asked for.
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
        """Return the scores of a subset, such as "selected", "for_prediction", "all", "none" or "first 8"."""
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
            *self._advice(),
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

    def _advice(self) -> list[str]:
        """Say which features to predict with: those of the highest mean, even if the difference is not clear."""
        called = {
            "selected": "the selected features",
            "for_prediction": "those for prediction",
            "all": "all features",
        }
        known = [one for one in self.subsets if one.subset in called]
        if len(known) < len(called) or not any(one.beats_a_guess for one in known):
            return []
        best = max(known, key=lambda one: (one.mean, -one.mean_n_features))
        advised = self["for_prediction"]
        other = (
            ""
            if best is advised
            else f", and {_number(advised.mean)} from those for prediction ({_count(advised)})"
        )
        return [
            f"To predict with this model, take {called[best.subset]} ({_count(best)}): the {self.measure} is the "
            f"highest on average, {_number(best.mean)}{other}."
        ]

    def in_folds(self, subset: str) -> dict[str, int]:
        """Return in how many folds each feature was in a subset; none in one that was not compared."""
        return dict(next((one.chosen for one in self.subsets if one.subset == subset), ()))

    @property
    def sizes(self) -> tuple[SubsetScores, ...]:
        """The scores of the first so many features, by their number: a curve."""
        return tuple(one for one in self.subsets if one.subset.startswith("first "))

    def to_frame(
        self, table: Literal["subsets", "folds", "features"] = "subsets", library: Library | None = None
    ) -> Any:
        """Return the comparison as a data frame.

        Parameters
        ----------
        table : {"subsets", "folds", "features"}, default="subsets"
            A row for each subset; for each subset and fold; or for each feature, with the number of folds in which
            it was in the selected features, in those for prediction and in the peak.
        library : {"pandas", "polars", "pyarrow"} or None
            None is pandas where it is installed, else polars.
        """
        tables: dict[str, dict[str, list[Any]]] = {
            "subsets": {name: [getattr(one, name) for one in self.subsets] for name in _COLUMNS_OF_SUBSETS},
            "folds": {
                "fold": [fold for _ in self.subsets for fold in range(1, self.n_folds + 1)],
                "subset": [one.subset for one in self.subsets for _ in range(self.n_folds)],
                "score": [float(score) for one in self.subsets for score in one.scores],
                "n_features": [number for one in self.subsets for number in one.n_features],
            },
            "features": {"feature": list(self.feature_names)}
            | {
                subset: [own.get(name, 0) for name in self.feature_names]
                for subset in ("selected", "for_prediction", "peak")
                for own in [self.in_folds(subset)]
            },
        }
        require_choice("table", table, tuple(tables))
        return data_frame(tables[table], library)

    def plot(self, ax: Any = None, *, kind: Literal["subsets", "sizes"] = "subsets") -> Any:
        """Draw the scores and return the display; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of pyplot, ``display.figure_``.
        kind : {"subsets", "sizes"}, default="subsets"
            A row for each subset, or the curve of the score against the number of features.
        """
        require_choice("kind", kind, ("subsets", "sizes"))
        if kind == "sizes" and not self.sizes:
            raise InputError("There are no numbers of features to draw: give compare_subsets some, as sizes.")
        return view_named({"subsets": "comparison_display", "sizes": "sizes_display"}[kind])(self).plot(ax)

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
