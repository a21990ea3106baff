"""A model on the selected features, on all and on none, compared by cross-validation with the selection inside."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from math import isqrt
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, check_cv
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.parallel import Parallel, delayed

from infosift.arrays import FloatArray, IntArray
from infosift.data.columns import NamedColumns, requested_discrete
from infosift.data.frames import as_frame, as_plain, read_columns
from infosift.data.groups import read_row_groups
from infosift.data.targets import read_target
from infosift.data.validation import rows_to_use
from infosift.engines.base import on_one_thread
from infosift.engines.threads import ThreadEngine
from infosift.errors import DataWarning, InputError, require_choice, require_count, require_same_length
from infosift.progress import ProgressBar, Reporter
from infosift.random_streams import SeedLike, resolve_seed
from infosift.results.comparison import SubsetComparison, SubsetScores
from infosift.search.problem import make_problem, settings_of
from infosift.selector import MutualInfoSelector

Columns = tuple[int, ...]
Fold = tuple[IntArray, IntArray]
TREES = 300
_TREES_OF_A_CHECK = 100
_SMALLEST_LEAF = 5
_NEIGHBORS = 5
_FOLDS = 5
_ROUNDS = 2000
_MOST_CATEGORIES = 50
_PENALTIES_OF_NUMBERS = np.logspace(-6, 6, 49)
_PENALTIES_OF_CLASSES = np.logspace(-4, 4, 9)
_R2 = "r2"
_NAMES = {_R2: "R²", "roc_auc": "ROC AUC", "roc_auc_ovr": "ROC AUC"}
ModelScorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True)
class PredictionData:
    """Columns of all rows, and the rows to use with what is to be predicted there."""

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

    def values(self, columns: Columns, places: IntArray | None = None) -> FloatArray:
        """Return some columns (rows x columns) in the rows to use, or in some of them."""
        rows = self.rows if places is None else self.rows[places]
        return np.ascontiguousarray(self.features.values[list(columns)][:, rows].T)


def read(X: Any, y: Any, groups: Any, selector: MutualInfoSelector) -> PredictionData:
    """Read all rows, and refuse what the selector would refuse, as it would."""
    if y is None:
        raise InputError("A comparison requires y to be passed, but the target y is None.")
    features, target = read_columns(X), read_target(y)
    if len(target.names) > 1:
        raise InputError(f"A comparison takes one target, and there are {len(target.names)}: give one of them.")
    require_same_length(features.n_rows, target.n_rows)
    given = selector.get_params(deep=False)
    settings = settings_of(given, has_row_groups=groups is not None)
    table = make_problem(features, target, groups, given, settings, ThreadEngine(1)).table
    rows = np.flatnonzero(rows_to_use(features, target, table.ignored, settings.missing))
    named = requested_discrete(given["discrete_features"], features.names) or ()
    return PredictionData(
        features=features,
        usable=tuple(i for i in range(len(features.names)) if i not in table.ignored),
        categories=features.discrete.union(named),
        target_name=table.target_name,
        n_classes=table.n_classes[0],
        rows=rows,
        target=_predicted(y, target, rows, has_classes=table.n_classes[0] is not None),
        row_groups=None if groups is None else read_row_groups(groups, features.n_rows)[rows],
    )


def _predicted(y: Any, target: NamedColumns, rows: IntArray, has_classes: bool) -> np.ndarray:
    """Return what is to be predicted: numbers, or classes by their own names."""
    values = target.values[0, rows]
    if not has_classes:
        return np.asarray(values)
    if target.discrete:
        names: np.ndarray = np.asarray(y).ravel()[rows]
        return names if names.dtype.kind in "biu" else names.astype(str)
    whole = np.all(values == np.round(values))
    return values.astype(np.int64) if whole else np.unique(values, return_inverse=True)[1]


def rows_of(X: Any, rows: IntArray) -> Any:
    """Return some rows of a table as what it is."""
    frame = as_frame(X)
    return np.asarray(as_plain(X))[rows] if frame is None else frame[rows].to_native()


def divide(cv: Any, data: PredictionData, seed: int) -> list[Fold]:
    """Return places among the rows to use, to train and to test on."""
    splitter = cv
    if isinstance(cv, Integral):
        n_folds, chance = require_count("cv", cv, least=2), {"shuffle": True, "random_state": seed % 2**32}
        kind = StratifiedKFold if data.has_classes else KFold
        splitter = kind(n_folds, **chance) if data.row_groups is None else GroupKFold(n_folds)
    elif not hasattr(cv, "split") and len(data.rows) < data.features.n_rows:
        raise InputError("cv lists rows, and rows with missing values are dropped: drop them first.")
    try:
        placeholder = np.zeros((len(data.rows), 1))
        folds = list(check_cv(splitter).split(placeholder, data.target, data.row_groups))
    except ValueError as error:
        raise InputError(f"cv cannot divide the rows ({str(error).rstrip('.')}).") from error
    if len(folds) < 2:
        raise InputError("cv must give at least two folds, since scores vary between them.")
    return [(np.asarray(train), np.asarray(test)) for train, test in folds]


def forest_model(has_classes: bool, seed: int, n_trees: int = TREES, leaf: int = 1) -> Any:
    """Return a random forest whose leaves have at least so many rows."""
    forest = RandomForestClassifier if has_classes else RandomForestRegressor
    return forest(n_trees, min_samples_leaf=leaf, random_state=seed, n_jobs=1)


def neighbors_model(has_classes: bool, n_neighbors: int = _NEIGHBORS) -> Any:
    """Return a model by nearest neighbours of standardised features."""
    neighbors = KNeighborsClassifier if has_classes else KNeighborsRegressor
    return make_pipeline(StandardScaler(), neighbors(n_neighbors))


def ridge_model() -> Any:
    """Return a linear model of numbers whose squared penalty is chosen by leave-one-out."""
    return make_pipeline(StandardScaler(), RidgeCV(_PENALTIES_OF_NUMBERS))


def logistic_model(y: np.ndarray, seed: int) -> Any:
    """Return a linear model of classes whose squared penalty is chosen by cross-validation on the rows of y.

    Every fold has every class. Where a class has a single row there are no such folds, and the penalty is 1.
    """
    n_folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    logistic: Any = LogisticRegression(max_iter=_ROUNDS)
    if n_folds > 1:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        logistic = GridSearchCV(logistic, {"C": 1 / _PENALTIES_OF_CLASSES[::-1]}, cv=folds, scoring="neg_log_loss")
    return make_pipeline(StandardScaler(), logistic)


def _linear(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    return logistic_model(y, seed) if has_classes else ridge_model()


def _forest(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    # Trees that grow to single rows learn noise by heart, the more so the fewer features they have to split by:
    # a right but small subset would look bad. Half the root of the rows grows, yet is ever less of them.
    return forest_model(has_classes, seed, _TREES_OF_A_CHECK, max(_SMALLEST_LEAF, isqrt(len(y)) // 2))


def _neighbors(y: np.ndarray, has_classes: bool, seed: int) -> Any:
    return neighbors_model(has_classes, min(_NEIGHBORS, len(y)))


# Each takes the target of the training rows, whether it has classes, and a seed.
MODELS: dict[str, Callable[[np.ndarray, bool, int], Any]] = {
    "ridge": _linear,
    "forest": _forest,
    "neighbors": _neighbors,
}


def words_for(name: str, has_classes: bool) -> str:
    """Return what a short name stands for."""
    linear = "logistic regression" if has_classes else "ridge regression"
    return {"ridge": linear, "forest": "a random forest", "neighbors": "nearest neighbours"}[name]


def dummy_model(has_classes: bool) -> Any:
    """Return a model that predicts the mean, or the most frequent class, whatever the features."""
    return DummyClassifier() if has_classes else DummyRegressor()


def on_numbers(model: Any, columns: Sequence[int], categories: Collection[int]) -> Any:
    """Return a model on some columns of a table, which are in the place of their positions.

    Gaps in numbers are filled by the mean of the rows that the model is fitted to. Categories become columns of 0
    and 1; a gap is a category of its own. Of many categories, the rare ones are one.
    """
    places = {kind: [i for i, one in enumerate(columns) if (one in categories) == kind] for kind in (False, True)}
    one_hot = OneHotEncoder(
        max_categories=_MOST_CATEGORIES, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    filled = SimpleImputer(keep_empty_features=True)
    as_numbers = ColumnTransformer([("numbers", filled, places[False]), ("categories", one_hot, places[True])])
    return make_pipeline(as_numbers, model)


def model_asked_for(model: Any, data: PredictionData, seed: int) -> tuple[Callable[[np.ndarray], Any], str]:
    """Return what makes a model for the target of some training rows, and its name."""
    if isinstance(model, str):
        require_choice("model", model, tuple(MODELS))
        return lambda y: MODELS[model](y, data.has_classes, seed % 2**32), words_for(model, data.has_classes)
    if not hasattr(model, "fit") or isinstance(model, type):
        raise InputError(f"model must be one of {', '.join(MODELS)} or a scikit-learn estimator, not {model!r}.")
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    name = type(last).__name__
    if data.has_classes and is_regressor(model):
        raise InputError(
            f'The target "{data.target_name}" has classes, and {name} predicts numbers: give a classifier, or a '
            "selector with discrete_target=False."
        )
    if not data.has_classes and is_classifier(model):
        raise InputError(
            f'The target "{data.target_name}" has numbers, and {name} predicts classes: give a regressor, or a '
            "selector with discrete_target=True."
        )
    seeded = clone(model)
    undecided = [
        parameter
        for parameter, value in seeded.get_params().items()
        if value is None and parameter.rpartition("__")[2] == "random_state"
    ]
    seeded.set_params(**dict.fromkeys(undecided, seed % 2**32))
    return lambda y: clone(seeded), name


def scorer_asked_for(
    scoring: Any, data: PredictionData, folds: Sequence[Fold], model: Any
) -> tuple[ModelScorer, str]:
    """Return what scores a model, and the name of the score."""
    if callable(scoring):
        return scoring, getattr(scoring, "__name__", type(scoring).__name__)
    name = _usual_score(data, folds, model) if scoring is None else scoring
    if name == _R2 and min(len(test) for _, test in folds) < 2:
        raise InputError("cv leaves a single row in a fold, of which R² says nothing: take fewer folds.")
    try:
        return get_scorer(name), _NAMES.get(name, name)
    except (ValueError, TypeError):
        raise InputError(f"scoring must be the name of a score of scikit-learn, not {scoring!r}.") from None


def _usual_score(data: PredictionData, folds: Sequence[Fold], model: Any) -> str:
    """Return the score of numbers or of classes.

    Accuracy hardly moves where one class is frequent: always guessing that class is hard to beat. The area under
    the ROC curve asks how well rows are ordered, whatever the shares of the classes, and is one half for a
    constant guess. It needs a model that orders rows, and folds with all classes.
    """
    if not data.has_classes:
        return _R2
    classes = np.unique(data.target)
    has_all = all(len(np.unique(data.target[rows])) == len(classes) for fold in folds for rows in fold)
    orders = hasattr(model, "predict_proba") or (len(classes) == 2 and hasattr(model, "decision_function"))
    if not (has_all and orders):
        return "accuracy"
    return "roc_auc" if len(classes) == 2 else "roc_auc_ovr"


@dataclass(frozen=True)
class Trial:
    """What a model is fitted to and scored on."""

    data: PredictionData
    folds: list[Fold]
    make_model: Callable[[np.ndarray], Any]
    scorer: ModelScorer

    def scores(
        self, found: Sequence[dict[str, Columns]], n_jobs: int | None, verbose: int
    ) -> dict[str, FloatArray]:
        """Return the score of each subset in each fold; equal subsets of a fold are scored once."""
        tasks = sorted({(fold, columns) for fold, subsets in enumerate(found) for columns in subsets.values()})
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        scores = {}
        with ProgressBar() if verbose else nullcontext() as bar, on_one_thread():
            reporter = Reporter(bar)
            reporter.begin("fitting models", len(tasks))
            for task, score in zip(tasks, run(delayed(self._score)(*task) for task in tasks), strict=True):
                scores[task] = score
                reporter.advance(1)
        return {
            name: np.array([scores[fold, subsets[name]] for fold, subsets in enumerate(found)])
            for name in found[0]
        }

    def _score(self, fold: int, columns: Columns) -> float:
        data, (train, test) = self.data, self.folds[fold]
        y = data.target[train]
        if columns:
            model = on_numbers(self.make_model(y), columns, data.categories)
            X_train, X_test = data.values(columns, train), data.values(columns, test)
        else:
            model = dummy_model(data.has_classes)
            X_train, X_test = np.zeros((len(train), 1)), np.zeros((len(test), 1))
        score = float(self.scorer(model.fit(X_train, y), X_test, data.target[test]))
        if not np.isfinite(score):
            raise InputError(f"scoring gave {score} for fold {fold + 1}: take fewer folds or another score.")
        return score


def compare_subsets(
    X: Any,
    y: Any,
    model: Any,
    *,
    selector: MutualInfoSelector | None = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> SubsetComparison:
    """Compare, by cross-validation, a model on the selected features with one on the peak and one on all features.

    The selection is part of what is validated: in each fold, features are selected on the training rows only. The
    peak is the subset with the most information on the path of the search, ``selection_.peak``. A constant guess,
    from no features, shows whether any of them helps at all.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        Features: numbers, text or categories.
    y : array-like of shape (n_rows,)
        The target, numbers or classes.
    model : {"ridge", "forest", "neighbors"} or scikit-learn estimator
        What predicts. "ridge" is a linear model, for classes a logistic regression, whose penalty is chosen within
        the training rows; "forest" a random forest of 100 trees, whose leaves have at least five rows and at least
        half the root of the number of rows; "neighbors" the five nearest. The model gets numbers: categories
        become columns of 0 and 1, of which the rare ones of more than 50 share one.
    selector : MutualInfoSelector or None, default=None
        The selector, which is cloned in each fold; None is one with default parameters. With ``missing="drop"``,
        rows with a missing value are dropped for all subsets alike. With ``missing="partial"`` they are kept; for
        the model, missing numbers are the mean of the training rows, and missing categories one of their own.
        Features in ``ignore`` are in no subset. ``time_limit`` holds for each fold, ``checkpoint`` is not used.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds, at random, for classes with their proportions kept; with ``groups``, whole groups.
        Otherwise as in scikit-learn.
    scoring : str, callable or None, default=None
        A score of scikit-learn, by name or as ``scorer(model, X, y)``; None is R² for numbers. For classes it is
        the area under the ROC curve, of more than two the mean of each against the others; where a fold lacks a
        class or the model gives no probabilities, accuracy.
    groups : array-like of shape (n_rows,) or None, default=None
        Which rows belong together. No group is in training and test rows at once.
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
    ((2, 4, 2, 3, 3), (10, 10, 10, 10, 10))
    >>> round(comparison["selected"].mean, 2), round(comparison["all"].mean, 2)
    (0.45, 0.49)
    """
    seed = resolve_seed(random_state)
    selector = _ready(MutualInfoSelector() if selector is None else selector, seed, n_jobs)
    data = read(X, y, groups, selector)
    make_model, words = model_asked_for(model, data, seed)
    folds = divide(cv, data, seed)
    scorer, measure = scorer_asked_for(scoring, data, folds, make_model(data.target))
    found = [_select(selector, X, data, number, train) for number, (train, _) in enumerate(folds, start=1)]
    trial = Trial(data, folds, make_model, scorer)
    scores = trial.scores([subset for subset, _ in found], n_jobs, selector.verbose)
    return SubsetComparison(
        feature_names=data.features.names,
        target_name=data.target_name,
        model=words,
        measure=measure,
        subsets=tuple(_summed_up(name, [subset for subset, _ in found], scores, folds, data) for name in scores),
        n_classes=data.n_classes,
        n_rows=len(data.rows),
        n_rows_dropped=data.features.n_rows - len(data.rows),
        n_gaps=int(np.isnan(data.values(data.usable)).sum()),
        n_row_groups=None if data.row_groups is None else len(np.unique(data.row_groups)),
        n_partial_folds=sum(is_partial for _, is_partial in found),
        seed=seed,
        version=version("infosift"),
    )


def _ready(selector: Any, seed: int, n_jobs: int | None) -> MutualInfoSelector:
    """Return a copy of a selector that selects the same whenever it is fitted."""
    if not isinstance(selector, MutualInfoSelector):
        raise InputError(f"selector must be a MutualInfoSelector, not {selector!r}.")
    own: MutualInfoSelector = clone(selector)
    more = {"random_state": seed} if own.random_state is None else {}
    more |= {} if n_jobs is None else {"n_jobs": n_jobs}
    return own.set_params(checkpoint=None, **more)


def _select(
    selector: MutualInfoSelector, X: Any, data: PredictionData, number: int, train: IntArray
) -> tuple[dict[str, Columns], bool]:
    """Return the columns of each subset, by a selection on training rows, and whether that ended early."""
    own = clone(selector).set_params(discrete_target=data.has_classes)
    groups = None if data.row_groups is None else data.row_groups[train]
    with warnings.catch_warnings():
        # Of a fold it is no news what its data are like, but for a feature that gives the target away.
        warnings.filterwarnings("ignore", message="(?!.*nearly alone)", category=DataWarning)
        try:
            own.fit(rows_of(X, data.rows[train]), data.target[train], groups=groups)
        except InputError as error:
            raise InputError(f"Without the rows of fold {number}: {error}") from error
    selection = own.selection_
    subsets = {"selected": selection.indices, "peak": selection.peak.indices, "all": data.usable, "none": ()}
    return {name: tuple(sorted(columns)) for name, columns in subsets.items()}, selection.is_partial


def _summed_up(
    name: str,
    found: Sequence[dict[str, Columns]],
    scores: dict[str, FloatArray],
    folds: Sequence[Fold],
    data: PredictionData,
) -> SubsetScores:
    own = scores[name]
    differences, gains = own - scores["all"], own - scores["none"]
    # Folds share training rows: the variance of their mean is larger than that of independent ones.
    overlap = float(np.mean([len(test) / len(train) for train, test in folds]))
    factor = np.sqrt(1 / len(folds) + overlap)
    counts = Counter(column for subsets in found for column in subsets[name])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return SubsetScores(
        subset=name,
        scores=own,
        mean=float(own.mean()),
        spread=float(own.std(ddof=1)),
        n_features=tuple(len(subsets[name]) for subsets in found),
        chosen=tuple((data.features.names[column], count) for column, count in ranked),
        difference=float(differences.mean()),
        standard_error=float(factor * differences.std(ddof=1)),
        gain=float(gains.mean()),
        gain_error=float(factor * gains.std(ddof=1)),
    )
