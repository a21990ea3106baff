"""Criteria: how informative a subset of features is about the target."""

from __future__ import annotations

from typing import Any

from infosift.criteria.base import Criterion, Scorer
from infosift.criteria.ksg import KSG
from infosift.criteria.nearest_rows import DeltaTest, GammaTest, NeighborError
from infosift.criteria.parzen import KernelDensity, QuadraticMI
from infosift.criteria.series import Series
from infosift.criteria.simple import GaussianCopula, Histogram
from infosift.errors import Hint, InputError

__all__ = ["CRITERIA", "KSG", "Criterion", "Scorer", "as_criterion"]

CRITERIA: dict[str, Criterion] = {
    "ksg": KSG(variant=1),
    "ksg2": KSG(variant=2),
    "quadratic": QuadraticMI(),
    "gamma": GammaTest(),
    "delta": DeltaTest(),
    "neighbor-error": NeighborError(),
    "histogram": Histogram(),
    "kernel-density": KernelDensity(),
    "gaussian-copula": GaussianCopula(),
    "series": Series(),
}


def as_criterion(given: Any) -> Criterion:
    """Return a criterion that was given as an object or by its short name, with its parameters checked."""
    if isinstance(given, str) and given in CRITERIA:
        return CRITERIA[given]
    if isinstance(given, (str, type)) or not hasattr(given, "score_without_folds"):
        raise InputError(
            Hint("criterion"), f" must be one of {', '.join(CRITERIA)}, or an object (KSG()), not {given!r}."
        )
    criterion: Criterion = given
    criterion.check()
    return criterion
