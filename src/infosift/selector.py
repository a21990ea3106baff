"""The scikit-learn estimator: checks its input, runs the search, stores a Selection."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from infosift.arrays import BoolArray
from infosift.data.columns import (
    Features,
    NamedColumns,
    as_frame,
    require_finite,
    usable_rows,
    with_names_of_one_type,
)
from infosift.data.frames import as_array, as_plain, read_array, read_columns, read_frame, require_table
from infosift.data.targets import read_target
from infosift.engines import active_engine, in_memory, is_dask_collection, source_of
from infosift.engines.base import Engine
from infosift.errors import (
    DataWarning,
    Hint,
    InputError,
    checks_of_libraries,
    memory_for,
    require_rows,
    require_same_length,
    require_verbosity,
)
from infosift.progress import ProgressBar, Reporter
from infosift.random_streams import SeedLike
from infosift.registry import CRITERIA, METHODS, SEARCHES
from infosift.results.selection import INTERRUPT, Selection
from infosift.search.base import Problem, make_problem, settings_of
from infosift.search.data_warnings import emit, warnings_before_search
from infosift.search.runner import Run, SearchState

if TYPE_CHECKING:
    from infosift.engines.remote_table import ColumnSource

# Objects by short name, of the parameters that take either.
_OBJECTS: dict[str, Mapping[str, Any]] = {"method": METHODS, "search": SEARCHES, "criterion": CRITERIA}

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for callbacks, which cannot be set."""

    def with_callbacks(method: Any) -> Any:
        """Wrap a method as scikit-learn's decorator does, so that the ``stacklevel`` of warnings is the same."""

        @wraps(method)
        def without_callbacks(*arguments: Any, **options: Any) -> Any:
            return method(*arguments, **options)

        return without_callbacks


