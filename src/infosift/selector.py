"""The scikit-learn estimator: checks input, runs the search, stores a Selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from infosift.arrays import IntArray
from infosift.checkpoint import Checkpoint
from infosift.checks import InputError, listing, require_rows
from infosift.engine import ThreadEngine
from infosift.evidence import Step
from infosift.inputs import NamedColumns, as_frame, read_array, read_frame, read_target, unmasked
from infosift.parameters import settings_of
from infosift.progress import ProgressBar, Reporter
from infosift.result import INTERRUPT, Selection
from infosift.search import Run
from infosift.streams import SeedLike
from infosift.table import Table
from infosift.task import make_task


class MutualInfoSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose the columns that together tell most about a target, numbers or classes, without a model.

    At each step the column that tells most about what the chosen ones leave unexplained is tested against
    surrogates of all columns; the search halts when the best does no better than the best of them. The idea (joint
    mutual information by nearest neighbours, a forward search halted by permutations) is that of François, Rossi,
    Wertz and Verleysen (2007), whose own procedure is ``method="published"``.

    Parameters
    ----------
    alpha : float, default=0.05
        Significance level: the one number to set.
    method : {"calibrated", "published"}, default="calibrated"
        The procedure. "calibrated" asks what a column tells about what those chosen leave unexplained, beside
        surrogates that keep its tie to them, and tests the best of many as the best of many, so that alpha bounds
        the chance of a false choice where there is nothing to find. "published" is that of the paper, whose
        p-values are those of a single column at a fixed number of neighbours. See docs/method.md.
    criterion : {"ksg", "ksg2"}, default="ksg"
        The estimate of mutual information: variant 1 or 2 of Kraskov, Stögbauer and Grassberger (2004).
    search : {"forward"}, default="forward"
        Which column next.
    n_neighbors : int or "auto", default="auto"
        Number of neighbours of the estimate; "auto" chooses it, or tries several at once (calibrated).
    n_permutations : int or "auto", default="auto"
        Shuffled copies per step; "auto" is as many as it takes to be clear (calibrated), or the smallest number
        from 50 on that makes alpha exact (published). Pairs are looked at from 5 / alpha on.
    null : {"auto", "residual", "local", "shuffle"}, default="auto"
        What a column that adds nothing looks like. "shuffle": its rows shuffled (published). "residual": predicted
        from those chosen, and only what is left shuffled, so that its tie to them stays (calibrated). "local":
        each row has the value of a near one (Runge 2018). "auto" is what the method says.
    n_folds : int, default=30
        Folds of the resampling that chooses the number of neighbours.
    max_neighbors : int, default=20
        Largest number of neighbours to choose from.
    t_threshold : float or None, default=None
        None: the number of neighbours is the one with the largest t over all columns, the published rule. A
        number: the one with the largest mean of t over the columns whose t is above it, if there are any.
    max_features : int or None, default=None
        Stop when this many columns are chosen, those kept included; a group counts as one.
    discrete_features : "auto", bool, mask, or names or positions, default="auto"
        Which columns hold categories, of which no order matters; text, booleans and categorical columns always do.
        "auto" adds the columns of numbers with two values, True all columns.
    discrete_target : "auto" or bool, default="auto"
        Whether the target holds classes; text, booleans and categories always are. "auto" adds numbers with two
        values, and whole numbers with at most 20 different values and three rows of each on average.
    scale : {"standard", "rank"}, default="standard"
        How columns and target are made comparable: unit spread, or normal quantiles of their ranks, which is
        steadier where there are outliers and long tails.
    missing : {"error", "drop", "partial"}, default="error"
        What to do where a column or the target has no value: refuse; leave out the row, for all columns alike; or
        compare rows by the columns in which both have one (Doquire and Verleysen 2012), at a cost that grows with
        the square of the rows. Rows without a target are left out in both cases. ``selection_.n_dropped`` counts
        the rows left out.
    keep : str, int or sequence of these, or None, default=None
        Columns, by name or position, that are in from the start; the others are chosen for what they add.
    ignore : str, int or sequence of these, or None, default=None
        Columns that are not looked at.
    groups : dict of str to lists of str or int, or None, default=None
        Columns that enter or stay out together, such as the columns of one category or the bands of a sensor,
        under a name for each group. ``keep`` and ``ignore`` take the names of groups too.
    blocks : array-like of shape (n_rows,), str, int or None, default=None
        Which rows belong together, such as repeated measures of a person or days of a week: equal values, of an
        array or of a column of X (which is then ignored otherwise). Shuffles move, and folds leave out, whole
        blocks. Blocks of the same size replace each other; others are laid end to end and overlap.
    random_state : int, NumPy generator or None, default=None
        Seed. It fixes the result to the last bit, whatever the number of threads or the order of the columns. None
        draws one, which ``selection_.settings.seed`` keeps.
    n_jobs : int or None, default=None
        Number of threads; None is 1 unless a ``joblib.parallel_config`` says otherwise, -1 is one per core.
    callback : callable or None, default=None
        Called with each ``Step`` as soon as it is decided.
    progress : bool, default=False
        Whether to show on standard error what is being done, and what is chosen so far, after two seconds.
    time_limit : float or None, default=None
        Seconds after which the search ends with what is decided by then; ``selection_.is_partial`` tells.
    checkpoint : str, path or None, default=None
        File that has what is decided after every step. A run that was killed goes on from there when it is started
        again with the same data and parameters, to the same result; the file of another run is refused.

    Attributes
    ----------
    selected_ : ndarray of int
        Positions of the chosen columns, in the order chosen.
    selection_ : Selection
        The chosen columns with all the evidence.
    n_neighbors_ : int or None
        Number of neighbours used; None where every column is constant.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Names of the columns seen in ``fit``, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from infosift import MutualInfoSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = MutualInfoSelector(alpha=0.05, random_state=0).fit(X, y)
    >>> selector.selection_.names
    ('bmi', 's5')
    """

    def __init__(
        self,
        alpha: float = 0.05,
        *,
        method: str = "calibrated",
        criterion: str = "ksg",
        search: str = "forward",
        n_neighbors: int | str = "auto",
        n_permutations: int | str = "auto",
        null: str = "auto",
        n_folds: int = 30,
        max_neighbors: int = 20,
        t_threshold: float | None = None,
        max_features: int | None = None,
        discrete_features: Any = "auto",
        discrete_target: bool | str = "auto",
        scale: str = "standard",
        missing: str = "error",
        keep: Any = None,
        ignore: Any = None,
        groups: Any = None,
        blocks: Any = None,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        callback: Callable[[Step], object] | None = None,
        progress: bool = False,
        time_limit: float | None = None,
        checkpoint: Any = None,
    ) -> None:
        self.alpha = alpha
        self.method = method
        self.criterion = criterion
        self.search = search
        self.n_neighbors = n_neighbors
        self.n_permutations = n_permutations
        self.null = null
        self.n_folds = n_folds
        self.max_neighbors = max_neighbors
        self.t_threshold = t_threshold
        self.max_features = max_features
        self.discrete_features = discrete_features
        self.discrete_target = discrete_target
        self.scale = scale
        self.missing = missing
        self.keep = keep
        self.ignore = ignore
        self.groups = groups
        self.blocks = blocks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.progress = progress
        self.time_limit = time_limit
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns of X by what they tell about y.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            Columns of numbers, text or categories.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The target, numbers or classes; or several, which are then told about together.

        Raises
        ------
        KeyboardInterrupt
            Where a key is pressed to interrupt; ``selection_`` then has what was decided, and is marked so.
        """
        checkpoint = None if self.checkpoint is None else Checkpoint(Path(self.checkpoint))
        given = self.get_params(deep=False)
        settings = settings_of(given)
        if checkpoint is not None and checkpoint.seed is not None and self.random_state is None:
            settings = replace(settings, seed=checkpoint.seed)
        task = make_task(*self._read(X, y), given, settings)
        _warn_of_unusable(task.table)
        with ProgressBar() if self.progress else nullcontext() as bar:
            reporter = Reporter(bar, settings.time_limit)
            engine = ThreadEngine(self.n_jobs, on_block=reporter.advance)
            run = Run(task.table, task.settings, engine, reporter, checkpoint, self.callback)
            self.selection_: Selection = replace(run.select(), n_dropped=task.n_dropped)
        self.selected_: IntArray = np.array(self.selection_.indices, dtype=np.int64)
        self.n_neighbors_ = self.selection_.n_neighbors
        if self.selection_.ended_by == INTERRUPT:
            raise KeyboardInterrupt
        return self

    def _read(self, X: Any, y: Any) -> tuple[NamedColumns, NamedColumns]:
        if y is None:
            raise InputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        frame = as_frame(X)
        if frame is None:
            features = read_array(validate_data(self, unmasked(X), dtype=None, ensure_all_finite=False))
        else:
            features = read_frame(frame)
            validate_data(self, X, skip_check_array=True)
        require_rows(features.n_rows, 2, "A selection")
        check_consistent_length(features.values.T, y)
        return features, read_target(y)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = self.missing in ("drop", "partial")
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _warn_of_unusable(table: Table) -> None:
    in_groups = {i for unit in table.units for i in unit.columns}
    constant = [f'"{table.names[i]}"' for i in table.constant if i not in in_groups]
    named = [f'"{table.names[i]}"' for i in table.identifiers if i not in in_groups]
    repeated = [f'"{table.names[i]}" (repeats "{table.names[j]}")' for i, j in table.duplicates.items()]
    if constant:
        said = f"Constant columns tell nothing and are left out: {listing(constant)}."
        warnings.warn(said, UserWarning, stacklevel=3)
    if named:
        said = (
            "Columns of text or categories that hardly repeat name the rows rather than tell about them, and are "
            f"left out: {listing(named)}."
        )
        warnings.warn(said, UserWarning, stacklevel=3)
    if repeated:
        said = f"Columns that repeat an earlier one are left out: {listing(repeated)}."
        warnings.warn(said, UserWarning, stacklevel=3)
