"""A model on features selected, for prediction, all and none, cross-validated with the selection inside."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from math import isqrt
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, check_cv, cross_validate
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.parallel import Parallel, delayed

from infosift.arrays import FloatArray, IntArray
from infosift.data.columns import NamedColumns, as_frame, requested_discrete
from infosift.data.frames import as_plain
from infosift.data.groups import read_row_groups
from infosift.data.survival import as_structured, concordance, read_censored
from infosift.engines.base import single_threaded_blas
from infosift.errors import DataWarning, InputError, require_choice, require_count, shown
from infosift.progress import ProgressBar, Reporter
from infosift.random_streams import SeedLike, resolve_seed
from infosift.registry import MODELS
from infosift.results import PredictionSet, Selection, SubsetComparison, SubsetScores
from infosift.selector import MutualInfoSelector, problem_on_all_rows

_PENALTIES = np.logspace(-6, 6, 49)
# A logistic regression is fitted anew for each penalty and each of so many folds, so there are fewer of them.
_PENALTIES_OF_CLASSES = np.logspace(-4, 4, 9)
_PENALTY_FOLDS = 5
_MOST_ITERATIONS = 2000  # the 100 that scikit-learn takes are too few for the smallest penalties
_PENALTIES_OF_COX = np.logspace(-2, 5, 8)
_OF_CENSORED = "cox"
_SMALLEST_LEAF = 5
_MOST_CATEGORIES = 50
_SCORE_NAMES = {"r2": "R²", "roc_auc": "ROC AUC", "roc_auc_ovr": "ROC AUC"}

# Positions of columns.
Columns: TypeAlias = tuple[int, ...]
# Positions of the training rows and of the test rows.
Fold: TypeAlias = tuple[IntArray, IntArray]
# Makes an unfitted model for the target of the training rows.
ModelFactory: TypeAlias = Callable[[np.ndarray], Any]
# A scorer of scikit-learn: model, X, y to a number, higher is better.
ModelScorer: TypeAlias = Callable[[Any, Any, Any], float]


def compare_subsets(
    X: Any,
    y: Any,
    model: Any,
    *,
    selector: MutualInfoSelector | None = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    sizes: Sequence[int] = (),
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> SubsetComparison:
    """Compare, by cross-validation, a model on the selected features, on those for prediction, on all and on none.

    The selection is part of what is validated: in each fold, features are selected on the training rows only.
    Those for prediction are ``selection_.for_prediction``; the peak is the subset with the most information on the
    path of the search, ``selection_.peak``. A constant guess, from no features, shows whether any helps at all.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        Features: numbers, text or categories.
    y : array-like of shape (n_rows,)
        The target: numbers, classes or censored times.
    model : {"ridge", "forest", "neighbors", "cox"} or scikit-learn estimator
        What predicts. "ridge" is a linear model, for classes a logistic regression, whose penalty is chosen within
        the training rows; "forest" a random forest of 100 trees, whose leaves have at least five rows and at least
        half the root of the number of rows; "neighbors" the five nearest. "cox", for censored times, is a Cox
        model with a ridge penalty, chosen within the training rows, of scikit-survival; its other estimators can
        be given too. The model gets numbers: categories become columns of 0 and 1, of which the rare ones of
        more than 50 share one.
    selector : MutualInfoSelector or None, default=None
        The selector, which is cloned in each fold; None is one with default parameters. With ``missing="drop"``,
        rows with a missing value are dropped for all subsets alike. With ``missing="partial"`` they are kept; for
        the model, missing numbers are the mean of the training rows, and missing categories one of their own.
        Features in ``ignore`` are in no subset. ``time_limit`` holds for each fold, ``checkpoint`` is not used.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds, at random, with the proportions of classes, or of events, kept; with ``groups``, whole
        groups.
        Otherwise as in scikit-learn.
    scoring : str, callable or None, default=None
        A score of scikit-learn, by name or as ``scorer(model, X, y)``; None is R² for numbers. For classes it is
        the area under the ROC curve, of more than two the mean of each against the others; where a fold lacks a
        class or the model gives no probabilities, accuracy. For censored times it is Harrell's concordance.
    groups : array-like of shape (n_rows,) or None, default=None
        Which rows belong together. No group is in training and test rows at once.
    sizes : sequence of int, default=()
        Numbers of features, at most 30, to compare too: the first so many of ``selection_.for_prediction.order``,
        which begins with the selected ones. All come from one selection in each fold.
    random_state : int, NumPy generator or None, default=0
        Seed of the folds, and of selector and model where their own is None. It fixes the result, whatever
        ``n_jobs``.
    n_jobs : int or None, default=None
        Number of threads; None is that of the selector, and 1 for models.

    Returns
    -------
    SubsetComparison
        Scores of each subset, fold by fold, their differences, and how often each feature was selected.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import compare_subsets
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> comparison = compare_subsets(X, y, "ridge")
    >>> comparison["selected"].n_features, comparison["all"].n_features
    ((5, 3, 3, 3, 5), (10, 10, 10, 10, 10))
    >>> round(comparison["selected"].mean, 2), round(comparison["all"].mean, 2)
    (0.47, 0.49)
    """
    seed = resolve_seed(random_state)
    selector = _seeded_selector(MutualInfoSelector() if selector is None else selector, seed, n_jobs)
    data = _read(X, y, groups, selector)
    make_model, model_name = _model_factory(model, data, seed)
    sizes = sorted({require_count("sizes", size, least=1) for size in sizes})
    folds = _split(cv, data, seed)
    scorer, measure = _scorer(scoring, data, folds, make_model(data.target))
    with single_threaded_blas():
        result = cross_validate(
            _SubsetModels(data, selector, make_model, folds, sizes, n_jobs),
            np.arange(len(data.rows))[:, None],
            data.target,
            scoring=partial(_SubsetModels.scores, scorer=scorer),
            cv=folds,
            return_estimator=True,
            error_score="raise",
        )
    fitted: list[_SubsetModels] = result["estimator"]
    subsets = [models.subsets_ for models in fitted]
    scores = {name: result[f"test_{name}"] for name in subsets[0]}
    _require_finite(scores)
    for message in dict.fromkeys(message for models in fitted for message in models.leaks_):
        warnings.warn(DataWarning(*message), stacklevel=2)
    return SubsetComparison(
        feature_names=data.features.names,
        target_name=data.target_name,
        model=model_name,
        measure=measure,
        subsets=tuple(_subset_scores(name, subsets, scores, folds, data.features.names) for name in scores),
        n_classes=data.n_classes,
        n_rows=len(data.rows),
        n_rows_dropped=data.features.n_rows - len(data.rows),
        n_gaps=int(np.isnan(data.features.values[list(data.usable)][:, data.rows]).sum()),
        n_row_groups=None if data.row_groups is None else len(np.unique(data.row_groups)),
        n_partial_folds=sum(models.is_partial_ for models in fitted),
        seed=seed,
        version=version("infosift"),
    )


@dataclass(frozen=True)
class PredictionData:
    """A table for prediction: its features, the rows to use, and the target in these rows.

    ``table`` is X as it was passed, of which selectors get rows; ``features`` are its columns as numbers, of which
    models get rows. ``usable`` are the columns that are not ignored, ``categories`` those that are discrete.
    """

    table: Any
    features: NamedColumns
    usable: Columns
    categories: frozenset[int]
    target_name: str
    n_classes: int | None
    rows: IntArray
    target: np.ndarray
    row_groups: IntArray | None

    @property
    def has_classes(self) -> bool:
        """Whether the target holds classes."""
        return self.n_classes is not None

    @property
    def is_censored(self) -> bool:
        """Whether the target holds times until an event."""
        return self.target.dtype.names is not None

    @property
    def strata(self) -> np.ndarray:
        """What folds have alike: classes, or whether there is an event."""
        return ~np.signbit(read_censored(self.target).values[0]) if self.is_censored else self.target

    def table_rows(self, places: IntArray) -> Any:
        """Return the given ones of the rows to use as a table of the type that was passed."""
        rows, frame = self.rows[places], as_frame(self.table)
        return np.asarray(as_plain(self.table))[rows] if frame is None else frame[rows].to_native()

    def numbers(self, places: IntArray) -> FloatArray:
        """Return the given ones of the rows to use, all columns as numbers (rows x columns)."""
        return np.ascontiguousarray(self.features.values[:, self.rows[places]].T)


def _read(X: Any, y: Any, groups: Any, selector: MutualInfoSelector) -> PredictionData:
    """Read all rows, and refuse what the selector refuses."""
    given = selector.get_params(deep=False)
    features, target, problem, is_used = problem_on_all_rows(X, y, groups, given, "A comparison")
    if len(target.names) > 1:
        raise InputError(f"A comparison takes one target, and there are {len(target.names)}: give one of them.")
    table, rows = problem.table, np.flatnonzero(is_used)
    named = requested_discrete(given["discrete_features"], features.names) or ()
    return PredictionData(
        table=X,
        features=features,
        usable=tuple(i for i in range(len(features.names)) if i not in table.ignored),
        categories=features.discrete.union(named),
        target_name=table.target.name,
        n_classes=table.target.n_classes[0],
        rows=rows,
        target=_predicted(y, target, rows, has_classes=table.target.n_classes[0] is not None),
        row_groups=None if groups is None else read_row_groups(groups, features.n_rows)[rows],
    )


def _predicted(y: Any, target: NamedColumns, rows: IntArray, has_classes: bool) -> np.ndarray:
    """Return what is to be predicted: numbers, classes by their own names, or events and times."""
    if target.event is not None:
        return as_structured(target)[rows]
    values = target.values[0, rows]
    if not has_classes:
        return np.asarray(values)
    if target.discrete:
        names: np.ndarray = np.asarray(y).ravel()[rows]
        return names if names.dtype.kind in "biu" else names.astype(str)
    whole = np.all(values == np.round(values))
    return values.astype(np.int64) if whole else np.unique(values, return_inverse=True)[1]


def _seeded_selector(selector: Any, seed: int, n_jobs: int | None) -> MutualInfoSelector:
    """Return a copy of a selector that selects the same whenever it is fitted."""
    if not isinstance(selector, MutualInfoSelector):
        raise InputError(f"selector must be a MutualInfoSelector, not {selector!r}.")
    own: MutualInfoSelector = clone(selector)
    more = {"random_state": seed} if own.random_state is None else {}
    more |= {} if n_jobs is None else {"n_jobs": n_jobs}
    return own.set_params(checkpoint=None, **more)


def _split(cv: Any, data: PredictionData, seed: int) -> list[Fold]:
    """Return the folds: places among the rows to use, to train and to test on."""
    splitter = cv
    if isinstance(cv, Integral):
        n_folds, chance = require_count("cv", cv, least=2), {"shuffle": True, "random_state": seed % 2**32}
        kind = StratifiedKFold if data.has_classes or data.is_censored else KFold
        splitter = kind(n_folds, **chance) if data.row_groups is None else GroupKFold(n_folds)
    elif not hasattr(cv, "split") and len(data.rows) < data.features.n_rows:
        raise InputError("cv lists rows, and rows with missing values are dropped: drop them first.")
    try:
        placeholder = np.zeros((len(data.rows), 1))
        folds = list(check_cv(splitter).split(placeholder, data.strata, data.row_groups))
    except ValueError as error:
        raise InputError(f"cv cannot divide the rows ({str(error).rstrip('.')}).") from error
    if len(folds) < 2:
        raise InputError("cv must give at least two folds, since scores vary between them.")
    for number, (_, test) in enumerate(folds, start=1):
        if data.is_censored and not data.strata[test].any():
            raise InputError(f"Fold {number} has no row with an event to predict: take fewer folds.")
    return [(np.asarray(train), np.asarray(test)) for train, test in folds]


def ridge_model(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    """Return the model "ridge": ridge or logistic regression of standardised features, the penalty chosen on y.

    That of numbers is chosen by leave-one-out, that of classes by cross-validation in which every fold has every
    class. Where a class has a single row there are no such folds, and the penalty is 1.
    """
    if not has_classes:
        return make_pipeline(StandardScaler(), RidgeCV(_PENALTIES))
    logistic: Any = LogisticRegression(max_iter=_MOST_ITERATIONS)
    n_folds = min(_PENALTY_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if n_folds > 1:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        logistic = GridSearchCV(logistic, {"C": 1 / _PENALTIES_OF_CLASSES[::-1]}, cv=folds, scoring="neg_log_loss")
    return make_pipeline(StandardScaler(), logistic)


def forest_model(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    """Return the model "forest": a random forest with leaves of several rows."""
    # Trees that grow to single rows overfit, the more so the fewer features they have to split by: a right but
    # small subset would come out worse than all features. Half the root of the number of rows grows with them,
    # and yet becomes an ever smaller share.
    leaf = max(_SMALLEST_LEAF, isqrt(len(y)) // 2)
    forest = RandomForestClassifier if has_classes else RandomForestRegressor
    return forest(100, min_samples_leaf=leaf, random_state=seed, n_jobs=1)


def neighbors_model(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    """Return the model "neighbors": the five nearest neighbours in standardised features."""
    neighbors = KNeighborsClassifier if has_classes else KNeighborsRegressor
    return make_pipeline(StandardScaler(), neighbors(min(5, len(y))))


def cox_model(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    """Return the model "cox": a Cox model of standardised features with a ridge penalty, by cross-validation.

    Principal components stand for the features. With such a penalty this changes no prediction, and where there
    are more features than rows it is much faster.
    """
    try:
        from sksurv.linear_model import CoxPHSurvivalAnalysis
    except ImportError:
        raise InputError('model="cox" needs scikit-survival: pip install "infosift[survival]".') from None
    is_event = ~np.signbit(read_censored(y).values[0])
    n_folds = min(_PENALTY_FOLDS, int(is_event.sum()))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    folds = list(splitter.split(is_event, is_event))
    cox: Any = CoxPHSurvivalAnalysis(n_iter=_MOST_ITERATIONS)
    search = GridSearchCV(cox, {"alpha": _PENALTIES_OF_COX[::-1]}, cv=folds, scoring=concordance_score)
    return make_pipeline(StandardScaler(), PCA(svd_solver="full"), search)


def concordance_score(model: Any, X: Any, y: np.ndarray) -> float:
    """Return Harrell's concordance of predicted risks with censored times."""
    return concordance(read_censored(y).values[0], np.asarray(model.predict(X)))