@dataclass(eq=False, repr=False)  # scikit-learn compares and shows estimators its own way
class MutualInfoSelector(CallbackSupportMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the features that together are most informative about a target, without a prediction model.

    A forward search adds, at each step, the feature that is most informative conditional on those selected, and
    stops when the best does no better than surrogates. The idea (mutual information of whole subsets by nearest
    neighbours, a forward search halted by a permutation test) is that of François, Rossi, Wertz and Verleysen
    (2007), whose own procedure is ``method="published"``.

    Parameters
    ----------
    alpha : float, default=0.05
        Significance level: the one number to set.
    goal : {"explain", "predict"}, default="explain"
        Which answer ``transform``, ``selected_`` and ``get_support`` give. "explain": the features that pass the
        test. "predict": these and others that lower the cross-validated error of generic models; no test shows
        that the others matter. ``selection_.names`` are those that pass in both cases, and
        ``selection_.for_prediction`` has those to predict with.
    method : {"calibrated", "published"}, Calibrated or Published, default="calibrated"
        How features are tested. "calibrated" controls the family-wise error: alpha bounds the probability that a
        step selects anything where no candidate adds information. "published" is the method of the paper, whose
        p-values are those of single tests. Objects have parameters of their own.
    search : {"forward", "backward", "floating", "filter"} or an object of these, default="forward"
        Which feature next, and when to stop. "forward" adds the best while it adds. "backward" starts from all
        and removes the least needed while it is not missed. "floating" follows a forward search by removals and
        additions that make the subset better. "filter" tests each feature on its own: it selects all relevant
        ones, redundant ones included.
    criterion : str or criterion, default="ksg"
        What is measured. "ksg" and "ksg2" are mutual information by nearest neighbours, variant 1 or 2 of Kraskov,
        Stögbauer and Grassberger (2004). Others are "quadratic", "gamma", "delta", "neighbor-error", "histogram",
        "kernel-density", "gaussian-copula" and "series". An object, such as ``KSG(n_neighbors=6)``, sets the
        structural parameter (neighbours, bins, a bandwidth), which is otherwise chosen.
    min_features : int, default=0
        Select at least this many, those kept included; what is added past the test is marked as not significant.
        1 never leaves a pipeline without a feature, ``min_features=max_features=k`` selects exactly k.
    max_features : int or None, default=None
        Stop when this many features are selected, those kept included; a feature group counts as one.
    keep : str, int or sequence of these, or None, default=None
        Features, by name or position, that are in from the start; all others are tested conditional on them.
    ignore : str, int or sequence of these, or None, default=None
        Features that are left out.
    feature_groups : dict of str to lists of str or int, or None, default=None
        Features that enter or stay out together, such as the columns of one category or the bands of a sensor,
        under a name for each group. ``keep`` and ``ignore`` take the names of groups too.
    discrete_features : "auto", bool, mask, or names or positions, default="auto"
        Which features are categories, of which no order matters; text, booleans and categorical columns always
        are. "auto" adds numbers with two values, True all features.
    discrete_target : "auto", bool, "classes", "numbers" or "both", default="auto"
        Whether the target holds classes; text, booleans and categories always are. "auto" adds numbers with two
        values. Whole numbers with at most 20 different values and three rows of each on average may be scores or
        codes: the calibrated method tests for both, the published one takes them as classes.
    scale : {"standard", "rank", "none"}, default="standard"
        How features and target are made comparable: unit variance; normal quantiles of their ranks, which is
        steadier where there are outliers and heavy tails; or not at all, for features of one unit, such as the
        wavelengths of a spectrum. With "none" a feature of small spread hardly changes distances between rows, and
        the unit of the target counts too. Series and regressions of the calibrated method do not depend on units.
    missing : {"partial", "drop", "error"}, default="partial"
        What to do about missing values of features: use the values that a row has; drop the row; or refuse them.
        With "partial", a feature is tested on the rows that have it and all features selected before it; estimates
        by neighbours compare a row with those that have the same features (after Doquire and Verleysen 2012), at a
        cost that grows with the square of the rows. Rows without a target are left out in all cases. A data
        warning counts what is missing.
    random_state : int, NumPy generator or None, default=None
        Seed. It fixes the result to the last bit, whatever the threads, workers or order of the columns. None
        draws one, which ``selection_.settings.seed`` keeps.
    n_jobs : int or None, default=None
        Number of threads; None is 1 unless a ``joblib.parallel_config`` says otherwise, -1 is one per core. Inside
        ``joblib.parallel_config(backend="dask")`` the workers of a Dask cluster do the work, unless it is 1.
    verbose : int, default=0
        1 shows on standard error, after two seconds, what is being done and what is selected so far. See
        ``set_callbacks`` for scikit-learn's own progress bars.
    time_limit : float or None, default=None
        Seconds after which the search ends with what is decided by then; ``selection_.is_partial`` is then True.
    checkpoint : str, path or None, default=None
        File that has what is decided after every step. A run that was killed goes on from there when it is started
        again with the same data and parameters, to the same result; the file of another run is refused.

    Attributes
    ----------
    selected_ : ndarray of int
        Positions of the selected features, in the order selected; with ``goal="predict"``, of those to predict
        with.
    ranking_ : ndarray of int
        1 for the selected features, as of scikit-learn's RFE, then 2, 3, ... in the order in which the others
        would come; features that cannot be tested are last. ``selection_.ranking`` has all in order.
    pvalues_ : ndarray of float
        The p-value that the verdict on each feature rests on, adjusted for the number of candidates; of a method
        without verdicts, that of the feature's own step. NaN for a feature that was not tested.
    selection_ : Selection
        The selected features with all the evidence.
    n_neighbors_ : int or None
        Number of neighbours used, where it is one number.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features seen in ``fit``, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = MutualInfoSelector(alpha=0.05, random_state=0).fit(X, y)
    >>> selector.selection_.names
    ('bmi', 's5', 'bp', 's3', 'sex')
    """

    alpha: float = 0.05
    _: KW_ONLY
    goal: str = "explain"
    method: Any = "calibrated"
    search: Any = "forward"
    criterion: Any = "ksg"
    min_features: int = 0
    max_features: int | None = None
    keep: Any = None
    ignore: Any = None
    feature_groups: Any = None
    discrete_features: Any = "auto"
    discrete_target: bool | str = "auto"
    scale: str = "standard"
    missing: str = "partial"
    random_state: SeedLike = None
    n_jobs: int | None = None
    verbose: int = 0
    time_limit: float | None = None
    checkpoint: Any = None

    # Row groups are wanted wherever scikit-learn routes metadata, as by its own group splitters.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012  # scikit-learn reads it so

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of a method or criterion object as ``method__n_folds`` and the like.

        Parameters
        ----------
        **params
            Parameters and their values.
        """
        for name in params:
            part, nested, parameter = name.partition("__")
            given = params.get(part, getattr(self, part, None))
            if nested and isinstance(given, str):
                raise InputError(
                    f'{part}="{given}" is a short form, whose {parameter} cannot be set: give an object, such as '
                    f"{part}={_OBJECTS.get(part, {}).get(given)}, first."
                )
        super().set_params(**params)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Select features of X that are informative about y.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Features: numbers, dates, text or categories.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The target: numbers or classes, or several, which are then one target together; or times until an event
            as ``censored_target`` and scikit-survival make them.
        groups : array-like of shape (n_rows,) or None, default=None
            Which rows belong together, such as repeated measures of a person: equal values. Shuffles move, and
            folds leave out, whole groups. In a draw each group has the values of one group, evenly repeated or
            thinned where that has another number of rows.

        Raises
        ------
        KeyboardInterrupt
            Where a key is pressed to interrupt; ``selection_`` then has what was decided, and is marked so.
        """
        checkpoint = None
        if self.checkpoint is not None:
            from infosift.search.checkpoint import Checkpoint  # which few runs have

            checkpoint = Checkpoint(self.checkpoint, SearchState)
        given = self.get_params(deep=False)
        settings = settings_of(given, has_row_groups=groups is not None)
        if checkpoint is not None and checkpoint.seed is not None and self.random_state is None:
            settings = replace(settings, seed=checkpoint.seed)
        with ProgressBar(require_verbosity(self.verbose)) as bar, memory_for(X):
            reporter = Reporter(bar, settings.time_limit)
            engine = active_engine(self.n_jobs, reporter.advance, X)
            if engine.is_remote:
                reporter.begin("reading the table", 1)
            features, target = self._read(X, y, engine)
            problem = make_problem(features, target, in_memory(groups), given, settings)
            known = warnings_before_search(problem, engine)
            emit(known, stacklevel=3)
            del features  # so that workers need not hold the values that they have prepared
            tasks = StepTasks(self, X, y)
            run = Run(problem, engine, reporter, checkpoint, tasks.end_step, known)
            selection = run.select()
        for name, value in _fitted(selection).items():
            setattr(self, name, value)
        tasks.end(selection)
        emit(selection.warnings[len(known) :], stacklevel=3)
        if selection.ended_by == INTERRUPT:
            raise KeyboardInterrupt
        return self

    def _read(self, X: Any, y: Any, engine: Engine) -> tuple[Features, NamedColumns]:
        if y is None:
            raise InputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        target = read_target(in_memory(y))
        features = _read_features(self, X, target.n_rows, engine)
        require_rows(features.n_rows, 2, "A selection")
        require_same_length(features.n_rows, target.n_rows)
        return features, target

    def transform(self, X: Any) -> Any:
        """Return the selected features of X: an array, or after ``set_output`` a data frame of the same types.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            All features, as they were seen in ``fit``. In an array, dates of a data frame are days since 1970, and
            durations days, as in ``fit``.
        """
        positions, source = self.get_support(indices=True).tolist(), source_of(X)
        if not positions:
            message = DataWarning(
                f"No features were selected: {type(self).__name__} found none that is significant at "
                f"alpha={self.alpha:g}, so that what follows in a pipeline gets a table without columns. With ",
                Hint("min_features", 1),
                " it always passes on the best one.",
            )
            warnings.warn(message, stacklevel=3)
        if source is not None:
            return _take_selected(self, source)
        frame = as_frame(X)
        if frame is None:
            plain = X if issparse(X) else as_plain(X)
            options: dict[str, Any] = {"dtype": None, "accept_sparse": "csr", "ensure_all_finite": False}
        else:
            plain, options = with_names_of_one_type(X), {"skip_check_array": True}
        with checks_of_libraries():
            values = validate_data(self, plain, reset=False, **options)
        if self.missing == "error":
            names, ignored = self.selection_.feature_names, self.selection_.settings.ignore
            require_finite(read_columns(X), ignored=[i for i, name in enumerate(names) if name in ignored])
        if frame is None:
            return values[:, positions]
        output = getattr(self, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
        if output == "default":
            return as_array(frame, positions)
        return frame[:, positions].to_pandas() if output == "pandas" else frame[:, positions].to_polars()

    def inverse_transform(self, X: Any) -> Any:
        """Return the columns of X, which are those selected, in their places of the table, with zeros elsewhere.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_selected)
            What ``transform`` returned, or as many columns.
        """
        if issparse(X):
            return super().inverse_transform(X)
        frame, support = as_frame(X), self.get_support()
        values = as_plain(X) if frame is None else as_array(frame, range(len(frame.columns)))
        require_table(values)
        if values.shape[1] != support.sum():
            raise InputError(
                f"X has {values.shape[1]} columns, not one for each selected feature ({support.sum()}): pass what "
                "transform returned."
            )
        original = np.zeros((len(values), len(support)), dtype=values.dtype)
        original[:, support] = values
        return original

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = self.missing in ("drop", "partial")
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _fitted(selection: Selection) -> dict[str, Any]:
    """Return the fitted attributes of a selector for a selection, which may be that of a search under way."""
    return {
        "selection_": selection,
        "selected_": np.array(selection.answer.indices, dtype=np.int64),
        "ranking_": _ranks(selection),
        "pvalues_": selection.p_values,
        "n_neighbors_": selection.n_neighbors,
    }


def _ranks(selection: Selection) -> NDArray[np.int64]:
    """Return ``ranking_``: 1 for the selected features, then the others in their order, then those not tested."""
    chosen = selection.answer.indices
    first = set(selection.answer.names)
    others = [name for name in selection.ranking if name not in first]
    ranks = np.full(len(selection.feature_names), len(others) + 2, dtype=np.int64)
    ranks[list(chosen)] = 1
    places = {name: place for place, name in enumerate(selection.feature_names)}
    ranks[[places[name] for name in others]] = np.arange(2, len(others) + 2)
    return ranks


def problem_on_all_rows(
    X: Any, y: Any, groups: Any, parameters: Mapping[str, Any], name: str
) -> tuple[NamedColumns, NamedColumns, Problem, BoolArray]:
    """Return features and target, the problem of a selection on all rows, and which rows it uses.

    For what selects on subsets of the rows: whatever a selection refuses is refused with the rows as they were
    passed.
    """
    if y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None.")
    features, target = read_columns(X), read_target(y)
    require_rows(features.n_rows, 2, name)
    require_same_length(features.n_rows, target.n_rows)
    settings = settings_of(parameters, has_row_groups=groups is not None)
    problem = make_problem(features, target, groups, parameters, settings)
    return features, target, problem, usable_rows(features, target, problem.table.ignored, settings.missing)


def _read_features(estimator: Any, X: Any, n_rows: int, engine: Engine) -> Features:
    """Read the features, or let workers read them where they have some and the table is not in memory."""
    source = source_of(X)
    if source is not None and engine.is_remote:
        from infosift.engines.remote_table import read_remotely  # where a cluster reads a lazy table

        _set_features_in(estimator, source)
        return read_remotely(source, n_rows, engine)
    X = in_memory(X) if is_dask_collection(X) else X
    frame = as_frame(X)
    if frame is not None:
        features = read_frame(frame, X)
        validate_data(estimator, with_names_of_one_type(X), skip_check_array=True)
        return features
    plain = as_plain(X)
    require_table(plain)
    with checks_of_libraries():
        values = validate_data(estimator, plain, dtype=None, ensure_all_finite=False)
    return read_array(values)


def _set_features_in(estimator: Any, source: ColumnSource) -> None:
    """Set the attributes for the features seen in fit, as scikit-learn does for tables in memory."""
    estimator.n_features_in_ = len(source.names)
    if source.has_names:
        estimator.feature_names_in_ = np.array(source.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _take_selected(estimator: Any, source: ColumnSource) -> Any:
    """Return the selected columns of a lazy table, without reading it."""
    seen = tuple(getattr(estimator, "feature_names_in_", source.names))
    if len(source.names) != estimator.n_features_in_ or (source.has_names and source.names != seen):
        raise InputError(
            f"X has other features than {type(estimator).__name__} was fitted with: pass those of the same names, "
            "in the same order."
        )
    return source.taken(np.flatnonzero(estimator.get_support()).tolist())


class StepTasks:
    """The tasks of scikit-learn's callbacks: the fit of a selector, and in it a task for each step of the search.

    A callback that takes a ``fitted_estimator`` gets one with what is selected so far.
    """

    def __init__(self, selector: Any, X: Any, y: Any) -> None:
        self._context = {"estimator": selector, "X": X, "y": y}
        self._has_callbacks = hasattr(selector, "_init_callback_context")
        if self._has_callbacks:
            self._fit = selector._init_callback_context(max_subtasks=None)
            self._fit.call_on_fit_task_begin(**self._context)
            self._step = self._begin_step(number=1)

    def _begin_step(self, number: int) -> Any:
        return self._fit.subcontext(task_name=f"step {number}").call_on_fit_task_begin(**self._context)

    def end_step(self, selection: Selection) -> bool:
        """End the task of a step that is decided; return whether a callback requests to stop."""
        if not self._has_callbacks:
            return False
        if self._step is None:  # a search that goes on after a rejected step
            self._step = self._begin_step(len(selection.steps))
        stops = bool(self._end_task(self._step, selection))
        goes_on = selection.steps[-1].accepted and not stops
        self._step = self._begin_step(len(selection.steps) + 1) if goes_on else None
        return stops

    def end(self, selection: Selection) -> None:
        """End the task of the fit."""
        if self._has_callbacks:
            if self._step is not None:  # it went on, and no candidate was left
                self._end_task(self._step, selection)
            self._end_task(self._fit, selection)

    def _end_task(self, task: Any, selection: Selection) -> Any:
        # Computed only where a callback needs it, since a ranking goes through all steps so far.
        return task.call_on_fit_task_end(**self._context, reconstruction_attributes=partial(_fitted, selection))
