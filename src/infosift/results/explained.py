"""How much of a target the selected features explain, and what that leaves for any model to get wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, xlogy

from infosift.results.records import Record


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained(Record):
    """The information of all selected features together, and the bound that it puts on the error of any model.

    The information is an estimate, the higher one of two: by the criterion, and by what a regression on the
    selected features predicts of rows that it has not seen. With few rows or many features both are low, and the
    bounds then too pessimistic.

    Parameters
    ----------
    information : float
        Of the selected features together, in nats; at least 0.
    class_shares : tuple of float
        The share of the rows in each class; empty for a target of numbers.

    Examples
    --------
    >>> from infosift import Explained
    >>> coin = Explained(information=0.3, class_shares=(0.5, 0.5))
    >>> round(coin.share, 2), round(coin.least_error, 2), coin.error_of_guessing
    (0.43, 0.13, 0.5)
    >>> round(Explained(information=0.5).share, 2)
    0.63
    """

    information: float
    class_shares: tuple[float, ...] = ()

    @property
    def entropy(self) -> float | None:
        """How uncertain the class is before any feature is known, in nats; None for a target of numbers."""
        return float(entr(self.class_shares).sum()) if self.class_shares else None

    @property
    def share(self) -> float:
        """How much of the target is explained, from 0 to 1.

        Of classes it is the share of their entropy. Of numbers it is the share of the variance, with the target on
        a normal scale, that such information amounts to: 1 - exp(-2 information). No model that uses only the
        selected features explains more, on average over new rows.
        """
        if self.entropy is None:
            return float(-np.expm1(-2 * self.information))
        return min(1.0, self.information / self.entropy)

    @property
    def least_error(self) -> float | None:
        """The lowest error rate that a model of only the selected features may have; None for a target of numbers.

        By Fano's inequality: a model that is wrong less often would need more information.
        """
        if self.entropy is None:
            return None
        left = max(0.0, self.entropy - self.information)
        others = len(self.class_shares) - 1

        def leaves(error: float) -> float:
            return float(entr(error) + entr(1 - error) + xlogy(error, others) - left)

        # Above this error the other classes would be better guesses than the one that is guessed.
        most = others / (others + 1)
        return float(brentq(leaves, 0.0, most)) if leaves(most) > 0 else most

    @property
    def error_of_guessing(self) -> float | None:
        """The error rate of always guessing the most frequent class; None for a target of numbers."""
        return 1 - max(self.class_shares) if self.class_shares else None
