"""Arrays that are not plain, masked or sparse ones, as those that are."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy.sparse import issparse

from infosift.errors import InputError

_COPIES = 3  # as given, by column, and prepared
_GIGABYTE = 1e9


def as_plain(data: Any) -> Any:
    """Return a masked array with its masked cells missing, a sparse one with its zeros, anything else as it is."""
    if isinstance(data, np.ma.MaskedArray):
        return np.ma.filled(data.astype(np.float64), np.nan)
    if issparse(data):
        _require_memory(data.shape)
        return data.toarray()
    return data


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
