"""All that decides the outcome of a run besides the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infosift.results.serialization import Record


@dataclass(frozen=True, eq=False, kw_only=True)
class Component(Record):
    """A method, a search or a criterion, as it is stored.

    Parameters
    ----------
    name : str
        The name of its class.
    parameters : dict
        Its parameters by name.

    Examples
    --------
    >>> from infosift.results import Component
    >>> Component(name="KSG", parameters={"n_neighbors": 6}).parameters["n_neighbors"]
    6
    """

    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings(Record):
    """The parameters of a run, as they were understood.

    Parameters
    ----------
    alpha : float
        The significance level.
    method, search, criterion : Component
        The method, the search and the criterion, with their parameters.
    min_features : int
        The smallest number of features to select, significant or not.
    max_features : int or None
        The largest number of features to select; None is no limit.
    seed : int
        The seed.
    scale, missing : str
        How features are made comparable; what was done about missing values.
    discrete_features : tuple of str or None
        Features that were declared discrete; None is "auto".
    discrete_target : bool, str or None
        Whether the target was declared discrete; None is "auto".
    keep, ignore : tuple of str
        Features that were selected from the start, and those that were left out.
    feature_groups : tuple of (str, tuple of str)
        Features that enter or stay out together, under the names of their groups.
    n_row_groups : int or None
        Number of groups of rows; None where each row was on its own.
    time_limit : float or None
        Seconds after which the run was to end.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> settings = MutualInfoSelector(random_state=7).fit(X, X[:, 1] ** 2).selection_.settings
    >>> settings.seed, settings.method.name
    (7, 'Calibrated')
    """

    alpha: float
    method: Component
    search: Component
    criterion: Component
    max_features: int | None
    seed: int
    scale: str
    missing: str
    min_features: int = 0
    discrete_features: tuple[str, ...] | None = None
    discrete_target: bool | str | None = None
    keep: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    feature_groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    n_row_groups: int | None = None
    time_limit: float | None = None
