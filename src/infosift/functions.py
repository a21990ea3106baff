"""The pieces of the procedure as functions on arrays and data frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.base import Criterion, Scorer, as_criterion, require_gaps_taken
from infosift.criteria.ksg import KSG
from infosift.data.columns import NamedColumns, missing_by_name, usable_rows
from infosift.data.frames import read_columns
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.table import Table, make_table
from infosift.data.targets import decide_kinds
from infosift.engines import active_engine
from infosift.engines.base import Question
from infosift.errors import (
    InputError,
    require_choice,
    require_count,
    require_finite_number,
    require_level,
    require_rows,
    require_same_length,
)
from infosift.inference.conditional_test import ConditionalTest, TestContext
from infosift.inference.diagnostics import serial_dependence
from infosift.inference.nulls import Null, as_null
from infosift.inference.permutation import fewest_permutations, judge, permutations_for
from infosift.inference.statistics.neighbors import JointInformation
from infosift.progress import Reporter
from infosift.random_streams import SeedLike, resolve_seed
from infosift.registry import CRITERIA, MISSING, NULLS
from infosift.results import CriterionChoice, FoldEstimates, NeighborChoice, PermutationTest
from infosift.search.data_warnings import emit, gaps, many_permutations, row_order
from infosift.search.resampling import Resampling, choose_value, compare, resample


def mutual_information(
    X: Any,
    y: Any,
    *,
    criterion: Any = None,
    n_neighbors: int | None = None,
    variant: int | None = None,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = 0,
) -> float:
    """Estimate the mutual information of all features of X together with y, in nats, or another criterion.

    Parameters
    ----------
    X, y : array-like or data frame
        Features and target, one or several of each, numbers or categories, of the same rows. Columns of numbers
        are brought to unit variance.
    criterion : None, str or criterion
        What is measured: None is ``KSG``, else a short name such as "histogram", or an object. Its parameter is
        the one that it was given, or that of the rule in its documentation: nothing is chosen by resampling here.
    n_neighbors : int or None
        Number of neighbours of ``KSG``: fewer means less bias, more means less variance. None is 6, or as many as
        fewer rows allow.
    variant : {1, 2} or None
        Which estimator of Kraskov, Stögbauer and Grassberger (2004) to use; None is 1, and 2 is for numbers only.
    discrete_features : "auto", bool, mask, or names or positions
        Which features are categories; text always is. "auto" adds those with two values, True all.
    discrete_target : "auto" or bool
        Whether y holds classes; text always does. "auto" adds whole numbers with few different values.
    missing : {"partial", "drop", "error"}
        What to do about missing values of features: compare a row in the features that it has, which only ``KSG``
        of variant 1 can; drop the row; or refuse them. Rows without a target are left out. A data warning counts
        what is missing.
    random_state : int, NumPy generator or None
        Seed of the noise of 1e-10 that breaks ties; data without ties do not need it.

    Returns
    -------
    float
        The estimate. It is not clipped: where X and y are independent it is as often negative as positive. Of a
        criterion of which lower is better, such as ``GammaTest``, it is the error.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> y = x + rng.normal(size=2000)  # true value: log(2) / 2 = 0.347
    >>> round(mutual_information(x, y), 2)
    0.33
    """
    measure = _criterion_of(criterion, n_neighbors, variant)
    seed = resolve_seed(random_state)
    table = _table(_read(X, y, missing), measure, discrete_features, discrete_target, seed)
    return float(_scores(table, 1, measure, None)[0])


def score_candidates(
    C: Any,
    y: Any,
    given: Any = None,
    *,
    criterion: Any = None,
    n_neighbors: int | None = None,
    variant: int | None = None,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> FloatArray:
    """Estimate the mutual information of ``given`` plus each candidate with y, in nats, or another criterion.

    Parameters
    ----------
    C, y, given : array-like or data frame
        The candidates, the target (one or several columns) and the subset to which each candidate is added
        (None for none), all with the same number of rows.
    criterion, n_neighbors, variant, discrete_features, discrete_target, missing, random_state
        As in ``mutual_information``; ``discrete_features`` is about C, the given features are judged by "auto".
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Returns
    -------
    ndarray
        One score per candidate.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import score_candidates
    >>> rng = np.random.default_rng(0)
    >>> C = rng.normal(size=(500, 3))
    >>> y = C[:, 0] + C[:, 2] + 0.5 * rng.normal(size=500)
    >>> int(score_candidates(C, y, given=C[:, [0]]).argmax())
    2
    """
    seed, measure = resolve_seed(random_state), _criterion_of(criterion, n_neighbors, variant)
    data = _read(C, y, missing, given)
    table = _table(data, measure, discrete_features, discrete_target, seed)
    return _scores(table, len(data[0].names), measure, n_jobs)


def resample_mutual_information(
    X: Any,
    y: Any,
    *,
    n_neighbors: int | None = None,
    n_folds: int = 30,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> FoldEstimates:
    """Estimate the mutual information of X with y on the rows without each of K folds: its mean and variance.

    Parameters
    ----------
    X, y, n_neighbors, variant, discrete_features, discrete_target, missing
        As in ``mutual_information``.
    n_folds : int
        Number of folds into which the rows are partitioned at random.
    random_state : int, NumPy generator or None
        Seed of the partition.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import resample_mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> folds = resample_mutual_information(x, x + rng.normal(size=300), n_folds=20, random_state=0)
    >>> len(folds.estimates), folds.variance < 0.001
    (20, True)
    """
    seed = resolve_seed(random_state)
    measure = _criterion_of(None, n_neighbors, variant)
    table = _table(_read(X, y, missing), measure, discrete_features, discrete_target, seed)
    n_folds = require_count("n_folds", n_folds, least=2)
    rows_left = table.n_rows - -(-table.n_rows // n_folds)
    scorer = _make_scorer(measure, n_jobs, rows_left)
    question = Question(table.columns[:1], table.columns[1:], table.target.columns)
    return resample(question, n_folds, scorer, seed)


def permutation_test(
    x: Any,
    y: Any,
    given: Any = None,
    *,
    alpha: float = 0.05,
    n_permutations: int | str = "auto",
    null: str | Null = "residual",
    n_neighbors: int | None = None,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> PermutationTest:
    """Test whether x is informative about y conditional on the given features, by permutation.

    Where rows depend on those next to them, as in a series, the p-value is too small: a ``DataWarning`` says so.

    Parameters
    ----------
    x : array-like
        One feature.
    y, given : array-like or data frame
        The target and the features to condition on (None for none).
    alpha : float
        Significance level, which sets the threshold.
    n_permutations : int or "auto"
        Number of surrogates; "auto" is the smallest from 50 on that makes alpha exact.
    null : {"residual", "local", "shuffle"} or Null
        How surrogates are drawn given other features. "residual": x is predicted from them and its residual
        shuffled among rows alike in them; the estimate is then about the residual of y too. "local": each row has
        the value of a near one (Runge 2018). "shuffle": all rows are shuffled, as in the published method, which
        also takes away the dependence of x on the given features. Without given features, all three shuffle.
    n_neighbors, variant, discrete_features, discrete_target, missing
        As in ``mutual_information``; ``discrete_features`` is about x, the given features are judged by "auto".
    random_state : int, NumPy generator or None
        Seed of the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import permutation_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=100)
    >>> test = permutation_test(x, x**2 + rng.normal(size=100), random_state=0)
    >>> test.significant, test.n_permutations
    (True, 59)
    """
    alpha = require_level(alpha)
    null = as_null(null, {name: own for name, own in NULLS.items() if not own.only_series_given_subset})
    count = permutations_for(alpha, n_permutations)
    if n_permutations == "auto":
        emit(many_permutations(alpha, fewest_permutations(alpha)), stacklevel=2)
    seed = resolve_seed(random_state)
    measure = _criterion_of(None, n_neighbors, variant)
    data = _read(x, y, missing, given)
    if (n_features := len(data[0].names)) != 1:
        raise InputError(f"x must be one feature, and it has {n_features} columns: test them one by one.")
    table = _table(data, measure, discrete_features, discrete_target, seed)
    scorer = _make_scorer(measure, n_jobs, table.n_rows)
    column, others = table.columns[:1], table.columns[1:]
    dependence = serial_dependence(column, table.target.columns, scorer.engine, others)
    if dependence is not None:
        emit([row_order(dependence, table.names[0])], stacklevel=2)
    if not table.columns[:].any():
        scores = np.zeros(1 + count)  # a constant has no information, and its nearest neighbours are chance
    else:
        context = TestContext(table, measure, (scorer.value,), scorer.engine, seed, null, Reporter())
        candidate = FeatureUnit(table.names[0], (0,))
        test = ConditionalTest(context, range(1, len(table.names)), [candidate], step=0, all_rows=True)
        scores = JointInformation(test, "testing").scores(range(1 + count))[:, 0, 0]
    return judge(scores[0], scores[1:], alpha)


def _scores(table: Table, n_candidates: int, criterion: Criterion, n_jobs: int | None) -> FloatArray:
    """Score the first columns given the others; neighbours in constant ones, which are zeros here, are chance."""
    candidates, given = np.split(table.columns[:], [n_candidates])
    scores = _make_scorer(criterion, n_jobs, table.n_rows)(candidates, given, table.target.columns)
    if isinstance(criterion, KSG) and not given.any():
        scores = np.where(candidates.any(axis=1), scores, 0.0)
    return criterion.reported(scores)


def _criterion_of(criterion: Any, n_neighbors: int | None, variant: int | None) -> Criterion:
    """Return the criterion that is given: an object, its name, or the parameters of nearest neighbours."""
    if criterion is None:
        count = "auto" if n_neighbors is None else require_count("n_neighbors", n_neighbors, least=1)
        return as_criterion(KSG(count, variant=1 if variant is None else variant))
    for name, value in (("n_neighbors", n_neighbors), ("variant", variant)):
        if value is not None:
            raise InputError(
                f"{name}={value} is for the default criterion, and criterion={criterion!r} is given: leave one of "
                "them out, or set what the criterion has in an object of it."
            )
    return as_criterion(criterion)


def _read(
    X: Any, y: Any, missing: str, given: Any = None
) -> tuple[NamedColumns, NamedColumns, list[NamedColumns]]:
    """Read features, target and given features in the rows that can be used, with a warning of what is missing."""
    require_choice("missing", missing, tuple(MISSING))
    if isinstance(y, np.ndarray) and y.dtype.names:
        raise InputError(
            "y is a structured array, as of censored times, of which there are no estimates by nearest "
            "neighbours: select with MutualInfoSelector, or give one field of y."
        )
    features, target = read_columns(X), read_columns(y, "y")
    require_rows(features.n_rows, 2, "An estimate")
    others = [] if given is None else [read_columns(given, "given")]
    require_same_length(features.n_rows, target.n_rows)
    for own in others:
        require_same_length(target.n_rows, own.n_rows, '"given"')
    together = NamedColumns.joined([features, *others])
    rows = usable_rows(together, target, missing=missing, may_ignore=False)
    n_rows = int(rows.sum())
    emit(gaps(missing_by_name(together), missing, n_rows, len(rows) - n_rows), stacklevel=3)
    return features.take(rows), target.take(rows), [own.take(rows) for own in others]


def _table(
    data: tuple[NamedColumns, NamedColumns, list[NamedColumns]],
    criterion: Criterion,
    discrete_features: Any,
    discrete_target: bool | str,
    seed: int,
    *,
    leaves_out: bool = False,
) -> Table:
    """Prepare features and target for a criterion, with given features after the others.

    With ``leaves_out`` features are those to choose by: one of them must vary.
    """
    (features, target, given), takes_categories = data, criterion.takes_categories
    others = [own.mark_discrete("auto", takes_categories) for own in given]
    features = NamedColumns.joined([features.mark_discrete(discrete_features, takes_categories), *others])
    require_gaps_taken(criterion, "partial", missing_by_name(features))
    table = make_table(
        features,
        target,
        seed,
        target_kinds=decide_kinds(target, discrete_target, takes_categories),
        takes_categories=takes_categories,
        special_apart=criterion.separates_special_values,
        leaves_out=leaves_out,
    )
    if leaves_out and not table.usable:
        wanted = criterion.parameter_in_words or "a criterion"
        raise InputError(
            f"Every feature is constant, so there is nothing to choose {wanted} by: give one that varies."
        )
    return table


def _make_scorer(criterion: Criterion, n_jobs: int | None, n_rows: int) -> Scorer:
    """Return what scores by the value that is given, or by the one for so many rows."""
    value = criterion.default_value(n_rows) if criterion.fixed_value is None else criterion.fixed_value
    criterion.require_rows(n_rows, value)
    return Scorer(criterion, value, active_engine(n_jobs))


def choose_n_neighbors(
    X: Any,
    y: Any,
    *,
    max_neighbors: int = 20,
    n_folds: int = 30,
    t_threshold: float | None = None,
    variant: int = 1,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> NeighborChoice:
    """Choose the number of neighbours that best separates features from shuffled ones (surrogates).

    For each feature and each number of neighbours, its mutual information with y is estimated on the rows without
    each of K folds, as it is and shuffled; t is the difference of the two means in units of their spread.

    Parameters
    ----------
    X, y : array-like or data frame
        The features and the target.
    max_neighbors : int
        The numbers from 1 to this are compared, or to half of the rows where that is less.
    n_folds : int
        Number of folds; the paper advises 20 to 30.
    t_threshold : float or None
        None: the largest t over all features decides, the published rule. A number: the largest mean of t over the
        features whose t is above it, or the largest t where there is none.
    variant, discrete_features, discrete_target, missing
        As in ``mutual_information``.
    random_state : int, NumPy generator or None
        Seed of the folds and the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_n_neighbors
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> choice = choose_n_neighbors(X, X[:, 1] + rng.normal(size=100), random_state=0)
    >>> choice.feature, choice.t.shape
    ('x1', (3, 20))
    """
    seed = resolve_seed(random_state)
    criterion = as_criterion(KSG(max_neighbors=max_neighbors, variant=variant))
    table = _table(_read(X, y, missing), criterion, discrete_features, discrete_target, seed, leaves_out=True)
    resampling = Resampling(
        n_folds=require_count("n_folds", n_folds, least=2),
        t_threshold=None if t_threshold is None else require_finite_number("t_threshold", t_threshold),
        seed=seed,
    )
    return choose_value(table, criterion, resampling, active_engine(n_jobs))


def choose_criterion(
    X: Any,
    y: Any,
    criteria: Any = None,
    *,
    n_folds: int = 30,
    n_halves: int = 6,
    max_rows: int = 500,
    discrete_features: Any = "auto",
    discrete_target: bool | str = "auto",
    missing: str = "partial",
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> CriterionChoice:
    """Choose the criterion that best separates features from shuffled ones (surrogates).

    What the published method does to choose the number of neighbours chooses among criteria too, since t has no
    unit: each feature is scored on the rows without each of K folds, as it is and shuffled, and t is the
    difference of the two means in units of their spread. The t of a criterion is the largest over all features and
    all values of its structural parameter, and the criterion with the largest t is chosen. How far to trust that
    is worked out on random halves of the rows: the documentation of the result says how to read it.

    The choice is about features one by one, and above all about the one with the strongest dependence: where that
    is monotone, a criterion that sees little else may win, since its estimate varies little. It does not say which
    criterion is best for a subset, or for weaker features. Criteria that compare many values have more chances of
    a large t, also where there is nothing to see.

    Parameters
    ----------
    X, y : array-like or data frame
        The features and the target.
    criteria : None, or list of str and criteria
        What to compare: short names and objects. None is all there are, without those for numbers only where a
        feature or the target is discrete. An object with a given parameter is compared with that value only.
    n_folds : int
        Number of folds; the paper advises 20 to 30.
    n_halves : int
        Number of random halves of the rows on which the comparison is made again; an even number.
    max_rows : int
        Of a longer table so many rows, drawn at random, are used: the time of several criteria grows with the
        square of the rows.
    discrete_features, discrete_target, missing
        As in ``mutual_information``.
    random_state : int, NumPy generator or None
        Seed of the folds and the shuffles.
    n_jobs : int or None
        Number of threads, with scikit-learn's meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector, choose_criterion
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> choice = choose_criterion(X, np.sin(3 * X[:, 1]), ["ksg", "gaussian-copula"], n_folds=10, random_state=0)
    >>> choice.criterion, choice.share
    ('ksg', 1.0)
    >>> selector = MutualInfoSelector(method="published", criterion=choice.criterion)
    """
    seed = resolve_seed(random_state)
    compared = _criteria(criteria)
    resampling = Resampling(require_count("n_folds", n_folds, least=2), None, seed)
    max_rows = require_count("max_rows", max_rows, least=12)
    if require_count("n_halves", n_halves, least=2) % 2:
        raise InputError(f"n_halves must be even, not {n_halves}: each half has another that shares no row.")
    data = _read(X, y, missing)
    tables = {}
    for name, criterion in compared.items():
        try:
            tables[name] = _table(data, criterion, discrete_features, discrete_target, seed, leaves_out=True)
        except InputError:
            if criteria is not None or criterion.takes_categories:
                raise
    rows = sample_rows(next(iter(tables.values())).n_rows, seed, None, max_rows)
    return compare(
        {name: table.take(rows) for name, table in tables.items()},
        {name: compared[name] for name in tables},
        resampling,
        n_halves,
        active_engine(n_jobs),
    )


def _criteria(given: Any) -> dict[str, Criterion]:
    """Return the criteria to compare by name; an object is called as it is written."""
    if given is None:
        return dict(CRITERIA)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(
            f'criteria must be a list of names and objects, such as ["ksg", "series"], not {given!r}.'
        )
    named = {one if isinstance(one, str) else repr(one): as_criterion(one) for one in given}
    if not named:
        raise InputError("criteria is an empty list: give those to compare, or None for all.")
    return named