class _SameRisk(BaseEstimator):  # type: ignore[misc]
    """Predicts the same risk for all rows."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn nothing."""
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return zeros."""
        return np.zeros(len(X))

    def score(self, X: Any, y: Any) -> float:
        """Return the concordance of a guess."""
        return 0.5


def _model_factory(model: Any, data: PredictionData, seed: int) -> tuple[ModelFactory, str]:
    """Return the factory of a model given by name or as an estimator, and what to call it."""
    if isinstance(model, str):
        require_choice("model", model, tuple(MODELS))
        if data.is_censored != (model == _OF_CENSORED):
            is_what = "holds censored times" if data.is_censored else "is not censored"
            others = [name for name in MODELS if (name == _OF_CENSORED) == data.is_censored]
            raise InputError(
                f'The target "{data.target_name}" {is_what}, which model="{model}" does not predict: give '
                f"{' or '.join(others)}, or an estimator."
            )
        name = "logistic regression" if data.has_classes and model == "ridge" else MODELS.summaries()[model]
        return partial(MODELS[model], has_classes=data.has_classes, seed=seed % 2**32), name
    if not hasattr(model, "fit") or isinstance(model, type):
        raise InputError(f"model must be one of {', '.join(MODELS)} or a scikit-learn estimator, not {model!r}.")
    name = type(model.steps[-1][1] if hasattr(model, "steps") else model).__name__
    if data.is_censored and (is_regressor(model) or is_classifier(model)):
        raise InputError(
            f'The target "{data.target_name}" holds censored times, which {name} does not predict: give '
            'model="cox" or an estimator of scikit-survival.'
        )
    if is_regressor(model) if data.has_classes else is_classifier(model):
        has, predicts = ("classes", "numbers") if data.has_classes else ("numbers", "classes")
        wanted = "a classifier" if data.has_classes else "a regressor"
        raise InputError(
            f'The target "{data.target_name}" has {has}, and {name} predicts {predicts}: give {wanted}, or a '
            f"selector with discrete_target={not data.has_classes}."
        )
    seeded = clone(model)
    unset = [
        parameter
        for parameter, value in seeded.get_params().items()
        if value is None and parameter.rpartition("__")[2] == "random_state"
    ]
    seeded.set_params(**dict.fromkeys(unset, seed % 2**32))
    return partial(_clone_of, seeded), name


def _clone_of(model: Any, y: np.ndarray) -> Any:
    return clone(model)


def model_on_columns(model: Any, columns: Collection[int], categories: Collection[int]) -> Any:
    """Return a model of the given columns of an array, encoded as numbers without missing values.

    Missing numbers are imputed by the mean of the training rows. Categories are one-hot encoded; a missing one is
    a category of its own, and of many categories the rare ones share a column.
    """
    one_hot = OneHotEncoder(
        max_categories=_MOST_CATEGORIES, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    imputer = SimpleImputer(keep_empty_features=True)
    numbers, discrete = ([i for i in columns if (i in categories) == kind] for kind in (False, True))
    return make_pipeline(
        ColumnTransformer([("numbers", imputer, numbers), ("categories", one_hot, discrete)]), model
    )


def _scorer(scoring: Any, data: PredictionData, folds: Sequence[Fold], model: Any) -> tuple[ModelScorer, str]:
    """Return the scorer of predictions, and what to call its score."""
    if callable(scoring):
        return scoring, getattr(scoring, "__name__", type(scoring).__name__)
    if data.is_censored:
        if scoring not in (None, "concordance"):
            raise InputError(f'scoring of censored times is "concordance" or a function, not {shown(scoring)}.')
        return concordance_score, "concordance"
    name = _default_score(data, folds, model) if scoring is None else scoring
    if name == "r2" and min(len(test) for _, test in folds) < 2:
        raise InputError("cv leaves a single row in a fold, for which R² is not defined: take fewer folds.")
    try:
        return get_scorer(name), _SCORE_NAMES.get(name, name)
    except (ValueError, TypeError):
        raise InputError(f"scoring must be the name of a score of scikit-learn, not {scoring!r}.") from None


def _default_score(data: PredictionData, folds: Sequence[Fold], model: Any) -> str:
    """Return the score of numbers or of classes.

    Accuracy hardly changes where one class is frequent: always guessing that class is hard to beat. The area under
    the ROC curve measures how well rows are ordered, whatever the shares of the classes, and is one half for a
    constant guess. It needs a model that orders rows, and folds with all classes.
    """
    if not data.has_classes:
        return "r2"
    classes = np.unique(data.target)
    has_all = all(len(np.unique(data.target[rows])) == len(classes) for fold in folds for rows in fold)
    orders = hasattr(model, "predict_proba") or (len(classes) == 2 and hasattr(model, "decision_function"))
    if not (has_all and orders):
        return "accuracy"
    return "roc_auc" if len(classes) == 2 else "roc_auc_ovr"


@dataclass(eq=False, repr=False)
class _SubsetModels(BaseEstimator):  # type: ignore[misc]
    """What is cross-validated: select features on the training rows, and fit the model to each subset of them.

    X are places among the rows to use (rows x 1), since a selector gets rows of the table as it was passed and a
    model gets them as numbers.

    Attributes
    ----------
    subsets_ : dict of str to tuple of int
        The columns of each subset.
    leaks_ : list of tuple
        Messages about features that determine the target nearly alone.
    is_partial_ : bool
        Whether the search was ended early.
    """

    data: PredictionData
    selector: MutualInfoSelector
    make_model: ModelFactory
    folds: Sequence[Fold]
    sizes: Sequence[int]
    n_jobs: int | None

    def __sklearn_clone__(self) -> Self:
        return copy(self)  # folds share the table: a clone would copy it

    def fit(self, X: IntArray, y: np.ndarray) -> Self:
        """Select features, and fit a model to each subset; to equal subsets, one."""
        rows, data = X.ravel(), self.data
        selection = self._select(rows, y)
        advised = selection.for_prediction or PredictionSet.of_selected(selection)
        first = [selection.feature_names.index(name) for name in advised.order]
        subsets: dict[str, Sequence[int]] = {
            "selected": selection.indices,
            "for_prediction": advised.indices,
            "peak": selection.peak.indices,
            "all": data.usable,
            "none": (),
            **{f"first {size}": first[:size] for size in self.sizes},
        }
        self.subsets_ = {name: tuple(sorted(columns)) for name, columns in subsets.items()}
        self.leaks_ = [warning.parts for warning in selection.warnings if warning.kind == "leak"]
        self.is_partial_ = selection.is_partial
        columns, numbers = sorted(set(self.subsets_.values())), data.numbers(rows)
        run = Parallel(n_jobs=self.n_jobs, require="sharedmem", return_as="generator")
        with ProgressBar(bool(self.selector.verbose)) as bar:
            reporter = Reporter(bar)
            reporter.begin("fitting models", len(columns))
            self._models = {}
            fitted = run(delayed(self._model(own, y).fit)(numbers, y) for own in columns)
            for own, model in zip(columns, fitted, strict=True):
                self._models[own] = model
                reporter.advance(1)
        return self

    def _select(self, rows: IntArray, y: np.ndarray) -> Selection:
        of_target = "auto" if self.data.is_censored else self.data.has_classes
        own = clone(self.selector).set_params(discrete_target=of_target)
        groups = None if self.data.row_groups is None else self.data.row_groups[rows]
        with warnings.catch_warnings():
            # What the data of a fold are like is no news, but for leaks, of which there is a warning at the end.
            warnings.simplefilter("ignore", DataWarning)
            try:
                own.fit(self.data.table_rows(rows), y, groups=groups)
            except InputError as error:
                number = next(i for i, fold in enumerate(self.folds, 1) if np.array_equal(fold[0], rows))
                raise InputError(f"Without the rows of fold {number}: ", *error.parts) from error
        selection: Selection = own.selection_
        return selection

    def _model(self, columns: Columns, y: np.ndarray) -> Any:
        if not columns:
            if self.data.is_censored:
                return _SameRisk()
            return DummyClassifier() if self.data.has_classes else DummyRegressor()
        return model_on_columns(self.make_model(y), columns, self.data.categories)

    def scores(self, X: IntArray, y: np.ndarray, scorer: ModelScorer) -> dict[str, float]:
        """Return the score of each subset on test rows."""
        numbers = self.data.numbers(X.ravel())
        try:
            scores = {columns: scorer(model, numbers, y) for columns, model in self._models.items()}
        except (AttributeError, TypeError, ValueError) as error:
            kind, known = ("classes", "roc_auc") if self.data.has_classes else ("numbers", "r2")
            reason = " ".join(str(error).split()).rstrip(".")
            raise InputError(
                f'scoring is no score for {kind} ({reason}): give one that is, such as "{known}".'
            ) from error
        self._models.clear()  # cross-validation keeps its estimators, and forests are large
        return {name: scores[columns] for name, columns in self.subsets_.items()}


def _require_finite(scores: dict[str, FloatArray]) -> None:
    for own in scores.values():
        if not np.isfinite(own).all():
            fold = int(np.flatnonzero(~np.isfinite(own))[0])
            raise InputError(f"scoring gave {own[fold]} for fold {fold + 1}: take fewer folds or another score.")


def _subset_scores(
    name: str,
    subsets: Sequence[dict[str, Columns]],
    scores: dict[str, FloatArray],
    folds: Sequence[Fold],
    names: Sequence[str],
) -> SubsetScores:
    """Return the scores of a subset with its differences from all features and from none.

    Folds share training rows, so their scores are correlated: the variance of a mean over K folds is about that of
    a fold times 1 / K + test rows / training rows (Nadeau and Bengio 2003), not times 1 / K.
    """
    own = scores[name]
    difference, gain = own - scores["all"], own - scores["none"]
    overlap = float(np.mean([len(test) / len(train) for train, test in folds]))
    factor = np.sqrt(1 / len(folds) + overlap)
    ranked = Counter(sorted(column for fold in subsets for column in fold[name])).most_common()
    return SubsetScores(
        subset=name,
        scores=own,
        mean=float(own.mean()),
        spread=float(own.std(ddof=1)),
        n_features=tuple(len(fold[name]) for fold in subsets),
        chosen=tuple((names[column], count) for column, count in ranked),
        difference=float(difference.mean()),
        standard_error=float(factor * difference.std(ddof=1)),
        gain=float(gain.mean()),
        gain_error=float(factor * gain.std(ddof=1)),
    )
