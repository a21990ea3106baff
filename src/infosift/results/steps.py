"""What a selection rests on: estimates, tests, steps and verdicts with every number behind them; data warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from infosift.arrays import FloatArray
from infosift.errors import Hint, in_words
from infosift.results.serialization import Record

if TYPE_CHECKING:
    from infosift.results.selection import Selection

# Titles of the kinds that a report shows at its top; the others concern features that are not tested.
TITLES = {
    "leak": "A feature may give the target away",
    "groups": "Rows may belong together",
    "target": "Numbers or classes",
    "order": "Rows depend on their neighbours",
    "power": "Few rows",
    "imbalance": "A small class",
    "gaps": "Missing values",
    "censored": "A time until an event",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldEstimates(Record):
    """Estimates on the rows without each fold, and their mean and variance.

    Parameters
    ----------
    estimates : ndarray
        One for each fold, in nats.
    mean, variance : float
        Of the estimates.
    n_neighbors : int
        Number of neighbours of the estimates.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift.results import FoldEstimates
    >>> FoldEstimates(estimates=np.array([0.1, 0.3]), mean=0.2, variance=0.02, n_neighbors=6).mean
    0.2
    """

    estimates: FloatArray
    mean: float
    variance: float
    n_neighbors: int


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborChoice(Record):
    """The number of neighbours that best separates features from shuffled ones.

    Of a criterion with another structural parameter, such as a bandwidth, the numbers are values of that one.
    Tables have a row per feature and a column per entry of ``candidates``; a feature that is constant or a
    duplicate has NaN.

    Parameters
    ----------
    n_neighbors : int or float
        The number chosen.
    feature : str
        The feature with the largest t at that number.
    candidates : tuple of int or float
        The numbers compared.
    feature_names : tuple of str
        Names of the features.
    t : ndarray
        The separation of each feature from itself shuffled.
    mean, variance, shuffled_mean, shuffled_variance : ndarray
        Of the estimates over the folds, for the features and for shuffled ones.
    estimates, shuffled_estimates : ndarray
        Those of ``feature`` at the chosen number, one per fold.
    n_folds : int
        Number of folds.
    t_threshold : float or None
        The t above which features count; None where the largest t decided, the published rule.
    n_rows : int
        Number of rows used; of a long table, a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_n_neighbors
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> choose_n_neighbors(X, X[:, 1], random_state=0).feature
    'x1'
    """

    n_neighbors: float
    feature: str
    candidates: tuple[float, ...]
    feature_names: tuple[str, ...]
    t: FloatArray
    mean: FloatArray
    variance: FloatArray
    shuffled_mean: FloatArray
    shuffled_variance: FloatArray
    estimates: FloatArray
    shuffled_estimates: FloatArray
    n_folds: int
    t_threshold: float | None
    n_rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class PermutationTest(Record):
    """A permutation test: the statistic of the data, and those of surrogates.

    Parameters
    ----------
    information : float
        The estimate for the data, in nats.
    information_threshold : float or None
        The information, in nats, that would be significant; None where the statistic combines several estimates.
    statistic : float
        How far the data lie above the mean of all draws, in standard deviations.
    threshold : float
        What the statistic must exceed to be significant.
    p_value : float
        The permutation p-value. In a step of the calibrated method it is adjusted for the number of candidates;
        a single test is not adjusted for how many features are tested.
    p_low, p_high : float
        Bounds, with 95 % confidence, of the p-value that all permutations would give.
    n_permutations : int
        Number of surrogates.
    alpha : float
        The level of the test.
    null : ndarray
        The statistics of the surrogates.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import permutation_test
    >>> x = np.random.default_rng(0).normal(size=60)
    >>> test = permutation_test(x, np.exp(x), random_state=0)
    >>> test.significant, len(test.null)
    (True, 59)
    """

    information: float
    information_threshold: float | None
    statistic: float
    threshold: float
    p_value: float
    p_low: float
    p_high: float
    n_permutations: int
    alpha: float
    null: FloatArray

    @property
    def significant(self) -> bool:
        """Whether the p-value is at most alpha."""
        return self.p_value <= self.alpha


@dataclass(frozen=True, eq=False, kw_only=True)
class Step(PermutationTest):
    """One step of a search: the best candidate, its test, and all candidates it was the best of.

    The fields of a permutation test have their meaning; ``information`` is that of all features selected so far
    together with this one. A step that removes a feature tests it conditional on the others; it is removed where
    it is not significant.

    Parameters
    ----------
    action : {"add", "remove"}
        What the step is to do.
    feature : str
        Name of the feature or the group.
    index : int
        Position of its first column.
    columns : tuple of int
        Positions of all its columns.
    accepted : bool
        Whether it was added, or removed. One may be added that is not significant, where ``min_features`` asks
        for more than there are.
    unadjusted_p_value : float or None
        The p-value as if the feature were the only candidate. None where there is none, since what was tested is
        the best of many in every surrogate: a pair of features, or the best of very many by neighbours.
    seconds : float
        How long the step took.
    bytes_sent : int or None
        About how many bytes were sent to the workers of a cluster and back; None where there were no workers.
    candidates : tuple of int
        First positions of all candidates.
    candidate_information : ndarray
        The information of each candidate together with the subset, in nats; empty where it was not estimated.
    candidate_statistics : ndarray
        The statistic of each candidate, in standard deviations; empty where there were no surrogates of each.
    candidate_p_values : ndarray
        The p-value of each candidate, adjusted for the number of candidates; empty likewise.
    candidate_unadjusted_p_values : ndarray
        The p-value of each candidate as if it were the only one; empty likewise.
    candidate_permutations : int
        Number of surrogates behind these.
    candidate_null : ndarray
        The largest statistic of all candidates in each surrogate; empty likewise.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> step = MutualInfoSelector(random_state=0).fit(X, X[:, 1] ** 2).selection_.steps[0]
    >>> step.feature, step.accepted
    ('x1', True)
    """

    feature: str
    index: int
    columns: tuple[int, ...]
    unadjusted_p_value: float | None
    accepted: bool = False
    seconds: float = field(default=0.0, compare=False)
    candidates: tuple[int, ...] = ()
    candidate_information: FloatArray = field(default_factory=lambda: np.empty(0))
    candidate_statistics: FloatArray = field(default_factory=lambda: np.empty(0))
    candidate_p_values: FloatArray = field(default_factory=lambda: np.empty(0))
    candidate_unadjusted_p_values: FloatArray = field(default_factory=lambda: np.empty(0))
    candidate_permutations: int = 0
    candidate_null: FloatArray = field(default_factory=lambda: np.empty(0))
    action: str = "add"
    bytes_sent: int | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProcedureDescription(Record):
    """How features were tested, in words for a report: what the method did, whether or not it is known there.

    Parameters
    ----------
    surrogates : str
        What surrogates are, to follow that word, such as "in which its values are permuted".
    draws : str
        What is drawn for a surrogate: "permutations", or "shifts" in time.
    projects_off_subset : bool
        Whether candidates and target are projected off functions of the selected features, so that given some only
        series are tested; else what is tested are residuals of both.
    marginal_statistics : tuple of str
        The statistics by which a filter tests each feature on its own, such as "series"; of other searches empty.
    left_out : tuple of str
        The statistics of steps that are not used, since they would take censoring for an effect.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> procedure = MutualInfoSelector(search="filter", random_state=0).fit(X, X[:, 1] ** 2).selection_.procedure
    >>> procedure.draws, procedure.marginal_statistics
    ('permutations', ('series', 'neighbours'))
    """

    surrogates: str = ""
    draws: str = "permutations"
    projects_off_subset: bool = False
    marginal_statistics: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Verdict(Record):
    """The verdict on a feature, and the test that it rests on.

    Parameters
    ----------
    feature : str
        Its name.
    verdict : {"selected", "redundant", "not shown", "undecided"}
        "not shown" to be informative is no proof of irrelevance. "undecided" is also a feature that is significant
        alone, where the search was stopped before it was tested
        conditional on those selected.
    p_value : float
        The p-value that the verdict rests on, adjusted for the number of candidates: that of its step where the
        feature was selected, if only for a time; otherwise that of the first step.
    redundant_with : tuple of str
        The selected features that carry its information.
    unadjusted_p_value : float or None
        The same as if the feature were the only candidate; None where there is none, as for one of a pair.
    n_candidates : int
        Number of candidates that the p-value is adjusted for.
    given : tuple of str
        The features that it is conditional on.

    Examples
    --------
    >>> from infosift.results import Verdict
    >>> verdict = Verdict("age", "not shown", 0.21, unadjusted_p_value=0.008, n_candidates=30)
    >>> verdict.rests_on
    'p = 0.21 adjusted for 30 candidates (0.008 unadjusted)'
    """

    feature: str
    verdict: str
    p_value: float
    redundant_with: tuple[str, ...] = ()
    unadjusted_p_value: float | None = None
    n_candidates: int = 1
    given: tuple[str, ...] = ()

    @property
    def rests_on(self) -> str:
        """The p-values in words, first the one that the verdict rests on."""
        given = f" conditional on {', '.join(self.given)}," if self.given else ""
        if self.n_candidates == 1:
            return f"p = {self.p_value:.2g}{given}".rstrip(",")
        adjusted = f"p = {self.p_value:.2g}{given} adjusted for {self.n_candidates:,} candidates"
        unadjusted = self.unadjusted_p_value
        return adjusted if unadjusted is None else f"{adjusted} ({unadjusted:.2g} unadjusted)"


@dataclass(frozen=True, eq=False)
class Replacement(Record):
    """A feature that replaced two selected ones, since it is as informative as both.

    Parameters
    ----------
    feature : str
        The feature that is selected now.
    replaced : tuple of (str, str)
        The two that no longer are.
    p_value : float
        Of the feature conditional on the others.

    Examples
    --------
    >>> from infosift.results import Replacement
    >>> Replacement("area", ("length", "width"), 0.01).replaced
    ('length', 'width')
    """

    feature: str
    replaced: tuple[str, str]
    p_value: float


@dataclass(frozen=True, eq=False)
class Removal(Record):
    """Features that were selected and then removed, since they add nothing to the others.

    Parameters
    ----------
    features : tuple of str
        A feature, the features of a group, or two that were selected as a pair.
    p_value : float
        Of these, conditional on the others.

    Examples
    --------
    >>> from infosift.results import Removal
    >>> Removal(("width",), 0.4).features
    ('width',)
    """

    features: tuple[str, ...]
    p_value: float


@dataclass(frozen=True, eq=False, kw_only=True)
class DataWarningRecord(Record):
    """Something about the data that whoever uses a selection should know, as a selection stores it.

    The checks that warn are in ``search/data_warnings``.

    Parameters
    ----------
    kind : str
        "leak": a feature determines the target nearly alone. "groups": a feature may be an identifier of rows
        that belong together. "order": rows depend on those next to them in the file. "power": there are too few
        rows for so many features. "imbalance": a class is too small to be seen. "gaps": values are missing.
        "constant", "empty", "near-unique" and "duplicate": features that are not tested.
    message : str
        What the matter is and what to do about it, parameters as Python writes them.
    title : str
        The matter in a few words, for the top of a report; empty for what is stated elsewhere there.
    features : tuple of str
        The features concerned, if any.
    parts : tuple of str or Hint
        The message with the parameters that it names as parts of their own, for ``infosift.errors.in_words``.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from infosift import DataWarning, MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", DataWarning)
    ...     (leak,) = MutualInfoSelector(random_state=0).fit(X, 0.92 * X[:, 1]).selection_.warnings
    >>> leak.kind, leak.features, leak.hints
    ('leak', ('x1',), (Hint(parameter='ignore', value=('x1',)),))
    """

    kind: str
    message: str
    title: str = ""
    features: tuple[str, ...] = ()
    parts: tuple[str | Hint, ...] = ()

    def __post_init__(self) -> None:
        if not self.parts:
            object.__setattr__(self, "parts", (self.message,))
        if not self.title:
            object.__setattr__(self, "title", TITLES.get(self.kind, ""))

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The parameters, with their values, that remedy the matter."""
        return tuple(part for part in self.parts if isinstance(part, Hint))


