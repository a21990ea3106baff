"""The features that an estimator has seen: read from any table, remembered by it, and taken from another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from infosift.data.column_names import labels_as_text, with_names_of_one_type
from infosift.data.columns import Features
from infosift.data.frames import as_frame, read_array, read_frame
from infosift.data.plain_arrays import as_plain, require_table
from infosift.engines.base import Engine
from infosift.engines.remote_features import read_remotely
from infosift.engines.sources import ColumnSource, in_memory, is_dask_collection, source_of
from infosift.errors import InputError, checks_of_libraries


def read_features(estimator: Any, X: Any, n_rows: int, engine: Engine) -> Features:
    """Read the features of a table of so many rows, or let workers do so where it is not in memory."""
    source = source_of(X)
    if source is not None and engine.is_remote:
        _remember(estimator, source)
        return read_remotely(source, n_rows, engine)
    X = in_memory(X) if is_dask_collection(X) else X
    frame = as_frame(X)
    if frame is not None:
        features = replace(read_frame(frame), labels=labels_as_text(X))
        validate_data(estimator, with_names_of_one_type(X), skip_check_array=True)
        return features
    plain = as_plain(X)
    require_table(plain)
    with checks_of_libraries():
        values = validate_data(estimator, plain, dtype=None, ensure_all_finite=False)
    return read_array(values)


def _remember(estimator: Any, source: ColumnSource) -> None:
    """Let an estimator know which features it has seen, as scikit-learn does for tables in memory."""
    estimator.n_features_in_ = len(source.names)
    if source.has_names:
        estimator.feature_names_in_ = np.array(source.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def taken(estimator: Any, source: ColumnSource) -> Any:
    """Return the selected columns of a table that is not read yet, and is not read now either."""
    seen = tuple(getattr(estimator, "feature_names_in_", source.names))
    if len(source.names) != estimator.n_features_in_ or (source.has_names and source.names != seen):
        raise InputError(
            f"X has other features than {type(estimator).__name__} was fitted with: pass those of the same names, "
            "in the same order."
        )
    return source.taken(np.flatnonzero(estimator.get_support()).tolist())
