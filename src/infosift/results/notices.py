"""What a careful colleague would say about the data: a kind and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from infosift.results.records import Record

# What kinds are called where there is room for a title; others are about features that are not tested.
TITLES = {
    "leak": "A feature may give the target away",
    "order": "Rows depend on their neighbours",
    "power": "Few rows",
    "imbalance": "A small class",
    "gaps": "Many rows were dropped",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Notice(Record):
    """Something about the data that whoever uses a selection should know.

    Parameters
    ----------
    kind : str
        "leak": a feature determines the target nearly alone. "order": rows depend on those next to them in the
        file. "power": there are too few rows for so many features. "imbalance": a class is too small to be seen.
        "gaps": many rows were dropped for missing values. "constant", "empty", "near-unique" and "duplicate":
        features that are not tested.
    sentence : str
        What is to be said, and what to do.
    features : tuple of str
        The features it is about, if any.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from infosift import DataWarning, MutualInfoSelector, Notice
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", DataWarning)
    ...     (notice,) = MutualInfoSelector(random_state=0).fit(X, 0.92 * X[:, 1]).selection_.warnings
    >>> isinstance(notice, Notice), notice.kind, notice.features
    (True, 'leak', ('x1',))
    """

    kind: str
    sentence: str
    features: tuple[str, ...] = ()
