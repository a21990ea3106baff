"""Which criterion separates features best from their shuffled copies, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from infosift.arrays import FloatArray
from infosift.results.records import Record


@dataclass(frozen=True, eq=False, kw_only=True)
class CriterionChoice(Record):
    """The criterion that best separates features from their shuffled copies.

    Read it in this order. Where ``t`` is not well above ``noise_t``, the criteria see nothing, and the choice
    means nothing. Where ``share`` is not near 1, or ``margin`` below about 2, another sample of rows may well
    choose the other criterion.

    Parameters
    ----------
    criterion : str
        The one with the largest t, by its name in ``criteria``.
    value : int, float or None
        The value of its structural parameter that separates best; None where it has none.
    criteria : tuple of str
        The criteria compared: short names, or objects as they are written.
    values : tuple of (int, float or None)
        The best value of each.
    features : tuple of str
        The feature that each separates best.
    t : ndarray
        The separation of that feature by that value, one for each criterion, in standard deviations: the largest
        over all features and values.
    noise_t : ndarray
        The mean of the same over the halves, with the target shuffled. It is above zero, the more so the more
        values a criterion compares.
    half_t : ndarray
        The same as ``t`` on random halves of the rows (criteria x halves). Each two of them share no row.
    runner_up : str or None
        The criterion with the next largest t; None where only one is compared.
    share : float
        Share of the halves in which the chosen one has the largest t of all.
    margin : float or None
        How far its t is above that of the runner-up, on average over the halves, in standard deviations of this
        difference. None with one criterion, and where the difference is always the same.
    n_folds, n_rows : int
        Number of folds, and of rows looked at; of a long table, a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import choose_criterion
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> choice = choose_criterion(X, X[:, 1], ["ksg", "series"], n_folds=10, random_state=0)
    >>> choice.t.shape, choice.half_t.shape
    ((2,), (2, 6))
    """

    criterion: str
    value: float | None
    criteria: tuple[str, ...]
    values: tuple[float | None, ...]
    features: tuple[str, ...]
    t: FloatArray
    noise_t: FloatArray
    half_t: FloatArray
    runner_up: str | None
    share: float
    margin: float | None
    n_folds: int
    n_rows: int
