"""Quadratic mutual information: Principe, Xu and Fisher, in Unsupervised Adaptive Filtering, vol. I (2000)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from infosift.arrays import FloatArray
from infosift.criteria.parzen import ParzenCriterion, WindowSums
from infosift.errors import require_choice


class QuadraticMI(ParzenCriterion):
    """Quadratic mutual information: how far a joint density is from the product of its marginals.

    Densities are sums of Gaussian windows (Parzen). Integrals of their products are then sums over all pairs of
    rows of Gaussians with the double variance. With X(i, j) and Y(i, j) the Gaussians of the distance of rows i
    and j in the features and in the target, and means over all rows i and j,

        joint = mean(X(i, j) Y(i, j)),    marginal = mean(X(i, j)) mean(Y(i, j)),
        cross = mean over i of (mean over j of X(i, j)) (mean over j of Y(i, j)),

    the Euclidean distance is joint - 2 cross + marginal, and that of Cauchy and Schwarz is
    log(joint marginal / cross^2). Both are zero where the smoothed densities are independent, and neither is the
    information of Shannon. A category has the window 1 for itself and 0 for others (Torkkola 2003). The cost grows
    with the square of the rows.

    Parameters
    ----------
    bandwidth : float or "auto", default="auto"
        Standard deviation of the windows in units of Scott's rule, n^(-1 / (d + 4)) standard deviations for n
        rows and d columns of numbers, features and target together. "auto" leaves it to the method: chosen by
        resampling, or else 1.
    distance : {"cauchy-schwarz", "euclidean"}, default="cauchy-schwarz"
        The distance.

    Examples
    --------
    >>> from infosift import MutualInfoSelector, QuadraticMI
    >>> selector = MutualInfoSelector(criterion=QuadraticMI(distance="euclidean"))
    >>> selector.get_params()["criterion__bandwidth"]
    'auto'
    """

    measure: ClassVar[str] = "quadratic mutual information"
    unit: ClassVar[str] = ""

    def __init__(self, bandwidth: float | str = "auto", *, distance: str = "cauchy-schwarz") -> None:
        self.bandwidth = bandwidth
        self.distance = distance

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        super().check()
        require_choice("distance", self.distance, ("cauchy-schwarz", "euclidean"))

    def combine(self, sums: WindowSums) -> FloatArray:
        """Return the distance for each value from the sums of windows."""
        n_rows = sums.features.shape[1]
        joint = sums.joint.sum(axis=1) / n_rows**2
        marginal = sums.features.sum(axis=1) * sums.target.sum(axis=1) / n_rows**4
        cross = (sums.features * sums.target).sum(axis=1) / n_rows**3
        if self.distance == "cauchy-schwarz":
            return np.asarray(np.log(joint * marginal / cross**2))
        height = (4 * np.pi * sums.widths**2) ** (-sums.n_numbers / 2)
        return np.asarray(height * (joint - 2 * cross + marginal))
