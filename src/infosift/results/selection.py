"""What a run leaves behind: its settings, the selected features, all the evidence, how much they explain."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import entr

from infosift.arrays import FloatArray
from infosift.errors import require_choice
from infosift.results import path as paths
from infosift.results import view_named
from infosift.results.serialization import Library, Record, data_frame, read_label
from infosift.results.steps import (
    DataWarningRecord,
    Effects,
    Importance,
    NeighborChoice,
    PredictionSet,
    ProcedureDescription,
    Removal,
    Replacement,
    Step,
    Survival,
    Verdict,
)

if TYPE_CHECKING:
    from infosift.results import Stability, SubsetComparison

INTERRUPT, TIME_LIMIT = "an interrupt", "the time limit"
# The smallest detectable correlation is detected in so many of ten tables like the one at hand: a power of 80 %.
DETECTED_OF_TEN = 8
_COLUMNS_OF_STEPS = (
    *("feature", "information", "statistic", "threshold", "p_value", "p_low", "p_high"),
    *("unadjusted_p_value", "n_permutations", "accepted", "seconds"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Component(Record):
    """A method, a search or a criterion, as it is stored.

    Parameters
    ----------
    name : str
        The name of its class.
    parameters : dict
        Its parameters by name.

    Examples
    --------
    >>> from infosift.results import Component
    >>> Component(name="KSG", parameters={"n_neighbors": 6}).parameters["n_neighbors"]
    6
    """

    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings(Record):
    """The parameters of a run, as they were understood.

    Parameters
    ----------
    alpha : float
        The significance level.
    method, search, criterion : Component
        The method, the search and the criterion, with their parameters.
    min_features : int
        The smallest number of features to select, significant or not.
    max_features : int or None
        The largest number of features to select; None is no limit.
    seed : int
        The seed.
    goal : {"explain", "predict"}
        Whether the features to predict with were wanted, too.
    scale, missing : str
        How features are made comparable; what was done about missing values.
    discrete_features : tuple of str or None
        Features that were declared discrete; None is "auto".
    discrete_target : bool, str or None
        Whether the target was declared discrete; None is "auto".
    keep, ignore : tuple of str
        Features that were selected from the start, and those that were left out.
    feature_groups : tuple of (str, tuple of str)
        Features that enter or stay out together, under the names of their groups.
    n_row_groups : int or None
        Number of groups of rows; None where each row was on its own.
    time_limit : float or None
        Seconds after which the run was to end.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> settings = MutualInfoSelector(random_state=7).fit(X, X[:, 1] ** 2).selection_.settings
    >>> settings.seed, settings.method.name
    (7, 'Calibrated')
    """

    alpha: float
    method: Component
    search: Component
    criterion: Component
    max_features: int | None
    seed: int
    scale: str
    missing: str
    min_features: int = 0
    discrete_features: tuple[str, ...] | None = None
    discrete_target: bool | str | None = None
    keep: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    feature_groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    n_row_groups: int | None = None
    time_limit: float | None = None
    goal: str = "explain"


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained(Record):
    """The information of all selected features together, estimated with allowance for the search.

    Parameters
    ----------
    information : float
        Of the selected features together, in nats; at least 0.
    class_shares : tuple of float
        The share of the rows in each class; empty for a target of numbers.
    low, high : float or None
        A 95 % interval of the information; None in results of version 0.1.

    Examples
    --------
    >>> from infosift.results import Explained
    >>> coin = Explained(information=0.3, class_shares=(0.5, 0.5), low=0.1, high=0.5)
    >>> round(coin.share, 2), [round(share, 2) for share in coin.interval]
    (0.43, [0.14, 0.72])
    >>> round(Explained(information=0.5).share, 2)
    0.63
    """

    information: float
    class_shares: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def entropy(self) -> float | None:
        """How uncertain the class is before any feature is known, in nats; None for a target of numbers."""
        return float(entr(self.class_shares).sum()) if self.class_shares else None

    @property
    def share(self) -> float:
        """How much of the target is explained, from 0 to 1.

        Of classes it is the share of their entropy. Of numbers it is the share of the variance, with the target on
        a normal scale, that such information amounts to: 1 - exp(-2 information).
        """
        return self._share_of(self.information)

    @property
    def interval(self) -> tuple[float, float] | None:
        """A 95 % interval of the share; None in results of version 0.1."""
        return (
            None
            if self.low is None or self.high is None
            else (self._share_of(self.low), self._share_of(self.high))
        )

    def _share_of(self, information: float) -> float:
        if self.entropy is None:
            return float(-np.expm1(-2 * information))
        return min(1.0, information / self.entropy)


@dataclass(frozen=True, kw_only=True)
class Subset:
    """Some features in the order they were selected, and the information of all of them together.

    Parameters
    ----------
    names : tuple of str
        Their names.
    indices : tuple of int
        Their positions.
    information : float or None
        In nats; None for no features.

    Examples
    --------
    >>> from infosift.results import Subset
    >>> Subset(names=("bmi",), indices=(2,), information=0.17).names
    ('bmi',)
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    information: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection(Record):
    """The selected features, and all the evidence for them.

    Parameters
    ----------
    feature_names : tuple of str
        All features.
    feature_labels : tuple of str
        How each feature is labelled in the table, as Python writes it, where some label is not text; else empty.
    target_name : str
        The target.
    n_rows, n_rows_dropped : int
        Number of rows used, and of rows dropped for missing values.
    n_rows_tested : int or None
        Number of rows that the tests used, where these are not all: of a long table, a sample.
    constant, near_unique, duplicates : tuple
        Features that could not be tested: of one value; of categories that hardly repeat; pairs of a feature and
        the earlier one that it duplicates.
    discrete : tuple of str
        Features taken as categories.
    n_classes : tuple of (int or None)
        Number of classes of each target; None for numbers.
    target_kinds : tuple of str
        What each target holds, in words: "numbers", "3 classes".
    neighbors : NeighborChoice or None
        How the number of neighbours, or what else is the ``criterion_parameter``, was chosen, where resampling
        chose it.
    criterion_parameter : str
        The structural parameter of the criterion, such as "n_neighbors"; empty for a criterion without one.
    criterion_measure, criterion_unit : str
        What the criterion measures, such as "mutual information", and in which unit: "nats", or "" for a share.
    criterion_values : tuple of int or float
        The values of it that were used; several are tested at once.
    alpha_shares : tuple of (str, float)
        How alpha was divided among the tests of a step that adds a feature; empty of other searches.
    error_rate : {"family-wise error", "false discovery rate", ""}
        What alpha bounds; "" where p-values are those of single tests.
    conditional : bool
        Whether features were tested conditional on the others selected; a filter tests each on its own.
    start : tuple of int
        Positions of the features that the search started from, besides those kept: all of a backward search, in
        an order given by their values, since none of them comes first.
    steps : tuple of Step
        The steps of the search.
    replacements, removals : tuple
        Selected features that were replaced or removed at the end.
    verdicts : tuple of Verdict
        The verdict on each feature; empty where p-values are not adjusted.
    information_alone : ndarray
        The information of each feature alone, in nats: NaN for one that is not shown or was not tested.
    explained : Explained or None
        How much of the target the selected features explain together, an estimate with an interval; None where
        nothing was selected, for several targets, and of a criterion other than mutual information.
    for_prediction : PredictionSet or None
        Features to predict with, of which only some are selected; None where the run ended before.
    smallest_detectable_correlation : float or None
        The smallest absolute rank correlation with the target that the first step finds in eight of ten tables
        with as many rows and such features. With several classes or targets it is that with one of them. None
        where p-values are not adjusted, with row groups or series, and where the run ended early.
    procedure : ProcedureDescription or None
        How features were tested, in words; None of results of version 0.1.
    settings : Settings
        The parameters of the run.
    version : str
        The version of infosift.
    ended_by : str or None
        What ended the run early: "an interrupt", "the time limit" or "a callback".
    warnings : tuple of DataWarningRecord
        What whoever uses the selection should know about the data.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, Selection
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selection = MutualInfoSelector(random_state=0).fit(X, X[:, 1] ** 2).selection_
    >>> selection.names
    ('x1',)
    >>> Selection.from_json(selection.to_json()) == selection
    True
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
    error_rate: str
    criterion_parameter: str
    information_alone: FloatArray
    feature_labels: tuple[str, ...] = ()
    conditional: bool = True
    start: tuple[int, ...] = ()
    criterion_measure: str = "mutual information"
    criterion_unit: str = "nats"
    criterion_values: tuple[float, ...] = ()
    alpha_shares: tuple[tuple[str, float], ...] = ()
    replacements: tuple[Replacement, ...] = ()
    removals: tuple[Removal, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    explained: Explained | None = None
    for_prediction: PredictionSet | None = None
    survival: Survival | None = None
    effects: Effects | None = None
    smallest_detectable_correlation: float | None = None
    n_rows_dropped: int = 0
    n_rows_tested: int | None = None
    near_unique: tuple[str, ...] = ()
    discrete: tuple[str, ...] = ()
    n_classes: tuple[int | None, ...] = (None,)
    procedure: ProcedureDescription | None = None
    target_kinds: tuple[str, ...] = ()
    ended_by: str | None = None
    warnings: tuple[DataWarningRecord, ...] = ()

    def __post_init__(self) -> None:
        if not self.target_kinds:  # results of version 0.1 have numbers of classes only
            kinds = tuple("numbers" if number is None else f"{number} classes" for number in self.n_classes)
            object.__setattr__(self, "target_kinds", kinds)

    @property
    def is_partial(self) -> bool:
        """Whether the run was ended early; what was decided by then holds."""
        return self.ended_by is not None

    @property
    def adjusted(self) -> bool:
        """Whether p-values are adjusted for the number of candidates."""
        return bool(self.error_rate)

    @property
    def accepted(self) -> tuple[Step, ...]:
        """The steps that added a feature, or removed one."""
        return tuple(step for step in self.steps if step.accepted)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the selected features: those kept, then the others in the order selected."""
        return self._names(self.indices)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The selected features as the table labels them, to index it with: names, or numbers, tuples or dates."""
        return (
            tuple(read_label(self.feature_labels[i]) for i in self.indices) if self.feature_labels else self.names
        )

    @property
    def indices(self) -> tuple[int, ...]:
        """Positions of the selected features: those kept, then the others in the order selected."""
        removed = set(self.removed)
        return tuple(
            self.feature_names.index(name) for name in paths.names_after_replacements(self) if name not in removed
        )

    @property
    def removed(self) -> tuple[str, ...]:
        """Features that were selected and then removed, in the order they were selected."""
        gone = {name for removal in self.removals for name in removal.features}
        return tuple(name for name in paths.names_after_replacements(self) if name in gone)

    def stayed(self, step: Step) -> bool:
        """Tell whether all that a step added is still selected at the end."""
        return step.accepted and step.action == "add" and set(step.columns) <= set(self.indices)

    @property
    def ranking(self) -> tuple[str, ...]:
        """All features that could be tested: those selected, then the others by what they would add to these.

        The others are in the order of the last step that compared them: by information, or by statistic.
        """
        return paths.ranking(self)

    @property
    def p_values(self) -> FloatArray:
        """The p-value of each feature, as in the table of verdicts; NaN for one that was not tested."""
        return paths.p_values(self)

    def _names(self, columns: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.feature_names[i] for i in columns)

    @property
    def n_neighbors(self) -> int | None:
        """Number of neighbours used, where it is one number."""
        single = self.criterion_parameter == "n_neighbors" and len(self.criterion_values) == 1
        return int(self.criterion_values[0]) if single else None

    @property
    def n_rows_sampled(self) -> int | None:
        """Number of rows that the number of neighbours was chosen on, where these are not all."""
        looked_at = self.n_rows if self.neighbors is None else self.neighbors.n_rows
        return looked_at if looked_at < self.n_rows else None

    @property
    def answer(self) -> Selection | PredictionSet:
        """What the goal asks for, with ``names`` and ``indices``: the selection itself, or ``for_prediction``."""
        if self.settings.goal == "predict" and self.for_prediction is not None:
            return self.for_prediction
        return self

    @property
    def peak(self) -> Subset:
        """The subset with the most information on the path, the rejected last step included."""
        if not self.steps:
            columns = paths.columns_after(self, ())
            return Subset(names=self._names(columns), indices=columns, information=None)
        place = int(np.argmax([step.information for step in self.steps]))
        at_peak, before = self.steps[place], paths.columns_after(self, self.steps[:place])
        columns = (*before, *(column for column in at_peak.columns if column not in before))
        return Subset(names=self._names(columns), indices=columns, information=at_peak.information)

    @property
    def stopped(self) -> str:
        """Why the search stopped, in words."""
        return paths.why_stopped(self)

    def to_frame(
        self,
        table: Literal["steps", "verdicts", "prediction", "importance"] = "steps",
        library: Library | None = None,
    ) -> Any:
        """Return steps, verdicts, features to predict with, or the sizes of effects as a data frame.

        Parameters
        ----------
        table : {"steps", "verdicts", "prediction", "importance"}, default="steps"
            What to return, a row each. Names of several features in one cell have commas between them.
        library : {"pandas", "polars", "pyarrow"} or None
            None is pandas where it is installed, else polars.
        """
        require_choice("table", table, ("steps", "verdicts", "prediction", "importance"))
        if table == "importance":
            of_sizes = [one.name for one in fields(Importance) if one.name != "features"]
            return data_frame(
                {name: [getattr(one, name) for one in self.importance] for name in of_sizes}, library
            )
        if table == "prediction":
            advised = self.for_prediction or PredictionSet.of_selected(self)
            are_selected, weights = [name in advised.selected for name in advised.names], advised.weights.tolist()
            return data_frame(
                {"feature": list(advised.names), "selected": are_selected, "weight": weights}, library
            )
        rows: Sequence[Any] = self.steps if table == "steps" else paths.feature_rows(self)
        names = _COLUMNS_OF_STEPS if table == "steps" else [field.name for field in fields(paths.FeatureRow)]
        return data_frame({name: [getattr(row, name) for row in rows] for name in names}, library)

    @property
    def importance(self) -> tuple[Importance, ...]:
        """How much of the target's variance each selected feature explains beyond the others, with intervals."""
        return () if self.effects is None else self.effects.importance

    def plot(self, kind: str = "path", ax: Any = None) -> Any:
        """Draw the selection and return the display; needs matplotlib.

        Parameters
        ----------
        kind : {"path", "effects", "neighbors", "ranking", "verdicts", "redundancy", "survival"}, default="path"
            The steps, what each selected feature does to the target, the choice of k, the first step, the
            verdicts, which feature explains a redundant one, or of a censored target survival curves.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of pyplot, ``display.figure_``.
        """
        return view_named("plot")(self, kind, ax)

    def report(
        self,
        path: str | PathLike[str],
        *,
        check: SubsetComparison | None = None,
        stability: Stability | None = None,
    ) -> None:
        """Write the selection, its figures and how to repeat it as one HTML file to hand on; needs matplotlib.

        Parameters
        ----------
        path : str or path
            The file to write; it needs no other file and no network to be read.
        check : SubsetComparison or None, default=None
            The result of ``compare_subsets`` for the same features and target, to be shown too.
        stability : Stability or None, default=None
            The result of ``selection_stability`` for the same features and target, likewise.
        """
        view_named("report")(self, path, check, stability)

    def __repr__(self) -> str:
        selected = ", ".join(self.names) or "nothing"
        sample = (
            f", {self.criterion_parameter} chosen on {self.n_rows_sampled:,} of {self.n_rows:,} rows"
            if self.n_rows_sampled
            else ""
        )
        total = len(self.feature_names)
        return f"Selection({selected}; {len(self.names)} of {total} features, {self.stopped}{sample})"

    def _repr_html_(self) -> str:
        return str(view_named("html")(self))