def data_warning(
    kind: str, *parts: str | Hint, features: Sequence[str] = (), title: str = ""
) -> DataWarningRecord:
    """Return a data warning whose message is made of text and hints; without a title it has that of its kind."""
    return DataWarningRecord(
        kind=kind, message=in_words(parts), title=title, features=tuple(features), parts=parts
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class SurvivalCurve(Record):
    """The share of rows without an event over time, among those with some values of a feature (Kaplan and Meier).

    Parameters
    ----------
    feature, values : str
        The feature, and which of its values: a category, or a third of the numbers.
    n_rows, n_events : int
        Their number, and how many of them have an event.
    times, shares : ndarray
        The share from each time on.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, censored_target
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> y = censored_target(np.ones(60, dtype=bool), rng.exponential(np.exp(-2 * X[:, 1])))
    >>> curve = MutualInfoSelector(random_state=0).fit(X, y).selection_.survival.curves[0]
    >>> curve.feature, curve.values, curve.n_rows, float(curve.shares[-1])
    ('x1', 'lowest third', 20, 0.0)
    """

    feature: str
    values: str
    n_rows: int
    n_events: int
    times: FloatArray
    shares: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Survival(Record):
    """What a selection says of times until an event.

    Parameters
    ----------
    event : str
        What the event is called.
    event_value : str or None
        The value that it has, where that is not 1 or true.
    n_events, n_censored : int
        How many rows have one, and how many are censored before.
    curves : tuple of SurvivalCurve
        Those of the selected features.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, censored_target
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = censored_target(rng.uniform(size=100) < 0.7, rng.exponential(np.exp(-2 * X[:, 1])))
    >>> survival = MutualInfoSelector(random_state=0).fit(X, y).selection_.survival
    >>> survival.n_events, survival.n_censored, len(survival.curves)
    (70, 30, 3)
    """

    event: str
    event_value: str | None = None
    n_events: int
    n_censored: int
    curves: tuple[SurvivalCurve, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Importance(Record):
    """How much of the target's variance is lost without a selected feature, and what it explains alone.

    Parameters
    ----------
    feature : str
        The feature; of a feature group, or a pair that came in together, the names of all, with a plus between.
    features : tuple of str
        The names, one by one.
    importance, low, high : float
        The share of the variance that the others do not explain, with its 95 % interval, which may include zero.
    alone : float
        The share that it explains by itself.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> first = MutualInfoSelector(random_state=0).fit(X, y).selection_.importance[0]
    >>> f"{first.feature}: {first.importance:.2f} ({first.low:.2f} to {first.high:.2f}), alone {first.alone:.2f}"
    'bmi: 0.07 (0.04 to 0.11), alone 0.34'
    """

    feature: str
    features: tuple[str, ...]
    importance: float
    low: float
    high: float
    alone: float


@dataclass(frozen=True, eq=False, kw_only=True)
class EffectCurve(Record):
    """The target over the values of a feature, with the other selected features at their mean.

    Parameters
    ----------
    feature : str
        The feature.
    outcome : str
        What is drawn: the target, or the probability of a class.
    shape : str
        The shape in a word, such as "rises" or "U-shaped"; empty of categories.
    values : ndarray
        Values of the feature; of categories their places.
    categories : tuple of str
        Their names; empty of numbers.
    fitted, low, high : ndarray
        The effect at these values, with a pointwise 95 % band.
    rows, partial_residuals : ndarray
        Of at most 500 rows, the value of the feature, and the effect there plus the residual; empty of classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> curve = MutualInfoSelector(random_state=0).fit(X, y).selection_.effects.curves[0]
    >>> curve.feature, curve.shape, curve.values[[0, -1]].tolist(), curve.fitted[[0, -1]].round().tolist()
    ('bmi', 'rises', [18.0, 42.2], [111.0, 244.0])
    """

    feature: str
    outcome: str
    shape: str
    values: FloatArray
    categories: tuple[str, ...] = ()
    fitted: FloatArray
    low: FloatArray
    high: FloatArray
    rows: FloatArray = field(default_factory=partial(np.zeros, 0))
    partial_residuals: FloatArray = field(default_factory=partial(np.zeros, 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects(Record):
    """Sizes and shapes of the effects of selected features, from a smooth additive regression with pairs.

    Parameters
    ----------
    importance : tuple of Importance
        One for each selected feature, group or pair.
    curves : tuple of EffectCurve
        One for each selected feature, and each column or class of the target.
    explained : float
        The share of the variance that all of them explain.
    n_rows : int
        The rows that have all of them, or a sample of these.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.normal(size=(200, 3)), rng.normal(size=200)
    >>> y = X[:, 1] ** 2 + X[:, 2] + 0.3 * noise
    >>> effects = MutualInfoSelector(random_state=0).fit(X, y).selection_.effects
    >>> sorted((curve.feature, curve.shape) for curve in effects.curves)
    [('x1', 'U-shaped'), ('x2', 'rises')]
    >>> round(effects.explained, 2)
    0.98
    """

    importance: tuple[Importance, ...]
    curves: tuple[EffectCurve, ...]
    explained: float
    n_rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionSet(Record):
    """Features to predict with: those selected, and those that lower the cross-validated error of generic models.

    Only the selected ones are tested; the others come without any error rate.

    Parameters
    ----------
    names : tuple of str
        The features: those selected, then the others in the order of their source.
    indices : tuple of int
        Their positions.
    selected : tuple of str
        Those of them that are selected, and so tested.
    weights : ndarray
        How much each moves the predictions of an additive model of all, in standard deviations of the target.
        Those of a feature group are the group's; NaN for a feature that cannot be a candidate.
    source : str
        What ordered the others: "relevance alone", "weighed series", "joint lasso" or "all three in turn"; ""
        where there are none.
    order : tuple of str
        The features to go on with, at most 30: ``names``, and then others that did not lower the error enough, in
        the order of the best source. For a set of a given number of features.
    sizes : tuple of int
        Numbers of features, first in the order of the source, that were compared by nested cross-validation.
    errors : ndarray
        The mean squared error of generic models with so many features, over that without any.
    concordance : float or None
        Of times until an event: the share of pairs of rows in which the one of larger predicted hazard has its
        event first (Harrell's index; one half is a guess), in nested cross-validation with as many features of the
        source as are advised. None where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(goal="predict", random_state=0).fit(X, X[:, 1] ** 2)
    >>> selector.selection_.for_prediction.names
    ('x1',)
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    selected: tuple[str, ...]
    weights: FloatArray
    source: str = ""
    order: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    errors: FloatArray
    concordance: float | None = None

    @classmethod
    def of_selected(cls, selection: Selection) -> PredictionSet:
        """Return the selected features alone."""
        names = selection.names
        return cls(
            names=names,
            indices=selection.indices,
            selected=names,
            weights=np.full(len(names), np.nan),
            order=names,
            errors=np.zeros(0),
        )

    @property
    def added(self) -> tuple[str, ...]:
        """Those that are not selected: no test shows that they matter."""
        return tuple(name for name in self.names if name not in self.selected)
