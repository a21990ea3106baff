"""Data of the runs: random columns of unit spread, and tables to select from."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.datasets import make_friedman1

from studies.data_files import HOUSING, SONAR, TECATOR, load

NUMBERS, CLASSES = "numbers", "two classes"
_OF_FILES = {"housing": HOUSING, "sonar": SONAR, "tecator": TECATOR}
TABLES = ("diabetes", "breast cancer", "wine", NUMBERS, CLASSES, *_OF_FILES)


def columns(n: int, d: int, n_given: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return candidates (a third of them informative), given columns and a target, rows first, standardised."""
    rng = np.random.default_rng(seed)
    C, S = rng.normal(size=(n, d)), rng.normal(size=(n, n_given))
    y = C[:, ::3].sum(axis=1) + S.sum(axis=1) + rng.normal(size=n)
    for values in (C, S, y):
        values -= values.mean(axis=0)
        values /= values.std(axis=0)
    return C, S, y


def selection_table(n: int, d: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the first rows of the Delve census data where they are at hand, else a synthetic table of that size.

    The columns are those of the paper by its most plausible reading: no identifiers, no constant columns, nothing
    in dollars.
    """
    file = _folder() / "delve_census_house.csv.gz"
    if not file.exists():
        C, _, y = columns(n, d)
        return C, y, "synthetic table; the census data are not at hand"
    import polars as pl

    from studies.census import TARGET, columns_of

    table = pl.read_csv(file).filter(pl.col(TARGET) > 0).head(n)
    X = table.select(columns_of("B", table.columns)[:d]).to_numpy().astype(float)
    return X, table[TARGET].to_numpy().astype(float), "census subset 1"


def everyday_table(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Return features and target of a table such as people have; None where its file is not at hand."""
    if name in _OF_FILES and not (_folder() / _OF_FILES[name].name).exists():
        return None
    if name not in (NUMBERS, CLASSES):
        return load(name, _folder())
    X, y = make_friedman1(1_000, 50, noise=1.0, random_state=0)
    return X, (y > np.median(y)).astype(np.int64) if name == CLASSES else y


def _folder() -> Path:
    return Path(os.environ.get("INFOSIFT_DATA", "../shared/data"))
