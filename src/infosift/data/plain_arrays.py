"""Arrays that are not plain, masked or sparse ones, as those that are; and those that can be none."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array, column_or_1d

from infosift.errors import InputError, checks_of_libraries

_COPIES = 3  # as given, by column, and prepared
_GIGABYTE = 1e9


def as_plain(data: Any) -> Any:
    """Return a masked array with its masked cells missing, a sparse one with its zeros, lists and so on as arrays.

    Refuse lists that no array can be made of, and complex numbers.
    """
    values: Any = data if hasattr(data, "dtype") else _as_array(data)
    if getattr(values.dtype, "kind", "") == "c":
        raise InputError("Complex data not supported: pass the real and the imaginary parts as columns.")
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    if issparse(values):
        _require_memory(values.shape)
        return values.toarray()
    return values


def _as_array(data: Any) -> NDArray[Any]:
    try:
        return np.asarray(data)
    except ValueError as error:
        raise InputError(
            "The values make no table, since rows or cells differ in length: give every row as many single values."
        ) from error


def as_one_column(data: Any) -> Any:
    """Return a plain array of one dimension."""
    plain = as_plain(data)
    with checks_of_libraries():
        return column_or_1d(plain, warn=True)


def checked_table(data: Any, dtype: type | None = None) -> Any:
    """Return a plain array of two dimensions, with some rows and columns."""
    with checks_of_libraries():
        return check_array(data, dtype=dtype, ensure_all_finite=False)


def require_table(data: Any) -> None:
    """Refuse what has no rows and columns."""
    if (count := np.ndim(data)) != 2:
        raise InputError(
            f"Features must be a table, with rows and columns, and these have {count} "
            f"dimension{'s' * (count != 1)}: pass a table, a single feature as one with reshape(-1, 1)."
        )


def _require_memory(shape: tuple[int, ...]) -> None:
    """Refuse a sparse table that is too large with all its zeros."""
    needed, there = _COPIES * 8 * float(np.prod(shape, dtype=np.float64)), _memory()
    if there is not None and needed > there:
        raise InputError(
            f"The sparse table needs {needed / _GIGABYTE:,.0f} GB with its zeros, and there are "
            f"{there / _GIGABYTE:,.0f}: take fewer columns, such as those with the most values."
        )


def _memory() -> float | None:
    """Return the bytes of memory that there are; None where the system does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
