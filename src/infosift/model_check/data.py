"""What is predicted, from which columns, and in which rows: of all rows once, and of the folds."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, check_cv

from infosift.arrays import FloatArray, IntArray
from infosift.data.columns import NamedColumns, requested_discrete
from infosift.data.frames import as_frame, as_plain, read_columns
from infosift.data.groups import read_row_groups
from infosift.data.targets import read_target
from infosift.data.validation import rows_to_use
from infosift.engines.threads import ThreadEngine
from infosift.errors import InputError, require_count, require_same_length
from infosift.search.problem import make_problem, settings_of
from infosift.selector import MutualInfoSelector

Columns = tuple[int, ...]
Fold = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class Data:
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


def read(X: Any, y: Any, groups: Any, selector: MutualInfoSelector) -> Data:
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
    return Data(
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


def divide(cv: Any, data: Data, seed: int) -> list[Fold]:
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
